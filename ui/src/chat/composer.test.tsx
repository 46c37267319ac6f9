/** The message field: what sends, what comes back, what is said of the draft, and what words answer. */
import { fireEvent, screen } from "@solidjs/testing-library";
import { open } from "../testing/page";
import { calc, request, runTests, zeroCase } from "../testing/scenes";

const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const sent = (backend: Awaited<ReturnType<typeof open>>["backend"]) => backend.called("send_message").map(({ text }) => text);

test("Enter sends, Shift+Enter makes a new line", async () => {
  const { backend, user } = await open({ snapshots: calc() });
  await user.type(field(), "one{Shift>}{Enter}{/Shift}two{Enter}");
  expect(sent(backend)).toEqual(["one\ntwo"]);
});

test("with Ctrl+Enter set, Enter makes a new line, and the hint says so", async () => {
  const { backend, user } = await open({ snapshots: calc(), settings: { strict_options: false, window: { send_key: "modifier_enter" } } });
  expect(screen.getByText(/^Ctrl \+ Enter sends, Enter makes a new line/)).toBeVisible();
  await user.type(field(), "one{Enter}two");
  expect(sent(backend)).toEqual([]);
  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(sent(backend)).toEqual(["one\ntwo"]);
});

test("↑ in an empty field brings earlier messages back, ↓ leads forward again", async () => {
  const first = "Add a guard to divide, so that dividing by zero stops giving Infinity.";
  const { user } = await open({ snapshots: calc({ queued: ["Then the changelog."] }, [{ type: "user_message", text: "a\nb" }]) });
  await user.click(field());
  await user.keyboard("{ArrowUp}");
  expect(field()).toHaveValue("Then the changelog.");
  await user.keyboard("{ArrowUp}");
  expect(field()).toHaveValue("a\nb");
  // Within its lines the arrows move the caret.
  fireEvent.keyDown(field(), { key: "ArrowUp" });
  expect(field()).toHaveValue("a\nb");
  field().setSelectionRange(0, 0);
  await user.keyboard("{ArrowUp}{ArrowUp}");
  expect(field()).toHaveValue(first);
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
  expect(field()).toHaveValue("");
});

test("↑ leaves what one has written alone", async () => {
  const { user } = await open({ snapshots: calc() });
  await user.type(field(), "mine{ArrowUp}");
  expect(field()).toHaveValue("mine");
});

test("a draft is called saved when it is, and not before", async () => {
  const { backend, user } = await open({ snapshots: calc() });
  await user.type(field(), "half a thought");
  expect(screen.queryByText(/Draft saved/)).not.toBeInTheDocument();
  expect(await screen.findByText(/Draft saved/)).toBeVisible();
  expect(backend.called("save_draft").at(-1)).toMatchObject({ sessionId: "s1", text: "half a thought" });
  await user.type(field(), "!");
  expect(screen.queryByText(/Draft saved/)).not.toBeInTheDocument();
});

test("a draft that cannot be saved says why, and is tried again when the field is left", async () => {
  const { backend, user } = await open({ snapshots: calc(), failing: { save_draft: "the disk is full" } });
  await user.type(field(), "half a thought");
  expect(await screen.findByText("the disk is full")).toBeVisible();
  expect(screen.queryByText(/Draft saved/)).not.toBeInTheDocument();
  delete backend.failing["save_draft"];
  await user.tab();
  expect(await screen.findByText(/Draft saved/)).toBeVisible();
  expect(screen.queryByText("the disk is full")).not.toBeInTheDocument();
});

test("nothing is said of the draft of a message that was sent, or of another session", async () => {
  const { user } = await open({ snapshots: calc() });
  await user.type(field(), "half a thought");
  await screen.findByText(/Draft saved/);
  await user.click(screen.getByRole("button", { name: /Retry on 529/ }));
  expect(screen.queryByText(/Draft saved/)).not.toBeInTheDocument();
});

test("words to a permission are called what they are: a rejection", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  await user.keyboard("{Escape}");
  await user.type(field(), "and while you are at it");
  backend.say("s1", { type: "request_closed", request_id: "r1", outcomes: {}, answers: {}, by: "person", via: "terminal" });
  await backend.ask(request([runTests], { request_id: "r2" }));
  await user.click(await screen.findByRole("button", { name: "Reject with these words" }));
  expect(screen.getByText(/^Enter rejects, with these words/)).toBeVisible();
});
