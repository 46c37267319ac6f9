/**
 * Text that a person is to judge, with nothing hidden in it: control characters, invisible ones, those that
 * turn the direction of writing, and spaces that only look like spaces are written out as marks.
 */
export interface Piece {
  text: string;
  /** A stand-in for a character that could not be seen. */
  mark: boolean;
}

// Line feeds and tabs are seen as what they are. Cn and Co have no picture; the last line lists letters and
// symbols that are drawn as nothing.
const HIDDEN =
  /(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;

export function visible(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), mark: false });
    const code = match[0].codePointAt(0) ?? 0;
    pieces.push({ text: `\\u{${code.toString(16).toUpperCase().padStart(4, "0")}}`, mark: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), mark: false });
  return pieces;
}
