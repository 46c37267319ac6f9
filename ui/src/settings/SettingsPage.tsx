/** The settings: each with what follows from it, found by its words, kept at once, and put back by one click. */
import { createSignal, createUniqueId, For, Show } from "solid-js";
import { sentence } from "../backend";
import { caps, type Shortcut, shortcuts } from "../shortcuts";
import { look, unread } from "../settings";
import { Figures, figuresMatch } from "./Figures";
import { type Range, SECTIONS, type Setting, SETTINGS } from "./table";

export function SettingsPage() {
  const [search, setSearch] = createSignal("");
  const finds = (...texts: string[]) => texts.join(" ").toLowerCase().includes(search().trim().toLowerCase());
  const found = (section: string) =>
    SETTINGS.filter((s) => s.section === section && finds(section, s.name, s.says, ...labels(s)));
  const keys = () =>
    shortcuts(look().send_key)
      .map(({ where, list }) => ({ where, list: list.filter((s) => finds("Shortcuts", where, s.does, caps(s.keys).join(" + "))) }))
      .filter(({ list }) => list.length > 0);
  const figures = () => figuresMatch(finds);
  const none = () => SETTINGS.every((s) => !found(s.section).includes(s)) && keys().length === 0 && !figures();

  return (
    <section class="page settings" aria-label="Settings" data-testid="settings">
      <input
        type="search"
        data-testid="settings-search"
        class="field-text"
        aria-label="Search the settings"
        placeholder="Search the settings…"
        value={search()}
        onInput={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || search() === "") return;
          event.preventDefault();
          setSearch("");
        }}
      />
      <Show when={unread()}>
        <p class="send-failure" dir="auto">{unread()}</p>
      </Show>
      <p class="empty" role="status">
        {none() ? "Nothing here has these words." : ""}
      </p>
      <For each={SECTIONS}>
        {(section) => (
          <Show when={found(section).length > 0 || (section === "Shortcuts" && keys().length > 0)}>
            <section aria-label={section}>
              <h2>{section}</h2>
              <For each={found(section)}>{(setting) => <SettingRow setting={setting} />}</For>
              <Show when={section === "Shortcuts"}>
                <For each={keys()}>{({ where, list }) => <Keys where={where} list={list} />}</For>
              </Show>
            </section>
          </Show>
        )}
      </For>
      <Show when={figures()}>
        <Figures />
      </Show>
    </section>
  );
}

const labels = ({ control }: Setting) => (control.kind === "choice" ? control.choices.map(([, label]) => label) : []);

function SettingRow(props: { setting: Setting }) {
  let control!: HTMLDivElement;
  const id = createUniqueId();
  const [failure, setFailure] = createSignal("");
  const changed = () => props.setting.value() !== props.setting.initial;

  async function save(value: Setting["initial"]) {
    setFailure("");
    try {
      await props.setting.save(value);
    } catch (error) {
      setFailure(sentence(error));
    }
  }

  return (
    <div class="setting" role="group" aria-labelledby={`${id}-name`} aria-describedby={`${id}-says`}>
      <div class="setting-words">
        <b id={`${id}-name`}>{props.setting.name}</b>
        <p id={`${id}-says`}>{props.setting.says}</p>
      </div>
      <div class="setting-control" ref={control}>
        <Show
          when={props.setting.control.kind === "choice" && props.setting.control}
          fallback={<Slider label={props.setting.name} range={props.setting.control as Range} value={Number(props.setting.value())} onChange={save} />}
        >
          {(control) => (
            <div class="seg">
              <For each={control().choices}>
                {([value, label]) => (
                  <label classList={{ on: props.setting.value() === value }}>
                    <input type="radio" name={id} class="sr" checked={props.setting.value() === value} onChange={() => void save(value)} />
                    {label}
                  </label>
                )}
              </For>
            </div>
          )}
        </Show>
        <Show when={changed()}>
          <button
            type="button"
            class="link"
            aria-label={`Reset ${props.setting.name}`}
            onClick={async () => {
              await save(props.setting.initial);
              control.querySelector<HTMLElement>("input:checked, input[type=range]")?.focus();
            }}
          >
            Reset
          </button>
        </Show>
      </div>
      <p class="send-failure" role="alert" hidden={failure() === ""}>
        <Show when={failure()}>
          <b>This was not kept:</b> <bdi>{failure()}</bdi>
        </Show>
      </p>
    </div>
  );
}

function Slider(props: { label: string; range: Range; value: number; onChange: (value: number) => void }) {
  // While it is drawn, only the number follows: a page that grows under the pointer cannot be aimed at.
  const [drawn, setDrawn] = createSignal<number>();
  const shown = () => drawn() ?? props.value;
  return (
    <label class="slider">
      <input
        type="range"
        aria-label={props.label}
        aria-valuetext={`${shown()} ${props.range.unit}`}
        min={props.range.min}
        max={props.range.max}
        step={props.range.step}
        value={props.value}
        onInput={(event) => setDrawn(event.currentTarget.valueAsNumber)}
        onChange={(event) => {
          setDrawn(undefined);
          props.onChange(event.currentTarget.valueAsNumber);
        }}
      />
      <output>
        {shown()} {props.range.unit}
      </output>
    </label>
  );
}

function Keys(props: { where: string; list: Shortcut[] }) {
  return (
    <>
      <h3>{props.where}</h3>
      <dl class="keys">
        <For each={props.list}>
          {(shortcut) => (
            <div>
              <dt>{shortcut.does}</dt>
              <dd>
                <For each={caps(shortcut.keys)}>{(cap) => <kbd>{cap}</kbd>}</For>
              </dd>
            </div>
          )}
        </For>
      </dl>
    </>
  );
}
