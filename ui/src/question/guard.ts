/**
 * Keeps a key that was meant for something else from answering a question: for a moment after the panel
 * has taken the focus, keys that decide do nothing.
 */
import { createSignal, onCleanup } from "solid-js";

const GUARD_MS = 400;

export function createGuard() {
  const [active, setActive] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  function arm() {
    clearTimeout(timer);
    setActive(true);
    timer = setTimeout(() => setActive(false), GUARD_MS);
  }
  return { arm, active };
}
