import { defineConfig } from "vitest/config";

/** The tests that drive a real Chromium; kept out of `npm test`, which must not need one. */
export default defineConfig({
  test: {
    environment: "node",
    globals: true,
    include: ["browser/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
