/** One tool call in one line, with its input and output behind it. */
import { createSignal, createUniqueId, Match, Show, Switch } from "solid-js";
import { duration } from "../clock";
import { isAskTool, type ToolItem } from "../conversation";
import { state } from "../store";
import { between, counts } from "../text/diff";
import { Diff, Exact } from "../text/Exact";

const SHOWN_LINES = 200;

type Phase = "running" | "waiting" | "ok" | "failed" | "blocked" | "stopped";
const ICON: Record<Phase, string> = { running: "", waiting: "", ok: "✓", failed: "✕", blocked: "⊘", stopped: "■" };
const VERBS: Record<string, [doing: string, done: string, not: string]> = {
  read_file: ["Reading", "Read", "Read"],
  edit_file: ["Editing", "Edited", "Edit"],
  run_command: ["Running", "Ran", "Run"],
};

export function ToolCard(props: { item: ToolItem }) {
  const id = createUniqueId();
  const input = () => (props.item.input ?? {}) as Record<string, unknown>;
  const text = (name: string) => {
    const value = input()[name];
    return typeof value === "string" ? value : undefined;
  };
  const phase = (): Phase => {
    const { result, callId } = props.item;
    if (!result) {
      const permits = (state.conversation?.requests ?? []).flatMap((r) => r.questions);
      return permits.some((q) => q.subject?.call_id === callId) ? "waiting" : "running";
    }
    if (result.ok) return "ok";
    if (result.blocked_by) return "blocked";
    return result.text === "Interrupted" ? "stopped" : "failed";
  };
  const verb = () => {
    const [doing, done, not] = VERBS[props.item.tool] ?? ["Using", "Used", "Use"];
    return { running: doing, waiting: not, ok: done, failed: not, blocked: not, stopped: not }[phase()];
  };
  const object = () => {
    if (!VERBS[props.item.tool]) return props.item.tool;
    return text("command") ?? text("path") ?? "";
  };
  const diff = () => {
    const [before, after] = [text("old_text"), text("new_text")];
    return props.item.tool === "edit_file" && before !== undefined && after !== undefined ? between(before, after) : null;
  };
  const facts = () => {
    const { result, tool } = props.item;
    const took = result?.took_ms == null ? [] : [duration(result.took_ms)];
    switch (phase()) {
      case "running":
        return "running";
      case "waiting":
        return "waits for your permission";
      case "blocked":
        return "did not run";
      case "stopped":
        return "Stopped";
      case "failed":
        return ["failed", ...took].join(" · ");
      case "ok": {
        const lines = tool === "read_file" ? [lineCount(result?.text ?? "")] : [];
        const edit = diff();
        return [...lines, ...(edit ? [counts(edit)] : []), ...took].join(" · ");
      }
    }
  };
  // A change is worth seeing at once; other output is there when one wants it.
  const [toggled, setToggled] = createSignal<boolean>();
  const open = () => toggled() ?? (phase() === "ok" && diff() !== null);

  return (
    <article class={`tool ${phase()}`} data-testid="tool-card" data-tool={props.item.tool} data-phase={phase()}>
      <button
        type="button"
        class="tool-line"
        aria-expanded={open()}
        aria-controls={open() ? id : undefined}
        onClick={() => setToggled(!open())}
      >
        <span class="icon" aria-hidden="true">{ICON[phase()]}</span>
        <span class="what">
          {verb()} <code dir="ltr"><Exact text={object()} /></code>
        </span>
        <small>{facts()}</small>
        <span class="twist" aria-hidden="true" />
      </button>
      <Show when={open()}>
        <div class="tool-details" id={id}>
          <Switch fallback={<Output label="Input" text={JSON.stringify(props.item.input, null, 2)} />}>
            <Match when={diff()}>{(lines) => <Diff lines={lines()} />}</Match>
            <Match when={text("command")}>{(command) => <Output label="Command" text={command()} />}</Match>
            <Match when={VERBS[props.item.tool]}>{null}</Match>
          </Switch>
          <Show when={props.item.result && !(phase() === "ok" && diff()) && phase() !== "stopped"}>
            <Output label={phase() === "blocked" ? "The agent was told" : "Output"} text={props.item.result?.text ?? ""} />
          </Show>
        </div>
      </Show>
    </article>
  );
}

/** An ask tool whose call could not become a question: the only trace of it. */
export function FaultyAsk(props: { item: ToolItem }) {
  const first = () => props.item.result?.text.split("\n", 1)[0] ?? "";
  return (
    <article class="tool blocked alone" data-testid="faulty-ask">
      <p class="tool-line">
        <span class="icon" aria-hidden="true">!</span>
        <span class="what">
          Asked in a form that can't be shown: <bdi>{first()}</bdi> The agent was told.
        </span>
      </p>
    </article>
  );
}

/** Ask tools are shown by their request's card; see `FaultyAsk` for those that never got one. */
export function faultyAsk(item: ToolItem): boolean {
  return isAskTool(item.tool) && !item.asked && item.result?.ok === false && item.result.text !== "Interrupted";
}

function Output(props: { label: string; text: string }) {
  const [whole, setWhole] = createSignal(false);
  const lines = () => props.text.replace(/\n$/, "").split("\n");
  const shown = () => (whole() ? lines() : lines().slice(0, SHOWN_LINES)).join("\n");
  return (
    <figure class="output">
      <figcaption>{props.label}</figcaption>
      <pre class="exact" tabindex="0" dir="ltr">
        <Show when={props.text !== ""} fallback="(nothing)">
          <Exact text={shown()} />
        </Show>
      </pre>
      <Show when={!whole() && lines().length > SHOWN_LINES}>
        <button type="button" class="link" onClick={() => setWhole(true)}>
          Show all {lines().length} lines
        </button>
      </Show>
    </figure>
  );
}

function lineCount(text: string): string {
  const count = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
  return count === 1 ? "1 line" : `${count} lines`;
}
