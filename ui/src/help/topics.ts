/** The help pages, shipped with the program, and which of them is open. */
import { createSignal } from "solid-js";
import { setState, state } from "../store";
import interruptHandling from "./interrupt-handling.md?raw";
import messageFlow from "./message-flow.md?raw";
import questions from "./questions.md?raw";

export const TOPICS = {
  questions: { title: "Questions", text: questions, leadsTo: ["message-flow", "interrupt-handling"] },
  "message-flow": { title: "Message flow", text: messageFlow, leadsTo: ["interrupt-handling", "questions"] },
  "interrupt-handling": { title: "Interrupt handling", text: interruptHandling, leadsTo: ["message-flow", "questions"] },
} as const;
export type Topic = keyof typeof TOPICS;

const [topic, setTopic] = createSignal<Topic>("questions");
export { topic };

/** Opens a page; without its name the one on questions, from which all others are linked. */
export function openHelp(name: Topic = "questions") {
  setTopic(name);
  if (state.view !== "help") setState("view", "help");
}
