//! A session at a terminal, in a pipe or as JSON: shows what happens, takes lines, and knows when it is over.

use std::{io::Write, sync::Arc};

use anyhow::Result;
use sayso_core::{
    config::{Folders, provider},
    inbox::Inbox,
    protocol::{InputMessage, OutputChunk, RequestDraft, SessionChunk, Settings, TurnEnd, Via},
    session::{Session, Setup, Standing},
    store::{SessionRecord, Store},
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::{
    Exit,
    input::Input,
    list,
    prompt::{Prompt, Taken},
    screen::Screen,
};

/// A session with its front end.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub(crate) store: Arc<Store>,
    pub(crate) session: Session,
    pub(crate) record: SessionRecord,
    chunks: UnboundedReceiver<SessionChunk>,
}

/// The store of this environment.
pub(crate) fn store() -> Result<(Folders, Arc<Store>)> {
    let folders = Folders::find()?;
    let store = Arc::new(Store::open(&folders.data)?);
    Ok((folders, store))
}

impl Conversation {
    /// Opens the session with the model it is set to.
    pub(crate) fn open(store: Arc<Store>, record: SessionRecord, settings: Settings) -> Result<Self> {
        let provider = provider(&record.info.model, record.base_url.as_deref())?;
        let (sender, chunks) = unbounded_channel();
        let setup = Setup {
            inbox: Inbox::new(store.clone()),
            store: store.clone(),
            session_id: record.info.session_id.clone(),
            provider,
            settings,
            emit: Arc::new(move |chunk| {
                // Nobody listens any more once the program is on its way out.
                drop(sender.send(chunk));
            }),
        };
        Ok(Self { session: Session::open(setup)?, store, record, chunks })
    }

    /// Talks until the agent is idle or nobody is left to answer. `chat` takes further messages at a terminal.
    pub(crate) async fn talk(self, input: Input, chat: bool) -> Result<Exit> {
        let mut screen = Screen::new(std::io::stdout().lock());
        let exit = self.talk_on(input, chat, &mut screen).await?;
        screen.end_line()?;
        Ok(exit)
    }

    async fn talk_on(mut self, mut input: Input, chat: bool, screen: &mut Screen<impl Write>) -> Result<Exit> {
        let mut prompt: Option<Prompt> = None;
        let mut interrupted = false;
        let mut failed = false;
        let mut listening = false;
        loop {
            if self.chunks.is_empty() {
                match self.session.standing() {
                    Standing::Idle if interrupted && !chat => return Ok(Exit::Interrupted),
                    Standing::Idle if chat && !input.ended() => {
                        if !listening {
                            screen.prompt("\nyou> ")?;
                        }
                        listening = true;
                    }
                    Standing::Idle => return Ok(if failed { Exit::Failed } else { Exit::Done }),
                    Standing::Waiting(_) if input.ended() => return self.person_must_answer(),
                    Standing::Waiting(ids) => self.show_next(&mut prompt, &ids, screen)?,
                    Standing::Busy => {}
                }
            }
            tokio::select! {
                biased;
                Some(chunk) = self.chunks.recv() => {
                    screen.chunk(&chunk.chunk)?;
                    match chunk.chunk {
                        OutputChunk::TurnEnded { reason } => failed = reason == TurnEnd::Failed,
                        OutputChunk::RequestClosed { request_id, .. } if prompt.as_ref().is_some_and(|open| open.request_id() == request_id) => prompt = None,
                        _ => {}
                    }
                }
                signal = tokio::signal::ctrl_c() => {
                    signal?;
                    if interrupted && !chat {
                        return Ok(Exit::Interrupted);
                    }
                    interrupted = true;
                    screen.end_line()?;
                    self.session.send(InputMessage::Interrupt, Via::Terminal)?;
                }
                line = input.next(), if prompt.is_some() || chat => match (line, &mut prompt) {
                    (None, _) => {}
                    (Some(line), Some(open)) => {
                        screen.answered(&line, input.terminal)?;
                        let taken = open.take(&line, input.terminal);
                        if let Some(exit) = self.took(taken, &mut prompt, screen)? {
                            return Ok(exit);
                        }
                    }
                    (Some(line), None) if chat => {
                        interrupted = false;
                        listening = false;
                        screen.answered(&line, input.terminal)?;
                        if !line.trim().is_empty() {
                            self.session.send(InputMessage::UserMessage { text: line, reply_to: None }, Via::Terminal)?;
                        }
                    }
                    (Some(_), None) => {}
                },
            }
        }
    }

    fn show_next(&self, prompt: &mut Option<Prompt>, ids: &[String], screen: &mut Screen<impl Write>) -> Result<()> {
        if prompt.is_some() {
            return Ok(());
        }
        let Some(id) = ids.first() else {
            return Ok(());
        };
        let draft = self.store.request_draft(&self.record.info.session_id, id)?;
        let open = Prompt::new(self.store.request(id)?, draft);
        for line in open.kept() {
            screen.line(&line)?;
        }
        draw(&open, screen)?;
        *prompt = Some(open);
        Ok(())
    }

    fn took(&self, taken: Taken, prompt: &mut Option<Prompt>, screen: &mut Screen<impl Write>) -> Result<Option<Exit>> {
        let Some(open) = prompt else {
            return Ok(None);
        };
        match taken {
            Taken::Next => {
                let draft = RequestDraft { replies: open.replies().clone(), comment: None };
                self.store.save_request_draft(&self.record.info.session_id, open.request_id(), &draft)?;
                draw(open, screen)?;
            }
            Taken::Again(why) => {
                screen.line(&format!("  {why}"))?;
                screen.prompt("> ")?;
            }
            Taken::GiveUp(why) => {
                screen.line(&format!("  {why}"))?;
                return Ok(Some(self.person_must_answer()?));
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
    pub(crate) async fn speak_json(mut self, mut input: Input) -> Result<Exit> {
        let mut out = std::io::stdout().lock();
        let mut interrupted = false;
        let mut failed = false;
        for open in self.store.open_requests(Some(&self.record.info.session_id))? {
            let chunk = OutputChunk::AskUserQuestion { request_id: open.request_id, questions: open.questions };
            write_json(&mut out, &chunk)?;
        }
        loop {
            if self.chunks.is_empty() {
                match self.session.standing() {
                    Standing::Idle if interrupted => return Ok(Exit::Interrupted),
                    Standing::Idle if input.ended() => return Ok(if failed { Exit::Failed } else { Exit::Done }),
                    Standing::Waiting(_) if input.ended() => return self.person_must_answer(),
                    Standing::Idle | Standing::Waiting(_) | Standing::Busy => {}
                }
            }
            tokio::select! {
                biased;
                Some(chunk) = self.chunks.recv() => {
                    match &chunk.chunk {
                        OutputChunk::TurnEnded { reason: TurnEnd::Interrupted } => interrupted = true,
                        OutputChunk::TurnEnded { reason } => failed = *reason == TurnEnd::Failed,
                        OutputChunk::UserMessage { .. } => interrupted = false,
                        _ => {}
                    }
                    write_json(&mut out, &chunk.chunk)?;
                }
                signal = tokio::signal::ctrl_c() => {
                    signal?;
                    interrupted = true;
                    self.session.send(InputMessage::Interrupt, Via::Terminal)?;
                }
                line = input.next() => {
                    let Some(line) = line.filter(|line| !line.trim().is_empty()) else { continue };
                    let refused = match serde_json::from_str(&line) {
                        Ok(message) => self.session.send(message, Via::Terminal).err().map(|error| error.to_string()),
                        Err(error) => Some(format!("this line is no message: {error}")),
                    };
                    if let Some(message) = refused {
                        let remedy = "Nothing was changed. Send a message as docs/automation.md describes it, one JSON object a line.".into();
                        write_json(&mut out, &OutputChunk::Error { message, remedy })?;
                    }
                }
            }
        }
    }

    fn person_must_answer(&self) -> Result<Exit> {
        for open in self.store.open_requests(Some(&self.record.info.session_id))? {
            eprintln!("{}", list::open_request_json(&open)?);
        }
        Ok(Exit::PersonMustAnswer)
    }
}

fn draw(open: &Prompt, screen: &mut Screen<impl Write>) -> Result<()> {
    for line in open.lines() {
        screen.line(&line)?;
    }
    Ok(screen.prompt("> ")?)
}

fn write_json(out: &mut impl Write, chunk: &OutputChunk) -> Result<()> {
    let mut line = serde_json::to_string(chunk)?;
    line.push('\n');
    out.write_all(line.as_bytes())?;
    Ok(out.flush()?)
}
