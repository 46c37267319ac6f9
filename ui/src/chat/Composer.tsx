/**
 * Where the person writes. While a question waits, what is written answers it in words, or is queued for
 * after; text begun before the question came goes nowhere until the person has said which.
 */
import { createEffect, createSignal, on, Show } from "solid-js";
import { send as sendMessage } from "../actions";
import { announce } from "../announce";
import { sentence } from "../backend";
import { keyOf } from "../question/answer";
import { look } from "../settings";
import { caps, matches, sendKeys } from "../shortcuts";
import { composerSaver, formFor, isStrict, sent, setComposer, shownRequest, state } from "../store";
import { belongsToInputMethod, noteStroke } from "../typing";

type Aim = "reply" | "queue" | "undecided";

export function Composer() {
  let field!: HTMLTextAreaElement;
  const [aim, setAim] = createSignal<Aim>("reply");
  const [sending, setSending] = createSignal(false);
  const [failure, setFailure] = createSignal("");

  const busy = () => state.conversation?.state.type !== "idle";
  const elsewhere = () => state.conversation?.elsewhere === true;
  const request = () => shownRequest();
  const permission = () => request()?.questions.some((q) => q.subject) === true;
  /** Strict options leave only the queue. */
  const wordless = () => isStrict(request());
  const replying = () => request() !== undefined && !wordless() && aim() === "reply";
  /** Another program takes no messages from here; what waits can be answered all the same. */
  const mute = () => elsewhere() && !replying();
  const undecided = () => request() !== undefined && !wordless() && aim() === "undecided";

  createEffect(
    on(
      () => request()?.request_id,
      () => setAim(request() && state.composer.trim() !== "" ? "undecided" : "reply"),
    ),
  );
  createEffect(on(() => state.current, () => setFailure("")));
  createEffect(() => {
    if (state.composer === "" && aim() === "undecided") setAim("reply");
  });
  createEffect(
    on(
      () => state.composer,
      () => {
        field.style.height = "auto";
        field.style.height = `${field.scrollHeight}px`;
      },
    ),
  );

  async function submit() {
    const text = state.composer;
    if (text.trim() === "" || sending() || mute()) return;
    if (undecided()) return announce("Choose first: reply to the question, or queue for after.");
    const session = state.current;
    const open = request();
    const key = open && keyOf(formFor(open).form.question());
    setSending(true);
    setFailure("");
    try {
      await sendMessage(text, open && key && replying() ? { request_id: open.request_id, key } : null);
      if (session !== null) sent(session, text);
    } catch (error) {
      if (session === state.current) setFailure(sentence(error));
    } finally {
      setSending(false);
    }
  }

  function onKey(event: KeyboardEvent) {
    if (belongsToInputMethod(event)) return;
    if (matches(keys().send, event) || matches("Mod+Enter", event)) {
      event.preventDefault();
      if (!event.repeat) void submit();
    } else if (matches("ArrowUp", event) || matches("ArrowDown", event)) {
      recall(event);
    }
  }

  /** What was written before, from the last message on; null while the person writes something of their own. */
  let recalled: { text: string; back: number } | null = null;
  /** Leads through earlier messages, as long as none is changed, and leaves moving within their lines alone. */
  function recall(event: KeyboardEvent) {
    if (mute() || (state.composer !== "" && state.composer !== recalled?.text)) return;
    const up = event.key === "ArrowUp";
    const beyond = up ? field.value.slice(0, field.selectionStart) : field.value.slice(field.selectionEnd);
    if (beyond.includes("\n")) return;
    const back = (state.composer === "" ? 0 : (recalled?.back ?? 0)) + (up ? 1 : -1);
    const text = back === 0 ? "" : earlier().at(-back);
    if (back < 0 || text === undefined) return;
    event.preventDefault();
    recalled = { text, back };
    setComposer(text);
    field.setSelectionRange(text.length, text.length);
    announce(text === "" ? "Empty" : text);
  }
  const earlier = () => [
    ...(state.conversation?.items ?? []).flatMap((item) => (item.kind === "user" ? [item.text] : [])),
    ...(state.conversation?.queued ?? []),
  ];

  function decide(next: Aim) {
    setAim(next);
    field.focus();
  }

  const placeholder = () => {
    if (mute()) return "Messages go through the program that runs this session";
    if (replying()) return permission() ? "Reply in words: rejects and says why…" : "Reply in words…";
    if (busy()) return "Write a message for after…";
    return "Write a message…";
  };
  const keys = () => sendKeys[look().send_key];
  const printed = (combination: string) => caps(combination).join(" + ");
  const send = () => printed(keys().send);
  /** To reply to a permission is to refuse it, and is called that. */
  const replyName = () => (permission() ? "Reject with these words" : "Reply in words");
  const draft = () => (state.current !== null && state.composer !== "" ? composerSaver.outcome() : null);
  const unsaved = () => {
    const outcome = draft();
    return outcome !== null && outcome !== "saved" ? outcome.why : undefined;
  };
  const hint = () => {
    if (mute()) return "Another program runs this session. Its questions can be answered here.";
    if (replying()) return permission() ? `${send()} rejects, with these words` : `${send()} replies to the question`;
    return busy() ? `${send()} queues it until the agent is idle` : `${send()} sends, ${printed(keys().line)} makes a new line`;
  };

  return (
    <>
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <textarea
          ref={field}
          rows="1"
          aria-label="Message"
          data-testid="composer"
          dir="auto"
          placeholder={placeholder()}
          readOnly={mute()}
          value={state.composer}
          onInput={(event) => {
            noteStroke();
            setFailure("");
            setComposer(event.currentTarget.value);
          }}
          onKeyDown={onKey}
          onBlur={() => void composerSaver.flush()}
        />
        <button type="submit" class="send" aria-label="Send" disabled={state.composer.trim() === "" || undecided() || mute()}>
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M8 13V3.5M3.8 7.5 8 3.3l4.2 4.2" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
          </svg>
        </button>
      </form>
      <Show when={failure()}>
        <p class="send-failure" data-testid="send-failure">
          <b>Your message was not sent:</b> <bdi>{failure()}</bdi>
        </p>
      </Show>
      <Show when={unsaved()}>
        {(why) => (
          <p class="send-failure">
            <b>Your draft is not saved:</b> <bdi>{why()}</bdi>
          </p>
        )}
      </Show>
      <Show
        when={undecided()}
        fallback={
          <p class="hint">
            <span>
              {hint()}
              <Show when={draft() === "saved"}> · Draft saved</Show>
            </span>
            <Show when={request() && !wordless() && !elsewhere()}>
              <button type="button" class="link" onClick={() => decide(replying() ? "queue" : "reply")}>
                {replying() ? "Queue for after instead" : `${replyName()} instead`}
              </button>
            </Show>
          </p>
        }
      >
        <div class="undecided" role="group" aria-label="What is your text for?" data-testid="composer-choice">
          <span>A question came while you were writing.</span>
          <button type="button" class="quiet small" onClick={() => decide("reply")}>
            {replyName()}
          </button>
          <button type="button" class="quiet small" onClick={() => decide("queue")}>
            Queue for after
          </button>
        </div>
      </Show>
    </>
  );
}
