/** What one sees before there is any session. */
import { Show } from "solid-js";
import { openFolder, startSession } from "./actions";
import { state } from "./store";

export function Welcome() {
  return (
    <section class="welcome" data-testid="welcome">
      <span class="mark" aria-hidden="true" />
      <h1>A coding agent that acts on your say-so.</h1>
      <p class="lead">It reads, asks and edits in a folder you choose, and waits for your word before it changes or runs anything.</p>
      <Show when={state.problem}>
        <p class="send-failure" data-testid="problem" dir="auto">{state.problem}</p>
      </Show>
      <div class="acts">
        <button type="button" class="primary" onClick={() => void startSession(null)}>
          Try it now
        </button>
        <button type="button" class="quiet" onClick={() => void openFolder()}>
          Open a folder
        </button>
      </div>
      <p class="about">
        <b>Try it now</b> opens a copy of a small practice project with a scripted practice model. It works offline and
        needs no key.
      </p>
      <section class="connect">
        <h2>Connect a model</h2>
        <p>
          Set it in the settings file <code>config.toml</code>, with the key in <code>OPENAI_API_KEY</code>. A server on
          this computer needs no key.
        </p>
        <pre class="exact" tabindex="0" dir="ltr">{'model = "openai:NAME"\nbase_url = "https://…/v1"'}</pre>
      </section>
    </section>
  );
}
