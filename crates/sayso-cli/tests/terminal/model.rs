//! The whole way with a server that nobody here wrote: over HTTP, streamed, with a question in the middle.

use std::fs;

use crate::{aimock::Aimock, program::Place};

#[test]
fn a_turn_with_a_real_server_reads_asks_and_goes_on() {
    let Some(server) = Aimock::start() else { return };
    let place = Place::new();
    fs::create_dir(place.work().join("src")).unwrap();
    fs::write(place.work().join("src/calc.js"), "export const divide = (a, b) => a / b;\n").unwrap();
    let run = ["run", "--model", "openai:mock", "--base-url", &server.base_url, "use the store"];
    let ended = place.sayso(&run, b"2\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    let told = [
        "I read the code first, then I ask which database to use.\n",
        "> read_file({\"path\":\"src/calc.js\"})\n",
        "= Database: SQLite (chosen)\n",
        "The store will use **SQLite**, a file beside the program.\n",
    ];
    let mut rest = ended.out.as_str();
    for line in told {
        let Some((_, after)) = rest.split_once(line) else { panic!("no {line:?} in its place in {}", ended.out) };
        rest = after;
    }
}

#[test]
fn a_real_servers_question_waits_for_another_day() {
    let Some(server) = Aimock::start() else { return };
    let place = Place::new();
    let run = ["run", "--model", "openai:mock", "--base-url", &server.base_url, "use the store"];
    let ended = place.sayso(&run, b"");
    assert_eq!(ended.code, 3, "{ended:?}");
    let waits = place.waiting();
    let id = waits["request_id"].as_str().unwrap();
    assert_eq!(place.sayso(&["answer", id, "PostgreSQL"], b"").code, 0);
    let resumed = place.sayso(&["run", "--resume", waits["session_id"].as_str().unwrap()], b"");
    assert_eq!(resumed.code, 0, "{resumed:?}");
    assert!(resumed.out.contains("The store will use **PostgreSQL**"), "{}", resumed.out);
}

#[test]
fn a_server_that_asks_to_wait_or_breaks_off_loses_nothing() {
    let Some(server) = Aimock::start() else { return };
    for (prompt, word) in [("be busy", "asks to wait"), ("break off", "cut off")] {
        let place = Place::new();
        let run = ["run", "--model", "openai:mock", "--base-url", &server.base_url, prompt];
        let ended = place.sayso(&run, b"");
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.err.contains(word) && ended.err.contains("resume"), "{}", ended.err);
        let sessions = place.sayso(&["sessions"], b"");
        assert!(sessions.out.contains(prompt), "{}", sessions.out);
    }
}
