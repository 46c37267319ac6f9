//! Reading a text file, numbered line by line.

use std::fs;

use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Action, Answered, Tool, ToolContext, ToolOutcome, arguments::arguments, workspace::find_file};
use crate::protocol::ToolResult;

const NAME: &str = "read_file";
const EXAMPLE: &str = r#"{"path": "src/calc.js"} or {"path": "src/calc.js", "offset": 40, "limit": 20}."#;
const MOST_LINES: usize = 2000;
const MOST_BYTES: usize = 256 * 1024;
const LARGEST_FILE: u64 = 50_000_000;
/// A NUL among the first bytes is what makes a file binary, as git and grep see it.
const PROBE: usize = 8 * 1024;

/// Reads a text file of the workspace.
#[derive(Debug)]
pub struct ReadFile;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    path: String,
    #[serde(default)]
    offset: Option<usize>,
    #[serde(default)]
    limit: Option<usize>,
}

impl Tool for ReadFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        include_str!("read_file.md")
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file, relative to the workspace"},
                "offset": {"type": "integer", "minimum": 1, "description": "The first line wanted, counted from 1"},
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_LINES, "description": "How many lines"},
            },
            "required": ["path"],
            "additionalProperties": false,
        })
    }

    fn read_only(&self) -> bool {
        true
    }

    fn actions(&self, input: &Value, _context: &ToolContext) -> Result<Vec<Action>, String> {
        let input: Input = arguments(NAME, EXAMPLE, input)?;
        Ok(vec![Action::Read { path: input.path }])
    }

    fn run<'a>(
        &'a self,
        input: &'a Value,
        _answers: Option<&'a Answered>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        let input = arguments::<Input>(NAME, EXAMPLE, input);
        let context = context.clone();
        Box::pin(async move {
            // Its own thread: several files of one message are read side by side, and a slow disk holds up nobody.
            let read = tokio::task::spawn_blocking(move || read(&input?, &context));
            let result = match read.await {
                Ok(Ok(text)) => ToolResult::ok(text),
                Ok(Err(why)) => ToolResult::error(why),
                Err(error) => ToolResult::error(format!("read_file stopped before its end: {error}.")),
            };
            ToolOutcome::Done(result)
        })
    }
}

fn read(input: &Input, context: &ToolContext) -> Result<String, String> {
    let first = input.offset.unwrap_or(1);
    let limit = input.limit.unwrap_or(MOST_LINES);
    if first == 0 || limit == 0 {
        return Err("read_file: offset counts from 1, and limit is at least 1.".to_owned());
    }
    let limit = limit.min(MOST_LINES);
    let found = find_file(&context.workspace, &input.path)?;
    let shown = &found.shown;
    let unreadable = |error| format!("{shown} cannot be read: {error}.");
    let size = fs::metadata(&found.real).map_err(unreadable)?.len();
    if size > LARGEST_FILE {
        return Err(format!(
            "{shown} has {size} bytes; read_file takes files up to {LARGEST_FILE}. Look into it with run_command (grep, head, sed)."
        ));
    }
    let bytes = fs::read(&found.real).map_err(unreadable)?;
    if bytes.iter().take(PROBE).any(|&byte| byte == 0) {
        return Err(format!("{shown} is a binary file ({size} bytes); there is no text to read in it."));
    }
    let text = String::from_utf8_lossy(&bytes);
    let damaged = matches!(text, std::borrow::Cow::Owned(_));
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let total = text.lines().count();
    if total == 0 {
        return Ok("[the file is empty]".to_owned());
    }
    if first > total {
        return Err(format!("{shown} has {total} lines; line {first} is past its end."));
    }

    let mut out = String::new();
    let mut last = first - 1;
    let mut cut = None;
    for (number, line) in (1..).zip(text.lines()).skip(first - 1).take(limit) {
        let numbered = format!("{number:>6}\t{line}\n");
        if out.len() + numbered.len() > MOST_BYTES {
            if out.is_empty() {
                let end = numbered.floor_char_boundary(MOST_BYTES);
                cut = Some(numbered.chars().count() - numbered[..end].chars().count() - 1);
                out.push_str(&numbered[..end]);
                out.push('\n');
                last = number;
            }
            break;
        }
        out.push_str(&numbered);
        last = number;
    }
    if let Some(more) = cut {
        out.push_str(&format!("[line {last} is longer than 256 KiB: {more} characters of it are left out]\n"));
    }
    if damaged {
        out.push_str("[not all of it is UTF-8: what could not be read is shown as \u{fffd}]\n");
    }
    if last < total {
        out.push_str(&format!("[lines {first}-{last} of {total}; go on with offset {}]\n", last + 1));
    }
    out.truncate(out.trim_end_matches('\n').len());
    Ok(out)
}

#[cfg(test)]
mod tests;
