//! A session at a terminal, in a pipe or as JSON: shows what happens, takes lines, and knows when it is over.

use std::{io::Write, sync::Arc, time::Duration};

use anyhow::{Context, Result, bail};
use sayso_core::{
    config::provider,
    inbox::Inbox,
    protocol::{InputMessage, OpenRequest, OutputChunk, RequestDraft, SessionChunk, Settings, TurnEnd, Via},
    session::{Session, Setup, Standing},
    store::{SessionRecord, Store},
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{
    Exit,
    input::{Input, Line, Text},
    list,
    output::{Output, Stream, Writer},
    prompt::{Prompt, Taken},
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
    session_id: String,
    chunks: UnboundedReceiver<SessionChunk>,
    output: Output,
    signals: Signals,
    /// What waited before the session was opened: no chunk tells of it.
    waited: Vec<OpenRequest>,
}

/// Who is at the other end of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Talk {
    /// One turn, its answers from a terminal or a pipe.
    Turn,
    /// Turn after turn, at a terminal.
    Chat,
    /// One request; standard output is left to its answer.
    Ask,
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
            settings,
            emit: Arc::new(move |chunk| {
                // Nobody listens any more once the program is on its way out.
                drop(sender.send(chunk));
            }),
        };
        let session = Session::open(setup)?;
        Ok(Self { session, store, session_id, chunks, output: Output::start(), signals, waited })
    }

    /// Talks until the agent is idle or nobody is left to answer.
    pub(crate) async fn talk(mut self, input: Input, talk: Talk) -> Result<Exit> {
        let shown = if talk == Talk::Ask { Stream::Err } else { Stream::Out };
        let mut screen = Screen::new(self.output.writer(shown), self.output.writer(Stream::Err));
        let exit = self.talk_on(input, talk, &mut screen).await;
        screen.end_line()?;
        self.leave(exit).await
    }

    async fn talk_on(&mut self, mut input: Input, talk: Talk, screen: &mut Screen<Writer>) -> Result<Exit> {
        let chat = talk == Talk::Chat;
        let mut prompt: Option<Prompt> = None;
        let mut stopping = false;
        let mut failed = false;
        let mut listening = false;
        let mut draft = self.store.composer(&self.session_id)?;
        loop {
            // In this order: all that led to where it stands has been told by then.
            let standing = self.session.standing();
            if self.chunks.is_empty() {
                match standing {
                    Standing::Idle if stopping && !chat => return Ok(Exit::Interrupted),
                    Standing::Idle if chat && !input.ended() => {
                        if !listening {
                            screen.prompt("\nyou> ")?;
                        }
                        listening = true;
                    }
                    Standing::Idle => {
                        if chat {
                            screen.line(&format!("Go on with: sayso run --resume {}", self.session_id))?;
                        }
                        return Ok(if failed { Exit::Failed } else { Exit::Done });
                    }
                    Standing::Waiting(_) if input.ended() => {
                        if input.terminal {
                            let id = &self.session_id;
                            screen.line(&format!("The question stays open. Go on with: sayso run --resume {id}"))?;
                        }
                        return self.person_must_answer(screen);
                    }
                    Standing::Waiting(ids) => self.show_next(&mut prompt, &ids, screen)?,
                    Standing::Busy => {}
                    Standing::Lost => return Ok(Exit::Failed),
                }
            }
            tokio::select! {
                biased;
                signal = self.signals.next() => match signal {
                    Signal::Interrupt if stopping => return Ok(Exit::Interrupted),
                    Signal::Interrupt => {
                        stopping = true;
                        match input.terminal {
                            true => screen.break_line()?,
                            false => screen.end_line()?,
                        }
                        if chat && self.session.standing() == Standing::Idle {
                            screen.line("(Ctrl-C again, or Ctrl-D, ends the program; the session is kept.)")?;
                            listening = false;
                        } else {
                            self.session.send(InputMessage::Interrupt, Via::Terminal)?;
                        }
                    }
                    Signal::End(number, name) => return Ok(self.ended_by(number, name, screen)?),
                },
                () = self.output.gone() => return self.nobody_reads(),
                Some(chunk) = self.chunks.recv() => {
                    match &chunk.chunk {
                        OutputChunk::Error { message, remedy } => {
                            failed = true;
                            screen.error(&self.failure(message, remedy))?;
                        }
                        OutputChunk::MessageQueued { .. } => screen.line(match self.store.open_requests(Some(&self.session_id))?.is_empty() {
                            true => "(kept for after; the agent is busy)",
                            false => "(kept for after: a question waits for its answer first)",
                        })?,
                        chunk => screen.chunk(chunk)?,
                    }
                    match chunk.chunk {
                        OutputChunk::UserMessage { .. } => failed = false,
                        OutputChunk::TurnEnded { reason } => {
                            failed = reason == TurnEnd::Failed;
                            let kept = self.store.composer(&self.session_id)?;
                            if kept != draft {
                                screen.line(&format!("Not sent, and kept as your draft: {kept}"))?;
                                draft = kept;
                            }
                            stopping &= !chat;
                        }
                        OutputChunk::RequestClosed { request_id, .. } if prompt.as_ref().is_some_and(|open| open.request_id() == request_id) => prompt = None,
                        _ => {}
                    }
                }
                line = input.next(), if prompt.is_some() || chat => {
                    let Some(line) = line else { continue };
                    stopping &= !chat;
                    screen.answered(line.shown(), input.terminal)?;
                    // Whoever typed it had not seen the question.
                    let too_early = input.terminal && prompt.as_ref().is_some_and(|open| line.at < open.shown_at());
                    match &mut prompt {
                        Some(_) if too_early && !chat => {
                            screen.line(&format!("  (typed before the question stood here, so it is no answer: {})", line.shown()))?;
                            screen.prompt("> ")?;
                        }
                        Some(open) if !too_early => {
                            let taken = open.take(&line.text, input.terminal);
                            if let Some(exit) = self.took(taken, &mut prompt, screen)? {
                                return Ok(exit);
                            }
                        }
                        Some(_) | None => {
                            listening = false;
                            self.say(line, screen)?;
                        }
                    }
                }
            }
        }
    }

    /// Sends a line as a message.
    fn say(&self, line: Line, screen: &mut Screen<Writer>) -> Result<()> {
        match line.text {
            Text::Whole(text) if text.trim().is_empty() => {}
            Text::Whole(text) => {
                self.session.send(InputMessage::UserMessage { text, reply_to: None }, Via::Terminal)?;
            }
            Text::Broken(_) => screen.line("  This line is no UTF-8 text, so it was not sent. Type it again.")?,
        }
        Ok(())
    }

    fn show_next(&self, prompt: &mut Option<Prompt>, ids: &[String], screen: &mut Screen<Writer>) -> Result<()> {
        if prompt.is_some() {
            return Ok(());
        }
        let Some(id) = ids.first() else {
            return Ok(());
        };
        let draft = self.store.request_draft(&self.session_id, id)?;
        let mut open = Prompt::new(self.store.request(id)?, &draft);
        for line in open.kept() {
            screen.line(&line)?;
        }
        draw(&mut open, screen)?;
        *prompt = Some(open);
        Ok(())
    }

    fn took(&self, taken: Taken, prompt: &mut Option<Prompt>, screen: &mut Screen<Writer>) -> Result<Option<Exit>> {
        let Some(open) = prompt else {
            return Ok(None);
        };
        match taken {
            Taken::Next => {
                let draft = RequestDraft { replies: open.replies().clone(), comment: None };
                self.store.save_request_draft(&self.session_id, open.request_id(), &draft)?;
                draw(open, screen)?;
            }
            Taken::Again(why) => {
                screen.line(&format!("  {why}"))?;
                screen.prompt("> ")?;
            }
            Taken::GiveUp(why) => {
                screen.line(&format!("  {why}"))?;
                return Ok(Some(self.person_must_answer(screen)?));
            }
            Taken::Whole(replies) => {
                let request_id = open.request_id().to_owned();
                *prompt = None;
                let message = InputMessage::QuestionReplies { request_id, replies, comment: None };
                if let Err(error) = self.session.send(message, Via::Terminal) {
                    screen.line(&format!("  {error}"))?;
                }
            }
        }
        Ok(None)
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
    async fn leave(mut self, exit: Result<Exit>) -> Result<Exit> {
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

    fn person_must_answer(&self, screen: &mut Screen<Writer>) -> Result<Exit> {
        for open in self.store.open_requests(Some(&self.session_id))? {
            screen.aside(&list::open_request_json(&open)?)?;
        }
        Ok(Exit::PersonMustAnswer)
    }

    fn ended_by(&self, number: u8, name: &str, screen: &mut Screen<Writer>) -> std::io::Result<Exit> {
        let id = &self.session_id;
        screen.error(&format!("ended by {name}. Nothing is lost; go on with: sayso run --resume {id}"))?;
        Ok(Exit::Signalled(number))
    }

    fn nobody_reads(&self) -> Result<Exit> {
        bail!(
            "nobody reads the output any more. What was done is kept; go on with: sayso run --resume {}",
            self.session_id
        )
    }

    fn failure(&self, message: &str, remedy: &str) -> String {
        format!("{message} {remedy} (sayso run --resume {})", self.session_id)
    }
}

fn draw(open: &mut Prompt, screen: &mut Screen<Writer>) -> Result<()> {
    for line in open.lines() {
        screen.line(&line)?;
    }
    open.shown();
    Ok(screen.prompt("> ")?)
}

fn write_json(out: &mut impl Write, chunk: &OutputChunk) -> Result<()> {
    let mut line = serde_json::to_string(chunk)?;
    line.push('\n');
    Ok(out.write_all(line.as_bytes())?)
}
