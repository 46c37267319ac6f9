use std::{fs, future::Future, path::PathBuf};

use tempfile::TempDir;

use super::*;

/// Longer than anything here may take; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

fn workspace() -> (TempDir, ToolContext) {
    let folder = TempDir::new().unwrap();
    let workspace = fs::canonicalize(folder.path()).unwrap();
    (folder, ToolContext { workspace, cancel: CancellationToken::new() })
}

async fn call(context: &ToolContext, input: Value) -> ToolResult {
    match RunCommand.run(&input, None, context).await {
        ToolOutcome::Done(result) => result,
        ToolOutcome::NeedsInput(_) => panic!("run_command asks nothing"),
    }
}

async fn sh(command: &str) -> ToolResult {
    let (_folder, context) = workspace();
    call(&context, json!({"command": command})).await
}

async fn soon<T>(what: impl Future<Output = T>) -> T {
    timeout(PATIENCE, what).await.expect("it ends by itself")
}

/// A named pipe in the workspace: what reads from it sees the end when the last process that holds it is gone.
#[cfg(unix)]
fn pipe(context: &ToolContext) -> PathBuf {
    let path = context.workspace.join("held");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    path
}

/// Reads the pipe on a thread: a message once the first byte is there, and another at its end.
#[cfg(unix)]
fn watch(path: PathBuf) -> (tokio::sync::oneshot::Receiver<()>, tokio::sync::oneshot::Receiver<()>) {
    let (ready, is_ready) = tokio::sync::oneshot::channel();
    let (gone, is_gone) = tokio::sync::oneshot::channel();
    thread::spawn(move || {
        let mut pipe = fs::File::open(path).unwrap();
        pipe.read_exact(&mut [0]).unwrap();
        ready.send(()).unwrap();
        pipe.read_to_end(&mut Vec::new()).unwrap();
        gone.send(()).unwrap();
    });
    (is_ready, is_gone)
}

#[tokio::test]
async fn the_first_line_is_the_exit_code_and_then_comes_the_output() {
    assert_eq!(sh("echo hello; echo again").await, ToolResult::ok("exit code 0\nhello\nagain\n"));
    assert_eq!(sh("true").await, ToolResult::ok("exit code 0\n(no output)"));
    assert_eq!(sh("echo no >&2; exit 3").await, ToolResult::error("exit code 3\nno\n"));
    let missing = sh("no-such-program").await;
    assert!(!missing.ok && missing.text.starts_with("exit code 127\n") && missing.text.contains("not found"));
    #[cfg(unix)]
    assert_eq!(sh("kill -9 $$").await, ToolResult::error("ended by signal 9\n(no output)"));
}

#[tokio::test]
async fn both_streams_come_back_in_the_order_they_were_written() {
    let result = sh("for i in 1 2 3; do echo out $i; echo err $i >&2; done").await;
    assert_eq!(result, ToolResult::ok("exit code 0\nout 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"));
}

#[tokio::test]
async fn it_runs_in_the_workspace_with_nothing_to_read() {
    let (_folder, context) = workspace();
    let result = soon(call(&context, json!({"command": "pwd; cat; echo end"}))).await;
    assert_eq!(result, ToolResult::ok(format!("exit code 0\n{}\nend\n", context.workspace.display())));
}

#[tokio::test]
async fn long_output_keeps_its_start_and_its_end() {
    for (lines, unit) in [(20_000, "é"), (200_000, "e")] {
        let result = soon(sh(&format!("seq 1 {lines} | sed 's/^/{unit}/'"))).await;
        let all: String = (1..=lines).map(|number| format!("{unit}{number}\n")).collect();
        let (head, tail) = result.text.strip_prefix("exit code 0\n").unwrap().split_once("\n[… ").unwrap();
        let (left_out, tail) = tail.split_once(" characters left out …]\n").unwrap();
        assert!(all.starts_with(head) && all.ends_with(tail));
        assert_eq!((head.chars().count(), tail.chars().count()), (15_000, 15_000));
        assert_eq!(left_out.parse::<usize>().unwrap(), all.chars().count() - 30_000);
    }
}

#[tokio::test]
async fn output_just_within_the_limit_is_whole() {
    let result = sh("head -c 30000 /dev/zero | tr '\\0' x").await;
    assert_eq!(result.text, format!("exit code 0\n{}", "x".repeat(30_000)));
}

#[cfg(unix)]
#[tokio::test]
async fn cancelling_ends_the_command_with_all_it_started() {
    let (_folder, context) = workspace();
    let (ready, gone) = watch(pipe(&context));
    // The grandchild holds the pipe and does not listen to TERM.
    let command = "bash -c '(trap \"\" TERM; echo ready >&3; while :; do sleep 1000; done) & wait' 3>held; echo late";
    let input = json!({"command": command});
    let running = call(&context, input);
    let stopping = async {
        soon(ready).await.unwrap();
        context.cancel.cancel();
    };
    let (result, ()) = soon(async { tokio::join!(running, stopping) }).await;
    assert_eq!(result, ToolResult::error("Interrupted"));
    soon(gone).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_cancelled_command_gets_the_time_to_tidy_up() {
    let (_folder, context) = workspace();
    let (ready, gone) = watch(pipe(&context));
    let input =
        json!({"command": "trap 'echo tidy > tidied; exit 1' TERM; exec 3>held; echo ready >&3; sleep 1000 & wait"});
    let running = call(&context, input);
    let stopping = async {
        soon(ready).await.unwrap();
        context.cancel.cancel();
    };
    soon(async { tokio::join!(running, stopping) }).await;
    soon(gone).await.unwrap();
    assert_eq!(fs::read_to_string(context.workspace.join("tidied")).unwrap(), "tidy\n");
}

#[cfg(unix)]
#[tokio::test]
async fn a_call_nobody_waits_for_any_more_ends_its_command() {
    let (_folder, context) = workspace();
    let (ready, gone) = watch(pipe(&context));
    let input = json!({"command": "exec 3>held; echo ready >&3; sleep 1000"});
    tokio::select! {
        _ = call(&context, input) => panic!("it does not end by itself"),
        ready = soon(ready) => ready.unwrap(),
    }
    soon(gone).await.unwrap();
    assert!(!context.cancel.is_cancelled());
}

#[cfg(unix)]
#[test]
fn a_command_does_not_outlive_the_runtime() {
    let (_folder, context) = workspace();
    let (ready, gone) = watch(pipe(&context));
    let input = json!({"command": "exec 3>held; echo ready >&3; sleep 1000 & sleep 1000"});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        tokio::spawn(async move { call(&context, input).await });
        soon(ready).await.unwrap();
    });
    drop(runtime);
    let watcher = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    watcher.block_on(async { soon(gone).await.unwrap() });
}

#[cfg(unix)]
#[tokio::test]
async fn the_time_limit_ends_a_command_and_keeps_what_it_printed() {
    let (_folder, context) = workspace();
    let (ready, gone) = watch(pipe(&context));
    let input = json!({"command": "echo so far; exec 3>held; echo ready >&3; sleep 1000", "timeout_s": 1});
    let result = soon(call(&context, input)).await;
    let wanted = "stopped after 1 s: the time limit was reached; all it had started was ended\nso far\n";
    assert_eq!(result, ToolResult::error(wanted));
    soon(ready).await.unwrap();
    soon(gone).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn what_a_command_leaves_in_the_background_is_ended_and_told() {
    let (_folder, context) = workspace();
    let (ready, gone) = watch(pipe(&context));
    let input = json!({"command": "exec 3>held; echo ready >&3; sleep 1000 & echo started"});
    let result = soon(call(&context, input)).await;
    let wanted = "exit code 0\nstarted\n[processes that it left in the background were ended]";
    assert_eq!(result, ToolResult::ok(wanted));
    soon(ready).await.unwrap();
    soon(gone).await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_process_that_left_the_group_does_not_hold_the_result_back() {
    let (_folder, context) = workspace();
    let input =
        json!({"command": "setsid sh -c 'echo $$ > pid; exec sleep 1000' & until [ -s pid ]; do :; done; echo done"});
    let result = soon(call(&context, input)).await;
    let pid = fs::read_to_string(context.workspace.join("pid")).unwrap();
    std::process::Command::new("kill").arg(pid.trim()).status().unwrap();
    assert!(result.ok && result.text.starts_with("exit code 0\ndone\n"), "{}", result.text);
}

#[tokio::test]
async fn a_turn_that_was_stopped_before_starts_nothing() {
    let (_folder, context) = workspace();
    context.cancel.cancel();
    assert_eq!(call(&context, json!({"command": "touch a"})).await, ToolResult::error("Interrupted"));
    assert!(!context.workspace.join("a").exists());
}

#[tokio::test]
async fn a_bad_call_is_told_in_a_sentence() {
    let (_folder, context) = workspace();
    for (input, wanted) in [
        (json!({"cmd": "ls"}), "run_command: unknown field `cmd`, expected `command` or `timeout_s`. Call it like {"),
        (json!({"command": " "}), "run_command: the command is empty. Call it like {"),
        (json!({"command": "ls", "timeout_s": 0}), "run_command: timeout_s is a number of seconds from 1 to 3600."),
        (json!({"command": "ls", "timeout_s": 3601}), "run_command: timeout_s is a number of seconds from 1 to 3600."),
        (json!({"command": "a\0b"}), "run_command: the command has a NUL character in it; no shell can run that."),
    ] {
        let result = call(&context, input.clone()).await;
        assert!(!result.ok && result.text.starts_with(wanted), "{}", result.text);
        assert_eq!(RunCommand.actions(&input, &context), Err(result.text));
    }
}

#[tokio::test]
async fn a_workspace_that_is_gone_is_told_as_such() {
    let (folder, context) = workspace();
    drop(folder);
    let result = call(&context, json!({"command": "true"})).await;
    assert_eq!(result, ToolResult::error("the workspace folder no longer exists; the command did not start."));
}

#[test]
fn the_action_is_running_the_line_as_it_was_given() {
    let (_folder, context) = workspace();
    let actions = RunCommand.actions(&json!({"command": "ls  | wc"}), &context);
    assert_eq!(actions, Ok(vec![Action::Run { command: "ls  | wc".to_owned() }]));
    assert!(!RunCommand.read_only());
}
