//! `sayso ask`: one request from a file, its answers as JSON.

use serde_json::{Value, json};

use crate::program::{Ended, Place};

fn ask(place: &Place, questions: &Value, input: &str) -> Ended {
    let file = place.work().join("q.json");
    std::fs::write(&file, questions.to_string()).unwrap();
    place.sayso(&["ask", "--file", file.to_str().unwrap()], input.as_bytes())
}

/// The answers; nothing else stands on standard output.
fn answers(ended: &Ended) -> Value {
    assert_eq!(ended.code, 0, "{ended:?}");
    let told: Value = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {}", ended.out));
    assert_eq!(told.as_object().unwrap().len(), 2);
    assert!(!told["request_id"].as_str().unwrap().is_empty());
    told["answers"].clone()
}

#[test]
fn the_form_of_the_models_tool() {
    let place = Place::new();
    let questions = json!({"questions": [
        {"header": "Database", "question": "Which database?", "multiSelect": false, "options": [
            {"label": "PostgreSQL", "description": "A server"}, {"label": "SQLite", "description": "A file"}]},
        {"header": "Features", "question": "Which features?", "multiSelect": true, "options": [
            {"label": "Caching", "description": "Faster"}, {"label": "Metrics", "description": "Seen"}]},
        {"header": "Name", "question": "Whose?", "multiSelect": false, "options": [
            {"label": "Mine", "description": "I"}, {"label": "Yours", "description": "You"}]},
    ]});
    let ended = ask(&place, &questions, "2\n1 2\nours\n");
    assert_eq!(
        answers(&ended),
        json!([
            {"key": "Database", "outcome": "answered", "author": "person", "value": "SQLite", "text": null},
            {"key": "Features", "outcome": "answered", "author": "person", "value": ["Caching", "Metrics"], "text": null},
            {"key": "Name", "outcome": "own_words", "author": "person", "value": null, "text": "ours"},
        ])
    );
    assert!(ended.err.contains("? Database · question 1 of 3\n  Which database?\n  1. PostgreSQL\n"), "{}", ended.err);
}

#[test]
fn the_form_that_tools_return() {
    let place = Place::new();
    let questions = json!({"interactiveQuestions": [
        {"id": "env", "question": "Where to?", "type": "choice", "options": ["test", "live"], "default": "test"},
        {"id": "sure", "question": "Sure?", "type": "confirm"},
        {"id": "tags", "question": "Which tags?", "type": "multiChoice", "options": ["a", "b", "c"], "default": ["b"]},
        {"id": "ticket", "question": "Which ticket?", "type": "text", "pattern": "^[A-Z]+-[0-9]+$"},
        {"id": "note", "question": "Anything else?", "type": "text", "required": false},
    ]});
    let ended = ask(&place, &questions, "\ny\n\nabc\nAB-12\n\n");
    assert_eq!(
        answers(&ended),
        json!([
            {"key": "env", "outcome": "accepted_default", "author": "person", "value": "test", "text": null},
            {"key": "sure", "outcome": "answered", "author": "person", "value": true, "text": null},
            {"key": "tags", "outcome": "accepted_default", "author": "person", "value": ["b"], "text": null},
            {"key": "ticket", "outcome": "answered", "author": "person", "value": "AB-12", "text": "AB-12"},
            {"key": "note", "outcome": "skipped", "author": "person", "value": null, "text": null},
        ])
    );
    assert!(ended.err.contains("must match the pattern ^[A-Z]+-[0-9]+$"), "{}", ended.err);
}

#[test]
fn the_form_with_one_question() {
    for (question, input, expected) in [
        (json!({"question": "Which port?"}), "8080\n", json!({"value": "8080", "text": "8080", "outcome": "answered"})),
        (
            json!({"question": "Which?", "options": [{"value": "a", "label": "The first"}, {"value": "b", "label": "The second"}], "multi": true, "default": "b"}),
            "\n",
            json!({"value": ["b"], "text": null, "outcome": "accepted_default"}),
        ),
        (json!({"question": "Anything?"}), "\n", json!({"value": null, "text": null, "outcome": "skipped"})),
    ] {
        let place = Place::new();
        let told = answers(&ask(&place, &question, input));
        let mut whole = json!({"key": "answer", "author": "person"});
        whole.as_object_mut().unwrap().extend(expected.as_object().unwrap().clone());
        assert_eq!(told, json!([whole]));
    }
}

#[test]
fn one_question_of_the_models_tool_and_a_bare_array() {
    let place = Place::new();
    let question = json!({"header": "Colour", "question": "Which?", "multiSelect": false, "options": [
        {"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}]});
    assert_eq!(answers(&ask(&place, &question, "1\n"))[0]["value"], "Red");
    let questions = json!([{"id": "sure", "question": "Sure?", "type": "confirm", "default": false}]);
    assert_eq!(answers(&ask(&place, &questions, "\n"))[0]["value"], false);
}

#[test]
fn without_a_line_it_waits_in_the_inbox_and_takes_an_answer_from_elsewhere() {
    let place = Place::new();
    let ended = ask(&place, &json!({"question": "Which port?"}), "");
    assert_eq!((ended.code, ended.out.as_str()), (3, ""), "{ended:?}");
    let request = place.waiting();
    let told: Value = serde_json::from_str(ended.err.lines().last().unwrap()).unwrap();
    assert_eq!(told, request);

    let place = Place::new();
    let file = place.work().join("q.json");
    std::fs::write(&file, r#"{"question": "Which port?"}"#).unwrap();
    let run = place.start(&["ask", "--file", file.to_str().unwrap()]);
    let request = place.waiting();
    let answered = place.sayso(&["answer", request["request_id"].as_str().unwrap(), "80"], b"");
    assert_eq!(answered.out, "Question: 80\n");
    assert_eq!(answers(&run.ended())[0]["value"], "80");
}

#[test]
fn stopped_there_is_no_answer() {
    let place = Place::new();
    let file = place.work().join("q.json");
    std::fs::write(&file, r#"{"question": "Which port?"}"#).unwrap();
    let run = place.start(&["ask", "--file", file.to_str().unwrap()]);
    run.err.until("Type your answer");
    run.signal(rustix::process::Signal::INT);
    let ended = run.ended();
    assert_eq!((ended.code, ended.out.as_str()), (130, ""), "{ended:?}");
    assert!(place.inbox().is_empty());
}

#[test]
fn all_faults_of_a_file_are_named_at_once() {
    let place = Place::new();
    let questions = json!({"questions": [
        {"header": "A header too long", "question": "Which?", "multiSelect": false, "options": [{"label": "Alone", "description": "One"}]},
        {"header": "Colour", "question": "", "multiSelect": false, "options": [
            {"label": "a", "description": "1"}, {"label": "b", "description": "2"}, {"label": "c", "description": "3"},
            {"label": "d", "description": "4"}, {"label": "e", "description": "5"}]},
    ]});
    let ended = ask(&place, &questions, "1\n");
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{ended:?}");
    assert!(ended.err.contains("cannot be asked"), "{}", ended.err);
    for fault in ["A header too long", "1 option", "5 options"] {
        assert!(ended.err.contains(fault), "{fault} is not in {}", ended.err);
    }
    assert!(place.inbox().is_empty());
}

#[test]
fn a_file_that_cannot_be_read() {
    let place = Place::new();
    std::fs::write(place.work().join("no.json"), "{\"question\": ").unwrap();
    for (file, told) in
        [("none.json", "Give a file that exists, or - for standard input"), ("no.json", "no.json is not JSON")]
    {
        let ended = place.sayso(&["ask", "--file", file], b"");
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.err.contains(told), "{}", ended.err);
    }
}

#[test]
fn lenient_validation_lets_long_headers_and_labels_pass() {
    let questions = json!({"questions": [{"header": "Which database?", "question": "Which?", "multiSelect": false,
        "options": [{"label": "The one that needs no server", "description": ""}, {"label": "None", "description": ""}]}]});
    let strict = Place::new();
    let refused = ask(&strict, &questions, "1\n");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("at most 12") && refused.err.contains("a label of 6 words"), "{}", refused.err);

    let lenient = Place::new();
    std::fs::create_dir_all(lenient.store()).unwrap();
    std::fs::write(lenient.store().join("config.toml"), "validation = \"lenient\"\n").unwrap();
    let taken = answers(&ask(&lenient, &questions, "1\n"));
    assert_eq!(taken[0]["value"], "The one that needs no server");
}
