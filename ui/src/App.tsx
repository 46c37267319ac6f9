/** The window: the side list, the conversation, and beside it the question that waits. */
import { createEffect, createSignal, Match, onCleanup, onMount, Show, Switch, untrack } from "solid-js";
import { answer, sendInstead, showPanel, stop, togglePanel } from "./actions";
import { assertive, polite } from "./announce";
import { Chat, ChatHeader } from "./chat/Chat";
import { openFind } from "./chat/find";
import { keepFocus } from "./focus";
import { HelpPage } from "./help/HelpPage";
import { openHelp } from "./help/topics";
import { modelName } from "./names";
import { leavePage, openSettings } from "./pages";
import { QuestionModal } from "./question/QuestionModal";
import { Inbox } from "./rail/Inbox";
import { Rail } from "./rail/Rail";
import { SettingsPage } from "./settings/SettingsPage";
import { windowShortcut } from "./shortcuts";
import { flushDrafts, formFor, isStrict, shownRequest, start, state } from "./store";
import { belongsToInputMethod } from "./typing";
import { Welcome } from "./Welcome";

export function App() {
  let app!: HTMLDivElement;
  const [drawer, setDrawer] = createSignal(false);
  const waiting = () => state.inbox.length;

  onMount(() => {
    const save = () => void flushDrafts();
    window.addEventListener("keydown", onKey);
    window.addEventListener("pagehide", save);
    onCleanup(keepFocus(app));
    onCleanup(() => {
      window.removeEventListener("keydown", onKey);
      window.removeEventListener("pagehide", save);
    });
    void start().finally(() => {
      document.documentElement.dataset["ready"] = "1";
      performance.mark("usable");
    });
  });
  createEffect(() => (document.title = waiting() > 0 ? `(${waiting()}) Sayso` : "Sayso"));

  function onKey(event: KeyboardEvent) {
    if (belongsToInputMethod(event)) return;
    if (event.key === "Escape" && !event.defaultPrevented) {
      if (drawer()) setDrawer(false);
      else leavePage();
    }
    switch (windowShortcut(event)) {
      case "question":
        if (!state.panel) return;
        togglePanel();
        break;
      case "stop":
        if (!state.conversation || state.conversation.state.type === "idle") return;
        void stop();
        break;
      case "find":
        if (state.view !== "session" || !state.conversation) return;
        openFind();
        break;
      case "settings":
        openSettings();
        break;
      case "help":
        openHelp();
        break;
      case undefined:
        return;
    }
    event.preventDefault();
  }

  /** The question on screen, by id: a new one gets a new panel. */
  const panel = () => (state.view === "session" && state.panel?.open ? state.panel.requestId : undefined);
  const inFront = () => {
    const request = panel() !== undefined ? shownRequest() : undefined;
    return request !== undefined && formFor(request).form.state.inFront;
  };

  return (
    <div ref={app} class="app" classList={{ "with-panel": panel() !== undefined && !inFront() }}>
      <Rail open={drawer()} inert={inFront()} onClose={() => setDrawer(false)} />
      <Show when={drawer()}>
        <div class="drawer-scrim" onClick={() => setDrawer(false)} />
      </Show>
      <main class="chat" inert={inFront()}>
        <header class="bar" classList={{ bare: state.current === null && state.view === "session" }}>
          <button
            type="button"
            class="ghost menu"
            aria-label={waiting() > 0 ? `Sessions, ${waiting()} waiting` : "Sessions"}
            aria-expanded={drawer()}
            aria-controls="rail"
            onClick={() => setDrawer(!drawer())}
          >
            <svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true">
              <path d="M2 4h12M2 8h12M2 12h12" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
            </svg>
            <Show when={waiting() > 0}>
              <span class="count">{waiting()}</span>
            </Show>
          </button>
          <ChatHeader />
        </header>
        <Switch>
          <Match when={state.view === "inbox"}>
            <Inbox />
          </Match>
          <Match when={state.view === "settings"}>
            <SettingsPage />
          </Match>
          <Match when={state.view === "help"}>
            <HelpPage />
          </Match>
          <Match when={state.current}>
            <Chat />
          </Match>
          <Match when={state.ready}>
            <Welcome />
          </Match>
        </Switch>
      </main>
      <Show when={panel()} keyed>
        {(id) => <Panel id={id} />}
      </Show>
      <div class="sr" role="status" aria-live="polite">{polite()}</div>
      <div class="sr" role="alert" aria-live="assertive">{assertive()}</div>
    </div>
  );
}

function Panel(props: { id: string }) {
  const request = () => state.conversation?.requests.find((r) => r.request_id === props.id);
  const said = () => state.conversation?.items.some((i) => i.kind === "agent") === true;
  return (
    // Found once: what is typed into a panel must not hang on the list of requests being taken anew.
    <Show when={untrack(request)} keyed>
      {(found) => {
        const { form, saver } = formFor(found);
        return (
          <QuestionModal
            form={form}
            saver={saver}
            asker={modelName(state.conversation?.session.model ?? "")}
            strict={isStrict(request())}
            onSend={(payload) => answer(found, payload)}
            onSendAsMessage={(text) => sendInstead(text)}
            onCollapse={() => showPanel(false)}
            canStop={state.conversation?.elsewhere !== true}
            onStop={() => void stop()}
            onShowWhere={said() ? showWhere : undefined}
          />
        );
      }}
    </Show>
  );
}

/** Leads the eye to what the agent said last before it asked. */
function showWhere() {
  const said = [...document.querySelectorAll("[data-testid=agent-message]")].at(-1);
  said?.scrollIntoView({ block: "center" });
  said?.classList.add("pointed-at");
  said?.addEventListener("animationend", () => said.classList.remove("pointed-at"), { once: true });
}
