/** The pages that take the conversation's place, and the way back. A question that waits stays as it is meanwhile. */
import { focusComposer } from "./focus";
import { setState, state } from "./store";

export const onPage = () => state.view === "settings" || state.view === "help";

export const openSettings = () => setState("view", "settings");

export function leavePage() {
  if (!onPage()) return;
  setState("view", "session");
  focusComposer();
}
