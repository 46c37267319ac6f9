/**
 * The Rust side as tests play it: it answers commands from a scene, keeps what was called, and says what it
 * is told to say. Used in jsdom and in the browser tests; no part of the build.
 */
import { emit } from "@tauri-apps/api/event";
import { mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import type { OpenRequest, OutputChunk, SessionChunk, Settings, Snapshot } from "../backend";

export interface Scene {
  snapshots: Snapshot[];
  /** Commands that fail, with the sentence they fail with. */
  failing?: Record<string, string>;
  settings?: Settings;
}

type Call = [command: string, args: Record<string, unknown>];

export function playBackend(scene: Scene) {
  const calls: Call[] = [];
  const failing: Record<string, string> = { ...scene.failing };
  const snapshots = structuredClone(scene.snapshots);
  let settings: Settings = structuredClone(scene.settings ?? { strict_options: false });
  let heard: ((batch: SessionChunk[]) => void) | undefined;
  let seq = 1000;

  const snapshotOf = (id: unknown) => snapshots.find((s) => s.session.session_id === id);
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    follow: (args) => {
      heard = (args["onChunks"] as { onmessage: (batch: SessionChunk[]) => void }).onmessage;
      return null;
    },
    snapshot: (args) => structuredClone(snapshotOf(args["sessionId"])),
    sessions: () => structuredClone(snapshots.map((s) => s.session)),
    inbox: () => structuredClone(snapshots.flatMap((s) => s.requests)),
    start_session: () => {
      const fresh = newSnapshot();
      snapshots.push(fresh);
      return fresh.session.session_id;
    },
    settings: () => structuredClone(settings),
    save_settings: (args) => {
      settings = args["settings"] as Settings;
      return null;
    },
    send_question_response: (args) => {
      close(args["requestId"]);
      return null;
    },
  };

  mockWindows("main");
  mockIPC(
    (command, args) => {
      calls.push([command, args as Record<string, unknown>]);
      if (failing[command] !== undefined) return Promise.reject(failing[command]);
      return answers[command]?.(args as Record<string, unknown>) ?? null;
    },
    { shouldMockEvents: true },
  );

  function close(requestId: unknown) {
    for (const s of snapshots) s.requests = s.requests.filter((r) => r.request_id !== requestId);
  }

  return {
    calls,
    failing,
    /** The arguments of every call of one command. */
    called: (command: string) => calls.filter(([name]) => name === command).map(([, args]) => args),
    /** Says chunks of a session: logged ones get their number, streamed text and states have none. */
    say: (sessionId: string, ...chunks: OutputChunk[]) => {
      for (const chunk of chunks) if (chunk.type === "request_closed") close(chunk.request_id);
      heard?.(
        chunks.map((chunk) => ({
          session_id: sessionId,
          seq: chunk.type === "text" || chunk.type === "state_change" ? null : ++seq,
          at: Date.now(),
          chunk,
        })),
      );
    },
    /** Opens a request: in the store first, then as an event and as a chunk. */
    ask: async (request: OpenRequest) => {
      const snapshot = snapshotOf(request.session_id);
      snapshot?.requests.push(request);
      const { request_id, session_id, questions } = request;
      await emit("ask-user-question", { requestId: request_id, sessionId: session_id, questions });
      heard?.([{ session_id, seq: ++seq, at: Date.now(), chunk: { type: "ask_user_question", request_id, questions } }]);
    },
    snapshotOf,
  };
}

export function newSnapshot(change: Partial<Snapshot> = {}): Snapshot {
  return {
    session: {
      session_id: "s-new",
      title: "",
      workspace: "/home/ada/Documents/calc",
      folder: "~/Documents/calc",
      model: "practice",
      created_at: Date.now(),
      updated_at: Date.now(),
      waiting: 0,
      asked: { answered: 0, accepted_default: 0, revisited: 0 },
    },
    seq: 0,
    history: [],
    streaming: "",
    state: { type: "idle" },
    requests: [],
    draft: "",
    queued: [],
    elsewhere: false,
    settings: { strict_options: false },
    ...change,
  };
}
