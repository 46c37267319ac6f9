/** Every state of the page that the browser tests look at, by name. */
import type { Scene } from "../src/testing/fake-backend";
import {
  calc,
  deleteSpec,
  editCalc,
  features,
  language,
  request,
  runTests,
  wording,
  worked,
  zeroCase,
} from "../src/testing/scenes";

const asking = (...questions: Parameters<typeof request>[0]): Scene => ({
  snapshots: calc({ requests: [request(questions)] }),
});

const unbroken = "abcdefghij".repeat(30);
const long = {
  header: "Zero case!!",
  question: `${"A question of many words, none of which may be cut. ".repeat(40)}\n\`${unbroken}\``,
  why: unbroken,
  options: [
    { label: "מה צריך לקרות כאן?", description: `${"What it means, at length. ".repeat(20)}${unbroken}` },
    { label: unbroken, description: "Short." },
  ],
};

export const states: Record<string, Scene> = {
  welcome: { snapshots: [] },
  chat: { snapshots: calc({}, worked) },
  busy: { snapshots: calc({ state: { type: "thinking" }, streaming: "I read the two files **and", queued: ["Then write a changelog line."] }) },
  single: asking(zeroCase, language),
  multi: asking(features),
  long: asking(long),
  text: asking(wording),
  permission: asking(runTests),
  edit: asking(editCalc),
  irreversible: asking(deleteSpec),
  failed: { ...asking(zeroCase), failing: { send_question_response: "No agent is waiting for this answer." } },
  error: {
    snapshots: calc({}, [
      { type: "error", message: "The provider refused this key.", remedy: "Replace OPENAI_API_KEY and try again. Nothing is lost." },
      { type: "turn_ended", reason: "failed" },
    ]),
  },
  high: { ...asking(zeroCase), settings: { strict_options: false, window: { contrast: "high", density: "compact" } } },
  large: { ...asking(zeroCase), settings: { strict_options: false, window: { text_size: 200 } } },
  undrafted: { ...asking(runTests), failing: { save_draft: "The disk is full." } },
  unkept: { snapshots: calc(), settings: { strict_options: false, window: { text_size: 130 } }, failing: { save_settings: "config.toml is read-only" } },
  retrying: { snapshots: calc({ state: { type: "retrying", in_ms: 32_000 } }) },
  "long-messages": {
    snapshots: calc({}, [
      { type: "user_message", text: Array.from({ length: 500 }, (_, i) => `line ${i + 1} of a pasted log`).join("\n") },
      { type: "text", text: Array.from({ length: 300 }, (_, i) => `Paragraph ${i + 1}.`).join("\n\n") },
      { type: "turn_ended", reason: "done" },
    ]),
  },
  stopped: { snapshots: calc({}, [...worked.slice(0, 4), { type: "turn_ended", reason: "interrupted" }]) },
};
