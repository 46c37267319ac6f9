/**
 * What a question offers and what was done with it, as plain data: the wire's questions on one side, its
 * replies on the other. Everything here is pure.
 */
import type { OpenRequest, Reply, RequestDraft, UserQuestion } from "../backend";

export type Shape = "single" | "multi" | "text" | "confirm" | "permission";

export interface Choice {
  value: string;
  label: string;
  description: string;
  preview: string;
  /** Part of the asker's default. */
  suggested: boolean;
  /** The asker's own "(Recommended)" behind the label. */
  recommended: boolean;
}

/** What a person has done with one question so far. */
export interface Field {
  selected: string[];
  /** The row for own words is chosen. */
  other: boolean;
  text: string;
  note: string;
  skipped: boolean;
  /** The person changed something, so what stands here is their choice and no accepted default. */
  touched: boolean;
  /** It was on screen: only then can its default count as accepted. */
  seen: boolean;
}

export const keyOf = (q: UserQuestion) => q.key ?? q.header;

export function shapeOf(q: UserQuestion): Shape {
  if (q.subject?.type === "permission") return "permission";
  if (q.kind === "text" || q.kind === "confirm") return q.kind;
  if (!q.options?.length) return "text";
  return q.kind === "multi_choice" || q.multi_select || q.multiSelect ? "multi" : "single";
}

const YES_NO = [
  { label: "Yes", value: "true" },
  { label: "No", value: "false" },
];
const RECOMMENDED = /\s*\((recommended)\)\s*$/i;

export function choicesOf(q: UserQuestion): Choice[] {
  const options = q.options?.length ? q.options : shapeOf(q) === "confirm" ? YES_NO : [];
  const defaults = defaultsOf(q);
  return options.map((option) => {
    const value = option.value ?? option.label;
    return {
      value,
      label: option.label.replace(RECOMMENDED, ""),
      description: ("description" in option && option.description) || "",
      preview: ("preview" in option && option.preview) || "",
      suggested: defaults.includes(value) || defaults.includes(option.label),
      recommended: RECOMMENDED.test(option.label),
    };
  });
}

/** Irreversible questions have no default, whatever their asker says. */
function defaultsOf(q: UserQuestion): string[] {
  if (q.default == null || q.irreversible) return [];
  return (Array.isArray(q.default) ? q.default : [q.default]).map(String);
}

export function allowsOther(q: UserQuestion, strict: boolean): boolean {
  const shape = shapeOf(q);
  return (shape === "single" || shape === "multi") && q.allow_other !== false && !strict;
}

export function freshField(q: UserQuestion): Field {
  return {
    selected: choicesOf(q).filter((c) => c.suggested).map((c) => c.value),
    other: false,
    text: shapeOf(q) === "text" ? (defaultsOf(q)[0] ?? "") : "",
    note: "",
    skipped: false,
    touched: false,
    seen: false,
  };
}

export const hasDefault = (q: UserQuestion) =>
  shapeOf(q) === "text" ? defaultsOf(q).length > 0 : choicesOf(q).some((c) => c.suggested);

export function isAnswered(q: UserQuestion, field: Field): boolean {
  if (field.skipped) return true;
  if (!field.touched) return hasDefault(q) && field.seen;
  if (shapeOf(q) === "text") return field.text !== "";
  if (field.other) return field.text.trim() !== "";
  return field.selected.length > 0;
}

export function replyOf(q: UserQuestion, field: Field): Reply {
  const note = field.note.trim() === "" ? {} : { note: field.note };
  if (field.skipped) return { act: "skipped", selected: [], ...note };
  if (shapeOf(q) === "text") {
    const text = field.text;
    return { act: !field.touched && hasDefault(q) ? "default" : "chosen", selected: [], text, ...note };
  }
  const selected = choicesOf(q).map((c) => c.value).filter((v) => field.selected.includes(v));
  if (field.other) return { act: "own_words", selected, text: field.text, ...note };
  return { act: !field.touched && hasDefault(q) ? "default" : "chosen", selected, ...note };
}

/** The answer as a person reads it, and as the documented map of answers carries it. */
export function answerText(q: UserQuestion, field: Field): string {
  if (field.skipped) return "";
  if (shapeOf(q) === "text" || field.other) return field.text;
  return labelsOf(q, field.selected).join(", ");
}

/** The same without the asker's "(Recommended)", as the rows show it. */
export function answerShown(q: UserQuestion, field: Field): string {
  if (shapeOf(q) === "text" || field.other) return field.text;
  return choicesOf(q).filter((c) => field.selected.includes(c.value)).map((c) => c.label).join(", ");
}

/** The labels as the asker wrote them. */
export function labelsOf(q: UserQuestion, values: string[]): string[] {
  const options = q.options?.length ? q.options : YES_NO;
  return options.filter((o) => values.includes(o.value ?? o.label)).map((o) => o.label);
}

/** Only what the person did: an untouched default is not theirs yet. */
export function draftOf(questions: UserQuestion[], fields: Record<string, Field>, comment: string): RequestDraft {
  const replies: Record<string, Reply> = {};
  for (const q of questions) {
    const field = fields[keyOf(q)];
    if (field && (field.touched || field.skipped || field.note !== "")) replies[keyOf(q)] = replyOf(q, field);
  }
  return { replies, comment: comment === "" ? null : comment };
}

export function fieldsOf(request: OpenRequest): Record<string, Field> {
  const entries = request.questions.map((q): [string, Field] => {
    const reply = request.draft?.replies?.[keyOf(q)];
    const field = freshField(q);
    if (!reply) return [keyOf(q), field];
    field.note = reply.note ?? "";
    field.skipped = reply.act === "skipped";
    if (reply.act === "chosen" || reply.act === "own_words") {
      field.touched = true;
      field.selected = reply.selected ?? [];
      field.text = reply.text ?? "";
      field.other = reply.act === "own_words";
    }
    return [keyOf(q), field];
  });
  return Object.fromEntries(entries);
}
