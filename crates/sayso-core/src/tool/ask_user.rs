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
