/** Draws the page as `look()` has it: what the style sheets need stands as attributes on the root. */
import { createEffect, createRoot, createSignal } from "solid-js";
import { look } from "./settings";

/** Whether the system asks for something, kept up to date. */
function asked(query: string) {
  const media = window.matchMedia(query);
  const [matches, setMatches] = createSignal(media.matches);
  media.addEventListener("change", () => setMatches(media.matches));
  return matches;
}

const prefersDark = asked("(prefers-color-scheme: dark)");
const prefersContrast = asked("(prefers-contrast: more)");
const prefersStill = asked("(prefers-reduced-motion: reduce)");

createRoot(() =>
  createEffect(() => {
    const { theme, contrast, density, text_size, motion } = look();
    const root = document.documentElement;
    root.dataset["theme"] = theme === "dark" || (theme === "system" && prefersDark()) ? "dark" : "light";
    root.dataset["contrast"] = contrast === "high" || prefersContrast() ? "high" : "normal";
    root.dataset["density"] = density;
    root.dataset["motion"] = motion === "reduced" || prefersStill() ? "reduced" : "full";
    root.style.fontSize = `${text_size}%`;
  }),
);
