/** What the person can do. Each is one call to the backend and what the page shows of its end. */
import { unwrap } from "solid-js/store";
import { announce } from "./announce";
import { backend, type OpenRequest, type ReplyTo, sentence } from "./backend";
import { focusComposer, leavePanel } from "./focus";
import type { Payload } from "./question/form";
import { answeredHere, flushDrafts, formFor, openSession, refreshLists, reload, setState, state } from "./store";

/** Throws the backend's sentence; the question stays open then. */
export async function answer(request: OpenRequest, { answers, replies, comment }: Payload) {
  const { saver } = formFor(request);
  answeredHere.add(request.request_id);
  try {
    await backend.sendQuestionResponse(request.request_id, answers, replies, comment);
  } catch (error) {
    answeredHere.delete(request.request_id);
    throw sentence(error);
  }
  saver.forget();
  settle(request.request_id);
  const skipped = Object.values(replies).every((reply) => reply.act === "skipped");
  announce(skipped ? "Skipped. The agent was told you did not answer." : "Answer sent. The agent continues.");
}

/** Sends what is in the composer, as an answer in words or as a message. Throws the backend's sentence. */
export async function send(text: string, replyTo: ReplyTo | null) {
  const id = state.current;
  if (!id) return;
  if (replyTo) answeredHere.add(replyTo.request_id);
  try {
    await backend.sendMessage(id, text, replyTo);
  } catch (error) {
    if (replyTo) answeredHere.delete(replyTo.request_id);
    throw sentence(error);
  }
  if (replyTo) settle(replyTo.request_id);
  setState("notice", "");
}

/** Sends an answer that could not be delivered as a message, and looks whether its question still waits. */
export async function sendInstead(text: string) {
  await send(text, null);
  showPanel(false);
  await reload();
}

/** Hides a request whose answer has arrived, before the stream says so. */
function settle(requestId: string) {
  leavePanel();
  if (!state.conversation) return;
  setState("conversation", "requests", (requests) => unwrap(requests).filter((r) => r.request_id !== requestId));
  const next = state.conversation?.requests[0];
  setState("panel", next ? { requestId: next.request_id, open: true } : null);
}

const RUNS_ELSEWHERE = "Another program runs this session. Stop it there.";

/** Stops the agent of the session on screen. What was typed is stored first: it comes back as a draft. */
export async function stop() {
  if (!state.current) return;
  if (state.conversation?.elsewhere) {
    setState("notice", RUNS_ELSEWHERE);
    return announce(RUNS_ELSEWHERE);
  }
  await flushDrafts();
  leavePanel();
  await attempt(backend.interruptAgent(state.current));
}

export const resume = () => state.current && attempt(backend.resumeTurn(state.current));

/** A new session in a folder, or, without one, in a new copy of the practice project. */
export async function startSession(workspace: string | null) {
  const id = await attempt(backend.startSession(workspace));
  if (!id) return;
  await Promise.all([refreshLists(), openSession(id)]);
  focusComposer();
}

export async function openFolder() {
  const folder = await attempt(backend.chooseFolder());
  if (folder) await startSession(folder);
}

export function showPanel(open: boolean) {
  if (!state.panel) return;
  if (!open) leavePanel();
  setState("panel", "open", open);
  if (!open) void flushDrafts();
}

/** Ctrl/Cmd+J: to the question from anywhere, and away from it when already there. */
export function togglePanel() {
  if (!state.panel) return;
  setState("view", "session");
  const panel = document.querySelector<HTMLElement>("[data-testid=question-panel]");
  if (!panel) showPanel(true);
  else if (panel.contains(document.activeElement)) showPanel(false);
  else panel.querySelector<HTMLElement>("h2")?.focus();
}

async function attempt<T>(call: Promise<T>): Promise<T | undefined> {
  setState("problem", "");
  try {
    return await call;
  } catch (error) {
    setState("problem", sentence(error));
    return undefined;
  }
}
