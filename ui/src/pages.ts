/** The pages that take the conversation's place, and the way back. A question that waits stays as it is meanwhile. */
import { focusComposer, focusSoon } from "./focus";
import { setState, state } from "./store";

export const onPage = () => state.view === "settings" || state.view === "help";

/** Opens the settings at their search field; also when they are open. */
export function openSettings() {
  setState("view", "settings");
  focusSoon(() => document.querySelector<HTMLElement>("[data-testid=settings-search]"));
}

export function leavePage() {
  if (!onPage()) return;
  setState("view", "session");
  // An open question takes the focus as it comes back.
  if (!state.panel?.open) focusComposer();
}
