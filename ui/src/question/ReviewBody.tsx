/** All answers of a request before they are sent, each with a way back to it. */
import { createSignal, For, Show, untrack } from "solid-js";
import { answerShown } from "./answer";
import type { Form } from "./form";
import { QuestionText } from "./QuestionText";

export function ReviewBody(props: { form: Form }) {
  const [commentOpen, setCommentOpen] = createSignal(untrack(() => props.form.state.comment !== ""));
  return (
    <>
      <p class="step">
        <span class="chip tag">Review</span> {props.form.questions.length} answers
      </p>
      <h2 tabindex="-1" data-heading id="question-title">Check your answers</h2>
      <Show when={props.form.state.invalid}>
        <p class="invalid" data-testid="question-invalid">
          <span aria-hidden="true">!</span> {props.form.state.invalid}
        </p>
      </Show>
      <dl class="review">
        <For each={props.form.questions}>
          {(q, index) => {
            const field = () => props.form.field(q);
            return (
              <div>
                <dt dir="auto">
                  <QuestionText text={q.question} />
                </dt>
                <dd>
                  <Show when={props.form.answered(q)} fallback={<span class="missing">No answer yet</span>}>
                    <Show when={!field().skipped} fallback={<span class="skipped">Skipped</span>}>
                      <b dir="auto">{answerShown(q, field())}</b>
                      <Show when={!field().touched}> <em class="tag">Suggested</em></Show>
                    </Show>
                  </Show>
                  <Show when={field().note}>
                    <small dir="auto">{field().note}</small>
                  </Show>
                </dd>
                <dd class="change">
                  <button type="button" class="link" aria-label={`Change: ${q.header}`} onClick={() => props.form.go(index())}>
                    Change
                  </button>
                </dd>
              </div>
            );
          }}
        </For>
      </dl>
      <Show
        when={commentOpen()}
        fallback={
          <button type="button" class="link note-open" onClick={() => setCommentOpen(true)}>
            + Comment on all of it
          </button>
        }
      >
        <label class="note">
          <span>Comment</span>
          <textarea
            class="field-text"
            data-note
            rows="2"
            dir="auto"
            value={props.form.state.comment}
            readOnly={props.form.state.status === "sending"}
            onInput={(event) => props.form.set("comment", event.currentTarget.value)}
          />
        </label>
      </Show>
    </>
  );
}
