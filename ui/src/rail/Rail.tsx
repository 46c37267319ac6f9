/** The side list: what waits, the sessions, the help and the settings. A drawer in a narrow window. */
import { For, Show } from "solid-js";
import { openFolder } from "../actions";
import type { SessionInfo } from "../backend";
import { day } from "../clock";
import { openHelp } from "../help/topics";
import { activity, folderName, titleOf } from "../names";
import { openSettings } from "../pages";
import { openSession, setState, type State, state } from "../store";

export function Rail(props: { open: boolean; inert: boolean; onClose: () => void }) {
  function newSession() {
    props.onClose();
    void openFolder();
  }
  return (
    <nav class="rail" classList={{ open: props.open }} id="rail" aria-label="Sessions" inert={props.inert}>
      <p class="brand">
        <span class="mark" aria-hidden="true" />
        Sayso
      </p>
      <button
        type="button"
        class="row row-inbox"
        classList={{ current: state.view === "inbox" }}
        aria-current={state.view === "inbox" ? "page" : undefined}
        onClick={() => {
          setState("view", "inbox");
          props.onClose();
        }}
      >
        Inbox
        <Show when={state.inbox.length > 0}>
          <span class="count">
            {state.inbox.length}
            <span class="sr"> waiting</span>
          </span>
        </Show>
      </button>
      <h2>Sessions</h2>
      <ul class="sessions">
        <For each={state.sessions} fallback={<li class="empty">Nothing here yet.</li>}>
          {(session) => (
            <li>
              <SessionRow session={session} onOpened={() => props.onClose()} />
            </li>
          )}
        </For>
      </ul>
      <button type="button" class="row new" onClick={newSession}>
        <span aria-hidden="true">+</span> New session
      </button>
      <span class="fill" />
      <PageRow view="help" name="Help" open={() => openHelp()} onOpened={() => props.onClose()} />
      <PageRow view="settings" name="Settings" open={openSettings} onOpened={() => props.onClose()} />
    </nav>
  );
}

function PageRow(props: { view: State["view"]; name: string; open: () => void; onOpened: () => void }) {
  const current = () => state.view === props.view;
  return (
    <button
      type="button"
      class="row"
      classList={{ current: current() }}
      aria-current={current() ? "page" : undefined}
      onClick={() => {
        props.open();
        props.onOpened();
      }}
    >
      {props.name}
    </button>
  );
}

function SessionRow(props: { session: SessionInfo; onOpened: () => void }) {
  const id = () => props.session.session_id;
  const current = () => state.view === "session" && state.current === id();
  const doing = () => state.states[id()] ?? { type: "idle" as const };
  const waits = () => props.session.waiting > 0 || doing().type === "waiting_for_user_input";
  const words = () => (waits() ? "Waiting for you" : activity(doing()) || day(props.session.updated_at));
  return (
    <button
      type="button"
      class="row"
      classList={{ current: current() }}
      aria-current={current() ? "page" : undefined}
      data-testid="session"
      data-session={id()}
      onClick={() => {
        if (!current()) void openSession(id());
        props.onOpened();
      }}
    >
      <b dir="auto">{titleOf(props.session)}</b>
      <small classList={{ "is-waiting": waits(), "is-busy": !waits() && doing().type !== "idle" }}>
        <i aria-hidden="true" />
        <span>
          {words()} · <bdi>{folderName(props.session.workspace)}</bdi>
        </span>
      </small>
    </button>
  );
}
