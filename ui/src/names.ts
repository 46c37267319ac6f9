/** Names as a person reads them. */
import type { AgentState, SessionInfo } from "./backend";

export const isPractice = (model: string) => model.startsWith("practice");

export const modelName = (model: string) =>
  isPractice(model) ? "Practice model" : model.slice(model.indexOf(":") + 1);

export const folderName = (path: string) => path.split(/[/\\]/).findLast((part) => part !== "") ?? path;

export const titleOf = (session: SessionInfo) => session.title || "New session";

/** What the agent is doing, or "" when the next word is the person's; with the seconds until it tries again, if it waits. */
export function activity(state: AgentState, seconds = 0): string {
  switch (state.type) {
    case "idle":
      return "";
    case "thinking":
      return "Thinking";
    case "running_tool":
      return RUNNING[state.tool] ?? `Running ${state.tool}`;
    case "retrying":
      return seconds > 0 ? `Retrying in ${seconds} s` : "Retrying";
    case "waiting_for_user_input":
      return "Waiting for you";
  }
}

const RUNNING: Record<string, string> = {
  read_file: "Reading a file",
  edit_file: "Editing a file",
  run_command: "Running a command",
};
