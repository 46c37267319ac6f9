/** The rows of a question: native radios or checkboxes, each row a whole target. */
import { createMemo, createSignal, createUniqueId, For, Show } from "solid-js";
import { focusSoon } from "../focus";
import { allowsOther, type Choice, choicesOf, shapeOf } from "./answer";
import type { Form } from "./form";

const FILTER_ABOVE = 7;
const NUMBERED = 9;

export function Options(props: { form: Form; strict: boolean; invalidId: string }) {
  const id = createUniqueId();
  const question = () => props.form.question();
  const field = () => props.form.field();
  const shape = () => shapeOf(question());
  const multi = () => shape() === "multi";
  const choices = createMemo(() => choicesOf(question()));
  const [filter, setFilter] = createSignal("");
  const shown = createMemo(() => {
    const wanted = filter().trim().toLocaleLowerCase();
    return choices().filter((c) => `${c.label} ${c.description}`.toLocaleLowerCase().includes(wanted));
  });
  const busy = () => props.form.state.status === "sending";
  const other = () => allowsOther(question(), props.strict);
  const badge = (index: number, choice?: Choice) => {
    if (shape() === "confirm") return { true: "Y", false: "N" }[choice?.value ?? ""] ?? "";
    return index < NUMBERED ? String(index + 1) : "";
  };
  const preview = () => choices().find((c) => c.preview !== "" && field().selected.includes(c.value));
  const chosen = () => field().selected.length + (field().other ? 1 : 0);

  return (
    <fieldset class="options" aria-describedby={props.form.state.invalid ? props.invalidId : undefined}>
      <legend classList={{ sr: !multi() }}>
        <Show when={multi()} fallback="Choose one">
          Choose any number <span class="count-of">· {chosen()} selected</span>
        </Show>
      </legend>
      <Show when={choices().length > FILTER_ABOVE}>
        <input
          class="filter"
          type="search"
          placeholder={`Filter ${choices().length} options`}
          aria-label="Filter the options"
          dir="auto"
          value={filter()}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </Show>
      <For each={shown()} fallback={<p class="empty">No option matches.</p>}>
        {(choice, index) => {
          const row = `${id}-${choices().indexOf(choice)}`;
          const on = () => field().selected.includes(choice.value);
          return (
            <label class="option" classList={{ on: on(), plain: badge(index(), choice) === "" }}>
              <input
                type={multi() ? "checkbox" : "radio"}
                name={id}
                value={choice.value}
                checked={on()}
                disabled={busy()}
                data-option
                data-label={choice.label}
                aria-labelledby={`${row}-label`}
                aria-describedby={choice.description ? `${row}-about` : undefined}
                onChange={(event) => {
                  props.form.select(choice.value);
                  event.currentTarget.checked = on();
                }}
              />
              <Show when={badge(index(), choice)}>{(text) => <kbd aria-hidden="true">{text()}</kbd>}</Show>
              <span class="option-text">
                <span id={`${row}-label`}>
                  <b dir="auto">{choice.label}</b>
                  <Show when={choice.suggested}> <em class="tag">Suggested</em></Show>
                  <Show when={choice.recommended}> <em class="tag recommended">Recommended</em></Show>
                </span>
                <Show when={choice.description}>
                  <small id={`${row}-about`} dir="auto">{choice.description}</small>
                </Show>
              </span>
            </label>
          );
        }}
      </For>
      <Show when={other()}>
        <div class="option-other" classList={{ on: field().other }}>
          <label class="option" classList={{ on: field().other, plain: badge(shown().length) === "" }}>
            <input
              type={multi() ? "checkbox" : "radio"}
              name={id}
              value=""
              checked={field().other}
              disabled={busy()}
              data-option
              data-other
              aria-labelledby={`${id}-other`}
              onChange={(event) => {
                props.form.selectOther();
                event.currentTarget.checked = field().other;
              }}
              onClick={(event) => {
                // A click wants to write; arrow keys only pass through, and fire clicks without a position.
                if (event.detail > 0 && field().other) focusOther(event.currentTarget);
              }}
            />
            <Show when={badge(shown().length)}>{(text) => <kbd aria-hidden="true">{text()}</kbd>}</Show>
            <span class="option-text">
              <b id={`${id}-other`}>Other…</b>
              <small>In your own words.</small>
            </span>
          </label>
          <Show when={field().other}>
            <textarea
              class="field-text"
              data-other-text
              rows="2"
              aria-label="Your own words"
              placeholder="Write your answer"
              dir="auto"
              value={field().text}
              readOnly={busy()}
              onInput={(event) => props.form.change({ text: event.currentTarget.value, touched: true, skipped: false })}
            />
          </Show>
        </div>
      </Show>
      <Show when={preview()}>
        {(choice) => (
          <figure class="preview">
            <figcaption>
              Preview: <bdi>{choice().label}</bdi>
            </figcaption>
            <pre class="exact" tabindex="0" dir="auto">{choice().preview}</pre>
          </figure>
        )}
      </Show>
    </fieldset>
  );
}

/** The field appears with the choice, so it is there only a moment later. */
export function focusOther(near: Element) {
  focusSoon(() => near.closest("fieldset")?.querySelector<HTMLElement>("[data-other-text]"));
}
