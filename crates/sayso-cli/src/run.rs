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
    conversation::{Conversation, store},
    input::Input,
};

pub(crate) async fn run(args: args::Run) -> Result<Exit> {
    let terminal = std::io::stdin().is_terminal();
    if args.prompt.is_none() && args.resume.is_none() && !args.json && !terminal {
        eprintln!("sayso: say what you want: sayso run \"add a guard to divide\"");
        return Ok(Exit::Usage);
    }
    let (folders, store) = store()?;
    let config = folders.config()?;
    let record = match &args.resume {
        Some(id) => resumed(&store, id, &args)?,
        None => begun(&store, &folders, &config, &args)?,
    };
    let chat = terminal && args.prompt.is_none();
    let resume = args.resume.is_some() && args.prompt.is_none();
    let conversation = Conversation::open(store, record, config.settings())?;
    if let Some(text) = args.prompt {
        conversation.session.send(InputMessage::UserMessage { text, reply_to: None }, Via::Terminal)?;
    } else if resume {
        // A turn that failed is tried again; one that waits or has ended needs nothing.
        match conversation.session.resume() {
            Ok(()) | Err(Refused::NothingToResume) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let input = Input::start();
    match args.json {
        true => conversation.speak_json(input).await,
        false => conversation.talk(input, chat).await,
    }
}

fn resumed(store: &Store, id: &str, args: &args::Run) -> Result<SessionRecord> {
    let record = store.session(id)?;
    if args.model.is_none() && args.base_url.is_none() {
        return Ok(record);
    }
    let model = args.model.as_deref().unwrap_or(&record.info.model);
    store.set_model(id, model, args.base_url.as_deref().or(record.base_url.as_deref()))?;
    Ok(store.session(id)?)
}

fn begun(store: &Store, folders: &Folders, config: &Config, args: &args::Run) -> Result<SessionRecord> {
    let model = args.model.as_deref().unwrap_or(config.default_model());
    let base_url = args.base_url.as_deref().or(config.base_url.as_deref());
    // Before anything is stored: a model that cannot be used leaves no session behind.
    sayso_core::config::provider(model, base_url)?;
    let workspace = workspace(folders, model, args.folder.as_deref())?;
    Ok(store.create_session(&workspace, model, base_url)?)
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
    let project = practice::unpack(&folders.practice())
        .with_context(|| format!("cannot make a practice project in {}", folders.practice().display()))?;
    eprintln!("Working in a new copy of the practice project: {}", project.display());
    Ok(project)
}
