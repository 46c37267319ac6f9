/** Finds words in the conversation, counts them, and leads from one to the next. */
import { createEffect, createSignal, on, onCleanup, onMount, Show } from "solid-js";
import { focusComposer } from "../focus";
import { caps, FIND, matches } from "../shortcuts";
import { belongsToInputMethod } from "../typing";
import { findIn, setFinding } from "./find";

export function FindBar(props: { content: HTMLElement; scroller: HTMLElement }) {
  let field!: HTMLInputElement;
  const before = document.activeElement;
  const [words, setWords] = createSignal("");
  const [found, setFound] = createSignal<Range[]>([]);
  const [at, setAt] = createSignal(0);

  /** A new search starts at what is in view. */
  function search(text: string) {
    setWords(text);
    const ranges = findIn(props.content, text);
    const top = props.scroller.getBoundingClientRect().top;
    const inView = ranges.findIndex((range) => (range.startContainer.parentElement?.getBoundingClientRect().bottom ?? 0) >= top);
    setFound(ranges);
    setAt(Math.max(inView, 0));
    show();
  }
  function move(by: 1 | -1) {
    const count = found().length;
    if (count === 0) return;
    setAt((at() + by + count) % count);
    show();
  }
  function show() {
    const element = found()[at()]?.startContainer.parentElement;
    // A part of a long message that is not shown yet is, when one is led to it.
    element?.closest("[data-capped]")?.querySelector<HTMLElement>("[data-uncap]")?.click();
    element?.scrollIntoView({ block: "center" });
  }
  function close() {
    setFinding(false);
    if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus();
    else focusComposer();
  }

  createEffect(
    on([found, at], ([ranges, index]) => {
      mark(ranges, ranges[index]);
      onCleanup(() => mark([]));
    }),
  );
  onMount(() => {
    field.focus();
    // What is said meanwhile counts too; the place one is at stays.
    const observer = new MutationObserver(() => {
      const ranges = findIn(props.content, words());
      setFound(ranges);
      setAt(Math.min(at(), Math.max(ranges.length - 1, 0)));
    });
    observer.observe(props.content, { childList: true, characterData: true, subtree: true });
    onCleanup(() => observer.disconnect());
  });
  onCleanup(() => setFinding(false));

  const count = () => {
    if (words().trim() === "") return "";
    return found().length === 0 ? "Not found" : `${at() + 1} of ${found().length}`;
  };
  function onKey(event: KeyboardEvent) {
    if (belongsToInputMethod(event)) return;
    if (matches(FIND.close.keys, event)) close();
    else if (event.target === field && matches(FIND.next.keys, event)) move(1);
    else if (event.target === field && matches(FIND.previous.keys, event)) move(-1);
    else return;
    event.preventDefault();
  }

  return (
    <div class="find" role="search" aria-label="Find in the conversation" onKeyDown={onKey}>
      <input
        ref={field}
        type="search"
        data-testid="find"
        aria-label="Find in the conversation"
        placeholder="Find in the conversation…"
        dir="auto"
        value={words()}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <output>{count()}</output>
      <Show when={found().length > 0}>
        <button type="button" class="ghost" aria-label="Previous" title={titled("Previous", FIND.previous.keys)} onClick={() => move(-1)}>
          ↑
        </button>
        <button type="button" class="ghost" aria-label="Next" title={titled("Next", FIND.next.keys)} onClick={() => move(1)}>
          ↓
        </button>
      </Show>
      <button type="button" class="ghost" aria-label="Close" title={titled("Close", FIND.close.keys)} onClick={close}>
        ✕
      </button>
    </div>
  );
}

const titled = (name: string, keys: string) => `${name} (${caps(keys).join(" + ")})`;

/** Draws the places; a WebKit that cannot do that still shows the message that one is led to. */
function mark(all: Range[], current?: Range) {
  for (const row of document.querySelectorAll("[data-found]")) row.removeAttribute("data-found");
  current?.startContainer.parentElement?.closest("article")?.setAttribute("data-found", "");
  if (typeof Highlight === "undefined") return;
  CSS.highlights.set("found", new Highlight(...all));
  CSS.highlights.set("found-current", new Highlight(...(current ? [current] : [])));
}
