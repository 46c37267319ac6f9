/** Times as people read them. `now` moves in half minutes: ages need no more, and the page rests between. */
import { createEffect, createSignal, on, onCleanup } from "solid-js";

const [now, setNow] = createSignal(Date.now());
setInterval(() => setNow(Date.now()), 30_000);

export const timeOfDay = (at: number) =>
  new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** "just now", "2 min", "3 h", "4 d"; moves with the clock. */
export function age(since: number): string {
  const minutes = Math.floor(Math.max(0, now() - since) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** "14:01" today, "Yesterday", a weekday within the week, else the date. */
export function day(at: number): string {
  const midnight = new Date(now()).setHours(0, 0, 0, 0);
  if (at >= midnight) return timeOfDay(at);
  const days = Math.ceil((midnight - at) / 86_400_000);
  if (days === 1) return "Yesterday";
  return new Date(at).toLocaleDateString([], days < 7 ? { weekday: "long" } : { day: "numeric", month: "short" });
}

/** "3 ms", "1.2 s", "2 min 3 s". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** Whole seconds that are left of some time from when it is given; they pass. */
export function createCountdown(time: () => number | undefined) {
  const [left, setLeft] = createSignal(0);
  createEffect(
    on(time, (ms) => {
      setLeft(Math.ceil((ms ?? 0) / 1000));
      if (ms === undefined) return;
      const end = Date.now() + ms;
      const timer = setInterval(() => {
        setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1000)));
        if (left() === 0) clearInterval(timer);
      }, 250);
      onCleanup(() => clearInterval(timer));
    }),
  );
  return left;
}
