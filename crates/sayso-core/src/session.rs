//! A running session: routes what front ends say, owns the turn's cancel token, and lets the loop run. One process
//! runs a session at a time; it holds the session's lock.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    inbox::{AnswerRefused, Given, Inbox},
    log::{Entry, Log, Request, Step, next_step},
    model::Provider,
    protocol::{AgentState, InputMessage, OutputChunk, RequestDraft, SessionChunk, Settings, Snapshot, TurnEnd, Via},
    question::{Question, ask_user_question::AskOptions},
    store::{Durability, SessionLock, Store, StoreError, now},
    tool::Tools,
    turn,
};

/// Takes what front ends see; called in order, and must not block.
pub type Emit = Arc<dyn Fn(SessionChunk) + Send + Sync>;

/// What a session runs with.
pub struct Setup {
    /// Where everything is kept.
    pub store: Arc<Store>,
    /// The inbox of the same store, one a process.
    pub inbox: Inbox,
    /// The session.
    pub session_id: String,
    /// The model.
    pub provider: Arc<dyn Provider>,
    /// What front ends show differently by setting.
    pub settings: Settings,
    /// Who is told what happens.
    pub emit: Emit,
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup").field("session_id", &self.session_id).field("provider", &self.provider).finish()
    }
}

/// Why a session cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Its folder is gone.
    #[error("the folder {path} no longer exists. Bring it back, or start a session in another folder.", path = .0.display())]
    FolderGone(PathBuf),
    /// The store, or another process that runs it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// An answer that does not fit.
    #[error(transparent)]
    Answer(#[from] AnswerRefused),
    /// Nothing was written.
    #[error("the message is empty; write something first")]
    Empty,
    /// There is no failed turn.
    #[error("there is nothing to go on with: the last turn ended by itself")]
    NothingToResume,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The next word is the user's.
    Idle,
    /// These requests wait for a person, and nothing goes on without one.
    Waiting(Vec<String>),
    /// Something goes on.
    Busy,
    /// The store failed, and nothing goes on before the next start.
    Lost,
}

/// A session that this process runs. Dropping it stops the loop where it is, as a crash would.
#[derive(Debug)]
pub struct Session {
    shared: Arc<Shared>,
    running: tokio::task::AbortHandle,
    _lock: SessionLock,
}

impl Session {
    /// Opens the session and goes on where its log ends: a restart is only the loop being called again. Must be called
    /// within a tokio runtime.
    ///
    /// # Errors
    /// When the folder is gone, another process runs the session, or its log cannot be read.
    pub fn open(setup: Setup) -> Result<Self, OpenError> {
        let Setup { store, inbox, session_id, provider, settings, emit } = setup;
        let record = store.session(&session_id)?;
        let given = PathBuf::from(&record.info.workspace);
        let workspace = given.canonicalize().map_err(|_| OpenError::FolderGone(given))?;
        let lock = store.lock(&session_id)?;
        let mut log = Log::default();
        store.catch_up(&session_id, &mut log)?;
        let shared = Arc::new(Shared {
            tools: Tools::built_in(AskOptions { strict_options: settings.strict_options, lenient: false }),
            store,
            inbox,
            session_id,
            workspace,
            provider,
            settings,
            emit,
            wake: Notify::new(),
            live: Mutex::new(Live {
                log,
                cancel: CancellationToken::new(),
                state: AgentState::Idle,
                streamed: String::new(),
                lost: false,
            }),
        });
        let running = tokio::spawn(drive(shared.clone())).abort_handle();
        Ok(Self { shared, running, _lock: lock })
    }

    /// Takes what a front end says. `Ok` means that it is stored.
    ///
    /// # Errors
    /// A sentence for the person; nothing was changed, and what was typed is kept.
    pub fn send(&self, message: InputMessage, via: Via) -> Result<(), Refused> {
        let shared = &self.shared;
        match message {
            InputMessage::UserMessage { text, .. } if text.trim().is_empty() => Err(Refused::Empty),
            InputMessage::UserMessage { text, reply_to: Some(to) } => {
                self.answer(&to.request_id, &Given::Words { key: to.key, text }, via)
            }
            InputMessage::UserMessage { text, reply_to: None } => {
                shared.append(Durability::Synced, |_| vec![Entry::UserMessage { text }])?;
                shared.wake.notify_one();
                Ok(())
            }
            InputMessage::UserQuestionResponse { request_id, answers } => {
                self.answer(&request_id, &Given::Answers(answers), via)
            }
            InputMessage::QuestionReplies { request_id, replies, comment } => {
                self.answer(&request_id, &Given::Replies { replies, comment }, via)
            }
            InputMessage::Draft { request_id: Some(id), replies, comment, .. } => {
                Ok(shared.inbox.draft(&id, &RequestDraft { replies: replies.unwrap_or_default(), comment })?)
            }
            InputMessage::Draft { request_id: None, text, .. } => {
                Ok(shared.store.save_composer(&shared.session_id, &text.unwrap_or_default())?)
            }
            InputMessage::Interrupt => {
                let live = shared.lock();
                // Where nothing is under way there is nothing to stop, now or later.
                if next_step(&live.log) != Step::Idle {
                    live.cancel.cancel();
                }
                Ok(())
            }
        }
    }

    /// Goes on with a turn that failed.
    ///
    /// # Errors
    /// When the last turn did not fail.
    pub fn resume(&self) -> Result<(), Refused> {
        if self.shared.with_log(|log| log.ended()) != Some(TurnEnd::Failed) {
            return Err(Refused::NothingToResume);
        }
        self.shared.append(Durability::Relaxed, |_| vec![Entry::TurnResumed])?;
        self.shared.wake.notify_one();
        Ok(())
    }

    /// Asks a person in the name of a program; nothing but the answer follows from it.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn ask(&self, asker: &str, questions: Vec<Question>) -> Result<String, StoreError> {
        let id = Uuid::now_v7().to_string();
        let request = Request { id: id.clone(), call_id: None, asker: asker.into(), questions };
        self.shared.append(Durability::Synced, |_| vec![Entry::RequestOpened { request }])?;
        self.shared.wake.notify_one();
        Ok(id)
    }

    /// Whether the session has come to rest: everything that led there has been told by then.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let live = self.shared.lock();
        match (next_step(&live.log), &live.state) {
            _ if live.lost => Standing::Lost,
            (Step::Idle, AgentState::Idle) => Standing::Idle,
            (Step::Wait(ids), AgentState::WaitingForUserInput { .. }) => Standing::Waiting(ids),
            _ => Standing::Busy,
        }
    }

    /// All a page needs to show the session.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn snapshot(&self) -> Result<Snapshot, StoreError> {
        let live = self.shared.lock();
        let mut snapshot =
            snapshot(&self.shared.store, &self.shared.session_id, &self.shared.settings, live.log.seq())?;
        snapshot.streaming.clone_from(&live.streamed);
        snapshot.state = live.state.clone();
        snapshot.elsewhere = false;
        Ok(snapshot)
    }

    fn answer(&self, request_id: &str, given: &Given, via: Via) -> Result<(), Refused> {
        self.shared.inbox.answer(request_id, given, via)?;
        // What was just stored counts at once, also for whoever asks where the session stands.
        Ok(self.shared.catch_up()?)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.running.abort();
    }
}

/// All a page needs to show a session that another process may run: its log up to entry `to`.
///
/// # Errors
/// When the store cannot be read.
pub fn snapshot(store: &Store, session_id: &str, settings: &Settings, to: u64) -> Result<Snapshot, StoreError> {
    let record = store.session(session_id)?;
    let mut log = Log::default();
    let mut history = store.catch_up(session_id, &mut log)?;
    history.retain(|chunk| chunk.seq.is_none_or(|seq| seq <= to));
    let requests = store.open_requests(Some(session_id))?;
    let state = match (requests.first(), log.running()) {
        (Some(request), _) => AgentState::WaitingForUserInput { request_id: request.request_id.clone() },
        (None, true) => AgentState::Thinking,
        (None, false) => AgentState::Idle,
    };
    Ok(Snapshot {
        session: record.info,
        seq: log.seq().min(to),
        history,
        streaming: String::new(),
        state,
        requests,
        draft: store.composer(session_id)?,
        queued: log.queued().map(Into::into).collect(),
        elsewhere: true,
        settings: settings.clone(),
    })
}

async fn drive(shared: Arc<Shared>) {
    loop {
        if let Err(error) = turn::run(&shared).await {
            // Without a store nothing can be written, so nothing may be done.
            shared.lock().lost = true;
            let message = error.to_string();
            shared.tell(
                None,
                OutputChunk::Error { message, remedy: "Then start Sayso again: it goes on where the log ends.".into() },
            );
            shared.show(AgentState::Idle);
            return;
        }
        shared.show(AgentState::Idle);
        shared.wake.notified().await;
    }
}

/// What the loop and the routing share.
pub(crate) struct Shared {
    pub(crate) store: Arc<Store>,
    pub(crate) inbox: Inbox,
    pub(crate) session_id: String,
    pub(crate) workspace: PathBuf,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) tools: Tools,
    settings: Settings,
    emit: Emit,
    wake: Notify,
    live: Mutex<Live>,
}

#[derive(Debug)]
struct Live {
    log: Log,
    /// The turn's own token; a new turn gets a new one.
    cancel: CancellationToken,
    state: AgentState,
    /// Text that has been shown and is not logged yet.
    streamed: String,
    /// The store failed and the loop has ended.
    lost: bool,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("session_id", &self.session_id).field("workspace", &self.workspace).finish()
    }
}

impl Shared {
    /// The next step, and the token of the turn it belongs to.
    pub(crate) fn next(&self) -> (Step, CancellationToken) {
        let live = self.lock();
        (next_step(&live.log), live.cancel.clone())
    }

    pub(crate) fn with_log<T>(&self, read: impl FnOnce(&Log) -> T) -> T {
        read(&self.lock().log)
    }

    /// Takes in what other processes wrote.
    pub(crate) fn catch_up(&self) -> Result<(), StoreError> {
        let mut live = self.lock();
        let chunks = self.store.catch_up(&self.session_id, &mut live.log)?;
        self.send_all(chunks);
        Ok(())
    }

    /// Writes what `entries` computes from the log as it stands, then shows it.
    pub(crate) fn append(
        &self,
        durability: Durability,
        entries: impl FnOnce(&Log) -> Vec<Entry>,
    ) -> Result<(), StoreError> {
        let mut live = self.lock();
        self.append_to(&mut live, durability, entries, Shown::Whole)
    }

    /// Writes a message of the model's whose text has been shown as it came.
    pub(crate) fn append_streamed(&self, message: impl FnOnce(String) -> Entry) -> Result<(), StoreError> {
        let mut live = self.lock();
        let text = std::mem::take(&mut live.streamed);
        self.append_to(&mut live, Durability::Relaxed, |_| vec![message(text)], Shown::WithoutText)
    }

    /// Ends the turn because the person said so. Nothing happens when none is under way.
    pub(crate) fn interrupt(&self) -> Result<(), StoreError> {
        let mut live = self.lock();
        live.cancel = CancellationToken::new();
        self.return_words(&live.log)?;
        self.append_to(&mut live, Durability::Synced, Log::interruption, Shown::Whole)
    }

    /// Shows text of the model's before it is logged.
    pub(crate) fn stream_text(&self, text: &str) {
        let mut live = self.lock();
        live.streamed.push_str(text);
        self.tell(None, OutputChunk::Text { text: text.into() });
    }

    /// Whether text has been shown since the last message was logged.
    pub(crate) fn has_streamed(&self) -> bool {
        !self.lock().streamed.is_empty()
    }

    /// Tells the state, if it is a new one.
    pub(crate) fn show(&self, state: AgentState) {
        let mut live = self.lock();
        if live.state != state {
            live.state = state.clone();
            self.tell(None, OutputChunk::StateChange { state });
        }
    }

    fn tell(&self, seq: Option<u64>, chunk: OutputChunk) {
        (self.emit)(SessionChunk { session_id: self.session_id.clone(), seq, at: now(), chunk });
    }

    fn append_to(
        &self,
        live: &mut Live,
        durability: Durability,
        entries: impl FnOnce(&Log) -> Vec<Entry>,
        shown: Shown,
    ) -> Result<(), StoreError> {
        let turns = live.log.turns();
        let mut chunks = self.store.append(&self.session_id, &mut live.log, durability, entries)?;
        if live.log.turns() != turns {
            live.cancel = CancellationToken::new();
        }
        if shown == Shown::WithoutText {
            chunks.retain(|chunk| !matches!(chunk.chunk, OutputChunk::Text { .. }));
        }
        self.send_all(chunks);
        Ok(())
    }

    fn send_all(&self, chunks: Vec<SessionChunk>) {
        for chunk in chunks {
            (self.emit)(chunk);
        }
    }

    /// What was typed for open questions and what was queued goes to the composer: a stop loses no words.
    fn return_words(&self, log: &Log) -> Result<(), StoreError> {
        let mut words = vec![self.store.composer(&self.session_id)?];
        for request in log.requests() {
            let draft = self.store.request_draft(&self.session_id, &request.id)?;
            for reply in draft.replies.into_values() {
                words.extend(reply.text);
                words.extend(reply.note);
            }
            words.extend(draft.comment);
        }
        words.extend(log.queued().map(Into::into));
        if words.len() == 1 {
            return Ok(());
        }
        words.retain(|text| !text.trim().is_empty());
        self.store.save_composer(&self.session_id, &words.join("\n\n"))
    }

    fn lock(&self) -> MutexGuard<'_, Live> {
        // The log is only changed by whole entries, so a panic elsewhere leaves it whole.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Whole,
    WithoutText,
}
