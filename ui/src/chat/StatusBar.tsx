/**
 * What the agent is doing, above the composer, always with a way to stop it. While a person must act it is
 * the only amber thing; while the question's panel is put away it stands for the question.
 */
import { Show } from "solid-js";
import { showPanel, stop, togglePanel } from "../actions";
import { age, createCountdown } from "../clock";
import { activity } from "../names";
import { permissionTitle } from "../question/PermissionBody";
import { QuestionText } from "../question/QuestionText";
import { formFor, shownRequest, state } from "../store";

export function StatusBar() {
  const conversation = () => state.conversation;
  const doing = () => conversation()?.state ?? { type: "idle" as const };
  const untilRetry = createCountdown(() => {
    const state = doing();
    return state.type === "retrying" ? state.in_ms : undefined;
  });
  const working = () => activity(doing(), untilRetry());
  return (
    <Show
      when={shownRequest()}
      fallback={
        <Show when={working() !== "" && working()}>
          {(doing) => (
            <div class="status" data-testid="status-bar">
              <i class="busy" aria-hidden="true" />
              <span>{doing()}…</span>
              <StopButton />
            </div>
          )}
        </Show>
      }
    >
      {(request) => {
        const form = () => formFor(request()).form;
        const question = () => form().question();
        const permission = () => question().subject;
        const place = () => (form().several ? `${form().state.index + 1} of ${form().questions.length}` : "");
        const about = () => {
          const subject = permission();
          return subject ? permissionTitle(subject) : question().header;
        };
        const facts = () => [about(), place(), age(request().opened_at)].filter((fact) => fact !== "").join(" · ");
        const words = () => (permission() ? "Waiting for your permission" : "Waiting for your answer");
        return (
          <Show
            when={state.panel?.open}
            fallback={
              <div class="status waiting collapsed" data-testid="question-bar">
                <i aria-hidden="true" />
                <button type="button" class="teaser" onClick={() => showPanel(true)}>
                  <b dir="auto">
                    <Show when={permission()} fallback={<QuestionText text={question().question} />}>
                      {(subject) => permissionTitle(subject())}
                    </Show>
                  </b>
                  <small>
                    <span class="words">{words()} · </span>
                    <bdi>{facts()}</bdi>
                  </small>
                </button>
                <button type="button" class="primary small" onClick={() => showPanel(true)}>
                  Answer
                </button>
                <StopButton />
              </div>
            }
          >
            <div class="status waiting" data-testid="status-bar">
              <i aria-hidden="true" />
              <span>
                <b>{words()}</b> · <bdi>{facts()}</bdi>
              </span>
              <button type="button" class="link" onClick={togglePanel}>
                Answer
              </button>
              <StopButton />
            </div>
          </Show>
        );
      }}
    </Show>
  );
}

/** Only the program that runs a session can stop it. */
function StopButton() {
  return (
    <Show when={!state.conversation?.elsewhere}>
      <button type="button" class="stop" title="Stop the agent (Ctrl/Cmd + .)" onClick={() => void stop()}>
        <span aria-hidden="true">■</span> Stop
      </button>
    </Show>
  );
}
