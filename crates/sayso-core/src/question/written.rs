//! Tells the three written forms of a question apart by their fields.

use serde_json::{Value, json};

use super::{
    Faults, Question, ask_user,
    ask_user_question::{self, AskOptions},
    interactive,
};

/// Reads questions in any written form: `questions` or `header` is `AskUserQuestion`; `interactiveQuestions`, an array,
/// or `id` with `type` is `InteractiveQuestion`; all else is `ask_user`.
///
/// # Errors
/// Every fault, by the rules of the form.
pub fn parse_any(json: &Value, options: AskOptions) -> Result<Vec<Question>, Faults> {
    let has = |name| json.get(name).is_some();
    if has("questions") {
        ask_user_question::read(json, options)
    } else if has("header") {
        ask_user_question::read(&json!({ "questions": [json] }), options)
    } else if json.is_array() || has("interactiveQuestions") || (has("id") && has("type")) {
        interactive::read(json)
    } else {
        ask_user::read(json)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(json: Value) -> Vec<String> {
        parse_any(&json, AskOptions::default()).unwrap().into_iter().map(|question| question.key).collect()
    }

    #[test]
    fn the_forms_are_told_apart_by_their_fields() {
        let of_002 = json!({ "question": "?", "header": "Auth", "options": [{ "label": "a" }, { "label": "b" }] });
        assert_eq!(keys(json!({ "questions": [of_002] })), ["Auth"]);
        assert_eq!(keys(of_002), ["Auth"]);
        let of_000 = json!({ "id": "env", "question": "?", "type": "confirm" });
        assert_eq!(keys(json!([of_000])), ["env"]);
        assert_eq!(keys(json!({ "interactiveQuestions": [of_000] })), ["env"]);
        assert_eq!(keys(of_000), ["env"]);
        assert_eq!(keys(json!({ "question": "?" })), ["answer"]);
    }

    /// JSON made of the words of the three forms, right and wrong.
    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,14}".prop_map(Value::from),
            prop::sample::select(vec!["choice", "multiChoice", "text", "confirm", "(", "a, b"]).prop_map(Value::from),
        ];
        let field = prop::sample::select(vec![
            "questions",
            "question",
            "header",
            "options",
            "label",
            "value",
            "description",
            "preview",
            "multiSelect",
            "multi_select",
            "multi",
            "default",
            "id",
            "type",
            "required",
            "pattern",
            "interactiveQuestions",
            "why",
        ]);
        leaf.prop_recursive(5, 64, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(field.clone().prop_map(str::to_owned), inner, 0..8)
                    .prop_map(|fields| fields.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_json_is_questions_or_faults(json in any_json()) {
            match parse_any(&json, AskOptions::default()) {
                Ok(questions) => prop_assert!(!questions.is_empty()),
                Err(Faults(faults)) => prop_assert!(!faults.is_empty()),
            }
        }
    }
}
