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
                ToolOutcome::Done(ToolResult::ok(result_text(questions, answers, comment.as_deref())))
            }
        };
        Box::pin(async { outcome })
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;
    use crate::{
        answer::parse,
        tool::{Tools, context_of_tests},
    };

    const CRITERION: &str = "Ask only when two reasonable readings lead to entirely different changes, \
                             and never ask what reading the code would answer.";

    fn run(input: &Value, answers: Option<&Answered>) -> ToolOutcome {
        AskUserQuestion::default().run(input, answers, &context_of_tests()).now_or_never().unwrap()
    }

    fn database() -> Value {
        json!({ "questions": [{
            "question": "Which database should we use?",
            "header": "Database",
            "options": [{ "label": "PostgreSQL" }, { "label": "SQLite" }],
        }] })
    }

    #[test]
    fn v_01_c_76_both_ask_tools_stand_under_their_names() {
        let tools = Tools::built_in(AskOptions::default());
        for name in ["AskUserQuestion", "ask_user"] {
            let tool = tools.get(name).unwrap();
            assert!(tool.read_only());
            assert_eq!(tool.actions(&json!({}), &context_of_tests()), Ok(Vec::new()));
        }
    }

    #[test]
    fn c_15_the_criterion_stands_in_both_descriptions() {
        for tool in
            Tools::built_in(AskOptions::default()).iter().filter(|tool| tool.name().to_lowercase().starts_with("ask"))
        {
            assert!(tool.description().contains(CRITERION), "{}", tool.name());
        }
    }

    #[test]
    fn p_09_the_tool_asks_at_once_and_is_done_with_the_answers() {
        let ToolOutcome::NeedsInput(questions) = run(&database(), None) else { panic!("it must ask") };
        let answers = vec![parse(&questions[0], "2").unwrap()];
        let answered = Answered { questions, answers, comment: None };
        assert_eq!(
            run(&database(), Some(&answered)),
            ToolOutcome::Done(ToolResult::ok(
                r#"{"answers":{"Database":"SQLite"},"selections":{"Database":["SQLite"]},"outcomes":{"Database":"answered"}}"#
            ))
        );
    }

    #[test]
    fn v_27_a_faulty_call_is_a_tool_error() {
        assert_eq!(
            run(&json!({ "questions": [] }), None),
            ToolOutcome::Done(ToolResult::error("There are 0 questions; a call takes 1 to 4."))
        );
    }

    #[test]
    fn v_32_the_schema_has_no_conditions() {
        let schema = AskUserQuestion::default().schema();
        let question = schema["properties"]["questions"]["items"]["properties"].as_object().unwrap();
        let fields: Vec<_> = question.keys().map(String::as_str).collect();
        assert_eq!(fields, ["question", "header", "multiSelect", "options", "why"]);
    }
}
