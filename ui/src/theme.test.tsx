/** How the page looks, by what is set and by what the system asks for. */
import { screen } from "@solidjs/testing-library";
import { open } from "./testing/page";
import { calc } from "./testing/scenes";

const root = document.documentElement;
const system = window.matchMedia;
afterEach(() => void (window.matchMedia = system));

/** A system that asks for some things, and may change its mind. */
function systemAsks(...queries: string[]) {
  const media = new Map<string, MediaQueryList & { matches: boolean }>();
  window.matchMedia = (query) => {
    const made = Object.assign(new EventTarget(), { matches: queries.includes(query), media: query }) as MediaQueryList;
    media.set(query, made);
    return made;
  };
  return (query: string, matches: boolean) => {
    const changed = media.get(query);
    if (changed) Object.assign(changed, { matches }).dispatchEvent(new Event("change"));
  };
}

test("what is set is what is drawn", async () => {
  systemAsks();
  const window = { theme: "dark", contrast: "high", density: "compact", text_size: 150, motion: "reduced" } as const;
  await open({ snapshots: calc(), settings: { strict_options: false, window } });
  expect(root.dataset).toMatchObject({ theme: "dark", contrast: "high", density: "compact", motion: "reduced" });
  expect(root.style.fontSize).toBe("150%");
});

test("where nothing is set the system says, also when it changes", async () => {
  const change = systemAsks("(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(prefers-reduced-motion: reduce)");
  await open({ snapshots: calc() });
  expect(root.dataset).toMatchObject({ theme: "dark", contrast: "high", density: "comfortable", motion: "reduced" });
  change("(prefers-color-scheme: dark)", false);
  change("(prefers-contrast: more)", false);
  expect(root.dataset).toMatchObject({ theme: "light", contrast: "normal" });
});

test("a theme of one's own does not follow the system", async () => {
  const change = systemAsks();
  await open({ snapshots: calc(), settings: { strict_options: false, window: { theme: "light" } } });
  change("(prefers-color-scheme: dark)", true);
  expect(root.dataset["theme"]).toBe("light");
});

test("settings that cannot be read are spoken of, and the page works", async () => {
  await open({ snapshots: calc(), failing: { settings: "config.toml, line 3: expected a value" } });
  expect(screen.getByText("The settings could not be read: config.toml, line 3: expected a value")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "Message" })).toBeEnabled();
});
