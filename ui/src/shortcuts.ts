/**
 * The shortcuts, in one table: the key handlers ask it what a key means, and the settings list what is in it.
 * Keys are written as `Mod+J`; Mod is Command on a Mac and Control elsewhere.
 */
import type { SendKey } from "./backend";

export interface Shortcut {
  keys: string;
  does: string;
}

const WINDOW = {
  question: { keys: "Mod+J", does: "Go to the question that waits, or put it away" },
  stop: { keys: "Mod+.", does: "Stop the agent" },
  find: { keys: "Mod+F", does: "Find in the conversation" },
  settings: { keys: "Mod+,", does: "Open the settings" },
  help: { keys: "F1", does: "Open the help" },
} satisfies Record<string, Shortcut>;

/** What a key does wherever the focus is. */
export function windowShortcut(event: KeyboardEvent): keyof typeof WINDOW | undefined {
  return (Object.keys(WINDOW) as (keyof typeof WINDOW)[]).find((name) => matches(WINDOW[name].keys, event));
}

/** In the composer. */
export const sendKeys: Record<SendKey, { send: string; line: string }> = {
  enter: { send: "Enter", line: "Shift+Enter" },
  modifier_enter: { send: "Mod+Enter", line: "Enter" },
};

/** While one finds something in the conversation. */
export const FIND = {
  next: { keys: "Enter", does: "Go to the next place" },
  previous: { keys: "Shift+Enter", does: "Go to the place before" },
  close: { keys: "Escape", does: "Stop finding" },
} satisfies Record<string, Shortcut>;

/** In the question's panel, which looks them up in `question/keys.ts`; a test holds the two together. */
export const QUESTION: Shortcut[] = [
  { keys: "1", does: "Choose the first option, with 2 the second, and so on" },
  { keys: "ArrowUp", does: "Choose the option above" },
  { keys: "ArrowDown", does: "Choose the option below" },
  { keys: "Enter", does: "Take what is chosen, or what is suggested, and go on" },
  { keys: "Mod+Enter", does: "Submit all answers" },
  { keys: "Alt+ArrowLeft", does: "Go to the question before" },
  { keys: "Alt+ArrowRight", does: "Go to the next question" },
  { keys: "O", does: "Answer in your own words" },
  { keys: "M", does: "Add a note" },
  { keys: "S", does: "Skip this question" },
  { keys: "Mod+Z", does: "Undo the last choice" },
  { keys: "Escape", does: "Put the question away; it waits, and what you wrote is kept" },
];

/** Everything there is, as the settings list it. */
export function shortcuts(sendKey: SendKey): { where: string; list: Shortcut[] }[] {
  const { send, line } = sendKeys[sendKey];
  const writing = [
    { keys: send, does: "Send the message" },
    { keys: line, does: "Make a new line" },
    { keys: "ArrowUp", does: "Bring back your last message, when the field is empty" },
  ];
  return [
    { where: "Anywhere", list: Object.values(WINDOW) },
    { where: "In the message field", list: writing },
    { where: "While finding", list: Object.values(FIND) },
    { where: "In a question", list: QUESTION },
  ];
}

export function matches(keys: string, event: KeyboardEvent): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const mod = event.ctrlKey || event.metaKey;
  if (mod !== parts.includes("Mod") || event.altKey !== parts.includes("Alt")) return false;
  // A sign may need Shift on one keyboard and not on another; a named key does not.
  if (key.length > 1 && event.shiftKey !== parts.includes("Shift")) return false;
  return event.key.toLowerCase() === key.toLowerCase();
}

const isMac = navigator.userAgent.includes("Mac");
const CAPS: Record<string, string> = {
  Mod: isMac ? "⌘" : "Ctrl",
  Escape: "Esc",
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
};

/** The keys as they are printed on the keyboard. */
export const caps = (keys: string) => keys.split("+").map((key) => CAPS[key] ?? key);
