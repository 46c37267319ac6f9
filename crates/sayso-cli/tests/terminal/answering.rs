//! `sayso answer`, from another process than the one that waits, or after it is gone.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Ended, Place, result_in, script};

fn id(request: &Value) -> &str {
    request["request_id"].as_str().unwrap()
}

/// Goes on with the session of a request, to its end.
fn resume(place: &Place, request: &Value) -> Ended {
    let ended = place.sayso(&["run", "--resume", request["session_id"].as_str().unwrap()], b"");
    assert_eq!(ended.code, 0, "{ended:?}");
    ended
}

#[test]
fn a_run_that_waits_takes_the_answer_from_another_process() {
    let place = Place::new();
    let run = place.start(&["run", "--model", &script("colour"), "which colour"]);
    let request = place.waiting();
    let answered = place.sayso(&["answer", id(&request), "2"], b"");
    assert_eq!((answered.code, answered.out.as_str()), (0, "Colour: Green\n"), "{answered:?}");
    let ended = run.ended();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("= Colour: Green (chosen)\n"), "{}", ended.out);
    assert!(ended.result().contains("\"answers\":{\"Colour\":\"Green\"}"));
}

#[test]
fn an_answer_without_an_owner_completes_the_same_call_at_resume() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    let answered = place.sayso(&["answer", id(&request), "Green"], b"");
    let session = request["session_id"].as_str().unwrap();
    let told = format!("Colour: Green\nStored. The agent goes on with: sayso run --resume {session}\n");
    assert_eq!((answered.code, answered.out), (0, told));
    assert!(place.inbox().is_empty());
    let ended = resume(&place, &request);
    assert!(!ended.out.contains("> AskUserQuestion("), "it is not asked again: {}", ended.out);
    assert_eq!(
        ended.result(),
        r#"{"answers":{"Colour":"Green"},"selections":{"Colour":["Green"]},"outcomes":{"Colour":"answered"}}"#
    );
}

#[test]
fn answers_come_in_order_or_by_key() {
    for answers in [["SQLite", "1,3"], ["Features=Tracing, Caching", "2"], ["Database=2", "Features=1 3"]] {
        let place = Place::new();
        let request = place.left_waiting("two", "two");
        let answered = place.sayso(&["answer", id(&request), answers[0], answers[1]], b"");
        assert_eq!(answered.code, 0, "{answered:?}");
        let result: Value = serde_json::from_str(resume(&place, &request).result()).unwrap();
        assert_eq!(
            result["selections"],
            json!({"Database": ["SQLite"], "Features": ["Caching", "Tracing"]}),
            "{answers:?}"
        );
    }
}

#[test]
fn an_equals_sign_in_an_answer_is_the_persons_own() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    assert_eq!(place.sayso(&["answer", id(&request), "x=y"], b"").code, 0);
    let result: Value = serde_json::from_str(resume(&place, &request).result()).unwrap();
    assert_eq!(result["answers"]["Colour"], "x=y");
}

#[test]
fn skip_passes_all_questions_over() {
    let place = Place::new();
    let request = place.left_waiting("two", "two");
    let answered = place.sayso(&["answer", id(&request), "--skip"], b"");
    assert_eq!(answered.code, 0, "{answered:?}");
    assert!(answered.out.starts_with("Database: skipped\nFeatures: skipped\n"), "{}", answered.out);
    let result: Value = serde_json::from_str(resume(&place, &request).result()).unwrap();
    assert_eq!(result["outcomes"], json!({"Database": "skipped", "Features": "skipped"}));
}

#[test]
fn replies_come_from_a_file_with_notes_and_a_comment() {
    let place = Place::new();
    let request = place.left_waiting("two", "two");
    let replies = json!({
        "replies": {
            "Database": {"act": "chosen", "selected": ["SQLite"], "note": "one file"},
            "Features": {"act": "own_words", "selected": ["Metrics"], "text": " 1 "},
        },
        "comment": "soon, please",
    });
    let file = place.work().join("replies.json");
    fs::write(&file, replies.to_string()).unwrap();
    let answered = place.sayso(&["answer", id(&request), "--json", file.to_str().unwrap()], b"");
    assert_eq!(answered.code, 0, "{answered:?}");
    assert!(answered.out.starts_with("Database: SQLite\nFeatures: Metrics;  1 \n"), "{}", answered.out);
    let result: Value = serde_json::from_str(resume(&place, &request).result()).unwrap();
    assert_eq!(
        result,
        json!({
            "answers": {"Database": "SQLite", "Features": " 1 "},
            "selections": {"Database": ["SQLite"], "Features": ["Metrics"]},
            "outcomes": {"Database": "answered", "Features": "own_words"},
            "notes": {"Database": "one file"},
            "comment": "soon, please",
        })
    );
}

#[test]
fn what_does_not_answer_is_refused_and_the_question_stays() {
    let place = Place::new();
    let request = place.left_waiting("two", "two");
    let request_id = id(&request);
    let broken = place.work().join("broken.json");
    fs::write(&broken, r#"{"replies": {"Database": {"act": "chosen", "selected": ["Oracle"]}}}"#).unwrap();
    let no_json = place.work().join("no.json");
    fs::write(&no_json, "replies").unwrap();
    let cases: [(&[&str], i32, &str); 8] = [
        (&[request_id, "1"], 2, "The questions are: Database, Features"),
        (&[request_id, "1", "2", "3"], 2, "give one answer a question"),
        (&[request_id, "Database=1", "Database=2"], 2, "'Database' is answered twice"),
        (&[request_id], 2, "required"),
        (&[request_id, "--skip", "1"], 2, "cannot be used with"),
        (&[request_id, "--json", broken.to_str().unwrap()], 1, "Every question needs one"),
        (&[request_id, "--json", no_json.to_str().unwrap()], 1, "REPLY"),
        (&["no-such-id", "1", "2"], 1, "no question is known under the id no-such-id. See what waits: sayso inbox"),
    ];
    for (args, code, told) in cases {
        let ended = place.sayso(&[&["answer"][..], args].concat(), b"");
        assert_eq!(ended.code, code, "{args:?}: {ended:?}");
        assert!(ended.err.contains(told), "{args:?}: {}", ended.err);
        assert_eq!(place.waiting()["request_id"], request["request_id"]);
    }
}

#[test]
fn a_second_answer_and_one_to_a_closed_question_are_refused() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    assert_eq!(place.sayso(&["answer", id(&request), "1"], b"").code, 0);
    let second = place.sayso(&["answer", id(&request), "2"], b"");
    assert_eq!(second.code, 1, "{second:?}");
    assert!(second.err.contains("is no longer open"), "{}", second.err);
    assert!(resume(&place, &request).result().contains("\"Colour\":\"Red\""), "the first one counts");
}

#[test]
fn a_permission_takes_only_its_letters() {
    let place = Place::new();
    let request = place.left_waiting("command", "run echo hi");
    let refused = place.sayso(&["answer", id(&request), "1"], b"");
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(place.sayso(&["answer", id(&request), "y"], b"").code, 0);
    assert_eq!(resume(&place, &request).result(), "exit code 0\nhi");
}

#[test]
fn half_an_answer_that_was_refused_is_not_taken_for_one() {
    let place = Place::new();
    let request = place.left_waiting("command", "run echo hi");
    assert_eq!(place.sayso(&["answer", id(&request), "perhaps"], b"").code, 1);
    let ended = place.sayso(&["run", "--resume", request["session_id"].as_str().unwrap()], b"");
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(!ended.out.contains("kept from before"), "{}", ended.out);
}

#[test]
fn what_answered_in_a_refused_response_is_kept_as_that_answer() {
    let place = Place::new();
    let questions = json!([
        {"id": "env", "question": "Where to?", "type": "choice", "options": ["test", "live"]},
        {"id": "sure", "question": "Sure?", "type": "confirm"},
    ]);
    fs::write(place.work().join("q.json"), questions.to_string()).unwrap();
    assert_eq!(place.sayso(&["ask", "--file", "q.json"], b"").code, 3);
    let request = place.waiting();
    let refused = place.sayso(&["answer", id(&request), "2", "perhaps"], b"");
    assert_eq!(refused.code, 1, "{refused:?}");
    let ended = place.sayso(&["run", "--resume", request["session_id"].as_str().unwrap()], b"y\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("live (kept from before)\n"), "{}", ended.out);
    assert!(place.inbox().is_empty());
}

#[test]
fn a_message_to_a_session_that_waits_is_kept_for_after() {
    let place = Place::new();
    let request = place.left_waiting("colour", "which colour");
    let session = request["session_id"].as_str().unwrap();
    let ended = place.sayso(&["run", "--resume", session, "and then this"], b"2\n");
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.out.contains("(kept for after: a question waits for its answer first)"), "{}", ended.out);
    assert!(result_in(&ended.out).ends_with("HEARD and then this"), "{}", ended.out);
}
