/**
 * The question panel. It is docked beside the conversation, which stays readable; only a question about
 * something irreversible stands in front of it. Keys count only while the focus is inside. It sends once,
 * never by accident, and hides only after the answer has arrived.
 */
import { createEffect, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { announce, announceNow } from "../announce";
import { sentence } from "../backend";
import { age } from "../clock";
import { focusSoon } from "../focus";
import type { Saver } from "../saver";
import { belongsToInputMethod } from "../typing";
import { choicesOf, shapeOf } from "./answer";
import type { Form, Payload } from "./form";
import { createGuard } from "./guard";
import { type Action, actionOf, decides, isTextField } from "./keys";
import { focusOther } from "./Options";
import { type Exits, PanelFooter, PERMISSION_KEYS } from "./PanelFooter";
import { PermissionBody } from "./PermissionBody";
import { QuestionBody } from "./QuestionBody";
import { ReviewBody } from "./ReviewBody";

const TYPE_AHEAD_ABOVE = 7;

export interface QuestionModalProps {
  form: Form;
  saver: Saver;
  /** The model's name, as the person knows it. */
  asker: string;
  /** Own words are switched off. */
  strict: boolean;
  /** Its agent runs here. */
  canStop: boolean;
  /** Resolves once the answer is stored; rejects with a sentence. */
  onSend: (payload: Payload) => Promise<void>;
  onSendAsMessage: (text: string) => Promise<void>;
  onCollapse: () => void;
  onStop: () => void;
  /** Scrolls the conversation to what the question is about, where there is such a thing. */
  onShowWhere?: () => void;
}

export function QuestionModal(props: QuestionModalProps) {
  let panel!: HTMLElement;
  let body!: HTMLDivElement;
  // eslint-disable-next-line solid/reactivity -- a panel belongs to one request for all its life
  const { form, saver } = props;
  const guard = createGuard();
  const inFront = () => form.state.inFront;
  const subject = () => form.question().subject;

  const find = (css: string) => panel.querySelector<HTMLElement>(css);
  const options = () => [...panel.querySelectorAll<HTMLInputElement>("[data-option]")];

  function focusHeading() {
    guard.arm();
    body.scrollTop = 0;
    find("[data-heading]")?.focus({ preventScroll: true });
  }
  onMount(() => {
    const arm = () => guard.arm();
    window.addEventListener("focus", arm);
    onCleanup(() => window.removeEventListener("focus", arm));
  });
  onCleanup(() => void saver.flush());
  createEffect(on(() => [form.state.index, form.state.review], focusHeading));
  createEffect(() => !form.state.review && form.seen());
  createEffect(on(() => JSON.stringify(form.draft()), () => saver.touch(), { defer: true }));
  createEffect(
    on(
      () => (shapeOf(form.question()) === "multi" ? form.field().selected.length : -1),
      (count, before) => count >= 0 && before !== undefined && before >= 0 && announce(`${count} selected`),
    ),
  );

  async function send() {
    if (form.state.status === "sending") return;
    form.set({ status: "sending", failure: "", invalid: "" });
    try {
      await props.onSend(form.payload());
    } catch (error) {
      fail(error);
    }
  }
  function fail(error: unknown) {
    form.set({ status: "failed", failure: sentence(error) });
    announceNow(`Your answer was not delivered: ${sentence(error)}`);
    find("[data-retry]")?.focus();
  }

  function dock() {
    form.set("inFront", false);
    focusHeading();
  }
  function showWhere() {
    form.set("inFront", false);
    props.onShowWhere?.();
  }

  function complain(index: number, several: boolean) {
    if (form.state.index !== index || form.state.review) form.go(index);
    const q = form.question();
    const skip = q.required ? "" : ", or skip";
    const ways = { text: "Write an answer", multi: "Choose at least one", single: "Choose one" };
    const shape = shapeOf(q);
    const invalid = form.field().other ? `Write your own words${skip}.` : `${ways[shape as "single"] ?? "Choose one"}${skip}.`;
    form.set("invalid", invalid);
    const missing = form.missing().length;
    const count = missing === 1 ? "1 problem" : `${missing} problems`;
    announceNow(several ? `${count}. Question ${index + 1} needs an answer.` : invalid);
    focusSoon(() => find("[data-answer-text]") ?? find("[data-other-text]") ?? options()[0]);
  }

  function submitAll() {
    const missing = form.questions.findIndex((q) => !form.answered(q));
    if (missing < 0) void send();
    else if (!form.questions[missing]?.irreversible) complain(missing, form.several);
  }
  const exits: Exits = {
    advance() {
      if (form.state.review || !form.several) submitAll();
      else if (form.answered(form.question())) form.next();
      else complain(form.state.index, false);
    },
    back() {
      if (form.state.rejecting) {
        form.set("rejecting", false);
        focusHeading();
      } else if (form.state.review) form.go(form.questions.length - 1);
      else form.go(form.state.index - 1);
    },
    skip() {
      if (form.question().required || form.state.review) return;
      form.skip();
      if (form.several) form.next();
      else void send();
    },
    permit(value) {
      if (value === "reject" && !form.state.rejecting) {
        form.set("rejecting", true);
        focusSoon(() => find("[data-note]"));
        return;
      }
      // A reason begun for a rejection does not belong to a permission.
      if (value !== "reject") form.change({ note: "" });
      form.select(value);
      void send();
    },
    retry: () => void send(),
    sendAsMessage: () => void props.onSendAsMessage(form.asMessage()).catch(fail),
    cancel() {
      if (!form.hasDraft() || !props.canStop) return props.onStop();
      form.set("stopping", true);
      focusSoon(() => find("[data-keep]"));
    },
    stop: () => props.onStop(),
  };

  function pick(input: HTMLInputElement | undefined) {
    if (!input || input.disabled) return;
    input.focus();
    if (!("other" in input.dataset)) return form.select(input.value);
    form.selectOther();
    if (form.field().other) focusOther(input);
  }
  function moveTo(input: HTMLInputElement | undefined) {
    input?.focus();
    if (input?.type !== "radio" || input.checked) return;
    if ("other" in input.dataset) form.selectOther();
    else form.select(input.value);
  }
  function move(by: 1 | -1) {
    const all = options();
    const focused = all.findIndex((input) => input === document.activeElement);
    const at = focused >= 0 ? focused : all.findIndex((input) => input.checked);
    moveTo(all[at < 0 && by < 0 ? all.length - 1 : (at + by + all.length) % all.length]);
  }
  function backToOptions() {
    (options().find((input) => input.checked) ?? find("[data-heading]"))?.focus();
  }

  let ahead = { letters: "", at: -Infinity };
  function typeAhead(letter: string, at: number) {
    ahead = { letters: at - ahead.at < 700 ? ahead.letters + letter : letter, at };
    const fits = (i: HTMLInputElement) => (i.dataset["label"] ?? "").toLocaleLowerCase().startsWith(ahead.letters);
    moveTo(options().find(fits));
  }
  function onLetter(letter: string, at: number) {
    const q = form.question();
    const shape = shapeOf(q);
    if (form.state.review) return false;
    if (shape === "permission") {
      const value = Object.keys(PERMISSION_KEYS).find((key) => PERMISSION_KEYS[key]?.toLowerCase() === letter);
      if (value && q.options?.some((o) => o.value === value)) exits.permit(value);
      return true;
    }
    if (shape === "text") {
      // Someone who begins to write means the answer, not a shortcut.
      find("[data-answer-text]")?.focus();
      return false;
    }
    if (shape === "confirm" && (letter === "y" || letter === "n")) {
      pick(options().find((input) => input.value === String(letter === "y")));
    } else if (choicesOf(q).length > TYPE_AHEAD_ABOVE) typeAhead(letter, at);
    else if (letter === "o") pick(options().find((input) => "other" in input.dataset));
    else if (letter === "m") (find("[data-note]") ?? find("[data-note-open]"))?.[find("[data-note]") ? "focus" : "click"]();
    // A letter sends nothing: on a lone question it only leads to the button, as a digit only arms *Submit*.
    else if (letter === "s" && form.several) exits.skip();
    else if (letter === "s") find("[data-skip]")?.focus();
    return true;
  }

  function onEnter(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    if (target.closest("button")) return false;
    if (event.repeat) return true;
    if (target.matches("[data-note]")) {
      if (form.state.rejecting) exits.permit("reject");
      else backToOptions();
    } else if (target.matches(".filter")) moveTo(options()[0]);
    else if (target.matches("[data-other]") && form.field().other && form.field().text.trim() === "") focusOther(target);
    else if (shapeOf(form.question()) !== "permission") {
      if (target instanceof HTMLInputElement && target.type === "radio") moveTo(target);
      if (!form.question().irreversible || form.answered(form.question())) exits.advance();
    }
    return true;
  }

  /** Does what the key means; false leaves it to the browser. */
  function act(action: Action, event: KeyboardEvent): boolean {
    switch (action.do) {
      case "submit-all":
        if (!event.repeat && shapeOf(form.question()) !== "permission") submitAll();
        return true;
      case "undo":
        form.undo();
        return true;
      case "question":
        if (form.several) form.go(form.state.index + action.by);
        return true;
      case "collapse":
        if (isTextField(event.target) && !event.target.matches("[data-answer-text]")) backToOptions();
        else props.onCollapse();
        return true;
      case "enter":
        return onEnter(event);
      case "move":
      case "first":
      case "last":
        if (options().length === 0) return false;
        if (action.do === "move") move(action.by);
        else moveTo(options().at(action.do === "first" ? 0 : -1));
        return true;
      case "pick":
        if (shapeOf(form.question()) === "text") find("[data-answer-text]")?.focus();
        if (["single", "multi"].includes(shapeOf(form.question()))) pick(options()[action.index]);
        return false;
      case "letter":
        return onLetter(action.letter, event.timeStamp);
    }
  }

  function onKeyDown(event: KeyboardEvent) {
    if (belongsToInputMethod(event)) return;
    const chord = event.ctrlKey || event.metaKey;
    if (chord && event.key === ".") {
      event.preventDefault();
      event.stopPropagation();
      if (form.state.status !== "sending") exits.cancel();
      return;
    }
    if (guard.active() && decides(event) && (!chord || event.key === "Enter") && !isTextField(event.target)) {
      event.preventDefault();
      return;
    }
    const action = actionOf(event, document.dir === "rtl");
    if (action && act(action, event)) event.preventDefault();
  }

  return (
    <>
      <Show when={inFront()}>
        <div class="scrim" />
      </Show>
      <section
        ref={panel}
        class="panel"
        classList={{ front: inFront() }}
        role={inFront() ? "alertdialog" : "dialog"}
        aria-modal={inFront()}
        aria-labelledby="question-title"
        aria-busy={form.state.status === "sending"}
        data-testid="question-panel"
        data-request={form.request.request_id}
        data-guarded={guard.active()}
        on:keydown={onKeyDown}
        onFocusIn={(event) => {
          const came = !panel.contains(event.relatedTarget as Node | null);
          if (came && event.target.matches("[data-heading]")) guard.arm();
        }}
        onFocusOut={(event) => {
          if (!panel.contains(event.relatedTarget as Node | null)) void saver.flush();
        }}
      >
        <header>
          <span class="source">
            <bdi>{props.asker}</bdi> asks · {age(form.request.opened_at)}
          </span>
          <Show when={inFront()}>
            <button type="button" class="link" onClick={dock}>
              Read the conversation
            </button>
          </Show>
          <button type="button" class="ghost" aria-label="Later (Esc)" title="Later (Esc)" onClick={() => props.onCollapse()}>
            <Chevron />
          </button>
        </header>
        <div class="body" ref={body}>
          <Switch fallback={<QuestionBody form={form} strict={props.strict} onShowWhere={props.onShowWhere && showWhere} />}>
            <Match when={form.state.review}>
              <ReviewBody form={form} />
            </Match>
            <Match when={subject()}>{(about) => <PermissionBody form={form} subject={about()} />}</Match>
          </Switch>
        </div>
        <PanelFooter form={form} exits={exits} canStop={props.canStop} />
      </section>
    </>
  );
}

function Chevron() {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d="M3.5 6 8 10.5 12.5 6" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
