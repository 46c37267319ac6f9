/** Commands and changes, whole and exact. */
import { For, Show } from "solid-js";
import type { DiffLine } from "./diff";
import { visible } from "./visible";

/** Text with every hidden character written out. */
export function Exact(props: { text: string }) {
  return (
    <For each={visible(props.text)}>
      {(piece) => (
        <Show when={piece.mark} fallback={piece.text}>
          <mark class="hidden-char" title="A character that cannot be seen">
            {piece.text}
          </mark>
        </Show>
      )}
    </For>
  );
}

export function Diff(props: { lines: DiffLine[] }) {
  return (
    <pre class="exact diff" dir="ltr">
      <For each={props.lines}>
        {(line) => (
          <span class={line.kind}>
            <Exact text={line.text} />
            {"\n"}
          </span>
        )}
      </For>
    </pre>
  );
}
