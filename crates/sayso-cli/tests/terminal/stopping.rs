//! Ctrl-C, and the signals that end the program.

use std::fs;

use rustix::process::Signal;

use crate::program::{Endless, Place, assert_gone, script};

#[test]
fn interrupted_at_a_question_the_turn_ends_and_no_model_is_called() {
    let place = Place::new();
    let run = place.start(&["run", "--model", &script("colour"), "which colour"]);
    run.out.until("A number, or your own words");
    run.signal(Signal::INT);
    let ended = run.ended();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.out.contains("x AskUserQuestion fed back 11 chars - Interrupted\n"), "{}", ended.out);
    assert!(ended.out.ends_with("Stopped.\n"), "{}", ended.out);
    assert!(!ended.out.contains("RESULT"), "{}", ended.out);
    assert!(place.inbox().is_empty());
}

#[test]
fn interrupted_while_a_command_runs_its_whole_group_is_gone() {
    let place = Place::new();
    let endless = Endless::new(&place.work());
    let mut run = place.start(&["run", "--model", &script("command"), &endless.prompt()]);
    run.write("y\n");
    let group = endless.started();
    run.signal(Signal::INT);
    let ended = run.ended();
    assert_gone(group);
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.out.contains("Interrupted\n"), "{}", ended.out);
    assert!(!ended.out.contains("RESULT"), "{}", ended.out);
}

#[test]
fn what_was_answered_so_far_is_kept_as_a_draft_when_stopped() {
    let place = Place::new();
    let mut run = place.start(&["run", "--model", &script("two"), "two"]);
    run.out.until("question 1 of 2");
    run.write("words of mine\n");
    run.out.until("question 2 of 2");
    run.signal(Signal::INT);
    let ended = run.ended();
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(ended.out.contains("Not sent, and kept as your draft: words of mine\n"), "{}", ended.out);
}

#[test]
fn a_stopped_session_takes_the_next_message() {
    let place = Place::new();
    let run = place.start(&["run", "--model", &script("colour"), "which colour"]);
    let request = place.waiting();
    run.signal(Signal::INT);
    assert_eq!(run.ended().code, 130);
    let ended = place.sayso(&["run", "--resume", request["session_id"].as_str().unwrap(), "good day"], b"");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("HEARD good day"), "{}", ended.out);
}

#[test]
fn ended_by_a_signal_a_question_stays_open() {
    for (signal, code, name) in [(Signal::TERM, 143, "SIGTERM"), (Signal::HUP, 129, "SIGHUP")] {
        let place = Place::new();
        let run = place.start(&["run", "--model", &script("colour"), "which colour"]);
        run.out.until("A number, or your own words");
        let request = place.waiting();
        run.signal(signal);
        let ended = run.ended();
        assert_eq!(ended.code, code, "{ended:?}");
        let session = request["session_id"].as_str().unwrap();
        let told = format!("sayso: ended by {name}. Nothing is lost; go on with: sayso run --resume {session}\n");
        assert_eq!(ended.err, told);
        assert_eq!(place.waiting(), request);
    }
}

#[test]
fn ended_by_a_signal_a_command_is_not_left_behind() {
    for signal in [Signal::TERM, Signal::HUP] {
        let place = Place::new();
        let endless = Endless::new(&place.work());
        let mut run = place.start(&["run", "--model", &script("command"), &endless.prompt()]);
        let session = place.waiting()["session_id"].as_str().unwrap().to_owned();
        run.write("y\n");
        let group = endless.started();
        run.signal(signal);
        run.ended();
        assert_gone(group);
        let ended = place.sayso(&["run", "--resume", &session], b"");
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.result().starts_with("The program stopped while this call ran."), "{}", ended.out);
        assert_eq!(fs::read_to_string(&endless.runs).unwrap(), "once\n");
    }
}

#[test]
fn nothing_that_a_command_started_is_left_after_a_run() {
    let place = Place::new();
    let pid = place.work().join("pid");
    let prompt = format!("run echo $$ > '{}'; sleep 1000 & echo started", pid.display());
    let ended = place.sayso(&["run", "--model", &script("command"), &prompt], b"y\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    let group = fs::read_to_string(pid).unwrap();
    assert_gone(rustix::process::Pid::from_raw(group.trim().parse().unwrap()).unwrap());
}
