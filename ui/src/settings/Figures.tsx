/** How the questions of each session were answered. Both extremes cost, so both are shown. */
import { For, Show } from "solid-js";
import { titleOf } from "../names";
import { state } from "../store";

const NAME = "About your answers";
const SAYS =
  "If you often take what is suggested, the agent asks too much. If you often revisit an answer, it understands too little.";

export const figuresMatch = (finds: (...texts: string[]) => boolean) => finds(NAME, SAYS);

export function Figures() {
  const asked = () => state.sessions.filter((session) => session.asked.answered > 0);
  return (
    <section aria-label={NAME}>
      <h2>{NAME}</h2>
      <p class="says">{SAYS}</p>
      <Show when={asked().length > 0} fallback={<p class="empty">You have not answered a question yet.</p>}>
        <table class="figures">
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Answered</th>
              <th scope="col">As suggested</th>
              <th scope="col">Revisited</th>
            </tr>
          </thead>
          <tbody>
            <For each={asked()}>
              {(session) => (
                <tr>
                  <th scope="row" dir="auto">{titleOf(session)}</th>
                  <td>{session.asked.answered}</td>
                  <td>{share(session.asked.accepted_default, session.asked.answered)}</td>
                  <td>{share(session.asked.revisited, session.asked.answered)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </Show>
    </section>
  );
}

/** "3 (25 %)" */
const share = (part: number, of: number) => `${part} (${Math.round((100 * part) / of)} %)`;
