//! The written form of `AskUserQuestion`: one to four multiple-choice questions of the model's, and the JSON it reads
//! back. Its limits are the published ones; fields it does not know are let pass, because models send extras.

use std::collections::{HashMap, HashSet};

use serde::{Serialize, Serializer};
use serde_json::Value;
use unicode_segmentation::UnicodeSegmentation;

use super::{
    Answer, Choice, Faults, HEADER_MAX, Question, SKIPPED, check_names, fields::Fields, fold, short_header,
    unless_faulty,
};
use crate::{
    answer::display,
    protocol::{Outcome, QuestionKind},
};

/// How strictly the form is taken, by the user's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskOptions {
    /// Only listed options are an answer, no own words.
    pub strict_options: bool,
    /// For weak local models: longer labels pass, and a longer header is shortened for display.
    pub lenient: bool,
}

/// Reads a call's input.
///
/// # Errors
/// Every fault of the call, each naming the rule and the question.
pub fn read(input: &Value, options: AskOptions) -> Result<Vec<Question>, Faults> {
    let mut faults = Vec::new();
    let asked = Fields::of(input, "", &mut faults).and_then(|fields| fields.list("questions", &mut faults));
    if let Some(asked) = asked
        && !(1..=4).contains(&asked.len())
    {
        faults.push(format!("There are {} questions; a call takes 1 to 4.", asked.len()));
    }
    let mut numbers = HashMap::new();
    let mut questions = Vec::new();
    for (index, value) in asked.unwrap_or_default().iter().enumerate() {
        let Some(question) = read_question(value, index, options, &mut faults) else { continue };
        if question.key.is_empty() {
            continue;
        }
        let first = *numbers.entry(fold(&question.key)).or_insert(index);
        if first != index {
            faults.push(format!(
                "{} repeats the header of question {}; headers must be unique.",
                named(index, &question.key),
                first + 1
            ));
        }
        questions.push(question);
    }
    if options.lenient {
        shorten_headers(&mut questions);
    }
    unless_faulty(questions, faults)
}

fn read_question(value: &Value, index: usize, options: AskOptions, faults: &mut Vec<String>) -> Option<Question> {
    let fields = Fields::of(value, format!("questions[{index}]"), faults)?;
    let text = fields.text("question", faults).unwrap_or_default();
    let header = fields.text("header", faults).unwrap_or_default();
    let name = named(index, header);
    let length = header.graphemes(true).count();
    if length > HEADER_MAX && !options.lenient {
        faults.push(format!("{name} has a header of {length} characters; at most {HEADER_MAX} are allowed."));
    }
    let flags = [fields.optional_flag("multiSelect", faults), fields.optional_flag("multi_select", faults)];
    if let [Some(one), Some(other)] = flags
        && one != other
    {
        faults.push(format!("{name} has multiSelect {one} and multi_select {other}; send one of them."));
    }
    let several = flags.contains(&Some(true));
    Some(Question {
        key: header.to_owned(),
        question: text.to_owned(),
        header: header.to_owned(),
        kind: if several { QuestionKind::MultiChoice } else { QuestionKind::Choice },
        options: read_options(&fields, index, &name, options, faults),
        default: None,
        required: false,
        pattern: None,
        allow_other: !options.strict_options,
        irreversible: false,
        reason: None,
        why: fields.optional_text("why", faults).map(str::to_owned),
        subject: None,
    })
}

fn read_options(
    fields: &Fields<'_>,
    index: usize,
    name: &str,
    options: AskOptions,
    faults: &mut Vec<String>,
) -> Vec<Choice> {
    let Some(listed) = fields.list("options", faults) else { return Vec::new() };
    if !(2..=4).contains(&listed.len()) {
        faults.push(format!("{name} has {} options; 2 to 4 are allowed.", listed.len()));
    }
    let mut choices = Vec::new();
    for (at, value) in listed.iter().enumerate() {
        let Some(option) = Fields::of(value, format!("questions[{index}].options[{at}]"), faults) else { continue };
        let description = option.optional_text("description", faults).unwrap_or_default().to_owned();
        let preview = option.optional_text("preview", faults).map(str::to_owned);
        let Some(label) = option.text("label", faults) else { continue };
        let choice = Choice { value: label.to_owned(), label: label.to_owned(), description, preview };
        check_label(&choice, name, options, faults);
        choices.push(choice);
    }
    check_names(name, &choices, faults);
    choices
}

/// 1 to 5 words; in scripts that set no spaces between words, at most 24 characters.
fn check_label(choice: &Choice, name: &str, options: AskOptions, faults: &mut Vec<String>) {
    let bare = choice.bare_label();
    let (length, unit, max) = if bare.chars().any(sets_no_spaces) {
        (bare.graphemes(true).count(), "characters", 24)
    } else {
        (bare.unicode_words().count(), "words", 5)
    };
    if bare.is_empty() || (length > max && !options.lenient) {
        let label = &choice.label;
        faults.push(format!("{name} has a label of {length} {unit}, '{label}'; 1 to {max} are allowed."));
    }
}

/// Thai, Lao, Myanmar, Khmer, kana and Han, by block.
fn sets_no_spaces(character: char) -> bool {
    matches!(character,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3005}'..='\u{3007}'
        | '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

fn shorten_headers(questions: &mut [Question]) {
    let mut taken: HashSet<String> = questions.iter().map(|question| fold(&question.key)).collect();
    for question in questions {
        if question.key.graphemes(true).count() > HEADER_MAX {
            question.header = short_header(&question.key, &taken);
            taken.insert(fold(&question.header));
        }
    }
}

fn named(index: usize, header: &str) -> String {
    let number = index + 1;
    if header.is_empty() { format!("Question {number}") } else { format!("Question {number} ('{header}')") }
}

/// What the model reads, by its own headers and in its own order.
///
/// # Errors
/// None in practice: every part of it is text.
pub fn result_text(questions: &[Question], answers: &[Answer], comment: Option<&str>) -> serde_json::Result<String> {
    let pairs = || questions.iter().zip(answers);
    serde_json::to_string(&Told {
        answers: in_order(pairs(), |question, answer| match answer.outcome {
            Outcome::Answered | Outcome::AcceptedDefault | Outcome::OwnWords | Outcome::Defaulted => {
                Some(display(question, answer))
            }
            Outcome::Skipped | Outcome::Interrupted | Outcome::Orphaned => Some(SKIPPED.to_owned()),
        }),
        selections: in_order(pairs(), |question, answer| {
            Some(answer.selected.iter().map(|value| question.label_of(value)).collect())
        }),
        outcomes: in_order(pairs(), |_, answer| Some(answer.outcome)),
        notes: in_order(pairs(), |_, answer| answer.note.as_deref()),
        comment,
    })
}

#[derive(Serialize)]
struct Told<'a> {
    answers: InOrder<'a, String>,
    selections: InOrder<'a, Vec<&'a str>>,
    outcomes: InOrder<'a, Outcome>,
    #[serde(skip_serializing_if = "InOrder::is_empty")]
    notes: InOrder<'a, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<&'a str>,
}

/// A JSON object whose keys stand in the order of the questions.
struct InOrder<'a, T>(Vec<(&'a str, T)>);

fn in_order<'a, T>(
    pairs: impl Iterator<Item = (&'a Question, &'a Answer)>,
    tell: impl Fn(&'a Question, &'a Answer) -> Option<T>,
) -> InOrder<'a, T> {
    InOrder(pairs.filter_map(|(question, answer)| Some((question.key.as_str(), tell(question, answer)?))).collect())
}

impl<T> InOrder<'_, T> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for InOrder<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
