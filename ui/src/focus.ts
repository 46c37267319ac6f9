/** Where the focus goes when what held it leaves. */
export function focusComposer() {
  queueMicrotask(() => document.querySelector<HTMLElement>("[data-testid=composer]")?.focus());
}

/** To the composer, unless the person is already somewhere else. Call before the panel goes. */
export function leavePanel() {
  const at = document.activeElement;
  if (!at || at === document.body || at.closest("[data-testid=question-panel]")) focusComposer();
}
