/** One question: what is asked, why, what can be chosen, and a note. */
import { createEffect, createSignal, createUniqueId, on, Show } from "solid-js";
import { focusSoon } from "../focus";
import { shapeOf } from "./answer";
import type { Form } from "./form";
import { Options } from "./Options";
import { QuestionText } from "./QuestionText";

export function QuestionBody(props: { form: Form; strict: boolean; onShowWhere?: () => void }) {
  const id = createUniqueId();
  const question = () => props.form.question();
  const field = () => props.form.field();
  const position = () => `Question ${props.form.state.index + 1} of ${props.form.questions.length}`;
  const [noteOpen, setNoteOpen] = createSignal(false);
  createEffect(on(question, () => setNoteOpen(field().note !== "")));

  return (
    <>
      <p class="step">
        <span id={`${id}-step`}>
          <span class="chip tag" dir="auto">{question().header}</span>
          <Show when={props.form.several}> {position()}</Show>
        </span>
        <Show when={question().irreversible}>
          <span class="chip danger">Can't be undone</span>
        </Show>
      </p>
      <h2 tabindex="-1" dir="auto" data-heading aria-labelledby={`${id}-step question-title`}>
        <span id="question-title">
          <QuestionText text={question().question} />
        </span>
      </h2>
      <Show when={question().why || props.onShowWhere}>
        <p class="because">
          <Show when={question().why}>
            <b>Because</b> <bdi>{question().why}</bdi>{" "}
          </Show>
          <Show when={props.onShowWhere}>
            <button type="button" class="link" onClick={() => props.onShowWhere?.()}>
              Show where
            </button>
          </Show>
        </p>
      </Show>
      <Show when={props.form.state.invalid}>
        <p class="invalid" id={`${id}-invalid`} data-testid="question-invalid">
          <span aria-hidden="true">!</span> {props.form.state.invalid}
        </p>
      </Show>
      <Show
        when={shapeOf(question()) === "text"}
        fallback={
          // Keyed by its question: a filter or a group of radios must not pass on to the next one.
          <Show when={question()} keyed>
            <Options form={props.form} strict={props.strict} invalidId={`${id}-invalid`} />
          </Show>
        }
      >
        <textarea
          class="field-text"
          data-answer-text
          rows="4"
          aria-labelledby="question-title"
          aria-describedby={props.form.state.invalid ? `${id}-invalid` : undefined}
          placeholder="Write your answer"
          dir="auto"
          value={field().text}
          readOnly={props.form.state.status === "sending"}
          onInput={(event) => props.form.change({ text: event.currentTarget.value, touched: true, skipped: false })}
        />
      </Show>
      <Show
        when={noteOpen()}
        fallback={
          <button type="button" class="link note-open" data-note-open onClick={(event) => openNote(event.currentTarget)}>
            + Note
          </button>
        }
      >
        <label class="note">
          <span>Note</span>
          <textarea
            class="field-text"
            data-note
            rows="2"
            placeholder="What the agent should know beside the answer"
            dir="auto"
            value={field().note}
            readOnly={props.form.state.status === "sending"}
            onInput={(event) => props.form.change({ note: event.currentTarget.value })}
          />
        </label>
      </Show>
    </>
  );

  function openNote(button: Element) {
    const panel = button.closest("[data-testid=question-panel]");
    setNoteOpen(true);
    focusSoon(() => panel?.querySelector<HTMLElement>("[data-note]"));
  }
}
