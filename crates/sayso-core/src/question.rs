//! The one question type. Whatever form a question came in, after its adapter only this exists.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use crate::protocol::{Act, Author, Outcome, QuestionKind, QuestionOption, Reason, Reply, Subject, UserQuestion};

pub mod ask_user;
pub mod ask_user_question;
mod fields;
pub mod interactive;
pub(crate) mod remarks;
pub mod written;

/// A question that can be asked: every limit of its written form holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Names the answer within the request; unique there, letter case and spaces folded.
    pub key: String,
    /// The full text.
    pub question: String,
    /// A short label; unique within the request.
    pub header: String,
    /// What form the answer has.
    pub kind: QuestionKind,
    /// What can be chosen; empty for text, *Yes* and *No* for confirm.
    pub options: Vec<Choice>,
    /// The suggested answer.
    pub default: Option<Default>,
    /// Whether it cannot be skipped.
    pub required: bool,
    /// What the answer to a text question must match, in the linear-time syntax of the `regex` crate.
    pub pattern: Option<String>,
    /// Whether words that are no option are an answer.
    pub allow_other: bool,
    /// Whether what follows cannot be undone; then there is no default.
    pub irreversible: bool,
    /// Why a tool had to ask.
    pub reason: Option<Reason>,
    /// The asker's own words on why it asks.
    pub why: Option<String>,
    /// What the request is about.
    pub subject: Option<Subject>,
}

/// One option of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What the asker reads.
    pub value: String,
    /// What the person reads.
    pub label: String,
    /// What choosing it means; may be empty.
    pub description: String,
    /// Plain monospaced text shown beside the list.
    pub preview: Option<String>,
}

/// A suggested answer. It passed the question's own rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Default {
    /// Yes or no, of a confirm.
    Flag(bool),
    /// A value of a choice, or the words of a text.
    One(String),
    /// Values of a multi-choice.
    Many(Vec<String>),
}

/// What came back for one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The question's key.
    pub key: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Who decided.
    pub author: Author,
    /// The values chosen, in the options' order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// The words of a text question, or own words, byte for byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A note beside the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Answer {
    /// What a person would have done on screen to give this answer.
    #[must_use]
    pub fn to_reply(&self) -> Reply {
        let act = match self.outcome {
            Outcome::Answered | Outcome::Orphaned => Act::Chosen,
            Outcome::AcceptedDefault | Outcome::Defaulted => Act::Default,
            Outcome::OwnWords => Act::OwnWords,
            Outcome::Skipped | Outcome::Interrupted => Act::Skipped,
        };
        Reply { act, selected: self.selected.clone(), text: self.text.clone(), note: self.note.clone() }
    }
}

/// All that is wrong with one call, told at once so that a model mends it in one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<String>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for Faults {}

impl Question {
    /// The question as front ends see it.
    #[must_use]
    pub fn to_wire(&self) -> UserQuestion {
        UserQuestion {
            question: self.question.clone(),
            header: self.header.clone(),
            options: self.options.iter().map(Choice::to_wire).collect(),
            multi_select: self.kind == QuestionKind::MultiChoice,
            key: Some(self.key.clone()),
            kind: Some(self.kind),
            default: self.default.as_ref().map(Default::to_json),
            required: Some(self.required),
            pattern: self.pattern.clone(),
            allow_other: Some(self.allow_other),
            irreversible: self.irreversible.then_some(true),
            reason: self.reason,
            why: self.why.clone(),
            subject: self.subject.clone(),
        }
    }

    /// The label that stands for a value; the value itself where no option has it.
    #[must_use]
    pub fn label_of<'a>(&'a self, value: &'a str) -> &'a str {
        self.options.iter().find(|option| option.value == value).map_or(value, |option| &option.label)
    }
}

/// The mark that some askers append to the label they would choose. It is no default and no part of the name.
const RECOMMENDED: &str = "(recommended)";

impl Choice {
    /// The label without the mark *(Recommended)*.
    #[must_use]
    pub fn bare_label(&self) -> &str {
        let label = self.label.trim();
        let cut = label.len().saturating_sub(RECOMMENDED.len());
        match label.get(cut..) {
            Some(end) if end.eq_ignore_ascii_case(RECOMMENDED) => label[..cut].trim_end(),
            _ => label,
        }
    }

    /// What a person can call this option by, folded.
    pub(crate) fn names(&self) -> [String; 3] {
        [fold(&self.value), fold(&self.label), fold(self.bare_label())]
    }

    fn to_wire(&self) -> QuestionOption {
        QuestionOption {
            label: self.label.clone(),
            description: self.description.clone(),
            value: Some(self.value.clone()),
            preview: self.preview.clone(),
        }
    }
}

impl Default {
    /// The default as the asker wrote it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Flag(flag) => Value::Bool(*flag),
            Self::One(text) => Value::String(text.clone()),
            Self::Many(values) => Value::from(values.clone()),
        }
    }

    /// The default as values of options, or as the one text.
    #[must_use]
    pub fn values(&self) -> Vec<String> {
        match self {
            Self::Flag(flag) => vec![flag.to_string()],
            Self::One(text) => vec![text.clone()],
            Self::Many(values) => values.clone(),
        }
    }
}

/// A name with letter case and runs of white space folded: two labels that fold alike are the same label.
#[must_use]
pub fn fold(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// What an asker reads where the person passed the question over.
pub const SKIPPED: &str = "the user did not answer";

/// The longest header that fits its chip, in graphemes.
pub const HEADER_MAX: usize = 12;

/// `text` as a header: cut to [`HEADER_MAX`], and told apart by a digit from the `taken` ones, which are folded.
fn short_header(text: &str, taken: &HashSet<String>) -> String {
    let mut header = cut(text, HEADER_MAX);
    let mut number = 1;
    while taken.contains(&fold(&header)) {
        number += 1;
        let digit = format!(" {number}");
        header = cut(text, HEADER_MAX.saturating_sub(digit.len())) + &digit;
    }
    header
}

fn cut(text: &str, max: usize) -> String {
    let mut graphemes = text.graphemes(true);
    let start: String = graphemes.by_ref().take(max.saturating_sub(1)).collect();
    let rest = graphemes.as_str();
    if rest.graphemes(true).count() <= 1 { text.to_owned() } else { format!("{}…", start.trim_end()) }
}

/// Notes every option that can be called by a name of an earlier one: such an answer could be read in two ways.
fn check_names(question: &str, options: &[Choice], faults: &mut Vec<String>) {
    let mut owners = HashMap::new();
    for (index, option) in options.iter().enumerate() {
        if option.names().into_iter().any(|name| *owners.entry(name).or_insert(index) != index) {
            faults.push(format!(
                "{question} has more than one option that reads '{}'; labels must be unique.",
                option.label
            ));
        }
    }
}

/// The questions, if nothing is wrong with the call.
fn unless_faulty(questions: Vec<Question>, faults: Vec<String>) -> Result<Vec<Question>, Faults> {
    if faults.is_empty() { Ok(questions) } else { Err(Faults(faults)) }
}
