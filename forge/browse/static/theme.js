// Before anything is painted: the theme that was chosen, where it differs from the system's.
"use strict";
(() => {
  const root = document.documentElement;
  const key = "forge-theme";
  const read = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem(key, theme); } catch { /* not kept */ } };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const now = () => root.dataset.theme || (system.matches ? "dark" : "light");
  const chosen = read();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;

  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const name = () => {
      button.textContent = now() === "dark" ? "Light" : "Dark";
      button.setAttribute("aria-label", `Switch to the ${button.textContent.toLowerCase()} theme`);
    };
    button.hidden = false;
    name();
    system.addEventListener("change", name);
    button.addEventListener("click", () => {
      root.dataset.theme = now() === "dark" ? "light" : "dark";
      keep(root.dataset.theme);
      name();
    });
  });
})();
