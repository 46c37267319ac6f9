//! The offline practice model: a script of JSON lines played through the same stream of events as a real provider's.

use std::{
    fs,
    path::Path,
    sync::{Arc, LazyLock},
};

use futures::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use uuid::Uuid;

use super::{Call, Message, ModelError, ModelEvent, Provider, Request, Usage};

mod project;
mod script;

use script::{Emit, Line, Moment, fill, fill_value, read_script};

pub use project::unpack;
pub use script::ScriptError;

/// What the practice model says when its script has no line for what came last.
pub const NO_LINE: &str = "I am the practice model: I play a script and understand nothing beyond it, and this script \
    has no line for what came last. Start a new message with a prompt that the script knows.";

/// The scripts that come with the program, in the order they are tried.
const BUILT_IN: [(&str, &str); 2] =
    [("calc.jsonl", include_str!("practice/calc.jsonl")), ("tour.jsonl", include_str!("practice/tour.jsonl"))];

/// A model that plays a script. No network, no key, no waiting.
#[derive(Debug, Clone)]
pub struct Practice {
    lines: Arc<Vec<Line>>,
}

impl Practice {
    /// The script that comes with the program: the calc project, and a tour.
    #[must_use]
    pub fn built_in() -> Self {
        static LINES: LazyLock<Arc<Vec<Line>>> = LazyLock::new(|| {
            let read = BUILT_IN.iter().map(|(name, text)| read_script(Path::new(name), text));
            #[expect(clippy::expect_used, reason = "the built-in scripts are constants, and a test reads them")]
            let lines = read.collect::<Result<Vec<_>, _>>().expect("the built-in scripts can be played");
            Arc::new(lines.into_iter().flatten().collect())
        });
        Self { lines: LINES.clone() }
    }

    /// The script in this file.
    ///
    /// # Errors
    /// When the file cannot be read, a line is wrong, or there is none.
    pub fn load(path: &Path) -> Result<Self, ScriptError> {
        let text =
            fs::read_to_string(path).map_err(|source| ScriptError::Unreadable { file: path.to_owned(), source })?;
        Self::parse(path, &text)
    }

    /// The script in this text; `file` is what an error names.
    ///
    /// # Errors
    /// When a line is wrong, or there is none.
    pub fn parse(file: &Path, text: &str) -> Result<Self, ScriptError> {
        Ok(Self { lines: Arc::new(read_script(file, text)?) })
    }

    fn answer(&self, messages: &[Message]) -> Vec<Result<ModelEvent, ModelError>> {
        let moment = Moment::of(messages);
        let mut events = Vec::new();
        let Some((line, caught)) = self.lines.iter().find_map(|line| Some((line, line.when.holds(&moment)?))) else {
            events.extend(pieces(NO_LINE).map(|piece| Ok(ModelEvent::Text(piece))));
            events.push(Ok(ModelEvent::End(Usage::default())));
            return events;
        };
        let mut texts = 0;
        for part in &line.emit {
            match part {
                Emit::Text(template) => {
                    // Two texts in a row are two paragraphs.
                    let gap = if texts > 0 { "\n\n" } else { "" };
                    let text = format!("{gap}{}", fill(template, &moment, &caught));
                    events.extend(pieces(&text).map(|piece| Ok(ModelEvent::Text(piece))));
                    texts += 1;
                }
                Emit::Call(call) => events.push(Ok(ModelEvent::Call(Call {
                    id: Uuid::now_v7().to_string(),
                    provider_id: String::new(),
                    tool: call.tool.clone(),
                    input: fill_value(&call.input, &moment, &caught),
                }))),
                Emit::Error(error) => {
                    events.push(Err(error.to_model_error(|message| fill(message, &moment, &caught))));
                    return events;
                }
            }
        }
        events.push(Ok(ModelEvent::End(Usage::default())));
        events
    }
}

impl Provider for Practice {
    fn label(&self) -> String {
        "Practice model".to_owned()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        stream::iter(self.answer(&request.messages)).boxed()
    }
}

/// A text as a model would stream it: a word at a time, its white space with it.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    text.split_inclusive([' ', '\n']).map(str::to_owned)
}

#[cfg(test)]
mod tests;
