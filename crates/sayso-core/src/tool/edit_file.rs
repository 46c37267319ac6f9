//! Replacing one piece of text in a file. What would change is worked out in one place, for the prompt's diff and for
//! the deed; the file is then replaced by a rename, so that nobody sees half of it.

use std::{fs, io::Write as _, path::PathBuf, time::Duration};

use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::{Action, Answered, Tool, ToolContext, ToolOutcome, arguments::arguments, workspace::find_file};
use crate::protocol::ToolResult;

const NAME: &str = "edit_file";
const EXAMPLE: &str = r#"{"path": "src/calc.js", "old_text": "return a / b;", "new_text": "return a / (b || 1);"}."#;
const LARGEST_FILE: u64 = 10_000_000;
const BOM: &str = "\u{feff}";

/// Replaces one piece of text in an existing file.
#[derive(Debug)]
pub struct EditFile;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Input {
    path: String,
    old_text: String,
    new_text: String,
}

/// What an edit comes to, before it is made.
struct Edit {
    shown: String,
    real: PathBuf,
    /// The whole file afterwards, byte for byte.
    after: String,
    /// As a unified diff, with line breaks as `\n`.
    diff: String,
    added: usize,
    removed: usize,
}

impl Tool for EditFile {
    fn name(&self) -> &'static str {
        NAME
    }

    fn description(&self) -> &'static str {
        include_str!("edit_file.md")
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The file, relative to the workspace"},
                "old_text": {"type": "string", "description": "What is there now; must fit exactly one place"},
                "new_text": {"type": "string", "description": "What is to be there instead"},
            },
            "required": ["path", "old_text", "new_text"],
            "additionalProperties": false,
        })
    }

    fn read_only(&self) -> bool {
        false
    }

    fn actions(&self, input: &Value, context: &ToolContext) -> Result<Vec<Action>, String> {
        let input: Input = arguments(NAME, EXAMPLE, input)?;
        let edit = Edit::of(&input, context)?;
        Ok(vec![Action::Write { path: input.path, diff: edit.diff }])
    }

    fn run<'a>(
        &'a self,
        input: &'a Value,
        _answers: Option<&'a Answered>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let done = arguments::<Input>(NAME, EXAMPLE, input)
                .and_then(|input| Edit::of(&input, context))
                .and_then(|edit| edit.make());
            ToolOutcome::Done(match done {
                Ok(text) => ToolResult::ok(text),
                Err(why) => ToolResult::error(why),
            })
        })
    }
}

impl Edit {
    fn of(input: &Input, context: &ToolContext) -> Result<Self, String> {
        let found = find_file(&context.workspace, &input.path).map_err(|why| {
            // Some make files that way elsewhere.
            if input.old_text.is_empty() { format!("{why} edit_file changes existing files only.") } else { why }
        })?;
        let shown = found.shown;
        let unreadable = |error| format!("{shown} cannot be read: {error}.");
        let metadata = fs::metadata(&found.real).map_err(unreadable)?;
        if metadata.permissions().readonly() {
            return Err(format!("{shown} is read-only; nothing was changed."));
        }
        if metadata.len() > LARGEST_FILE {
            return Err(format!("{shown} has {} bytes; edit_file takes files up to {LARGEST_FILE}.", metadata.len()));
        }
        let before = String::from_utf8(fs::read(&found.real).map_err(unreadable)?)
            .map_err(|_| format!("{shown} is not UTF-8 text; editing it would damage it, so nothing was changed."))?;

        let raw = before.strip_prefix(BOM).unwrap_or(&before);
        let text = Plain::of(raw);
        let old = input.old_text.replace("\r\n", "\n");
        let new = input.new_text.replace("\r\n", "\n");
        let place = text.only_place(&old, &new, &shown)?;

        let (start, end) = (text.raw_index(place), text.raw_index(place + old.len()));
        let crlf = match raw[start..end].find('\n').map(|at| start + at).or_else(|| raw.find('\n')) {
            Some(at) => raw[..at].ends_with('\r'),
            None => false,
        };
        let written = if crlf { new.replace('\n', "\r\n") } else { new.clone() };
        let bom = if raw.len() == before.len() { "" } else { BOM };
        let after = format!("{bom}{}{written}{}", &raw[..start], &raw[end..]);

        let after_plain = format!("{}{new}{}", &text.text[..place], &text.text[place + old.len()..]);
        let diff =
            TextDiff::configure().timeout(Duration::from_secs(1)).diff_lines(text.text.as_str(), after_plain.as_str());
        let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let diff = diff.unified_diff().header(&format!("a/{shown}"), &format!("b/{shown}")).to_string();
        Ok(Self { shown, real: found.real, after, diff, added, removed })
    }

    /// Replace the file: a temporary file beside it, then a rename.
    fn make(self) -> Result<String, String> {
        let Self { shown, real, after, added, removed, .. } = self;
        let write = || -> std::io::Result<()> {
            let folder = real.parent().ok_or(std::io::ErrorKind::NotFound)?;
            let mut file = tempfile::Builder::new().prefix(".sayso-").tempfile_in(folder)?;
            file.write_all(after.as_bytes())?;
            file.as_file().set_permissions(fs::metadata(&real)?.permissions())?;
            file.as_file().sync_all()?;
            file.persist(&real)?;
            Ok(())
        };
        write().map_err(|error| format!("{shown} could not be written: {error}. It is as it was."))?;
        Ok(format!("Edited {shown}: +{added} -{removed} lines."))
    }
}

/// A text with its line breaks as `\n`, and the way back to the places of the text as it is in the file.
struct Plain {
    text: String,
    /// Where in `text` a `\n` stands for two bytes of the file.
    pairs: Vec<usize>,
}

impl Plain {
    fn of(raw: &str) -> Self {
        let text = raw.replace("\r\n", "\n");
        let pairs = raw.match_indices("\r\n").enumerate().map(|(before, (at, _))| at - before).collect();
        Self { text, pairs }
    }

    fn raw_index(&self, at: usize) -> usize {
        at + self.pairs.partition_point(|&pair| pair < at)
    }

    fn line_of(&self, at: usize) -> usize {
        1 + self.text[..at].matches('\n').count()
    }

    /// Where `old` is, if it is in exactly one place and `new` is something else.
    fn only_place(&self, old: &str, new: &str, shown: &str) -> Result<usize, String> {
        if old.is_empty() {
            return Err(format!(
                "old_text is empty, so it names no place in {shown}. Give a line that is there, and repeat it in new_text beside what is added."
            ));
        }
        if old == new {
            return Err("old_text and new_text are the same; nothing would change.".to_owned());
        }
        let mut places = Vec::new();
        let mut from = 0;
        while let Some(at) = self.text[from..].find(old) {
            places.push(from + at);
            from += at + self.text[from + at..].chars().next().map_or(1, char::len_utf8);
        }
        match places.as_slice() {
            [place] => Ok(*place),
            [] => Err(self.not_found(old, new, shown)),
            several => {
                let lines: Vec<_> = several.iter().take(10).map(|&at| self.line_of(at).to_string()).collect();
                let more = if several.len() > lines.len() { ", …" } else { "" };
                Err(format!(
                    "old_text is in {shown} {} times (lines {}{more}); nothing was changed. Add neighbouring lines so that it fits one place.",
                    several.len(),
                    lines.join(", ")
                ))
            }
        }
    }

    /// Says where to look, by line number only: the caller may not be allowed to read what is there.
    fn not_found(&self, old: &str, new: &str, shown: &str) -> String {
        let sentence = format!("old_text was not found in {shown}; nothing was changed.");
        if !new.trim().is_empty()
            && let Some(at) = self.text.find(new)
        {
            return format!("{sentence} new_text is there already, at line {}.", self.line_of(at));
        }
        let numbered =
            |line: &str| line.trim_start().split_once('\t').is_some_and(|(number, _)| number.parse::<usize>().is_ok());
        if old.lines().all(numbered) {
            return format!("{sentence} Leave out the line numbers that read_file prints: they are not in the file.");
        }
        let squeeze = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let wanted: Vec<String> = old.lines().map(squeeze).filter(|line| !line.is_empty()).collect();
        let there: Vec<(usize, String)> = (1..)
            .zip(self.text.lines())
            .map(|(number, line)| (number, squeeze(line)))
            .filter(|(_, line)| !line.is_empty())
            .collect();
        let Some(first) = wanted.first() else { return sentence };
        if let Some(lines) = there.windows(wanted.len()).find(|lines| lines.iter().map(|(_, line)| line).eq(&wanted)) {
            let number = lines.first().map_or(1, |(number, _)| *number);
            return format!("{sentence} Line {number} differs only in white space: indentation counts.");
        }
        let candidates: Vec<&str> = there.iter().map(|(_, line)| line.as_str()).take(5_000).collect();
        let closest = similar::get_close_matches(first.as_str(), &candidates, 1, 0.6);
        match closest.first().and_then(|close| there.iter().find(|(_, line)| line == close)) {
            Some((number, _)) => format!("{sentence} The closest line is {number}: read the file again there."),
            None => format!("{sentence} Nothing in it comes close: read the file again."),
        }
    }
}

#[cfg(test)]
mod tests;
