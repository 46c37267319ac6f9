import { cleanup, fireEvent, render, screen } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import type { UserQuestion } from "../backend";
import { createSaver } from "../saver";
import { deleteSpec, editCalc, features, language, request, runTests, wording, zeroCase } from "../testing/scenes";
import { createForm, type Payload } from "./form";
import { QuestionModal } from "./QuestionModal";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const GUARD_MS = 400;
const pastGuard = () => vi.advanceTimersByTime(GUARD_MS + 1);
const turn = () => vi.advanceTimersByTimeAsync(0);

function show(questions: UserQuestion[], { strict = false, send = () => Promise.resolve() } = {}) {
  const form = createForm(request(questions));
  const onSend = vi.fn<(payload: Payload) => Promise<void>>(send);
  const save = vi.fn(() => Promise.resolve());
  const on = { canStop: true, onSend, onSendAsMessage: vi.fn(() => Promise.resolve()), onCollapse: vi.fn(), onStop: vi.fn() };
  render(() => <QuestionModal form={form} saver={createSaver(save)} asker="Practice model" strict={strict} {...on} />);
  return { form, save, ...on, user: userEvent.setup({ advanceTimers: (ms) => vi.advanceTimersByTime(ms) }) };
}
const radio = (name: RegExp | string) => screen.getByRole("radio", { name });
const button = (name: RegExp | string) => screen.getByRole("button", { name });
const replies = (send: ReturnType<typeof show>["onSend"]) => send.mock.calls[0]?.[0].replies;

test("arrives with the focus on the question, never on an option", () => {
  show([zeroCase]);
  expect(screen.getByRole("dialog")).toHaveAttribute("aria-modal", "false");
  expect(screen.getByRole("heading")).toHaveFocus();
  expect(screen.getByRole("heading")).toHaveAccessibleName("Zero case What should divide(1, 0) do?");
});

test("ten Enters at arrival send nothing", async () => {
  const { user, onSend } = show([zeroCase]);
  await user.keyboard("{Enter}".repeat(10) + " 1y");
  expect(onSend).not.toHaveBeenCalled();
  expect(radio(/Throw/)).toBeChecked();
});

test("a held Enter never sends", async () => {
  const { onSend } = show([zeroCase]);
  pastGuard();
  fireEvent.keyDown(screen.getByRole("heading"), { key: "Enter", repeat: true });
  await turn();
  expect(onSend).not.toHaveBeenCalled();
});

test("an untouched Enter takes the default, and says that it was one", async () => {
  const { user, onSend } = show([zeroCase]);
  pastGuard();
  await user.keyboard("{Enter}");
  expect(onSend).toHaveBeenCalledWith({
    answers: { "Zero case": "Throw an error" },
    replies: { "Zero case": { act: "default", selected: ["throw"] } },
    comment: null,
  });
});

test("a digit arms the answer, Enter sends it", async () => {
  const { user, onSend } = show([zeroCase]);
  pastGuard();
  await user.keyboard("2");
  expect(radio("Return null")).toBeChecked();
  expect(onSend).not.toHaveBeenCalled();
  await user.keyboard("{Enter}");
  expect(replies(onSend)).toEqual({ "Zero case": { act: "chosen", selected: ["null"] } });
});

test("arrows move, select and wrap; Home and End too", async () => {
  const { user } = show([zeroCase]);
  pastGuard();
  await user.keyboard("{ArrowDown}");
  expect(radio("Return null")).toHaveFocus();
  await user.keyboard("{ArrowDown}{ArrowDown}");
  expect(radio(/Throw/)).toBeChecked();
  await user.keyboard("{End}");
  expect(radio("Other…")).toBeChecked();
  await user.keyboard("{Home}");
  expect(radio(/Throw/)).toHaveFocus();
});

test("undo takes the last choice back", async () => {
  const { user, onSend } = show([zeroCase]);
  pastGuard();
  await user.keyboard("2{Control>}z{/Control}");
  expect(radio(/Throw/)).toBeChecked();
  await user.keyboard("{Control>}{Enter}{/Control}");
  expect(replies(onSend)?.["Zero case"]?.act).toBe("default");
});

test("by mouse: an option, then Submit", async () => {
  const { user, onSend } = show([zeroCase]);
  await user.click(screen.getByText("Return null"));
  await user.click(button(/Submit/));
  expect(replies(onSend)).toEqual({ "Zero case": { act: "chosen", selected: ["null"] } });
});

test("own words go out byte for byte; Shift+Enter is a new line", async () => {
  const { user, onSend } = show([zeroCase]);
  pastGuard();
  await user.keyboard("o");
  await turn();
  expect(screen.getByLabelText("Your own words")).toHaveFocus();
  await user.keyboard("  2{Shift>}{Enter}{/Shift}NaN, says 1 {Enter}");
  expect(onSend.mock.calls[0]?.[0]).toMatchObject({
    answers: { "Zero case": "  2\nNaN, says 1 " },
    replies: { "Zero case": { act: "own_words", selected: [], text: "  2\nNaN, says 1 " } },
  });
});

test("Other without words is not sent", async () => {
  const { user, onSend } = show([zeroCase]);
  await user.click(radio("Other…"));
  await user.click(button(/Submit/));
  expect(onSend).not.toHaveBeenCalled();
  expect(screen.getByTestId("question-invalid")).toHaveTextContent("Write your own words, or skip.");
});

test("strict options have no row for own words", () => {
  show([zeroCase], { strict: true });
  expect(screen.queryByRole("radio", { name: "Other…" })).not.toBeInTheDocument();
});

test("several choices by key, with their own words beside them", async () => {
  const { user, onSend } = show([features]);
  pastGuard();
  await user.keyboard("13{ArrowDown} ");
  expect(screen.getAllByRole("checkbox", { checked: true })).toHaveLength(3);
  await user.keyboard("{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  await turn();
  await user.keyboard("signs{Enter}");
  expect(replies(onSend)).toEqual({
    Checks: { act: "own_words", selected: ["Zero divisor", "Safe integers"], text: "signs" },
  });
});

test("nothing chosen: says so, and sends nothing", async () => {
  const { user, onSend } = show([features]);
  pastGuard();
  await user.keyboard("{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  expect(screen.getByRole("group")).toHaveAccessibleDescription(/Choose at least one/);
  await turn();
  expect(screen.getByRole("checkbox", { name: "Zero divisor" })).toHaveFocus();
});

test("a note goes beside the choice, and Escape in it leads back to the options", async () => {
  const { user, onSend, onCollapse } = show([zeroCase]);
  pastGuard();
  await user.keyboard("m");
  await turn();
  await user.keyboard("as in billing{Escape}");
  expect(onCollapse).not.toHaveBeenCalled();
  expect(radio(/Throw/)).toHaveFocus();
  await user.keyboard("{Enter}");
  expect(replies(onSend)?.["Zero case"]).toMatchObject({ selected: ["throw"], note: "as in billing" });
});

test("several questions are reviewed; Change leads there and back", async () => {
  const { user, onSend } = show([zeroCase, language]);
  pastGuard();
  await user.keyboard("{Enter}");
  expect(screen.getByText("Question 2 of 2", { exact: false })).toBeInTheDocument();
  pastGuard();
  await user.keyboard("1{Enter}");
  expect(screen.getByRole("heading", { name: "Check your answers" })).toHaveFocus();
  await user.click(button("Change: Zero case"));
  await user.click(radio("Return null"));
  await user.click(button(/Next/));
  expect(screen.getByRole("heading", { name: "Check your answers" })).toHaveFocus();
  expect(onSend).not.toHaveBeenCalled();
  await user.click(button(/Submit/));
  expect(replies(onSend)).toEqual({
    "Zero case": { act: "chosen", selected: ["null"] },
    Language: { act: "chosen", selected: ["English (Recommended)"] },
  });
});

test("a question never seen cannot be submitted by its default", async () => {
  const { user, onSend } = show([language, zeroCase]);
  pastGuard();
  await user.keyboard("1{Control>}{Enter}{/Control}");
  expect(onSend).not.toHaveBeenCalled();
  expect(screen.getByRole("heading")).toHaveAccessibleName(/divide/);
});

test("Alt and arrows go between questions", async () => {
  const { user } = show([zeroCase, language]);
  pastGuard();
  await user.keyboard("{Alt>}{ArrowRight}{/Alt}");
  expect(screen.getByText("Question 2 of 2", { exact: false })).toBeInTheDocument();
  await user.keyboard("{Alt>}{ArrowLeft}{/Alt}");
  expect(screen.getByText("Question 1 of 2", { exact: false })).toBeInTheDocument();
});

test("Skip is an answer of its own", async () => {
  const { user, onSend } = show([zeroCase]);
  pastGuard();
  // A letter typed by mistake sends nothing.
  await user.keyboard("s");
  expect(onSend).not.toHaveBeenCalled();
  expect(screen.getByRole("button", { name: "Skip" })).toHaveFocus();
  await user.keyboard("{Enter}");
  expect(onSend).toHaveBeenCalledWith({
    answers: { "Zero case": "" },
    replies: { "Zero case": { act: "skipped", selected: [] } },
    comment: null,
  });
});

test("what is required cannot be skipped", async () => {
  const { user, onSend } = show([{ ...zeroCase, required: true }]);
  pastGuard();
  await user.keyboard("s");
  expect(onSend).not.toHaveBeenCalled();
  expect(screen.queryByRole("button", { name: "Skip" })).not.toBeInTheDocument();
});

test("Escape puts it away and answers nothing; the draft is saved", async () => {
  const { user, onCollapse, onSend, onStop, save } = show([zeroCase]);
  pastGuard();
  await user.keyboard("2{Escape}");
  expect(onCollapse).toHaveBeenCalledOnce();
  cleanup();
  expect(save).toHaveBeenCalledOnce();
  expect(onSend).not.toHaveBeenCalled();
  expect(onStop).not.toHaveBeenCalled();
});

test("the draft is saved within 300 ms of the last change", async () => {
  const { user, save } = show([zeroCase]);
  await user.click(radio("Return null"));
  vi.advanceTimersByTime(300);
  expect(save).toHaveBeenCalledOnce();
});

test("Cancel stops the agent at once, unless something would be lost", async () => {
  const first = show([zeroCase]);
  await first.user.click(button("Cancel and stop the agent"));
  expect(first.onStop).toHaveBeenCalledOnce();
  cleanup();
  const { user, onStop } = show([zeroCase]);
  pastGuard();
  await user.keyboard("2{Control>}.{/Control}");
  expect(onStop).not.toHaveBeenCalled();
  await turn();
  expect(button("Keep answering")).toHaveFocus();
  await user.click(button("Stop the agent"));
  expect(onStop).toHaveBeenCalledOnce();
});

test("a double submit sends once", async () => {
  const { user, onSend } = show([zeroCase], { send: () => new Promise(() => undefined) });
  pastGuard();
  await user.dblClick(button(/Submit/));
  await user.keyboard("{Enter}{Enter}");
  expect(onSend).toHaveBeenCalledOnce();
  expect(screen.getByRole("dialog")).toHaveAttribute("aria-busy", "true");
});

test("a failed send says why, keeps everything and can be tried again", async () => {
  let works = false;
  const send = () => (works ? Promise.resolve() : Promise.reject("No agent is waiting for this answer."));
  const { user, onSend, onSendAsMessage } = show([zeroCase], { send });
  pastGuard();
  await user.keyboard("2{Enter}");
  await turn();
  expect(screen.getByTestId("question-failure")).toHaveTextContent("No agent is waiting for this answer.");
  expect(radio("Return null")).toBeChecked();
  await user.click(button("Send as a message"));
  expect(onSendAsMessage).toHaveBeenCalledWith("What should `divide(1, 0)` do?\nReturn null");
  works = true;
  await user.click(button("Try again"));
  expect(onSend).toHaveBeenCalledTimes(2);
});

test("a permission shows the exact command, and only a letter or a button decides", async () => {
  const sneaky = { ...runTests, subject: { type: "permission" as const, call_id: "c", tool: "run_command", command: "echo \u202Eok" } };
  const { user, onSend } = show([sneaky]);
  expect(screen.getByRole("heading")).toHaveAccessibleName("Permission Run a command");
  expect(screen.getByTestId("command")).toHaveTextContent("echo \\u{202E}ok");
  expect(screen.queryByRole("button", { name: "Skip" })).not.toBeInTheDocument();
  await user.keyboard("y");
  pastGuard();
  await user.keyboard("{Enter}1{Control>}{Enter}{/Control}s");
  expect(onSend).not.toHaveBeenCalled();
  await user.keyboard("y");
  expect(onSend).toHaveBeenCalledWith({
    answers: { Permission: "Allow once" },
    replies: { permission: { act: "chosen", selected: ["once"] } },
    comment: null,
  });
});

test("a rejection takes a reason with it", async () => {
  const { user, onSend } = show([editCalc]);
  expect(screen.getByRole("heading")).toHaveAccessibleName("Permission Edit src/calc.js");
  pastGuard();
  await user.keyboard("n");
  await turn();
  await user.keyboard("return null instead{Enter}");
  expect(replies(onSend)).toEqual({ permission: { act: "chosen", selected: ["reject"], note: "return null instead" } });
});

test("something irreversible stands in front, and Enter alone does nothing", async () => {
  const { user, onSend } = show([deleteSpec]);
  expect(screen.getByRole("alertdialog")).toHaveAttribute("aria-modal", "true");
  pastGuard();
  await user.keyboard("{Enter}{Control>}{Enter}{/Control}");
  expect(onSend).not.toHaveBeenCalled();
  await user.click(button("Read the conversation"));
  expect(screen.getByRole("dialog")).toHaveAttribute("aria-modal", "false");
  expect(screen.getByRole("heading")).toHaveFocus();
  pastGuard();
  await user.keyboard("y{Enter}");
  expect(replies(onSend)).toEqual({ Delete: { act: "chosen", selected: ["true"] } });
});

test("a text question takes what is typed, shortcuts and all", async () => {
  const { user, onSend } = show([wording]);
  pastGuard();
  await user.keyboard("s");
  await user.keyboard("ome 1{Enter}");
  expect(replies(onSend)).toEqual({ Wording: { act: "chosen", selected: [], text: "some 1" } });
});

test("more than seven options can be filtered, and jumped to by their first letters", async () => {
  const labels = ["Ada", "Basic", "C", "Cobol", "D", "Elm", "Go", "Haskell"];
  const { user } = show([{ ...zeroCase, default: null, options: labels.map((label) => ({ label })) }]);
  pastGuard();
  await user.keyboard("co");
  expect(radio("Cobol")).toBeChecked();
  await user.type(screen.getByRole("searchbox"), "has");
  expect(screen.getAllByRole("radio")).toHaveLength(2);
  expect(radio("Haskell")).toBeInTheDocument();
});

test("labels and descriptions are literal, code spans in the question are code", () => {
  show([{ ...zeroCase, options: [{ label: "<b>x</b> `y`", description: "**z**" }, { label: "w" }] }]);
  expect(screen.getByText("<b>x</b> `y`")).toBeInTheDocument();
  expect(screen.getByText("**z**")).toBeInTheDocument();
  expect(screen.getByText("divide(1, 0)").tagName).toBe("CODE");
});

test("a preview is shown as plain text with its option", async () => {
  const { user } = show([{ ...zeroCase, default: null, options: [{ label: "A", preview: "<i>if</i>\n  x" }, { label: "B" }] }]);
  expect(screen.queryByText(/<i>if/)).not.toBeInTheDocument();
  await user.click(radio("A"));
  expect(screen.getByText(/<i>if/)).toBeInTheDocument();
});
