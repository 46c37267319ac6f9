//! Bad input: a clear message with the remedy, and nothing lost.

use std::fs;

use serde_json::Value;

use crate::program::{Ended, Place, script};

fn fails(ended: &Ended, code: i32, told: &[&str]) {
    assert_eq!(ended.code, code, "{ended:?}");
    assert!(ended.err.starts_with("sayso: "), "{ended:?}");
    for told in told {
        assert!(ended.err.contains(told), "{told:?} is not in: {}", ended.err);
    }
    assert!(!ended.err.contains("panicked"), "{}", ended.err);
}

#[test]
fn wrong_usage() {
    let place = Place::new();
    fails(&place.sayso(&["run"], b""), 2, &["say what you want"]);
    fails(&place.sayso(&["run", " \t "], b""), 2, &["say what you want"]);
    for args in [&["fly"][..], &["run", "--fast", "x"], &["run", "--resume", "x", "-C", "."], &["ask"], &["answer"]] {
        assert_eq!(place.sayso(args, b"").code, 2, "{args:?}");
    }
    assert_eq!(place.sayso(&["sessions"], b"").out.lines().count(), 1, "no session was begun");
    let help = place.sayso(&["--help"], b"");
    assert!(help.out.contains("Exit codes: 0 done"), "{}", help.out);
}

#[test]
fn a_settings_file_that_is_wrong_is_named_with_its_line() {
    let place = Place::new();
    let config = place.store().join("config.toml");
    for (text, line) in [
        ("model = \"practice\"\nmodle = \"x\"\n", "line 2"),
        ("model = \n", "line 1"),
        ("\n\nstrict_options = 3\n", "line 3"),
    ] {
        fs::write(&config, text).unwrap();
        fails(&place.sayso(&["run", "hello"], b""), 1, &["config.toml", line, "Mend that line"]);
    }
    fs::write(&config, b"model = \"\xff\"\n").unwrap();
    fails(&place.sayso(&["run", "hello"], b""), 1, &["config.toml"]);
    fs::write(&config, format!("model = '{}'\n", script("colour"))).unwrap();
    let ended = place.sayso(&["run", "good day"], b"");
    assert_eq!((ended.code, ended.out.as_str()), (0, "HEARD good day\n"));
}

#[test]
fn a_script_or_a_model_that_is_not_there() {
    let place = Place::new();
    fs::write(place.work().join("bad.jsonl"), "{\"when\": {}, \"emit\": [{\"text\": \"x\"}]}\n{\"when\": 3}\n")
        .unwrap();
    let cases: [(&str, &[&str]); 4] = [
        ("practice:none.jsonl", &["none.jsonl cannot be read", "Check the path after"]),
        ("practice:bad.jsonl", &["bad.jsonl, line 2", "Write one JSON object a line"]),
        ("practice:", &["cannot be read"]),
        ("gpt", &["there is no model 'gpt'", "practice:FILE or openai:NAME"]),
    ];
    for (model, told) in cases {
        fails(&place.sayso(&["run", "--model", model, "hello"], b""), 1, told);
    }
    assert!(place.sayso(&["sessions"], b"").out.starts_with("Nothing here yet."), "no session was begun");
}

#[test]
fn a_wrong_model_at_resume_leaves_the_session_as_it_was() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    let session = request["session_id"].as_str().unwrap();
    fails(&place.sayso(&["run", "--resume", session, "--model", "gpt"], b""), 1, &["there is no model 'gpt'"]);
    assert_eq!(place.sayso(&["run", "--resume", session], b"1\n").code, 0);
}

#[test]
fn a_script_given_by_a_relative_path_is_found_from_elsewhere() {
    let place = Place::new();
    let text = fs::read_to_string(script("colour").trim_start_matches("practice:")).unwrap();
    fs::write(place.work().join("mine.jsonl"), text).unwrap();
    assert_eq!(place.sayso(&["run", "--model", "practice:mine.jsonl", "which colour"], b"").code, 3);
    let session = place.waiting()["session_id"].as_str().unwrap().to_owned();
    let mut command = place.command(&["run", "--resume", &session]);
    command.current_dir("/");
    let mut run = crate::program::Running::of(command);
    run.write("1\n");
    assert_eq!(run.end().code, 0);
}

#[test]
fn unknown_ids_and_folders_that_are_gone() {
    let place = Place::new();
    fails(&place.sayso(&["run", "--resume", "no-such"], b""), 1, &["no session no-such", "sayso sessions"]);
    fails(&place.sayso(&["run", "-C", "nowhere", "hello"], b""), 1, &["cannot work in nowhere", "-C"]);
    fails(
        &place.sayso(&["answer", "no-such", "y"], b""),
        1,
        &["no question is known under the id no-such", "sayso inbox"],
    );

    let folder = place.work().join("project");
    fs::create_dir(&folder).unwrap();
    let folder = folder.to_str().unwrap();
    assert_eq!(place.sayso(&["run", "-C", folder, "--model", &script("colour"), "which colour"], b"").code, 3);
    let request = place.waiting();
    fs::remove_dir(folder).unwrap();
    let session = request["session_id"].as_str().unwrap();
    fails(&place.sayso(&["run", "--resume", session], b"1\n"), 1, &["no longer exists", "Bring it back"]);
    assert_eq!(place.waiting(), request);
    fs::create_dir(folder).unwrap();
    assert_eq!(place.sayso(&["run", "--resume", session], b"1\n").code, 0);
}

#[test]
fn a_store_that_cannot_be_used() {
    let place = Place::new();
    let mut command = place.command(&["sessions"]);
    let file = place.work().join("file");
    fs::write(&file, "").unwrap();
    command.env("SAYSO_HOME", &file);
    fails(&crate::program::Running::of(command).end(), 1, &["cannot use the store at", "SAYSO_HOME"]);

    fs::write(place.store().join("sayso.db"), "no database, and long enough to be taken for the head of one".repeat(9))
        .unwrap();
    fails(&place.sayso(&["sessions"], b""), 1, &["cannot open the store at", "Nothing was changed"]);
}

#[test]
fn a_model_that_fails_loses_nothing() {
    for (prompt, told) in [
        ("key", "The provider refused the key (401). Check the key"),
        ("offline", "No connection to the provider (nobody listens at 127.0.0.1:9). Check the base URL"),
        ("cut", "The model's answer was cut off before its end"),
    ] {
        let place = Place::new();
        let file = place.work().join("mine.jsonl");
        fs::copy(script("failing").trim_start_matches("practice:"), &file).unwrap();
        let ended = place.sayso(&["run", "--model", "practice:mine.jsonl", prompt], b"");
        fails(&ended, 1, &[told]);
        assert_eq!(ended.err.lines().count(), 1, "{}", ended.err);
        let sessions = place.sayso(&["sessions"], b"").out;
        let session = sessions.split_whitespace().next().unwrap();
        assert!(ended.err.contains(&format!("sayso run --resume {session}")), "{}", ended.err);
        // Once what was wrong is mended, the same turn goes on.
        fs::copy(script("colour").trim_start_matches("practice:"), &file).unwrap();
        let ended = place.sayso(&["run", "--resume", session], b"");
        assert_eq!((ended.code, ended.out), (0, format!("HEARD {prompt}\n")));
    }
}

#[test]
fn a_server_that_is_not_there_or_refuses_the_key() {
    let place = Place::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    drop(listener);
    let ended = place.sayso(&["run", "--model", "openai:any", "--base-url", &url, "hello"], b"");
    fails(&ended, 1, &["No connection to the provider", "Check the base URL and that the server runs", "--resume"]);

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 1024];
            drop(stream.read(&mut head));
            let body = r#"{"error":{"message":"Incorrect API key provided"}}"#;
            let answer = format!(
                "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            drop(stream.write_all(answer.as_bytes()));
            // To the end: a connection closed over unread bytes is reset, and the answer with it.
            drop(stream.shutdown(std::net::Shutdown::Write));
            drop(stream.read_to_end(&mut Vec::new()));
        }
    });
    let ended = place.sayso(&["run", "--model", "openai:any", "--base-url", &url, "hello"], b"");
    fails(&ended, 1, &["The provider refused the key", "Check the key"]);
    let sessions = place.sayso(&["sessions"], b"").out;
    assert_eq!(sessions.matches("hello").count(), 2, "what was said is kept: {sessions}");

    let ended = place.sayso(&["run", "--model", "openai:any", "--base-url", "https://model.invalid/v1", "hello"], b"");
    fails(&ended, 1, &["there is no key for model.invalid", "OPENAI_API_KEY"]);
}

#[test]
fn a_call_that_cannot_be_made_is_told_to_the_model() {
    let place = Place::new();
    for (prompt, told) in [
        ("unknown tool", "There is no tool 'teleport'. The tools are: AskUserQuestion"),
        ("no object", "are no JSON object, so it did not run. Send it again."),
        ("bad question", "header"),
    ] {
        let ended = place.sayso(&["run", "--model", &script("malformed"), prompt], b"");
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.result().contains(told), "{}", ended.out);
    }
}

#[test]
fn the_same_request_is_printed_by_inbox_and_on_standard_error() {
    let place = Place::new();
    let ended = place.sayso(&["run", "--model", &script("two"), "two"], b"1\n");
    assert_eq!(ended.code, 3);
    let told: Value = serde_json::from_str(&ended.err).unwrap();
    assert_eq!(told, place.waiting());
    assert_eq!(told["questions"].as_array().unwrap().len(), 2);
}
