//! A conversation in lines, at a terminal or in a pipe: shows what happens, asks, takes answers, and knows when it is over.

use anyhow::Result;
use sayso_core::{
    protocol::{InputMessage, OutputChunk, RequestDraft, TurnEnd, Via},
    session::Standing,
};

use crate::{
    Exit,
    conversation::Conversation,
    input::{Input, Line, Text},
    output::{Stream, Writer},
    prompt::{Prompt, Taken},
    screen::Screen,
    signals::Signal,
};

/// Who is at the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum With {
    /// Somebody who wants one turn, and answers from a terminal or a pipe.
    OneTurn,
    /// A person at a terminal, turn after turn.
    Chat,
    /// A program with one request; standard output is left to its answer.
    Asker,
}

/// Talks until the agent is idle or nobody is left to answer.
pub(crate) async fn talk(mut conversation: Conversation, input: Input, with: With) -> Result<Exit> {
    let shown = if with == With::Asker { Stream::Err } else { Stream::Out };
    let screen = Screen::new(conversation.output.writer(shown), conversation.output.writer(Stream::Err));
    let mut talk = Talk::new(&mut conversation, screen, input, with)?;
    let exit = talk.until_over().await;
    talk.screen.end_line()?;
    conversation.leave(exit).await
}

/// A conversation and where it stands.
#[derive(Debug)]
struct Talk<'a> {
    conversation: &'a mut Conversation,
    screen: Screen<Writer>,
    input: Input,
    chat: bool,
    /// The request at hand.
    prompt: Option<Prompt>,
    /// The person pressed Ctrl-C.
    stopping: bool,
    /// The last turn failed.
    failed: bool,
    /// A chat waits for the next message.
    listening: bool,
    /// What the store kept as unsent words when it was last told.
    draft: String,
}

impl<'a> Talk<'a> {
    fn new(conversation: &'a mut Conversation, screen: Screen<Writer>, input: Input, with: With) -> Result<Self> {
        let draft = conversation.store.composer(&conversation.session_id)?;
        let chat = with == With::Chat;
        Ok(Self {
            conversation,
            screen,
            input,
            chat,
            prompt: None,
            stopping: false,
            failed: false,
            listening: false,
            draft,
        })
    }

    async fn until_over(&mut self) -> Result<Exit> {
        loop {
            // In this order: all that led to where it stands has been told by then.
            let standing = self.conversation.session.standing();
            if self.conversation.chunks.is_empty()
                && let Some(exit) = self.rest(standing)?
            {
                return Ok(exit);
            }
            tokio::select! {
                biased;
                signal = self.conversation.signals.next() => {
                    if let Some(exit) = self.signalled(signal)? {
                        return Ok(exit);
                    }
                }
                () = self.conversation.output.gone() => return self.conversation.nobody_reads(),
                Some(chunk) = self.conversation.chunks.recv() => self.told(chunk.chunk)?,
                line = self.input.next(), if self.prompt.is_some() || self.chat => {
                    if let Some(line) = line
                        && let Some(exit) = self.typed(&line)?
                    {
                        return Ok(exit);
                    }
                }
            }
        }
    }

    /// Everything has been told: is it over, is it to ask, or does it go on by itself?
    fn rest(&mut self, standing: Standing) -> Result<Option<Exit>> {
        match standing {
            Standing::Busy => Ok(None),
            Standing::Lost => Ok(Some(Exit::Failed)),
            Standing::Waiting(_) if self.input.ended() => {
                if self.input.terminal {
                    let id = &self.conversation.session_id;
                    self.screen.line(&format!("The question stays open. Go on with: sayso run --resume {id}"))?;
                }
                self.conversation.person_must_answer(&mut self.screen).map(Some)
            }
            Standing::Waiting(ids) => {
                self.ask(&ids)?;
                Ok(None)
            }
            Standing::Idle if self.stopping && !self.chat => Ok(Some(Exit::Interrupted)),
            Standing::Idle if self.chat && !self.input.ended() => {
                if !self.listening {
                    self.screen.prompt("\nyou> ")?;
                }
                self.listening = true;
                Ok(None)
            }
            Standing::Idle => {
                if self.chat {
                    let id = &self.conversation.session_id;
                    self.screen.line(&format!("Go on with: sayso run --resume {id}"))?;
                }
                Ok(Some(if self.failed { Exit::Failed } else { Exit::Done }))
            }
        }
    }

    fn signalled(&mut self, signal: Signal) -> Result<Option<Exit>> {
        match signal {
            Signal::Interrupt if self.stopping => return Ok(Some(Exit::Interrupted)),
            Signal::Interrupt => {}
            Signal::End(number, name) => {
                return Ok(Some(self.conversation.ended_by(number, name, &mut self.screen)?));
            }
        }
        self.stopping = true;
        match self.input.terminal {
            true => self.screen.break_line()?,
            false => self.screen.end_line()?,
        }
        if self.chat && self.conversation.session.standing() == Standing::Idle {
            self.screen.line("(Ctrl-C again, or Ctrl-D, ends the program; the session is kept.)")?;
            self.listening = false;
        } else {
            self.conversation.session.send(InputMessage::Interrupt, Via::Terminal)?;
        }
        Ok(None)
    }

    /// Shows what the agent says.
    fn told(&mut self, chunk: OutputChunk) -> Result<()> {
        match chunk {
            OutputChunk::Error { message, remedy } => {
                self.failed = true;
                self.screen.error(&self.conversation.failure(&message, &remedy))?;
            }
            OutputChunk::MessageQueued { .. } => {
                let waits = self.conversation.store.open_requests(Some(&self.conversation.session_id))?;
                self.screen.line(match waits.is_empty() {
                    true => "(kept for after; the agent is busy)",
                    false => "(kept for after: a question waits for its answer first)",
                })?;
            }
            OutputChunk::TurnEnded { reason } => {
                self.screen.chunk(&chunk)?;
                self.failed = reason == TurnEnd::Failed;
                self.stopping &= !self.chat;
                let kept = self.conversation.store.composer(&self.conversation.session_id)?;
                if kept != self.draft {
                    self.screen.line(&format!("Not sent, and kept as your draft: {kept}"))?;
                    self.draft = kept;
                }
            }
            OutputChunk::RequestClosed { ref request_id, .. } => {
                self.screen.chunk(&chunk)?;
                if self.prompt.as_ref().is_some_and(|open| open.request_id() == request_id) {
                    self.prompt = None;
                }
            }
            OutputChunk::UserMessage { .. } => {
                self.failed = false;
                self.screen.chunk(&chunk)?;
            }
            OutputChunk::Text { .. }
            | OutputChunk::ToolCall { .. }
            | OutputChunk::ToolResult { .. }
            | OutputChunk::StateChange { .. }
            | OutputChunk::AskUserQuestion { .. } => self.screen.chunk(&chunk)?,
        }
        Ok(())
    }

    /// Takes a line: as the answer to the question at hand, else as a message.
    fn typed(&mut self, line: &Line) -> Result<Option<Exit>> {
        self.stopping &= !self.chat;
        self.screen.answered(line.shown(), self.input.terminal)?;
        // Whoever typed it had not seen the question.
        let too_early = self.input.terminal && self.prompt.as_ref().is_some_and(|open| line.at < open.shown_at());
        match &mut self.prompt {
            Some(_) if too_early && !self.chat => {
                let words = line.shown();
                self.screen.line(&format!("  (typed before the question stood here, so it is no answer: {words})"))?;
                self.screen.prompt("> ")?;
                Ok(None)
            }
            Some(open) if !too_early => {
                let taken = open.take(&line.text, self.input.terminal);
                self.took(taken)
            }
            Some(_) | None => {
                self.listening = false;
                self.say(&line.text)?;
                Ok(None)
            }
        }
    }

    /// Sends a line as a message.
    fn say(&mut self, text: &Text) -> Result<()> {
        match text {
            Text::Whole(text) if text.trim().is_empty() => {}
            Text::Whole(text) => {
                let message = InputMessage::UserMessage { text: text.clone(), reply_to: None };
                self.conversation.session.send(message, Via::Terminal)?;
            }
            Text::Broken(_) => {
                self.screen.line("  This line is no UTF-8 text, so it was not sent. Type it again.")?;
            }
        }
        Ok(())
    }

    /// Puts the first of these requests, unless one is at hand.
    fn ask(&mut self, ids: &[String]) -> Result<()> {
        let (None, Some(id)) = (&self.prompt, ids.first()) else {
            return Ok(());
        };
        let store = &self.conversation.store;
        let draft = store.request_draft(&self.conversation.session_id, id)?;
        let mut open = Prompt::new(store.request(id)?, &draft);
        for line in open.kept() {
            self.screen.line(&line)?;
        }
        draw(&mut open, &mut self.screen)?;
        self.prompt = Some(open);
        Ok(())
    }

    fn took(&mut self, taken: Taken) -> Result<Option<Exit>> {
        let Some(open) = &mut self.prompt else {
            return Ok(None);
        };
        let Conversation { store, session, session_id, .. } = &*self.conversation;
        match taken {
            Taken::Next => {
                let draft = RequestDraft { replies: open.replies().clone(), comment: None };
                store.save_request_draft(session_id, open.request_id(), &draft)?;
                draw(open, &mut self.screen)?;
            }
            Taken::Again(why) => {
                self.screen.line(&format!("  {why}"))?;
                self.screen.prompt("> ")?;
            }
            Taken::GiveUp(why) => {
                self.screen.line(&format!("  {why}"))?;
                return self.conversation.person_must_answer(&mut self.screen).map(Some);
            }
            Taken::Whole(replies) => {
                let request_id = open.request_id().to_owned();
                self.prompt = None;
                let message = InputMessage::QuestionReplies { request_id, replies, comment: None };
                if let Err(error) = session.send(message, Via::Terminal) {
                    self.screen.line(&format!("  {error}"))?;
                }
            }
        }
        Ok(None)
    }
}

fn draw(open: &mut Prompt, screen: &mut Screen<Writer>) -> Result<()> {
    for line in open.lines() {
        screen.line(&line)?;
    }
    open.shown();
    Ok(screen.prompt("> ")?)
}
