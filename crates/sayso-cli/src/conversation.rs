//! A session with what a front end needs: the chunks it tells, the output, the signals. It is talked to in lines (see
//! `talk`) or in JSON, and ends when nobody is left to answer.

use std::{io::Write, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use sayso_core::{
    config::provider,
    inbox::Inbox,
    protocol::{InputMessage, OpenRequest, OutputChunk, SessionChunk, Settings, TurnEnd, Via},
    session::{Session, Setup, Standing},
    store::{SessionRecord, Store},
};
use tokio::sync::{
    mpsc::{UnboundedReceiver, unbounded_channel},
    watch,
};

use crate::{
    Exit,
    input::{Input, Text},
    list,
    output::{Output, Stream, Writer},
    screen::Screen,
    signals::{Signal, Signals},
};

/// How long a program that is told to end waits for a reader.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A session with its front end.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) store: Arc<Store>,
    pub(crate) session: Session,
    pub(crate) session_id: String,
    pub(crate) chunks: UnboundedReceiver<SessionChunk>,
    pub(crate) output: Output,
    pub(crate) signals: Signals,
    /// What waited before the session was opened: no chunk tells of it.
    waited: Vec<OpenRequest>,
}

impl Conversation {
    /// Opens the session with the model it is set to.
    pub(crate) fn open(store: Arc<Store>, record: &SessionRecord, settings: Settings) -> Result<Self> {
        let provider = provider(&record.info.model, record.base_url.as_deref())?;
        let signals = Signals::listen().context("cannot listen for signals")?;
        let session_id = record.info.session_id.clone();
        let waited = store.open_requests(Some(&session_id))?;
        let (sender, chunks) = unbounded_channel();
        let setup = Setup {
            inbox: Inbox::new(store.clone()),
            store: store.clone(),
            session_id: session_id.clone(),
            provider,
            settings: watch::channel(settings).1,
            emit: Arc::new(move |chunk| {
                // Nobody listens any more once the program is on its way out.
                drop(sender.send(chunk));
            }),
        };
        let session = Session::open(setup)?;
        Ok(Self { session, store, session_id, chunks, output: Output::start(), signals, waited })
    }

    /// Chunks out and messages in, one a line.
    pub(crate) async fn speak_json(mut self, input: Input) -> Result<Exit> {
        let exit = self.speak_on(input).await;
        self.leave(exit).await
    }

    async fn speak_on(&mut self, mut input: Input) -> Result<Exit> {
        let mut out = self.output.writer(Stream::Out);
        let mut screen = Screen::new(self.output.writer(Stream::Out), self.output.writer(Stream::Err));
        let mut interrupted = false;
        let mut failure: Option<String> = None;
        for open in std::mem::take(&mut self.waited) {
            if self.store.request(&open.request_id)?.open {
                let chunk = OutputChunk::AskUserQuestion { request_id: open.request_id, questions: open.questions };
                write_json(&mut out, &chunk)?;
            }
        }
        loop {
            // In this order: all that led to where it stands has been told by then.
            let standing = self.session.standing();
            if self.chunks.is_empty() {
                match standing {
                    Standing::Idle if interrupted => return Ok(Exit::Interrupted),
                    Standing::Idle if input.ended() => {
                        let Some(failure) = failure else { return Ok(Exit::Done) };
                        screen.error(&failure)?;
                        return Ok(Exit::Failed);
                    }
                    Standing::Lost => {
                        screen.error(failure.as_deref().unwrap_or("the store failed; start again"))?;
                        return Ok(Exit::Failed);
                    }
                    Standing::Waiting(_) if input.ended() => return self.person_must_answer(&mut screen),
                    Standing::Idle | Standing::Waiting(_) | Standing::Busy => {}
                }
            }
            tokio::select! {
                biased;
                signal = self.signals.next() => match signal {
                    Signal::Interrupt if interrupted => return Ok(Exit::Interrupted),
                    Signal::Interrupt => {
                        interrupted = true;
                        self.session.send(InputMessage::Interrupt, Via::Terminal)?;
                    }
                    Signal::End(number, name) => return Ok(self.ended_by(number, name, &mut screen)?),
                },
                () = self.output.gone() => return self.nobody_reads(),
                Some(chunk) = self.chunks.recv() => {
                    match &chunk.chunk {
                        OutputChunk::TurnEnded { reason: TurnEnd::Interrupted } => interrupted = true,
                        OutputChunk::TurnEnded { reason: TurnEnd::Done } => failure = None,
                        OutputChunk::UserMessage { .. } => (interrupted, failure) = (false, None),
                        OutputChunk::Error { message, remedy } => failure = Some(self.failure(message, remedy)),
                        _ => {}
                    }
                    write_json(&mut out, &chunk.chunk)?;
                }
                line = input.next() => {
                    let Some(line) = line.filter(|line| !line.shown().trim().is_empty()) else { continue };
                    if let Some(message) = self.heard(&line.text) {
                        let remedy = "Nothing was changed. Send one JSON object a line, as docs/automation.md describes them.".into();
                        write_json(&mut out, &OutputChunk::Error { message, remedy })?;
                    }
                }
            }
        }
    }

    /// Takes a line of JSON; returns why not.
    fn heard(&self, text: &Text) -> Option<String> {
        let Text::Whole(text) = text else {
            return Some("this line is no UTF-8 text".into());
        };
        match serde_json::from_str(text) {
            Ok(message) => self.session.send(message, Via::Terminal).err().map(|error| error.to_string()),
            Err(error) => Some(format!("this line is no message: {error}")),
        }
    }

    /// Waits until all is written; a signal cuts that short.
    pub(crate) async fn leave(mut self, exit: Result<Exit>) -> Result<Exit> {
        let hurried = matches!(exit, Ok(Exit::Signalled(_)));
        tokio::select! {
            () = self.output.flushed() => match self.output.is_gone() {
                true => exit.and_then(|_| self.nobody_reads()),
                false => exit,
            },
            () = tokio::time::sleep(LAST_WORDS), if hurried => exit,
            signal = self.signals.next() => match signal {
                Signal::Interrupt => Ok(Exit::Interrupted),
                Signal::End(number, _) => Ok(Exit::Signalled(number)),
            },
        }
    }

    pub(crate) fn person_must_answer(&self, screen: &mut Screen<Writer>) -> Result<Exit> {
        for open in self.store.open_requests(Some(&self.session_id))? {
            screen.aside(&list::open_request_json(&open)?)?;
        }
        Ok(Exit::PersonMustAnswer)
    }

    pub(crate) fn ended_by(&self, number: u8, name: &str, screen: &mut Screen<Writer>) -> std::io::Result<Exit> {
        let id = &self.session_id;
        screen.error(&format!("ended by {name}. Nothing is lost; go on with: sayso run --resume {id}"))?;
        Ok(Exit::Signalled(number))
    }

    pub(crate) fn nobody_reads(&self) -> Result<Exit> {
        bail!(
            "nobody reads the output any more. What was done is kept; go on with: sayso run --resume {}",
            self.session_id
        )
    }

    pub(crate) fn failure(&self, message: &str, remedy: &str) -> String {
        format!("{message} {remedy} (sayso run --resume {})", self.session_id)
    }
}

fn write_json(out: &mut impl Write, chunk: &OutputChunk) -> Result<()> {
    let mut line = serde_json::to_string(chunk)?;
    line.push('\n');
    Ok(out.write_all(line.as_bytes())?)
}
