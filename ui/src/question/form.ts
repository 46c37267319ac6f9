/**
 * The state of one request's form: what was chosen, where the person is, and whether it is on its way. It
 * lives outside of the panel, so that collapsing, switching sessions or a failed send loses nothing.
 */
import { createStore, produce, unwrap } from "solid-js/store";
import type { OpenRequest, Reply, RequestDraft, UserQuestion } from "../backend";
import { answerText, draftOf, type Field, fieldsOf, isAnswered, keyOf, replyOf, shapeOf } from "./answer";

export interface Payload {
  answers: Record<string, string>;
  replies: Record<string, Reply>;
  comment: string | null;
}

export interface FormState {
  index: number;
  /** The list of all answers, before several are sent. */
  review: boolean;
  fields: Record<string, Field>;
  comment: string;
  status: "open" | "sending" | "failed";
  /** Why the answer was not delivered. */
  failure: string;
  /** Why it cannot be sent yet, shown at the question. */
  invalid: string;
  /** The person wants to stop the agent though something is typed. */
  stopping: boolean;
  /** The reason field of a rejection is open. */
  rejecting: boolean;
  /** It stands in front of the page, as only something irreversible does. */
  inFront: boolean;
}

export type Form = ReturnType<typeof createForm>;

export function createForm(request: OpenRequest) {
  const { questions } = request;
  const fields = fieldsOf(request);
  const first = questions.findIndex((q) => !isAnswered(q, fields[keyOf(q)] as Field));
  const [state, setState] = createStore<FormState>({
    index: Math.max(0, first),
    review: questions.length > 1 && first < 0,
    fields,
    comment: request.draft?.comment ?? "",
    status: "open",
    failure: "",
    invalid: "",
    stopping: false,
    rejecting: questions.some((q) => shapeOf(q) === "permission" && fields[keyOf(q)]?.note !== ""),
    inFront: questions.some((q) => q.irreversible),
  });
  const past: { key: string; field: Field }[] = [];

  const question = (index = state.index) => questions[index] as UserQuestion;
  const field = (q = question()) => state.fields[keyOf(q)] as Field;
  const answered = (q: UserQuestion) => isAnswered(q, field(q));

  function change(edit: Partial<Field>, q = question()) {
    if (state.status === "sending") return;
    setState("fields", keyOf(q), edit);
    setState("invalid", "");
  }
  /** A choice, as against typed text: it can be taken back with one key. */
  function choose(edit: Partial<Field>) {
    if (state.status === "sending") return;
    past.push({ key: keyOf(question()), field: { ...unwrap(field()) } });
    change({ skipped: false, touched: true, ...edit });
  }
  function go(index: number) {
    setState(produce((s) => {
      s.index = Math.min(Math.max(index, 0), questions.length - 1);
      s.review = false;
      s.invalid = "";
    }));
  }

  return {
    request,
    questions,
    state,
    question,
    field,
    answered,
    change,
    go,
    set: setState,
    several: questions.length > 1,

    select(value: string) {
      if (shapeOf(question()) === "multi") {
        const { selected } = field();
        choose({ selected: selected.includes(value) ? selected.filter((v) => v !== value) : [...selected, value] });
      } else {
        choose({ selected: [value], other: false });
      }
    },
    selectOther() {
      if (shapeOf(question()) === "multi") choose({ other: !field().other });
      else choose({ selected: [], other: true });
    },
    skip() {
      choose({ skipped: true });
    },
    undo() {
      const last = past.pop();
      if (last && state.status !== "sending") setState("fields", last.key, { ...last.field });
    },
    seen(q = question()) {
      setState("fields", keyOf(q), "seen", true);
    },
    /** Onwards; the last question leads to the review. Answers changed from there lead back to it. */
    next() {
      const open = questions.findIndex((q, i) => i > state.index && !answered(q));
      if (open >= 0) go(open);
      else setState({ review: true, invalid: "" });
    },
    missing: () => questions.filter((q) => !answered(q)),
    /** Something that would be lost with the question. */
    hasDraft: () => Object.keys(draft().replies ?? {}).length > 0 || state.comment !== "",
    draft,
    payload(): Payload {
      const answers: Record<string, string> = {};
      const replies: Record<string, Reply> = {};
      for (const q of questions) {
        answers[q.header] = answerText(q, field(q));
        replies[keyOf(q)] = replyOf(q, unwrap(field(q)));
      }
      return { answers, replies, comment: state.comment.trim() === "" ? null : state.comment };
    },
    /** All that was written, without the choices. */
    words(): string {
      const all = questions.flatMap((q) => (field(q).touched ? [field(q).text, field(q).note] : [field(q).note]));
      return [...all, state.comment].filter((text) => text.trim() !== "").join("\n\n");
    },
    /** The answers as a message, for when they cannot be delivered as answers. */
    asMessage(): string {
      const lines = questions.map((q) => {
        const { note, skipped } = field(q);
        const answer = skipped || !answered(q) ? "(no answer)" : answerText(q, field(q));
        return `${q.question}\n${answer}${note.trim() === "" ? "" : `\n(${note})`}`;
      });
      return [...lines, state.comment].filter((line) => line !== "").join("\n\n");
    },
  };

  function draft(): RequestDraft {
    return draftOf(questions, state.fields, state.comment);
  }
}
