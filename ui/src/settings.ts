/**
 * What the user has set. It is kept by the backend in `config.toml`; the page holds a copy and draws by it. What is
 * changed here holds at once, and goes back to what it was if it cannot be kept.
 */
import { createSignal } from "solid-js";
import { backend, type Settings, type WindowSettings } from "./backend";

const DEFAULTS: Required<WindowSettings> = {
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

const [asking, setAsking] = createSignal<Omit<Required<Settings>, "window">>({ strict_options: false, validation: "strict" });
const [look, setLook] = createSignal(DEFAULTS);

export { asking, look };

/** Throws the backend's sentence when the settings cannot be read; then the defaults hold. */
export async function loadSettings() {
  take(await backend.settings());
}

/** Throws the backend's sentence when a change cannot be kept; then nothing has changed. */
export async function saveSettings(change: Partial<Omit<Settings, "window">> & { window?: Partial<WindowSettings> }) {
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
  setAsking({ strict_options, validation: validation ?? "strict" });
  setLook({ ...DEFAULTS, ...window });
}
