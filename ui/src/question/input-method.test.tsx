import { fireEvent, render, screen } from "@solidjs/testing-library";
import { createSaver } from "../saver";
import { request, wording } from "../testing/scenes";
import { createForm } from "./form";
import { QuestionModal } from "./QuestionModal";

// A file of its own: the page remembers when the last composition ended, by a clock that tests set back.
test("keys of an input method never submit", async () => {
  vi.useFakeTimers();
  const onSend = vi.fn(() => Promise.resolve());
  const nothing = () => Promise.resolve();
  render(() => (
    <QuestionModal
      form={createForm(request([wording]))}
      saver={createSaver(nothing)}
      asker="Practice model"
      strict={false}
      onSend={onSend}
      onSendAsMessage={nothing}
      onCollapse={() => undefined}
      canStop
      onStop={() => undefined}
    />
  ));
  const field = screen.getByRole("textbox");
  fireEvent.input(field, { target: { value: "かな" } });
  fireEvent.compositionStart(field);
  fireEvent.keyDown(field, { key: "Enter", isComposing: true });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
  fireEvent.compositionEnd(field);
  // WebKit's own Enter, right after the composition and with no sign of it.
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  await vi.advanceTimersByTimeAsync(0);
  expect(onSend).not.toHaveBeenCalled();
  vi.advanceTimersByTime(51);
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  await vi.advanceTimersByTimeAsync(0);
  expect(onSend).toHaveBeenCalledOnce();
});
