/** The conversation on screen, with its header above and the composer below. */
import { For, Show } from "solid-js";
import { send } from "../actions";
import { sentence } from "../backend";
import { folderName, isPractice, modelName } from "../names";
import { leavePage, onPage } from "../pages";
import { unread } from "../settings";
import { setState, state } from "../store";
import { Composer } from "./Composer";
import { Log } from "./Log";
import { StatusBar } from "./StatusBar";

const FIRST_TASK = "Add a guard to divide";

export function Chat() {
  const suggests = () =>
    state.conversation !== null && isPractice(state.conversation.session.model) && state.conversation.items.length === 0;
  return (
    <>
      <Show when={state.conversation} keyed fallback={<div class="log-frame" />}>
        {/* Keyed by identity: the store keeps one object for as long as one session is on screen. */}
        {(conversation) => <Log conversation={conversation} />}
      </Show>
      <footer class="dock">
        <Show when={suggests()}>
          <div class="suggestion">
            <p>The practice project is a small calculator. Ask the agent for something:</p>
            <button
              type="button"
              class="chip-button"
              onClick={() => void send(FIRST_TASK, null).catch((error: unknown) => setState("problem", sentence(error)))}
            >
              {FIRST_TASK}
            </button>
          </div>
        </Show>
        <Queued />
        <Notice />
        <StatusBar />
        <Composer />
      </footer>
    </>
  );
}

export function ChatHeader() {
  const session = () => (state.view === "session" ? state.conversation?.session : undefined);
  const waiting = () => (state.inbox.length === 1 ? "1 question waits for you" : `${state.inbox.length} questions wait for you`);
  return (
    <Show
      when={session()}
      fallback={
        <>
          <Show when={state.view === "inbox"}>
            <div class="where">
              <h1>Inbox</h1>
              <small>{state.inbox.length > 0 ? waiting() : "No one is waiting for you"}</small>
            </div>
          </Show>
          <Show when={onPage()}>
            <div class="where">
              <h1>{state.view === "help" ? "Help" : "Settings"}</h1>
              <small>{state.view === "help" ? "How Sayso asks, answers and stops" : "Kept in config.toml as soon as you change them"}</small>
            </div>
            <button type="button" class="quiet small" onClick={leavePage}>
              Close <kbd>Esc</kbd>
            </button>
          </Show>
        </>
      }
    >
      {(info) => (
        <>
          <div class="where">
            <h1 dir="auto">{folderName(info().workspace)}</h1>
            <small dir="ltr" title={info().workspace}>{info().folder}</small>
          </div>
          <span class="chip model" data-testid="model">
            {isPractice(info().model) ? "Practice model: no AI provider connected" : modelName(info().model)}
          </span>
        </>
      )}
    </Show>
  );
}

function Queued() {
  return (
    <Show when={state.conversation?.queued.length}>
      <section class="queued" aria-label="Queued for after">
        <h2>Queued for after</h2>
        <ol>
          <For each={state.conversation?.queued}>{(text) => <li dir="auto">{text}</li>}</For>
        </ol>
      </section>
    </Show>
  );
}

/** Quiet news, and what went wrong outside of the conversation. */
function Notice() {
  return (
    <>
      <Show when={unread()}>
        <p class="send-failure" dir="auto">{unread()}</p>
      </Show>
      <Show when={state.problem}>
        <p class="send-failure" data-testid="problem" dir="auto">{state.problem}</p>
      </Show>
      <Show when={state.notice}>
        <p class="notice" data-testid="notice">
          <span>{state.notice}</span>
          <button type="button" class="link" onClick={() => setState("notice", "")}>
            Dismiss
          </button>
        </p>
      </Show>
    </>
  );
}
