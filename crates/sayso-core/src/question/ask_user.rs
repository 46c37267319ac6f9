//! The written form of `ask_user`: exactly one question of the model's, with or without options, and the lines it reads
//! back. A parameter it does not know is refused by name.

use serde_json::Value;

use super::{Answer, Choice, Default, Faults, Question, SKIPPED, check_names, fields::Fields, fold, unless_faulty};
use crate::protocol::{Author, Outcome, QuestionKind};

const PARAMETERS: [&str; 4] = ["question", "options", "default", "multi"];

/// Reads a call's input; the result is one question.
///
/// # Errors
/// Every fault of the call, each naming the parameter.
pub fn read(input: &Value) -> Result<Vec<Question>, Faults> {
    let mut faults = Vec::new();
    let Some(fields) = Fields::of(input, "", &mut faults) else { return Err(Faults(faults)) };
    for name in fields.names().filter(|name| !PARAMETERS.contains(&name.as_str())) {
        faults.push(format!("'{name}' is no parameter of ask_user; it takes {}.", PARAMETERS.join(", ")));
    }
    let question = fields.text("question", &mut faults).unwrap_or_default().to_owned();
    let options = read_options(&fields, &mut faults);
    let several = fields.optional_flag("multi", &mut faults).unwrap_or(false);
    let kind = match (options.is_empty(), several) {
        (true, _) => QuestionKind::Text,
        (false, false) => QuestionKind::Choice,
        (false, true) => QuestionKind::MultiChoice,
    };
    let default = read_default(&fields, kind, &options, &mut faults);
    unless_faulty(
        vec![Question {
            key: "answer".into(),
            question,
            header: "Question".into(),
            kind,
            options,
            default,
            required: false,
            pattern: None,
            allow_other: true,
            irreversible: false,
            reason: None,
            why: None,
            subject: None,
        }],
        faults,
    )
}

fn read_options(fields: &Fields<'_>, faults: &mut Vec<String>) -> Vec<Choice> {
    let mut options = Vec::new();
    for (at, item) in fields.optional_list("options", faults).unwrap_or_default().iter().enumerate() {
        let Some(item) = Fields::of(item, format!("options[{at}]"), faults) else { continue };
        let (value, label) = (item.text("value", faults), item.text("label", faults));
        if let (Some(value), Some(label)) = (value, label) {
            options.push(Choice {
                value: value.to_owned(),
                label: label.to_owned(),
                description: String::new(),
                preview: None,
            });
        }
    }
    check_names("The question", &options, faults);
    options
}

/// The default as a value of the options, or as text where there are none. A blank one is none.
fn read_default(
    fields: &Fields<'_>,
    kind: QuestionKind,
    options: &[Choice],
    faults: &mut Vec<String>,
) -> Option<Default> {
    let text = fields.optional_text("default", faults).filter(|text| !text.trim().is_empty())?;
    let listed = options.iter().find(|option| option.names().contains(&fold(text)));
    match (kind, listed) {
        (QuestionKind::Text, _) => Some(Default::One(text.to_owned())),
        (QuestionKind::Choice | QuestionKind::Confirm, Some(option)) => Some(Default::One(option.value.clone())),
        (QuestionKind::MultiChoice, Some(option)) => Some(Default::Many(vec![option.value.clone()])),
        (QuestionKind::Choice | QuestionKind::MultiChoice | QuestionKind::Confirm, None) => {
            let values: Vec<_> = options.iter().map(|option| option.value.as_str()).collect();
            faults.push(format!("default must be a value of the options, one of: {}.", values.join(", ")));
            None
        }
    }
}

/// What the model reads: the values or the words, then what is to be known of them, a line each.
#[must_use]
pub fn result_text(answer: &Answer, comment: Option<&str>) -> String {
    let mut lines = answer.selected.clone();
    lines.extend(answer.text.clone());
    match answer.outcome {
        Outcome::Answered => {}
        Outcome::AcceptedDefault => lines.push("(the default, accepted by the user)".into()),
        Outcome::OwnWords if answer.selected.is_empty() => {
            lines.push("(the user's own words; no listed option was chosen)".into());
        }
        Outcome::OwnWords => lines.push("(the user's own words, beside the chosen options)".into()),
        Outcome::Defaulted => {
            lines.push(format!("(the default, taken by {}; no person saw it)", taker(&answer.author)))
        }
        Outcome::Skipped | Outcome::Interrupted | Outcome::Orphaned => lines = vec![SKIPPED.into()],
    }
    lines.extend(answer.note.as_ref().map(|note| format!("(note: {note})")));
    lines.extend(comment.map(|comment| format!("(comment: {comment})")));
    lines.join("\n")
}

fn taker(author: &Author) -> String {
    match author {
        Author::Person => "the user".into(),
        Author::Autonomous => "autonomous mode".into(),
        Author::Rule(name) => format!("the rule {name}"),
    }
}
