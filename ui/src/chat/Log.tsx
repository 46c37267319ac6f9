/** The conversation, always readable. It follows its own end only for someone who is there. */
import { createEffect, createSignal, For, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { resume } from "../actions";
import type { Conversation, ErrorItem, Item, StoppedItem } from "../conversation";
import { isAskTool } from "../conversation";
import { Markdown } from "../text/Markdown";
import { AnswerCard } from "./AnswerCard";
import { finding } from "./find";
import { FindBar } from "./FindBar";
import { FaultyAsk, faultyAsk, ToolCard } from "./ToolCard";

const NEAR_END_PX = 48;

export function Log(props: { conversation: Conversation }) {
  let scroller!: HTMLElement;
  let content!: HTMLDivElement;
  const [atEnd, setAtEnd] = createSignal(true);
  const [seen, setSeen] = createSignal(0);
  const count = () => props.conversation.items.length;
  const toEnd = () => scroller.scrollTo({ top: scroller.scrollHeight });

  let top = 0;
  /** Only someone who scrolls up leaves the end; a text that grows faster than the page follows does not count. */
  function onScroll() {
    const near = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
    if (near || scroller.scrollTop < top) setAtEnd(near);
    top = scroller.scrollTop;
  }

  createEffect(on([count, atEnd], () => atEnd() && setSeen(count())));
  onMount(() => {
    const observer = new ResizeObserver(() => atEnd() && toEnd());
    observer.observe(scroller);
    observer.observe(content);
    onCleanup(() => observer.disconnect());
  });

  return (
    <div class="log-frame">
      <Show when={finding()}>
        <FindBar content={content} scroller={scroller} />
      </Show>
      <section
        class="log"
        role="log"
        aria-live="off"
        aria-label="Conversation"
        tabindex="0"
        ref={scroller}
        onScroll={onScroll}
      >
        <div class="log-content" ref={content}>
          <For each={props.conversation.items}>
            {(item, index) => <Row item={item} last={index() === count() - 1} idle={props.conversation.state.type === "idle"} />}
          </For>
        </div>
      </section>
      <Show when={!atEnd()}>
        <button type="button" class="jump" onClick={toEnd}>
          ↓ Jump to latest{count() > seen() ? ` (${count() - seen()} new)` : ""}
        </button>
      </Show>
    </div>
  );
}

function Row(props: { item: Item; last: boolean; idle: boolean }) {
  const as = <K extends Item["kind"]>(kind: K) =>
    props.item.kind === kind ? (props.item as Extract<Item, { kind: K }>) : undefined;
  return (
    <>
      <Show when={props.item.opensTurn}>
        <h2 class="sr">Agent</h2>
      </Show>
      <Switch>
        <Match when={as("user")}>
          {(item) => (
            <article class="you" data-testid="user-message">
              <h2 class="sr">You</h2>
              <p dir="auto">{item().text}</p>
            </article>
          )}
        </Match>
        <Match when={as("agent")}>
          {(item) => (
            <article class="agent" data-testid="agent-message">
              <Markdown text={item().text} streaming={item().streaming} />
            </article>
          )}
        </Match>
        <Match when={as("tool")}>
          {(item) => (
            <Show when={!isAskTool(item().tool)} fallback={faultyAsk(item()) && <FaultyAsk item={item()} />}>
              <ToolCard item={item()} />
            </Show>
          )}
        </Match>
        <Match when={as("request")}>
          {(item) => (
            <Show when={item().closed}>{(closed) => <AnswerCard item={item()} closed={closed()} />}</Show>
          )}
        </Match>
        <Match when={as("error")}>
          {(item) => <Failure item={item()} resumable={item().resumable && props.last && props.idle} />}
        </Match>
        <Match when={as("stopped")}>{(item) => <p class="quiet-line">{stopped(item())}</p>}</Match>
      </Switch>
    </>
  );
}

function stopped({ finished, called }: StoppedItem): string {
  return called === 0 ? "Stopped." : `Stopped. ${finished} of ${called} ${called === 1 ? "tool" : "tools"} finished.`;
}

function Failure(props: { item: ErrorItem; resumable: boolean }) {
  return (
    <article class="card failure-card" data-testid="error-card">
      <p>
        <span class="icon" aria-hidden="true">!</span>
        <b dir="auto">{props.item.message}</b>
      </p>
      <Show when={props.item.remedy}>
        <p class="remedy" dir="auto">{props.item.remedy}</p>
      </Show>
      <Show when={props.resumable}>
        <button type="button" class="quiet small" onClick={() => void resume()}>
          Try again
        </button>
      </Show>
    </article>
  );
}
