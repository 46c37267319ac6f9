/** Light, dark or as the system says; kept on this computer. */
import { createSignal } from "solid-js";

export type Theme = "system" | "light" | "dark";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const kept = localStorage.getItem("theme");
const [theme, setSignal] = createSignal<Theme>(kept === "light" || kept === "dark" ? kept : "system");

function apply() {
  const isDark = theme() === "dark" || (theme() === "system" && dark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

dark.addEventListener("change", apply);
apply();

export { theme };
export function setTheme(next: Theme) {
  setSignal(next);
  localStorage.setItem("theme", next);
  apply();
}
