//! A person at a real terminal.

use std::{
    io::Write,
    process::{Child, ExitStatus},
    sync::Arc,
};

use pty_process::blocking::{Command, Pty, open};

use crate::program::{Heard, Place, script};

const CTRL_C: &str = "\u{3}";
const CTRL_D: &str = "\u{4}";

struct Terminal {
    pty: Arc<Pty>,
    child: Child,
    shown: Heard,
}

/// The terminal's end that is read in a thread.
struct Reader(Arc<Pty>);

impl std::io::Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl Terminal {
    fn start(place: &Place, args: &[&str]) -> Self {
        let (pty, far_end) = open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_sayso")).args(args).current_dir(place.work());
        let child = command.env_clear().envs(place.environment()).spawn(far_end).unwrap();
        let pty = Arc::new(pty);
        Self { shown: Heard::from(Reader(pty.clone())), pty, child }
    }

    fn type_in(&self, keys: &str) {
        (&*self.pty).write_all(keys.as_bytes()).unwrap();
    }

    /// Waits until a question can be answered.
    fn asked(&self) {
        self.shown.until("Enter skips it");
        self.shown.until("\n> ");
    }

    fn ended(mut self) -> (ExitStatus, String) {
        let shown = self.shown.whole();
        (self.child.wait().unwrap(), shown)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_chat_with_a_question_in_it() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("colour")]);
    terminal.shown.until("you> ");
    terminal.type_in("good day\r");
    terminal.shown.until("HEARD good day");
    terminal.shown.until("you> ");
    terminal.type_in("\r");
    terminal.shown.until("you> ");
    terminal.type_in("which colour\r");
    terminal.shown.until("? Colour");
    terminal.asked();
    terminal.type_in("2\r");
    terminal.shown.until("RESULT ");
    terminal.shown.until("you> ");
    terminal.type_in(CTRL_D);
    let (status, shown) = terminal.ended();
    assert_eq!(status.code(), Some(0), "{shown}");
    assert!(shown.contains("Go on with: sayso run --resume "), "{shown}");
}

#[test]
fn ctrl_c_stops_the_turn_and_the_chat_goes_on() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("colour")]);
    terminal.shown.until("you> ");
    terminal.type_in("which colour\r");
    terminal.asked();
    terminal.type_in(CTRL_C);
    terminal.shown.until("Interrupted");
    terminal.shown.until("Stopped.");
    terminal.shown.until("you> ");
    terminal.type_in("good day\r");
    terminal.shown.until("HEARD good day");
    terminal.shown.until("you> ");
    terminal.type_in(CTRL_C);
    terminal.shown.until("(Ctrl-C again, or Ctrl-D, ends the program; the session is kept.)");
    terminal.shown.until("you> ");
    terminal.type_in(CTRL_C);
    let (status, shown) = terminal.ended();
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(!shown.contains("RESULT"), "{shown}");
}

#[test]
fn one_turn_at_a_terminal_is_asked_again_until_it_is_answered() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("command"), "run echo hi"]);
    terminal.shown.until("y Allow once / n Reject (n WORDS says why)");
    terminal.shown.until("\n> ");
    for _ in 0..4 {
        terminal.type_in("perhaps\r");
        terminal.shown.until("\n> ");
    }
    terminal.type_in("y\r");
    let (status, shown) = terminal.ended();
    assert_eq!(status.code(), Some(0), "{shown}");
    assert!(shown.contains("RESULT exit code 0"), "{shown}");
}

#[test]
fn ctrl_c_at_a_question_ends_a_single_turn() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("colour"), "which colour"]);
    terminal.asked();
    terminal.type_in(CTRL_C);
    let (status, shown) = terminal.ended();
    assert_eq!(status.code(), Some(130), "{shown}");
    assert!(shown.contains("Stopped."), "{shown}");
}

#[test]
fn ctrl_d_at_a_question_leaves_it_open_and_says_how_to_go_on() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("colour"), "which colour"]);
    terminal.asked();
    let request = place.waiting();
    terminal.type_in(CTRL_D);
    let (status, shown) = terminal.ended();
    assert_eq!(status.code(), Some(3), "{shown}");
    let session = request["session_id"].as_str().unwrap();
    assert!(shown.contains(&format!("The question stays open. Go on with: sayso run --resume {session}")), "{shown}");
    assert_eq!(place.waiting(), request);

    let terminal = Terminal::start(&place, &["run", "--resume", session]);
    terminal.asked();
    terminal.type_in("1\r");
    terminal.shown.until("RESULT ");
    terminal.shown.until("you> ");
    terminal.type_in(CTRL_D);
    assert_eq!(terminal.ended().0.code(), Some(0));
}

#[test]
fn a_closed_terminal_leaves_the_question_open() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("colour"), "which colour"]);
    terminal.asked();
    let request = place.waiting();
    let group = rustix::termios::tcgetpgrp(&*terminal.pty).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::HUP).unwrap();
    let (status, shown) = terminal.ended();
    assert_eq!(status.code(), Some(129), "{shown}");
    assert_eq!(place.waiting(), request);
}

#[test]
fn an_answer_from_elsewhere_takes_the_question_off_the_terminal() {
    let place = Place::new();
    let terminal = Terminal::start(&place, &["run", "--model", &script("colour")]);
    terminal.shown.until("you> ");
    terminal.type_in("which colour\r");
    terminal.asked();
    let request = place.waiting();
    assert_eq!(place.sayso(&["answer", request["request_id"].as_str().unwrap(), "1"], b"").code, 0);
    terminal.shown.until("= Colour: Red (chosen)");
    terminal.shown.until("RESULT ");
    terminal.shown.until("you> ");
    terminal.type_in("2\r");
    // A number after the question is gone is a message, and no answer.
    terminal.shown.until("HEARD 2");
    terminal.shown.until("you> ");
    terminal.type_in(CTRL_D);
    assert_eq!(terminal.ended().0.code(), Some(0));
}
