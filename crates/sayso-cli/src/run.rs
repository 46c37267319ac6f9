//! `sayso run`: a turn, or a chat, in a folder.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sayso_core::{
    config::{Config, Folders},
    model::practice,
    protocol::{InputMessage, Via},
    session::Refused,
    store::{SessionRecord, Store},
};

use crate::{
    Exit, args,
    conversation::Conversation,
    home::store,
    input::Input,
    output::tell,
    talk::{With, talk},
};

pub(crate) async fn run(args: args::Run) -> Result<Exit> {
    let terminal = std::io::stdin().is_terminal();
    let nothing_said = match &args.prompt {
        Some(text) => text.trim().is_empty(),
        None => args.resume.is_none() && !args.json && !terminal,
    };
    if nothing_said {
        tell("sayso: say what you want: sayso run \"add a guard to divide\"");
        return Ok(Exit::Usage);
    }
    let (folders, store) = store()?;
    let config = folders.config()?;
    let record = match &args.resume {
        Some(id) => resumed(store.session(id)?, &args)?,
        None => begun(&store, &folders, &config, &args)?,
    };
    let with = if terminal && args.prompt.is_none() { With::Chat } else { With::OneTurn };
    let conversation = Conversation::open(store, &record, config.settings())?;
    // Only once the session is this process's own, and its model can be used.
    if args.model.is_some() || args.base_url.is_some() {
        conversation.store.set_model(&record.info.session_id, &record.info.model, record.base_url.as_deref())?;
    }
    if let Some(text) = args.prompt {
        conversation.session.send(InputMessage::UserMessage { text, reply_to: None }, Via::Terminal)?;
    } else if args.resume.is_some() {
        // A turn that failed is tried again; one that waits or has ended needs nothing.
        match conversation.session.resume() {
            Ok(()) | Err(Refused::NothingToResume) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let input = Input::start();
    match args.json {
        true => conversation.speak_json(input).await,
        false => talk(conversation, input, with).await,
    }
}

/// The session as it is to go on: with another model, where one is named.
fn resumed(mut record: SessionRecord, args: &args::Run) -> Result<SessionRecord> {
    if let Some(model) = &args.model {
        record.info.model = absolute(model)?;
    }
    if let Some(url) = &args.base_url {
        record.base_url = Some(url.clone());
    }
    Ok(record)
}

fn begun(store: &Store, folders: &Folders, config: &Config, args: &args::Run) -> Result<SessionRecord> {
    let model = &absolute(args.model.as_deref().unwrap_or(config.default_model()))?;
    let base_url = args.base_url.as_deref().or(config.base_url.as_deref());
    // Before anything is stored: a model that cannot be used leaves no session behind.
    sayso_core::config::provider(model, base_url)?;
    let workspace = workspace(folders, model, args.folder.as_deref())?;
    Ok(store.create_session(&workspace, model, base_url)?)
}

/// The model, a script's path made whole: the session may go on from another folder.
fn absolute(model: &str) -> Result<String> {
    match model.strip_prefix("practice:").filter(|file| !file.is_empty()) {
        Some(file) => {
            let file = std::path::absolute(file).with_context(|| format!("cannot find the script {file}"))?;
            Ok(format!("practice:{}", file.display()))
        }
        None => Ok(model.into()),
    }
}

fn workspace(folders: &Folders, model: &str, folder: Option<&Path>) -> Result<PathBuf> {
    if let Some(folder) = folder {
        return folder
            .canonicalize()
            .with_context(|| format!("cannot work in {}. Give a folder that exists with -C", folder.display()));
    }
    let here = std::env::current_dir().context("the current folder is gone. Give one that exists with -C")?;
    if model != "practice" || here.join("src/calc.js").exists() {
        return Ok(here);
    }
    let project = practice::unpack(&folders.practice)
        .with_context(|| format!("cannot make a practice project in {}", folders.practice.display()))?;
    tell(&format!("Working in a new copy of the practice project: {}", project.display()));
    Ok(project)
}
