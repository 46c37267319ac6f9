/**
 * The edge to the Rust side: the only hand-written file that imports Tauri. `bindings.ts` beside it is
 * generated; everything else in the page imports from here and can be tested without a window.
 */
import { Channel } from "@tauri-apps/api/core";
import { open } from "@tauri-apps/plugin-dialog";
import { openUrl } from "@tauri-apps/plugin-opener";
import { type AskUserQuestion, commands, events, type SessionChunk } from "./bindings";

export type * from "./bindings";

export const backend = {
  ...commands,

  /** Hears every question as it is asked; a convenience, since snapshots and chunks carry the same. */
  onQuestion: (heard: (question: AskUserQuestion) => void) =>
    events.askUserQuestion.listen((event) => heard(event.payload)),

  /** One stream for all sessions, at most one batch a frame. */
  follow: (onChunks: (batch: SessionChunk[]) => void) => {
    const channel = new Channel<SessionChunk[]>();
    channel.onmessage = onChunks;
    return commands.follow(channel);
  },

  /** The folder the person picked, or null. */
  chooseFolder: () => open({ directory: true, multiple: false, title: "Choose a folder to work in" }),

  /** Opens a link outside of the window, which shows nothing but Sayso. */
  openLink: (url: string) => openUrl(url),
};

/** Errors cross as plain sentences; anything else is put into words here, once. */
export function sentence(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : String(error);
}
