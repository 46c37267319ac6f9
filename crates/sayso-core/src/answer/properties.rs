//! What holds for every question and every line: nothing typed is changed, dropped or read in two ways, and it is the
//! same answer whichever way it comes in.

use proptest::{prelude::*, sample::subsequence};
use serde_json::json;

use super::{tests::permission, *};
use crate::question::{ask_user, interactive};

/// Labels that look like each other, like numbers and like lists, in any script.
fn any_label() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => prop::sample::select(vec!["a", "A", "b", "B", "1", "2", "3.", "02", "２", "Yes", "once"]),
        1 => prop::sample::select(vec![
            "ירוק", "أحمر", "\u{200f}א", "是", "👩‍👩‍👧‍👦", "e\u{301}", "é", "İ", "ΑΣ", "a  b", "fast (Recommended)", "fast", "y",
        ]),
    ];
    let list = (word, prop::sample::select(vec![", ", ",", " , ", "，", "، ", " "]));
    prop_oneof![
        4 => prop::collection::vec(list, 1..4).prop_map(|words| {
            let (words, between): (Vec<_>, Vec<_>) = words.into_iter().unzip();
            words.join(between[0])
        }),
        1 => "\\PC{1,8}",
        1 => "[ab12, ]{1,6}",
    ]
}

/// Choices whose names are unique, as every adapter makes sure.
fn any_options() -> impl Strategy<Value = Vec<Value>> {
    let any_names = prop::collection::vec((any_label(), prop::option::of(any_label())), 1..6);
    // Lists that can be cut in several places.
    let overlapping = subsequence(vec!["a", "b", "c", "a, b", "b, a", "b, c", "a, b, c"], 3..6)
        .prop_map(|labels| labels.into_iter().map(|label| (label.to_owned(), None)).collect());
    prop_oneof![3 => any_names, 1 => overlapping].prop_map(|pairs| {
        let mut options: Vec<Value> = Vec::new();
        for (value, label) in pairs {
            options.push(json!({ "value": value, "label": label.unwrap_or(value) }));
            if ask_user::read(&json!({ "question": "?", "options": options })).is_err() {
                options.pop();
            }
        }
        options
    })
}

fn any_listed(kind: QuestionKind) -> impl Strategy<Value = Question> {
    (any_options(), any::<bool>(), any::<bool>(), prop::option::of(any::<prop::sample::Index>())).prop_filter_map(
        "no label is left",
        move |(options, required, allow_other, default)| {
            let multi = kind == QuestionKind::MultiChoice;
            let mut input = json!({ "question": "?", "options": options, "multi": multi });
            if let Some(default) = default.filter(|_| !options.is_empty()) {
                input["default"] = default.get(&options)["value"].clone();
            }
            let question = ask_user::read(&input).ok()?.remove(0);
            (!question.options.is_empty()).then_some(Question { required, allow_other, ..question })
        },
    )
}

fn any_text() -> impl Strategy<Value = Question> {
    let pattern = prop::option::of(prop::sample::select(vec!["^[a-z0-9/-]+$", "a", "(?s)^.{3,}$"]));
    (pattern, any::<bool>(), any::<bool>()).prop_map(|(pattern, required, default)| {
        let mut question = json!({ "id": "name", "type": "text", "question": "?", "required": required });
        if let Some(pattern) = pattern {
            question["pattern"] = pattern.into();
        }
        if default {
            question["default"] = "main".into();
        }
        interactive::read(&question).unwrap().remove(0)
    })
}

fn any_confirm() -> impl Strategy<Value = Question> {
    (any::<bool>(), prop::option::of(any::<bool>())).prop_map(|(required, default)| {
        let confirm = json!({ "id": "sure", "type": "confirm", "question": "?", "required": required });
        let question = interactive::read(&confirm).unwrap().remove(0);
        Question { default: default.map(Default::Flag), ..question }
    })
}

fn any_question() -> impl Strategy<Value = Question> {
    prop_oneof![
        3 => any_listed(QuestionKind::Choice),
        4 => any_listed(QuestionKind::MultiChoice),
        1 => any_text(),
        1 => any_confirm(),
        1 => prop::sample::select(vec![
            permission(&["once", "reject"]),
            permission(&["once", "session", "project", "reject"]),
        ]),
    ]
}

/// A line that anyone could type.
fn any_typed() -> impl Strategy<Value = String> {
    prop_oneof![".{0,40}", "[abAB12,， .\n]{0,12}", "(?s).{0,20}", "[ynaw][ \n]?.{0,8}", "[ \t\r\n]{0,3}"]
}

/// A line made of what the question offers: names in any letter case and numbers, right and wrong.
fn typed_for(question: &Question) -> impl Strategy<Value = String> + use<> {
    let mut offered: Vec<String> = question.options.iter().flat_map(|o| [o.value.clone(), o.label.clone()]).collect();
    offered.extend(offered.clone().iter().flat_map(|name| [name.to_lowercase(), name.to_uppercase()]));
    offered.extend((0..8).flat_map(|number| [number.to_string(), format!("0{number}."), format!(" {number}")]));
    let between = prop::sample::select(vec![", ", ",", " ", "，", "،", "; "]);
    let list = (prop::collection::vec(prop::sample::select(offered), 1..6), between)
        .prop_map(|(names, between)| names.join(between));
    prop_oneof![list, any_typed()]
}

fn question_and_line() -> impl Strategy<Value = (Question, String)> {
    any_question().prop_flat_map(|question| {
        let typed = typed_for(&question);
        (Just(question), typed)
    })
}

/// A question with several choices, and some of its options.
fn question_and_options(kind: QuestionKind) -> impl Strategy<Value = (Question, Vec<usize>)> {
    any_listed(kind).prop_flat_map(move |question| {
        let places: Vec<usize> = (0..question.options.len()).collect();
        let most = if kind == QuestionKind::MultiChoice { places.len() } else { 1 };
        (Just(question), subsequence(places, 1..=most))
    })
}

/// Every set of options that a line of names can be read as, found the slow way.
fn sets_named(question: &Question, pieces: &[String]) -> BTreeSet<BTreeSet<usize>> {
    if pieces.is_empty() {
        return BTreeSet::from([BTreeSet::new()]);
    }
    let mut sets = BTreeSet::new();
    for (place, option) in question.options.iter().enumerate() {
        for name in option.names() {
            let name: Vec<String> = split(&name);
            if let Some(rest) = pieces.strip_prefix(name.as_slice()) {
                sets.extend(sets_named(question, rest).into_iter().map(|mut set| {
                    set.insert(place);
                    set
                }));
            }
        }
    }
    sets
}

fn split(line: &str) -> Vec<String> {
    line.split([',', '，', '、', '،']).map(fold).collect()
}

fn values(question: &Question, places: impl IntoIterator<Item = usize>) -> Vec<String> {
    places.into_iter().map(|place| question.options[place].value.clone()).collect()
}

/// Whether a number is also the name of an option; then the name counts.
fn is_name(question: &Question, number: &str) -> bool {
    question.options.iter().any(|option| option.names().contains(&fold(number)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_was_typed_is_never_changed_or_dropped((question, typed) in question_and_line()) {
        let blank = typed.trim().is_empty();
        match parse(&question, &typed) {
            Ok(answer) => match answer.outcome {
                Outcome::OwnWords => {
                    prop_assert!(question.allow_other && !blank);
                    prop_assert_eq!(answer.text, Some(typed));
                    prop_assert!(answer.selected.is_empty());
                }
                Outcome::Answered if question.kind == QuestionKind::Text => prop_assert_eq!(answer.text, Some(typed)),
                Outcome::Answered => {
                    prop_assert!(!blank && answer.text.is_none() && !answer.selected.is_empty());
                    if let Some(note) = answer.note {
                        prop_assert!(typed.trim().ends_with(&note));
                    }
                }
                Outcome::AcceptedDefault => prop_assert!(blank && question.default.is_some()),
                Outcome::Skipped => prop_assert!(blank && question.default.is_none() && !question.required),
                other => prop_assert!(false, "{:?}", other),
            },
            Err(AnswerError::Ambiguous { first, second, .. }) => {
                prop_assert_eq!(question.kind, QuestionKind::MultiChoice);
                prop_assert_ne!(first, second);
            }
            Err(AnswerError::NoSuchNumber { number, .. }) => {
                prop_assert_eq!(question.kind, QuestionKind::MultiChoice);
                prop_assert!(typed.contains(&number) && typed.trim() != number);
            }
            Err(AnswerError::Required { .. }) => prop_assert!(blank && question.required),
            Err(AnswerError::Mismatch { .. }) => prop_assert!(question.pattern.is_some()),
            Err(AnswerError::NotListed { .. }) => prop_assert!(!question.allow_other && !blank),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn it_is_the_same_answer_whichever_way_it_comes_in((question, typed) in question_and_line()) {
        let questions = std::slice::from_ref(&question);
        let parsed = parse(&question, &typed);
        for name in [question.header.clone(), question.key.clone(), question.header.to_uppercase()] {
            let read = from_answers(questions, &HashMap::from([(name, typed.clone())]));
            let expected = parsed.clone().map(|answer| vec![answer]).map_err(|why| AnswersError::Wrong(vec![why]));
            prop_assert_eq!(read, expected);
        }
        if let Ok(answer) = parsed {
            let replies = BTreeMap::from([(question.key.clone(), answer.to_reply())]);
            prop_assert_eq!(from_replies(questions, &replies), Ok(vec![answer]));
        }
    }

    #[test]
    fn every_answer_stands_by_its_own_question(
        asked in prop::collection::vec(question_and_line(), 1..4),
    ) {
        let (questions, typed): (Vec<_>, Vec<_>) = asked.into_iter().enumerate().map(|(place, (question, typed))| {
            let name = format!("q{place}");
            (Question { key: name.clone(), header: name, ..question }, typed)
        }).unzip();
        let map = questions.iter().zip(&typed).map(|(question, typed)| (question.key.clone(), typed.clone())).collect();
        let alone: Vec<_> = questions.iter().zip(&typed).map(|(question, typed)| parse(question, typed)).collect();
        match from_answers(&questions, &map) {
            Ok(answers) => prop_assert_eq!(answers.into_iter().map(Ok).collect::<Vec<_>>(), alone),
            Err(AnswersError::Wrong(wrong)) => {
                prop_assert_eq!(wrong, alone.into_iter().filter_map(Result::err).collect::<Vec<_>>());
            }
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn a_number_picks_the_option_drawn_with_it(
        question in prop_oneof![any_listed(QuestionKind::Choice), any_listed(QuestionKind::MultiChoice)],
    ) {
        for place in 0..question.options.len() {
            let number = (place + 1).to_string();
            let wide: String = number.chars().filter_map(|c| char::from_u32(u32::from(c) - 0x30 + 0xff10)).collect();
            for typed in [number.clone(), format!("0{number}"), format!("{number}."), wide, format!(" {number}\n")] {
                if is_name(&question, &typed) {
                    continue;
                }
                let answer = parse(&question, &typed).unwrap();
                prop_assert_eq!(answer.outcome, Outcome::Answered, "{:?}", typed);
                prop_assert_eq!(answer.selected, values(&question, [place]), "{:?}", typed);
            }
        }
    }

    #[test]
    fn a_list_of_numbers_picks_the_options_drawn_with_them(
        (question, places) in question_and_options(QuestionKind::MultiChoice),
        between in prop::sample::select(vec![", ", ",", " ", "，", "، "]),
    ) {
        let numbers: Vec<_> = places.iter().map(|place| (place + 1).to_string()).collect();
        let typed = numbers.join(between);
        match parse(&question, &typed) {
            Ok(answer) if answer.selected == values(&question, places) => {}
            // What is also a name, or a piece of one, is read as that or refused.
            other => prop_assert!(
                numbers.iter().any(|number| is_name(&question, number)) || !sets_named(&question, &split(&typed)).is_empty(),
                "{:?}: {:?}", typed, other
            ),
        }
    }

    #[test]
    fn a_name_beats_a_number((question, places) in question_and_options(QuestionKind::Choice)) {
        for name in question.options[places[0]].names() {
            for typed in [name.clone(), name.to_uppercase().to_lowercase(), format!(" {} ", name.replace(' ', " \t"))] {
                if fold(&typed) == name {
                    let answer = parse(&question, &typed).unwrap();
                    prop_assert_eq!(answer.selected, values(&question, places.clone()));
                }
            }
        }
    }

    #[test]
    fn joined_labels_are_read_as_they_were_joined_or_refused(
        (question, places) in question_and_options(QuestionKind::MultiChoice),
        (between, by_label) in (prop::sample::select(vec![", ", ",", " ， ", "، "]), any::<bool>()),
    ) {
        let name = |place: &usize| {
            let option = &question.options[*place];
            if by_label { option.label.clone() } else { option.value.clone() }
        };
        let typed = places.iter().map(name).collect::<Vec<_>>().join(between);
        match parse(&question, &typed) {
            Ok(answer) => prop_assert_eq!(answer.selected, values(&question, places)),
            Err(AnswerError::Ambiguous { .. }) => prop_assert!(sets_named(&question, &split(&typed)).len() > 1),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }

    #[test]
    fn a_line_of_names_is_read_in_the_only_way_there_is(
        (question, typed) in any_listed(QuestionKind::MultiChoice).prop_flat_map(|question| {
            let typed = typed_for(&question);
            (Just(question), typed)
        }),
    ) {
        let sets = sets_named(&question, &split(typed.trim()));
        let read = parse(&question, &typed);
        match sets.len() {
            0 => {}
            1 => prop_assert_eq!(read.unwrap().selected, values(&question, sets.into_iter().flatten())),
            _ => prop_assert!(matches!(read, Err(AnswerError::Ambiguous { .. })), "{:?}", read),
        }
    }

    #[test]
    fn permission_letters_are_never_guessed(typed in any_typed()) {
        let question = permission(&["once", "reject"]);
        if let Ok(answer) = parse(&question, &typed) {
            let said = fold(&typed);
            if answer.selected == ["once"] {
                prop_assert!(["y", "once", "allow once"].contains(&said.as_str()));
            } else {
                prop_assert!(said == "reject" || said == "n" || said.starts_with("n "));
            }
        }
    }

    #[test]
    fn own_words_come_back_byte_for_byte(question in any_listed(QuestionKind::MultiChoice), words in "(?s).{1,60}") {
        prop_assume!(!words.trim().is_empty());
        let question = Question { allow_other: true, ..question };
        let reply = Reply { act: Act::OwnWords, selected: Vec::new(), text: Some(words.clone()), note: None };
        prop_assert_eq!(from_reply(&question, &reply).unwrap().text, Some(words));
    }
}
