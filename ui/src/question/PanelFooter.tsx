/** The exits of the panel, each under its own name. */
import { For, Match, Show, Switch } from "solid-js";
import type { QuestionOption } from "../backend";
import { shapeOf } from "./answer";
import type { Form } from "./form";

/** The letter that takes a permission's option, and that its button shows. */
export const PERMISSION_KEYS: Record<string, string> = { once: "Y", session: "A", project: "W", reject: "N" };

export interface Exits {
  advance: () => void;
  back: () => void;
  skip: () => void;
  permit: (value: string) => void;
  retry: () => void;
  sendAsMessage: () => void;
  cancel: () => void;
  stop: () => void;
}

export function PanelFooter(props: { form: Form; exits: Exits; canStop: boolean }) {
  const form = () => props.form;
  const sending = () => form().state.status === "sending";
  const permission = () => shapeOf(form().question()) === "permission";
  const last = () => !form().several || form().state.review;
  const canGoBack = () => form().several && (form().state.review || form().state.index > 0);

  return (
    <>
      <Show when={form().state.status === "failed"}>
        <div class="failure" role="group" aria-label="Not delivered" data-testid="question-failure">
          <p>
            <b>Your answer was not delivered:</b> <bdi>{form().state.failure}</bdi>
          </p>
          <div class="acts">
            <button type="button" class="quiet small" data-retry onClick={() => props.exits.retry()}>
              Try again
            </button>
            <button type="button" class="quiet small" onClick={() => props.exits.sendAsMessage()}>
              Send as a message
            </button>
          </div>
        </div>
      </Show>
      <footer>
        <Switch>
          <Match when={permission() && form().state.rejecting}>
            <button type="button" class="quiet" disabled={sending()} onClick={() => props.exits.back()}>
              Back
            </button>
            <span class="fill" />
            <button type="button" class="primary" disabled={sending()} onClick={() => props.exits.permit("reject")}>
              {sending() ? "Sending…" : "Reject"} <kbd aria-hidden="true">⏎</kbd>
            </button>
          </Match>
          <Match when={permission()}>
            <For each={form().question().options}>
              {(option) => (
                <PermissionButton option={option} sending={sending()} onPress={(value) => props.exits.permit(value)} />
              )}
            </For>
          </Match>
          <Match when={true}>
            <Show when={!form().state.review && !form().question().required}>
              <button type="button" class="quiet" data-skip disabled={sending()} onClick={() => props.exits.skip()}>
                Skip
              </button>
            </Show>
            <span class="fill" />
            <Show when={canGoBack()}>
              <button type="button" class="quiet" disabled={sending()} onClick={() => props.exits.back()}>
                Back
              </button>
            </Show>
            <button type="button" class="primary" disabled={sending()} onClick={() => props.exits.advance()}>
              {sending() ? "Sending…" : last() ? "Submit" : "Next"} <kbd aria-hidden="true">⏎</kbd>
            </button>
          </Match>
        </Switch>
      </footer>
      <Show
        when={form().state.stopping}
        fallback={
          <Show when={props.canStop}>
            <button type="button" class="cancel" disabled={sending()} onClick={() => props.exits.cancel()}>
              Cancel and stop the agent
            </button>
          </Show>
        }
      >
        <div class="stopping" role="group" aria-label="Stop the agent?">
          <p>
            <b>Stop the agent?</b> What you typed moves to the message box.
          </p>
          <div class="acts">
            <button type="button" class="quiet small" data-keep onClick={() => form().set("stopping", false)}>
              Keep answering
            </button>
            <button type="button" class="quiet small danger" onClick={() => props.exits.stop()}>
              Stop the agent
            </button>
          </div>
        </div>
      </Show>
    </>
  );
}

function PermissionButton(props: { option: QuestionOption; sending: boolean; onPress: (value: string) => void }) {
  const value = () => props.option.value ?? props.option.label;
  const label = () => (value() === "reject" ? `${props.option.label.replace(/…$/, "")}…` : props.option.label);
  return (
    <button
      type="button"
      class={value() === "once" ? "primary" : "quiet"}
      disabled={props.sending}
      data-value={value()}
      aria-keyshortcuts={PERMISSION_KEYS[value()]}
      onClick={() => props.onPress(value())}
    >
      {label()}{" "}
      <Show when={PERMISSION_KEYS[value()]}>{(key) => <kbd aria-hidden="true">{key()}</kbd>}</Show>
    </button>
  );
}
