/**
 * Whether the person is writing right now, and whether a key belongs to an input method. A question must
 * not take the focus from someone who types, and an Enter that ends a composition must not send anything.
 */
const RECENT_MS = 3000;
/** WebKit fires Enter right after `compositionend`, with nothing to tell it from a real one but the time. */
const AFTER_COMPOSITION_MS = 50;

let lastStroke = -Infinity;
let lastComposition = -Infinity;
let composing = false;

document.addEventListener("compositionstart", () => (composing = true), true);
document.addEventListener(
  "compositionend",
  () => {
    composing = false;
    lastComposition = performance.now();
  },
  true,
);

export const noteStroke = () => void (lastStroke = performance.now());
/** The person turned to something else, as by opening a session. */
export const endStrokes = () => void (lastStroke = -Infinity);
export const isTyping = () => composing || performance.now() - lastStroke < RECENT_MS;

export function belongsToInputMethod(event: KeyboardEvent): boolean {
  if (event.isComposing || event.keyCode === 229) return true;
  return event.key === "Enter" && performance.now() - lastComposition < AFTER_COMPOSITION_MS;
}
