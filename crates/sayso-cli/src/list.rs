//! `sayso sessions` and `sayso inbox`.

use anyhow::Result;
use sayso_core::protocol::{AskedFigures, OpenRequest};
use serde_json::json;

use crate::{
    Exit,
    home::store,
    output::print,
    screen::{hanging, plain},
};

pub(crate) fn sessions() -> Result<Exit> {
    let (_, store) = store()?;
    let sessions = store.sessions()?;
    let mut text = String::new();
    if sessions.is_empty() {
        text.push_str("Nothing here yet. Start with: sayso run \"what you want\"\n");
    }
    for session in sessions {
        let state = match session.waiting {
            0 => "-".into(),
            count => format!("waiting for you ({count})"),
        };
        let AskedFigures { answered, accepted_default, revisited } = session.asked;
        let asked = match answered {
            0 => String::new(),
            _ => format!("  ({answered} answered: {accepted_default} by the default, {revisited} revisited)"),
        };
        let (folder, title) = (plain(&session.workspace), plain(&session.title));
        text += &format!("{}  {state}  {folder}  {title}{asked}\n", session.session_id);
    }
    print(&text)?;
    Ok(Exit::Done)
}

pub(crate) fn inbox(json: bool) -> Result<Exit> {
    let (_, store) = store()?;
    let open = store.open_requests(None)?;
    let mut text = String::new();
    for request in &open {
        if json {
            text += &open_request_json(request)?;
            text.push('\n');
            continue;
        }
        text += &format!("{}\n", request.request_id);
        for question in &request.questions {
            text += &format!("  {}: {}\n", plain(&hanging(&question.header)), plain(&hanging(&question.question)));
            for (place, option) in question.options.iter().enumerate() {
                text += &format!("    {}. {}\n", place + 1, plain(&hanging(&option.label)));
            }
        }
    }
    if open.is_empty() && !json {
        text.push_str("No one is waiting for you.\n");
    }
    print(&text)?;
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
