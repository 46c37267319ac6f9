//! The language model behind one trait of ours: a request in, a stream of events out. No type of a provider library
//! appears here or in stored sessions.

use std::{fmt, time::Duration};

use futures::stream::BoxStream;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::ToolResult;

pub mod practice;
pub mod rig;

/// Something that answers requests: a real provider, or the practice model.
pub trait Provider: Send + Sync + fmt::Debug {
    /// The model as a person would name it, for instance *Practice model* or `gpt-5`.
    fn label(&self) -> String;

    /// Ask the model. Dropping the stream ends the request. A stream that ends without [`ModelEvent::End`] or an error
    /// was cut, and counts as [`ModelError::Cut`].
    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>>;
}

/// What a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What the model is told before the conversation.
    pub system: String,
    /// The conversation; every call in it has exactly one result.
    pub messages: Vec<Message>,
    /// The tools it may call.
    pub tools: Vec<ToolSpec>,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name it is called by.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The user's.
    User(String),
    /// The model's: text, then calls, each with its result.
    Assistant {
        /// Markdown; may be empty.
        text: String,
        /// Its calls, in order, with what came of each.
        calls: Vec<(Call, ToolResult)>,
    },
}

/// A tool call of the model's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Our id (UUID v7): two calls are two calls even when a provider gives both one id.
    pub id: String,
    /// The provider's id, used only towards the provider; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provider_id: String,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The arguments. Not an object when the model sent something that is no JSON: then the text as it came.
    pub input: Value,
}

/// Something that happens while a model answers.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// A piece of text.
    Text(String),
    /// A whole call; its `id` is fresh.
    Call(Call),
    /// The answer is whole.
    End(Usage),
}

/// What an answer cost, where the provider says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

/// Why a model gave no whole answer. The sentence says what happened; [`ModelError::remedy`] says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The provider refused the key.
    #[error("the provider refused the key ({0})")]
    Key(String),
    /// The provider does not know the model, or the address is wrong.
    #[error("the provider does not know this model or address ({0})")]
    NotFound(String),
    /// The provider asks to wait.
    #[error("the provider asks to wait ({message})")]
    Busy {
        /// What it said.
        message: String,
        /// How long, where it said so.
        retry_after: Option<Duration>,
    },
    /// Nobody answered at the address.
    #[error("no connection to the provider ({0})")]
    Offline(String),
    /// The answer was cut before its end.
    #[error("the model's answer was cut off before its end ({0})")]
    Cut(String),
    /// The provider answered with something else.
    #[error("the provider answered with an error ({0})")]
    Provider(String),
    /// The model cannot be set up: no key, or a base URL that is none.
    #[error("{message}")]
    Setup {
        /// What is missing or wrong.
        message: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A practice script says so, or cannot be played.
    #[error("{0}")]
    Script(String),
}

impl ModelError {
    /// What a person can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Key(_) => {
                "Check the key: OPENAI_API_KEY, for the server at --base-url. Then send the message again or resume the session."
            }
            Self::NotFound(_) => "Check the model's name and the base URL. Then resume the session.",
            Self::Busy { .. } => "Wait a little, then resume the session.",
            Self::Offline(_) => {
                "Check the base URL and that the server runs. Then resume the session; nothing is lost."
            }
            Self::Cut(_) => "Resume the session: the question is asked again, nothing was run.",
            Self::Provider(_) => "Read what it said. Then resume the session; nothing is lost.",
            Self::Setup { remedy, .. } => remedy,
            Self::Script(_) => "Mend the script, or use another model.",
        }
    }
}
