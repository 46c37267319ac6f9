//! A running session: routes what front ends say, owns the turn's cancel token, and lets the loop run. One process
//! runs a session at a time; it holds the session's lock.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::{
    inbox::{AnswerRefused, Given, Inbox},
    log::{Entry, Log, Request, Step, next_step},
    model::Provider,
    protocol::{AgentState, InputMessage, OutputChunk, RequestDraft, Settings, Snapshot, TurnEnd, Via},
    question::Question,
    store::{Durability, SessionLock, Store, StoreError},
    turn::{
        self,
        shared::{Live, Shared},
    },
};

pub use crate::turn::shared::Emit;

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
    /// What the user has set; what changes while the session runs holds from the next step on.
    pub settings: watch::Receiver<Settings>,
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
            store,
            inbox,
            session_id,
            workspace,
            provider,
            settings,
            emit,
            wake: Notify::new(),
            live: Mutex::new(Live::new(log)),
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
        let settings = self.shared.settings.borrow().clone();
        let mut snapshot = snapshot(&self.shared.store, &self.shared.session_id, settings, live.log.seq())?;
        snapshot.streaming.clone_from(&live.streamed);
        snapshot.state = live.state.clone();
        snapshot.elsewhere = false;
        Ok(snapshot)
    }

    /// Stops the loop where it is, and ends what it had started. What waits stays open, for the next time.
    pub async fn close(&self) {
        self.running.abort();
        while !self.running.is_finished() {
            tokio::task::yield_now().await;
        }
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
pub fn snapshot(store: &Store, session_id: &str, settings: Settings, to: u64) -> Result<Snapshot, StoreError> {
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
        settings,
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
