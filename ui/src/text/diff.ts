/** Lines of a change, from a unified diff or from the old and the new text. */
export interface DiffLine {
  kind: "same" | "add" | "del" | "meta";
  text: string;
}

export function parseUnified(diff: string): DiffLine[] {
  return lines(diff).map((text) => {
    if (/^(@@|---|\+\+\+|diff |index |\\ )/.test(text)) return { kind: "meta", text };
    if (text.startsWith("+")) return { kind: "add", text };
    if (text.startsWith("-")) return { kind: "del", text };
    return { kind: "same", text };
  });
}

/** The lines both ends share stay, what lies between was replaced. */
export function between(oldText: string, newText: string): DiffLine[] {
  const a = lines(oldText);
  const b = lines(newText);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const as = (kind: DiffLine["kind"], sign: string) => (line: string) => ({ kind, text: sign + line });
  return [
    ...a.slice(0, head).map(as("same", " ")),
    ...a.slice(head, a.length - tail).map(as("del", "-")),
    ...b.slice(head, b.length - tail).map(as("add", "+")),
    ...a.slice(a.length - tail).map(as("same", " ")),
  ];
}

export function counts(diff: DiffLine[]): string {
  const of = (kind: DiffLine["kind"]) => diff.filter((line) => line.kind === kind).length;
  return `+${of("add")} −${of("del")}`;
}

function lines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
