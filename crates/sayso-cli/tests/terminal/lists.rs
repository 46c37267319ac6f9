//! `sayso sessions` and `sayso inbox`.

use std::os::unix::fs::PermissionsExt;

use crate::program::{Place, Running, script};

#[test]
fn nothing_yet() {
    let place = Place::new();
    assert_eq!(place.sayso(&["sessions"], b"").out, "Nothing here yet. Start with: sayso run \"what you want\"\n");
    assert_eq!(place.sayso(&["inbox"], b"").out, "No one is waiting for you.\n");
    assert_eq!(place.sayso(&["inbox", "--json"], b"").out, "");
}

#[test]
fn v_21_what_there_is_and_what_waits() {
    let place = Place::new();
    assert_eq!(place.sayso(&["run", "--model", &script("colour"), "which port"], b"\n").code, 0);
    let request = place.left_waiting("two", "two");
    let sessions = place.sayso(&["sessions"], b"").out;
    let lines: Vec<&str> = sessions.lines().collect();
    let work = place.work();
    let session = request["session_id"].as_str().unwrap();
    assert_eq!(lines[0], format!("{session}  waiting for you (1)  {}  two", work.display()));
    let answered = format!("  -  {}  which port  (1 answered: 1 by the default, 0 revisited)", work.display());
    assert!(lines[1].ends_with(&answered), "{}", lines[1]);
    assert_eq!(lines.len(), 2);
    assert_eq!(
        place.sayso(&["inbox"], b"").out,
        format!(
            "{}\n  Database: Which database?\n    1. PostgreSQL\n    2. SQLite\n  Features: Which features?\n    1. Caching\n    2. Metrics\n    3. Tracing\n",
            request["request_id"].as_str().unwrap()
        )
    );
    place.sayso(&["answer", request["request_id"].as_str().unwrap(), "--skip"], b"");
    assert!(!place.sayso(&["sessions"], b"").out.contains("waiting for you"));
    assert_eq!(place.sayso(&["inbox"], b"").out, "No one is waiting for you.\n");
}

#[test]
fn the_store_is_the_persons_alone() {
    let place = Place::new();
    place.sayso(&["sessions"], b"");
    assert_eq!(std::fs::metadata(place.store()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn c_03_c_10_a_question_that_could_be_better_is_told_in_the_log_and_asked_all_the_same() {
    let place = Place::new();
    let two =
        r#"{"when": {}, "emit": [{"call": {"tool": "ask_user", "input": {"question": "Which name? Which port?"}}}]}"#;
    std::fs::write(place.work().join("two.jsonl"), two).unwrap();
    let mut command = place.command(&["run", "--model", "practice:two.jsonl", "go"]);
    command.env("SAYSO_LOG", "warn");
    let log = Running::of(command).end().err;
    assert!(log.contains("'Question' could be better: it asks two things at once"), "{log}");
    assert!(log.contains("'Question' could be better: it offers no options"), "{log}");
    assert_eq!(place.waiting()["questions"][0]["question"], "Which name? Which port?");
}
