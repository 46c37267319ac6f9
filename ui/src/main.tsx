import { render } from "solid-js/web";
import { App } from "./App";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/window.css";
import "./styles/chat.css";
import "./styles/question.css";

const root = document.getElementById("root");
if (root) render(() => <App />, root);
