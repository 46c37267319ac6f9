/** What the conversation shows and says of long messages, failures, retries and replies. */
import { screen, within } from "@solidjs/testing-library";
import type { OutputChunk } from "../backend";
import { open } from "../testing/page";
import { calc } from "../testing/scenes";

const pasted = Array.from({ length: 500 }, (_, i) => `line ${i + 1}`).join("\n");

test("a very long message shows its beginning, and all of it on demand", async () => {
  const { user } = await open({ snapshots: calc({}, [{ type: "user_message", text: pasted }]) });
  const message = screen.getAllByTestId("user-message").at(-1) as HTMLElement;
  expect(message.querySelector(".capped")).not.toBeNull();
  await user.click(within(message).getByRole("button", { name: "Show all 500 lines" }));
  expect(message.querySelector(".capped")).toBeNull();
  expect(within(message).queryByRole("button")).not.toBeInTheDocument();
});

test("one long line is long too, and short messages are left alone", async () => {
  await open({ snapshots: calc({}, [{ type: "text", text: "word ".repeat(5000) }]) });
  expect(screen.getAllByRole("button", { name: "Show all of this message" })).toHaveLength(1);
});

test("a long reply that one sees come is not taken away when it ends", async () => {
  const { backend } = await open({ snapshots: calc({ state: { type: "thinking" } }) });
  backend.say("s1", { type: "text", text: pasted });
  expect(await screen.findByText(/line 500/)).toBeInTheDocument();
  backend.say("s1", { type: "turn_ended", reason: "done" }, { type: "state_change", state: { type: "idle" } });
  await vi.waitFor(() => expect(screen.queryByTestId("status-bar")).not.toBeInTheDocument());
  expect(screen.queryByRole("button", { name: /Show all/ })).not.toBeInTheDocument();
});

test("finding a word in the hidden part of a long message shows it", async () => {
  const { user } = await open({ snapshots: calc({}, [{ type: "user_message", text: pasted }]) });
  await user.keyboard("{Control>}f{/Control}line 499");
  expect(screen.getByText("1 of 1")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Show all 500 lines" })).not.toBeInTheDocument();
});

const failed: OutputChunk[] = [
  { type: "error", message: "The provider refused this key.", remedy: "Replace OPENAI_API_KEY and try again." },
  { type: "turn_ended", reason: "failed" },
];

test("a failure says what happened, what to do, and that nothing is lost; then it can be tried again", async () => {
  const { backend, user } = await open({ snapshots: calc({}, failed) });
  const card = screen.getByTestId("error-card");
  expect(card).toHaveTextContent("Error: The provider refused this key.");
  expect(card).toHaveTextContent("Replace OPENAI_API_KEY and try again.");
  expect(card).toHaveTextContent("The agent stopped here. What it did so far is kept.");
  await user.click(within(card).getByRole("button", { name: "Try again" }));
  expect(backend.called("resume_turn")).toEqual([{ sessionId: "s1" }]);
});

test("a failure that was got over offers nothing", async () => {
  await open({ snapshots: calc({}, [...failed, { type: "user_message", text: "Again." }]) });
  expect(within(screen.getByTestId("error-card")).queryByRole("button")).not.toBeInTheDocument();
});

test("the seconds until a retry pass", async () => {
  const { backend } = await open({ snapshots: calc({ state: { type: "thinking" } }) });
  vi.useFakeTimers();
  try {
    backend.say("s1", { type: "state_change", state: { type: "retrying", in_ms: 8000 } });
    const bar = screen.getByTestId("status-bar");
    expect(bar).toHaveTextContent("Retrying in 8 s…");
    vi.advanceTimersByTime(3000);
    expect(bar).toHaveTextContent("Retrying in 5 s…");
    vi.advanceTimersByTime(6000);
    expect(bar).toHaveTextContent("Retrying…");
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ["One.\n\nTwo.\n\nThree.", "Agent replied, 3 paragraphs."],
  ["One.", "Agent replied, 1 paragraph."],
])("a finished reply is announced by its length", async (text, words) => {
  const { backend } = await open({ snapshots: calc({ state: { type: "thinking" } }) });
  backend.say("s1", { type: "text", text });
  expect(screen.queryByText(/Agent replied/)).not.toBeInTheDocument();
  backend.say("s1", { type: "turn_ended", reason: "done" });
  expect(screen.getByText(words)).toHaveAttribute("aria-live", "polite");
});
