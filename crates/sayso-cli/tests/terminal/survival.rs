//! kill -9 loses nothing that was said, and nothing runs twice.

use std::fs;

use rustix::process::{Signal, kill_process_group};
use serde_json::{Value, json};

use crate::program::{Endless, Place, alive, script};

#[test]
fn killed_between_two_questions_the_request_stands_and_keeps_the_first_answer() {
    let place = Place::new();
    let mut run = place.start(&["run", "--model", &script("two"), "two"]);
    run.out.until("question 1 of 2");
    run.out.until("> ");
    run.write("2\n");
    run.out.until("question 2 of 2");
    let before = place.waiting();
    run.signal(Signal::KILL);
    assert_eq!(run.ended().code, -9);
    let waits = place.waiting();
    assert_eq!(waits, before);

    let mut run = place.start(&["run", "--resume", waits["session_id"].as_str().unwrap()]);
    run.out.until("Database: SQLite (kept from before)");
    run.out.until("question 2 of 2");
    assert_eq!(place.waiting()["request_id"], waits["request_id"]);
    run.write("1,3\n");
    let ended = run.end();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(!ended.out.contains("> AskUserQuestion("), "the same call goes on: {}", ended.out);
    let result: Value = serde_json::from_str(ended.result()).unwrap();
    assert_eq!(
        result,
        json!({
            "answers": {"Database": "SQLite", "Features": "Caching, Tracing"},
            "selections": {"Database": ["SQLite"], "Features": ["Caching", "Tracing"]},
            "outcomes": {"Database": "answered", "Features": "answered"},
        })
    );
    assert!(place.inbox().is_empty());
}

#[test]
fn killed_again_and_again_the_question_keeps_its_id() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    for _ in 0..3 {
        let run = place.start(&["run", "--resume", request["session_id"].as_str().unwrap()]);
        run.out.until("Which colour?");
        run.signal(Signal::KILL);
        assert_eq!(run.ended().code, -9);
        assert_eq!(place.waiting(), request);
    }
}

#[test]
fn answered_after_the_kill_by_another_process_the_same_call_goes_on() {
    let place = Place::new();
    let run = place.start(&["run", "--model", &script("colour"), "which colour"]);
    let request = place.waiting();
    run.signal(Signal::KILL);
    run.ended();
    let id = request["request_id"].as_str().unwrap();
    assert_eq!(place.sayso(&["answer", id, "1"], b"").code, 0);
    let ended = place.sayso(&["run", "--resume", request["session_id"].as_str().unwrap()], b"");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.result().contains("\"Colour\":\"Red\""));
}

#[test]
fn killed_while_a_command_runs_it_is_reported_and_not_run_again() {
    let place = Place::new();
    let endless = Endless::new(&place.work());
    let mut run = place.start(&["run", "--model", &script("command"), &endless.prompt()]);
    let session = place.waiting()["session_id"].as_str().unwrap().to_owned();
    run.write("y\n");
    let group = endless.started();
    run.signal(Signal::KILL);
    run.ended();
    // Nothing can be ended by a program that is killed so.
    assert!(alive(group));
    kill_process_group(group, Signal::KILL).unwrap();

    let ended = place.sayso(&["run", "--resume", &session], b"");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.result().starts_with("The program stopped while this call ran."), "{}", ended.out);
    assert_eq!(fs::read_to_string(&endless.runs).unwrap(), "once\n");
}

#[test]
fn a_session_that_another_process_runs_is_not_run_twice() {
    let place = Place::new();
    let run = place.start(&["run", "--model", &script("colour"), "which colour"]);
    let request = place.waiting();
    let session = request["session_id"].as_str().unwrap();
    let ended = place.sayso(&["run", "--resume", session], b"1\n");
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.err.contains("is running in another window or terminal"), "{}", ended.err);
    assert_eq!(place.waiting(), request);
    drop(run);
}
