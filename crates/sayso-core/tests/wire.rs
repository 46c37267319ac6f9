//! The wire, byte for byte: what other people's code relies on.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashMap;

use sayso_core::protocol::{
    Act, AgentState, Author, BlockedBy, InputMessage, Outcome, OutputChunk, QuestionOption, Reply, ReplyTo,
    SessionChunk, ToolResult, UserQuestion, Via,
};
use serde::{Serialize, de::DeserializeOwned};

/// The two examples of 002, as its page has them.
const SINGLE: &str = r#"{
  "question": "Which database should we use?",
  "header": "Database",
  "multiSelect": false,
  "options": [
    { "label": "PostgreSQL", "description": "Relational with advanced features" },
    { "label": "SQLite", "description": "Lightweight embedded database" }
  ]
}"#;
const MULTI: &str = r#"{
  "question": "Which features do you want?",
  "header": "Features",
  "multiSelect": true,
  "options": [
    { "label": "Caching", "description": "Response caching" },
    { "label": "Logging", "description": "Detailed logs" },
    { "label": "Metrics", "description": "Performance monitoring" }
  ]
}"#;

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn both_ways<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
    assert_eq!(json(value), text);
    assert_eq!(serde_json::from_str::<T>(text).unwrap(), *value);
}

#[test]
fn v_07_v_10_the_documents_own_examples_parse_and_code_that_writes_them_compiles() {
    let option = |label: &str, description: &str| QuestionOption {
        label: label.into(),
        description: description.into(),
        ..Default::default()
    };
    let single = UserQuestion {
        question: "Which database should we use?".into(),
        header: "Database".into(),
        options: vec![
            option("PostgreSQL", "Relational with advanced features"),
            option("SQLite", "Lightweight embedded database"),
        ],
        multi_select: false,
        ..Default::default()
    };
    assert_eq!(serde_json::from_str::<UserQuestion>(SINGLE).unwrap(), single);
    assert!(serde_json::from_str::<UserQuestion>(MULTI).unwrap().multi_select);
    assert_eq!(
        json(&single),
        r#"{"question":"Which database should we use?","header":"Database","options":[{"label":"PostgreSQL","description":"Relational with advanced features"},{"label":"SQLite","description":"Lightweight embedded database"}],"multiSelect":false,"multi_select":false}"#
    );
}

#[test]
fn v_19_either_spelling_of_the_flag_is_read_and_unlike_ones_are_a_fault() {
    let with = |flags: &str| {
        serde_json::from_str::<UserQuestion>(&format!(r#"{{"question":"?","header":"H","options":[]{flags}}}"#))
    };
    assert!(with(r#","multiSelect":true"#).unwrap().multi_select);
    assert!(with(r#","multi_select":true"#).unwrap().multi_select);
    assert!(with(r#","multi_select":true,"multiSelect":true"#).unwrap().multi_select);
    assert!(!with("").unwrap().multi_select);
    let fault = with(r#","multi_select":true,"multiSelect":false"#).unwrap_err().to_string();
    assert!(fault.contains("disagree"), "{fault}");
}

#[test]
fn v_06_v_13_the_documents_patterns_compile_and_its_json_reads() {
    let chunk = OutputChunk::AskUserQuestion { request_id: "r1".into(), questions: vec![] };
    // As 002 writes it: no field beside these two.
    let OutputChunk::AskUserQuestion { request_id, questions } = &chunk else { panic!() };
    assert_eq!((request_id.as_str(), questions.len()), ("r1", 0));
    both_ways(&chunk, r#"{"type":"ask_user_question","request_id":"r1","questions":[]}"#);

    let answers: HashMap<String, String> = HashMap::from([("Features".into(), "Caching, Metrics".into())]);
    both_ways(
        &InputMessage::UserQuestionResponse { request_id: "r1".into(), answers },
        r#"{"type":"user_question_response","request_id":"r1","answers":{"Features":"Caching, Metrics"}}"#,
    );
}

#[test]
fn v_20_states() {
    both_ways(&AgentState::Idle, r#"{"type":"idle"}"#);
    both_ways(&AgentState::Thinking, r#"{"type":"thinking"}"#);
    both_ways(&AgentState::RunningTool { tool: "read_file".into() }, r#"{"type":"running_tool","tool":"read_file"}"#);
    both_ways(&AgentState::Retrying { in_ms: 8000 }, r#"{"type":"retrying","in_ms":8000}"#);
    both_ways(
        &AgentState::WaitingForUserInput { request_id: "r1".into() },
        r#"{"type":"waiting_for_user_input","request_id":"r1"}"#,
    );
}

#[test]
fn messages() {
    both_ways(
        &InputMessage::UserMessage { text: "hello".into(), reply_to: None },
        r#"{"type":"user_message","text":"hello"}"#,
    );
    let reply_to = Some(ReplyTo { request_id: "r1".into(), key: "Database".into() });
    both_ways(
        &InputMessage::UserMessage { text: "neither".into(), reply_to },
        r#"{"type":"user_message","text":"neither","reply_to":{"request_id":"r1","key":"Database"}}"#,
    );
    let reply = Reply { act: Act::OwnWords, selected: vec![], text: Some("NaN".into()), note: None };
    both_ways(
        &InputMessage::QuestionReplies {
            request_id: "r1".into(),
            replies: [("Zero".to_owned(), reply)].into(),
            comment: Some("soon".into()),
        },
        r#"{"type":"question_replies","request_id":"r1","replies":{"Zero":{"act":"own_words","selected":[],"text":"NaN"}},"comment":"soon"}"#,
    );
    both_ways(
        &InputMessage::Draft { request_id: None, replies: None, comment: None, text: Some("half".into()) },
        r#"{"type":"draft","text":"half"}"#,
    );
    both_ways(&InputMessage::Interrupt, r#"{"type":"interrupt"}"#);
}

#[test]
fn chunks() {
    both_ways(&OutputChunk::Text { text: "hi".into() }, r#"{"type":"text","text":"hi"}"#);
    both_ways(
        &OutputChunk::ToolCall {
            call_id: "c1".into(),
            tool: "read_file".into(),
            input: serde_json::json!({"path": "a"}),
        },
        r#"{"type":"tool_call","call_id":"c1","tool":"read_file","input":{"path":"a"}}"#,
    );
    both_ways(
        &OutputChunk::ToolResult {
            call_id: "c1".into(),
            tool: "run_command".into(),
            ok: false,
            text: "this run_command call did not run".into(),
            blocked_by: Some(BlockedBy::Approval),
            took_ms: None,
        },
        r#"{"type":"tool_result","call_id":"c1","tool":"run_command","ok":false,"text":"this run_command call did not run","blocked_by":"approval"}"#,
    );
    both_ways(
        &OutputChunk::RequestClosed {
            request_id: "r1".into(),
            outcomes: [("Database".to_owned(), Outcome::Answered)].into(),
            answers: [("Database".to_owned(), "SQLite".to_owned())].into(),
            selections: [("Database".to_owned(), vec!["SQLite".to_owned()])].into(),
            notes: [].into(),
            comment: None,
            by: Author::Person,
            via: Some(Via::Window),
        },
        r#"{"type":"request_closed","request_id":"r1","outcomes":{"Database":"answered"},"answers":{"Database":"SQLite"},"selections":{"Database":["SQLite"]},"by":"person","via":"window"}"#,
    );
    both_ways(
        &OutputChunk::Error { message: "No key.".into(), remedy: "Set one.".into() },
        r#"{"type":"error","message":"No key.","remedy":"Set one."}"#,
    );
    let state = OutputChunk::StateChange { state: AgentState::Idle };
    both_ways(&state, r#"{"type":"state_change","state":{"type":"idle"}}"#);
    both_ways(
        &SessionChunk { session_id: "s1".into(), seq: None, at: 5, chunk: state },
        r#"{"session_id":"s1","at":5,"chunk":{"type":"state_change","state":{"type":"idle"}}}"#,
    );
}

#[test]
fn outcomes_and_authors_are_plain_strings() {
    let outcomes = [
        (Outcome::Answered, "answered"),
        (Outcome::AcceptedDefault, "accepted_default"),
        (Outcome::OwnWords, "own_words"),
        (Outcome::Skipped, "skipped"),
        (Outcome::Defaulted, "defaulted"),
        (Outcome::Interrupted, "interrupted"),
        (Outcome::Orphaned, "orphaned"),
    ];
    for (outcome, text) in outcomes {
        both_ways(&outcome, &format!("\"{text}\""));
    }
    both_ways(&Author::Person, r#""person""#);
    both_ways(&Author::Autonomous, r#""autonomous""#);
    both_ways(&Author::Rule("nightly".into()), r#""rule:nightly""#);
    assert!(serde_json::from_str::<Author>(r#""somebody""#).is_err());
}

#[test]
fn v_29_the_result_of_a_cancelled_question() {
    both_ways(&ToolResult::error("Interrupted"), r#"{"ok":false,"text":"Interrupted"}"#);
    both_ways(&ToolResult::ok("done"), r#"{"ok":true,"text":"done"}"#);
}
