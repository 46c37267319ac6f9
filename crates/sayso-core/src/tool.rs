//! What the agent can do. A tool answers at once: it is done, or it returns questions. It knows nothing of permission
//! and has no way to ask or to wait for a person.

use std::{fmt, path::PathBuf, sync::Arc};

use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{
    protocol::ToolResult,
    question::{Answer, Faults, Question, ask_user_question::AskOptions, remarks::remarks},
};

pub mod ask_user;
pub mod ask_user_question;
pub mod edit_file;
pub mod read_file;
pub mod run_command;

mod arguments;
mod workspace;

/// One thing a call would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Read this path (absolute, or relative to the workspace).
    Read {
        /// The path as the model gave it.
        path: String,
    },
    /// Change this file.
    Write {
        /// The path as the model gave it.
        path: String,
        /// What would change, as a unified diff.
        diff: String,
    },
    /// Run this shell line in the workspace.
    Run {
        /// The line as the model gave it.
        command: String,
    },
}

/// What a tool says when it is called.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolOutcome {
    /// The call is over.
    Done(ToolResult),
    /// The call needs answers first: it is made again with them.
    NeedsInput(Vec<Question>),
}

impl ToolOutcome {
    /// Asks these questions of the model's, or tells it all that is wrong with them.
    #[must_use]
    pub fn asking(questions: Result<Vec<Question>, Faults>) -> Self {
        match questions {
            Ok(questions) => {
                for question in &questions {
                    for remark in remarks(question) {
                        tracing::warn!("the question '{}' could be better: {remark}", question.header);
                    }
                }
                Self::NeedsInput(questions)
            }
            Err(faults) => Self::Done(ToolResult::error(faults.to_string())),
        }
    }
}

/// Where a tool works.
#[derive(Debug, Clone)]
pub struct ToolContext {
    /// The session's folder, absolute, links resolved.
    pub workspace: PathBuf,
    /// Cancelled when the person stops the turn: a tool ends what it started, whole.
    pub cancel: CancellationToken,
}

/// A built-in tool.
pub trait Tool: Send + Sync + fmt::Debug {
    /// The name the model calls it by.
    fn name(&self) -> &'static str;

    /// What the model is told of it.
    fn description(&self) -> &'static str;

    /// The JSON schema of its arguments.
    fn schema(&self) -> Value;

    /// Whether it changes nothing. Read-only calls of one message run side by side, and may run again after a crash.
    fn read_only(&self) -> bool;

    /// What this call would do, touching nothing.
    ///
    /// # Errors
    /// What the model reads when the call cannot be made at all.
    fn actions(&self, input: &Value, context: &ToolContext) -> Result<Vec<Action>, String>;

    /// Make the call; `answers` holds what the person said to the questions it returned before.
    fn run<'a>(
        &'a self,
        input: &'a Value,
        answers: Option<&'a Answered>,
        context: &'a ToolContext,
    ) -> BoxFuture<'a, ToolOutcome>;
}

/// Questions that a tool returned, with what came back.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The questions as they were asked.
    pub questions: Vec<Question>,
    /// One answer a question, in the same order.
    pub answers: Vec<Answer>,
    /// One comment on all of them.
    pub comment: Option<String>,
}

/// The tools of a session, by name.
#[derive(Debug, Clone)]
pub struct Tools(Vec<Arc<dyn Tool>>);

impl Tools {
    /// Every built-in tool.
    #[must_use]
    pub fn built_in(options: AskOptions) -> Self {
        Self(vec![
            Arc::new(ask_user_question::AskUserQuestion { options }),
            Arc::new(ask_user::AskUser),
            Arc::new(read_file::ReadFile),
            Arc::new(edit_file::EditFile),
            Arc::new(run_command::RunCommand),
        ])
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.0.iter().find(|tool| tool.name() == name)
    }

    /// All tools, in the order the model is told of them.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.0.iter()
    }
}

#[cfg(test)]
fn context_of_tests() -> ToolContext {
    ToolContext { workspace: PathBuf::from("/"), cancel: CancellationToken::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without `..`: a way for a tool to ask, or to wait for a person, would be a field that is missing here.
    #[test]
    fn c_75_a_tool_is_given_no_way_to_ask() {
        let ToolContext { workspace, cancel } = context_of_tests();
        assert!(workspace.is_absolute() && !cancel.is_cancelled());
    }
}
