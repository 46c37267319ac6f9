/**
 * What the page knows: the sessions, what waits, and the conversation on screen. This module hears the
 * backend and keeps that up to date; what the person does is in `actions.ts`. Components only draw it.
 */
import { createStore, reconcile, unwrap } from "solid-js/store";
import { announce, announceNow } from "./announce";
import { type AgentState, backend, type OpenRequest, sentence, type SessionChunk, type SessionInfo } from "./backend";
import { timeOfDay } from "./clock";
import { type Closed, type Conversation, fromSnapshot, reduce, withRequest } from "./conversation";
import { leavePanel } from "./focus";
import { createForm, type Form } from "./question/form";
import { createSaver, type Saver } from "./saver";
import { endStrokes, isTyping } from "./typing";

export interface State {
  ready: boolean;
  sessions: SessionInfo[];
  /** Every request that waits, in any session. */
  inbox: OpenRequest[];
  /** What each session's agent was last heard to do. */
  states: Record<string, AgentState>;
  view: "session" | "inbox" | "settings" | "help";
  current: string | null;
  conversation: Conversation | null;
  /** The question on screen: the session's first request, as a panel or as a bar. */
  panel: { requestId: string; open: boolean } | null;
  composer: string;
  /** A quiet line about something that happened elsewhere. */
  notice: string;
  /** What could not be done, in the backend's words. */
  problem: string;
}

export const [state, setState] = createStore<State>({
  ready: false,
  sessions: [],
  inbox: [],
  states: {},
  view: "session",
  current: null,
  conversation: null,
  panel: null,
  composer: "",
  notice: "",
  problem: "",
});

export const shownRequest = () => state.conversation?.requests[0];

/** Whether the settings close off own words for a request; they do so for one ask tool only. */
export const isStrict = (request: OpenRequest | undefined) =>
  state.conversation?.settings.strict_options === true && request?.asker === "AskUserQuestion";

/** Requests answered from here, so that their end is no news. */
export const answeredHere = new Set<string>();

const forms = new Map<string, { form: Form; saver: Saver }>();
const composerTexts = new Map<string, string>();
export let composerSaver: Saver = createSaver(() => Promise.resolve());

/** A request's form, with its saver; the same one until the request is over. */
export function formFor(request: OpenRequest) {
  const known = forms.get(request.request_id);
  if (known) return known;
  const form = createForm(unwrap(request));
  const saver = createSaver(() => {
    const draft = form.draft();
    const { session_id, request_id } = form.request;
    return backend.saveDraft(session_id, request_id, draft.replies ?? {}, draft.comment ?? null, null);
  });
  const made = { form, saver };
  forms.set(request.request_id, made);
  return made;
}

export const flushDrafts = () =>
  Promise.all([composerSaver.flush(), ...[...forms.values()].map(({ saver }) => saver.flush())]);

export async function start() {
  try {
    await backend.onQuestion(({ requestId, questions, sessionId }) => {
      const c = unwrap(state.conversation);
      if (c && sessionId === state.current) {
        const heard = { request_id: requestId, session_id: sessionId, asker: "", opened_at: Date.now(), questions };
        show(withRequest(c, heard));
      }
      void refreshLists();
    });
    await backend.follow(hear);
    await refreshLists();
    const first = state.inbox[0]?.session_id ?? state.sessions[0]?.session_id;
    if (first) await openSession(first);
    const waiting = state.inbox.length;
    if (waiting > 0) announce(`${waiting} ${waiting === 1 ? "question is" : "questions are"} still waiting.`);
  } catch (error) {
    setState("problem", sentence(error));
  }
  setState("ready", true);
}

let refreshing: Promise<void> | undefined;
let refreshAgain = false;

/** Asks for the lists anew. Calls while one is under way are served together by one more. */
export function refreshLists(): Promise<void> {
  if (refreshing) {
    refreshAgain = true;
    return refreshing;
  }
  refreshing = Promise.all([backend.sessions(), backend.inbox()])
    .then(([sessions, inbox]) => {
      sessions.sort((a, b) => b.updated_at - a.updated_at);
      setState("sessions", reconcile(sessions, { key: "session_id" }));
      setState("inbox", reconcile(inbox, { key: "request_id" }));
    })
    .catch((error: unknown) => setState("problem", sentence(error)))
    .finally(() => {
      refreshing = undefined;
      if (refreshAgain) {
        refreshAgain = false;
        void refreshLists();
      }
    });
  return refreshing;
}

export function setComposer(text: string) {
  setState("composer", text);
  if (state.current) composerTexts.set(state.current, text);
  composerSaver.touch();
}

/** Takes what was sent out of its session's composer, and nothing that was written since. */
export function sent(session: string, text: string) {
  const written = session === state.current ? state.composer : composerTexts.get(session);
  if (!written?.startsWith(text)) return;
  const rest = written.slice(text.length).trimStart();
  if (session === state.current) return setComposer(rest);
  composerTexts.set(session, rest);
  void backend.saveDraft(session, null, null, null, rest).catch(() => undefined);
}

export async function openSession(id: string) {
  void flushDrafts();
  endStrokes();
  if (wordsReturn && state.current) composerTexts.delete(state.current);
  wordsReturn = false;
  composerSaver = createSaver(() => backend.saveDraft(id, null, null, null, composerTexts.get(id) ?? ""));
  setState({ view: "session", current: id, conversation: null, panel: null, notice: "", problem: "" });
  setState("composer", composerTexts.get(id) ?? "");
  await reload();
}

/** Chunks of the session on screen that came while its snapshot was on the way. */
let held: SessionChunk[] | null = null;
let reloads = 0;
/** A stop gave back what was typed into questions or queued: the stored draft holds more than the composer. */
let wordsReturn = false;

/** A stored draft, with what was written since. */
function merged(stored: string, written: string): string {
  let same = 0;
  while (same < written.length && written[same] === stored[same]) same++;
  return stored + written.slice(same);
}

/** Takes the session on screen from the store anew. */
export async function reload() {
  const id = state.current;
  if (!id) return;
  held ??= [];
  // Only the last one asked for counts: an earlier snapshot may be older than what was heard since.
  const mine = ++reloads;
  try {
    const snapshot = await backend.snapshot(id);
    if (mine !== reloads) return;
    // Text heard meanwhile is part of the snapshot's `streaming`.
    const later = (held ?? []).filter((c) => c.session_id === id && !(c.seq == null && c.chunk.type === "text"));
    held = null;
    setState("states", id, snapshot.state);
    if (wordsReturn) setComposer(merged(snapshot.draft, state.composer));
    else if (state.composer === "" && !composerTexts.has(id)) {
      setState("composer", snapshot.draft);
      composerTexts.set(id, snapshot.draft);
    }
    wordsReturn = false;
    show(later.reduce(reduce, fromSnapshot(snapshot)));
  } catch (error) {
    if (mine !== reloads) return;
    held = null;
    setState("problem", sentence(error));
  }
}

/** Applies a batch of what the agents said. */
function hear(batch: SessionChunk[]) {
  let c = unwrap(state.conversation);
  for (const said of batch) {
    if (said.chunk.type === "state_change") setState("states", said.session_id, said.chunk.state);
    // All that is heard of the state of a session that another program runs.
    if (said.chunk.type === "turn_ended") setState("states", said.session_id, { type: "idle" });
    if (listsChange(said)) void refreshLists();
    if (said.session_id !== state.current) continue;
    if (held) held.push(said);
    else if (c) c = reduce(c, said);
  }
  const before = unwrap(state.conversation);
  if (c && before && !held && c !== before) {
    // Asked before the store takes `c` over, which changes `before`.
    const gap = missesSomething(before, c) || (before.elsewhere && batch.some(runsHere));
    if (c.elsewhere) setState("states", c.session.session_id, c.state);
    show(c);
    if (gap) void reload();
  }
  for (const said of batch) {
    if (said.session_id === state.current) tell(said);
    else keepWords(said);
  }
}

function listsChange({ chunk }: SessionChunk): boolean {
  return ["user_message", "ask_user_question", "request_closed", "turn_ended"].includes(chunk.type);
}

/** States are told of sessions that this window runs, or could run now: the session on screen is no longer another program's. */
const runsHere = ({ session_id, chunk }: SessionChunk) => session_id === state.current && chunk.type === "state_change";

/** Whether a batch shows that the page has not heard everything, so that only a snapshot helps. */
function missesSomething(before: Conversation, next: Conversation): boolean {
  if (before.joinedMidway && next.items.length > before.items.length) return true;
  if (next.state === before.state || next.state.type !== "waiting_for_user_input") return false;
  const { request_id } = next.state;
  return !next.requests.some((r) => r.request_id === request_id);
}

function show(next: Conversation) {
  setState("conversation", reconcile(next, { key: "id" }));
  present();
}

/** Shows the first request: as a panel, or as a bar to someone who is typing. */
function present() {
  const request = shownRequest();
  if (request?.request_id === state.panel?.requestId) return;
  if (!request) {
    leavePanel();
    return setState("panel", null);
  }
  const open = !isTyping();
  setState({ panel: { requestId: request.request_id, open }, notice: "" });
  const question = request.questions[0];
  if (question?.irreversible) announceNow(`Confirmation needed: ${question.question} This cannot be undone.`);
  else if (!open || state.view !== "session") announce(`Question: ${question?.question ?? ""} Press ${modifier} J to answer.`);
}

const modifier = navigator.userAgent.includes("Mac") ? "Command" : "Control";

const joined = (...texts: string[]) => texts.filter((text) => text.trim() !== "").join("\n\n");

/** Keeps the words of a question that ends in a session that is not on screen. */
function keepWords({ session_id: id, chunk }: SessionChunk) {
  if (chunk.type === "turn_ended" && chunk.reason === "interrupted") composerTexts.delete(id);
  if (chunk.type !== "request_closed") return;
  const mine = forms.get(chunk.request_id);
  mine?.saver.forget();
  forms.delete(chunk.request_id);
  const stopped = Object.values(chunk.outcomes).includes("interrupted");
  if (answeredHere.delete(chunk.request_id) || stopped || !mine || mine.form.words() === "") return;
  const text = joined(composerTexts.get(id) ?? "", mine.form.words());
  composerTexts.set(id, text);
  void backend.saveDraft(id, null, null, null, text).catch(() => undefined);
}

/** Says and does what follows from a chunk of the session on screen, beyond its place in the list. */
function tell({ chunk, at }: SessionChunk) {
  if (chunk.type === "request_closed") {
    const mine = forms.get(chunk.request_id);
    mine?.saver.forget();
    forms.delete(chunk.request_id);
    if (answeredHere.delete(chunk.request_id)) return;
    setState("notice", closedElsewhere(chunk, at));
    // Words that were not sent must not go with their question. After a stop the backend returns them.
    const stopped = Object.values(chunk.outcomes).includes("interrupted");
    if (mine && !stopped) setComposer(joined(state.composer, mine.form.words()));
  } else if (chunk.type === "turn_ended") {
    const last = state.conversation?.items.findLast((i) => i.kind === "agent");
    if (chunk.reason === "done" && last?.kind === "agent") {
      const paragraphs = last.text.split(/\n\s*\n/).length;
      announce(`Agent replied, ${paragraphs} ${paragraphs === 1 ? "paragraph" : "paragraphs"}.`);
    } else if (chunk.reason === "interrupted") {
      announce("Stopped. The agent ended its turn.");
      // What was typed into the question comes back as the composer's draft.
      wordsReturn = true;
      void reload();
    }
  } else if (chunk.type === "error") {
    announceNow(`${chunk.message} ${chunk.remedy}`);
  }
}

function closedElsewhere(closed: Closed, at: number): string {
  const outcomes = Object.values(closed.outcomes);
  if (outcomes.every((o) => o === "interrupted")) return "";
  if (outcomes.every((o) => o === "orphaned")) return "The agent stopped waiting.";
  const time = timeOfDay(at);
  if (closed.by === "autonomous") return `Decided by autonomous mode · ${time}`;
  if (closed.by.startsWith("rule:")) return `Decided by the rule ${closed.by.slice(5)} · ${time}`;
  return closed.via === "terminal" ? `Answered in the terminal · ${time}` : `Answered in another window · ${time}`;
}
