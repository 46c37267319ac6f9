//! The program as a whole process, from its start to its end. `./dev bench` prints the medians; no build fails by them.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    fmt::Write as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const RUNS: usize = 11;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    println!("{:<44} {:>10} {:>10} {:>10}", "whole processes, wall clock", "fastest", "median", "slowest");
    measure(folder.path(), "start and one short reply", r#"{"when": {}, "emit": [{"text": "Good day."}]}"#);
    measure(folder.path(), "50 tool calls, one after the other", &calls(50));
    let mut text = String::new();
    for line in 0..16_384 {
        writeln!(text, "{line:>6} a line of what a model may well write, 63 letters.").unwrap();
    }
    let reply = serde_json::json!({"when": {}, "emit": [{"text": text}]}).to_string();
    measure(folder.path(), &format!("a streamed reply of {} bytes", text.len()), &reply);
}

/// A script whose model reads a file again and again.
fn calls(count: usize) -> String {
    let call = r#"{"call": {"tool": "read_file", "input": {"path": "a.txt"}}}"#;
    format!(
        r#"{{"when": {{"user": "."}}, "emit": [{call}]}}
{{"when": {{"tool": "read_file", "times": {count}}}, "emit": [{{"text": "Read."}}]}}
{{"when": {{"tool": "read_file"}}, "emit": [{call}]}}"#
    )
}

fn measure(folder: &Path, name: &str, script: &str) {
    let file = folder.join("script.jsonl");
    std::fs::write(&file, script).unwrap();
    std::fs::write(folder.join("a.txt"), "one\n").unwrap();
    let mut times: Vec<Duration> = (0..=RUNS)
        .map(|_| {
            let start = Instant::now();
            let ended = Command::new(env!("CARGO_BIN_EXE_sayso"))
                .args(["run", "--model", &format!("practice:{}", file.display()), "go"])
                .current_dir(folder)
                .env("SAYSO_HOME", folder.join("home"))
                .stdin(Stdio::null())
                .output()
                .unwrap();
            assert!(ended.status.success(), "{ended:?}");
            start.elapsed()
        })
        .skip(1)
        .collect();
    times.sort();
    let show = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1000.0);
    println!("{name:<44} {:>10} {:>10} {:>10}", show(times[0]), show(times[RUNS / 2]), show(times[RUNS - 1]));
}
