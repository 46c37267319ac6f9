//! A request at the terminal: one question after the other, each answered by a line.

use std::{collections::BTreeMap, time::Instant};

use sayso_core::{
    answer,
    protocol::{Act, Outcome, QuestionKind, Reason, Reply, RequestDraft, Subject},
    question::{Choice, Question},
    store::StoredRequest,
};

use crate::{input::Text, screen::hanging};

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
    shown_at: Instant,
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
    /// Goes on where the draft's answers end; the last question is always asked.
    pub(crate) fn new(request: StoredRequest, draft: &RequestDraft) -> Self {
        let questions = &request.request.questions;
        let last = questions.len().saturating_sub(1);
        let answered = |question: &Question| {
            let reply = draft.replies.get(&question.key).filter(|reply| answers(question, reply))?;
            Some((question.key.clone(), reply.clone()))
        };
        let replies: BTreeMap<_, _> = questions.iter().take(last).map_while(answered).collect();
        Self { at: replies.len(), request, replies, tries: 0, shown_at: Instant::now() }
    }

    /// When the question at hand came to stand before the person.
    pub(crate) fn shown_at(&self) -> Instant {
        self.shown_at
    }

    /// The question at hand stands before the person now.
    pub(crate) fn shown(&mut self) {
        self.shown_at = Instant::now();
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
                let shown = answer::display(question, &answer);
                let shown = if shown.is_empty() { "skipped" } else { &shown };
                Some(format!("  {}: {} (kept from before)", hanging(&question.header), hanging(shown)))
            })
            .collect()
    }

    /// Takes a line as the answer to the question at hand.
    pub(crate) fn take(&mut self, line: &Text, patient: bool) -> Taken {
        let questions = &self.request.request.questions;
        let Some(question) = questions.get(self.at) else {
            return Taken::Whole(self.replies.clone());
        };
        let answer = match line {
            Text::Whole(line) => answer::parse(question, line).map_err(|error| error.to_string()),
            Text::Broken(_) => Err("This line is no UTF-8 text, so it was not taken as an answer.".into()),
        };
        match answer {
            Ok(answer) => {
                self.replies.insert(question.key.clone(), answer.to_reply());
                self.at += 1;
                self.tries = 0;
                match self.at == questions.len() {
                    true => Taken::Whole(self.replies.clone()),
                    false => Taken::Next,
                }
            }
            Err(why) => {
                self.tries += 1;
                match patient || self.tries < TRIES {
                    true => Taken::Again(why),
                    false => Taken::GiveUp(why),
                }
            }
        }
    }
}

/// Whether a reply of a draft is an answer that was given, not words that were typed and refused.
fn answers(question: &Question, reply: &Reply) -> bool {
    match (reply.act, &reply.text) {
        (Act::OwnWords, Some(text)) if question.kind != QuestionKind::Text && reply.selected.is_empty() => {
            answer::parse(question, text).is_ok_and(|answer| answer.outcome == Outcome::OwnWords)
        }
        _ => answer::from_reply(question, reply).is_ok(),
    }
}

fn draw(question: &Question, number: usize, of: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let header = hanging(&question.header);
    lines.push(match of {
        1 => format!("? {header}"),
        _ => format!("? {header} · question {number} of {of}"),
    });
    lines.extend(question.question.lines().map(|line| format!("  {line}")));
    if let Some(why) = &question.why {
        lines.push(format!("  Because {}", hanging(why)));
    }
    match question.reason {
        Some(Reason::Ambiguous) => lines.push("  Several things fit, and the agent must not pick.".into()),
        Some(Reason::Policy) => lines.push("  A rule wants your word on this.".into()),
        Some(Reason::Irreversible) | None => {}
    }
    if question.irreversible || question.reason == Some(Reason::Irreversible) {
        lines.push("  ! This cannot be undone.".into());
    }
    if let Some(Subject::Permission { command, diff, .. }) = &question.subject {
        lines.extend(command.iter().chain(diff).flat_map(|text| text.lines()).map(|line| format!("    {line}")));
        let letter = |option: &Choice| Some(format!("{} {}", answer::letter(question, &option.value)?, option.label));
        let letters: Vec<String> = question.options.iter().filter_map(letter).collect();
        lines.push(format!("  {} (n WORDS says why)", letters.join(" / ")));
        return lines;
    }
    let suggested = question.default.as_ref().map(|default| default.values()).unwrap_or_default();
    if question.kind != QuestionKind::Confirm {
        for (place, option) in question.options.iter().enumerate() {
            lines.extend(draw_option(place + 1, option, suggested.contains(&option.value)));
        }
    }
    lines.push(format!("  {}", how_to(question, &suggested)));
    lines
}

fn draw_option(number: usize, option: &Choice, suggested: bool) -> Vec<String> {
    let tag = if suggested { "  (suggested)" } else { "" };
    let mut lines = vec![format!("  {number}. {}{tag}", hanging(&option.label))];
    if !option.description.is_empty() {
        lines.push(format!("     {}", hanging(&option.description)));
    }
    lines.extend(option.preview.iter().flat_map(|text| text.lines()).map(|line| format!("     | {line}")));
    lines
}

fn how_to(question: &Question, suggested: &[String]) -> String {
    let mut means = match question.kind {
        QuestionKind::Confirm => "y / n",
        QuestionKind::Text => "Type your answer",
        QuestionKind::Choice if question.allow_other => "A number, or your own words",
        QuestionKind::Choice => "A number",
        QuestionKind::MultiChoice if question.allow_other => "Numbers separated by commas, or your own words",
        QuestionKind::MultiChoice => "Numbers separated by commas",
    }
    .to_owned();
    if let Some(pattern) = &question.pattern {
        means += &format!("; it must match {pattern}");
    }
    if !suggested.is_empty() {
        let labels: Vec<&str> = suggested.iter().map(|value| question.label_of(value)).collect();
        return format!("{means}; Enter takes {}", hanging(&labels.join(", ")));
    }
    match question.required {
        true => means,
        false => format!("{means}; Enter skips it"),
    }
}
