//! The written form of `AskUserQuestion`: one to four multiple-choice questions of the model's, and the JSON it reads
//! back. Its limits are the published ones; fields it does not know are let pass, because models send extras.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

use super::{
    Answer, Choice, Faults, HEADER_MAX, Question, SKIPPED, check_names, fields::Fields, fold, short_header,
    unless_faulty,
};
use crate::{
    answer,
    protocol::{Outcome, QuestionKind, Settings, Validation},
};

/// How strictly the form is taken, by the user's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskOptions {
    /// Only listed options are an answer, no own words.
    pub strict_options: bool,
    /// For weak local models: longer labels pass, and a longer header is shortened for display.
    pub lenient: bool,
}

impl From<&Settings> for AskOptions {
    fn from(settings: &Settings) -> Self {
        Self { strict_options: settings.strict_options, lenient: settings.validation == Validation::Lenient }
    }
}

/// Reads a call's input.
///
/// # Errors
/// Every fault of the call, each naming the rule and the question.
pub fn read(input: &Value, mut options: AskOptions) -> Result<Vec<Question>, Faults> {
    let mut faults = Vec::new();
    let fields = Fields::of(input, "", &mut faults);
    if let Some(fields) = &fields {
        // A caller may close off own words for one request; it cannot open what the user has closed.
        options.strict_options |= fields.optional_flag("strict_options", &mut faults) == Some(true);
    }
    let asked = fields.as_ref().and_then(|fields| fields.list("questions", &mut faults));
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
    if length > HEADER_MAX {
        let fault = format!("{name} has a header of {length} characters; at most {HEADER_MAX} are allowed.");
        refuse_or_warn(fault, options, faults);
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
    if bare.is_empty() || length > max {
        let fault = format!("{name} has a label of {length} {unit}, '{}'; 1 to {max} are allowed.", choice.label);
        // Nothing can be shown of an empty label, however lenient one is.
        refuse_or_warn(fault, AskOptions { lenient: options.lenient && !bare.is_empty(), ..options }, faults);
    }
}

/// A length over its limit: refused, or by the user's setting let pass with a warning in the program's own log.
fn refuse_or_warn(fault: String, options: AskOptions, faults: &mut Vec<String>) {
    if options.lenient {
        tracing::warn!("let pass, as validation is lenient: {fault}");
    } else {
        faults.push(fault);
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

/// What the model reads: JSON by its own headers, in its own order.
#[must_use]
pub fn result_text(questions: &[Question], answers: &[Answer], comment: Option<&str>) -> String {
    let by_header = |tell: &dyn Fn(&Question, &Answer) -> Option<Value>| -> Value {
        let pairs = questions.iter().zip(answers);
        pairs.filter_map(|(question, answer)| Some((question.key.clone(), tell(question, answer)?))).collect()
    };
    let mut told = json!({
        "answers": by_header(&|question, answer| Some(words_of(question, answer).into())),
        "selections": by_header(&|question, answer| {
            Some(answer.selected.iter().map(|value| question.label_of(value)).collect())
        }),
        "outcomes": by_header(&|_, answer| Some(json!(answer.outcome))),
    });
    if answers.iter().any(|answer| answer.note.is_some()) {
        told["notes"] = by_header(&|_, answer| answer.note.clone().map(Value::from));
    }
    if let Some(comment) = comment {
        told["comment"] = comment.into();
    }
    told.to_string()
}

fn words_of(question: &Question, answer: &Answer) -> String {
    match answer.outcome {
        Outcome::Answered | Outcome::AcceptedDefault | Outcome::OwnWords | Outcome::Defaulted => {
            answer::text(question, answer)
        }
        Outcome::Skipped | Outcome::Interrupted | Outcome::Orphaned => SKIPPED.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;
    use crate::{
        answer::{from_answers, from_replies},
        protocol::{Act, Reply},
    };

    const STRICT: AskOptions = AskOptions { strict_options: true, lenient: false };
    const LENIENT: AskOptions = AskOptions { strict_options: false, lenient: true };

    fn ask(input: &Value) -> Result<Vec<Question>, Faults> {
        read(input, AskOptions::default())
    }

    fn faults(input: &Value) -> Vec<String> {
        ask(input).unwrap_err().0
    }

    fn question(header: &str, labels: &[&str]) -> Value {
        let options: Vec<_> = labels.iter().map(|label| json!({ "label": label, "description": "" })).collect();
        json!({ "question": "Which?", "header": header, "multiSelect": false, "options": options })
    }

    fn one(header: &str, labels: &[&str]) -> Value {
        json!({ "questions": [question(header, labels)] })
    }

    /// The two examples of the document.
    fn document() -> Value {
        json!({ "questions": [
            {
                "question": "Which database should we use?",
                "header": "Database",
                "multiSelect": false,
                "options": [
                    { "label": "PostgreSQL", "description": "Relational with advanced features" },
                    { "label": "SQLite", "description": "Lightweight embedded database" },
                ],
            },
            {
                "question": "Which features do you want?",
                "header": "Features",
                "multiSelect": true,
                "options": [
                    { "label": "Caching", "description": "Response caching" },
                    { "label": "Logging", "description": "Detailed logs" },
                    { "label": "Metrics", "description": "Performance monitoring" },
                ],
            },
        ] })
    }

    fn told(input: &Value, answers: &[(&str, &str)]) -> String {
        let questions = ask(input).unwrap();
        let answers: HashMap<_, _> =
            answers.iter().map(|(header, answer)| ((*header).to_owned(), (*answer).to_owned())).collect();
        let answers = from_answers(&questions, &answers).unwrap();
        result_text(&questions, &answers, None)
    }

    #[test]
    fn v_02_a_call_takes_1_to_4_questions() {
        let call = |count: usize| {
            let headers = ["A", "B", "C", "D", "E"];
            json!({ "questions": headers[..count].iter().map(|h| question(h, &["x", "y"])).collect::<Vec<_>>() })
        };
        for count in 1..=4 {
            assert_eq!(ask(&call(count)).unwrap().len(), count);
        }
        assert_eq!(faults(&call(0)), ["There are 0 questions; a call takes 1 to 4."]);
        assert_eq!(faults(&call(5)), ["There are 5 questions; a call takes 1 to 4."]);
    }

    #[test]
    fn v_03_a_question_takes_2_to_4_options() {
        let labels = ["a", "b", "c", "d", "e"];
        for count in 2..=4 {
            assert_eq!(ask(&one("Auth", &labels[..count])).unwrap()[0].options.len(), count);
        }
        for count in [0, 1, 5] {
            assert_eq!(
                faults(&one("Auth", &labels[..count])),
                [format!("Question 1 ('Auth') has {count} options; 2 to 4 are allowed.")]
            );
        }
    }

    #[test]
    fn v_07_v_10_the_document_is_read_as_it_is() {
        let questions = ask(&document()).unwrap();
        let expected = Question {
            key: "Database".into(),
            question: "Which database should we use?".into(),
            header: "Database".into(),
            kind: QuestionKind::Choice,
            options: vec![
                Choice {
                    value: "PostgreSQL".into(),
                    label: "PostgreSQL".into(),
                    description: "Relational with advanced features".into(),
                    preview: None,
                },
                Choice {
                    value: "SQLite".into(),
                    label: "SQLite".into(),
                    description: "Lightweight embedded database".into(),
                    preview: None,
                },
            ],
            default: None,
            required: false,
            pattern: None,
            allow_other: true,
            irreversible: false,
            reason: None,
            why: None,
            subject: None,
        };
        assert_eq!(questions[0], expected);
        assert_eq!(questions[1].kind, QuestionKind::MultiChoice);
    }

    #[test]
    fn v_09_a_header_has_at_most_12_characters() {
        assert!(ask(&one("Twelve chars", &["a", "b"])).is_ok());
        assert!(ask(&one(&"👩‍👩‍👧‍👦".repeat(12), &["a", "b"])).is_ok());
        assert_eq!(
            faults(&one("Thirteen char", &["a", "b"])),
            ["Question 1 ('Thirteen char') has a header of 13 characters; at most 12 are allowed."]
        );
        assert_eq!(faults(&one(" ", &["a", "b"])), ["questions[0].header must not be empty."]);
    }

    #[test]
    fn v_11_a_label_has_1_to_5_words() {
        for label in ["One", "one two three four five", "don't stop", "==", "one two three four five (Recommended)"] {
            assert_eq!(ask(&one("Auth", &[label, "other"])).unwrap()[0].options[0].label, label);
        }
        assert_eq!(
            faults(&one("Auth", &["one two three four five six", " ", "(Recommended)"])),
            [
                "Question 1 ('Auth') has a label of 6 words, 'one two three four five six'; 1 to 5 are allowed.",
                "questions[0].options[1].label must not be empty.",
                "Question 1 ('Auth') has a label of 0 words, '(Recommended)'; 1 to 5 are allowed.",
            ]
        );
    }

    #[test]
    fn x_19_labels_without_spaces_are_counted_in_characters() {
        assert!(ask(&one("数据库", &["使用关系型数据库来保存所有会话和所有的回答记录", "ใช้ฐานข้อมูลแบบฝังตัว"])).is_ok());
        let long = "数".repeat(25);
        assert_eq!(
            faults(&one("数据库", &[&long, "否"])),
            [format!("Question 1 ('数据库') has a label of 25 characters, '{long}'; 1 to 24 are allowed.")]
        );
    }

    #[test]
    fn x_17_a_repeated_header_is_named() {
        assert_eq!(
            faults(&json!({ "questions": [question("Auth", &["a", "b"]), question("Auth", &["a", "b"])] })),
            ["Question 2 ('Auth') repeats the header of question 1; headers must be unique."]
        );
        assert_eq!(
            faults(&json!({ "questions": [question("Auth", &["a", "b"]), question(" auth", &["a", "b"])] })),
            ["Question 2 (' auth') repeats the header of question 1; headers must be unique."]
        );
    }

    #[test]
    fn labels_are_unique_letter_case_and_the_mark_aside() {
        for twin in ["sqlite", " SQLite ", "SQLite (Recommended)"] {
            assert_eq!(
                faults(&one("DB", &["SQLite", twin])),
                [format!("Question 1 ('DB') has more than one option that reads '{twin}'; labels must be unique.")]
            );
        }
    }

    #[test]
    fn v_19_both_spellings_of_the_flag_are_read() {
        let with = |flags: Value| {
            let mut question = question("Auth", &["a", "b"]);
            let object = question.as_object_mut().unwrap();
            object.remove("multiSelect");
            object.extend(flags.as_object().unwrap().clone());
            json!({ "questions": [question] })
        };
        let kind = |flags| ask(&with(flags)).unwrap()[0].kind;
        assert_eq!(kind(json!({})), QuestionKind::Choice);
        assert_eq!(kind(json!({ "multiSelect": true })), QuestionKind::MultiChoice);
        assert_eq!(kind(json!({ "multi_select": true })), QuestionKind::MultiChoice);
        assert_eq!(kind(json!({ "multi_select": true, "multiSelect": true })), QuestionKind::MultiChoice);
        assert_eq!(
            faults(&with(json!({ "multi_select": true, "multiSelect": false }))),
            ["Question 1 ('Auth') has multiSelect false and multi_select true; send one of them."]
        );
    }

    #[test]
    fn v_27_all_faults_of_a_call_are_told_at_once() {
        let call = json!({ "questions": [
            { "question": "", "header": 7, "options": [{ "label": "a" }, "b"] },
            "Which?",
            { "question": "Which?", "header": "Auth", "multiSelect": "yes", "options": [] },
        ] });
        assert_eq!(
            faults(&call),
            [
                "questions[0].question must not be empty.",
                "questions[0].header must be text, not a number.",
                "questions[0].options[1] must be an object, not text.",
                "questions[1] must be an object, not text.",
                "questions[2].multiSelect must be true or false, not text.",
                "Question 3 ('Auth') has 0 options; 2 to 4 are allowed.",
            ]
        );
        assert_eq!(faults(&json!({})), ["questions is missing."]);
        assert_eq!(faults(&json!({ "questions": "?" })), ["questions must be a list, not text."]);
        assert_eq!(faults(&json!([])), ["The input must be an object, not a list."]);
    }

    #[test]
    fn extras_are_let_pass_and_previews_kept() {
        let call = json!({
            "questions": [{
                "question": "Which?", "header": "Auth", "why": "It decides the schema.", "id": 4,
                "options": [{ "label": "a", "preview": "fn a()" }, { "label": "b", "preview": null }],
            }],
            "metadata": { "source": "remember" },
        });
        let question = ask(&call).unwrap().remove(0);
        assert_eq!(question.why.as_deref(), Some("It decides the schema."));
        assert_eq!(question.options[0].preview.as_deref(), Some("fn a()"));
        assert_eq!(question.options[1].preview, None);
    }

    #[test]
    fn v_31_strict_options_take_no_own_words() {
        let questions = read(&document(), STRICT).unwrap();
        assert!(questions.iter().all(|question| !question.allow_other));
        let answers = HashMap::from([("Database".to_owned(), "Redis".into()), ("Features".to_owned(), "1".into())]);
        assert_eq!(
            from_answers(&questions, &answers).unwrap_err().to_string(),
            "That is no answer to 'Database'. Choose from: 1 PostgreSQL; 2 SQLite."
        );
    }

    #[test]
    fn x_01_a_request_can_close_off_own_words_but_not_open_them() {
        let mut call = document();
        call["strict_options"] = true.into();
        assert!(ask(&call).unwrap().iter().all(|question| !question.allow_other));
        call["strict_options"] = false.into();
        assert!(ask(&call).unwrap().iter().all(|question| question.allow_other));
        assert!(read(&call, STRICT).unwrap().iter().all(|question| !question.allow_other));
        call["strict_options"] = "yes".into();
        assert_eq!(faults(&call), ["strict_options must be true or false, not text."]);
    }

    #[test]
    fn x_19_lenient_validation_shortens_headers_for_display_only() {
        let call = json!({ "questions": [
            question("Authentication", &["one two three four five six seven", "b"]),
            question("Authentication again", &["a", "b"]),
            question("Auth", &["a", "b"]),
        ] });
        let questions = read(&call, LENIENT).unwrap();
        let names: Vec<_> = questions.iter().map(|q| (q.key.as_str(), q.header.as_str())).collect();
        assert_eq!(
            names,
            [("Authentication", "Authenticat…"), ("Authentication again", "Authentic… 2"), ("Auth", "Auth"),]
        );
        assert!(read(&one("", &["a", "b"]), LENIENT).is_err());
    }

    #[test]
    fn v_15_v_17_the_answer_of_a_single_choice_stands_by_its_header() {
        let call = json!({ "questions": [document()["questions"][0]] });
        assert_eq!(
            told(&call, &[("Database", "PostgreSQL")]),
            r#"{"answers":{"Database":"PostgreSQL"},"selections":{"Database":["PostgreSQL"]},"outcomes":{"Database":"answered"}}"#
        );
    }

    #[test]
    fn v_16_v_18_joins_labels_in_the_order_of_the_options() {
        let call = json!({ "questions": [document()["questions"][1]] });
        for typed in ["Caching, Metrics", "Metrics,caching", "3 1", "1, 3"] {
            assert_eq!(
                told(&call, &[("Features", typed)]),
                r#"{"answers":{"Features":"Caching, Metrics"},"selections":{"Features":["Caching","Metrics"]},"outcomes":{"Features":"answered"}}"#
            );
        }
    }

    #[test]
    fn keys_stand_in_the_order_of_the_questions() {
        let call = json!({ "questions": [question("Zebra", &["a", "b"]), question("Ant", &["a", "b"])] });
        assert_eq!(
            told(&call, &[("Ant", "none of \"these\" "), ("Zebra", "")]),
            concat!(
                r#"{"answers":{"Zebra":"the user did not answer","Ant":"none of \"these\" "},"#,
                r#""selections":{"Zebra":[],"Ant":[]},"outcomes":{"Zebra":"skipped","Ant":"own_words"}}"#
            )
        );
    }

    #[test]
    fn notes_comment_and_words_beside_ticks_are_told() {
        let questions = ask(&document()).unwrap();
        let replies = BTreeMap::from([
            (
                "Database".to_owned(),
                Reply { act: Act::Chosen, selected: vec!["SQLite".into()], text: None, note: Some("for now".into()) },
            ),
            (
                "Features".to_owned(),
                Reply {
                    act: Act::OwnWords,
                    selected: vec!["Metrics".into(), "Caching".into()],
                    text: Some("and tracing".into()),
                    note: Some(" ".into()),
                },
            ),
        ]);
        let answers = from_replies(&questions, &replies).unwrap();
        assert_eq!(
            result_text(&questions, &answers, Some("go on")),
            concat!(
                r#"{"answers":{"Database":"SQLite","Features":"and tracing"},"#,
                r#""selections":{"Database":["SQLite"],"Features":["Caching","Metrics"]},"#,
                r#""outcomes":{"Database":"answered","Features":"own_words"},"#,
                r#""notes":{"Database":"for now"},"comment":"go on"}"#
            )
        );
    }

    #[test]
    fn x_10_a_recommended_label_is_no_default_and_comes_back_whole() {
        let call = one("Auth", &["Sessions (Recommended)", "Tokens"]);
        assert_eq!(ask(&call).unwrap()[0].default, None);
        for typed in ["sessions", "1", "Sessions (recommended)"] {
            assert!(told(&call, &[("Auth", typed)]).starts_with(r#"{"answers":{"Auth":"Sessions (Recommended)"}"#));
        }
    }
}
