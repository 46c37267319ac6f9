const PANEL = "[data-testid=question-panel]";

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

/**
 * Keeps the keyboard where it was of use: when what has the focus leaves the page, as a button does that is
 * over with its click, the focus goes to the panel's question, or to the composer. Returns the end of it.
 */
export function keepFocus(root: HTMLElement) {
  let held: Element | null = null;
  let inPanel = false;
  const onFocusIn = (event: FocusEvent) => {
    held = event.target as Element;
    inPanel = held.closest(PANEL) !== null;
  };
  const onFocusOut = (event: FocusEvent) => {
    const left = event.target as Element;
    // Someone who clicks into the text wants no other focus; only what is gone by then was taken away.
    queueMicrotask(() => left.isConnected && held === left && (held = null));
  };
  const observer = new MutationObserver(() => {
    if (!held || held.isConnected || document.activeElement !== document.body) return;
    held = null;
    const heading = inPanel ? document.querySelector<HTMLElement>(`${PANEL} [data-heading]`) : null;
    if (heading) heading.focus();
    else focusComposer();
  });
  root.addEventListener("focusin", onFocusIn);
  root.addEventListener("focusout", onFocusOut);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    root.removeEventListener("focusin", onFocusIn);
    root.removeEventListener("focusout", onFocusOut);
    observer.disconnect();
  };
}

/** To the composer, unless the person is already somewhere else. Call before the panel goes. */
export function leavePanel() {
  const at = document.activeElement;
  if (!at || at === document.body || at.closest(PANEL)) focusComposer();
}
