/** A request that is over: the question, what could be chosen, what was, who decided and when. */
import { For, Show } from "solid-js";
import type { UserQuestion } from "../backend";
import { timeOfDay } from "../clock";
import type { Closed, RequestItem } from "../conversation";
import { choicesOf, keyOf, shapeOf } from "../question/answer";
import { permissionTitle } from "../question/PermissionBody";
import { QuestionText } from "../question/QuestionText";
import { Exact } from "../text/Exact";

type Over = Closed & { at: number };

export function AnswerCard(props: { item: RequestItem; closed: Over }) {
  return (
    <article class="answer" data-testid="answer-card" data-request={props.item.requestId}>
      <For each={props.item.questions}>{(q) => <Answered question={q} closed={props.closed} />}</For>
      <Show when={props.closed.comment}>
        <p class="remark">
          Comment: <span dir="auto">{props.closed.comment}</span>
        </p>
      </Show>
    </article>
  );
}

function Answered(props: { question: UserQuestion; closed: Over }) {
  const key = () => keyOf(props.question);
  const outcome = () => props.closed.outcomes[key()];
  const permission = () => props.question.subject ?? null;
  const selected = () => props.closed.selections?.[key()] ?? [];
  const words = () => {
    const text = props.closed.answers[key()] ?? "";
    const isWords = outcome() === "own_words" || (shapeOf(props.question) === "text" && outcome() !== "skipped");
    return isWords ? text : "";
  };
  const note = () => props.closed.notes?.[key()];
  // Without the values, the labels say which option it was.
  const taken = (choice: { value: string; label: string }) => {
    if (selected().length > 0) return selected().includes(choice.value);
    return outcome() !== "own_words" && [choice.value, choice.label].includes(props.closed.answers[key()] ?? "");
  };

  return (
    <section>
      <header>
        <b dir="auto">
          <Show when={permission()} fallback={<QuestionText text={props.question.question} />}>
            {(subject) => permissionTitle(subject())}
          </Show>
        </b>
        <small>
          {verdict(props.closed, outcome(), permission() ? selected()[0] : undefined)} · {timeOfDay(props.closed.at)}
        </small>
      </header>
      <Show when={permission()?.command}>
        {(command) => <pre class="exact" dir="ltr"><Exact text={command()} /></pre>}
      </Show>
      <Show when={!permission()}>
        <ul>
          <For each={choicesOf(props.question)}>
            {(choice) => (
              <li classList={{ taken: taken(choice) }}>
                <Show when={taken(choice)}><span class="sr">Chosen: </span></Show>
                <span dir="auto">{choice.label}</span>
              </li>
            )}
          </For>
          <Show when={words()}>
            <li class="taken words">
              <span class="sr">Own words: </span>
              <q dir="auto">{words()}</q>
            </li>
          </Show>
        </ul>
      </Show>
      <Show when={permission() && words()}>
        <p class="remark"><q dir="auto">{words()}</q></p>
      </Show>
      <Show when={note()}>
        <p class="remark">
          Note: <span dir="auto">{note()}</span>
        </p>
      </Show>
    </section>
  );
}

const ALLOWED: Record<string, string> = {
  once: "allowed it once",
  session: "allowed it for this session",
  project: "allowed it in this project",
  reject: "rejected it",
};

function verdict(closed: Over, outcome: string | undefined, permission: string | undefined): string {
  if (outcome === "orphaned") return "The agent stopped waiting";
  const who = closed.by === "person" ? "You" : closed.by === "autonomous" ? "Autonomous mode" : `Rule ${closed.by.slice(5)}`;
  const place = closed.via === "terminal" ? " in the terminal" : "";
  const did: Record<string, string> = {
    answered: (permission && ALLOWED[permission]) ?? "chose",
    accepted_default: "took the suggestion",
    own_words: "wrote",
    skipped: "skipped",
    defaulted: "took the default",
    interrupted: "stopped the agent",
  };
  return `${who} ${did[outcome ?? ""] ?? "decided"}${place}`;
}
