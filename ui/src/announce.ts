/** What a screen reader is told. The two live regions stand in the page from the start; see `App.tsx`. */
import { createSignal } from "solid-js";

const [polite, setPolite] = createSignal("", { equals: false });
const [assertive, setAssertive] = createSignal("", { equals: false });

export { assertive, polite };
export const announce = (text: string) => setPolite(text);
export const announceNow = (text: string) => setAssertive(text);
