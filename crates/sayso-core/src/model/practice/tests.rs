use std::{path::PathBuf, process::Command, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::{
    protocol::{BlockedBy, ToolResult},
    tool::{Tool as _, ToolContext, ToolOutcome, edit_file::EditFile, read_file::ReadFile, run_command::RunCommand},
};

/// What the model did with one request.
#[derive(Debug)]
struct Turn {
    text: String,
    calls: Vec<Call>,
    ended: bool,
    error: Option<ModelError>,
}

async fn ask(model: &Practice, messages: &[Message]) -> Turn {
    let request = Request { system: String::new(), messages: messages.to_vec(), tools: Vec::new() };
    let mut turn = Turn { text: String::new(), calls: Vec::new(), ended: false, error: None };
    let mut stream = model.stream(request);
    while let Some(event) = stream.next().await {
        assert!(!turn.ended, "nothing comes after the end");
        match event {
            Ok(ModelEvent::Text(piece)) => {
                assert!(piece.split_whitespace().count() <= 1, "a piece holds at most one word: {piece:?}");
                turn.text.push_str(&piece);
            }
            Ok(ModelEvent::Call(call)) => turn.calls.push(call),
            Ok(ModelEvent::End(_)) => turn.ended = true,
            Err(error) => turn.error = Some(error),
        }
    }
    turn
}

fn script(lines: &str) -> Result<Practice, ScriptError> {
    Practice::parse(Path::new("script.jsonl"), lines)
}

fn user(text: &str) -> Message {
    Message::User(text.to_owned())
}

fn called(tool: &str, input: Value, result: ToolResult) -> Message {
    let call = Call { id: "1".to_owned(), provider_id: String::new(), tool: tool.to_owned(), input };
    Message::Assistant { text: String::new(), calls: vec![(call, result)] }
}

/// A conversation on a copy of the practice project, with the real tools.
struct Scene {
    _folder: TempDir,
    project: PathBuf,
    model: Practice,
    messages: Vec<Message>,
    /// What `AskUserQuestion` gives back, in order.
    answers: Vec<ToolResult>,
    /// Calls of this tool are refused.
    refuse: Option<&'static str>,
}

impl Scene {
    fn new(answers: Vec<ToolResult>) -> Self {
        let folder = TempDir::new().unwrap();
        let project = fs::canonicalize(unpack(folder.path()).unwrap()).unwrap();
        Self { _folder: folder, project, model: Practice::built_in(), messages: Vec::new(), answers, refuse: None }
    }

    async fn make(&mut self, call: &Call) -> ToolResult {
        if self.refuse == Some(call.tool.as_str()) {
            return ToolResult::refused(format!("this {} call did not run: you said no", call.tool));
        }
        let context = ToolContext { workspace: self.project.clone(), cancel: CancellationToken::new() };
        let outcome = match call.tool.as_str() {
            "read_file" => ReadFile.run(&call.input, None, &context).await,
            "edit_file" => EditFile.run(&call.input, None, &context).await,
            "run_command" => RunCommand.run(&call.input, None, &context).await,
            "AskUserQuestion" => ToolOutcome::Done(self.answers.remove(0)),
            other => panic!("the script called {other}"),
        };
        match outcome {
            ToolOutcome::Done(result) => result,
            ToolOutcome::NeedsInput(_) => panic!("{} asks nothing", call.tool),
        }
    }

    /// The conversation until the model calls nothing more: the tools it called, and its last text.
    async fn play(&mut self, prompt: &str) -> (Vec<String>, String) {
        self.messages.push(user(prompt));
        let mut tools = Vec::new();
        loop {
            let turn = ask(&self.model, &self.messages).await;
            assert!(turn.ended, "{turn:?}");
            if turn.calls.is_empty() {
                return (tools, turn.text);
            }
            let mut calls = Vec::new();
            for call in turn.calls {
                tools.push(call.tool.clone());
                let result = self.make(&call).await;
                calls.push((call, result));
            }
            self.messages.push(Message::Assistant { text: turn.text, calls });
        }
    }

    fn calc(&self) -> String {
        fs::read_to_string(self.project.join("src/calc.js")).unwrap()
    }
}

fn answered(label: &str) -> ToolResult {
    ToolResult::ok(format!(
        r#"{{"answers":{{"Zero case":"{label}"}},"selections":{{"Zero case":["{label}"]}},"outcomes":{{"Zero case":"answered"}}}}"#
    ))
}

fn own_words(words: &str) -> ToolResult {
    let words = Value::from(words);
    ToolResult::ok(format!(r#"{{"answers":{{"Zero case":{words}}},"outcomes":{{"Zero case":"own_words"}}}}"#))
}

fn skipped() -> ToolResult {
    ToolResult::ok(r#"{"answers":{"Zero case":"the user did not answer"},"outcomes":{"Zero case":"skipped"}}"#)
}

const PROMPT: &str = "Add a guard to divide, so that dividing by zero stops giving Infinity.";
const TO_THE_TESTS: [&str; 5] = ["read_file", "read_file", "AskUserQuestion", "edit_file", "run_command"];

/// Whether Node is here; without it the tests that run the project's own tests say so and pass.
fn node_is_here() -> bool {
    let here = Command::new("node").arg("--version").output().is_ok_and(|output| output.status.success());
    if !here {
        println!("skipped: node is not installed");
    }
    here
}

/// The guard of the answer is written, and the model says how the project's tests ended.
async fn ends(answer: ToolResult, guard: &str, green: bool) {
    if !node_is_here() {
        return;
    }
    let mut scene = Scene::new(vec![answer]);
    let (tools, text) = scene.play(PROMPT).await;
    assert_eq!(tools, TO_THE_TESTS);
    assert!(scene.calc().contains(&format!("  if (b === 0) {guard}\n")), "{}", scene.calc());
    assert_eq!(text.contains("is green"), green, "{text}");
    assert_eq!(text.contains("is red"), !green, "{text}");
}

#[tokio::test]
async fn the_files_are_read_side_by_side_and_then_one_question_is_asked() {
    let model = Practice::built_in();
    let mut messages = vec![user("add a guard to divide")];
    let first = ask(&model, &messages).await;
    let paths: Vec<_> = first.calls.iter().map(|call| (call.tool.as_str(), &call.input["path"])).collect();
    assert_eq!(paths, [("read_file", &json!("src/calc.js")), ("read_file", &json!("test/calc.test.js"))]);
    assert_ne!(first.calls[0].id, first.calls[1].id);
    let calls = first.calls.into_iter().map(|call| (call, ToolResult::ok("…"))).collect();
    messages.push(Message::Assistant { text: first.text, calls });
    let second = ask(&model, &messages).await;
    assert!(second.text.starts_with("Today `divide(1, 0)` returns `Infinity`, and the fourth test expects it not to."));
    assert_eq!(second.calls.len(), 1);
    assert_eq!(second.calls[0].tool, "AskUserQuestion");
    let question = json!({
        "header": "Zero case",
        "question": "What should `divide(1, 0)` do?",
        "why": "callers may rely on today's value.",
        "multiSelect": false,
        "options": [
            {"label": "Throw an error", "description": "Callers must catch it; the mistake is seen where it happens."},
            {"label": "Return null", "description": "Callers must check; nothing stops them from forgetting."},
        ],
    });
    assert_eq!(second.calls[0].input, json!({"questions": [question]}));
}

#[tokio::test]
async fn throwing_ends_green() {
    ends(answered("Throw an error"), r#"throw new RangeError("division by zero");"#, true).await;
}

#[tokio::test]
async fn returning_null_ends_green() {
    ends(answered("Return null"), "return null;", true).await;
}

#[tokio::test]
async fn the_word_infinity_ends_red_and_the_model_says_so() {
    ends(own_words("Infinity, please"), "return Infinity;", false).await;
}

#[tokio::test]
async fn own_words_that_name_a_value_are_taken() {
    for (words, guard) in [
        ("NaN", "return NaN;"),
        ("none of these, I want NaN", "return NaN;"),
        ("return nan please", "return NaN;"),
        ("divide(1, 0) should be \"NaN\"", "return NaN;"),
        ("undefined", "return undefined;"),
        ("-Infinity", "return -Infinity;"),
        ("0", "return 0;"),
        ("give back -1.5.", "return -1.5;"),
        ("divide(1, 0) = 7", "return 7;"),
    ] {
        ends(own_words(words), guard, true).await;
    }
}

#[tokio::test]
async fn own_words_that_are_not_understood_are_quoted_and_asked_about_once_more() {
    for words in [
        "it depends",
        "a \"Maybe\" type",
        "NaN or undefined",
        "not Infinity",
        "anything but NaN",
        "I don't want NaN",
        "1 or 2",
        "007",
        ".5",
        "1e5",
        "v2",
        "divide(1, 0)",
    ] {
        let mut scene = Scene::new(vec![own_words(words), own_words(words)]);
        let before = scene.calc();
        let (tools, text) = scene.play(PROMPT).await;
        assert_eq!(tools, ["read_file", "read_file", "AskUserQuestion", "AskUserQuestion"], "{words}");
        assert!(text.contains(&format!("“{words}”")) && text.contains("change nothing"), "{text}");
        let Some(Message::Assistant { text: between, .. }) = scene.messages.last() else {
            panic!("no second question")
        };
        assert!(between.contains(&format!("“{words}”")), "{between}");
        assert_eq!(scene.calc(), before);
    }
}

#[tokio::test]
async fn an_answer_to_the_second_question_is_taken() {
    if !node_is_here() {
        return;
    }
    let mut scene = Scene::new(vec![own_words("hm"), answered("Return null")]);
    let (tools, text) = scene.play(PROMPT).await;
    assert_eq!(tools.len(), 6);
    assert!(text.contains("is green"), "{text}");
}

#[tokio::test]
async fn a_skipped_question_changes_nothing() {
    let mut scene = Scene::new(vec![skipped()]);
    let before = scene.calc();
    let (tools, text) = scene.play(PROMPT).await;
    assert_eq!(tools, ["read_file", "read_file", "AskUserQuestion"]);
    assert!(text.contains("You did not answer"), "{text}");
    assert_eq!(scene.calc(), before);
}

#[tokio::test]
async fn a_refused_edit_changes_nothing_and_the_model_says_so() {
    let mut scene = Scene::new(vec![answered("Return null")]);
    scene.refuse = Some("edit_file");
    let before = scene.calc();
    let (tools, text) = scene.play(PROMPT).await;
    assert_eq!(tools.last().map(String::as_str), Some("edit_file"));
    assert!(text.contains("nothing was changed") && text.contains("you said no"), "{text}");
    assert_eq!(scene.calc(), before);
}

#[tokio::test]
async fn refused_tests_are_told_as_not_run() {
    let mut scene = Scene::new(vec![answered("Return null")]);
    scene.refuse = Some("run_command");
    let (_, text) = scene.play(PROMPT).await;
    assert!(text.contains("The tests did not run, because that was not allowed"), "{text}");
}

#[tokio::test]
async fn a_missing_node_is_told_as_such() {
    let messages = [
        user(PROMPT),
        called(
            "run_command",
            json!({"command": "node --test"}),
            ToolResult::error("exit code 127\nbash: line 1: node: command not found\n"),
        ),
    ];
    let turn = ask(&Practice::built_in(), &messages).await;
    assert!(turn.text.contains("node is not installed here, so the tests did not run"), "{}", turn.text);
}

#[tokio::test]
async fn a_second_run_on_the_same_project_says_what_is_there() {
    let mut scene = Scene::new(vec![answered("Return null"), answered("Return null"), answered("Throw an error")]);
    scene.refuse = Some("run_command");
    scene.play(PROMPT).await;
    let after = scene.calc();
    let (_, same) = scene.play(PROMPT).await;
    assert!(same.contains("nothing to change"), "{same}");
    let (_, other) = scene.play(PROMPT).await;
    assert!(other.contains("has given it a guard or another body already"), "{other}");
    assert_eq!(scene.calc(), after);
}

#[tokio::test]
async fn without_the_project_the_model_says_what_it_needs() {
    let mut scene = Scene::new(Vec::new());
    fs::remove_dir_all(scene.project.join("src")).unwrap();
    fs::remove_dir_all(scene.project.join("test")).unwrap();
    let (tools, text) = scene.play(PROMPT).await;
    assert_eq!(tools, ["read_file", "read_file"]);
    assert!(text.contains("practice project"), "{text}");
}

#[tokio::test]
async fn two_things_are_asked_in_one_request_and_the_answers_repeated() {
    let json = r#"{"answers":{"Database":"SQLite","Features":"Caching, Metrics"}}"#;
    let mut scene = Scene::new(vec![ToolResult::ok(json)]);
    let (tools, text) = scene.play("Ask me two things").await;
    assert_eq!(tools, ["AskUserQuestion"]);
    assert!(text.contains(json), "{text}");
}

#[tokio::test]
async fn a_badly_asked_question_is_asked_again_in_another_form() {
    let model = Practice::built_in();
    let mut messages = vec![user("ask badly")];
    let first = ask(&model, &messages).await;
    let options = first.calls[0].input.pointer("/questions/0/options").and_then(Value::as_array).unwrap();
    assert_eq!(options.len(), 5);
    messages.push(Message::Assistant {
        text: first.text,
        calls: vec![(first.calls[0].clone(), ToolResult::error("5 options, at most 4"))],
    });
    let second = ask(&model, &messages).await;
    assert!(second.text.contains("5 options, at most 4"), "{}", second.text);
    assert_eq!(second.calls[0].tool, "ask_user");
    assert_eq!(second.calls[0].input["default"], "blue");
    messages.push(called("ask_user", second.calls[0].input.clone(), ToolResult::ok("red")));
    let third = ask(&model, &messages).await;
    assert!(third.text.contains("red") && third.calls.is_empty(), "{third:?}");
}

#[tokio::test]
async fn a_prompt_that_no_line_matches_gets_the_prompts_that_are_known() {
    let model = Practice::built_in();
    let unknown = ask(&model, &[user("Write me a poem")]).await;
    assert!(unknown.ended && unknown.calls.is_empty());
    for prompt in unknown.text.lines().filter_map(|line| line.strip_prefix("- *")?.split('*').next()) {
        let known = ask(&model, &[user(prompt)]).await;
        assert_ne!(known.text, unknown.text, "{prompt} is named and not known");
    }
}

#[tokio::test]
async fn a_script_without_a_matching_line_says_so() {
    let model = script(r#"{"when": {"user": "hello"}, "emit": [{"text": "Good day."}]}"#).unwrap();
    assert_eq!(ask(&model, &[user("bye")]).await.text, NO_LINE);
    assert_eq!(ask(&model, &[user("hello")]).await.text, "Good day.");
}

#[tokio::test]
async fn the_first_matching_line_wins_and_all_its_conditions_hold() {
    let model = script(
        r#"{"note": "calls first"}

{"when": {"tool": "grep", "input": "needle", "result": "hay", "ok": true, "blocked": false, "times": 2}, "emit": [{"text": "all"}]}
{"when": {"tool": "grep", "blocked": true}, "emit": [{"text": "blocked"}]}
{"when": {"tool": "grep", "ok": false}, "emit": [{"text": "failed"}]}
{"when": {"tool": "grep"}, "emit": [{"text": "other"}]}
{"when": {"user": "grep"}, "emit": [{"text": "asked"}]}
"#,
    )
    .unwrap();
    let grep = |result| called("grep", json!({"pattern": "needle"}), result);
    let refused = ToolResult { ok: false, text: "no".to_owned(), blocked_by: Some(BlockedBy::Approval) };
    let once = [user("grep"), grep(ToolResult::ok("hay"))];
    let twice = [user("grep"), grep(ToolResult::ok("hay")), grep(ToolResult::ok("hay"))];
    let new_turn = [user("grep"), grep(ToolResult::ok("hay")), user("grep"), grep(ToolResult::ok("hay"))];
    assert_eq!(ask(&model, &[user("grep")]).await.text, "asked");
    assert_eq!(ask(&model, &once).await.text, "other");
    assert_eq!(ask(&model, &twice).await.text, "all");
    assert_eq!(ask(&model, &new_turn).await.text, "other");
    assert_eq!(ask(&model, &[user("grep"), grep(refused)]).await.text, "blocked");
    assert_eq!(ask(&model, &[user("grep"), grep(ToolResult::error("no"))]).await.text, "failed");
}

#[tokio::test]
async fn what_was_caught_stands_in_texts_and_in_arguments() {
    let model = script(
        r#"{"when": {"user": "open (?<file>\\S+)"}, "emit": [{"text": "$$1: ${user.1}"}, {"call": {"tool": "read_file", "input": {"path": "${user.file}", "list": ["${user}"], "limit": 3}}}]}
{"when": {"tool": "read_file", "result": {"/a": "(\\d)", "/b": "(.)$"}, "input": {"/limit": "3"}}, "emit": [{"text": "${result.1} ${result.2} ${result/b} ${result/c/0} [${result/d}] ${input/path}"}]}"#,
    )
    .unwrap();
    let mut messages = vec![user(r#"open "x"$1"#)];
    let turn = ask(&model, &messages).await;
    assert_eq!(turn.text, r#"$1: "x"$1"#);
    let call = &turn.calls[0];
    assert_eq!(call.input, json!({"path": r#""x"$1"#, "list": [r#"open "x"$1"#], "limit": 3}));
    assert!(Uuid::parse_str(&call.id).is_ok());
    messages.push(called("read_file", call.input.clone(), ToolResult::ok(r#"{"a":1,"b":"quo\"ted","c":[true]}"#)));
    assert_eq!(ask(&model, &messages).await.text, r#"1 d quo"ted true [] "x"$1"#);
}

#[tokio::test]
async fn a_script_can_break_off_with_any_error() {
    let model = script(
        r#"{"when": {"user": "a"}, "emit": [{"text": "So far"}, {"error": "as written"}]}
{"when": {"user": "b"}, "emit": [{"error": {"kind": "busy", "message": "wait", "retry_after_ms": 5}}]}"#,
    )
    .unwrap();
    let plain = ask(&model, &[user("a")]).await;
    assert_eq!((plain.text.as_str(), plain.ended), ("So far", false));
    assert_eq!(plain.error, Some(ModelError::Script("as written".to_owned())));
    let busy = ask(&model, &[user("b")]).await;
    let retry_after = Some(Duration::from_millis(5));
    assert_eq!(busy.error, Some(ModelError::Busy { message: "wait".to_owned(), retry_after }));
}

#[test]
fn a_bad_script_names_its_file_its_line_and_what_is_wrong() {
    for (line, wanted) in [
        ("hello", "expected value"),
        ("{}", "neither"),
        (r#"{"when": {}}"#, "no `emit`"),
        (r#"{"emit": [{"text": "x"}]}"#, "no `when`"),
        (r#"{"when": {}, "emit": []}"#, "empty"),
        (r#"{"when": {"users": "x"}, "emit": [{"text": "x"}]}"#, "unknown field `users`"),
        (r#"{"when": {"user": "("}, "emit": [{"text": "x"}]}"#, "`(` is no regular expression"),
        (r#"{"when": {"user": 1}, "emit": [{"text": "x"}]}"#, "invalid type: integer `1`, expected a string"),
        (
            r#"{"when": {"input": 1}, "emit": [{"text": "x"}]}"#,
            "this is a regular expression, or an object of JSON pointers",
        ),
        (r#"{"when": {"input": {"a": "x"}}, "emit": [{"text": "x"}]}"#, "`a` is no JSON pointer"),
        (r#"{"when": {}, "emit": [{"say": "x"}]}"#, "unknown variant `say`"),
        (r#"{"when": {"user": "x"}, "emit": [{"text": "${user.1}"}]}"#, "`${user.1}` stands for nothing here"),
        (r#"{"when": {}, "emit": [{"call": {"tool": "t", "input": {"a": "${b}"}}}]}"#, "`${b}` stands for nothing"),
        (r#"{"when": {}, "emit": [{"error": "x"}, {"text": "y"}]}"#, "nothing can come after an `error`"),
    ] {
        let error = script(&format!("{{\"note\": \"one\"}}\n\n{line}\n")).unwrap_err();
        let said = error.to_string();
        assert!(said.contains("script.jsonl, line 3: ") && said.contains(wanted), "{said}");
        assert!(error.remedy().contains("one JSON object a line"));
    }
}

#[tokio::test]
async fn a_script_is_loaded_from_its_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.jsonl");
    fs::write(&file, r#"{"when": {"user": "hello"}, "emit": [{"text": "Good day."}]}"#).unwrap();
    let model = Practice::load(&file).unwrap();
    assert_eq!(ask(&model, &[user("hello")]).await.text, "Good day.");
    assert_eq!(model.label(), "Practice model");
    fs::write(&file, "no").unwrap();
    assert!(Practice::load(&file).unwrap_err().to_string().starts_with(&format!("{}, line 1: ", file.display())));
}

#[test]
fn a_script_that_is_not_there_or_has_no_line_is_told_apart() {
    assert!(matches!(Practice::load(Path::new("/nowhere/script.jsonl")), Err(ScriptError::Unreadable { .. })));
    assert!(matches!(script("{\"note\": \"nothing\"}\n"), Err(ScriptError::Empty { .. })));
}

#[test]
fn every_copy_of_the_practice_project_gets_a_folder_of_its_own() {
    let parent = TempDir::new().unwrap();
    let below = parent.path().join("not/there");
    let first = unpack(&below).unwrap();
    fs::write(first.join("src/calc.js"), "mine").unwrap();
    let second = unpack(&below).unwrap();
    let third = unpack(&below).unwrap();
    assert_eq!([&first, &second, &third], [&below.join("calc"), &below.join("calc-2"), &below.join("calc-3")]);
    assert_eq!(fs::read_to_string(first.join("src/calc.js")).unwrap(), "mine");
    assert!(fs::read_to_string(third.join("src/calc.js")).unwrap().contains("export function divide(a, b)"));
    assert!(third.join("src/notes.md").is_file() && third.join("test/calc.test.js").is_file());
}

#[test]
fn the_practice_project_denies_writing_its_tests() {
    let parent = TempDir::new().unwrap();
    let project = unpack(parent.path()).unwrap();
    let rules: toml_edit::DocumentMut = fs::read_to_string(project.join(".sayso/rules.toml")).unwrap().parse().unwrap();
    let rule = rules["rule"][0].as_table().unwrap();
    assert_eq!(rules.len(), 1);
    assert_eq!(
        ["decision", "tool", "path"].map(|field| rule[field].as_str().unwrap()),
        ["deny", "write_file", "test/**"]
    );
}

#[test]
fn the_fresh_practice_project_fails_one_test_of_four() {
    if !node_is_here() {
        return;
    }
    let parent = TempDir::new().unwrap();
    let project = unpack(parent.path()).unwrap();
    let output = Command::new("node").args(["--test", "--test-reporter=tap"]).current_dir(project).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    assert!(printed.contains("# pass 3") && printed.contains("# fail 1"), "{printed}");
    assert!(printed.contains("divide(1, 0) is still Infinity"), "{printed}");
}
