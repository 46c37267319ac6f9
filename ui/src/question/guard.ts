/**
 * Keeps a key that was meant for something else from answering a question: for a moment after the panel
 * has taken the focus, keys that decide do nothing.
 */
const GUARD_MS = 400;

export function createGuard() {
  let until = -Infinity;
  return {
    arm: () => void (until = performance.now() + GUARD_MS),
    active: () => performance.now() < until,
  };
}
