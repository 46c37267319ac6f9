/** Every request that waits, in whatever session. */
import { For, Show } from "solid-js";
import type { OpenRequest } from "../backend";
import { age } from "../clock";
import { folderName, titleOf } from "../names";
import { permissionTitle } from "../question/PermissionBody";
import { QuestionText } from "../question/QuestionText";
import { openSession, state } from "../store";

export function Inbox() {
  return (
    <section class="inbox" aria-label="Inbox">
      <ul>
        <For each={state.inbox} fallback={<li class="empty">Questions from all sessions stand here while they wait.</li>}>
          {(request) => (
            <li>
              <InboxRow request={request} />
            </li>
          )}
        </For>
      </ul>
    </section>
  );
}

function InboxRow(props: { request: OpenRequest }) {
  const first = () => props.request.questions[0];
  const session = () => state.sessions.find((s) => s.session_id === props.request.session_id);
  const more = () => props.request.questions.length - 1;
  return (
    <button
      type="button"
      class="card inbox-row"
      data-testid="inbox-row"
      data-request={props.request.request_id}
      onClick={() => void openSession(props.request.session_id)}
    >
      <i aria-hidden="true" />
      <span>
        <b dir="auto">
          <Show when={first()?.subject} fallback={<QuestionText text={first()?.question ?? ""} />}>
            {(subject) => permissionTitle(subject())}
          </Show>
        </b>
        <small>
          <Show when={session()}>
            {(info) => (
              <>
                <bdi>{titleOf(info())}</bdi> · <bdi>{folderName(info().workspace)}</bdi> ·{" "}
              </>
            )}
          </Show>
          {more() > 0 ? `${more()} more with it · ` : ""}
          {age(props.request.opened_at)}
        </small>
      </span>
    </button>
  );
}
