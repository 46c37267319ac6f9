//! What the loop and the routing of messages share: the log as it stands, what is shown, and the turn's cancel token.

use std::{
    fmt,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    inbox::Inbox,
    log::{Entry, Log, Step, next_step},
    model::Provider,
    protocol::{AgentState, OutputChunk, SessionChunk, Settings},
    question::ask_user_question::AskOptions,
    store::{Durability, Store, StoreError, now},
    tool::Tools,
};

/// Takes what front ends see; called in order, and must not block.
pub type Emit = Arc<dyn Fn(SessionChunk) + Send + Sync>;

/// What the loop and the routing share.
pub(crate) struct Shared {
    pub(crate) store: Arc<Store>,
    pub(crate) inbox: Inbox,
    pub(crate) session_id: String,
    pub(crate) workspace: PathBuf,
    pub(crate) provider: Arc<dyn Provider>,
    /// As they are now: the user may change them at any time.
    pub(crate) settings: watch::Receiver<Settings>,
    pub(crate) emit: Emit,
    /// Wakes the loop when there may be a next step.
    pub(crate) wake: Notify,
    pub(crate) live: Mutex<Live>,
}

/// What changes while a session runs.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) log: Log,
    /// The turn's own token; a new turn gets a new one.
    pub(crate) cancel: CancellationToken,
    pub(crate) state: AgentState,
    /// Text that has been shown and is not logged yet.
    pub(crate) streamed: String,
    /// The store failed and the loop has ended.
    pub(crate) lost: bool,
}

impl Live {
    /// Where the log ends, with nothing under way yet.
    pub(crate) fn new(log: Log) -> Self {
        Self { log, cancel: CancellationToken::new(), state: AgentState::Idle, streamed: String::new(), lost: false }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("session_id", &self.session_id).field("workspace", &self.workspace).finish()
    }
}

impl Shared {
    /// The tools, as the settings want them now.
    pub(crate) fn tools(&self) -> Tools {
        Tools::built_in(AskOptions::from(&*self.settings.borrow()))
    }

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

    pub(crate) fn tell(&self, seq: Option<u64>, chunk: OutputChunk) {
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

    pub(crate) fn lock(&self) -> MutexGuard<'_, Live> {
        // The log is only changed by whole entries, so a panic elsewhere leaves it whole.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Whole,
    WithoutText,
}
