/** The whole page over a played backend: what it hears, what it sends, what it shows. */
import { fireEvent, screen, within } from "@solidjs/testing-library";
import type { OutputChunk } from "./backend";
import { open } from "./testing/page";
import { calc, features, language, request, runTests, zeroCase } from "./testing/scenes";

const dialog = () => screen.queryByRole("dialog");
const composer = () => screen.getByRole("textbox", { name: "Message" });
const closed = (request_id: string, via: "window" | "terminal" = "terminal"): OutputChunk => ({
  type: "request_closed",
  request_id,
  outcomes: { "Zero case": "answered" },
  answers: { "Zero case": "Return null" },
  selections: { "Zero case": ["null"] },
  by: "person",
  via,
});

test("follows before it asks, and marks the page as ready", async () => {
  const { backend } = await open({ snapshots: calc() });
  const order = backend.calls.map(([name]) => name);
  expect(order).toEqual(["settings", "follow", "sessions", "inbox", "snapshot"]);
});

test("first run: one click to a session, one more to a first message", async () => {
  const { backend, user } = await open({ snapshots: [] });
  await user.click(screen.getByRole("button", { name: "Try it now" }));
  await user.click(await screen.findByRole("button", { name: "Add a guard to divide" }));
  expect(backend.called("start_session")).toEqual([{ workspace: null }]);
  expect(backend.called("send_message")).toEqual([{ sessionId: "s-new", text: "Add a guard to divide", replyTo: null }]);
});

test("a folder is chosen for a new session", async () => {
  const { backend, user } = await open({ snapshots: calc() });
  await user.click(screen.getByRole("button", { name: /New session/ }));
  expect(backend.called("plugin:dialog|open")).toHaveLength(1);
  expect(backend.called("start_session")).toEqual([]);
});

test("a question shows from a snapshot, counts in the title, and its answer is sent as the wire says", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  expect(document.title).toBe("(1) Sayso");
  await user.click(screen.getByRole("radio", { name: "Return null" }));
  await user.click(screen.getByRole("button", { name: /Submit/ }));
  expect(backend.called("send_question_response")).toEqual([
    {
      requestId: "r1",
      answers: { "Zero case": "Return null" },
      replies: { "Zero case": { act: "chosen", selected: ["null"] } },
      comment: null,
    },
  ]);
  expect(dialog()).not.toBeInTheDocument();
  expect(composer()).toHaveFocus();
  backend.say("s1", closed("r1", "window"));
  const cards = await screen.findAllByTestId("answer-card");
  expect(within(cards.at(-1) as HTMLElement).getByText("Return null").closest("li")).toHaveClass("taken");
  expect(screen.queryByTestId("notice")).not.toBeInTheDocument();
  await vi.waitFor(() => expect(document.title).toBe("Sayso"));
});

test("a question shows from its event and chunk, once", async () => {
  const { backend } = await open({ snapshots: calc() });
  await backend.ask(request([zeroCase]));
  expect(await screen.findAllByRole("dialog")).toHaveLength(1);
});

test("a question nobody spoke of is found by the state that waits for it", async () => {
  const { backend } = await open({ snapshots: calc() });
  backend.snapshotOf("s1")?.requests.push(request([zeroCase]));
  backend.say("s1", { type: "state_change", state: { type: "waiting_for_user_input", request_id: "r1" } });
  expect(await screen.findByRole("dialog")).toBeInTheDocument();
});

test("answered elsewhere: the panel closes and says so", async () => {
  const { backend } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  backend.say("s1", closed("r1"));
  expect(await screen.findByTestId("notice")).toHaveTextContent(/Answered in the terminal · \d\d:\d\d/);
  expect(dialog()).not.toBeInTheDocument();
});

test("a session that another program runs can be answered, not stopped, and is taken over when that ends", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])], elsewhere: true }) });
  expect(screen.queryByRole("button", { name: /Stop|Cancel/ })).not.toBeInTheDocument();
  await user.keyboard("{Control>}.{/Control}");
  expect(backend.called("interrupt_agent")).toEqual([]);
  expect(screen.getByTestId("notice")).toHaveTextContent("Stop it there.");
  await user.type(composer(), "NaN{Enter}");
  expect(backend.called("send_message")).toMatchObject([{ text: "NaN", replyTo: { request_id: "r1" } }]);
  expect(composer()).toHaveAttribute("readonly");
  expect(composer()).toHaveFocus();

  const snapshot = backend.snapshotOf("s1");
  if (snapshot) snapshot.session.waiting = 0;
  backend.say("s1", closed("r1", "window"), { type: "turn_ended", reason: "done" });
  await vi.waitFor(() => expect(screen.queryByTestId("status-bar")).not.toBeInTheDocument());
  await vi.waitFor(() => expect(screen.getByRole("button", { name: /^Add a guard/ })).not.toHaveTextContent("Waiting"));
  if (snapshot) Object.assign(snapshot, { requests: [], elsewhere: false, state: { type: "idle" } });
  backend.say("s1", { type: "state_change", state: { type: "idle" } });
  await vi.waitFor(() => expect(composer()).not.toHaveAttribute("readonly"));
});

test("words that were not sent outlive a question that was answered elsewhere", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  await user.click(screen.getByRole("radio", { name: "Other…" }));
  await user.type(screen.getByLabelText("Your own words"), "NaN");
  backend.say("s1", closed("r1"));
  await vi.waitFor(() => expect(composer()).toHaveValue("NaN"));
});

test("neither a stop nor an answer from elsewhere takes words that are in the way of others", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  const { setComposer } = await import("./store");
  await user.click(screen.getByRole("radio", { name: "Other…" }));
  await user.type(screen.getByLabelText("Your own words"), "NaN");
  setComposer("then");
  backend.say("s1", closed("r1"));
  await vi.waitFor(() => expect(composer()).toHaveValue("then\n\nNaN"));

  // The stop stores what was queued behind what the composer held; more was written since.
  const snapshot = backend.snapshotOf("s1");
  if (snapshot) snapshot.draft = "then\n\nNaN\n\nqueued";
  setComposer("then\n\nNaN!");
  backend.say("s1", { type: "turn_ended", reason: "interrupted" });
  await vi.waitFor(() => expect(composer()).toHaveValue("then\n\nNaN\n\nqueued!"));
});

test("words outlive a question that ends while another session is on screen", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  await user.click(screen.getByRole("radio", { name: "Other…" }));
  await user.type(screen.getByLabelText("Your own words"), "NaN");
  await user.click(screen.getByRole("button", { name: /Retry on 529/ }));
  backend.say("s1", closed("r1"));
  await user.click(screen.getByRole("button", { name: /^Add a guard/ }));
  await vi.waitFor(() => expect(composer()).toHaveValue("NaN"));
});

test("a failed send leaves the panel and what was typed", async () => {
  const scene = { snapshots: calc({ requests: [request([zeroCase])] }), failing: { send_question_response: "No agent is waiting for this answer." } };
  const { user } = await open(scene);
  await user.click(screen.getByRole("radio", { name: "Return null" }));
  await user.click(screen.getByRole("button", { name: /Submit/ }));
  expect(await screen.findByTestId("question-failure")).toHaveTextContent("No agent is waiting");
  expect(screen.getByRole("radio", { name: "Return null" })).toBeChecked();
});

test("Escape leaves a bar, and the draft is there when it opens again", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  await user.click(screen.getByRole("radio", { name: "Return null" }));
  await user.keyboard("{Escape}");
  expect(dialog()).not.toBeInTheDocument();
  expect(backend.called("save_draft")).toMatchObject([
    { sessionId: "s1", requestId: "r1", replies: { "Zero case": { act: "chosen", selected: ["null"] } }, text: null },
  ]);
  await user.keyboard("{Control>}j{/Control}");
  expect(screen.getByRole("radio", { name: "Return null" })).toBeChecked();
  expect(screen.getByRole("heading", { name: /divide/ })).toHaveFocus();
});

test("a draft is restored from the request", async () => {
  const draft = { replies: { "Zero case": { act: "own_words" as const, selected: [], text: "NaN" } } };
  await open({ snapshots: calc({ requests: [request([zeroCase], { draft })] }) });
  expect(screen.getByLabelText("Your own words")).toHaveValue("NaN");
});

test("someone who types is not interrupted: the question arrives as a bar and announces itself", async () => {
  const { backend, user } = await open({ snapshots: calc() });
  await user.type(composer(), "half a thou");
  await backend.ask(request([zeroCase]));
  expect(await screen.findByTestId("question-bar")).toBeInTheDocument();
  expect(dialog()).not.toBeInTheDocument();
  expect(composer()).toHaveFocus();
  expect(screen.getByRole("status")).toHaveTextContent("Question: What should `divide(1, 0)` do?");
});

test("someone who turns from typing to a session that waits finds its question open", async () => {
  const [first, second, ...rest] = calc();
  if (!first || !second) throw new Error("the scene has two sessions");
  const asks = { ...second, requests: [request([zeroCase], { session_id: "s2" })] };
  const { user } = await open({ snapshots: [first, asks, ...rest] });
  await user.click(screen.getByRole("button", { name: /^Add a guard/ }));
  await user.type(composer(), "half");
  await user.click(screen.getByRole("button", { name: /Retry on 529/ }));
  expect(await screen.findByRole("dialog")).toBeInTheDocument();
});

test("text begun before the question goes nowhere until its aim is chosen", async () => {
  const { backend, user } = await open({ snapshots: calc() });
  await user.type(composer(), "NaN");
  await backend.ask(request([zeroCase]));
  await user.type(composer(), "{Enter}");
  expect(backend.called("send_message")).toEqual([]);
  await user.click(await screen.findByRole("button", { name: "Reply in words" }));
  await user.keyboard("{Enter}");
  expect(backend.called("send_message")).toEqual([
    { sessionId: "s1", text: "NaN", replyTo: { request_id: "r1", key: "Zero case" } },
  ]);
});

test("words answer the question on screen, or are queued for after", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([features, language])] }) });
  await user.click(screen.getByRole("button", { name: "Skip" }));
  await user.click(screen.getByRole("button", { name: "Queue for after instead" }));
  await user.type(composer(), "later{Enter}");
  backend.say("s1", { type: "message_queued", text: "later" });
  expect(await screen.findByRole("region", { name: "Queued for after" })).toHaveTextContent("later");
  await user.click(screen.getByRole("button", { name: "Reply in words instead" }));
  await user.type(composer(), "Klingon{Enter}");
  expect(backend.called("send_message")).toEqual([
    { sessionId: "s1", text: "later", replyTo: null },
    { sessionId: "s1", text: "Klingon", replyTo: { request_id: "r1", key: "Language" } },
  ]);
  expect(dialog()).not.toBeInTheDocument();
});

test("strict options leave only the queue", async () => {
  const { backend, user } = await open({
    snapshots: calc({ requests: [request([zeroCase])], settings: { strict_options: true } }),
  });
  expect(screen.queryByRole("radio", { name: "Other…" })).not.toBeInTheDocument();
  expect(screen.queryByRole("button", { name: /Queue for after/ })).not.toBeInTheDocument();
  await user.type(composer(), "later{Enter}");
  expect(backend.called("send_message")).toEqual([{ sessionId: "s1", text: "later", replyTo: null }]);
});

test("a message that was not sent stays, with the reason", async () => {
  const { user } = await open({ snapshots: calc(), failing: { send_message: "This session runs elsewhere." } });
  await user.type(composer(), "hello{Enter}");
  expect(await screen.findByTestId("send-failure")).toHaveTextContent("This session runs elsewhere.");
  expect(composer()).toHaveValue("hello");
});

test("what is written while a message is on its way stays, in whatever session", async () => {
  const { backend, user } = await open({ snapshots: calc(), failing: { send_message: "Not now." } });
  const { sent, setComposer } = await import("./store");
  setComposer("first");
  await user.type(composer(), "{Enter}");
  expect(await screen.findByTestId("send-failure")).toBeInTheDocument();
  setComposer("first and more");
  sent("s1", "first");
  expect(composer()).toHaveValue("and more");
  await user.click(screen.getByRole("button", { name: /Retry on 529/ }));
  expect(screen.queryByTestId("send-failure")).not.toBeInTheDocument();
  setComposer("other");
  sent("s1", "and more");
  expect(composer()).toHaveValue("other");
  expect(backend.called("save_draft").at(-1)).toMatchObject({ sessionId: "s1", text: "" });
});

test("Stop ends the turn, and typed words come back to the composer", async () => {
  const { backend, user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  await user.click(screen.getByRole("radio", { name: "Other…" }));
  await user.type(screen.getByLabelText("Your own words"), "NaN");
  await user.click(screen.getByRole("button", { name: "Stop" }));
  const order = backend.calls.map(([name]) => name).filter((name) => /save_draft|interrupt/.test(name));
  expect(order.slice(-2)).toEqual(["save_draft", "interrupt_agent"]);
  expect(backend.called("interrupt_agent")).toEqual([{ sessionId: "s1" }]);
  const snapshot = backend.snapshotOf("s1");
  if (snapshot) Object.assign(snapshot, { draft: "NaN", requests: [] });
  backend.say("s1", { type: "turn_ended", reason: "interrupted" }, { type: "state_change", state: { type: "idle" } });
  await vi.waitFor(() => expect(composer()).toHaveValue("NaN"));
});

test("a button that goes with its click leaves the focus in the composer", async () => {
  const { backend, user } = await open({ snapshots: calc({ state: { type: "thinking" } }) });
  await user.click(screen.getByRole("button", { name: "Stop" }));
  backend.say("s1", { type: "turn_ended", reason: "interrupted" }, { type: "state_change", state: { type: "idle" } });
  await vi.waitFor(() => expect(composer()).toHaveFocus());
});

test("an error card takes the turn up again", async () => {
  const { backend, user } = await open({
    snapshots: calc({}, [
      { type: "error", message: "No connection.", remedy: "Check the network." },
      { type: "turn_ended", reason: "failed" },
    ]),
  });
  await user.click(within(screen.getByTestId("error-card")).getByRole("button", { name: "Try again" }));
  expect(backend.called("resume_turn")).toEqual([{ sessionId: "s1" }]);
});

test("streamed text is drawn as it comes", async () => {
  const { backend } = await open({ snapshots: calc() });
  backend.say("s1", { type: "text", text: "All **gre" }, { type: "text", text: "en**." });
  await vi.waitFor(() => expect(screen.getAllByTestId("agent-message").at(-1)).toHaveTextContent("All green."));
  expect(screen.getByText("green").tagName).toBe("STRONG");
});

test("the end is followed until the person scrolls up, however fast it grows", async () => {
  const { user } = await open({ snapshots: calc() });
  const log = screen.getByRole("log");
  let top = 500;
  const at = (scrollTop: number, scrollHeight: number) => {
    top = scrollTop;
    Object.defineProperties(log, {
      scrollTop: { get: () => top, configurable: true },
      scrollHeight: { value: scrollHeight, configurable: true },
      clientHeight: { value: 500, configurable: true },
    });
    fireEvent.scroll(log);
  };
  const jump = () => screen.queryByRole("button", { name: /Jump to latest/ });
  at(500, 1000);
  at(500, 9000);
  expect(jump()).not.toBeInTheDocument();
  at(400, 9000);
  expect(jump()).toBeInTheDocument();
  // Leads back, and the button that goes does not take the focus along.
  await user.click(jump() as HTMLElement);
  at(8500, 9000);
  await vi.waitFor(() => expect(composer()).toHaveFocus());
});

test("the inbox lists what waits in any session and leads there", async () => {
  const [first, second, ...rest] = calc();
  const waiting = request([zeroCase], { session_id: "s2" });
  if (!first || !second) throw new Error("the scene has two sessions");
  const { user } = await open({ snapshots: [{ ...first, requests: [request([runTests])] }, { ...second, requests: [{ ...waiting, request_id: "r2" }] }, ...rest] });
  await user.click(screen.getByRole("button", { name: /^Inbox/ }));
  const rows = screen.getAllByTestId("inbox-row");
  expect(rows).toHaveLength(2);
  expect(dialog()).not.toBeInTheDocument();
  await user.click(rows[1] as HTMLElement);
  expect(await screen.findByRole("heading", { name: /divide/ })).toBeInTheDocument();
});

test("each session keeps what was written in its composer", async () => {
  const { user } = await open({ snapshots: calc() });
  await user.type(composer(), "for calc");
  await user.click(screen.getByRole("button", { name: /Retry on 529/ }));
  await vi.waitFor(() => expect(screen.getByTestId("model")).toHaveTextContent("gpt-5"));
  expect(composer()).toHaveValue("");
  await user.click(screen.getByRole("button", { name: /^Add a guard/ }));
  await vi.waitFor(() => expect(composer()).toHaveValue("for calc"));
});
