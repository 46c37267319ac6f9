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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        answer::{from_reply, parse, value},
        protocol::{Act, Outcome, Reply},
    };

    fn one(json: Value) -> Question {
        read(&json!([json])).unwrap().remove(0)
    }

    fn faults(json: &Value) -> Vec<String> {
        read(json).unwrap_err().0
    }

    fn default_of(json: Value) -> Option<Default> {
        one(json).default
    }

    fn choice(value: &str, label: &str) -> Choice {
        Choice { value: value.into(), label: label.into(), description: String::new(), preview: None }
    }

    #[test]
    fn p_17_the_document_is_read_as_it_is() {
        let written = json!({
            "id": "confirm-target-env",
            "question": "Which environment should this deploy to?",
            "type": "choice",
            "options": ["staging", "production"],
            "default": "staging"
        });
        let question = Question {
            key: "confirm-target-env".into(),
            question: "Which environment should this deploy to?".into(),
            header: "Confirm tar…".into(),
            kind: QuestionKind::Choice,
            options: vec![choice("staging", "staging"), choice("production", "production")],
            default: Some(Default::One("staging".into())),
            required: true,
            pattern: None,
            allow_other: false,
            irreversible: false,
            reason: None,
            why: None,
            subject: None,
        };
        for json in [json!([written]), json!({ "interactiveQuestions": [written] }), written] {
            assert_eq!(read(&json).unwrap(), std::slice::from_ref(&question));
        }
        assert_eq!(value(&question, &parse(&question, "2").unwrap()), json!("production"));
        assert_eq!(value(&question, &parse(&question, "").unwrap()), json!("staging"));
    }

    #[test]
    fn p_11_ids_are_unique_and_needed() {
        assert_eq!(
            faults(&json!([
                { "id": "a", "question": "?", "type": "text" },
                { "id": " A", "question": "?", "type": "text" },
                { "question": "?", "type": "text" },
            ])),
            ["interactiveQuestions[2].id is missing.", "The id ' A' is used twice; ids must be unique."]
        );
    }

    #[test]
    fn p_13_exactly_four_types() {
        for (spelling, kind) in [
            ("choice", QuestionKind::Choice),
            ("multiChoice", QuestionKind::MultiChoice),
            ("text", QuestionKind::Text),
            ("confirm", QuestionKind::Confirm),
        ] {
            assert_eq!(one(json!({ "id": "a", "question": "?", "type": spelling, "options": ["x"] })).kind, kind);
        }
        for other in ["multi_choice", "Choice", "number", ""] {
            assert!(read(&json!([{ "id": "a", "question": "?", "type": other, "options": ["x"] }])).is_err());
        }
        assert_eq!(
            faults(&json!([{ "id": "a", "question": "?", "type": "select" }])),
            ["interactiveQuestions[0].type must be choice, multiChoice, text or confirm, not 'select'."]
        );
    }

    #[test]
    fn p_14_choices_need_options_and_others_ignore_them() {
        for kind in ["choice", "multiChoice"] {
            assert_eq!(
                faults(&json!([{ "id": "a", "question": "?", "type": kind }])),
                ["interactiveQuestions[0].options is missing."]
            );
            for options in [json!([]), json!(["x", 1]), json!(["x", " "])] {
                assert_eq!(
                    faults(&json!([{ "id": "a", "question": "?", "type": kind, "options": options }])),
                    ["Question 'a' needs options, each of them text and not empty."]
                );
            }
        }
        assert_eq!(one(json!({ "id": "a", "question": "?", "type": "text", "options": ["x"] })).options, []);
        assert_eq!(
            one(json!({ "id": "a", "question": "?", "type": "confirm", "options": ["x"] })).options,
            [choice("true", "Yes"), choice("false", "No")]
        );
    }

    #[test]
    fn p_15_a_default_has_the_type_of_its_question() {
        let confirm = |default: Value| json!({ "id": "a", "question": "?", "type": "confirm", "default": default });
        assert_eq!(default_of(confirm(json!(false))), Some(Default::Flag(false)));
        assert_eq!(default_of(confirm(json!("true"))), None);
        let many = |default: Value| json!({ "id": "a", "question": "?", "type": "multiChoice", "options": ["x", "y", "z"], "default": default });
        assert_eq!(default_of(many(json!(["z", "x"]))), Some(Default::Many(vec!["x".into(), "z".into()])));
        for broken in [json!(["x", "w"]), json!([]), json!("x"), json!(["x", 1])] {
            assert_eq!(default_of(many(broken)), None);
        }
        let one_of = |default: Value| json!({ "id": "a", "question": "?", "type": "choice", "options": ["x", "y"], "default": default });
        assert_eq!(default_of(one_of(json!("y"))), Some(Default::One("y".into())));
        assert_eq!(default_of(one_of(json!("w"))), None);
        assert_eq!(default_of(one_of(json!(true))), None);
    }

    #[test]
    fn x_27_a_default_that_fails_its_own_pattern_is_none() {
        let text = |default: &str| json!({ "id": "a", "question": "?", "type": "text", "pattern": "^SPEC-\\d{3}$", "default": default });
        assert_eq!(default_of(text("SPEC-001")), Some(Default::One("SPEC-001".into())));
        assert_eq!(default_of(text("SPEC-1")), None);
        assert_eq!(default_of(json!({ "id": "a", "question": "?", "type": "text", "default": " " })), None);
    }

    #[test]
    fn x_12_irreversible_questions_have_no_default() {
        let question = one(json!({
            "id": "delete", "question": "Delete it?", "type": "confirm", "default": true, "reason": "irreversible"
        }));
        assert_eq!((question.irreversible, question.default), (true, None));
        assert_eq!(
            faults(&json!([{ "id": "a", "question": "?", "type": "text", "reason": "mood" }])),
            ["interactiveQuestions[0].reason must be irreversible, ambiguous or policy."]
        );
    }

    #[test]
    fn p_16_skipping_takes_the_default_or_gives_null_and_required_refuses() {
        let skip = Reply { act: Act::Skipped, selected: Vec::new(), text: None, note: None };
        let ask = |required: bool, default: Value| {
            one(json!({ "id": "a", "question": "?", "type": "choice", "options": ["x", "y"],
                "required": required, "default": default }))
        };
        let suggested = ask(false, json!("y"));
        let answer = from_reply(&suggested, &skip).unwrap();
        assert_eq!((answer.outcome, value(&suggested, &answer)), (Outcome::AcceptedDefault, json!("y")));
        let open = ask(false, Value::Null);
        let answer = from_reply(&open, &skip).unwrap();
        assert_eq!((answer.outcome, value(&open, &answer)), (Outcome::Skipped, Value::Null));
        assert_eq!(
            from_reply(&ask(true, json!("y")), &skip).unwrap_err().to_string(),
            "'A' needs an answer. Choose from: 1 x; 2 y."
        );
    }

    #[test]
    fn p_18_p_19_values_outside_the_list_are_refused() {
        let question = |kind: &str| one(json!({ "id": "a", "question": "?", "type": kind, "options": ["x", "y"] }));
        for kind in ["choice", "multiChoice"] {
            assert!(parse(&question(kind), "z").is_err());
        }
        let several = question("multiChoice");
        assert_eq!(value(&several, &parse(&several, "y, x").unwrap()), json!(["x", "y"]));
    }

    #[test]
    fn p_20_text_is_checked_by_its_pattern() {
        let question = one(json!({ "id": "spec", "question": "?", "type": "text", "pattern": "^SPEC-\\d{3}$" }));
        assert_eq!(value(&question, &parse(&question, "SPEC-001").unwrap()), json!("SPEC-001"));
        assert_eq!(
            parse(&question, "1").unwrap_err().to_string(),
            "The answer to 'Spec' must match the pattern ^SPEC-\\d{3}$"
        );
        assert_eq!(
            parse(&question, &"1".repeat(64 * 1024 + 1)).unwrap_err().to_string(),
            "The answer to 'Spec' is longer than 65536 bytes; shorten it."
        );
        assert_eq!(
            faults(&json!([{ "id": "a", "question": "?", "type": "text", "pattern": "(?=x)" }])),
            ["Question 'a' has a pattern that cannot be read: (?=x)"]
        );
    }

    #[test]
    fn p_21_confirm_is_a_boolean() {
        let question = one(json!({ "id": "ok", "question": "Go on?", "type": "confirm" }));
        for (typed, expected) in
            [("yes", true), ("Y", true), ("true", true), ("no", false), ("n", false), (" False ", false)]
        {
            assert_eq!(value(&question, &parse(&question, typed).unwrap()), json!(expected), "{typed}");
        }
        for typed in ["1", "2", "maybe", "n because", "yes please"] {
            assert_eq!(
                parse(&question, typed).unwrap_err().to_string(),
                "That is no answer to 'Ok'. Choose from: y Yes; n No."
            );
        }
    }

    #[test]
    fn x_18_headers_are_short_and_unique() {
        let written = |id: &str| json!({ "id": id, "question": "?", "type": "text" });
        let ids = ["confirm-target-env", "confirm-target-branch", "Confirm t… 2", "env", "---"];
        let questions = read(&json!(ids.map(written))).unwrap();
        let headers: Vec<_> = questions.iter().map(|question| question.header.as_str()).collect();
        assert_eq!(headers, ["Confirm tar…", "Confirm t… 3", "Confirm t… 2", "Env", "---"]);
        assert!(
            headers
                .iter()
                .all(|header| { unicode_segmentation::UnicodeSegmentation::graphemes(*header, true).count() <= 12 })
        );
    }

    #[test]
    fn no_questions_are_a_fault() {
        assert_eq!(faults(&json!([])), ["There are no questions."]);
        assert_eq!(
            faults(&json!({ "interactiveQuestions": {} })),
            ["interactiveQuestions must be a list, not an object."]
        );
    }
}
