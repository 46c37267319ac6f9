//! The offline practice model: a script of JSON lines played through the same stream of events as a real provider's.
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
//! | `input` | this expression, or each of a list, is found in the last call's arguments, written as JSON |
//! | `result` | the same, in the text of its result |
//! | `ok` | its result is of this kind |
//! | `blocked` | the gate or the person refused it, or not |
//! | `times` | it is this many calls of the tool, itself included, since the user's last message |
//!
//! All but `user` need a call. Without any field a line always holds.
//!
//! `emit` is a list of `{"text": "…"}`, `{"call": {"tool": "…", "input": {…}}}` and, as the last of a list,
//! `{"error": "…"}` or `{"error": {"kind": "busy", "message": "…", "retry_after_ms": 10}}` (kinds: key, not_found, busy,
//! offline, cut, provider, script). In its strings stand for something: `${user}`, `${input}`, `${result}` for the whole;
//! `${result.1}` and `${result.name}` for what a group of the expression caught (the groups of a list are counted
//! through); `${result/a/b}` for what this JSON pointer finds; `$$` for a dollar sign.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
    time::Duration,
};

use futures::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use regex::{Captures, Regex};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{Call, Message, ModelError, ModelEvent, Provider, Request, Usage};
use crate::protocol::ToolResult;

mod project;

pub use project::unpack;

/// What the practice model says when its script has no line for what came last.
pub const NO_LINE: &str = "I am the practice model: I play a script and understand nothing beyond it, and this script \
    has no line for what came last. Start a new message with a prompt that the script knows.";

/// The scripts that come with the program, in the order they are tried.
const BUILT_IN: [(&str, &str); 2] =
    [("calc.jsonl", include_str!("practice/calc.jsonl")), ("tour.jsonl", include_str!("practice/tour.jsonl"))];

/// A model that plays a script. No network, no key, no waiting.
#[derive(Debug, Clone)]
pub struct Practice {
    lines: Arc<Vec<Line>>,
}

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
            Self::Unreadable { .. } => "Check the path after practice: and that you may read the file.",
            Self::Line { .. } | Self::Empty { .. } => {
                r#"Write one JSON object a line, for instance {"when": {"user": "hello"}, "emit": [{"text": "Good day."}]}."#
            }
        }
    }
}

impl Practice {
    /// The script that comes with the program: the calc project, and a tour.
    #[must_use]
    pub fn built_in() -> Self {
        static LINES: LazyLock<Arc<Vec<Line>>> = LazyLock::new(|| {
            let read = BUILT_IN.iter().map(|(name, text)| read_script(Path::new(name), text));
            #[expect(clippy::expect_used, reason = "the built-in scripts are constants, and a test reads them")]
            let lines = read.collect::<Result<Vec<_>, _>>().expect("the built-in scripts can be played");
            Arc::new(lines.into_iter().flatten().collect())
        });
        Self { lines: LINES.clone() }
    }

    /// The script in this file.
    ///
    /// # Errors
    /// When the file cannot be read, a line is wrong, or there is none.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let text =
            fs::read_to_string(path).map_err(|source| ScriptError::Unreadable { file: path.to_owned(), source })?;
        Ok(Self { lines: Arc::new(read_script(path, &text)?) })
    }

    fn answer(&self, messages: &[Message]) -> Vec<Result<ModelEvent, ModelError>> {
        let moment = Moment::of(messages);
        let mut events = Vec::new();
        let Some((line, caught)) = self.lines.iter().find_map(|line| Some((line, line.when.holds(&moment)?))) else {
            events.extend(pieces(NO_LINE).map(|piece| Ok(ModelEvent::Text(piece))));
            events.push(Ok(ModelEvent::End(Usage::default())));
            return events;
        };
        let mut texts = 0;
        for part in &line.emit {
            match part {
                Emit::Text(template) => {
                    // Two texts in a row are two paragraphs.
                    let gap = if texts > 0 { "\n\n" } else { "" };
                    let text = format!("{gap}{}", fill(template, &moment, &caught));
                    events.extend(pieces(&text).map(|piece| Ok(ModelEvent::Text(piece))));
                    texts += 1;
                }
                Emit::Call(call) => events.push(Ok(ModelEvent::Call(Call {
                    id: Uuid::now_v7().to_string(),
                    provider_id: String::new(),
                    tool: call.tool.clone(),
                    input: fill_value(&call.input, &moment, &caught),
                }))),
                Emit::Error(error) => {
                    events.push(Err(error.to_model_error(|message| fill(message, &moment, &caught))));
                    return events;
                }
            }
        }
        events.push(Ok(ModelEvent::End(Usage::default())));
        events
    }
}

impl Provider for Practice {
    fn label(&self) -> String {
        "Practice model".to_owned()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        stream::iter(self.answer(&request.messages)).boxed()
    }
}

/// A text as a model would stream it: a word at a time, its white space with it.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive([' ', '\n']).map(str::to_owned)
}

/// What a script can look at.
struct Moment<'a> {
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
    fn of(messages: &'a [Message]) -> Self {
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
struct Line {
    when: When,
    emit: Vec<Emit>,
}

#[derive(Debug)]
struct When {
    user: Vec<Regex>,
    input: Vec<Regex>,
    result: Vec<Regex>,
    tool: Option<String>,
    ok: Option<bool>,
    blocked: Option<bool>,
    times: Option<usize>,
}

/// What the expressions of a line caught, by source: name, where it has one, and text.
#[derive(Debug, Default)]
struct Caught {
    user: Vec<(Option<String>, String)>,
    input: Vec<(Option<String>, String)>,
    result: Vec<(Option<String>, String)>,
}

impl When {
    /// What was caught, if the line holds.
    fn holds(&self, moment: &Moment<'_>) -> Option<Caught> {
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

    fn expressions(&self, source: Source) -> &[Regex] {
        match source {
            Source::User => &self.user,
            Source::Input => &self.input,
            Source::Result => &self.result,
        }
    }
}

/// The groups of all expressions, counted through, if each is found.
fn catch(expressions: &[Regex], text: &str) -> Option<Vec<(Option<String>, String)>> {
    let mut all = Vec::new();
    for expression in expressions {
        let caught = expression.captures(text)?;
        let groups = expression.capture_names().zip(caught.iter()).skip(1);
        all.extend(groups.map(|(name, group)| {
            (name.map(str::to_owned), group.map_or_else(String::new, |group| group.as_str().to_owned()))
        }));
    }
    Some(all)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Emit {
    Text(String),
    Call(CallTemplate),
    Error(ErrorTemplate),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CallTemplate {
    tool: String,
    input: Value,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "error is a text, or an object of kind, message and retry_after_ms")]
enum ErrorTemplate {
    Plain(String),
    Of(ErrorOf),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorOf {
    kind: ErrorKind,
    message: String,
    #[serde(default)]
    retry_after_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ErrorKind {
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

    fn to_model_error(&self, fill: impl Fn(&str) -> String) -> ModelError {
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
fn fill(template: &str, moment: &Moment<'_>, caught: &Caught) -> String {
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
                    let value: Value = serde_json::from_str(moment.whole(source)).unwrap_or_default();
                    match value.pointer(pointer) {
                        Some(Value::String(text)) => text.clone(),
                        Some(other) => other.to_string(),
                        None => String::new(),
                    }
                }
                None => String::new(),
            }
        })
        .into_owned()
}

/// Every string of a JSON value filled.
fn fill_value(template: &Value, moment: &Moment<'_>, caught: &Caught) -> Value {
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
    user: Expressions,
    #[serde(default)]
    input: Expressions,
    #[serde(default)]
    result: Expressions,
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
#[serde(untagged, expecting = "an expression is a text, or a list of texts")]
enum Expressions {
    One(String),
    All(Vec<String>),
}

impl Default for Expressions {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Expressions {
    fn compile(self) -> Result<Vec<Regex>, String> {
        let all = match self {
            Self::One(expression) => vec![expression],
            Self::All(expressions) => expressions,
        };
        all.iter()
            .map(|expression| {
                Regex::new(expression).map_err(|error| format!("`{expression}` is no regular expression: {error}"))
            })
            .collect()
    }
}

fn read_script(file: &Path, text: &str) -> Result<Vec<Line>, ScriptError> {
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
        user: when.user.compile()?,
        input: when.input.compile()?,
        result: when.result.compile()?,
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
                number < when.expressions(source).iter().map(|expression| expression.captures_len() - 1).sum()
            }
            Some(Placeholder::Named(source, name)) => when
                .expressions(source)
                .iter()
                .any(|expression| expression.capture_names().flatten().any(|n| n == name)),
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

#[cfg(test)]
mod tests;
