/** Where the focus goes when what held it leaves. */
export function focusComposer() {
  focusSoon(() => document.querySelector<HTMLElement>("[data-testid=composer]"));
}

/** To something that the current change is about to put on the page, and into view. */
export function focusSoon(find: () => HTMLElement | null | undefined) {
  queueMicrotask(() => {
    const found = find();
    found?.focus();
    found?.scrollIntoView({ block: "nearest" });
  });
}

/** To the composer, unless the person is already somewhere else. Call before the panel goes. */
export function leavePanel() {
  const at = document.activeElement;
  if (!at || at === document.body || at.closest("[data-testid=question-panel]")) focusComposer();
}
