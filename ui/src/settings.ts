/**
 * What the user has set. It is kept by the backend in `config.toml`; the page holds a copy and draws by it. What is
 * changed here holds at once, and goes back to what it was if it cannot be kept.
 */
import { createSignal } from "solid-js";
import { backend, sentence, type Settings, type WindowSettings } from "./backend";

export const DEFAULT_LOOK: Required<WindowSettings> = {
  theme: "system",
  contrast: "system",
  density: "comfortable",
  text_size: 100,
  motion: "system",
  panel_side: "right",
  guard_ms: 400,
  questions: "one_per_page",
  review: "several",
  send_key: "enter",
};

type Asking = Omit<Required<Settings>, "window">;

export const DEFAULT_ASKING: Asking = { strict_options: false, validation: "strict" };

const [asking, setAsking] = createSignal(DEFAULT_ASKING);
const [look, setLook] = createSignal(DEFAULT_LOOK);
/** Why the settings could not be read, or "". The defaults hold then. */
const [unread, setUnread] = createSignal("");

export { asking, look, unread };

export async function loadSettings() {
  try {
    take(await backend.settings());
  } catch (error) {
    setUnread(`The settings could not be read: ${sentence(error)}`);
  }
}

type Change = Partial<Omit<Settings, "window">> & { window?: Partial<WindowSettings> };

/** One change at a time: what a failed one goes back to must not contain, or lose, another. */
let queue: Promise<void> = Promise.resolve();

/** Throws the backend's sentence when a change cannot be kept; then nothing has changed. */
export function saveSettings(change: Change): Promise<void> {
  const mine = queue.then(() => save(change));
  queue = mine.catch(() => undefined);
  return mine;
}

async function save(change: Change) {
  const before: Settings = { ...asking(), window: look() };
  const after: Settings = { ...before, ...change, window: { ...before.window, ...change.window } };
  take(after);
  try {
    await backend.saveSettings(after);
  } catch (error) {
    take(before);
    throw error;
  }
}

function take({ window, strict_options, validation }: Settings) {
  setAsking({ strict_options, validation: validation ?? DEFAULT_ASKING.validation });
  setLook({ ...DEFAULT_LOOK, ...window });
}
