/** The conversation, always readable. It follows its own end only for someone who is there. */
import { createEffect, createSignal, For, type JSX, Match, on, onCleanup, onMount, Show, Switch, untrack } from "solid-js";
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
              <Capped text={item().text}>
                <p dir="auto">{item().text}</p>
              </Capped>
            </article>
          )}
        </Match>
        <Match when={as("agent")}>
          {(item) => (
            <article class="agent" data-testid="agent-message">
              <Capped text={item().text} followed={item().streaming}>
                <Markdown text={item().text} streaming={item().streaming} />
              </Capped>
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

const LONG = { lines: 200, characters: 20_000 };

/** A very long message shows its beginning, and all of it on demand; one that was followed as it came stays whole. */
function Capped(props: { text: string; followed?: boolean; children: JSX.Element }) {
  const lines = () => props.text.split("\n").length;
  const long = () => lines() > LONG.lines || props.text.length > LONG.characters;
  const [whole, setWhole] = createSignal(untrack(() => props.followed === true));
  const capped = () => long() && !whole();
  return (
    <div classList={{ capped: capped() }} data-capped={capped() ? "" : undefined}>
      <div class="capped-part">{props.children}</div>
      <Show when={capped()}>
        <button type="button" class="link" data-uncap onClick={() => setWhole(true)}>
          Show all {lines() > LONG.lines ? `${lines()} lines` : "of this message"}
        </button>
      </Show>
    </div>
  );
}

function Failure(props: { item: ErrorItem; resumable: boolean }) {
  return (
    <article class="card failure-card" data-testid="error-card">
      <p>
        <span class="icon" aria-hidden="true">!</span>
        <span>
          <span class="sr">Error: </span>
          <b dir="auto">{props.item.message}</b>
        </span>
      </p>
      <Show when={props.item.remedy}>
        <p class="remedy" dir="auto">{props.item.remedy}</p>
      </Show>
      <Show when={props.resumable}>
        <p class="remedy">The agent stopped here. What it did so far is kept.</p>
        <button type="button" class="quiet small" onClick={() => void resume()}>
          Try again
        </button>
      </Show>
    </article>
  );
}
