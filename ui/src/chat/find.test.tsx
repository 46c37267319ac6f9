/** Finding words in the conversation. */
import { screen } from "@solidjs/testing-library";
import { open } from "../testing/page";
import { calc } from "../testing/scenes";

const bar = () => screen.queryByRole("search");
const here = () => document.querySelector("[data-found]");

async function finding(text: string, ...more: Parameters<typeof calc>) {
  const page = await open({ snapshots: calc(...more) });
  await page.user.keyboard("{Control>}f{/Control}");
  await page.user.keyboard(text);
  return page;
}

test("counts the places in any case, and leads around by Enter and Shift+Enter", async () => {
  const { user } = await finding("DIVIDE");
  expect(screen.getByText("1 of 2")).toBeVisible();
  expect(here()).toHaveTextContent(/^You.*Add a guard/);
  await user.keyboard("{Enter}");
  expect(screen.getByText("2 of 2")).toBeVisible();
  expect(here()).toHaveTextContent(/^Today/);
  await user.keyboard("{Enter}");
  expect(screen.getByText("1 of 2")).toBeVisible();
  await user.keyboard("{Shift>}{Enter}{/Shift}");
  expect(screen.getByText("2 of 2")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Previous" }));
  expect(screen.getByText("1 of 2")).toBeVisible();
});

test("finds words that go over a span of code, and none that go over two paragraphs", async () => {
  const { user } = await finding("divide(1, 0) returns infinity");
  expect(screen.getByText("1 of 1")).toBeVisible();
  await user.clear(screen.getByRole("searchbox"));
  await user.keyboard("calc.js7 lines");
  expect(screen.getByText("Not found")).toBeVisible();
  expect(screen.queryByRole("button", { name: "Next" })).not.toBeInTheDocument();
});

test("signs mean themselves", async () => {
  await finding("divide(.,");
  expect(screen.getByText("Not found")).toBeVisible();
});

test("counts what is said meanwhile", async () => {
  const { backend } = await finding("divide");
  backend.say("s1", { type: "user_message", text: "And divide again." });
  expect(await screen.findByText("1 of 3")).toBeVisible();
});

test("Escape ends it, and the focus goes back to where it was", async () => {
  const { user } = await open({ snapshots: calc() });
  screen.getByRole("log").focus();
  await user.keyboard("{Control>}f{/Control}divide{Escape}");
  expect(bar()).not.toBeInTheDocument();
  expect(here()).toBeNull();
  expect(screen.getByRole("log")).toHaveFocus();
});

test("another session is not searched for the same words", async () => {
  const { user } = await finding("divide");
  await user.click(screen.getByRole("button", { name: /Retry on 529/ }));
  expect(bar()).not.toBeInTheDocument();
});
