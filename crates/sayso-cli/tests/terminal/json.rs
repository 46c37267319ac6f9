//! `sayso run --json`: chunks out and messages in.

use std::collections::HashMap;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::program::{Place, Running, script};

fn send(run: &mut Running, message: &Value) {
    run.write(format!("{message}\n"));
}

/// The chunks with ids by order of appearance, pieces of text joined, and no times.
fn chunks(out: &str) -> Vec<Value> {
    let mut ids = HashMap::new();
    let mut chunks: Vec<Value> = Vec::new();
    for line in out.lines() {
        let mut chunk: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        rename(&mut chunk, &mut ids);
        match chunks.last_mut() {
            Some(last) if last["type"] == "text" && chunk["type"] == "text" => {
                last["text"] = format!("{}{}", last["text"].as_str().unwrap(), chunk["text"].as_str().unwrap()).into();
            }
            _ => chunks.push(chunk),
        }
    }
    chunks
}

fn rename(value: &mut Value, ids: &mut HashMap<String, String>) {
    match value {
        Value::Object(fields) => {
            fields.remove("took_ms");
            for (name, value) in fields {
                if matches!(name.as_str(), "call_id" | "request_id")
                    && let Some(id) = value.as_str()
                {
                    let next = format!("{name}-{}", ids.len() + 1);
                    *value = ids.entry(id.to_owned()).or_insert(next).clone().into();
                } else {
                    rename(value, ids);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn of_type<'a>(chunks: &'a [Value], kind: &str) -> Vec<&'a Value> {
    chunks.iter().filter(|chunk| chunk["type"] == kind).collect()
}

/// Starts a run and waits until the question is out.
fn asked(place: &Place, name: &str, prompt: &str) -> (Running, String) {
    let run = place.start(&["run", "--json", "--model", &script(name), prompt]);
    run.out.until("\"waiting_for_user_input\"");
    let id = place.waiting()["request_id"].as_str().unwrap().to_owned();
    (run, id)
}

#[test]
fn one_question_from_the_first_chunk_to_the_last() {
    let place = Place::new();
    let (mut run, id) = asked(&place, "colour", "which colour");
    send(&mut run, &json!({"type": "user_question_response", "request_id": id, "answers": {"Colour": "Green"}}));
    let ended = run.end();
    assert_eq!((ended.code, ended.err.as_str()), (0, ""));
    let questions = json!([{
        "question": "Which colour?",
        "header": "Colour",
        "options": [
            {"label": "Red", "description": "As a warning", "value": "Red"},
            {"label": "Green", "description": "As a go-ahead", "value": "Green"},
        ],
        "multiSelect": false,
        "multi_select": false,
        "key": "Colour",
        "kind": "choice",
        "required": false,
        "allow_other": true,
    }]);
    let input = json!({"questions": [{
        "header": "Colour",
        "question": "Which colour?",
        "multiSelect": false,
        "options": [
            {"label": "Red", "description": "As a warning"},
            {"label": "Green", "description": "As a go-ahead"},
        ],
    }]});
    let result = r#"{"answers":{"Colour":"Green"},"selections":{"Colour":["Green"]},"outcomes":{"Colour":"answered"}}"#;
    let expected = [
        json!({"type": "user_message", "text": "which colour"}),
        json!({"type": "state_change", "state": {"type": "thinking"}}),
        json!({"type": "text", "text": "I ask."}),
        json!({"type": "tool_call", "call_id": "call_id-1", "tool": "AskUserQuestion", "input": input}),
        json!({"type": "state_change", "state": {"type": "running_tool", "tool": "AskUserQuestion"}}),
        json!({"type": "ask_user_question", "request_id": "request_id-2", "questions": questions}),
        json!({"type": "state_change", "state": {"type": "waiting_for_user_input", "request_id": "request_id-2"}}),
        json!({
            "type": "request_closed", "request_id": "request_id-2", "outcomes": {"Colour": "answered"},
            "answers": {"Colour": "Green"}, "selections": {"Colour": ["Green"]}, "by": "person", "via": "terminal",
        }),
        json!({"type": "state_change", "state": {"type": "running_tool", "tool": "AskUserQuestion"}}),
        json!({"type": "tool_result", "call_id": "call_id-1", "tool": "AskUserQuestion", "ok": true, "text": result}),
        json!({"type": "state_change", "state": {"type": "thinking"}}),
        json!({"type": "text", "text": format!("RESULT {result}")}),
        json!({"type": "turn_ended", "reason": "done"}),
        json!({"type": "state_change", "state": {"type": "idle"}}),
    ];
    let told = chunks(&ended.out);
    for (told, expected) in told.iter().zip(&expected) {
        assert_eq!(told, expected);
    }
    assert_eq!(told.len(), expected.len(), "{told:#?}");
}

#[test]
fn replies_are_taken_as_said() {
    let place = Place::new();
    let (mut run, id) = asked(&place, "two", "two");
    let replies = json!({
        "Database": {"act": "own_words", "text": "1"},
        "Features": {"act": "chosen", "selected": ["Tracing", "Caching"], "note": "in this order"},
    });
    send(&mut run, &json!({"type": "question_replies", "request_id": id, "replies": replies, "comment": "thanks"}));
    let ended = run.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    let chunks = chunks(&ended.out);
    assert_eq!(
        of_type(&chunks, "request_closed"),
        [&json!({
            "type": "request_closed", "request_id": "request_id-2",
            "outcomes": {"Database": "own_words", "Features": "answered"},
            "answers": {"Database": "1", "Features": "Caching, Tracing"},
            "selections": {"Features": ["Caching", "Tracing"]}, "notes": {"Features": "in this order"},
            "comment": "thanks", "by": "person", "via": "terminal",
        })]
    );
}

#[test]
fn a_draft_is_kept_and_is_no_answer() {
    let place = Place::new();
    let (mut run, id) = asked(&place, "colour", "which colour");
    let replies = json!({"Colour": {"act": "own_words", "text": "half a thou"}});
    send(&mut run, &json!({"type": "draft", "request_id": id, "replies": replies}));
    send(&mut run, &json!({"type": "draft", "text": "a message, half"}));
    let ended = run.end();
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(of_type(&chunks(&ended.out), "request_closed").is_empty());
    assert_eq!(place.waiting()["request_id"], id.as_str());
}

#[test]
fn an_interrupt_line_stops_the_turn() {
    let place = Place::new();
    let (mut run, _) = asked(&place, "colour", "which colour");
    send(&mut run, &json!({"type": "interrupt"}));
    let ended = run.ended();
    assert_eq!(ended.code, 130, "{ended:?}");
    stopped(&ended.out);
}

#[test]
fn ctrl_c_is_an_interrupt_line() {
    let place = Place::new();
    let (run, _) = asked(&place, "colour", "which colour");
    run.signal(Signal::INT);
    let ended = run.ended();
    assert_eq!(ended.code, 130, "{ended:?}");
    stopped(&ended.out);
}

fn stopped(out: &str) {
    let chunks = chunks(out);
    let from = chunks.iter().position(|chunk| chunk["type"] == "request_closed").unwrap();
    assert_eq!(
        chunks[from..],
        [
            json!({
                "type": "request_closed", "request_id": "request_id-2", "outcomes": {"Colour": "interrupted"},
                "answers": {"Colour": ""}, "by": "person",
            }),
            json!({"type": "tool_result", "call_id": "call_id-1", "tool": "AskUserQuestion", "ok": false, "text": "Interrupted"}),
            json!({"type": "turn_ended", "reason": "interrupted"}),
            json!({"type": "state_change", "state": {"type": "idle"}}),
        ]
    );
}

#[test]
fn an_interrupt_of_an_idle_agent_is_nothing() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--json", "--model", &script("colour")], b"{\"type\":\"interrupt\"}\n");
    assert_eq!((ended.code, ended.out.as_str(), ended.err.as_str()), (0, "", ""));
    let lines = b"{\"type\":\"interrupt\"}\n{\"type\":\"user_message\",\"text\":\"good day\"}\n";
    let ended = place.sayso(&["run", "--json", "--model", &script("colour")], lines);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("good day") && ended.out.contains("\"reason\":\"done\""), "{}", ended.out);
}

#[test]
fn junk_is_told_and_changes_nothing() {
    let place = Place::new();
    let (mut run, id) = asked(&place, "colour", "which colour");
    let junk: [&[u8]; 8] = [
        b"green",
        b"{}",
        b"[1]",
        b"{\"type\":\"user_question_response\"}",
        b"{\"type\":\"user_message\",\"text\":\"gr\xff\"}",
        b"{\"type\":\"user_question_response\",\"request_id\":\"no-such\",\"answers\":{\"Colour\":\"Red\"}}",
        format!("{{\"type\":\"user_question_response\",\"request_id\":\"{id}\",\"answers\":{{}}}}").leak().as_bytes(),
        b"{\"type\":\"user_message\",\"text\":\"  \"}",
    ];
    for line in junk {
        run.write(line);
        run.write("\n");
        run.out.until("\"type\":\"error\"");
    }
    // Blank lines are nothing at all.
    run.write("\n  \r\n");
    let ended = run.end();
    assert_eq!(ended.code, 3, "{ended:?}");
    let chunks = chunks(&ended.out);
    assert_eq!(of_type(&chunks, "error").len(), junk.len());
    assert!(of_type(&chunks, "request_closed").is_empty());
    assert_eq!(place.waiting()["request_id"], id.as_str());
}

#[test]
fn at_the_end_of_its_input_it_ends_idle_or_waiting() {
    let place = Place::new();
    let message = json!({"type": "user_message", "text": "good day"});
    let ended = place.sayso(&["run", "--json", "--model", &script("colour")], format!("{message}\n").as_bytes());
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(of_type(&chunks(&ended.out), "text"), [&json!({"type": "text", "text": "HEARD good day"})]);

    let message = json!({"type": "user_message", "text": "which colour"});
    let ended = place.sayso(&["run", "--json", "--model", &script("colour")], format!("{message}\n").as_bytes());
    assert_eq!(ended.code, 3, "{ended:?}");
    assert_eq!(ended.err, place.sayso(&["inbox", "--json"], b"").out);
}

#[test]
fn a_resumed_question_is_asked_under_its_id() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    let id = request["request_id"].as_str().unwrap();
    let response = json!({"type": "user_question_response", "request_id": id, "answers": {"Colour": "2"}});
    let args = ["run", "--json", "--resume", request["session_id"].as_str().unwrap()];
    let ended = place.sayso(&args, format!("{response}\n").as_bytes());
    assert_eq!(ended.code, 0, "{ended:?}");
    let first: Value = serde_json::from_str(ended.out.lines().next().unwrap()).unwrap();
    assert_eq!(first, json!({"type": "ask_user_question", "request_id": id, "questions": request["questions"]}));
    let told = chunks(&ended.out);
    assert_eq!(of_type(&told, "ask_user_question").len(), 1);
    assert_eq!(of_type(&told, "tool_result").len(), 1);
}

#[test]
fn a_prompt_with_json_asks_once() {
    for _ in 0..5 {
        let place = Place::new();
        let ended = place.sayso(&["run", "--json", "--model", &script("colour"), "which colour"], b"");
        assert_eq!(ended.code, 3);
        assert_eq!(of_type(&chunks(&ended.out), "ask_user_question").len(), 1, "{}", ended.out);
    }
}

#[test]
fn words_instead_of_a_choice() {
    let place = Place::new();
    let (mut run, id) = asked(&place, "colour", "which colour");
    let message =
        json!({"type": "user_message", "text": "let us talk", "reply_to": {"request_id": id, "key": "Colour"}});
    send(&mut run, &message);
    let ended = run.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    let chunks = chunks(&ended.out);
    assert_eq!(of_type(&chunks, "request_closed")[0]["outcomes"], json!({"Colour": "own_words"}));
}

#[test]
fn a_failure_is_a_chunk_and_a_sentence() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--json", "--model", &script("failing"), "key"], b"");
    assert_eq!(ended.code, 1, "{ended:?}");
    assert_eq!(of_type(&chunks(&ended.out), "error").len(), 1);
    assert!(ended.err.starts_with("sayso: The provider refused the key (401). Check the key"), "{}", ended.err);
}
