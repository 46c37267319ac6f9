import solid from "eslint-plugin-solid/configs/typescript";
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["dist", "shots", "node_modules", "src/bindings.ts"] },
  ...tseslint.configs.strict,
  {
    files: ["src/**/*.tsx"],
    ...solid,
    rules: {
      ...solid.rules,
      // One place writes HTML, and it is cleaned there: text/Markdown.tsx.
      "solid/no-innerhtml": "error",
    },
  },
  {
    // Only the edge knows Tauri; everything else can be drawn without it.
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/backend.ts", "src/testing/**", "src/**/*.test.tsx"],
    rules: { "no-restricted-imports": ["error", { patterns: ["@tauri-apps/*", "**/bindings.js"] }] },
  },
);
