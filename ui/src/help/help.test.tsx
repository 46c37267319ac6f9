/** The help: shipped with the page, opened from anywhere, each page leading to the others. */
import { screen, within } from "@solidjs/testing-library";
import { open } from "../testing/page";
import { calc, request, zeroCase } from "../testing/scenes";

test("V-34: the page on questions leads to Message flow and Interrupt handling", async () => {
  const { user } = await open({ snapshots: calc({ requests: [request([zeroCase])] }) });
  await user.keyboard("{F1}");
  const help = within(screen.getByRole("region", { name: "Questions" }));
  const seeAlso = within(help.getByText(/^See also/));
  await user.click(seeAlso.getByRole("button", { name: "Message flow" }));
  expect(screen.getByRole("region", { name: "Message flow" })).toHaveFocus();
  expect(screen.getByRole("heading", { name: "From the question to your answer" })).toBeVisible();
  await user.click(within(screen.getByText(/^See also/)).getByRole("button", { name: "Interrupt handling" }));
  expect(screen.getByRole("heading", { name: "Stopping the agent" })).toBeVisible();
});

test("V-34: the side list opens the help, also before there is a session, and Escape leads back", async () => {
  const { user } = await open({ snapshots: [] });
  await user.click(screen.getByRole("button", { name: "Help" }));
  expect(screen.getByRole("heading", { level: 1, name: "Help" })).toBeVisible();
  await user.keyboard("{Escape}");
  expect(screen.getByTestId("welcome")).toBeInTheDocument();
});

test("help asks nothing of the backend: it is there without a network", async () => {
  const { backend, user } = await open({ snapshots: calc() });
  const before = backend.calls.length;
  await user.keyboard("{F1}");
  expect(screen.getByText(/There is no timer/)).toBeVisible();
  expect(backend.calls).toHaveLength(before);
});
