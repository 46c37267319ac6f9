/** Draws Markdown, block by block. The one place of the page that writes HTML; `toHtml` cleans it. */
import { createEffect, createSelector, createSignal, Index, onCleanup, untrack } from "solid-js";
import { backend } from "../backend";
import { createBlocks, isSafeLink, toHtml } from "./markdown";

export function Markdown(props: { text: string; streaming?: boolean }) {
  const cut = createBlocks();
  // The first text is drawn at once, later ones by the effect.
  const [blocks, setBlocks] = createSignal(untrack(() => cut(props.text)));
  // Tells only the block that is the last one, and the one that no longer is: the others are not rendered again.
  const isUnfinished = createSelector(() => (props.streaming === true ? blocks().length - 1 : -1));

  // However fast the text comes, it is drawn at most once a frame.
  let frame: number | undefined;
  createEffect<string>((drawn) => {
    const text = props.text;
    if (text !== drawn && frame === undefined) {
      frame = requestAnimationFrame(() => {
        frame = undefined;
        setBlocks(cut(props.text));
      });
    }
    return text;
  }, untrack(() => props.text));
  onCleanup(() => frame !== undefined && cancelAnimationFrame(frame));

  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link) return;
    event.preventDefault();
    if (isSafeLink(link.href)) void backend.openLink(link.href);
  };

  return (
    <div class="markdown" onClick={follow} onAuxClick={follow}>
      <Index each={blocks()}>
        {(block, index) => (
          // eslint-disable-next-line solid/no-innerhtml -- cleaned by toHtml
          <div innerHTML={toHtml(block(), isUnfinished(index))} />
        )}
      </Index>
    </div>
  );
}
