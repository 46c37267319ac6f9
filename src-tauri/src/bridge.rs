//! From the sessions to the page: chunks in batches of at most one a frame, questions at once, and what other processes
//! write to sessions that are not run here.

use std::{
    collections::HashMap,
    fmt,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use sayso_core::{
    log::Log,
    protocol::{AgentState, OutputChunk, SessionChunk, UserQuestion},
    store::now,
};
use serde::{Deserialize, Serialize};
use specta::Type;
use tauri::{AppHandle, Manager, Runtime, ipc::Channel};
use tauri_specta::Event;
use tokio::time::{Instant, sleep, timeout_at};

use crate::agent::Agent;

/// Text that arrives within a frame crosses together.
const FRAME: Duration = Duration::from_millis(16);

/// How often the window looks whether another process has written.
const LOOK: Duration = Duration::from_millis(200);

/// The event `ask-user-question`.
#[derive(Debug, Clone, Serialize, Deserialize, Type, Event)]
#[serde(rename_all = "camelCase")]
pub struct AskUserQuestion {
    /// Matches the response to the request.
    pub request_id: String,
    /// The questions.
    pub questions: Vec<UserQuestion>,
    /// The session that asks.
    pub session_id: String,
}

/// The page that is listening; one that reloads takes the place of the one before.
#[derive(Default)]
pub struct Followers(Mutex<Option<Channel<Vec<SessionChunk>>>>);

impl fmt::Debug for Followers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Followers").finish_non_exhaustive()
    }
}

impl Followers {
    pub(crate) fn set(&self, channel: Channel<Vec<SessionChunk>>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(channel);
    }

    fn send(&self, batch: Vec<SessionChunk>) {
        if let Some(channel) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            // A page that is gone missed nothing: the next one asks for a snapshot.
            if let Err(error) = channel.send(batch) {
                tracing::debug!("the page does not listen: {error}");
            }
        }
    }
}

/// Starts to pass on.
pub(crate) fn start<R: Runtime>(app: AppHandle<R>) {
    app.manage(Followers::default());
    tauri::async_runtime::spawn(pass_on(app.clone()));
    tauri::async_runtime::spawn(watch_others(app));
}

async fn pass_on<R: Runtime>(app: AppHandle<R>) {
    let Some(mut heard) = app.state::<Agent>().hear() else {
        return;
    };
    while let Some(first) = heard.recv().await {
        let end = Instant::now() + FRAME;
        let mut batch = Vec::new();
        let mut next = Some(first);
        while let Some(chunk) = next {
            let text = matches!(chunk.chunk, OutputChunk::Text { .. });
            ask(&app, &chunk);
            join(&mut batch, chunk);
            // Only text waits for the frame: a question or a result crosses at once.
            next = if text { timeout_at(end, heard.recv()).await.ok().flatten() } else { heard.try_recv().ok() };
        }
        app.state::<Followers>().send(batch);
    }
}

/// Emits the event for a chunk that asks.
fn ask<R: Runtime>(app: &AppHandle<R>, chunk: &SessionChunk) {
    if let OutputChunk::AskUserQuestion { request_id, questions } = &chunk.chunk {
        let event = AskUserQuestion {
            request_id: request_id.clone(),
            questions: questions.clone(),
            session_id: chunk.session_id.clone(),
        };
        if let Err(error) = event.emit(app) {
            tracing::warn!("ask-user-question was not emitted: {error}; the page finds the question in its snapshot");
        }
    }
}

/// Adds a chunk to the batch; streamed text joins the text before it.
fn join(batch: &mut Vec<SessionChunk>, chunk: SessionChunk) {
    if let (OutputChunk::Text { text }, None) = (&chunk.chunk, chunk.seq)
        && let Some(SessionChunk { session_id, seq: None, chunk: OutputChunk::Text { text: before }, .. }) =
            batch.last_mut()
        && *session_id == chunk.session_id
    {
        before.push_str(text);
        return;
    }
    batch.push(chunk);
}

/// Tells the page of sessions that another process runs.
async fn watch_others<R: Runtime>(app: AppHandle<R>) {
    let agent = app.state::<Agent>();
    let Ok(store) = agent.store() else {
        return;
    };
    let mut logs: HashMap<String, Log> = HashMap::new();
    let mut version = store.data_version().ok();
    let mut looked = now();
    loop {
        sleep(LOOK).await;
        if let Some(session_id) = agent.freed() {
            // Nothing is written when a program ends, so this is all that the page can hear of it.
            let chunk = OutputChunk::StateChange { state: AgentState::Idle };
            app.state::<Followers>().send(vec![SessionChunk { session_id, seq: None, at: now(), chunk }]);
        }
        let changed = store.data_version().ok();
        if changed == version {
            continue;
        }
        version = changed;
        let since = std::mem::replace(&mut looked, now());
        let changed = store.sessions().unwrap_or_default();
        for session in changed.into_iter().filter(|session| session.updated_at + 1000 >= since) {
            let id = session.session_id;
            if agent.runs(&id) {
                logs.remove(&id);
                continue;
            }
            let known = logs.contains_key(&id);
            match store.catch_up(&id, logs.entry(id.clone()).or_default()) {
                Ok(mut chunks) => {
                    chunks.retain(|chunk| known || chunk.at >= since);
                    chunks.iter().for_each(|chunk| ask(&app, chunk));
                    app.state::<Followers>().send(chunks);
                }
                Err(error) => tracing::warn!("session {id} could not be read: {error}"),
            }
        }
    }
}
