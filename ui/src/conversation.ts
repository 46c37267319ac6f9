/**
 * What a session looks like on screen, as a fold over its chunks: `reduce` is pure, and the same for a
 * history and for what arrives live. Knows nothing of Solid or of the page.
 */
import type {
  AgentState,
  OpenRequest,
  OutputChunk,
  SessionChunk,
  SessionInfo,
  Settings,
  Snapshot,
  UserQuestion,
} from "./backend";

export type Closed = Extract<OutputChunk, { type: "request_closed" }>;
export type Result = Omit<Extract<OutputChunk, { type: "tool_result" }>, "type" | "call_id" | "tool">;

interface Base {
  /** Stable within a session, so that a view keeps its state while the list is replaced. */
  id: string;
  at: number;
  /** The first thing of the agent's after a message of the user's. */
  opensTurn: boolean;
}
export interface UserItem extends Base {
  kind: "user";
  text: string;
}
export interface AgentItem extends Base {
  kind: "agent";
  text: string;
  /** More of it may come. */
  streaming: boolean;
}
export interface ToolItem extends Base {
  kind: "tool";
  callId: string;
  tool: string;
  input: unknown;
  result: Result | null;
  /** An ask tool whose question was shown: its request's card stands for it. */
  asked: boolean;
}
export interface RequestItem extends Base {
  kind: "request";
  requestId: string;
  questions: UserQuestion[];
  closed: (Closed & { at: number }) | null;
}
export interface ErrorItem extends Base {
  kind: "error";
  message: string;
  remedy: string;
  /** The turn ended with it and can be taken up again. */
  resumable: boolean;
}
export interface StoppedItem extends Base {
  kind: "stopped";
  finished: number;
  called: number;
}
export type Item = UserItem | AgentItem | ToolItem | RequestItem | ErrorItem | StoppedItem;

export interface Conversation {
  session: SessionInfo;
  /** Logged chunks up to here came with the snapshot. */
  base: number;
  items: Item[];
  /** The snapshot fell into the middle of a message, so its text may have a gap until the next snapshot. */
  joinedMidway: boolean;
  state: AgentState;
  requests: OpenRequest[];
  queued: string[];
  elsewhere: boolean;
  settings: Settings;
}

export const isAskTool = (tool: string) => tool === "AskUserQuestion" || tool === "ask_user";

export function fromSnapshot(snapshot: Snapshot): Conversation {
  const empty: Conversation = {
    session: snapshot.session,
    base: -1,
    items: [],
    joinedMidway: false,
    state: { type: "idle" },
    requests: [],
    queued: [],
    elsewhere: snapshot.elsewhere,
    settings: snapshot.settings,
  };
  const past = snapshot.history.reduce(reduce, empty);
  return {
    ...(snapshot.streaming === "" ? past : grow(past, snapshot.streaming, Date.now())),
    base: snapshot.seq,
    joinedMidway: snapshot.state.type === "thinking",
    state: snapshot.state,
    requests: snapshot.requests,
    queued: snapshot.queued,
  };
}

export function reduce(c: Conversation, said: SessionChunk): Conversation {
  if (said.seq != null && said.seq <= c.base) return c;
  const next = add(c, said);
  return next.elsewhere ? { ...next, state: stateElsewhere(next, said.chunk) } : next;
}

/** Another program's states do not cross; what it logs tells as much of them as the person needs. */
function stateElsewhere(c: Conversation, chunk: OutputChunk): AgentState {
  const request = c.requests[0];
  if (request) return { type: "waiting_for_user_input", request_id: request.request_id };
  if (chunk.type === "state_change") return chunk.state;
  return chunk.type === "turn_ended" ? { type: "idle" } : { type: "thinking" };
}

function add(c: Conversation, { session_id, seq, at, chunk }: SessionChunk): Conversation {
  switch (chunk.type) {
    case "user_message": {
      const next = push(flush(c), { kind: "user", text: chunk.text }, at);
      return { ...next, queued: without(c.queued, chunk.text) };
    }
    case "message_queued":
      return { ...c, queued: [...c.queued, chunk.text] };
    case "text":
      if (seq == null) return grow(c, chunk.text, at);
      return push(cutOff(c), { kind: "agent", text: chunk.text, streaming: false }, at);
    case "tool_call": {
      const { call_id: callId, tool, input } = chunk;
      return push(flush(c), { kind: "tool", callId, tool, input, result: null, asked: false }, at);
    }
    case "tool_result": {
      const { ok, text, blocked_by, took_ms } = chunk;
      const result: Result = { ok, text, blocked_by: blocked_by ?? null, took_ms: took_ms ?? null };
      return replaceLast(c, (i) => i.kind === "tool" && i.callId === chunk.call_id, { result });
    }
    case "state_change":
      // A failed model call starts its message again.
      if (chunk.state.type === "retrying") return { ...cutOff(c), state: chunk.state };
      return { ...(chunk.state.type === "thinking" ? c : flush(c)), state: chunk.state };
    case "ask_user_question":
      return asked(flush(c), session_id, chunk.request_id, chunk.questions, at);
    case "request_closed": {
      const { request_id } = chunk;
      const requests = c.requests.filter((r) => r.request_id !== request_id);
      const mine = (i: Item) => i.kind === "request" && i.requestId === request_id;
      return replaceLast({ ...c, requests }, mine, { closed: { ...chunk, at } });
    }
    case "turn_ended":
      return ended(flush(c), chunk.reason, at);
    case "error":
      return push(flush(c), { kind: "error", message: chunk.message, remedy: chunk.remedy, resumable: false }, at);
  }
}

/** Adds a request heard of by event, before or instead of its chunk. */
export function withRequest(c: Conversation, request: OpenRequest): Conversation {
  const known = c.requests.some((r) => r.request_id === request.request_id);
  const over = c.items.some((i) => i.kind === "request" && i.requestId === request.request_id && i.closed);
  return known || over ? c : { ...c, requests: [...c.requests, request] };
}

function asked(c: Conversation, session_id: string, id: string, questions: UserQuestion[], at: number): Conversation {
  if (c.items.some((i) => i.kind === "request" && i.requestId === id)) return c;
  const item = { kind: "request", requestId: id, questions, closed: null } as const;
  const next = push(c, item, at);
  const open = { request_id: id, session_id, asker: "", opened_at: at, questions };
  // The chunk does not name its asker; the first ask call that has neither an answer nor a question is it.
  const index = next.items.findIndex((i) => i.kind === "tool" && isAskTool(i.tool) && !i.result && !i.asked);
  const call = next.items[index];
  if (call?.kind !== "tool" || questions.some((q) => q.subject)) return withRequest(next, open);
  const marked = replaceAt(next, index, { asked: true });
  const requests = marked.requests.map((r) => (r.request_id === id && r.asker === "" ? { ...r, asker: call.tool } : r));
  return withRequest({ ...marked, requests }, { ...open, asker: call.tool });
}

function ended(c: Conversation, reason: "done" | "interrupted" | "failed", at: number): Conversation {
  if (reason === "interrupted") {
    const turn = c.items.slice(c.items.findLastIndex((i) => i.kind === "user") + 1);
    const calls = turn.filter((i) => i.kind === "tool" && !isAskTool(i.tool));
    const finished = calls.filter((i) => i.kind === "tool" && i.result?.ok).length;
    return push(c, { kind: "stopped", finished, called: calls.length }, at);
  }
  if (reason === "failed") return replaceLast(c, (i) => i.kind === "error", { resumable: true });
  return c;
}

const isStreaming = (item: Item | undefined): item is AgentItem => item?.kind === "agent" && item.streaming;

/** More streamed text. */
function grow(c: Conversation, text: string, at: number): Conversation {
  const last = c.items.at(-1);
  if (isStreaming(last)) return replaceAt(c, c.items.length - 1, { text: last.text + text });
  return push(c, { kind: "agent", text, streaming: true }, at);
}

/** The streamed text has become a message. */
function flush(c: Conversation): Conversation {
  const last = c.items.at(-1);
  if (!isStreaming(last)) return c;
  return last.text.trim() === "" ? cutOff(c) : replaceAt(c, c.items.length - 1, { streaming: false });
}

/** The streamed text never became a message. */
function cutOff(c: Conversation): Conversation {
  return isStreaming(c.items.at(-1)) ? { ...c, items: c.items.slice(0, -1) } : c;
}

type New = Item extends infer I ? (I extends Item ? Omit<I, keyof Base> : never) : never;

function push(c: Conversation, item: New, at: number): Conversation {
  const before = c.items.at(-1);
  const opensTurn = item.kind !== "user" && (before === undefined || before.kind === "user");
  const whole = { ...item, id: `i${c.items.length}`, at, opensTurn } as Item;
  return { ...c, items: [...c.items, whole] };
}

function replaceLast(c: Conversation, which: (item: Item) => boolean, change: object): Conversation {
  return replaceAt(c, c.items.findLastIndex(which), change);
}

function replaceAt(c: Conversation, index: number, change: object): Conversation {
  const old = c.items[index];
  return old ? { ...c, items: c.items.with(index, { ...old, ...change } as Item) } : c;
}

function without(texts: string[], text: string): string[] {
  const index = texts.indexOf(text);
  return index < 0 ? texts : texts.toSpliced(index, 1);
}
