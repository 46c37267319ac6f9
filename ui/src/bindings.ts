// The commands, events and types of the Rust side. Stands in for the file that is generated from them,
// with the same shape, so that the generated one can take its place without an edit elsewhere.
import { type Channel, invoke as __TAURI_INVOKE } from "@tauri-apps/api/core";
import * as __TAURI_EVENT from "@tauri-apps/api/event";

export const commands = {
  follow: (onChunks: Channel<SessionChunk[]>) => __TAURI_INVOKE<null>("follow", { onChunks }),
  snapshot: (sessionId: string) => __TAURI_INVOKE<Snapshot>("snapshot", { sessionId }),
  sessions: () => __TAURI_INVOKE<SessionInfo[]>("sessions"),
  inbox: () => __TAURI_INVOKE<OpenRequest[]>("inbox"),
  startSession: (workspace: string | null) => __TAURI_INVOKE<string>("start_session", { workspace }),
  sendMessage: (sessionId: string, text: string, replyTo: ReplyTo | null) =>
    __TAURI_INVOKE<null>("send_message", { sessionId, text, replyTo }),
  sendQuestionResponse: (
    requestId: string,
    answers: { [key in string]: string },
    replies: { [key in string]: Reply } | null,
    comment: string | null,
  ) => __TAURI_INVOKE<null>("send_question_response", { requestId, answers, replies, comment }),
  interruptAgent: (sessionId: string | null) => __TAURI_INVOKE<null>("interrupt_agent", { sessionId }),
  saveDraft: (
    sessionId: string,
    requestId: string | null,
    replies: { [key in string]: Reply } | null,
    comment: string | null,
    text: string | null,
  ) => __TAURI_INVOKE<null>("save_draft", { sessionId, requestId, replies, comment, text }),
  resumeTurn: (sessionId: string) => __TAURI_INVOKE<null>("resume_turn", { sessionId }),
};

export const events = {
  askUserQuestion: makeEvent<AskUserQuestion>("ask-user-question"),
};

export type Act = "chosen" | "default" | "own_words" | "skipped";

export type AgentState =
  | { type: "idle" }
  | { type: "thinking" }
  | { type: "running_tool"; tool: string }
  | { type: "retrying"; in_ms: number }
  | { type: "waiting_for_user_input"; request_id: string };

export type AskUserQuestion = { requestId: string; questions: UserQuestion[]; sessionId: string };

export type Author = string;

export type BlockedBy = "approval";

export type OpenRequest = {
  request_id: string;
  session_id: string;
  asker: string;
  opened_at: number;
  questions: UserQuestion[];
  draft?: RequestDraft | null;
};

export type Outcome =
  | "answered"
  | "accepted_default"
  | "own_words"
  | "skipped"
  | "defaulted"
  | "interrupted"
  | "orphaned";

export type OutputChunk =
  | { type: "user_message"; text: string }
  | { type: "message_queued"; text: string }
  | { type: "text"; text: string }
  | { type: "tool_call"; call_id: string; tool: string; input: unknown }
  | {
      type: "tool_result";
      call_id: string;
      tool: string;
      ok: boolean;
      text: string;
      blocked_by?: BlockedBy | null;
      took_ms?: number | null;
    }
  | { type: "state_change"; state: AgentState }
  | { type: "ask_user_question"; request_id: string; questions: UserQuestion[] }
  | {
      type: "request_closed";
      request_id: string;
      outcomes: { [key in string]: Outcome };
      answers: { [key in string]: string };
      selections?: { [key in string]: string[] };
      notes?: { [key in string]: string };
      comment?: string | null;
      by: Author;
      via?: Via | null;
    }
  | { type: "turn_ended"; reason: TurnEnd }
  | { type: "error"; message: string; remedy: string };

export type QuestionKind = "choice" | "multi_choice" | "text" | "confirm";

export type QuestionOption = {
  label: string;
  description?: string;
  value?: string | null;
  preview?: string | null;
};

export type Reason = "irreversible" | "ambiguous" | "policy";

export type Reply = { act: Act; selected?: string[]; text?: string | null; note?: string | null };

export type ReplyTo = { request_id: string; key: string };

export type RequestDraft = { replies?: { [key in string]: Reply }; comment?: string | null };

export type SessionChunk = { session_id: string; seq?: number | null; at: number; chunk: OutputChunk };

export type SessionInfo = {
  session_id: string;
  title: string;
  workspace: string;
  model: string;
  created_at: number;
  updated_at: number;
  waiting: number;
};

export type Settings = { strict_options: boolean };

export type Snapshot = {
  session: SessionInfo;
  seq: number;
  history: SessionChunk[];
  streaming: string;
  state: AgentState;
  requests: OpenRequest[];
  draft: string;
  queued: string[];
  elsewhere: boolean;
  settings: Settings;
};

export type Subject = {
  type: "permission";
  call_id: string;
  tool: string;
  command?: string | null;
  path?: string | null;
  diff?: string | null;
};

export type TurnEnd = "done" | "interrupted" | "failed";

export type UserQuestion = {
  question: string;
  header: string;
  options?: QuestionOption[];
  multiSelect?: boolean | null;
  multi_select?: boolean | null;
  key?: string | null;
  kind?: QuestionKind | null;
  default?: unknown;
  required?: boolean | null;
  pattern?: string | null;
  allow_other?: boolean | null;
  irreversible?: boolean | null;
  reason?: Reason | null;
  why?: string | null;
  subject?: Subject | null;
};

export type Via = "window" | "terminal";

function makeEvent<T>(name: string) {
  return { listen: (cb: __TAURI_EVENT.EventCallback<T>) => __TAURI_EVENT.listen(name, cb) };
}
