//! Output is whole for a reader who is late, harmless for a terminal, and no matter when nobody reads.

use std::{
    io::{BufRead, BufReader, Read},
    os::fd::AsFd,
    process::Stdio,
    thread,
    time::Instant,
};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::program::{Heard, PATIENCE, Place, script};

/// Waits until the pipe is as good as full; much more is to come, so whoever writes to it will stand still.
fn full(pipe: &impl AsFd) {
    let start = Instant::now();
    while rustix::io::ioctl_fionread(pipe).unwrap() < 32 * 1024 {
        assert!(start.elapsed() < PATIENCE, "the pipe does not fill");
        thread::yield_now();
    }
}

#[test]
fn a_reader_who_starts_late_gets_everything() {
    let words = format!("say {}END", "word ".repeat(60_000));
    let place = Place::new();
    let mut command = place.command(&["run", "--json", "--model", &script("colour")]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let message = json!({"type": "user_message", "text": words});
    {
        use std::io::Write;
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }
    let mut out = child.stdout.take().unwrap();
    full(&out);
    let mut read = String::new();
    out.read_to_string(&mut read).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let chunks = read.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text: String = chunks
        .filter(|chunk| chunk["type"] == "text")
        .map(|chunk| chunk["text"].as_str().unwrap().to_owned())
        .collect();
    assert!(text == words, "{} of {} bytes", text.len(), words.len());
}

#[test]
fn a_signal_ends_a_run_that_nobody_reads() {
    let place = Place::new();
    let prompt = format!("say {}", "word ".repeat(25_000));
    let mut command = place.command(&["run", "--model", &script("colour"), &prompt]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let out = child.stdout.take().unwrap();
    full(&out);
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
}

#[test]
fn a_reader_who_leaves_stops_the_run_with_a_sentence() {
    let place = Place::new();
    let mut command = place.command(&["run", "--model", &script("colour"), "which colour"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let err = Heard::from(child.stderr.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert_eq!(first, "I ask.\n");
    let request = place.waiting();
    drop(out);
    place.sayso(&["answer", request["request_id"].as_str().unwrap(), "1"], b"");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let err = err.whole();
    let session = request["session_id"].as_str().unwrap();
    assert!(err.starts_with("sayso: nobody reads the output any more"), "{err}");
    assert!(err.ends_with(&format!("sayso run --resume {session}\n")), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn lists_end_quietly_when_nobody_reads_them() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    let id = request["request_id"].as_str().unwrap();
    let file = place.work().join("q.json");
    std::fs::write(&file, r#"{"question": "Which?"}"#).unwrap();
    let cases: [&[&str]; 5] = [
        &["sessions"],
        &["inbox"],
        &["inbox", "--json"],
        &["answer", id, "1"],
        &["ask", "--file", file.to_str().unwrap()],
    ];
    for args in cases {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = place.command(args);
        let mut child = command.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        let err = Heard::from(child.stderr.take().unwrap());
        {
            use std::io::Write;
            drop(child.stdin.take().unwrap().write_all(b"words\n"));
        }
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
        assert!(!err.whole().contains("panicked"), "{args:?}");
    }
}

#[test]
fn text_of_the_model_can_neither_drive_the_terminal_nor_pass_for_the_programs_own() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--model", &script("hostile"), "hostile"], b"2\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    let hidden = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
    assert!(!ended.out.contains(hidden), "{:?}", ended.out);
    assert!(ended.out.contains("\\u{1b}[2J"), "{}", ended.out);
    for line in ["? Permission", "  2. Blue"] {
        assert!(!ended.out.lines().any(|shown| shown == line), "{line:?} in {}", ended.out);
    }
    assert!(ended.out.contains("     | line one\n     | \\u{1b}[31mline two\n"), "{}", ended.out);
}
