/** When a draft may be called saved. */
import { createSaver } from "./saver";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what is written while an older text is being stored is not called saved", async () => {
  let stored: () => void = () => undefined;
  const saver = createSaver(() => new Promise<void>((done) => (stored = done)));
  saver.touch();
  await vi.advanceTimersByTimeAsync(250);
  saver.touch();
  stored();
  await vi.advanceTimersByTimeAsync(0);
  expect(saver.outcome()).toBeNull();
  await vi.advanceTimersByTimeAsync(250);
  stored();
  await vi.advanceTimersByTimeAsync(0);
  expect(saver.outcome()).toBe("saved");
});

test("a text that could not be stored is tried again; one that was sent is not", async () => {
  const save = vi.fn(() => Promise.reject("the disk is full"));
  const saver = createSaver(save);
  saver.touch();
  await saver.flush();
  expect(saver.outcome()).toEqual({ why: "the disk is full" });
  await saver.flush();
  expect(save).toHaveBeenCalledTimes(2);
  saver.forget();
  await saver.flush();
  expect(save).toHaveBeenCalledTimes(2);
  expect(saver.outcome()).toBeNull();
});
