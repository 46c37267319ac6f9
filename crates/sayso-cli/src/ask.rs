//! `sayso ask`: one request from a file, for scripts and other programs.

use std::{collections::BTreeMap, io::Read, path::Path};

use anyhow::{Context, Result};
use sayso_core::{
    answer,
    question::{Answer, Question, ask_user_question::AskOptions, written},
};
use serde_json::{Value, json};

use crate::{
    Exit, args,
    conversation::Conversation,
    home::store,
    input::Input,
    output::print,
    talk::{With, talk},
};

pub(crate) async fn ask(args: args::Ask) -> Result<Exit> {
    let text = read(&args.file)?;
    let value = serde_json::from_str(&text)
        .with_context(|| format!("{} is not JSON; mend it at that place", args.file.display()))?;
    let (folders, store) = store()?;
    let config = folders.config()?;
    let questions = written::parse_any(&value, AskOptions::from(&config.settings()))
        .with_context(|| format!("{} cannot be asked", args.file.display()))?;
    let here = std::env::current_dir().context("the current folder is gone")?;
    let record = store.create_session(&here, "practice", None)?;
    let conversation = Conversation::open(store.clone(), &record, config.settings())?;
    let request_id = conversation.session.ask("sayso ask", questions.clone())?;
    let exit = talk(conversation, Input::start(), With::Asker).await?;
    let Some(answers) = store.answers(&request_id)? else {
        return Ok(exit);
    };
    let by_key: BTreeMap<&str, &Answer> = answers.iter().map(|answer| (answer.key.as_str(), answer)).collect();
    let told: Vec<Value> =
        questions.iter().filter_map(|question| Some(told(question, by_key.get(question.key.as_str())?))).collect();
    print(&format!("{}\n", json!({ "request_id": request_id, "answers": told })))?;
    Ok(exit)
}

fn told(question: &Question, answer: &Answer) -> Value {
    json!({
        "key": answer.key,
        "outcome": answer.outcome,
        "author": answer.author,
        "value": answer::value(question, answer),
        "text": answer.text,
    })
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(file: &Path) -> Result<String> {
    if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read_to_string(file)
        .with_context(|| format!("cannot read {}. Give a file that exists, or - for standard input", file.display()))
}
