//! `AskUserQuestion`: the model asks up to four multiple-choice questions at once.

use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{Action, Answered, Tool, ToolContext, ToolOutcome};
use crate::{
    protocol::ToolResult,
    question::ask_user_question::{AskOptions, read, result_text},
};

/// The tool, as strict as the user's settings want it.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUserQuestion {
    /// How strictly its input is taken.
    pub options: AskOptions,
}

impl Tool for AskUserQuestion {
    fn name(&self) -> &'static str {
        "AskUserQuestion"
    }

    fn description(&self) -> &'static str {
        include_str!("ask_user_question.md")
    }

    fn schema(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "questions": {
                    "type": "array",
                    "description": "1 to 4 questions",
                    "minItems": 1,
                    "maxItems": 4,
                    "items": {
                        "type": "object",
                        "properties": {
                            "question": { "type": "string", "description": "the full question" },
                            "header": { "type": "string", "description": "short label, at most 12 characters" },
                            "multiSelect": { "type": "boolean", "description": "allow multiple selections" },
                            "options": {
                                "type": "array",
                                "description": "2 to 4 options",
                                "minItems": 2,
                                "maxItems": 4,
                                "items": {
                                    "type": "object",
                                    "properties": {
                                        "label": { "type": "string", "description": "display text, 1 to 5 words" },
                                        "description": { "type": "string", "description": "what choosing it means" },
                                        "preview": {
                                            "type": "string",
                                            "description": "plain text to compare options by, such as code",
                                        },
                                    },
                                    "required": ["label", "description"],
                                },
                            },
                            "why": { "type": "string", "description": "why you ask, in one sentence" },
                        },
                        "required": ["question", "header", "options"],
                    },
                },
            },
            "required": ["questions"],
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
            None => ToolOutcome::asking(read(input, self.options)),
            Some(Answered { questions, answers, comment }) => {
                ToolOutcome::Done(match result_text(questions, answers, comment.as_deref()) {
                    Ok(text) => ToolResult::ok(text),
                    Err(error) => ToolResult::error(error.to_string()),
                })
            }
        };
        Box::pin(async { outcome })
    }
}
