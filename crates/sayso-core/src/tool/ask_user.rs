//! `ask_user`: the model asks one question, with or without options.

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{Action, Answered, Tool, ToolContext, ToolOutcome};
use crate::{
    protocol::ToolResult,
    question::ask_user::{read, result_text},
};

/// The tool.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUser;

impl Tool for AskUser {
    fn name(&self) -> &'static str {
        "ask_user"
    }

    fn description(&self) -> &'static str {
        include_str!("ask_user.md")
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "question": { "type": "string", "description": "one sentence; do not ask two things at once" },
                "options": {
                    "type": "array",
                    "description":
                        "choices, each with value (the short value fed back to you) and label (for the human)",
                    "items": { "type": "object", "required": ["value", "label"] },
                },
                "default": {
                    "type": "string",
                    "description": "the value chosen when the user just presses enter",
                },
                "multi": { "type": "boolean", "description": "allow multiple selections" },
            },
            "required": ["question"],
            "additionalProperties": false,
        })
    }

    fn read_only(&self) -> bool {
        true
    }

    fn actions(&self, _input: &Value, _context: &ToolContext) -> Result<Vec<Action>, String> {
        Ok(Vec::new())
    }

    fn run<'a>(
        &'a self,
        input: &'a Value,
        answers: Option<&'a Answered>,
        _context: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome> {
        let outcome = match answers {
            None => ToolOutcome::asking(read(input)),
            Some(Answered { answers, comment, .. }) => ToolOutcome::Done(match answers.first() {
                Some(answer) => ToolResult::ok(result_text(answer, comment.as_deref())),
                None => ToolResult::error("no answer came back"),
            }),
        };
        Box::pin(async { outcome })
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;
    use crate::{answer::parse, tool::context_of_tests};

    fn run(input: &Value, answers: Option<&Answered>) -> ToolOutcome {
        AskUser.run(input, answers, &context_of_tests()).now_or_never().unwrap()
    }

    #[test]
    fn c_03_c_04_c_08_the_schema_is_the_document_s() {
        let document: Value = serde_json::from_str(
            r#"{
                "type": "object",
                "properties": {
                    "question": { "type": "string", "description": "one sentence; do not ask two things at once" },
                    "options": {
                        "type": "array",
                        "description": "choices, each with value (the short value fed back to you) and label (for the human)",
                        "items": { "type": "object", "required": ["value", "label"] }
                    },
                    "default": { "type": "string", "description": "the value chosen when the user just presses enter" },
                    "multi": { "type": "boolean", "description": "allow multiple selections" }
                },
                "required": ["question"],
                "additionalProperties": false
            }"#,
        )
        .unwrap();
        assert_eq!(AskUser.schema(), document);
    }

    #[test]
    fn c_10_the_model_is_told_to_work_out_the_approaches_first() {
        let told = "Work out the possible approaches first and list them in `options`";
        assert!(AskUser.description().contains(told));
    }

    #[test]
    fn c_12_c_14_the_tool_asks_at_once_and_tells_what_came_back() {
        let input = json!({ "question": "Which name?" });
        let ToolOutcome::NeedsInput(questions) = run(&input, None) else { panic!("it must ask") };
        for (typed, told) in [("", "the user did not answer"), (" divide ", " divide ")] {
            let answers = vec![parse(&questions[0], typed).unwrap()];
            let answered = Answered { questions: questions.clone(), answers, comment: None };
            assert_eq!(run(&input, Some(&answered)), ToolOutcome::Done(ToolResult::ok(told)));
        }
    }

    #[test]
    fn c_08_an_unknown_parameter_is_a_tool_error() {
        assert_eq!(
            run(&json!({ "question": "?", "choices": [] }), None),
            ToolOutcome::Done(ToolResult::error(
                "'choices' is no parameter of ask_user; it takes question, options, default, multi."
            ))
        );
    }
}
