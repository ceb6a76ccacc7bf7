// A dialogue: all calls unfolded at once; the keys j and k go from turn to turn.
"use strict";
addEventListener("DOMContentLoaded", () => {
  for (const button of document.querySelectorAll("[data-unfold]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-pressed") !== "true";
      for (const each of document.querySelectorAll(`${button.dataset.unfold} details`)) each.open = open;
      button.setAttribute("aria-pressed", String(open));
      button.textContent = open ? "Fold all" : "Unfold all";
    });
  }
  const steps = [...document.querySelectorAll(".step")];
  for (const told of document.querySelectorAll("[data-keyed]")) told.hidden = steps.length === 0;
  addEventListener("keydown", (event) => {
    const ways = { j: 1, k: -1 };
    if (!(event.key in ways) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select") || steps.length === 0) return;
    const here = document.activeElement && document.activeElement.closest(".step");
    const next = here ? steps.indexOf(here) + ways[event.key] : 0;
    const step = steps[Math.min(Math.max(next, 0), steps.length - 1)];
    step.focus();
    step.scrollIntoView({ block: "start" });
  });
});
