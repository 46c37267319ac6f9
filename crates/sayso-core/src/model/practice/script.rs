//! What a practice script says, and when a line of it holds.
//!
//! A line is `{"when": {…}, "emit": […]}`; the first line whose conditions all hold is played. `{"note": "…"}` is a
//! comment, and may also stand beside the two. Blank lines are passed over.
//!
//! `when` looks at the last message: the user's words, or the last call with its result.
//!
//! | Field | Holds when |
//! |---|---|
//! | `user` | the last message is the user's, and this regular expression is found in it |
//! | `tool` | the last call was of this tool |
//! | `input` | this expression is found in the last call's arguments, written as JSON |
//! | `result` | this expression is found in the text of its result |
//! | `ok` | its result is of this kind |
//! | `blocked` | the gate or the person refused it, or not |
//! | `times` | its tool was called this often since the user's last message, this call included |
//!
//! All but `user` need a call. Without any field a line always holds. `input` and `result` may also be an object of JSON
//! pointers and expressions, `{"/answers/Zero case": "(?i)nan"}`: each is tried on what its pointer finds.
//!
//! `emit` is a list of `{"text": "…"}`, `{"call": {"tool": "…", "input": {…}}}` and, as the last of a list,
//! `{"error": "…"}` or `{"error": {"kind": "busy", "message": "…", "retry_after_ms": 10}}` (kinds: key, not_found, busy,
//! offline, cut, provider, script). Placeholders in its strings: `${user}`, `${input}`, `${result}` for the whole;
//! `${result.1}` and `${result.name}` for what a group of the expression caught (the groups of several are
//! counted through, by pointer); `${result/a/b}` for what this JSON pointer finds; `$$` for a dollar sign.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::Duration,
};

use regex::{Captures, Regex};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    model::{Call, Message, ModelError},
    protocol::ToolResult,
};

/// Why a script cannot be played. [`ScriptError::remedy`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file cannot be read.
    #[error("the practice script {} cannot be read: {source}", file.display())]
    Unreadable {
        /// The script.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line is wrong.
    #[error("{}, line {line}: {problem}", file.display())]
    Line {
        /// The script.
        file: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no line to play.
    #[error("the practice script {} has no line to play", file.display())]
    Empty {
        /// The script.
        file: PathBuf,
    },
}

impl ScriptError {
    /// What a person can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "Check the path after `practice:`, and that you may read the file.",
            Self::Line { .. } | Self::Empty { .. } => {
                r#"Write one JSON object a line, for instance {"when": {"user": "hello"}, "emit": [{"text": "Good day."}]}."#
            }
        }
    }
}

/// What a script can look at.
pub(super) struct Moment<'a> {
    /// The user's last message.
    user: &'a str,
    /// Whether it is the last message of all.
    user_is_last: bool,
    /// The last call with its result, where the last message has one.
    call: Option<(&'a Call, &'a ToolResult)>,
    /// Its arguments as JSON.
    input: String,
    /// How often its tool was called since the user's last message.
    times: usize,
}

impl<'a> Moment<'a> {
    pub(super) fn of(messages: &'a [Message]) -> Self {
        let user_at = messages.iter().rposition(|message| matches!(message, Message::User(_)));
        let user = match user_at.and_then(|at| messages.get(at)) {
            Some(Message::User(text)) => text.as_str(),
            Some(Message::Assistant { .. }) | None => "",
        };
        let since = user_at.map_or(messages, |at| &messages[at + 1..]);
        let calls = || {
            since.iter().flat_map(|message| match message {
                Message::User(_) => &[][..],
                Message::Assistant { calls, .. } => calls.as_slice(),
            })
        };
        let call = match since.last() {
            Some(Message::Assistant { calls, .. }) => calls.last().map(|(call, result)| (call, result)),
            Some(Message::User(_)) | None => None,
        };
        Self {
            user,
            user_is_last: since.is_empty(),
            call,
            input: call.map(|(call, _)| call.input.to_string()).unwrap_or_default(),
            times: call.map_or(0, |(last, _)| calls().filter(|(call, _)| call.tool == last.tool).count()),
        }
    }

    fn whole(&self, source: Source) -> &str {
        match source {
            Source::User => self.user,
            Source::Input => &self.input,
            Source::Result => self.call.map_or("", |(_, result)| &result.text),
        }
    }
}

/// Where a placeholder's text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    User,
    Input,
    Result,
}

/// A line that can be played.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) when: When,
    pub(super) emit: Vec<Emit>,
}

#[derive(Debug)]
pub(super) struct When {
    user: Vec<Pattern>,
    input: Vec<Pattern>,
    result: Vec<Pattern>,
    tool: Option<String>,
    ok: Option<bool>,
    blocked: Option<bool>,
    times: Option<usize>,
}

/// An expression, and where it is tried: on the whole text, or on what a JSON pointer finds in it.
#[derive(Debug)]
pub(super) struct Pattern {
    pointer: Option<String>,
    expression: Regex,
}

/// What the expressions of a line caught, by source: name, where it has one, and text.
#[derive(Debug, Default)]
pub(super) struct Caught {
    user: Vec<(Option<String>, String)>,
    input: Vec<(Option<String>, String)>,
    result: Vec<(Option<String>, String)>,
}

impl When {
    /// What was caught, if the line holds.
    pub(super) fn holds(&self, moment: &Moment<'_>) -> Option<Caught> {
        if !self.user.is_empty() && !moment.user_is_last {
            return None;
        }
        let needs_call = self.tool.is_some()
            || self.ok.is_some()
            || self.blocked.is_some()
            || self.times.is_some()
            || !self.input.is_empty()
            || !self.result.is_empty();
        if needs_call {
            let (call, result) = moment.call?;
            let same = self.tool.as_ref().is_none_or(|tool| *tool == call.tool)
                && self.ok.is_none_or(|ok| ok == result.ok)
                && self.blocked.is_none_or(|blocked| blocked == result.blocked_by.is_some())
                && self.times.is_none_or(|times| times == moment.times);
            if !same {
                return None;
            }
        }
        Some(Caught {
            user: catch(&self.user, moment.whole(Source::User))?,
            input: catch(&self.input, moment.whole(Source::Input))?,
            result: catch(&self.result, moment.whole(Source::Result))?,
        })
    }

    fn expressions(&self, source: Source) -> impl Iterator<Item = &Regex> {
        let patterns = match source {
            Source::User => &self.user,
            Source::Input => &self.input,
            Source::Result => &self.result,
        };
        patterns.iter().map(|pattern| &pattern.expression)
    }
}

/// The groups of all expressions, counted through, if each is found.
fn catch(patterns: &[Pattern], text: &str) -> Option<Vec<(Option<String>, String)>> {
    let mut all = Vec::new();
    for Pattern { pointer, expression } in patterns {
        let tried = match pointer {
            Some(pointer) => Cow::Owned(at_pointer(text, pointer)?),
            None => Cow::Borrowed(text),
        };
        let caught = expression.captures(&tried)?;
        let groups = expression.capture_names().zip(caught.iter()).skip(1);
        all.extend(groups.map(|(name, group)| {
            (name.map(str::to_owned), group.map_or_else(String::new, |group| group.as_str().to_owned()))
        }));
    }
    Some(all)
}

/// What a pointer finds in a JSON text: a string as it is, anything else as JSON.
fn at_pointer(json: &str, pointer: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    Some(match value.pointer(pointer)? {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Emit {
    Text(String),
    Call(CallTemplate),
    Error(ErrorTemplate),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallTemplate {
    pub(super) tool: String,
    pub(super) input: Value,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "error is a text, or an object of kind, message and retry_after_ms")]
pub(super) enum ErrorTemplate {
    Plain(String),
    Of(ErrorOf),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ErrorOf {
    kind: ErrorKind,
    message: String,
    #[serde(default)]
    retry_after_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ErrorKind {
    Key,
    NotFound,
    Busy,
    Offline,
    Cut,
    Provider,
    Script,
}

impl ErrorTemplate {
    fn message(&self) -> &str {
        match self {
            Self::Plain(message) | Self::Of(ErrorOf { message, .. }) => message,
        }
    }

    pub(super) fn to_model_error(&self, fill: impl Fn(&str) -> String) -> ModelError {
        let message = fill(self.message());
        match self {
            Self::Plain(_) => ModelError::Script(message),
            Self::Of(error) => match error.kind {
                ErrorKind::Key => ModelError::Key(message),
                ErrorKind::NotFound => ModelError::NotFound(message),
                ErrorKind::Busy => {
                    ModelError::Busy { message, retry_after: error.retry_after_ms.map(Duration::from_millis) }
                }
                ErrorKind::Offline => ModelError::Offline(message),
                ErrorKind::Cut => ModelError::Cut(message),
                ErrorKind::Provider => ModelError::Provider(message),
                ErrorKind::Script => ModelError::Script(message),
            },
        }
    }
}

/// `$$`, or a placeholder.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the expression is a constant, and every test of a script uses it")]
    Regex::new(r"\$\$|\$\{([^}]*)\}").expect("the expression is right")
});

/// What a placeholder stands for.
enum Placeholder<'a> {
    Whole(Source),
    /// Counted from 0.
    Group(Source, usize),
    Named(Source, &'a str),
    Pointer(Source, &'a str),
}

impl<'a> Placeholder<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let end = text.find(['.', '/']).unwrap_or(text.len());
        let source = match &text[..end] {
            "user" => Source::User,
            "input" => Source::Input,
            "result" => Source::Result,
            _ => return None,
        };
        let rest = &text[end..];
        match rest.strip_prefix('.') {
            None if rest.is_empty() => Some(Self::Whole(source)),
            None => Some(Self::Pointer(source, rest)),
            Some(group) => match group.parse::<usize>() {
                Ok(number) => Some(Self::Group(source, number.checked_sub(1)?)),
                Err(_) => Some(Self::Named(source, group)),
            },
        }
    }
}

/// The template with its placeholders replaced; they were checked when the script was read.
pub(super) fn fill(template: &str, moment: &Moment<'_>, caught: &Caught) -> String {
    let groups = |source| match source {
        Source::User => &caught.user,
        Source::Input => &caught.input,
        Source::Result => &caught.result,
    };
    PLACEHOLDER
        .replace_all(template, |found: &Captures<'_>| {
            let Some(inside) = found.get(1) else { return "$".to_owned() };
            match Placeholder::of(inside.as_str()) {
                Some(Placeholder::Whole(source)) => moment.whole(source).to_owned(),
                Some(Placeholder::Group(source, number)) => {
                    groups(source).get(number).map(|(_, text)| text.clone()).unwrap_or_default()
                }
                Some(Placeholder::Named(source, name)) => groups(source)
                    .iter()
                    .find(|(group, _)| group.as_deref() == Some(name))
                    .map(|(_, text)| text.clone())
                    .unwrap_or_default(),
                Some(Placeholder::Pointer(source, pointer)) => {
                    at_pointer(moment.whole(source), pointer).unwrap_or_default()
                }
                None => String::new(),
            }
        })
        .into_owned()
}

/// Every string of a JSON value filled.
pub(super) fn fill_value(template: &Value, moment: &Moment<'_>, caught: &Caught) -> Value {
    match template {
        Value::String(text) => Value::String(fill(text, moment, caught)),
        Value::Array(items) => items.iter().map(|item| fill_value(item, moment, caught)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), fill_value(value, moment, caught))).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => template.clone(),
    }
}

/// A line of the file, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    when: Option<WrittenWhen>,
    #[serde(default)]
    emit: Option<Vec<Emit>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenWhen {
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    input: Option<Expressions>,
    #[serde(default)]
    result: Option<Expressions>,
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    ok: Option<bool>,
    #[serde(default)]
    blocked: Option<bool>,
    #[serde(default)]
    times: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "this is a regular expression, or an object of JSON pointers and regular expressions")]
enum Expressions {
    Whole(String),
    Pointers(BTreeMap<String, String>),
}

impl Expressions {
    fn compile(self) -> Result<Vec<Pattern>, String> {
        match self {
            Self::Whole(expression) => Ok(vec![Pattern { pointer: None, expression: regex(&expression)? }]),
            Self::Pointers(all) => all
                .into_iter()
                .map(|(pointer, expression)| {
                    if !pointer.starts_with('/') {
                        return Err(format!("`{pointer}` is no JSON pointer: it starts with a slash"));
                    }
                    Ok(Pattern { pointer: Some(pointer), expression: regex(&expression)? })
                })
                .collect(),
        }
    }
}

fn regex(expression: &str) -> Result<Regex, String> {
    Regex::new(expression).map_err(|error| format!("`{expression}` is no regular expression: {error}"))
}

fn compile(expressions: Option<Expressions>) -> Result<Vec<Pattern>, String> {
    expressions.map_or_else(|| Ok(Vec::new()), Expressions::compile)
}

pub(super) fn read_script(file: &Path, text: &str) -> Result<Vec<Line>, ScriptError> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let read =
            read_line(line).map_err(|problem| ScriptError::Line { file: file.to_owned(), line: number, problem })?;
        lines.extend(read);
    }
    if lines.is_empty() {
        return Err(ScriptError::Empty { file: file.to_owned() });
    }
    Ok(lines)
}

/// A line to play, nothing for a comment, or what is wrong.
fn read_line(line: &str) -> Result<Option<Line>, String> {
    let written: Written = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let (when, emit) = match (written.when, written.emit) {
        (Some(when), Some(emit)) => (when, emit),
        (None, None) if written.note.is_some() => return Ok(None),
        (None, None) => return Err("it has neither `when` and `emit` nor a `note`".to_owned()),
        (Some(_), None) => return Err("it has a `when` and no `emit`".to_owned()),
        (None, Some(_)) => return Err("it has an `emit` and no `when`".to_owned()),
    };
    let when = When {
        user: compile(when.user.map(Expressions::Whole))?,
        input: compile(when.input)?,
        result: compile(when.result)?,
        tool: when.tool,
        ok: when.ok,
        blocked: when.blocked,
        times: when.times,
    };
    if emit.is_empty() {
        return Err("`emit` is empty".to_owned());
    }
    for (at, part) in emit.iter().enumerate() {
        match part {
            Emit::Text(text) => check(text, &when)?,
            Emit::Call(call) => check_value(&call.input, &when)?,
            Emit::Error(error) => {
                check(error.message(), &when)?;
                if at + 1 < emit.len() {
                    return Err("nothing can come after an `error`: it ends the answer".to_owned());
                }
            }
        }
    }
    Ok(Some(Line { when, emit }))
}

/// Whether every placeholder stands for something.
fn check(template: &str, when: &When) -> Result<(), String> {
    for found in PLACEHOLDER.captures_iter(template) {
        let Some(inside) = found.get(1) else { continue };
        let known = match Placeholder::of(inside.as_str()) {
            None => false,
            Some(Placeholder::Whole(_) | Placeholder::Pointer(..)) => true,
            Some(Placeholder::Group(source, number)) => {
                number < when.expressions(source).map(|expression| expression.captures_len() - 1).sum()
            }
            Some(Placeholder::Named(source, name)) => {
                when.expressions(source).any(|expression| expression.capture_names().flatten().any(|n| n == name))
            }
        };
        if !known {
            return Err(format!(
                "`{}` stands for nothing here: write ${{user}}, ${{input}} or ${{result}}, with .N or .NAME for a group of this line's expression or /A/B for a JSON pointer, and $$ for a dollar sign",
                &found[0]
            ));
        }
    }
    Ok(())
}

fn check_value(template: &Value, when: &When) -> Result<(), String> {
    match template {
        Value::String(text) => check(text, when),
        Value::Array(items) => items.iter().try_for_each(|item| check_value(item, when)),
        Value::Object(fields) => fields.values().try_for_each(|value| check_value(value, when)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}
