/** Finding words in what the conversation shows: where they are, and whether one is looking. */
import { createSignal } from "solid-js";

const [finding, setFinding] = createSignal(false);
export { finding, setFinding };

/** Opens the bar, or goes back to it with all its words selected. */
export function openFind() {
  setFinding(true);
  document.querySelector<HTMLInputElement>("[data-testid=find]")?.select();
}

/** What ends a run of text: words do not go on from one of these into the next. */
const BLOCK = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, dt, dd, small, figcaption, header, button";

/** Every place of the words within `root`, in any case, also across code spans and the like. */
export function findIn(root: Node, words: string): Range[] {
  const parts = words.trim().split(/\s+/).map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  if (parts[0] === "") return [];
  const pattern = new RegExp(parts.join("\\s+"), "giu");
  return runs(root).flatMap((run) => [...run.text.matchAll(pattern)].map(({ index, 0: { length } }) => run.range(index, index + length)));
}

interface Piece {
  node: Node;
  from: number;
}

function runs(root: Node) {
  const found: { text: string; range: (from: number, to: number) => Range }[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let block: Element | null | undefined;
  let pieces: Piece[] = [];
  let text = "";
  const end = () => {
    if (text !== "") {
      const mine = pieces;
      found.push({ text, range: (from, to) => rangeOf(mine, from, to) });
    }
    pieces = [];
    text = "";
  };
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent?.closest(".sr")) continue;
    const next = parent?.closest(BLOCK);
    if (next !== block) end();
    block = next;
    pieces.push({ node, from: text.length });
    text += node.nodeValue ?? "";
  }
  end();
  return found;
}

function rangeOf(pieces: Piece[], from: number, to: number): Range {
  const range = document.createRange();
  const first = pieces.findLast((piece) => piece.from <= from);
  const last = pieces.findLast((piece) => piece.from < to);
  if (first) range.setStart(first.node, from - first.from);
  if (last) range.setEnd(last.node, to - last.from);
  return range;
}
