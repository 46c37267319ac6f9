//! The desktop shell without a window: commands and events on Tauri's mock runtime, and the page's types.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{path::Path, sync::mpsc, time::Duration};

use sayso_desktop::agent::Agent;
use serde_json::{Value, json};
use tauri::{
    Listener, WebviewWindow, WebviewWindowBuilder,
    ipc::{CallbackFn, InvokeBody},
    test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder, mock_context, noop_assets},
    webview::InvokeRequest,
};

/// A shell on a home of its own, with what it emits.
struct Shell {
    window: WebviewWindow<MockRuntime>,
    asked: mpsc::Receiver<String>,
    _app: tauri::App<MockRuntime>,
    home: tempfile::TempDir,
}

impl Shell {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let agent = Agent::open_in(home.path());
        let app = sayso_desktop::build(mock_builder(), agent, mock_context(noop_assets())).unwrap();
        let window = WebviewWindowBuilder::new(&app, "main", tauri::WebviewUrl::default()).build().unwrap();
        let (sender, asked) = mpsc::channel();
        app.listen_any("ask-user-question", move |event| sender.send(event.payload().to_owned()).unwrap());
        Self { window, asked, _app: app, home }
    }

    fn invoke(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        let request = InvokeRequest {
            cmd: command.into(),
            callback: CallbackFn(0),
            error: CallbackFn(1),
            url: "tauri://localhost".parse().unwrap(),
            body: InvokeBody::Json(arguments),
            headers: tauri::http::HeaderMap::default(),
            invoke_key: INVOKE_KEY.to_string(),
        };
        get_ipc_response(&self.window, request).map(|body| body.deserialize().unwrap())
    }

    /// Starts a practice session that asks, and returns it with the event.
    fn ask(&self) -> (String, Value) {
        let session = self.invoke("start_session", json!({})).unwrap().as_str().unwrap().to_owned();
        let message = json!({ "sessionId": session, "text": "add a guard to divide" });
        self.invoke("send_message", message).unwrap();
        let event = self.asked.recv_timeout(Duration::from_secs(20)).expect("the question is emitted");
        (session, serde_json::from_str(&event).unwrap())
    }

    /// The session's snapshot, once `ready` says so.
    fn snapshot(&self, session: &str, ready: impl Fn(&Value) -> bool) -> Value {
        let start = std::time::Instant::now();
        loop {
            let snapshot = self.invoke("snapshot", json!({ "sessionId": session })).unwrap();
            if ready(&snapshot) {
                return snapshot;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{snapshot:#}");
            std::thread::yield_now();
        }
    }
}

#[test]
fn v_22_v_23_the_event_and_the_command_are_those_of_the_document() {
    let shell = Shell::start();
    let (session, event) = shell.ask();
    let keys: Vec<&String> = event.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["requestId", "questions", "sessionId"]);
    assert_eq!(event["sessionId"], session.as_str());
    let question = &event["questions"][0];
    assert_eq!(question["header"], "Zero case");
    assert_eq!((&question["multiSelect"], &question["multi_select"]), (&json!(false), &json!(false)));

    let waiting = json!({ "type": "waiting_for_user_input", "request_id": event["requestId"] });
    let snapshot = shell.snapshot(&session, |snapshot| snapshot["state"] == waiting);
    assert_eq!(snapshot["requests"][0]["request_id"], event["requestId"]);

    // As 002's page calls it: two arguments.
    let answer = json!({ "requestId": event["requestId"], "answers": { "Zero case": "Return null" } });
    assert_eq!(shell.invoke("send_question_response", answer), Ok(Value::Null));
    let closed = shell.snapshot(&session, |snapshot| snapshot["requests"][0]["request_id"] != event["requestId"]);
    let text = closed["history"].to_string();
    assert!(text.contains("Return null") && text.contains("\"via\":\"window\""), "{text}");
}

#[test]
fn v_14_v_24_a_wrong_answer_is_a_sentence_and_the_question_stays_open() {
    let shell = Shell::start();
    let (session, event) = shell.ask();
    let respond = |id: &Value, answers: Value| {
        shell.invoke("send_question_response", json!({ "requestId": id, "answers": answers })).unwrap_err()
    };
    let unknown = respond(&json!("nobody"), json!({ "Zero case": "Return null" }));
    assert!(unknown.as_str().unwrap().contains("no question is known under the id nobody"), "{unknown}");
    let empty = respond(&event["requestId"], json!({}));
    assert!(empty.as_str().unwrap().contains("Every question needs one"), "{empty}");
    let snapshot = shell.snapshot(&session, |_| true);
    assert_eq!(snapshot["requests"][0]["request_id"], event["requestId"]);

    let answer = json!({ "requestId": event["requestId"], "answers": { "Zero case": "1" } });
    shell.invoke("send_question_response", answer.clone()).unwrap();
    let again = shell.invoke("send_question_response", answer).unwrap_err();
    assert!(again.as_str().unwrap().contains("no longer open"), "{again}");
}

#[test]
fn v_28_interrupt_stops_the_session_on_screen_and_is_nothing_when_idle() {
    let shell = Shell::start();
    assert_eq!(shell.invoke("interrupt_agent", json!({})), Ok(Value::Null), "nothing runs");
    let (session, _) = shell.ask();
    shell.snapshot(&session, |snapshot| snapshot["state"]["type"] == "waiting_for_user_input");
    // As 002's page calls it: no argument.
    assert_eq!(shell.invoke("interrupt_agent", json!({})), Ok(Value::Null));
    let snapshot = shell.snapshot(&session, |snapshot| snapshot["state"]["type"] == "idle");
    let history = snapshot["history"].to_string();
    assert!(history.contains(r#""ok":false,"text":"Interrupted""#), "{history}");
    assert_eq!(shell.invoke("interrupt_agent", json!({})), Ok(Value::Null), "it is idle");
}

#[test]
fn settings_are_kept_in_the_file_and_hold_at_once() {
    let shell = Shell::start();
    let usual = shell.invoke("settings", json!({})).unwrap();
    assert_eq!((&usual["strict_options"], &usual["window"]["guard_ms"]), (&json!(false), &json!(400)));
    // A session that runs follows what is set after it was opened.
    let session = shell.invoke("start_session", json!({})).unwrap();
    shell.invoke("snapshot", json!({ "sessionId": session })).unwrap();
    let mut strict = usual.clone();
    strict["strict_options"] = true.into();
    strict["window"]["theme"] = "dark".into();
    assert_eq!(shell.invoke("save_settings", json!({ "settings": strict })), Ok(Value::Null));
    assert_eq!(shell.invoke("settings", json!({})), Ok(strict.clone()));
    let file = shell.home.path().join("config.toml");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "strict_options = true\n\n[window]\ntheme = \"dark\"\n");
    let message = json!({ "sessionId": session, "text": "add a guard to divide" });
    shell.invoke("send_message", message).unwrap();
    let event = shell.asked.recv_timeout(Duration::from_secs(20)).expect("the question is emitted");
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["questions"][0]["allow_other"], false);

    strict["window"]["text_size"] = 300.into();
    let refused = shell.invoke("save_settings", json!({ "settings": strict })).unwrap_err();
    assert_eq!(refused, "window.text_size is 300; it can be 80 to 200");
    std::fs::write(&file, "strict = yes\n").unwrap();
    let broken = shell.invoke("settings", json!({})).unwrap_err();
    assert!(broken.as_str().unwrap().contains("config.toml cannot be used: line 1"), "{broken}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let shell = Shell::start();
    let gone = shell.invoke("start_session", json!({ "workspace": "/no/such/folder" })).unwrap_err();
    assert!(gone.as_str().unwrap().contains("/no/such/folder"), "{gone}");
    let unknown = shell.invoke("snapshot", json!({ "sessionId": "nobody" })).unwrap_err();
    assert!(unknown.as_str().unwrap().contains("no session nobody"), "{unknown}");
    let missing = shell.invoke("send_question_response", json!({ "request_id": "r1" })).unwrap_err();
    assert!(missing.to_string().contains("requestId"), "{missing}");
}

/// `UPDATE_BINDINGS=1 cargo test --test shell` writes the file anew.
#[test]
fn the_pages_types_are_those_of_the_core() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/src/bindings.ts");
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        sayso_desktop::write_typescript(&file).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let fresh = folder.path().join("bindings.ts");
    sayso_desktop::write_typescript(&fresh).unwrap();
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    assert_eq!(read(&fresh), read(&file), "run UPDATE_BINDINGS=1 cargo test --test shell and look at the change");
}
