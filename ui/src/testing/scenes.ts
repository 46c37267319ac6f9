/** Sessions as the tests and the pictures show them, told in the words of the practice project. */
import type { OpenRequest, OutputChunk, SessionChunk, Snapshot, UserQuestion } from "../backend";
import { newSnapshot } from "./fake-backend";

const MINUTE = 60_000;

const CALC = [
  "export function add(a, b) {",
  "  return a + b;",
  "}",
  "",
  "export function divide(a, b) {",
  "  return a / b;",
  "}",
].join("\n");

export const zeroCase: UserQuestion = {
  header: "Zero case",
  question: "What should `divide(1, 0)` do?",
  why: "callers may rely on today's value.",
  default: "throw",
  options: [
    { label: "Throw an error", value: "throw", description: "Callers must catch it; the mistake is seen where it happens." },
    { label: "Return null", value: "null", description: "Callers must check; nothing stops them from forgetting." },
  ],
};

export const language: UserQuestion = {
  header: "Language",
  question: "In which language should the message be?",
  options: [
    { label: "English (Recommended)", value: "English (Recommended)", description: "As the rest of the code." },
    { label: "The user's locale", description: "Needs a catalogue of messages." },
  ],
};

export const features: UserQuestion = {
  header: "Checks",
  question: "Which checks should `divide` get?",
  multi_select: true,
  options: [
    { label: "Zero divisor", description: "The case at hand." },
    { label: "NaN operands", description: "Neither number may be NaN." },
    { label: "Safe integers", description: "Refuse numbers above 2^53." },
  ],
};

export const wording: UserQuestion = { header: "Wording", question: "What should the message say?", kind: "text", options: [] };

export const runTests: UserQuestion = {
  header: "Permission",
  question: "May the agent run `node --test`?",
  key: "permission",
  required: true,
  allow_other: false,
  options: [
    { label: "Allow once", value: "once" },
    { label: "Reject", value: "reject" },
  ],
  subject: { type: "permission", call_id: "c9", tool: "run_command", command: "node --test" },
};

export const editCalc: UserQuestion = {
  ...runTests,
  question: "May the agent edit `src/calc.js`?",
  subject: {
    type: "permission",
    call_id: "c8",
    tool: "edit_file",
    path: "src/calc.js",
    diff: [
      "--- a/src/calc.js",
      "+++ b/src/calc.js",
      "@@ -5,3 +5,4 @@",
      " export function divide(a, b) {",
      "-  return a / b;",
      '+  if (b === 0) throw new RangeError("division by zero");',
      "+  return a / b;",
      " }",
    ].join("\n"),
  },
};

export const deleteSpec: UserQuestion = {
  header: "Delete",
  question: "Delete SPEC-014 and its history?",
  kind: "confirm",
  required: true,
  irreversible: true,
  reason: "irreversible",
  allow_other: false,
  options: [
    { label: "Yes", value: "true", description: "The spec and its 12 revisions are gone." },
    { label: "No", value: "false", description: "Nothing changes." },
  ],
};

export const request = (questions: UserQuestion[], change: Partial<OpenRequest> = {}): OpenRequest => ({
  request_id: "r1",
  session_id: "s1",
  asker: "AskUserQuestion",
  opened_at: Date.now() - 2 * MINUTE,
  questions,
  ...change,
});

const logged = (chunks: OutputChunk[]): SessionChunk[] =>
  chunks.map((chunk, index) => ({ session_id: "s1", seq: index + 1, at: Date.now() - 5 * MINUTE + index * 1000, chunk }));

const call = (call_id: string, tool: string, input: unknown): OutputChunk => ({ type: "tool_call", call_id, tool, input });
const result = (call_id: string, tool: string, text: string, took_ms: number): OutputChunk => ({
  type: "tool_result",
  call_id,
  tool,
  ok: true,
  text,
  took_ms,
});

const history: OutputChunk[] = [
  { type: "user_message", text: "Add a guard to divide, so that dividing by zero stops giving Infinity." },
  call("c1", "read_file", { path: "src/calc.js" }),
  result("c1", "read_file", CALC, 3),
  call("c2", "read_file", { path: "test/calc.test.js" }),
  result("c2", "read_file", Array.from({ length: 21 }, (_, i) => `line ${i + 1}`).join("\n"), 2),
  call("c3", "run_command", { command: "node --test" }),
  {
    type: "tool_result",
    call_id: "c3",
    tool: "run_command",
    ok: false,
    text: "Did not run: read-only exploration.",
    blocked_by: "approval",
  },
  {
    type: "text",
    text: "Today `divide(1, 0)` returns `Infinity`, and the fourth test expects it not to. Two readings are possible: throw, or return `null`. They lead to different code in every caller, so I need your word.",
  },
  call("c4", "AskUserQuestion", {}),
  { type: "ask_user_question", request_id: "r0", questions: [{ ...language, question: "Language of the message" }] },
  {
    type: "request_closed",
    request_id: "r0",
    outcomes: { Language: "answered" },
    answers: { Language: "English (Recommended)" },
    selections: { Language: ["English (Recommended)"] },
    by: "person",
    via: "window",
  },
  result("c4", "AskUserQuestion", "{}", 0),
];

const others: Snapshot[] = [
  ["s2", "Retry on 529", "/home/ada/src/billing-api", "openai:gpt-5", 40],
  ["s3", "Why is start-up slow?", "/home/ada/src/docs-site", "openai:gpt-5", 60 * 26],
  ["s4", "Rename the config keys", "/home/ada/src/billing-api", "openai:gpt-5", 60 * 24 * 4],
].map(([id, title, workspace, model, minutes]) => {
  const base = newSnapshot();
  const at = Date.now() - Number(minutes) * MINUTE;
  const session = { ...base.session, session_id: String(id), title: String(title), workspace: String(workspace), folder: String(workspace) };
  return { ...base, session: { ...session, model: String(model), created_at: at, updated_at: at } };
});

/** The session of the pictures, with more said in it, and what waits in it. */
export function calc(change: Partial<Snapshot> = {}, more: OutputChunk[] = []): Snapshot[] {
  const base = newSnapshot();
  const requests = change.requests ?? [];
  const asked = requests.map(({ request_id, questions }): OutputChunk => ({ type: "ask_user_question", request_id, questions }));
  const chunks = logged([...history, ...more, ...asked]);
  return [
    {
      ...base,
      session: {
        ...base.session,
        session_id: "s1",
        title: "Add a guard to divide",
        updated_at: Date.now() - 2 * MINUTE,
        waiting: requests.length,
        asked: { answered: 8, accepted_default: 5, revisited: 1 },
      },
      history: chunks,
      seq: chunks.length,
      state: requests[0] ? { type: "waiting_for_user_input", request_id: requests[0].request_id } : { type: "idle" },
      ...change,
    },
    ...others,
  ];
}

/** What happened after the answer: the edit, a failing and a faulty call, a test run. */
export const worked: OutputChunk[] = [
  call("c5", "ask_user", { options: ["one"] }),
  {
    type: "tool_result",
    call_id: "c5",
    tool: "ask_user",
    ok: false,
    text: "question: is missing; every question needs a text.\nSend all of it again.",
  },
  call("c6", "edit_file", {
    path: "src/calc.js",
    old_text: "export function divide(a, b) {\n  return a / b;\n}",
    new_text:
      'export function divide(a, b) {\n  if (b === 0) throw new RangeError("division by zero");\n  return a / b;\n}',
  }),
  result("c6", "edit_file", "Edited src/calc.js", 5),
  call("c7", "run_command", { command: "node --test" }),
  result("c7", "run_command", "# tests 4\n# pass 4\n# fail 0", 412),
  {
    type: "text",
    text: "All four tests are green.\n\n- `divide` now throws a **RangeError** for a zero divisor\n- nothing else changed\n\n```js\nif (b === 0) throw new RangeError(\"division by zero\");\n```",
  },
  { type: "turn_ended", reason: "done" },
];
