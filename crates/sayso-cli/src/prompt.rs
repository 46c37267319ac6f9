//! A request at the terminal: one question after the other, each answered by a line.

use std::collections::BTreeMap;

use sayso_core::{
    answer,
    protocol::{QuestionKind, Reply, RequestDraft, Subject},
    question::Question,
    store::StoredRequest,
};

/// How often an answer that does not fit is asked for again when nobody sits there.
const TRIES: usize = 3;

/// A request that is being asked.
#[derive(Debug)]
pub(crate) struct Prompt {
    request: StoredRequest,
    /// Replies so far, by key; what was answered before a crash is among them.
    replies: BTreeMap<String, Reply>,
    at: usize,
    tries: usize,
}

/// What a line came to.
#[derive(Debug, PartialEq)]
pub(crate) enum Taken {
    /// There are more questions.
    Next,
    /// It is no answer; the sentence says why.
    Again(String),
    /// It was no answer too often.
    GiveUp(String),
    /// Every question has its answer.
    Whole(BTreeMap<String, Reply>),
}

impl Prompt {
    /// Goes on where the draft ends; the last question is always asked.
    pub(crate) fn new(request: StoredRequest, draft: RequestDraft) -> Self {
        let questions = &request.request.questions;
        let last = questions.len().saturating_sub(1);
        let at = questions.iter().take_while(|question| draft.replies.contains_key(&question.key)).count().min(last);
        let kept = questions.iter().take(at).map(|question| question.key.clone());
        let replies = kept.filter_map(|key| Some((key.clone(), draft.replies.get(&key)?.clone()))).collect();
        Self { request, replies, at, tries: 0 }
    }

    pub(crate) fn request_id(&self) -> &str {
        &self.request.request.id
    }

    /// What has been answered so far, to be kept.
    pub(crate) fn replies(&self) -> &BTreeMap<String, Reply> {
        &self.replies
    }

    /// The question at hand, as lines; with what was kept from before in front of the first one asked.
    pub(crate) fn lines(&self) -> Vec<String> {
        let questions = &self.request.request.questions;
        questions.get(self.at).map_or_else(Vec::new, |question| draw(question, self.at + 1, questions.len()))
    }

    /// What was kept from before, as lines.
    pub(crate) fn kept(&self) -> Vec<String> {
        let questions = self.request.request.questions.iter();
        questions
            .filter_map(|question| {
                let answer = answer::from_reply(question, self.replies.get(&question.key)?).ok()?;
                Some(format!("  {}: {} (kept from before)", question.header, answer::display(question, &answer)))
            })
            .collect()
    }

    /// Takes a line as the answer to the question at hand.
    pub(crate) fn take(&mut self, line: &str, patient: bool) -> Taken {
        let questions = &self.request.request.questions;
        let Some(question) = questions.get(self.at) else {
            return Taken::Whole(self.replies.clone());
        };
        match answer::parse(question, line) {
            Ok(answer) => {
                self.replies.insert(question.key.clone(), answer.to_reply());
                self.at += 1;
                self.tries = 0;
                match self.at == questions.len() {
                    true => Taken::Whole(self.replies.clone()),
                    false => Taken::Next,
                }
            }
            Err(error) => {
                self.tries += 1;
                match patient || self.tries < TRIES {
                    true => Taken::Again(error.to_string()),
                    false => Taken::GiveUp(error.to_string()),
                }
            }
        }
    }
}

fn draw(question: &Question, number: usize, of: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    lines.push(match of {
        1 => format!("? {}", question.header),
        _ => format!("? {} · question {number} of {of}", question.header),
    });
    lines.push(format!("  {}", question.question));
    if let Some(why) = &question.why {
        lines.push(format!("  Because {why}"));
    }
    if let Some(Subject::Permission { command, diff, .. }) = &question.subject {
        lines.extend(command.iter().chain(diff).flat_map(|text| text.lines()).map(|line| format!("    {line}")));
        lines.push("  y allow once / n reject (n WORDS says why)".into());
        return lines;
    }
    let suggested = question.default.as_ref().map(|default| default.values()).unwrap_or_default();
    if question.kind != QuestionKind::Confirm {
        for (place, option) in question.options.iter().enumerate() {
            let tag = if suggested.contains(&option.value) { "  (suggested)" } else { "" };
            lines.push(format!("  {}. {}{tag}", place + 1, option.label));
            if !option.description.is_empty() {
                lines.push(format!("     {}", option.description));
            }
        }
    }
    lines.push(format!("  {}", how_to(question, &suggested)));
    lines
}

fn how_to(question: &Question, suggested: &[String]) -> String {
    let means = match question.kind {
        QuestionKind::Confirm => "y / n",
        QuestionKind::Text => "Type your answer",
        QuestionKind::Choice if question.allow_other => "A number, or your own words",
        QuestionKind::Choice => "A number",
        QuestionKind::MultiChoice if question.allow_other => "Numbers separated by commas, or your own words",
        QuestionKind::MultiChoice => "Numbers separated by commas",
    };
    if !suggested.is_empty() {
        let labels: Vec<&str> = suggested.iter().map(|value| question.label_of(value)).collect();
        return format!("{means}; Enter takes {}", labels.join(", "));
    }
    match question.required {
        true => means.into(),
        false => format!("{means}; Enter skips it"),
    }
}
