// What all pages share: keys that page. A link with rel="prev" or rel="next" is followed by the
// left and right arrow keys (or p and n); "/" goes to the search field. And a choice that was made
// before htmx listened, or that the browser kept when the page was loaded again, is told to it then.
"use strict";
(() => {
  const rels = { ArrowLeft: "prev", p: "prev", ArrowRight: "next", n: "next" };
  const busy = (element) =>
    element.closest("input, textarea, select, summary, pre, [contenteditable], [data-keys]");

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || busy(event.target)) return;
    if (event.key === "/") {
      const search = document.querySelector("input[type=search]");
      if (search) { event.preventDefault(); search.focus(); }
      return;
    }
    const link = rels[event.key] && document.querySelector(`a[rel=${rels[event.key]}]`);
    if (link) { event.preventDefault(); link.click(); }
  });

  // htmx listens from its own handler of this event, which was added earlier.
  addEventListener("DOMContentLoaded", () => {
    for (const select of document.querySelectorAll("select")) {
      const served = Array.from(select.options).findIndex((option) => option.defaultSelected);
      if (select.selectedIndex !== Math.max(served, 0)) {
        select.dispatchEvent(new Event("change", { bubbles: true }));
      }
    }
  });
})();
