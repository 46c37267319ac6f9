//! The page's commands; each calls one function of the agent's.

use std::collections::{BTreeMap, HashMap};

use sayso_core::{
    inbox::Given,
    protocol::{
        InputMessage, OpenRequest, Reply, ReplyTo, RequestDraft, SessionChunk, SessionInfo, Settings, Snapshot,
    },
};
use tauri::{State, ipc::Channel};

use crate::{
    agent::{Agent, Draft},
    bridge::Followers,
};

/// Sends what all sessions say to the page, at most one batch a frame.
#[tauri::command]
#[specta::specta]
pub fn follow(followers: State<'_, Followers>, on_chunks: Channel<Vec<SessionChunk>>) {
    followers.set(on_chunks);
}

/// All the page needs to show a session; goes on with it where it was left.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn snapshot(agent: State<'_, Agent>, session_id: String) -> Result<Snapshot, String> {
    agent.snapshot(&session_id)
}

/// The sessions there are, the one that changed last first.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn sessions(agent: State<'_, Agent>) -> Result<Vec<SessionInfo>, String> {
    agent.sessions()
}

/// What waits for a person, in all sessions.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn inbox(agent: State<'_, Agent>) -> Result<Vec<OpenRequest>, String> {
    agent.inbox()
}

/// A new session in this folder; without one, in a new copy of the practice project.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn start_session(agent: State<'_, Agent>, workspace: Option<String>) -> Result<String, String> {
    agent.start_session(workspace.as_deref())
}

/// A message for the agent, or with `reply_to` the answer to a question in words.
///
/// # Errors
/// A sentence for the person; what was typed stays.
#[tauri::command]
#[specta::specta]
pub async fn send_message(
    agent: State<'_, Agent>,
    session_id: String,
    text: String,
    reply_to: Option<ReplyTo>,
) -> Result<(), String> {
    match reply_to {
        Some(ReplyTo { request_id, key }) => agent.answer(&request_id, Given::Words { key, text }),
        None => agent.send(&session_id, InputMessage::UserMessage { text, reply_to: None }),
    }
}

/// The answer to a request. Ok only once it is stored. Where `replies` is there, it alone counts.
///
/// # Errors
/// A sentence for the person; nothing was delivered, and what was typed is kept as a draft.
#[tauri::command]
#[specta::specta]
pub async fn send_question_response(
    agent: State<'_, Agent>,
    request_id: String,
    answers: HashMap<String, String>,
    replies: Option<BTreeMap<String, Reply>>,
    comment: Option<String>,
) -> Result<(), String> {
    let given = match replies {
        Some(replies) => Given::Replies { replies, comment },
        None => Given::Answers(answers),
    };
    agent.answer(&request_id, given)
}

/// Stops the agent: the question on screen closes and the turn ends. Idle: nothing happens.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn interrupt_agent(agent: State<'_, Agent>, session_id: Option<String>) -> Result<(), String> {
    agent.interrupt(session_id)
}

/// Keeps what was typed or ticked and not sent: for a request, or in the composer.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn save_draft(
    agent: State<'_, Agent>,
    session_id: String,
    request_id: Option<String>,
    replies: Option<BTreeMap<String, Reply>>,
    comment: Option<String>,
    text: Option<String>,
) -> Result<(), String> {
    let draft = match request_id {
        Some(id) => Draft::Request(id, RequestDraft { replies: replies.unwrap_or_default(), comment }),
        None => Draft::Composer(text.unwrap_or_default()),
    };
    agent.draft(&session_id, draft)
}

/// Goes on with a turn that failed.
///
/// # Errors
/// A sentence for the person.
#[tauri::command]
#[specta::specta]
pub async fn resume_turn(agent: State<'_, Agent>, session_id: String) -> Result<(), String> {
    agent.resume(&session_id)
}

/// What the user has set.
///
/// # Errors
/// A sentence for the person: `config.toml` cannot be read.
#[tauri::command]
#[specta::specta]
pub async fn settings(agent: State<'_, Agent>) -> Result<Settings, String> {
    agent.settings()
}

/// Keeps the settings in `config.toml`; they hold at once, for sessions that run too.
///
/// # Errors
/// A sentence for the person; nothing was changed.
#[tauri::command]
#[specta::specta]
pub async fn save_settings(agent: State<'_, Agent>, settings: Settings) -> Result<(), String> {
    agent.save_settings(settings)
}
