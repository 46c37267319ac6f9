/** Opens the whole page over a played backend, as `main.tsx` does, and takes it away after each test. */
import { cleanup } from "@solidjs/testing-library";
import userEvent from "@testing-library/user-event";
import { clearMocks } from "@tauri-apps/api/mocks";
import { playBackend, type Scene } from "./fake-backend";

let unmount: (() => void) | undefined;
afterEach(() => {
  unmount?.();
  unmount = undefined;
  cleanup();
  clearMocks();
  delete document.documentElement.dataset["ready"];
});

/** A page of its own each time: its store is one per window. */
export async function open(scene: Scene) {
  const backend = playBackend(scene);
  vi.resetModules();
  const { render } = await import("solid-js/web");
  const { loadSettings } = await import("../settings");
  await import("../theme");
  const { App } = await import("../App");
  await loadSettings();
  const root = document.body.appendChild(document.createElement("div"));
  const dispose = render(() => <App />, root);
  unmount = () => {
    dispose();
    root.remove();
  };
  await vi.waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("1"));
  return { backend, user: userEvent.setup() };
}
