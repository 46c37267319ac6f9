/** A question's words: literal, but for `code`, the only markup a question has. */
import { For, Show } from "solid-js";

export function QuestionText(props: { text: string }) {
  return (
    <For each={props.text.split(/(`[^`\n]+`)/)}>
      {(part) => (
        <Show when={/^`[^`\n]+`$/.test(part)} fallback={part}>
          <code>{part.slice(1, -1)}</code>
        </Show>
      )}
    </For>
  );
}
