/** Saves a draft soon after it changes, and at once when asked. */
const DELAY_MS = 250;

export interface Saver {
  /** Something changed. */
  touch: () => void;
  /** Save now what has changed, if anything has. */
  flush: () => Promise<void>;
  /** What has changed was sent and needs no draft. */
  forget: () => void;
}

export function createSaver(save: () => Promise<unknown>): Saver {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const forget = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const flush = async () => {
    if (timer === undefined) return;
    forget();
    // A draft that could not be stored stays on screen; the next change tries again.
    await save().catch(() => undefined);
  };
  const touch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), DELAY_MS);
  };
  return { touch, flush, forget };
}
