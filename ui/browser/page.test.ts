/** Every state of the page in a real browser: accessible, and pictured for people to look at. */
import { execSync } from "node:child_process";
import { AxeBuilder } from "@axe-core/playwright";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { createServer, type ViteDevServer } from "vite";
import { states } from "./states";

const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 480, height: 800 } };
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let server: ViteDevServer;
let browser: Browser;

beforeAll(async () => {
  server = await createServer({ server: { port: 0, strictPort: false }, logLevel: "error" });
  await server.listen();
  browser = await chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? execSync("command -v chromium", { encoding: "utf8" }).trim(),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  context = await browser.newContext({ locale: "en-GB" });
});
afterAll(async () => {
  await browser.close();
  await server.close();
});

/** One context for all tests, so that the page's modules are loaded once. */
let context: BrowserContext;

async function open(state: string, size: { width: number; height: number }, colorScheme: "light" | "dark"): Promise<Page> {
  const page = await context.newPage();
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  const address = server.httpServer?.address();
  if (!address || typeof address === "string") throw new Error("the server has no port");
  await page.goto(`http://127.0.0.1:${address.port}/browser/mock.html#${state}`);
  await page.waitForSelector("html[data-ready='1']");
  await page.evaluate(() => document.fonts.ready);
  return page;
}

const dialog = (page: Page) => page.getByRole("dialog");
/** The panel holds deciding keys back for a moment, and says for how long. */
const pastGuard = (page: Page) => page.waitForSelector("[data-testid=question-panel][data-guarded=false]");

/** Ways into states that are not reached by loading alone. */
const steps: Record<string, { from: string; to: (page: Page) => Promise<void> }> = {
  other: {
    from: "single",
    to: async (page) => {
      await page.getByRole("radio", { name: "Other…" }).click();
      await page.getByLabel("Your own words").fill("Return NaN, and say so in the docs.");
      await page.getByRole("button", { name: "+ Note" }).click();
      await page.getByLabel("Note").fill("The callers in billing check for it already.");
    },
  },
  review: {
    from: "single",
    to: async (page) => {
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("radio", { name: /English/ }).click();
      await page.getByRole("button", { name: "Next" }).click();
      await page.getByRole("heading", { name: "Check your answers" }).waitFor();
    },
  },
  invalid: {
    from: "multi",
    to: (page) => page.getByRole("button", { name: "Submit" }).click(),
  },
  collapsed: {
    from: "single",
    to: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByTestId("question-bar").waitFor();
    },
  },
  "not-delivered": {
    from: "failed",
    to: async (page) => {
      await page.getByRole("button", { name: "Submit" }).click();
      await page.getByTestId("question-failure").waitFor();
    },
  },
  rejecting: {
    from: "edit",
    to: async (page) => {
      await page.getByRole("button", { name: /^Reject/ }).click();
      await page.getByLabel(/Tell the agent why/).fill("Return null instead.");
    },
  },
  stopping: {
    from: "single",
    to: async (page) => {
      await page.getByRole("radio", { name: "Return null" }).click();
      await page.getByRole("button", { name: "Cancel and stop the agent" }).click();
    },
  },
  inbox: {
    from: "single",
    to: async (page) => {
      const menu = page.getByRole("button", { name: "Sessions" });
      if (await menu.isVisible()) await menu.click();
      await page.getByRole("button", { name: /^Inbox/ }).click();
      await page.getByTestId("inbox-row").waitFor();
    },
  },
  settings: {
    from: "chat",
    to: async (page) => {
      await page.keyboard.press("Control+,");
      await page.getByTestId("settings").waitFor();
    },
  },
  "settings-end": {
    from: "high",
    to: async (page) => {
      await page.keyboard.press("Control+,");
      await page.getByRole("table").scrollIntoViewIfNeeded();
    },
  },
  "settings-not-kept": {
    from: "unkept",
    to: async (page) => {
      await page.keyboard.press("Control+,");
      await page.getByText("Compact", { exact: true }).click();
      await page.getByText("This was not kept").waitFor();
    },
  },
  help: {
    from: "chat",
    to: async (page) => {
      await page.keyboard.press("F1");
      await page.getByTestId("help").waitFor();
    },
  },
  draft: {
    from: "chat",
    to: async (page) => {
      await page.getByTestId("composer").fill("Half a thought,\nin two lines");
      await page.getByText("Draft saved").waitFor();
    },
  },
  "draft-unsaved": {
    from: "undrafted",
    to: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByTestId("composer").fill("Half a thought");
      await page.getByText("Your draft is not saved").waitFor();
    },
  },
  find: {
    from: "chat",
    to: async (page) => {
      await page.keyboard.press("Control+f");
      await page.getByTestId("find").fill("divide");
      await page.keyboard.press("Enter");
    },
  },
  undecided: {
    from: "single",
    to: async (page) => {
      await page.keyboard.press("Escape");
      await page.getByTestId("composer").fill("And while you are at it");
      await page.evaluate(() => {
        const { backend } = window as unknown as { backend: { say: (...args: unknown[]) => void; ask: (r: unknown) => Promise<void>; snapshotOf: (id: string) => { requests: object[] } } };
        const [first] = backend.snapshotOf("s1").requests;
        backend.say("s1", { type: "request_closed", request_id: "r1", outcomes: {}, answers: {}, by: "person", via: "terminal" });
        return backend.ask({ ...first, request_id: "r2" });
      });
      await page.getByTestId("composer-choice").waitFor();
    },
  },
};

const all = [
  ...Object.keys(states).map((name) => ({ name, from: name, to: () => Promise.resolve() })),
  ...Object.entries(steps).map(([name, step]) => ({ name, ...step })),
];

describe.each(["light", "dark"] as const)("%s", (theme) => {
  describe.each(Object.entries(SIZES))("%s", (sizeName, size) => {
    test.each(all)("$name", async ({ name, from, to }) => {
      const page = await open(from, size, theme);
      await to(page);
      await page.screenshot({ path: `shots/${name}-${sizeName}-${theme}.png` });
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      expect(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).join(", ")}`)).toEqual([]);
      await page.close();
    });
  });
});

test("between the two sizes the panel docks below the conversation, which still scrolls", async () => {
  const page = await open("single", { width: 900, height: 800 }, "light");
  const panel = await dialog(page).boundingBox();
  const log = await page.getByRole("log").boundingBox();
  await page.screenshot({ path: "shots/single-medium-light.png" });
  expect(panel?.y).toBeGreaterThanOrEqual((log?.y ?? 0) + (log?.height ?? 0));
  expect(panel?.height).toBeLessThanOrEqual(401);
  expect(log?.height).toBeGreaterThan(100);
  await page.close();
});

test("at 400 % zoom nothing is cut off, and the answer can be reached", async () => {
  const page = await open("long", { width: 320, height: 256 }, "light");
  await page.getByRole("radio").first().check();
  await page.getByRole("button", { name: /Submit/ }).scrollIntoViewIfNeeded();
  await page.screenshot({ path: "shots/long-tiny-light.png" });
  const wide = () => [...document.querySelectorAll(".panel *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest("svg, .sr"));
  expect(await page.evaluate(`(${wide.toString()})().length`)).toBe(0);
  await page.getByRole("button", { name: /Submit/ }).click();
  await dialog(page).waitFor({ state: "detached" });
  await page.close();
});

test("what is found is drawn, and led to, also where a span of code begins", async () => {
  const page = await open("chat", SIZES.narrow, "light");
  await page.keyboard.press("Control+f");
  await page.getByTestId("find").fill("today divide(1");
  await page.getByText("1 of 1").waitFor();
  const drawn = await page.evaluate(() => [...(CSS.highlights.get("found-current") ?? [])].map((range) => String(range)));
  expect(drawn).toEqual(["Today divide(1"]);
  expect(await page.locator("[data-found]").evaluate((e) => e.getBoundingClientRect().top >= 0)).toBe(true);
  await page.keyboard.press("Escape");
  expect(await page.evaluate(() => CSS.highlights.get("found-current")?.size)).toBe(0);
  await page.close();
});

test("by keyboard alone, from arrival to the answer", async () => {
  const page = await open("single", SIZES.wide, "light");
  await dialog(page).waitFor();
  await pastGuard(page);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByText("Question 2 of 2").waitFor();
  await pastGuard(page);
  await page.keyboard.press("1");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Check your answers" }).waitFor();
  await pastGuard(page);
  await page.keyboard.press("Control+Enter");
  await dialog(page).waitFor({ state: "detached" });
  const sent = await page.evaluate(() =>
    (window as unknown as { backend: { called: (c: string) => unknown[] } }).backend.called("send_question_response"),
  );
  expect(sent).toEqual([
    {
      requestId: "r1",
      answers: { "Zero case": "Return null", Language: "English (Recommended)" },
      replies: {
        "Zero case": { act: "chosen", selected: ["null"] },
        Language: { act: "chosen", selected: ["English (Recommended)"] },
      },
      comment: null,
    },
  ]);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("data-testid"))).toBe("composer");
  await page.close();
});
