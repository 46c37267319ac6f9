//! `sayso sessions` and `sayso inbox`.

use anyhow::Result;
use sayso_core::protocol::OpenRequest;
use serde_json::json;

use crate::{Exit, conversation::store, screen::plain};

pub(crate) fn sessions() -> Result<Exit> {
    let (_, store) = store()?;
    let sessions = store.sessions()?;
    if sessions.is_empty() {
        println!("Nothing here yet. Start with: sayso run \"what you want\"");
    }
    for session in sessions {
        let state = match session.waiting {
            0 => "-".into(),
            count => format!("waiting for you ({count})"),
        };
        println!("{}  {state}  {}  {}", session.session_id, plain(&session.workspace), plain(&session.title));
    }
    Ok(Exit::Done)
}

pub(crate) fn inbox(json: bool) -> Result<Exit> {
    let (_, store) = store()?;
    let open = store.open_requests(None)?;
    if json {
        for request in &open {
            println!("{}", open_request_json(request)?);
        }
        return Ok(Exit::Done);
    }
    if open.is_empty() {
        println!("No one is waiting for you.");
    }
    for request in open {
        println!("{}", request.request_id);
        for question in request.questions {
            println!("  {}: {}", plain(&question.header), plain(&question.question));
            for (place, option) in question.options.iter().enumerate() {
                println!("    {}. {}", place + 1, plain(&option.label));
            }
        }
    }
    Ok(Exit::Done)
}

/// An open request on one line, as other programs read it.
pub(crate) fn open_request_json(request: &OpenRequest) -> Result<String> {
    let line = json!({
        "request_id": request.request_id,
        "session_id": request.session_id,
        "questions": request.questions,
    });
    Ok(serde_json::to_string(&line)?)
}
