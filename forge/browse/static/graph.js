// Graphs: zoom, and light on what is next to the box or entry that is pointed at or focused.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const STEP = 1.25;

  const zooming = (figure) => {
    const canvas = figure.querySelector(".canvas");
    const svg = canvas.querySelector("svg");
    const { width, height } = svg.viewBox.baseVal;
    let scale = 1;
    const set = (wanted, at) => {
      const before = scale;
      scale = Math.min(4, Math.max(0.1, wanted));
      svg.setAttribute("width", width * scale);
      svg.setAttribute("height", height * scale);
      const x = at ? at.x : canvas.clientWidth / 2;
      const y = at ? at.y : canvas.clientHeight / 2;
      canvas.scrollLeft = ((canvas.scrollLeft + x) / before) * scale - x;
      canvas.scrollTop = ((canvas.scrollTop + y) / before) * scale - y;
    };
    const whole = () => Math.min(1, (canvas.clientWidth - 2) / width);
    const ways = {
      in: () => set(scale * STEP),
      out: () => set(scale / STEP),
      one: () => set(1),
      fit: () => set(Math.min(whole(), (innerHeight * 0.8) / height)),
    };
    set(Math.max(0.72, whole()));
    figure.querySelector(".tools").hidden = false;
    figure.addEventListener("click", (event) => {
      const button = event.target.closest("[data-zoom]");
      if (button) ways[button.dataset.zoom]();
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      set(scale * Math.exp(-event.deltaY / 300),
        { x: event.clientX - box.left, y: event.clientY - box.top });
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "+" || event.key === "=") ways.in();
      if (event.key === "-") ways.out();
      if (event.key === "0") ways.fit();
    });
  };

  const lighting = (figure) => {
    const svg = figure.querySelector("svg");
    const leads = svg.querySelector(".leads");
    const arrows = [...svg.querySelectorAll(".arrow")];
    const boxes = new Map([...svg.querySelectorAll("[data-box]")].map((g) => [g.dataset.box, g]));
    const entries = new Map(
      [...svg.querySelectorAll("[data-entry]")].map((a) => [a.dataset.entry, a]));
    const follows = (entry) => entry.dataset.leads.split(" ").filter(Boolean);

    const dark = () => {
      svg.classList.remove("lit");
      svg.querySelectorAll(".on, .next").forEach((each) => each.classList.remove("on", "next"));
      leads.replaceChildren();
    };

    const curve = (one, other, kind) => {
      const [from, to] = [one, other].map((each) => {
        const box = each.closest("[data-box]");
        const { e, f } = box.transform.baseVal[0].matrix;
        const { y, height } = each.getBBox();
        return { box, left: e, right: e + box.querySelector(".frame").width.baseVal.value,
          y: f + y + height / 2 };
      });
      // Within a box on its right side, else from the sides that face each other.
      const way = from.box === to.box || to.left > from.right ? 1 : -1;
      const start = way > 0 ? from.right : from.left;
      const end = from.box === to.box ? to.right : way > 0 ? to.left : to.right;
      const back = from.box === to.box ? 1 : -way;
      const bend = from.box === to.box ? 36 : Math.max(40, Math.abs(end - start) / 2);
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", `M${start},${from.y} C${start + way * bend},${from.y}`
        + ` ${end + back * bend},${to.y} ${end},${to.y}`);
      path.setAttribute("class", kind);
      leads.append(path);
    };

    const lightEntry = (entry) => {
      entry.classList.add("on");
      for (const name of follows(entry)) {
        const other = entries.get(name);
        if (other) { other.classList.add("next"); curve(entry, other, "gives"); }
      }
      for (const other of entries.values()) {
        if (other !== entry && follows(other).includes(entry.dataset.entry)) {
          other.classList.add("next");
          curve(other, entry, "takes");
        }
      }
    };

    const lightBox = (box) => {
      box.classList.add("on");
      for (const arrow of arrows) {
        const { from, to } = arrow.dataset;
        if (from !== box.dataset.box && to !== box.dataset.box) continue;
        arrow.classList.add("on");
        const other = boxes.get(from === box.dataset.box ? to : from);
        if (other) other.classList.add("next");
      }
    };

    const light = (target) => {
      const entry = target.closest("[data-entry]");
      const box = target.closest("[data-box]");
      if (!box) return dark();
      dark();
      svg.classList.add("lit");
      if (entry) lightEntry(entry);
      else lightBox(box);
    };
    svg.addEventListener("pointerover", (event) => light(event.target));
    svg.addEventListener("pointerleave", dark);
    svg.addEventListener("focusin", (event) => light(event.target));
    svg.addEventListener("focusout", dark);
  };

  for (const figure of document.querySelectorAll("[data-graph]")) {
    zooming(figure);
    lighting(figure);
  }
})();
