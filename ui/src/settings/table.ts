/** Every setting: what it is called, what follows from it, and what it can be. The page only draws this. */
import type { WindowSettings } from "../backend";
import { asking, DEFAULT_ASKING, DEFAULT_LOOK, look, saveSettings } from "../settings";
import { reload } from "../store";

export const SECTIONS = ["Asking", "Appearance", "Accessibility", "Shortcuts"] as const;
export type Section = (typeof SECTIONS)[number];
type Value = string | number | boolean;

export interface Setting {
  section: Section;
  name: string;
  /** What follows from it, in one sentence. */
  says: string;
  control: { kind: "choice"; choices: [value: Value, label: string][] } | Range;
  value: () => Value;
  initial: Value;
  /** Throws the backend's sentence when it cannot be kept. */
  save: (value: Value) => Promise<void>;
}
export interface Range {
  kind: "range";
  min: number;
  max: number;
  step: number;
  unit: string;
}

type Look = Required<WindowSettings>;
type Asking = typeof DEFAULT_ASKING;

const ofLook = (key: keyof Look) => ({
  value: () => look()[key],
  initial: DEFAULT_LOOK[key],
  save: (value: Value) => saveSettings({ window: { [key]: value } }),
});
const choice = <K extends keyof Look>(section: Section, key: K, name: string, says: string, choices: [Look[K], string][]): Setting => ({
  section,
  name,
  says,
  control: { kind: "choice", choices },
  ...ofLook(key),
});
const range = (section: Section, key: "text_size" | "guard_ms", name: string, says: string, control: Omit<Range, "kind">): Setting => ({
  section,
  name,
  says,
  control: { kind: "range", ...control },
  ...ofLook(key),
});
const rule = <K extends keyof Asking>(key: K, name: string, says: string, choices: [Asking[K], string][]): Setting => ({
  section: "Asking",
  name,
  says,
  control: { kind: "choice", choices },
  value: () => asking()[key],
  initial: DEFAULT_ASKING[key],
  save: async (value) => {
    await saveSettings({ [key]: value });
    // The question on screen is drawn by the rules that its session came with.
    await reload();
  },
});

export const SETTINGS: Setting[] = [
  choice("Asking", "panel_side", "Place of the question", "Where a question stands in a wide window; in a narrow one it comes from below.", [
    ["left", "Left"],
    ["right", "Right"],
  ]),
  choice("Asking", "questions", "Several questions", "Questions that are asked together are shown one after the other, or all on one page.", [
    ["one_per_page", "One at a time"],
    ["all", "All on one page"],
  ]),
  choice("Asking", "review", "Check before sending", "When your answers are listed once more before they are sent.", [
    ["several", "With two or more"],
    ["always", "Always"],
  ]),
  range("Asking", "guard_ms", "Pause before keys count", "For this long, a question that has just appeared takes no key that could answer it.", {
    min: 200,
    max: 5000,
    step: 100,
    unit: "ms",
  }),
  rule("strict_options", "Own words", "Whether questions of the tool AskUserQuestion also take an answer in your own words.", [
    [false, "Offered"],
    [true, "Options only"],
  ]),
  rule("validation", "Questions over their limits", "Sent back to the agent, or shortened and shown, which helps weak local models.", [
    ["strict", "Send back"],
    ["lenient", "Shorten"],
  ]),
  choice("Appearance", "theme", "Theme", "Light or dark; System follows your computer.", [
    ["system", "System"],
    ["light", "Light"],
    ["dark", "Dark"],
  ]),
  range("Appearance", "text_size", "Text size", "The size of all text.", { min: 80, max: 200, step: 10, unit: "%" }),
  choice("Appearance", "density", "Density", "Compact leaves less space between things, so that more fits.", [
    ["comfortable", "Comfortable"],
    ["compact", "Compact"],
  ]),
  choice("Accessibility", "contrast", "Contrast", "High makes text, borders and marks stand out more.", [
    ["system", "System"],
    ["high", "High"],
  ]),
  choice("Accessibility", "motion", "Motion", "Reduced keeps everything still.", [
    ["system", "System"],
    ["reduced", "Reduced"],
  ]),
  choice("Shortcuts", "send_key", "Send a message with", "The other way, Enter makes a new line.", [
    ["enter", "Enter"],
    ["modifier_enter", "Ctrl/Cmd + Enter"],
  ]),
];
