import { expect, test } from "vitest";
import type { OutputChunk, SessionChunk } from "./backend";
import { type Conversation, fromSnapshot, reduce } from "./conversation";
import { newSnapshot } from "./testing/fake-backend";
import { request, runTests, zeroCase } from "./testing/scenes";

const fresh = (change = {}) => fromSnapshot(newSnapshot(change));
let seq = 100;
const logged = (chunk: OutputChunk): SessionChunk => ({ session_id: "s1", seq: ++seq, at: 7, chunk });
const passing = (chunk: OutputChunk): SessionChunk => ({ session_id: "s1", at: 7, chunk });
const fold = (c: Conversation, ...chunks: SessionChunk[]) => chunks.reduce(reduce, c);
const text = (words: string) => passing({ type: "text", text: words });
const call = (tool: string, call_id = "c1", input: unknown = {}) => logged({ type: "tool_call", call_id, tool, input });
const result = (tool: string, ok: boolean, words: string, call_id = "c1") =>
  logged({ type: "tool_result", call_id, tool, ok, text: words });
const asked = (request_id: string, questions = [zeroCase]) => logged({ type: "ask_user_question", request_id, questions });
const closed = (request_id: string) =>
  logged({ type: "request_closed", request_id, outcomes: {}, answers: {}, by: "person", via: "terminal" });
const kinds = (c: Conversation) => c.items.map((i) => i.kind);

test("streamed text grows one message, which the next logged chunk ends", () => {
  const c = fold(fresh(), text("Two "), text("readings"), call("read_file"));
  expect(c.items).toMatchObject([{ kind: "agent", text: "Two readings", streaming: false }, { kind: "tool" }]);
});

test("a message queued meanwhile does not cut the text in two", () => {
  const c = fold(fresh(), text("Two "), logged({ type: "message_queued", text: "and then" }), text("readings"));
  expect(c.items).toMatchObject([{ text: "Two readings", streaming: true }]);
  expect(c.queued).toEqual(["and then"]);
  expect(fold(c, logged({ type: "user_message", text: "and then" })).queued).toEqual([]);
});

test("a retried model call starts its text again", () => {
  const c = fold(fresh(), text("Two rea"), passing({ type: "state_change", state: { type: "retrying", in_ms: 800 } }), text("Two"));
  expect(c.items).toMatchObject([{ text: "Two" }]);
});

test("what the snapshot holds is not applied twice, and its streamed text goes on", () => {
  const history = [{ session_id: "s1", seq: 3, at: 1, chunk: { type: "user_message", text: "hi" } as const }];
  const c = fromSnapshot(newSnapshot({ seq: 3, history, streaming: "Hel", state: { type: "thinking" } }));
  const again = fold(c, { session_id: "s1", seq: 3, at: 1, chunk: { type: "user_message", text: "hi" } }, text("lo"));
  expect(again.items).toMatchObject([{ kind: "user", text: "hi" }, { kind: "agent", text: "Hello" }]);
});

test("the state of a session that another program runs is read from what it logs", () => {
  const waiting = { type: "waiting_for_user_input", request_id: "r1" } as const;
  const c = fresh({ elsewhere: true, state: waiting, requests: [request([zeroCase])] });
  const answered = fold(c, closed("r1"));
  expect(answered.state).toEqual({ type: "thinking" });
  expect(fold(answered, asked("r2")).state).toEqual({ ...waiting, request_id: "r2" });
  expect(fold(answered, logged({ type: "turn_ended", reason: "done" })).state).toEqual({ type: "idle" });
});

test("several chunks of one log entry all count", () => {
  const chunk = (call_id: string): SessionChunk => ({
    session_id: "s1",
    seq: 9,
    at: 1,
    chunk: { type: "tool_call", call_id, tool: "read_file", input: {} },
  });
  expect(kinds(fold(fresh(), chunk("a"), chunk("b")))).toEqual(["tool", "tool"]);
});

test("a question opens once, under whatever name it is heard first, and closes with its answer", () => {
  const open = fold(fresh(), call("ask_user"), asked("r1"), asked("r1"));
  expect(open.requests).toMatchObject([{ request_id: "r1", asker: "ask_user" }]);
  expect(kinds(open)).toEqual(["tool", "request"]);
  const over = fold(open, closed("r1"));
  expect(over.requests).toEqual([]);
  expect(over.items[1]).toMatchObject({ closed: { via: "terminal", at: 7 } });
});

test("an ask call is marked as asked only when its question was shown", () => {
  const c = fold(fresh(), call("AskUserQuestion", "a"), result("AskUserQuestion", false, "5 options", "a"), call("AskUserQuestion", "b"), asked("r1"));
  expect(c.items).toMatchObject([{ callId: "a", asked: false }, { callId: "b", asked: true }, { kind: "request" }]);
  const permission = fold(fresh(), call("ask_user", "a"), asked("r2", [runTests]));
  expect(permission.items[0]).toMatchObject({ asked: false });
});

test("a stop says how many tools had finished in its turn", () => {
  const c = fold(
    fresh(),
    logged({ type: "user_message", text: "go" }),
    call("read_file", "a"),
    result("read_file", true, "", "a"),
    call("run_command", "b"),
    result("run_command", false, "Interrupted", "b"),
    logged({ type: "turn_ended", reason: "interrupted" }),
  );
  expect(c.items.at(-1)).toMatchObject({ kind: "stopped", finished: 1, called: 2 });
});

test("an error that ended the turn can be taken up again", () => {
  const error = logged({ type: "error", message: "No connection.", remedy: "" });
  expect(fold(fresh(), error).items[0]).toMatchObject({ resumable: false });
  expect(fold(fresh(), error, logged({ type: "turn_ended", reason: "failed" })).items[0]).toMatchObject({ resumable: true });
});

test("the snapshot's requests are the ones that wait, drafts and all", () => {
  const waiting = request([zeroCase], { draft: { replies: { "Zero case": { act: "chosen", selected: ["null"] } } } });
  expect(fresh({ requests: [waiting] }).requests).toEqual([waiting]);
});
