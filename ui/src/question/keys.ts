/** Which key means what in the question panel. Letters and digits mean nothing inside a text field. */
export type Action =
  | { do: "submit-all" | "undo" | "collapse" | "enter" | "first" | "last" }
  | { do: "move"; by: 1 | -1 }
  | { do: "question"; by: 1 | -1 }
  | { do: "pick"; index: number }
  | { do: "letter"; letter: string };

export function isTextField(target: EventTarget | null): target is HTMLElement {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !["radio", "checkbox"].includes(target.type);
}

export function actionOf(event: KeyboardEvent, rightToLeft: boolean): Action | null {
  const typing = isTextField(event.target);
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "Enter") return { do: "submit-all" };
    return event.key.toLowerCase() === "z" && !typing ? { do: "undo" } : null;
  }
  if (event.altKey) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return null;
    return { do: "question", by: (event.key === "ArrowRight") !== rightToLeft ? 1 : -1 };
  }
  if (event.key === "Escape") return { do: "collapse" };
  if (event.key === "Enter") return event.shiftKey ? null : { do: "enter" };
  if (typing) return null;
  switch (event.key) {
    case "ArrowDown":
      return { do: "move", by: 1 };
    case "ArrowUp":
      return { do: "move", by: -1 };
    case "Home":
      return { do: "first" };
    case "End":
      return { do: "last" };
  }
  if (/^[1-9]$/.test(event.key)) return { do: "pick", index: Number(event.key) - 1 };
  return /^\p{L}$/u.test(event.key) ? { do: "letter", letter: event.key.toLowerCase() } : null;
}

/** Keys that could answer something: the ones the guard holds back. */
export const decides = (event: KeyboardEvent) => /^(Enter|.)$/su.test(event.key);
