/** Saves a draft soon after it changes, and at once when asked; says what became of it, and nothing before. */
import { createSignal } from "solid-js";
import { sentence } from "./backend";

const DELAY_MS = 250;

export interface Saver {
  /** Something changed. */
  touch: () => void;
  /** Save now what is not saved, if anything is not. */
  flush: () => Promise<void>;
  /** What has changed was sent and needs no draft. */
  forget: () => void;
  /** Whether the last change is stored, or why not; null while that is open. */
  outcome: () => "saved" | { why: string } | null;
}

export function createSaver(save: () => Promise<unknown>): Saver {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dirty = false;
  let changes = 0;
  const [outcome, setOutcome] = createSignal<ReturnType<Saver["outcome"]>>(null);
  const forget = () => {
    clearTimeout(timer);
    dirty = false;
    changes++;
    setOutcome(null);
  };
  const flush = async () => {
    if (!dirty) return;
    clearTimeout(timer);
    dirty = false;
    const mine = changes;
    try {
      await save();
      if (mine === changes) setOutcome("saved");
    } catch (error) {
      if (mine !== changes) return;
      // It stays on screen; the next change, or leaving it, tries again.
      dirty = true;
      setOutcome({ why: sentence(error) });
    }
  };
  const touch = () => {
    clearTimeout(timer);
    dirty = true;
    changes++;
    setOutcome(null);
    timer = setTimeout(() => void flush(), DELAY_MS);
  };
  return { touch, flush, forget, outcome };
}
