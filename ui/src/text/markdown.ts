/**
 * The model's Markdown as safe HTML, and its cutting into blocks. Whoever runs script in this page could
 * answer a permission question, so: no HTML from the text, no images (a remote one leaks), and only links
 * that open a browser or a mail program. The purifier behind it is the second lock.
 */
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import remend from "remend";

const md = new MarkdownIt({ html: false, linkify: true, breaks: false }).disable("image");
md.validateLink = isSafeLink;
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const DIRECTED = new Set(["paragraph_open", "heading_open", "list_item_open", "th_open", "td_open"]);
md.core.ruler.push("direction", (state) => {
  for (const token of state.tokens) {
    if (DIRECTED.has(token.type)) token.attrSet("dir", "auto");
  }
});

// Wide code scrolls by itself, and must then be reachable by keyboard.
md.renderer.rules.fence = (tokens, index) => code(tokens[index]?.content ?? "");
md.renderer.rules.code_block = md.renderer.rules.fence;
const code = (text: string) => `<pre tabindex="0" dir="ltr"><code>${md.utils.escapeHtml(text)}</code></pre>\n`;

export function isSafeLink(url: string): boolean {
  return /^(https?:|mailto:)/i.test(url.trim());
}

/** HTML of a block; an unfinished one is closed first, so that half a word in bold does not show its stars. */
export function toHtml(block: string, unfinished: boolean): string {
  return DOMPurify.sanitize(md.render(unfinished ? remend(block, { linkMode: "text-only" }) : block), {
    FORBID_TAGS: ["style", "form", "input", "img", "svg", "math", "button", "audio", "video", "iframe"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  });
}

/** Cuts a text into its top-level blocks, so that while it streams only the last one is rendered again. */
export function createBlocks() {
  let settled: string[] = [];
  let consumed = "";
  return (text: string): string[] => {
    if (!text.startsWith(consumed)) {
      settled = [];
      consumed = "";
    }
    const rest = text.slice(consumed.length);
    const cuts = md
      .parse(rest, {})
      .filter((token) => token.level === 0 && token.nesting >= 0 && token.map)
      .map((token) => lineStart(rest, token.map?.[0] ?? 0));
    for (let i = 1; i < cuts.length; i++) {
      settled = [...settled, rest.slice(i === 1 ? 0 : cuts[i - 1], cuts[i])];
    }
    const last = cuts.length > 1 ? (cuts.at(-1) ?? 0) : 0;
    consumed += rest.slice(0, last);
    return [...settled, rest.slice(last)];
  };
}

function lineStart(text: string, line: number): number {
  let at = 0;
  for (let i = 0; i < line; i++) at = text.indexOf("\n", at) + 1;
  return at;
}
