// The table of tasks in an export: searched, filtered, sorted and paged here, over the rows of
// tasks.js, as the server does it elsewhere. Nothing but text is put into the page.
"use strict";
(() => {
  const PAGE = 50;
  const form = document.getElementById("filter");
  const area = document.getElementById("tasks");
  const rows = window.forgeTasks;
  if (!form || !rows) return;
  const body = area.querySelector("tbody");
  const pager = area.querySelector(".pages");
  const fields = [...form.elements].filter((field) => field.name);
  const HARDNESS = { easy: 0, medium: 1, hard: 2 };
  const measured = {
    never: (row) => row.rate && row.rate[0] === 0,
    sometimes: (row) => row.rate && row.rate[0] > 0 && row.rate[0] < row.rate[1],
    always: (row) => row.rate && row.rate[0] === row.rate[1],
    unmeasured: (row) => !row.rate,
  };
  const judged = {
    passed: (row) => !row.unjudged && !row.refused.length,
    refused: (row) => row.refused.length > 0,
    unjudged: (row) => row.unjudged,
  };
  const keys = {
    question: (row) => row.question.toLowerCase(),
    env: (row) => row.env,
    kind: (row) => row.kind,
    difficulty: (row) => HARDNESS[row.band],
    calls: (row) => row.calls,
    tables: (row) => row.tables,
    rate: (row) => row.rate && row.rate[0] / row.rate[1],
  };
  let page = 1;
  let found = [];

  const read = () => {
    const asked = new URLSearchParams(location.search);
    for (const field of fields) if (asked.has(field.name)) field.value = asked.get(field.name);
    page = Math.max(1, Number(asked.get("page")) || 1);
  };

  const fits = (wanted) => (row) =>
    Object.entries(wanted).every(([name, value]) => {
      if (name === "q") {
        const text = `${row.question} ${row.id}`.toLowerCase();
        return value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
      }
      if (name === "tool") return row.tools.includes(value);
      if (name === "rate") return measured[value](row);
      if (name === "gate") return judged[value](row);
      if (name === "mark") return value === (row.mark || "unmarked");
      return name === "sort" || row[name] === value;
    });

  const find = () => {
    const wanted = Object.fromEntries(
      fields.map((field) => [field.name, field.value.trim()]).filter(([, value]) => value));
    found = rows.filter(fits(wanted));
    const key = keys[wanted.sort.replace(/^-/, "")];
    const way = wanted.sort.startsWith("-") ? -1 : 1;
    if (key) {
      found.sort((one, other) => {
        const [a, b] = [key(one), key(other)];
        if (a == null || b == null) return (a == null) - (b == null);
        return way * ((a > b) - (a < b));
      });
    }
  };

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const line = (row) => {
    const made = element("tr");
    const question = element("td", undefined, "question");
    const text = row.question.length > 220 ? `${row.question.slice(0, 219)}…` : row.question;
    if (row.linked) {
      const link = element("a", text);
      link.href = `tasks/${row.id}.html`;
      question.append(link);
    } else question.append(text);
    for (const gate of row.refused) question.append(" ", element("span", `refused by ${gate}`, "tag bad"));
    if (row.unjudged) question.append(" ", element("span", "not judged", "tag"));
    if (row.mark) question.append(" ", element("span", `marked ${row.mark}`, `tag ${row.mark}`));
    const calls = element("td", row.calls ?? "–", "number");
    calls.dataset.label = "calls";
    const rate = element("td", row.rate ? `${row.rate[0]} of ${row.rate[1]}` : "–", "number");
    if (row.rate) rate.dataset.label = "passed";
    made.append(question, element("td", row.env), element("td", row.kind), element("td", row.band),
      calls, rate);
    return made;
  };

  const step = (rel, text, to) => {
    const link = element("a", text);
    link.rel = rel;
    link.href = "#tasks";
    link.addEventListener("click", (event) => { event.preventDefault(); page = to; show(); });
    return link;
  };

  const show = () => {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(page, pages);
    document.getElementById("total").textContent =
      `${found.length.toLocaleString("en")} task${found.length === 1 ? "" : "s"}`;
    pager.hidden = pages === 1;
    pager.replaceChildren(
      ...(page > 1 ? [step("prev", "← before", page - 1), " "] : []),
      element("span", `page ${page} of ${pages}`),
      ...(page < pages ? [" ", step("next", "next →", page + 1)] : []));
    body.replaceChildren(...found.slice(PAGE * (page - 1), PAGE * page).map(line));
  };

  // A field that is left says that it changed, when all of it has been heard already: to draw the
  // rows anew then would take away the link that is being clicked.
  const told = () => fields.map((field) => field.value).join("\n");
  let heard = "";
  const again = () => {
    if (told() === heard) return;
    heard = told();
    page = 1;
    find();
    show();
  };
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", again);
  form.querySelector("input[type=search]").addEventListener("input", again);
  read();
  heard = told();
  find();
  show();
})();
