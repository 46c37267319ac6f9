//! The one parser: what a person typed, or did on screen, read as the answer to a question. It is pure, and the same for
//! the window, the terminal and other programs. What was typed is never changed, dropped, or read in two ways.

mod lines;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regex::Regex;
use serde_json::Value;

use crate::{
    protocol::{Act, Author, Outcome, QuestionKind, Reply, Subject},
    question::{Answer, Choice, Default, Question, fold},
};

/// How much text is checked against a pattern, in bytes.
pub const PATTERN_INPUT_MAX: usize = 64 * 1024;

/// The letters that answer a question drawn without numbers, by value.
type Letters = &'static [(&'static str, &'static str)];

const PERMISSION_LETTERS: Letters = &[("once", "y"), ("session", "a"), ("project", "w"), ("reject", "n")];
const CONFIRM_LETTERS: Letters = &[("true", "y"), ("false", "n")];

/// Why something is no answer to a question, as a sentence that says what would be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Nothing was answered and the question cannot be skipped.
    #[error("'{header}' needs an answer. {ways}")]
    Required {
        /// The question's header.
        header: String,
        /// What can be answered.
        ways: String,
    },
    /// It is none of the options, and own words are no answer here.
    #[error("That is no answer to '{header}'. {ways}")]
    NotListed {
        /// The question's header.
        header: String,
        /// What can be answered.
        ways: String,
    },
    /// It can be read as more than one selection.
    #[error("The answer to '{header}' can be read in two ways: {first}; or {second}. {ways}")]
    Ambiguous {
        /// The question's header.
        header: String,
        /// One reading, as quoted labels.
        first: String,
        /// Another reading.
        second: String,
        /// What can be answered.
        ways: String,
    },
    /// A list of numbers holds one that is drawn and one that is not.
    #[error("'{header}' has no option {number}. {ways}")]
    NoSuchNumber {
        /// The question's header.
        header: String,
        /// The number as it was typed.
        number: String,
        /// What can be answered.
        ways: String,
    },
    /// More was chosen than can be.
    #[error("'{header}' takes one answer. {ways}")]
    OnlyOne {
        /// The question's header.
        header: String,
        /// What can be answered.
        ways: String,
    },
    /// The default was accepted where there is none.
    #[error("'{header}' suggests no answer. {ways}")]
    NoDefault {
        /// The question's header.
        header: String,
        /// What can be answered.
        ways: String,
    },
    /// Words came beside a choice without being called own words.
    #[error("'{header}' was answered with an option and with words; send the words as own words or as a note.")]
    WordsBeside {
        /// The question's header.
        header: String,
    },
    /// The text does not match the question's pattern.
    #[error("The answer to '{header}' must match the pattern {pattern}")]
    Mismatch {
        /// The question's header.
        header: String,
        /// The pattern.
        pattern: String,
    },
    /// The text is too long to be checked.
    #[error("The answer to '{header}' is longer than {PATTERN_INPUT_MAX} bytes; shorten it.")]
    TooLong {
        /// The question's header.
        header: String,
    },
}

/// Why a response does not answer its request; nothing of it is delivered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswersError {
    /// There is no answer in it at all.
    #[error("There is no answer in this. Every question needs one; an empty text passes a question over.")]
    Empty,
    /// It answers questions that were not asked.
    #[error("There is no question {}. The questions are {}.", quoted(.unknown), quoted(.headers))]
    Unknown {
        /// The names that fit no question, sorted.
        unknown: Vec<String>,
        /// The headers of the questions.
        headers: Vec<String>,
    },
    /// One question is answered twice, for instance by header and by key.
    #[error("'{header}' is answered twice.")]
    Twice {
        /// The question's header.
        header: String,
    },
    /// Questions are left out.
    #[error("There is no answer to {}. Every question needs one; an empty text passes a question over.", quoted(.headers))]
    Missing {
        /// The headers of the questions left out.
        headers: Vec<String>,
    },
    /// Answers that are none, each with its reason.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Wrong(Vec<AnswerError>),
}

/// Reads what a person typed. In this order, on the trimmed input:
///
/// 1. Nothing: the default, else skipped, refused where the question is required.
/// 2. A question drawn without numbers (permission, confirm): a letter, a value or a label, whole; `n WORDS` rejects
///    with that note.
/// 3. One choice: a value or label, then an index; several choices: every way to read the line as values and labels,
///    refused where there are two, then a list of indexes, refused where only some of them are drawn.
/// 4. Text: the bytes as they are, if they fit the pattern.
/// 5. Else own words, the bytes as they are, where they are allowed.
///
/// # Errors
/// What is wrong, and what can be answered; the question stays open.
pub fn parse(question: &Question, raw: &str) -> Result<Answer, AnswerError> {
    let typed = raw.trim();
    if typed.is_empty() {
        return match accept_default(question) {
            Some(answer) => Ok(answer),
            None => skip(question),
        };
    }
    if let Some(letters) = letters(question) {
        return parse_letter(question, letters, typed);
    }
    let chosen = match question.kind {
        QuestionKind::Text => return written(question, raw),
        QuestionKind::Choice | QuestionKind::Confirm => {
            lines::named(question, typed).or_else(|| lines::index(question, typed)).map(|option| vec![option])
        }
        QuestionKind::MultiChoice => several(question, typed)?,
    };
    match chosen {
        Some(options) => Ok(choose(question, &options)),
        None if question.allow_other => {
            Ok(Answer { text: Some(raw.to_owned()), ..by_person(question, Outcome::OwnWords) })
        }
        None => Err(not_listed(question)),
    }
}

/// Takes what was done on screen as said, if it fits the question; words are never parsed.
///
/// # Errors
/// What is wrong, and what can be answered.
pub fn from_reply(question: &Question, reply: &Reply) -> Result<Answer, AnswerError> {
    let answer = match reply.act {
        Act::Default => accept_default(question)
            .ok_or_else(|| AnswerError::NoDefault { header: question.header.clone(), ways: ways(question) })?,
        Act::Skipped => skip_reply(question)?,
        Act::Chosen => chosen_reply(question, reply)?,
        Act::OwnWords => own_words_reply(question, reply)?,
    };
    Ok(Answer { note: reply.note.clone().filter(|note| !note.trim().is_empty()), ..answer })
}

/// Reads a map of header (else key) to what was answered. Every question must be in it; an empty text stands for the
/// default, else passes the question over.
///
/// # Errors
/// What is wrong with the map, or with every answer that is none.
pub fn from_answers(questions: &[Question], answers: &HashMap<String, String>) -> Result<Vec<Answer>, AnswersError> {
    let by_name: BTreeMap<_, _> = answers.iter().collect();
    collect(questions, &by_name, asked, |question, raw| parse(question, raw))
}

/// Takes one reply a question, by its exact key. Every question must have one.
///
/// # Errors
/// What is wrong with the map, or with every reply that is no answer.
pub fn from_replies(questions: &[Question], replies: &BTreeMap<String, Reply>) -> Result<Vec<Answer>, AnswersError> {
    let replies: BTreeMap<_, _> = replies.iter().collect();
    let by_key = |questions: &[Question], key: &str| questions.iter().position(|question| question.key == key);
    collect(questions, &replies, by_key, |question, reply| from_reply(question, reply))
}

/// The answer as one text, as `answers` carries it: the words, else the labels joined; nothing for a question passed over.
/// Options ticked beside words are not in it.
#[must_use]
pub fn text(question: &Question, answer: &Answer) -> String {
    match answer.outcome {
        Outcome::Skipped | Outcome::Interrupted => String::new(),
        Outcome::Answered | Outcome::AcceptedDefault | Outcome::OwnWords | Outcome::Defaulted | Outcome::Orphaned => {
            answer.text.clone().unwrap_or_else(|| labels(question, answer))
        }
    }
}

/// What a person reads as the answer: labels, words, or both; nothing for a question passed over.
#[must_use]
pub fn display(question: &Question, answer: &Answer) -> String {
    let text = text(question, answer);
    match answer.outcome == Outcome::OwnWords && !answer.selected.is_empty() {
        true => format!("{}; {text}", labels(question, answer)),
        false => text,
    }
}

fn labels(question: &Question, answer: &Answer) -> String {
    let labels: Vec<_> = answer.selected.iter().map(|value| question.label_of(value)).collect();
    labels.join(", ")
}

/// The answer as its asker's type: text, a list, a boolean; `null` where no listed option and no text was given.
#[must_use]
pub fn value(question: &Question, answer: &Answer) -> Value {
    let first = || answer.selected.first();
    match question.kind {
        QuestionKind::Text => answer.text.clone().into(),
        QuestionKind::Choice => first().cloned().into(),
        QuestionKind::Confirm => first().map(|value| value == "true").into(),
        QuestionKind::MultiChoice if answer.selected.is_empty() => Value::Null,
        QuestionKind::MultiChoice => answer.selected.clone().into(),
    }
}

/// The letter that stands for a value, of a question that is drawn without numbers.
#[must_use]
pub fn letter(question: &Question, value: &str) -> Option<&'static str> {
    letters(question)?.iter().find(|(of, _)| *of == value).map(|(_, letter)| *letter)
}

/// Whether `text` is an answer to a text question.
pub(crate) fn check_text(question: &Question, text: &str) -> Result<(), AnswerError> {
    let header = || question.header.clone();
    let Some(pattern) = &question.pattern else { return Ok(()) };
    if text.len() > PATTERN_INPUT_MAX {
        return Err(AnswerError::TooLong { header: header() });
    }
    match Regex::new(pattern) {
        Ok(regex) if regex.is_match(text) => Ok(()),
        Ok(_) | Err(_) => Err(AnswerError::Mismatch { header: header(), pattern: pattern.clone() }),
    }
}

fn by_person(question: &Question, outcome: Outcome) -> Answer {
    Answer { key: question.key.clone(), outcome, author: Author::Person, selected: Vec::new(), text: None, note: None }
}

/// These options, in the question's order.
fn choose(question: &Question, options: &[usize]) -> Answer {
    let listed = question.options.iter().enumerate().filter(|(index, _)| options.contains(index));
    Answer {
        selected: listed.map(|(_, option)| option.value.clone()).collect(),
        ..by_person(question, Outcome::Answered)
    }
}

fn written(question: &Question, text: &str) -> Result<Answer, AnswerError> {
    check_text(question, text)?;
    Ok(Answer { text: Some(text.to_owned()), ..by_person(question, Outcome::Answered) })
}

fn accept_default(question: &Question) -> Option<Answer> {
    let default = question.default.as_ref()?;
    let accepted = by_person(question, Outcome::AcceptedDefault);
    Some(match (question.kind, default) {
        (QuestionKind::Text, Default::One(text)) => Answer { text: Some(text.clone()), ..accepted },
        (
            QuestionKind::Text | QuestionKind::Choice | QuestionKind::MultiChoice | QuestionKind::Confirm,
            Default::Flag(_) | Default::One(_) | Default::Many(_),
        ) => Answer { selected: default.values(), ..accepted },
    })
}

fn skip(question: &Question) -> Result<Answer, AnswerError> {
    if question.required { Err(required(question)) } else { Ok(by_person(question, Outcome::Skipped)) }
}

/// A tool's question, which takes no own words, has its default accepted by Skip; a model's is passed over.
fn skip_reply(question: &Question) -> Result<Answer, AnswerError> {
    let skipped = skip(question)?;
    Ok(if question.allow_other { skipped } else { accept_default(question).unwrap_or(skipped) })
}

fn chosen_reply(question: &Question, reply: &Reply) -> Result<Answer, AnswerError> {
    let words = words(reply);
    let options = selected(question, reply)?;
    match question.kind {
        QuestionKind::Text => written(question, words.ok_or_else(|| required(question))?),
        QuestionKind::Choice | QuestionKind::MultiChoice | QuestionKind::Confirm => {
            if words.is_some() {
                return Err(AnswerError::WordsBeside { header: question.header.clone() });
            }
            if options.is_empty() {
                return Err(required(question));
            }
            Ok(choose(question, &options))
        }
    }
}

fn own_words_reply(question: &Question, reply: &Reply) -> Result<Answer, AnswerError> {
    if !question.allow_other {
        return Err(not_listed(question));
    }
    let text = words(reply).ok_or_else(|| required(question))?;
    let options = selected(question, reply)?;
    match question.kind {
        QuestionKind::Text => written(question, text),
        QuestionKind::Choice | QuestionKind::Confirm if !options.is_empty() => Err(only_one(question)),
        QuestionKind::Choice | QuestionKind::Confirm | QuestionKind::MultiChoice => {
            Ok(Answer { outcome: Outcome::OwnWords, text: Some(text.to_owned()), ..choose(question, &options) })
        }
    }
}

fn words(reply: &Reply) -> Option<&str> {
    reply.text.as_deref().filter(|text| !text.trim().is_empty())
}

/// The options of the values in a reply.
fn selected(question: &Question, reply: &Reply) -> Result<Vec<usize>, AnswerError> {
    let find = |value: &String| question.options.iter().position(|option| option.value == *value);
    let options: BTreeSet<_> =
        reply.selected.iter().map(find).collect::<Option<_>>().ok_or_else(|| not_listed(question))?;
    match question.kind {
        QuestionKind::Choice | QuestionKind::Confirm if options.len() > 1 => Err(only_one(question)),
        QuestionKind::Choice | QuestionKind::Confirm | QuestionKind::Text | QuestionKind::MultiChoice => {
            Ok(options.into_iter().collect())
        }
    }
}

fn letters(question: &Question) -> Option<Letters> {
    match (&question.subject, question.kind) {
        (Some(Subject::Permission { .. }), _) => Some(PERMISSION_LETTERS),
        (None, QuestionKind::Confirm) => Some(CONFIRM_LETTERS),
        (None, QuestionKind::Choice | QuestionKind::MultiChoice | QuestionKind::Text) => None,
    }
}

fn parse_letter(question: &Question, letters: Letters, typed: &str) -> Result<Answer, AnswerError> {
    let find = |value: &str| question.options.iter().position(|option| option.value == value);
    let by_letter =
        letters.iter().find(|(_, letter)| typed.eq_ignore_ascii_case(letter)).and_then(|(value, _)| find(value));
    if let Some(option) = by_letter.or_else(|| lines::named(question, typed)) {
        return Ok(choose(question, &[option]));
    }
    match (find("reject"), typed.split_once(char::is_whitespace)) {
        (Some(reject), Some(("n" | "N", note))) => {
            Ok(Answer { note: Some(note.trim_start().to_owned()), ..choose(question, &[reject]) })
        }
        (Some(_) | None, Some(_) | None) => Err(not_listed(question)),
    }
}

/// The options a line names, if it can be read as nothing else.
fn several(question: &Question, typed: &str) -> Result<Option<Vec<usize>>, AnswerError> {
    let mut readings = lines::readings(question, typed).into_iter();
    match (readings.next(), readings.next()) {
        (Some(first), Some(second)) => {
            let labels = |options: &Vec<usize>| {
                let listed = options.iter().filter_map(|index| question.options.get(*index));
                quoted(&listed.map(|option| option.label.clone()).collect::<Vec<_>>())
            };
            Err(AnswerError::Ambiguous {
                header: question.header.clone(),
                first: labels(&first),
                second: labels(&second),
                ways: ways(question),
            })
        }
        (Some(reading), None) => Ok(Some(reading)),
        (None, _) => match lines::beyond(question, typed) {
            Some(number) => Err(AnswerError::NoSuchNumber {
                header: question.header.clone(),
                number: number.to_owned(),
                ways: ways(question),
            }),
            None => Ok(None),
        },
    }
}

fn collect<T>(
    questions: &[Question],
    given: &BTreeMap<&String, T>,
    find: impl Fn(&[Question], &str) -> Option<usize>,
    read: impl Fn(&Question, &T) -> Result<Answer, AnswerError>,
) -> Result<Vec<Answer>, AnswersError> {
    if given.is_empty() {
        return Err(AnswersError::Empty);
    }
    let mut answered: Vec<Option<&T>> = questions.iter().map(|_| None).collect();
    let mut unknown = Vec::new();
    for (name, answer) in given {
        match find(questions, name) {
            None => unknown.push((*name).clone()),
            Some(index) if answered[index].replace(answer).is_some() => {
                return Err(AnswersError::Twice { header: questions[index].header.clone() });
            }
            Some(_) => {}
        }
    }
    if !unknown.is_empty() {
        return Err(AnswersError::Unknown {
            unknown,
            headers: questions.iter().map(|question| question.header.clone()).collect(),
        });
    }
    let (mut answers, mut missing, mut wrong) = (Vec::new(), Vec::new(), Vec::new());
    for (question, answer) in questions.iter().zip(answered) {
        match answer.map(|answer| read(question, answer)) {
            Some(Ok(answer)) => answers.push(answer),
            Some(Err(error)) => wrong.push(error),
            None => missing.push(question.header.clone()),
        }
    }
    if !missing.is_empty() {
        return Err(AnswersError::Missing { headers: missing });
    }
    if wrong.is_empty() { Ok(answers) } else { Err(AnswersError::Wrong(wrong)) }
}

/// The question of this header, else of this key, letter case and spaces folded.
fn asked(questions: &[Question], name: &str) -> Option<usize> {
    let name = fold(name);
    let find = |of: fn(&Question) -> &str| questions.iter().position(|question| fold(of(question)) == name);
    find(|question| &question.header).or_else(|| find(|question| &question.key))
}

fn required(question: &Question) -> AnswerError {
    AnswerError::Required { header: question.header.clone(), ways: ways(question) }
}

fn not_listed(question: &Question) -> AnswerError {
    AnswerError::NotListed { header: question.header.clone(), ways: ways(question) }
}

fn only_one(question: &Question) -> AnswerError {
    AnswerError::OnlyOne { header: question.header.clone(), ways: ways(question) }
}

/// What can be answered, as a sentence: the options as they are drawn.
fn ways(question: &Question) -> String {
    if question.options.is_empty() {
        return "Write the answer.".into();
    }
    let drawn = |(index, option): (usize, &Choice)| match letter(question, &option.value) {
        Some(letter) => format!("{letter} {}", option.label),
        None => format!("{} {}", index + 1, option.label),
    };
    format!("Choose from: {}.", question.options.iter().enumerate().map(drawn).collect::<Vec<_>>().join("; "))
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod properties;
