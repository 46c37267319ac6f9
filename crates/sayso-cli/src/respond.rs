//! `sayso answer`: answers an open question, whoever runs its session.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use sayso_core::{
    answer,
    inbox::{Given, Inbox},
    protocol::{Act, Reply, RequestDraft, Via},
    question::Question,
};

use crate::{
    Exit, args, ask,
    home::store,
    output::{print, tell},
    screen::{hanging, plain},
};

pub(crate) fn respond(args: &args::Answer) -> Result<Exit> {
    let (_, store) = store()?;
    let stored = store.request(&args.request_id)?;
    let questions = &stored.request.questions;
    let given = if args.skip {
        Given::Replies { replies: skipped(questions), comment: None }
    } else if let Some(file) = &args.json {
        let text = ask::read(file)?;
        let draft: RequestDraft = serde_json::from_str(&text)
            .with_context(|| format!("{} is no {{\"replies\": {{KEY: REPLY}}, \"comment\": TEXT}}", file.display()))?;
        Given::Replies { replies: draft.replies, comment: draft.comment }
    } else {
        match by_key(questions, &args.answers) {
            Ok(answers) => Given::Answers(answers),
            Err(why) => {
                tell(&plain(&format!("sayso: {why}")));
                return Ok(Exit::Usage);
            }
        }
    };
    let delivered = Inbox::new(store.clone()).answer(&args.request_id, &given, Via::Terminal)?;
    let mut text = String::new();
    for (question, answer) in questions.iter().zip(&delivered.answers) {
        let shown = answer::display(question, answer);
        let shown = if shown.is_empty() { "skipped".into() } else { hanging(&shown) };
        text += &format!("{}: {}\n", plain(&hanging(&question.header)), plain(&shown));
    }
    if store.lock(&stored.session_id).is_ok() {
        text += &match stored.request.call_id {
            Some(_) => format!("Stored. The agent goes on with: sayso run --resume {}\n", stored.session_id),
            None => "Stored. The program that asked is no longer there.\n".into(),
        };
    }
    print(&text)?;
    Ok(Exit::Done)
}

fn skipped(questions: &[Question]) -> BTreeMap<String, Reply> {
    let skip = Reply { act: Act::Skipped, selected: Vec::new(), text: None, note: None };
    questions.iter().map(|question| (question.key.clone(), skip.clone())).collect()
}

/// The answers by key: `KEY=ANSWER` for a key of the request, else the next question without one.
fn by_key(questions: &[Question], given: &[String]) -> Result<HashMap<String, String>, String> {
    let mut answers = HashMap::new();
    let mut in_order = Vec::new();
    for text in given {
        let named = text.split_once('=').filter(|(key, _)| questions.iter().any(|question| question.key == *key));
        match named {
            Some((key, answer)) => {
                if answers.insert(key.to_owned(), answer.to_owned()).is_some() {
                    return Err(format!("'{key}' is answered twice; give one answer a question"));
                }
            }
            None => in_order.push(text),
        }
    }
    let open: Vec<&Question> = questions.iter().filter(|question| !answers.contains_key(&question.key)).collect();
    if open.len() != in_order.len() {
        let keys: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
        return Err(format!(
            "give one answer a question, in order or as KEY=ANSWER. The questions are: {}. An empty one ('') skips its question",
            keys.join(", ")
        ));
    }
    answers.extend(open.iter().zip(in_order).map(|(question, text)| (question.key.clone(), text.clone())));
    Ok(answers)
}
