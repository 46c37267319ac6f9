// Served to the browser tests only: the page itself, with a backend that plays the state named in the address.
import { playBackend } from "../src/testing/fake-backend";
import { states } from "./states";

const scene = states[location.hash.slice(1)];
if (!scene) throw new Error(`no state is called '${location.hash.slice(1)}'`);
Object.assign(window, { backend: playBackend(scene) });
await import("../src/main");
