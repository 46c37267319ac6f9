/** A call that waits for a yes: what it is, and exactly what it would do. */
import { createUniqueId, Show } from "solid-js";
import type { Subject } from "../backend";
import { Diff, Exact } from "../text/Exact";
import { parseUnified } from "../text/diff";
import type { Form } from "./form";
import { QuestionText } from "./QuestionText";

export function permissionTitle(subject: Subject): string {
  if (subject.command != null) return "Run a command";
  return subject.path != null ? `Edit ${subject.path}` : `Use ${subject.tool}`;
}

export function PermissionBody(props: { form: Form; subject: Subject }) {
  const id = createUniqueId();
  const field = () => props.form.field();
  const titled = () => props.subject.command != null || props.subject.path != null;
  return (
    <>
      <p class="step">
        <span class="chip tag" id={`${id}-step`}>Permission</span>
      </p>
      <h2 tabindex="-1" data-heading aria-labelledby={`${id}-step question-title`}>
        <span id="question-title" dir="auto">
          <Show when={props.subject.command == null && props.subject.path} fallback={permissionTitle(props.subject)}>
            {(path) => <>Edit <code><Exact text={path()} /></code></>}
          </Show>
        </span>
      </h2>
      <Show when={!titled()}>
        <p class="because" dir="auto">
          <QuestionText text={props.form.question().question} />
        </p>
      </Show>
      <Show when={props.form.question().why}>
        <p class="because">
          <b>Because</b> <bdi>{props.form.question().why}</bdi>
        </p>
      </Show>
      <Show when={props.subject.command}>
        {(command) => <pre class="exact command" dir="ltr" data-testid="command"><Exact text={command()} /></pre>}
      </Show>
      <Show when={props.subject.diff}>{(diff) => <Diff lines={parseUnified(diff())} />}</Show>
      <Show when={props.form.state.rejecting}>
        <label class="note">
          <span>Tell the agent why (optional)</span>
          <textarea
            class="field-text"
            data-note
            rows="2"
            dir="auto"
            placeholder="What should it do instead?"
            value={field().note}
            readOnly={props.form.state.status === "sending"}
            onInput={(event) => props.form.change({ note: event.currentTarget.value })}
          />
        </label>
      </Show>
    </>
  );
}
