/** One help page, and the ways to the others. */
import { createEffect, For, on, Show } from "solid-js";
import { Markdown } from "../text/Markdown";
import { openHelp, type Topic, topic, TOPICS } from "./topics";

export function HelpPage() {
  let page!: HTMLElement;
  // Also when a link leads on: the new page is read from its top.
  createEffect(
    on(topic, () => {
      page.scrollTo({ top: 0 });
      page.focus();
    }),
  );
  return (
    <section class="page help" ref={page} tabindex="-1" aria-label={TOPICS[topic()].title} data-testid="help">
      <nav class="seg" aria-label="Help pages">
        <For each={Object.keys(TOPICS) as Topic[]}>
          {(name) => (
            <button type="button" classList={{ on: topic() === name }} aria-current={topic() === name ? "page" : undefined} onClick={() => openHelp(name)}>
              {TOPICS[name].title}
            </button>
          )}
        </For>
      </nav>
      {/* Each page anew: a text that changes is taken for one that grows. */}
      <Show when={topic()} keyed>
        {(name) => <Markdown text={TOPICS[name].text} />}
      </Show>
      <p class="see-also">
        See also:{" "}
        <For each={TOPICS[topic()].leadsTo}>
          {(name) => (
            <button type="button" class="link" onClick={() => openHelp(name)}>
              {TOPICS[name].title}
            </button>
          )}
        </For>
      </p>
    </section>
  );
}
