/** The settings: opened from anywhere, found by their words, kept at once, put back, and honest when not kept. */
import { fireEvent, screen, within } from "@solidjs/testing-library";
import { actionOf } from "../question/keys";
import { matches, QUESTION } from "../shortcuts";
import { open } from "../testing/page";
import { calc, request, zeroCase } from "../testing/scenes";

const row = (name: string) => within(screen.getByRole("group", { name }));
const page = () => screen.queryByTestId("settings");

async function opened(scene: Parameters<typeof open>[0] = { snapshots: calc() }) {
  const page = await open(scene);
  await page.user.keyboard("{Control>},{/Control}");
  return page;
}

test("Ctrl+, opens the settings, Escape leads back to the message field", async () => {
  const { user } = await opened();
  expect(screen.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  expect(screen.getByRole("searchbox")).toHaveFocus();
  await user.keyboard("{Escape}");
  expect(page()).not.toBeInTheDocument();
  expect(screen.getByRole("textbox", { name: "Message" })).toHaveFocus();
});

test("the side list opens them too, also before there is a session", async () => {
  const { user } = await open({ snapshots: [] });
  await user.click(screen.getByRole("button", { name: "Settings" }));
  expect(page()).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: /Close/ }));
  expect(screen.getByTestId("welcome")).toBeInTheDocument();
});

test("a question that waits is neither answered nor lost behind the settings", async () => {
  const { backend, user } = await opened({ snapshots: calc({ requests: [request([zeroCase])] }) });
  expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  await user.keyboard("{Escape}");
  const question = within(screen.getByRole("dialog")).getByRole("heading", { name: /divide/ });
  await vi.waitFor(() => expect(question).toHaveFocus());
  expect(backend.called("send_question_response")).toEqual([]);
});

test("a question that comes meanwhile is announced, and leaves the settings open", async () => {
  const { backend } = await opened();
  await backend.ask(request([zeroCase]));
  expect(await screen.findByText("Question: What should `divide(1, 0)` do? Press Control J to answer.")).toHaveAttribute("aria-live", "polite");
  expect(page()).toBeInTheDocument();
});

test("a change holds at once and is kept with all the others", async () => {
  const { backend, user } = await opened({ snapshots: calc(), settings: { strict_options: true, window: { density: "compact" } } });
  await user.click(row("Theme").getByRole("radio", { name: "Dark" }));
  expect(document.documentElement.dataset["theme"]).toBe("dark");
  expect(backend.called("save_settings").at(-1)).toMatchObject({
    settings: { strict_options: true, validation: "strict", window: { theme: "dark", density: "compact" } },
  });
});

test("the text size follows its slider when it is let go", async () => {
  const { backend } = await opened();
  const slider = row("Text size").getByRole("slider");
  fireEvent.input(slider, { target: { value: "150" } });
  expect(row("Text size").getByText("150 %")).toBeVisible();
  expect(document.documentElement.style.fontSize).toBe("100%");
  fireEvent.change(slider, { target: { value: "150" } });
  await vi.waitFor(() => expect(document.documentElement.style.fontSize).toBe("150%"));
  expect(backend.called("save_settings").at(-1)).toMatchObject({ settings: { window: { text_size: 150 } } });
});

test("V-31: own words can be closed off, and the question on screen follows", async () => {
  const { backend, user } = await opened({ snapshots: calc({ requests: [request([zeroCase])] }) });
  const snapshot = backend.snapshotOf("s1");
  if (snapshot) snapshot.settings = { strict_options: true };
  await user.click(row("Own words").getByRole("radio", { name: "Options only" }));
  expect(backend.called("save_settings").at(-1)).toMatchObject({ settings: { strict_options: true } });
  await user.keyboard("{Escape}");
  await vi.waitFor(() => expect(screen.queryByRole("radio", { name: "Other…" })).not.toBeInTheDocument());
});

test("what cannot be kept goes back to what it was, and says why", async () => {
  const { backend, user } = await opened({ snapshots: calc(), failing: { save_settings: "config.toml is read-only" } });
  await user.click(row("Density").getByRole("radio", { name: "Compact" }));
  expect(row("Density").getByRole("alert")).toHaveTextContent("This was not kept: config.toml is read-only");
  expect(row("Density").getByRole("radio", { name: "Comfortable" })).toBeChecked();
  expect(document.documentElement.dataset["density"]).toBe("comfortable");
  delete backend.failing["save_settings"];
  await user.click(row("Density").getByRole("radio", { name: "Compact" }));
  expect(screen.queryByText(/This was not kept/)).not.toBeInTheDocument();
});

test("two changes that cannot be kept leave neither behind", async () => {
  await opened({ snapshots: calc(), failing: { save_settings: "the disk is full" } });
  fireEvent.click(row("Contrast").getByRole("radio", { name: "High" }));
  fireEvent.click(row("Motion").getByRole("radio", { name: "Reduced" }));
  await vi.waitFor(() => expect(screen.getAllByText("the disk is full")).toHaveLength(2));
  expect(row("Contrast").getByRole("radio", { name: "System" })).toBeChecked();
  expect(row("Motion").getByRole("radio", { name: "System" })).toBeChecked();
});

test("only what was changed can be reset, and the focus stays with it", async () => {
  const { backend, user } = await opened({ snapshots: calc(), settings: { strict_options: false, window: { theme: "dark" } } });
  expect(screen.getAllByRole("button", { name: /^Reset/ })).toHaveLength(1);
  await user.click(screen.getByRole("button", { name: "Reset Theme" }));
  expect(backend.called("save_settings").at(-1)).toMatchObject({ settings: { window: { theme: "system" } } });
  expect(row("Theme").getByRole("radio", { name: "System" })).toHaveFocus();
  expect(screen.queryByRole("button", { name: /^Reset/ })).not.toBeInTheDocument();
});

test("settings are found by their names, what they say, their choices, and their section", async () => {
  const { user } = await opened();
  const names = () => screen.queryAllByRole("group").map((group) => within(group).getAllByText(/./)[0]?.textContent);
  await user.keyboard("compact");
  expect(names()).toEqual(["Density"]);
  await user.clear(screen.getByRole("searchbox"));
  await user.keyboard("accessib");
  expect(names()).toEqual(["Contrast", "Motion"]);
  await user.clear(screen.getByRole("searchbox"));
  await user.keyboard("xylophone");
  expect(names()).toEqual([]);
  expect(screen.getByText("Nothing here has these words.")).toBeVisible();
  await user.keyboard("{Escape}");
  expect(names()).toHaveLength(12);
});

test("the shortcuts are listed as they are set", async () => {
  const { user } = await opened();
  const keysOf = (does: string) => screen.getByText(does).nextElementSibling?.textContent;
  expect(keysOf("Stop the agent")).toBe("Ctrl.");
  expect(keysOf("Send the message")).toBe("Enter");
  await user.click(row("Send a message with").getByRole("radio", { name: "Ctrl/Cmd + Enter" }));
  expect(keysOf("Send the message")).toBe("CtrlEnter");
});

test.each(QUESTION)("$keys in a question means something there", ({ keys }) => {
  const parts = keys.split("+");
  const event = new KeyboardEvent("keydown", {
    key: parts.at(-1) ?? "",
    ctrlKey: parts.includes("Mod"),
    altKey: parts.includes("Alt"),
  });
  expect(matches(keys, event)).toBe(true);
  expect(actionOf(event, false)).not.toBeNull();
});

test("C-16: per session, how often the suggestion was taken and how often an answer was revisited", async () => {
  const [first, ...others] = calc();
  if (!first) throw new Error("a session is missing");
  first.session.asked = { answered: 12, accepted_default: 9, revisited: 3 };
  await opened({ snapshots: [first, ...others] });
  const figures = within(screen.getByRole("table"));
  const cells = within(figures.getByRole("row", { name: /Add a guard/ })).getAllByRole("cell");
  expect(cells.map((cell) => cell.textContent)).toEqual(["12", "9 (75 %)", "3 (25 %)"]);
  expect(figures.getAllByRole("row")).toHaveLength(2);
});

test("C-16: without any answer there is nothing to count", async () => {
  await opened({ snapshots: [] });
  expect(screen.getByText("You have not answered a question yet.")).toBeVisible();
});
