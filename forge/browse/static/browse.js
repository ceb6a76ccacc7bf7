// What all pages share: keys that page. A link with rel="prev" or rel="next" is followed by the
// left and right arrow keys (or p and n); "/" goes to the search field.
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
})();
