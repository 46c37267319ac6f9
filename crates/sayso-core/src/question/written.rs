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
