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
            lines.push(format!("(the default, taken by {}; no person saw it)", taker(&answer.author)));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        answer::{from_reply, parse},
        protocol::{Act, Reply},
    };

    fn asked(input: &Value) -> Question {
        read(input).unwrap().remove(0)
    }

    fn throw_or_nan(extra: &Value) -> Question {
        let mut input = json!({
            "question": "What should divide do with a zero divisor?",
            "options": [
                { "value": "throw", "label": "Throw an exception" },
                { "value": "null", "label": "Return null" },
            ],
        });
        input.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        asked(&input)
    }

    fn told(question: &Question, typed: &str) -> String {
        result_text(&parse(question, typed).unwrap(), None)
    }

    fn faults(input: &Value) -> Vec<String> {
        read(input).unwrap_err().0
    }

    #[test]
    fn c_07_only_the_question_is_needed() {
        assert_eq!(
            asked(&json!({ "question": "Which name?" })),
            Question {
                key: "answer".into(),
                question: "Which name?".into(),
                header: "Question".into(),
                kind: QuestionKind::Text,
                options: Vec::new(),
                default: None,
                required: false,
                pattern: None,
                allow_other: true,
                irreversible: false,
                reason: None,
                why: None,
                subject: None,
            }
        );
        assert_eq!(faults(&json!({})), ["question is missing."]);
        assert_eq!(faults(&json!({ "question": " \n" })), ["question must not be empty."]);
        assert_eq!(faults(&json!({ "question": 1 })), ["question must be text, not a number."]);
        assert_eq!(faults(&json!("Which?")), ["The input must be an object, not text."]);
    }

    #[test]
    fn c_04_an_option_needs_a_value_and_a_label() {
        assert_eq!(
            faults(&json!({ "question": "?", "options": [{ "value": "a" }, { "label": "B" }, "c"] })),
            ["options[0].label is missing.", "options[1].value is missing.", "options[2] must be an object, not text."]
        );
        assert_eq!(
            faults(&json!({ "question": "?", "options": [
                { "value": "a", "label": "One" }, { "value": "one", "label": "Two" },
            ] })),
            ["The question has more than one option that reads 'Two'; labels must be unique."]
        );
    }

    #[test]
    fn c_05_the_default_is_a_value_of_the_options() {
        let default = |name: &str| throw_or_nan(&json!({ "default": name })).default;
        assert_eq!(default("null"), Some(Default::One("null".into())));
        assert_eq!(default("return  NULL"), Some(Default::One("null".into())));
        assert_eq!(default(" "), None);
        let several = throw_or_nan(&json!({ "default": "throw", "multi": true }));
        assert_eq!(several.default, Some(Default::Many(vec!["throw".into()])));
        assert_eq!(
            faults(&json!({ "question": "?", "default": "c", "options": [
                { "value": "a", "label": "A" }, { "value": "b", "label": "B" },
            ] })),
            ["default must be a value of the options, one of: a, b."]
        );
        let text = asked(&json!({ "question": "?", "default": "any words" }));
        assert_eq!(text.default, Some(Default::One("any words".into())));
        assert_eq!(told(&text, ""), "any words\n(the default, accepted by the user)");
    }

    #[test]
    fn c_06_several_values_are_told_a_line_each() {
        let question = throw_or_nan(&json!({ "multi": true }));
        assert_eq!(question.kind, QuestionKind::MultiChoice);
        assert_eq!(told(&question, "2, 1"), "throw\nnull");
    }

    #[test]
    fn c_08_an_unknown_parameter_is_refused_by_name() {
        assert_eq!(
            faults(&json!({ "question": "?", "header": "Auth" })),
            ["'header' is no parameter of ask_user; it takes question, options, default, multi."]
        );
    }

    #[test]
    fn c_11_an_empty_answer_takes_the_default() {
        let question = throw_or_nan(&json!({ "default": "throw" }));
        for typed in ["", " ", "\n", "\t \r\n"] {
            assert_eq!(told(&question, typed), "throw\n(the default, accepted by the user)");
        }
    }

    #[test]
    fn c_12_an_empty_answer_without_a_default_is_told_as_skipped() {
        assert_eq!(told(&throw_or_nan(&json!({})), ""), "the user did not answer");
        assert_eq!(told(&asked(&json!({ "question": "?" })), ""), "the user did not answer");
    }

    #[test]
    fn c_13_an_index_a_label_and_a_value_are_the_same_option() {
        let question = throw_or_nan(&json!({}));
        for typed in ["2", "02", "2.", "２", "null", "NULL", "Return null", "return   NULL ", " 2\n"] {
            assert_eq!(told(&question, typed), "null", "{typed:?}");
        }
        assert_eq!(told(&question, "3"), "3\n(the user's own words; no listed option was chosen)");
    }

    #[test]
    fn c_14_unrecognised_input_is_told_word_for_word() {
        assert_eq!(
            told(&throw_or_nan(&json!({})), " none of these, I want NaN  "),
            " none of these, I want NaN  \n(the user's own words; no listed option was chosen)"
        );
        assert_eq!(told(&asked(&json!({ "question": "?" })), " as\r\nit is "), " as\r\nit is ");
    }

    #[test]
    fn notes_comments_and_words_beside_ticks_have_lines_of_their_own() {
        let question = throw_or_nan(&json!({ "multi": true }));
        let reply = Reply {
            act: Act::OwnWords,
            selected: vec!["null".into()],
            text: Some("and log it".into()),
            note: Some("see #7".into()),
        };
        assert_eq!(
            result_text(&from_reply(&question, &reply).unwrap(), Some("thanks")),
            "null\nand log it\n(the user's own words, beside the chosen options)\n(note: see #7)\n(comment: thanks)"
        );
    }

    #[test]
    fn a_default_that_no_person_saw_is_told_as_such() {
        let accepted = parse(&throw_or_nan(&json!({ "default": "throw" })), "").unwrap();
        let taken_by = |author| result_text(&Answer { outcome: Outcome::Defaulted, author, ..accepted.clone() }, None);
        assert_eq!(taken_by(Author::Autonomous), "throw\n(the default, taken by autonomous mode; no person saw it)");
        assert_eq!(
            taken_by(Author::Rule("nightly".into())),
            "throw\n(the default, taken by the rule nightly; no person saw it)"
        );
    }
}
