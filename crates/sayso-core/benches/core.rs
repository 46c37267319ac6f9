//! What a step and an answer cost. `./dev bench` prints the medians; no build fails by them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use divan::{Bencher, black_box};
use sayso_core::{
    answer,
    log::{Entry, Log, LoggedCall, next_step},
    model::{Call, Usage},
    protocol::{ToolResult, TurnEnd},
    question::{Question, ask_user_question},
    store::{Durability, Store},
};
use serde_json::json;

fn main() {
    divan::main();
}

fn question(multi: bool) -> Question {
    let options: Vec<_> =
        ["Caching", "Logging", "Metrics", "Tracing"].map(|label| json!({"label": label, "description": "x"})).into();
    let input =
        json!({"questions": [{"header": "Features", "question": "Which?", "multiSelect": multi, "options": options}]});
    ask_user_question::read(&input, ask_user_question::AskOptions::default()).unwrap().remove(0)
}

#[divan::bench(args = ["2", "Metrics", "none of these, I want NaN"])]
fn parse_a_choice(bencher: Bencher<'_, '_>, line: &str) {
    let question = question(false);
    bencher.bench(|| answer::parse(black_box(&question), black_box(line)));
}

#[divan::bench(args = ["1, 3", "Caching, Metrics"])]
fn parse_several_choices(bencher: Bencher<'_, '_>, line: &str) {
    let question = question(true);
    bencher.bench(|| answer::parse(black_box(&question), black_box(line)));
}

/// Turns of five entries each: a message, a call, its start, its end, the turn's end.
fn entries(count: usize) -> impl Iterator<Item = Entry> {
    (0..count / 5).flat_map(|turn| {
        let id = format!("call{turn}");
        let call = Call { id: id.clone(), provider_id: String::new(), tool: "run_command".into(), input: json!({}) };
        let text = "A sentence of the model's, as long as they usually are.".to_owned();
        [
            Entry::UserMessage { text: "do it".into() },
            Entry::AssistantMessage {
                text: text.clone(),
                calls: vec![LoggedCall { call, read_only: false }],
                usage: Usage::default(),
            },
            Entry::CallEnded { call_id: id, result: ToolResult::ok("done"), took_ms: Some(3) },
            Entry::AssistantMessage { text, calls: Vec::new(), usage: Usage::default() },
            Entry::TurnEnded { reason: TurnEnd::Done, failure: None },
        ]
    })
}

fn log_of(count: usize) -> Log {
    let mut log = Log::default();
    for (place, entry) in entries(count).enumerate() {
        log.apply(place as u64 + 1, entry).unwrap();
    }
    log
}

#[divan::bench(args = [10, 100, 1_000, 10_000])]
fn next_step_after_entries(bencher: Bencher<'_, '_>, count: usize) {
    let log = log_of(count);
    bencher.bench(|| next_step(black_box(&log)));
}

#[divan::bench(args = [10, 10_000])]
fn append_after_entries(bencher: Bencher<'_, '_>, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let session = store.create_session(folder.path(), "practice", None).unwrap().info.session_id;
    let mut log = Log::default();
    store.append(&session, &mut log, Durability::Relaxed, |_| entries(count).collect()).unwrap();
    store
        .append(&session, &mut log, Durability::Relaxed, |_| vec![Entry::UserMessage { text: "first".into() }])
        .unwrap();
    // Queued while a turn runs: each is one small entry.
    bencher.bench_local(|| {
        let entry = Entry::UserMessage { text: "one more".into() };
        store.append(&session, &mut log, Durability::Relaxed, |_| vec![entry]).unwrap();
    });
}

#[divan::bench(args = [1_000, 10_000])]
fn open_a_session_of_entries(bencher: Bencher<'_, '_>, count: usize) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    let session = store.create_session(folder.path(), "practice", None).unwrap().info.session_id;
    store.append(&session, &mut Log::default(), Durability::Relaxed, |_| entries(count).collect()).unwrap();
    bencher.bench(|| store.catch_up(&session, &mut Log::default()).unwrap().len());
}
