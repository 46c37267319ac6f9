//! Answers from a pipe, one line a question, and nothing beyond them.

use std::{fs, path::PathBuf, process::Command};

use crate::program::{Ended, Place, script};

/// The practice project that the run worked in.
fn project(ended: &Ended) -> PathBuf {
    let told = ended.err.lines().find_map(|line| line.strip_prefix("Working in a new copy of the practice project: "));
    told.unwrap_or_else(|| panic!("no project in {ended:?}")).into()
}

fn calc(ended: &Ended) -> String {
    fs::read_to_string(project(ended).join("src/calc.js")).unwrap()
}

#[test]
fn the_documents_pipe_decides_edits_and_tests() {
    let place = Place::new();
    let ended = place.sayso(&["run", "add a guard to divide"], b"2\ny\ny\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(calc(&ended).contains("if (b === 0) return null;"));
    assert!(ended.out.contains("= Zero case: Return null (chosen)\n"), "{}", ended.out);
    if Command::new("node").arg("--version").output().is_err() {
        println!("skipped: node is not installed, so its tests cannot run");
        return;
    }
    assert!(ended.out.contains("`node --test` is green"), "{}", ended.out);
    let again = Command::new("node").arg("--test").current_dir(project(&ended)).output().unwrap();
    assert!(again.status.success());
}

#[test]
fn a_question_without_a_line_is_never_guessed() {
    for (lines, header, decided) in [("", "Zero case", 0), ("2\n", "Permission", 1)] {
        let place = Place::new();
        let ended = place.sayso(&["run", "add a guard to divide"], lines.as_bytes());
        assert_eq!(ended.code, 3, "{ended:?}");
        assert_eq!(ended.out.matches("\n= ").count(), decided, "{}", ended.out);
        assert!(!calc(&ended).contains("b === 0"), "nothing was changed");
        let inbox = place.sayso(&["inbox", "--json"], b"");
        assert_eq!(ended.err.lines().last(), Some(inbox.out.trim_end()));
        let waits = place.waiting();
        assert_eq!(waits["questions"][0]["header"], header);
        let mut fields: Vec<&String> = waits.as_object().unwrap().keys().collect();
        fields.sort();
        assert_eq!(fields, ["questions", "request_id", "session_id"]);
    }
}

#[test]
fn a_permission_that_is_answered_wrongly_three_times_is_left_open() {
    let place = Place::new();
    let ended = place.sayso(&["run", "add a guard to divide"], b"2\nmaybe\n\n1\ny\n");
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(!calc(&ended).contains("b === 0"), "a later y counts for nothing");
    assert_eq!(place.waiting()["questions"][0]["key"], "permission");
}

#[test]
fn a_wrong_line_is_asked_again() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--model", &script("command"), "run echo hi"], b"perhaps\nY\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.result(), "exit code 0\nhi");
}

#[test]
fn a_no_carries_its_words_to_the_model() {
    let place = Place::new();
    let ended =
        place.sayso(&["run", "--model", &script("command"), "run rm -r ."], "n use  the bin — please\n".as_bytes());
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(
        ended.result(),
        "this run_command call did not run: the user rejected it and said: use  the bin — please"
    );
}

#[test]
fn an_empty_line_takes_the_default_or_skips() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--model", &script("colour"), "which port"], b"\n");
    assert_eq!((ended.code, ended.result()), (0, "8080\n(the default, accepted by the user)"));
    let ended = place.sayso(&["run", "--model", &script("colour"), "which colour"], b"\n");
    assert_eq!(ended.code, 0);
    let result: serde_json::Value = serde_json::from_str(ended.result()).unwrap();
    assert_eq!(result["answers"]["Colour"], "the user did not answer");
    assert_eq!(result["outcomes"]["Colour"], "skipped");
}

#[test]
fn own_words_arrive_byte_for_byte() {
    let words = "  neither; a \"warm\" grey \\ wärm\u{a0}\t—  ";
    for end in ["\n", "\r\n", ""] {
        let place = Place::new();
        let line = format!("{words}{end}");
        let ended = place.sayso(&["run", "--model", &script("colour"), "which colour"], line.as_bytes());
        assert_eq!(ended.code, 0, "{ended:?}");
        let result: serde_json::Value = serde_json::from_str(ended.result()).unwrap();
        assert_eq!(result["answers"]["Colour"], words, "after {end:?}");
        assert_eq!(result["outcomes"]["Colour"], "own_words");
    }
}

#[test]
fn a_line_of_two_hundred_thousand_letters_is_an_answer() {
    let place = Place::new();
    let words = "long ".repeat(40_000);
    let ended = place.sayso(&["run", "--model", &script("colour"), "which colour"], format!("{words}\n").as_bytes());
    assert_eq!(ended.code, 0);
    let result: serde_json::Value = serde_json::from_str(ended.result()).unwrap();
    assert_eq!(result["answers"]["Colour"], words);
}

#[test]
fn a_line_that_is_no_text_is_refused_and_not_mended() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--model", &script("colour"), "which colour"], b"gr\xff\xfen\nGreen\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("This line is no UTF-8 text, so it was not taken as an answer."), "{}", ended.out);
    let result: serde_json::Value = serde_json::from_str(ended.result()).unwrap();
    assert_eq!(result["outcomes"]["Colour"], "answered");
}
