import { expect, test } from "vitest";
import { between, counts, parseUnified } from "./diff";
import { createBlocks, toHtml } from "./markdown";
import { visible } from "./visible";

const marks = (text: string) => visible(text).filter((p) => p.mark).map((p) => p.text);

test("what cannot be seen is written out", () => {
  expect(marks("rm -rf \u202Egnp.x\u200B\u00A0\u001B[0m\u{E0041}\u3164")).toEqual([
    "\\u{202E}",
    "\\u{200B}",
    "\\u{00A0}",
    "\\u{001B}",
    "\\u{E0041}",
    "\\u{3164}",
  ]);
  expect(visible("git commit -m 'ü 日本 ✓'\n\techo")).toEqual([{ text: "git commit -m 'ü 日本 ✓'\n\techo", mark: false }]);
});

test.each([
  ["<img src=x onerror=alert(1)>", "&lt;img"],
  ["[x](javascript:alert(1))", "[x](javascript"],
  ["[x](tauri://localhost)", "[x](tauri"],
  ["[x](data:text/html,hi)", "[x](data"],
  ["![x](https://example.org/leak.png)", "!<a"],
  ["<script>alert(1)</script>", "&lt;script"],
])("hostile Markdown stays text: %s", (source, shown) => {
  for (const unfinished of [false, true]) {
    const html = toHtml(source, unfinished);
    expect(html).toContain(shown);
    const parsed = new DOMParser().parseFromString(html, "text/html");
    expect(parsed.querySelectorAll("img, script, iframe, form, style, svg")).toHaveLength(0);
    const links = [...parsed.querySelectorAll("a")].map((a) => a.protocol);
    expect(links.filter((p) => !["http:", "https:", "mailto:"].includes(p))).toEqual([]);
  }
});

test("half-written Markdown is closed while it streams", () => {
  expect(toHtml("say **hel", true)).toContain("<strong>hel</strong>");
  expect(toHtml("see [the docs](https://exa", true)).not.toContain("streamdown");
});

test("however a text arrives, its blocks are the same, and finished ones stay", () => {
  const text = "# One\n\npara\nmore\n\n- a\n\n- b\n\n```js\nx\n\ny\n```\n\nlast *one*\n";
  const whole = createBlocks()(text);
  expect(whole.join("")).toBe(text);
  const cut = createBlocks();
  for (let end = 1; end <= text.length; end++) expect(cut(text.slice(0, end)).join("")).toBe(text.slice(0, end));
  expect(cut(text)).toEqual(whole);
  expect(cut("anew").join("")).toBe("anew");
});

test("changes as lines", () => {
  expect(between("a\nb\nc\n", "a\nB\nB2\nc\n").map((l) => l.kind)).toEqual(["same", "del", "add", "add", "same"]);
  expect(counts(between("", "a\nb"))).toBe("+2 −0");
  expect(parseUnified("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z").map((l) => l.kind)).toEqual(["meta", "meta", "meta", "del", "add", "same"]);
});
