import { render } from "solid-js/web";
import { App } from "./App";
import { loadSettings } from "./settings";
import "./theme";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/window.css";
import "./styles/chat.css";
import "./styles/question.css";

const root = document.getElementById("root");
if (root) {
  // Before the first paint, so that the page does not change its looks in front of one's eyes.
  await loadSettings();
  render(() => <App />, root);
}
