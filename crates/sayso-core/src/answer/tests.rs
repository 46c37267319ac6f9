use serde_json::json;

use super::*;
use crate::question::{ask_user, interactive};

fn options(labels: &[&str]) -> Value {
    labels.iter().map(|label| json!({ "value": label, "label": label })).collect()
}

fn choice(labels: &[&str]) -> Question {
    ask_user::read(&json!({ "question": "Which?", "options": options(labels) })).unwrap().remove(0)
}

fn several(labels: &[&str]) -> Question {
    ask_user::read(&json!({ "question": "Which?", "options": options(labels), "multi": true })).unwrap().remove(0)
}

fn open_text() -> Question {
    ask_user::read(&json!({ "question": "Which?" })).unwrap().remove(0)
}

pub(super) fn permission(values: &[&str]) -> Question {
    let labels = [
        ("once", "Allow once"),
        ("session", "Allow this session"),
        ("project", "Always in this project"),
        ("reject", "Reject"),
    ];
    let listed = labels.iter().filter(|(value, _)| values.contains(value));
    Question {
        key: "permission".into(),
        header: "Permission".into(),
        options: listed
            .map(|(value, label)| Choice {
                value: (*value).into(),
                label: (*label).into(),
                description: String::new(),
                preview: None,
            })
            .collect(),
        required: true,
        allow_other: false,
        subject: Some(Subject::Permission {
            call_id: "c".into(),
            tool: "run_command".into(),
            command: None,
            path: None,
            diff: None,
        }),
        ..choice(&["x"])
    }
}

fn selected(question: &Question, typed: &str) -> Vec<String> {
    let answer = parse(question, typed).unwrap();
    assert_eq!(answer.outcome, Outcome::Answered, "{typed:?}");
    answer.selected
}

fn own_words(question: &Question, typed: &str) {
    let expected = Answer { text: Some(typed.into()), ..by_person(question, Outcome::OwnWords) };
    assert_eq!(parse(question, typed), Ok(expected));
}

fn refused(question: &Question, typed: &str) -> String {
    parse(question, typed).unwrap_err().to_string()
}

fn reply(act: Act, selected: &[&str], text: Option<&str>) -> Reply {
    Reply {
        act,
        selected: selected.iter().map(|value| (*value).into()).collect(),
        text: text.map(Into::into),
        note: None,
    }
}

#[test]
fn c_13_a_label_that_is_a_number_wins_over_an_index() {
    let question = choice(&["2", "1", "8"]);
    assert_eq!(selected(&question, "2"), ["2"]);
    assert_eq!(selected(&question, "02"), ["1"]);
    assert_eq!(selected(&question, "3"), ["8"]);
}

#[test]
fn c_13_what_is_no_index_as_drawn_is_own_words() {
    let question = choice(&["a", "b"]);
    for typed in ["0", "3", "-1", "+2", "2)", "1.5", ".", "１３", "99999999999999999999", "²", "1 2"] {
        own_words(&question, typed);
    }
    assert_eq!(selected(&question, "００２．"), ["b"]);
}

#[test]
fn v_16_several_indexes_stand_in_one_line() {
    let question = several(&["a", "b", "c"]);
    for typed in ["1, 3", "3,1", "1 3", " 03.  1. ", "１，３", "1、3", "1، 3", "1, 3, 3,"] {
        assert_eq!(selected(&question, typed), ["a", "c"], "{typed:?}");
    }
    for typed in ["1; 3", "1, c", "a b", ", ,", "4", "4, 5", "1, 4 or more", "1, 4.5"] {
        own_words(&question, typed);
    }
    // A slip of the hand, not words: whoever asked has never seen the numbers.
    for typed in ["1, 4", "4 1", "1,3, 4.", "1 ０４", "0, 1"] {
        let number = typed.split([',', ' ']).find(|token| token.contains(['4', '４', '0'])).unwrap();
        let why = format!("'Question' has no option {number}. Choose from: 1 a; 2 b; 3 c.");
        assert_eq!(refused(&question, typed), why, "{typed:?}");
    }
}

#[test]
fn x_05_labels_with_commas_are_read_longest_first_and_never_two_ways() {
    let question = several(&["Fast, safe", "Small", "safe"]);
    assert_eq!(selected(&question, "Fast, safe"), ["Fast, safe"]);
    assert_eq!(selected(&question, "small ,fast,  SAFE"), ["Fast, safe", "Small"]);
    let question = several(&["A", "A, B", "B, C", "C"]);
    assert_eq!(
        refused(&question, "A, B, C"),
        "The answer to 'Question' can be read in two ways: 'A', 'B, C'; or 'A, B', 'C'. \
         Choose from: 1 A; 2 A, B; 3 B, C; 4 C."
    );
    assert_eq!(selected(&question, "2 4"), ["A, B", "C"]);
    assert!(parse(&several(&["A", "B", "A, B"]), "A, B").is_err());
}

#[test]
fn indexes_that_are_labels_of_other_options_are_refused() {
    let question = several(&["2", "x"]);
    assert_eq!(selected(&question, "2"), ["2"]);
    assert_eq!(
        refused(&question, "1, 2"),
        "The answer to 'Question' can be read in two ways: '2'; or '2', 'x'. Choose from: 1 2; 2 x."
    );
}

#[test]
fn c_45_a_permission_takes_a_letter_a_value_or_a_label() {
    let question = permission(&["once", "session", "project", "reject"]);
    for (value, ways) in [
        ("once", ["y", "Y", "once", "Allow once"]),
        ("session", ["a", "A", "session", "allow  this SESSION"]),
        ("project", ["w", " w\n", "project", "Always in this project"]),
        ("reject", ["n", "N", "reject", "Reject"]),
    ] {
        for typed in ways {
            assert_eq!(selected(&question, typed), [value], "{typed:?}");
        }
    }
    assert_eq!(
        refused(&question, "1"),
        "That is no answer to 'Permission'. Choose from: y Allow once; a Allow this session; \
         w Always in this project; n Reject."
    );
    for typed in ["", "yes", "y please", "nope", "ok", "2", "n, no", "allow"] {
        assert!(parse(&question, typed).is_err(), "{typed:?}");
    }
}

#[test]
fn c_45_letters_count_only_for_what_is_offered() {
    let question = permission(&["once", "reject"]);
    for typed in ["a", "w", "session", "project"] {
        assert!(parse(&question, typed).is_err(), "{typed:?}");
    }
    assert_eq!(selected(&question, "y"), ["once"]);
    assert_eq!(letter(&question, "reject"), Some("n"));
    assert_eq!(letter(&choice(&["once"]), "once"), None);
}

#[test]
fn c_46_a_rejection_carries_what_to_change() {
    let question = permission(&["once", "reject"]);
    let rejected = Answer {
        selected: vec!["reject".into()],
        note: Some("use  NaN,\nnot null".into()),
        ..by_person(&question, Outcome::Answered)
    };
    assert_eq!(parse(&question, "n use  NaN,\nnot null\n"), Ok(rejected));
}

#[test]
fn a_required_question_is_not_skipped() {
    let question = Question { required: true, ..open_text() };
    assert_eq!(refused(&question, " "), "'Question' needs an answer. Write the answer.");
    assert!(from_reply(&question, &reply(Act::Skipped, &[], None)).is_err());
}

#[test]
fn a_reply_is_taken_as_said() {
    let question = several(&["a", "b", "2"]);
    let answer = from_reply(&question, &reply(Act::Chosen, &["2", "a", "a"], Some(" "))).unwrap();
    assert_eq!(answer, Answer { selected: vec!["a".into(), "2".into()], ..by_person(&question, Outcome::Answered) });
    let answer = from_reply(&question, &reply(Act::OwnWords, &[], Some("1, 2"))).unwrap();
    assert_eq!(answer, Answer { text: Some("1, 2".into()), ..by_person(&question, Outcome::OwnWords) });
    let answer = from_reply(&open_text(), &reply(Act::Chosen, &[], Some(" 2\n"))).unwrap();
    assert_eq!(answer, Answer { text: Some(" 2\n".into()), ..by_person(&open_text(), Outcome::Answered) });
}

#[test]
fn skip_on_an_ask_tool_is_skipped_even_with_a_default() {
    let question = Question { default: Some(Default::One("a".into())), ..choice(&["a", "b"]) };
    let answer = from_reply(&question, &reply(Act::Skipped, &[], None));
    assert_eq!(answer, Ok(by_person(&question, Outcome::Skipped)));
    let answer = from_reply(&question, &reply(Act::Default, &[], None)).unwrap();
    assert_eq!((answer.outcome, answer.selected), (Outcome::AcceptedDefault, vec!["a".into()]));
}

#[test]
fn a_reply_that_does_not_fit_is_refused() {
    let question = choice(&["a", "b"]);
    let refused = |question: &Question, reply| from_reply(question, &reply).unwrap_err().to_string();
    for (said, why) in [
        (reply(Act::Chosen, &["c"], None), "That is no answer to 'Question'. Choose from: 1 a; 2 b."),
        (reply(Act::Chosen, &["A"], None), "That is no answer to 'Question'. Choose from: 1 a; 2 b."),
        (reply(Act::Chosen, &[], None), "'Question' needs an answer. Choose from: 1 a; 2 b."),
        (reply(Act::Chosen, &["a", "b"], None), "'Question' takes one answer. Choose from: 1 a; 2 b."),
        (
            reply(Act::Chosen, &["a"], Some("but")),
            "'Question' was answered with an option and with words; send the words as own words or as a note.",
        ),
        (reply(Act::OwnWords, &["a"], Some("but")), "'Question' takes one answer. Choose from: 1 a; 2 b."),
        (reply(Act::OwnWords, &[], Some(" ")), "'Question' needs an answer. Choose from: 1 a; 2 b."),
        (reply(Act::Default, &[], None), "'Question' suggests no answer. Choose from: 1 a; 2 b."),
    ] {
        assert_eq!(refused(&question, said), why);
    }
    let strict = Question { allow_other: false, ..question };
    assert_eq!(
        refused(&strict, reply(Act::OwnWords, &[], Some("c"))),
        "That is no answer to 'Question'. Choose from: 1 a; 2 b."
    );
    assert!(from_reply(&open_text(), &reply(Act::Chosen, &[], Some("\n"))).is_err());
    assert!(from_reply(&open_text(), &reply(Act::Chosen, &["x"], Some("x"))).is_err());
}

#[test]
fn a_response_accounts_for_every_question() {
    let questions = interactive::read(&json!([
        { "id": "target-env", "question": "?", "type": "choice", "options": ["staging", "production"] },
        { "id": "tag", "question": "?", "type": "text", "required": false },
    ]))
    .unwrap();
    let read = |answers: &[(&str, &str)]| {
        let map = answers.iter().map(|(name, answer)| ((*name).to_owned(), (*answer).to_owned())).collect();
        from_answers(&questions, &map).map_err(|error| error.to_string())
    };
    let expected = vec![
        Answer { selected: vec!["production".into()], ..by_person(&questions[0], Outcome::Answered) },
        by_person(&questions[1], Outcome::Skipped),
    ];
    for names in [["Target env", "Tag"], ["target-env", "tag"], ["TARGET ENV", "tag"]] {
        assert_eq!(read(&[(names[0], "2"), (names[1], "")]), Ok(expected.clone()));
    }
    for (answers, why) in [
        (&[][..], "There is no answer in this. Every question needs one; an empty text passes a question over."),
        (
            &[("Tag", "v1")],
            "There is no answer to 'Target env'. Every question needs one; an empty text passes a question over.",
        ),
        (
            &[("Tag", "v1"), ("target-env", "1"), ("zone", "2"), ("age", "3")],
            "There is no question 'age', 'zone'. The questions are 'Target env', 'Tag'.",
        ),
        (&[("target-env", "1"), ("Target env", "1"), ("Tag", "")], "'Target env' is answered twice."),
        (&[("Target env", ""), ("Tag", "")], "'Target env' needs an answer. Choose from: 1 staging; 2 production."),
    ] {
        assert_eq!(read(answers), Err(why.into()));
    }
}

#[test]
fn a_question_that_a_name_fits_by_header_is_not_answered_by_key() {
    let named = |header: &str, key: &str| Question { header: header.into(), key: key.into(), ..open_text() };
    let questions = [named("b", "a"), named("c", "b")];
    let answers = HashMap::from([("b".to_owned(), "first".to_owned()), ("c".into(), "second".into())]);
    let words: Vec<_> = from_answers(&questions, &answers).unwrap().into_iter().map(|answer| answer.text).collect();
    assert_eq!(words, [Some("first".into()), Some("second".into())]);
    let said = |text| reply(Act::Chosen, &[], Some(text));
    let replies = BTreeMap::from([("a".into(), said("first")), ("b".into(), said("second"))]);
    let words: Vec<_> = from_replies(&questions, &replies).unwrap().into_iter().map(|answer| answer.text).collect();
    assert_eq!(words, [Some("first".into()), Some("second".into())]);
}

#[test]
fn replies_are_by_key_and_keep_their_notes() {
    let questions = [Question { key: "k".into(), ..choice(&["a", "b"]) }];
    let chosen = Reply { note: Some(" why ".into()), ..reply(Act::Chosen, &["b"], None) };
    let answers = from_replies(&questions, &BTreeMap::from([("k".into(), chosen)])).unwrap();
    assert_eq!(answers[0].note.as_deref(), Some(" why "));
    assert_eq!(from_replies(&questions, &BTreeMap::new()), Err(AnswersError::Empty));
}

#[test]
fn what_a_person_reads_is_labels_words_or_both() {
    let question = ask_user::read(&json!({ "question": "?", "multi": true, "options": [
        { "value": "a", "label": "First" }, { "value": "b", "label": "Second" },
    ] }))
    .unwrap()
    .remove(0);
    let shown = |typed| display(&question, &parse(&question, typed).unwrap());
    assert_eq!(shown("a b"), "a b");
    assert_eq!(shown("1 2"), "First, Second");
    assert_eq!(shown(""), "");
    let interrupted = Answer { outcome: Outcome::Interrupted, ..parse(&question, "1").unwrap() };
    assert_eq!(display(&question, &interrupted), "");
    let both = from_reply(&question, &reply(Act::OwnWords, &["b", "a"], Some("but not on Sundays"))).unwrap();
    assert_eq!(display(&question, &both), "First, Second; but not on Sundays");
    assert_eq!(text(&question, &both), "but not on Sundays");
}

#[test]
fn a_long_line_takes_no_longer_than_it_is_long() {
    let question = several(&["a", "b", "a, b", "b, a", "c"]);
    own_words(&question, &"a, b, ".repeat(20_000));
    own_words(&question, &",".repeat(500_000));
}
