//! Running a shell line in the workspace, and ending it whole: on its own end, on the time limit and on cancel nothing
//! of its process group is left.

use std::{
    io::{self, Read as _},
    path::Path,
    process::{ExitStatus, Stdio},
    thread,
    time::Duration,
};

use futures::future::BoxFuture;
#[cfg(unix)]
use process_wrap::tokio::ProcessGroup;
use process_wrap::tokio::{ChildWrapper, CommandWrap};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::{
    process::Command,
    sync::mpsc,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Action, Answered, Tool, ToolContext, ToolOutcome, arguments::arguments};
use crate::protocol::ToolResult;

const NAME: &str = "run_command";
const EXAMPLE: &str = r#"{"command": "node --test"} or {"command": "cargo test", "timeout_s": 600}."#;
const USUAL_SECONDS: u64 = 120;
const MOST_SECONDS: u64 = 3600;
/// How long a process may take to end after it was asked to, and how long output is read after the shell's end.
const GRACE: Duration = Duration::from_millis(500);
/// Characters kept of the start of the output, and as many of its end.
const HALF: usize = 15_000;
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Runs a shell line in the workspace.
#[derive(Debug)]
pub struct RunCommand;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    command: String,
    #[serde(default)]
    timeout_s: Option<u64>,
}

impl Input {
    fn of(input: &Value) -> Result<Self, String> {
        let input: Self = arguments(NAME, EXAMPLE, input)?;
        if input.command.trim().is_empty() {
            return Err(format!("run_command: the command is empty. Call it like {EXAMPLE}"));
        }
        if input.command.contains('\0') {
            return Err("run_command: the command has a NUL character in it; no shell can run that.".to_owned());
        }
        if input.timeout_s.is_some_and(|seconds| seconds == 0 || seconds > MOST_SECONDS) {
            return Err(format!("run_command: timeout_s is a number of seconds from 1 to {MOST_SECONDS}."));
        }
        Ok(input)
    }

    fn limit(&self) -> Duration {
        Duration::from_secs(self.timeout_s.unwrap_or(USUAL_SECONDS))
    }
}

impl Tool for RunCommand {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        include_str!("run_command.md")
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The shell line"},
                "timeout_s": {
                    "type": "integer", "minimum": 1, "maximum": MOST_SECONDS,
                    "description": "How long it may take, in seconds; 120 without it",
                },
            },
            "required": ["command"],
            "additionalProperties": false,
        })
    }

    fn read_only(&self) -> bool {
        false
    }

    fn actions(&self, input: &Value, _context: &ToolContext) -> Result<Vec<Action>, String> {
        Ok(vec![Action::Run { command: Input::of(input)?.command }])
    }

    fn run<'a>(
        &'a self,
        input: &'a Value,
        _answers: Option<&'a Answered>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let result = match Input::of(input) {
                Ok(input) => run(&input, context).await,
                Err(why) => ToolResult::error(why),
            };
            ToolOutcome::Done(result)
        })
    }
}

async fn run(input: &Input, context: &ToolContext) -> ToolResult {
    if context.cancel.is_cancelled() {
        return interrupted();
    }
    let (group, output) = match start(&input.command, &context.workspace) {
        Ok(started) => started,
        Err(why) => return ToolResult::error(why),
    };
    // A task of its own sees it to its end: also when nobody waits for the result any more.
    let stop = context.cancel.child_token();
    let _stop_when_dropped = stop.clone().drop_guard();
    match tokio::spawn(see_through(group, output, stop, input.limit())).await {
        Ok(ended) => ended.result(input.limit()),
        // Only a program on its way out cancels it: what became of the command is for the next start to say.
        Err(error) if error.is_cancelled() => std::future::pending().await,
        Err(error) => ToolResult::error(format!("the command was lost while it ran: {error}.")),
    }
}

fn interrupted() -> ToolResult {
    ToolResult::error("Interrupted")
}

/// A running shell and all it started. Never dropped alive: what is left of it is killed.
struct Group {
    shell: Box<dyn ChildWrapper>,
    over: bool,
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.over {
            drop(self.shell.start_kill());
        }
    }
}

/// How a command ended.
enum Ending {
    Exited(ExitStatus),
    TimeLimit,
    Cancelled,
    Lost(io::Error),
}

/// All that came of a command.
struct Ended {
    ending: Ending,
    printed: Printed,
    /// The shell's end left processes behind, which were then killed.
    left_behind: bool,
}

fn start(line: &str, workspace: &Path) -> Result<(Group, mpsc::Receiver<Vec<u8>>), String> {
    if !workspace.is_dir() {
        return Err("the workspace folder no longer exists; the command did not start.".to_owned());
    }
    let failed = |error: io::Error| format!("the command could not be started: {error}.");
    match start_with("bash", line, workspace) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => start_with("sh", line, workspace).map_err(failed),
        started => started.map_err(failed),
    }
}

fn start_with(shell: &str, line: &str, workspace: &Path) -> io::Result<(Group, mpsc::Receiver<Vec<u8>>)> {
    // One pipe for both streams: the only way to keep the order in which they were written.
    let (mut reader, writer) = io::pipe()?;
    let mut command = Command::new(shell);
    command
        .arg("-c")
        .arg(line)
        .current_dir(workspace)
        .env("NO_COLOR", "1")
        .env("PAGER", "cat")
        .env("GIT_PAGER", "cat")
        .env("GIT_TERMINAL_PROMPT", "0")
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    let mut command = CommandWrap::from(command);
    #[cfg(unix)]
    command.wrap(ProcessGroup::leader());
    let shell = command.spawn()?;
    let group = Group { shell, over: false };
    // It holds the pipe's other end, which must be closed here for the end of the output to be seen.
    drop(command);

    // A thread and not the runtime: a process that left the group can keep the pipe open for ever.
    let (send, output) = mpsc::channel(16);
    thread::Builder::new().name("command output".to_owned()).spawn(move || {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => {
                    if send.blocking_send(buffer[..length].to_vec()).is_err() {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    })?;
    Ok((group, output))
}

/// Wait for the end of the command, or bring it about; afterwards nothing of its group is alive.
async fn see_through(
    mut group: Group,
    mut output: mpsc::Receiver<Vec<u8>>,
    stop: CancellationToken,
    limit: Duration,
) -> Ended {
    let mut printed = Printed::default();
    let time_limit = sleep(limit);
    tokio::pin!(time_limit);
    let mut open = true;
    let ending = loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break Ending::Cancelled,
            () = &mut time_limit => break Ending::TimeLimit,
            // The shell alone: the group's own wait would also wait for what the shell left in the background.
            status = group.shell.inner_mut().wait() => break match status {
                Ok(status) => Ending::Exited(status),
                Err(error) => Ending::Lost(error),
            },
            piece = output.recv(), if open => match piece {
                Some(piece) => printed.push(&piece),
                None => open = false,
            },
        }
    };
    let exited = matches!(ending, Ending::Exited(_));
    #[cfg(unix)]
    if !exited {
        drop(group.shell.signal(SIGTERM));
    }
    let quiet = timeout(GRACE, async {
        printed.drain(&mut output).await;
        group.shell.inner_mut().wait().await
    });
    drop(quiet.await);
    let left_behind = group.shell.start_kill().is_ok() && exited;
    let reaped = group.shell.wait().await;
    group.over = reaped.is_ok();
    drop(timeout(GRACE, printed.drain(&mut output)).await);
    Ended { ending, printed, left_behind }
}

impl Ended {
    fn result(self, limit: Duration) -> ToolResult {
        let (ok, head) = match self.ending {
            Ending::Cancelled => return interrupted(),
            Ending::Exited(status) => (status.success(), describe(status)),
            Ending::TimeLimit => (
                false,
                format!(
                    "stopped after {} s: the time limit was reached; all it had started was ended",
                    limit.as_secs()
                ),
            ),
            Ending::Lost(error) => (false, format!("lost while it ran ({error}); all it had started was ended")),
        };
        let mut text = head;
        let printed = self.printed.text();
        text.push('\n');
        text.push_str(if printed.is_empty() { "(no output)" } else { &printed });
        if self.left_behind {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str("[processes that it left in the background were ended]");
        }
        ToolResult { ok, text, blocked_by: None }
    }
}

fn describe(status: ExitStatus) -> String {
    if let Some(code) = status.code() {
        return format!("exit code {code}");
    }
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("ended by signal {signal}");
    }
    "ended without an exit code".to_owned()
}

/// What a command printed: its start and its end, and how much lay between.
#[derive(Default)]
struct Printed {
    start: Vec<u8>,
    end: Vec<u8>,
    /// Characters dropped between them.
    dropped: usize,
}

/// Bytes that surely hold as many characters as are kept.
const HALF_BYTES: usize = HALF * 4;

impl Printed {
    fn push(&mut self, mut piece: &[u8]) {
        if self.start.len() < HALF_BYTES {
            let (here, rest) = piece.split_at(piece.len().min(HALF_BYTES - self.start.len()));
            self.start.extend_from_slice(here);
            piece = rest;
        }
        self.end.extend_from_slice(piece);
        // Twice as much before anything moves, so that a byte is moved once.
        if self.end.len() > 2 * HALF_BYTES {
            let gone = self.end.drain(..self.end.len() - HALF_BYTES);
            self.dropped += gone.filter(|byte| byte & 0xC0 != 0x80).count();
        }
    }

    async fn drain(&mut self, output: &mut mpsc::Receiver<Vec<u8>>) {
        while let Some(piece) = output.recv().await {
            self.push(&piece);
        }
    }

    fn text(self) -> String {
        if self.dropped == 0 {
            let whole = String::from_utf8_lossy(&[self.start, self.end].concat()).into_owned();
            let count = whole.chars().count();
            if count <= 2 * HALF {
                return whole;
            }
            return join(&whole, &whole, count - 2 * HALF);
        }
        let start = String::from_utf8_lossy(&self.start);
        let end = String::from_utf8_lossy(&self.end);
        let kept = start.chars().count() + end.chars().count();
        join(&start, &end, self.dropped + kept - 2 * HALF)
    }
}

/// The first characters of one text and the last of another, and a word on what is left out.
fn join(start: &str, end: &str, left_out: usize) -> String {
    let head: String = start.chars().take(HALF).collect();
    let skip = end.chars().count() - HALF;
    let tail: String = end.chars().skip(skip).collect();
    format!("{head}\n[… {left_out} characters left out …]\n{tail}")
}

#[cfg(test)]
mod tests;
