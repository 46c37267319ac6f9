//! The written form of `InteractiveQuestion`: what a tool returns instead of waiting, alone, as an array, or in the
//! envelope `{ "interactiveQuestions": [...] }`. A tool must get a listed value back, so own words are no answer here.

use std::collections::HashSet;

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

use super::{Choice, Default, Faults, Question, check_names, fields::Fields, fold, short_header, unless_faulty};
use crate::{
    answer::check_text,
    protocol::{QuestionKind, Reason},
};

/// Reads an array, an envelope, or one question.
///
/// # Errors
/// Every fault, each naming the rule and the question.
pub fn read(json: &Value) -> Result<Vec<Question>, Faults> {
    let mut faults = Vec::new();
    let asked = match (json, json.get("interactiveQuestions")) {
        (Value::Array(questions), _) => questions.as_slice(),
        (_, None) => std::slice::from_ref(json),
        (_, Some(_)) => Fields::of(json, "", &mut faults)
            .and_then(|envelope| envelope.list("interactiveQuestions", &mut faults))
            .unwrap_or_default(),
    };
    if asked.is_empty() && faults.is_empty() {
        faults.push("There are no questions.".into());
    }
    let mut questions = Vec::new();
    for (index, value) in asked.iter().enumerate() {
        questions.extend(read_question(value, index, &mut faults));
    }
    name_headers(&mut questions, &mut faults);
    unless_faulty(questions, faults)
}

fn read_question(value: &Value, index: usize, faults: &mut Vec<String>) -> Option<Question> {
    let fields = Fields::of(value, format!("interactiveQuestions[{index}]"), faults)?;
    let id = fields.text("id", faults);
    let text = fields.text("question", faults).unwrap_or_default().to_owned();
    let kind = read_kind(&fields, faults);
    let required = fields.optional_flag("required", faults).unwrap_or(true);
    let reason = read_reason(&fields, faults);
    let irreversible =
        fields.optional_flag("irreversible", faults).unwrap_or(false) || reason == Some(Reason::Irreversible);
    let (id, kind) = (id?, kind?);
    let name = format!("Question '{id}'");
    let mut question = Question {
        key: id.to_owned(),
        question: text,
        header: String::new(),
        kind,
        options: read_options(&fields, kind, &name, faults),
        default: None,
        required,
        pattern: read_pattern(&fields, kind, &name, faults),
        allow_other: false,
        irreversible,
        reason,
        why: None,
        subject: None,
    };
    if !irreversible {
        question.default = fields.get("default").and_then(|value| read_default(&question, value));
    }
    Some(question)
}

fn read_kind(fields: &Fields<'_>, faults: &mut Vec<String>) -> Option<QuestionKind> {
    match fields.text("type", faults)? {
        "choice" => Some(QuestionKind::Choice),
        "multiChoice" => Some(QuestionKind::MultiChoice),
        "text" => Some(QuestionKind::Text),
        "confirm" => Some(QuestionKind::Confirm),
        other => {
            faults.push(format!("{} must be choice, multiChoice, text or confirm, not '{other}'.", fields.at("type")));
            None
        }
    }
}

fn read_reason(fields: &Fields<'_>, faults: &mut Vec<String>) -> Option<Reason> {
    let reason = Reason::deserialize(fields.get("reason")?).ok();
    if reason.is_none() {
        faults.push(format!("{} must be irreversible, ambiguous or policy.", fields.at("reason")));
    }
    reason
}

fn read_options(fields: &Fields<'_>, kind: QuestionKind, name: &str, faults: &mut Vec<String>) -> Vec<Choice> {
    let choice = |value: &str, label: &str| Choice {
        value: value.to_owned(),
        label: label.to_owned(),
        description: String::new(),
        preview: None,
    };
    match kind {
        QuestionKind::Text => Vec::new(),
        QuestionKind::Confirm => vec![choice("true", "Yes"), choice("false", "No")],
        QuestionKind::Choice | QuestionKind::MultiChoice => {
            let Some(listed) = fields.list("options", faults) else { return Vec::new() };
            let options: Vec<_> = listed
                .iter()
                .filter_map(Value::as_str)
                .filter(|option| !option.trim().is_empty())
                .map(|option| choice(option, option))
                .collect();
            if options.is_empty() || options.len() < listed.len() {
                faults.push(format!("{name} needs options, each of them text and not empty."));
            }
            check_names(name, &options, faults);
            options
        }
    }
}

fn read_pattern(fields: &Fields<'_>, kind: QuestionKind, name: &str, faults: &mut Vec<String>) -> Option<String> {
    match kind {
        QuestionKind::Choice | QuestionKind::MultiChoice | QuestionKind::Confirm => None,
        QuestionKind::Text => {
            let pattern = fields.optional_text("pattern", faults)?;
            if Regex::new(pattern).is_err() {
                faults.push(format!("{name} has a pattern that cannot be read: {pattern}"));
            }
            Some(pattern.to_owned())
        }
    }
}

/// The default as its type; none where it breaks the question's own rules, or says nothing.
fn read_default(question: &Question, value: &Value) -> Option<Default> {
    let listed = |text: &str| question.options.iter().any(|option| option.value == text);
    match question.kind {
        QuestionKind::Confirm => value.as_bool().map(Default::Flag),
        QuestionKind::Choice => value.as_str().filter(|text| listed(text)).map(|text| Default::One(text.to_owned())),
        QuestionKind::Text => value
            .as_str()
            .filter(|text| !text.trim().is_empty() && check_text(question, text).is_ok())
            .map(|text| Default::One(text.to_owned())),
        QuestionKind::MultiChoice => {
            let values: Vec<&str> = value.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
            let in_order = question.options.iter().filter(|option| values.contains(&option.value.as_str()));
            (!values.is_empty() && values.iter().all(|text| listed(text)))
                .then(|| Default::Many(in_order.map(|option| option.value.clone()).collect()))
        }
    }
}

/// Gives every question a header made of its id that is neither another's header nor another's id.
fn name_headers(questions: &mut [Question], faults: &mut Vec<String>) {
    let mut taken = HashSet::new();
    for question in questions.iter() {
        if !taken.insert(fold(&question.key)) {
            faults.push(format!("The id '{}' is used twice; ids must be unique.", question.key));
        }
    }
    for question in questions {
        taken.remove(&fold(&question.key));
        question.header = short_header(&readable(&question.key), &taken);
        taken.insert(fold(&question.key));
        taken.insert(fold(&question.header));
    }
}

/// `confirm-target-env` as *Confirm target env*.
fn readable(id: &str) -> String {
    let words = id.replace(['-', '_'], " ");
    let mut rest = words.trim().chars();
    match rest.next() {
        Some(first) => first.to_uppercase().chain(rest).collect(),
        None => id.to_owned(),
    }
}
