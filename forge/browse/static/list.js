// The list of rollouts in an export: what its form asks for is found here, over the rows of
// rollouts.js, as the server does it elsewhere. Nothing but text is put into the page.
"use strict";
(() => {
  const MOST = 200;
  const form = document.getElementById("filter");
  const rows = window.forgeRollouts;
  if (!form || !rows) return;
  const body = document.querySelector("#rollouts tbody");
  const number = document.getElementById("number");
  const pager = document.querySelector("nav.pager");
  const whole = { lines: [...body.children], said: [...number.childNodes] };
  const fields = [...form.elements].filter((field) => field.name);

  const fits = (wanted) => (row) =>
    wanted.every(([name, value]) => {
      if (name !== "q") return row[name] === value;
      const text = `${row.task} ${row.question}`.toLowerCase();
      return value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
    });

  const element = (name, text, kind) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const line = (row) => {
    const made = element("tr");
    const task = element("td");
    const link = element("a", row.task);
    link.href = `rollouts/${row.name}.html`;
    const short = row.question.length > 110 ? `${row.question.slice(0, 107)}...` : row.question;
    task.append(link, element("br"), element("span", short, "soft question"));
    const reward = element("td");
    reward.append(element("span", row.reward, { none: "soft", 0: "bad", 1: "good" }[row.reward]));
    const ended = element("td", row.outcome);
    if (row.errors) ended.append(" ", element("span", "user erred", "bad"));
    made.append(task, element("td", row.attempt, "number"), reward, ended,
      element("td", row.steps, "number"), element("td", row.env),
      element("td", `${row.kind}, ${row.band}`), element("td", row.policy));
    return made;
  };

  // A field that is left says that it changed, when all of it has been heard already: to draw the
  // rows anew then would take away the link that is being clicked.
  let heard = "";
  const show = () => {
    const wanted = fields.map((field) => [field.name, field.value.trim()]).filter(([, value]) => value);
    if (JSON.stringify(wanted) === heard) return;
    heard = JSON.stringify(wanted);
    const found = rows.filter(fits(wanted));
    if (pager) pager.hidden = wanted.length > 0;
    if (!wanted.length) {
      number.replaceChildren(...whole.said);
      body.replaceChildren(...whole.lines);
      return;
    }
    const those = `${found.length.toLocaleString("en")} rollout${found.length === 1 ? "" : "s"}`;
    const first = found.length > MOST ? `, the first ${MOST} of them below` : "";
    number.textContent = `${those} of ${rows.length.toLocaleString("en")}${first}`;
    body.replaceChildren(...found.slice(0, MOST).map(line));
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("change", show);
  form.querySelector("input[type=search]").addEventListener("input", show);
  heard = "[]";
  show();
})();
