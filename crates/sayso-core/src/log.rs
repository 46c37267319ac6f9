//! A session's log, and the folds over it. The log is append-only; [`Log`] is the fold, which grows by one entry at a
//! time, so that a step costs the same in a long session as in a short one. What to do next is [`next_step`], a pure
//! function of the fold; what front ends see of an entry is what [`Log::apply`] returns.

use std::collections::{BTreeMap, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::{
    answer,
    model::{Call, Message, Usage},
    protocol::{Author, Outcome, OutputChunk, Subject, ToolResult, TurnEnd, UserQuestion, Via},
    question::{Answer, Question},
    tool::Answered,
};

/// One thing that happened. Written before its effect is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Entry {
    /// The user wrote. Starts a turn when the agent is idle, is queued when it is not.
    UserMessage {
        /// The words.
        text: String,
    },
    /// The model answered, whole or (without calls) as far as it came before the user stopped it.
    AssistantMessage {
        /// Markdown; may be empty.
        text: String,
        /// Its calls, in order.
        calls: Vec<LoggedCall>,
        /// What it cost.
        #[serde(default)]
        usage: Usage,
    },
    /// The model's answer broke off. Shown, never sent to a model.
    CutMessage {
        /// As far as it came.
        text: String,
    },
    /// A call that changes something is about to run.
    CallStarted {
        /// The call.
        call_id: String,
    },
    /// A call has its one result.
    CallEnded {
        /// The call.
        call_id: String,
        /// What the model reads.
        result: ToolResult,
        /// How long the tool ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took_ms: Option<u64>,
    },
    /// Somebody asks a person.
    RequestOpened {
        /// The request.
        request: Request,
    },
    /// A person answered. From any process, once.
    RequestAnswered {
        /// The request.
        request_id: String,
        /// One answer a question, in order.
        answers: Vec<Answer>,
        /// One comment on all of them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// Where.
        via: Via,
    },
    /// A request ended without an answer.
    RequestClosed {
        /// The request.
        request_id: String,
        /// `interrupted` or `orphaned`.
        outcome: Outcome,
    },
    /// A turn ended.
    TurnEnded {
        /// Why.
        reason: TurnEnd,
        /// What went wrong, when it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },
    /// A failed turn goes on.
    TurnResumed,
}

/// A failure in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// A call with what the log must know of its tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LoggedCall {
    /// The call.
    #[serde(flatten)]
    pub call: Call,
    /// Whether it changes nothing: it may run beside others, and again after a crash.
    pub read_only: bool,
}

/// Questions asked together, and who asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Its id (UUID v7), the same after every restart.
    pub id: String,
    /// The call that waits for it; none for a program that asked by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Who asks: a tool's name, or `sayso ask`.
    pub asker: String,
    /// The questions, in order.
    pub questions: Vec<Question>,
}

impl Request {
    /// The questions as front ends see them.
    #[must_use]
    pub fn to_wire(&self) -> Vec<UserQuestion> {
        self.questions.iter().map(Question::to_wire).collect()
    }

    /// Whether it asks for leave to make its call, rather than for the tool's own input.
    #[must_use]
    pub fn is_permission(&self) -> bool {
        self.questions.iter().any(|question| matches!(question.subject, Some(Subject::Permission { .. })))
    }

    /// The chunk that tells of its end.
    fn closed(&self, answers: &[Answer], comment: Option<String>, via: Option<Via>) -> OutputChunk {
        let mut outcomes = BTreeMap::new();
        let mut texts = BTreeMap::new();
        let mut selections = BTreeMap::new();
        let mut notes = BTreeMap::new();
        for (question, answer) in self.questions.iter().zip(answers) {
            outcomes.insert(answer.key.clone(), answer.outcome);
            texts.insert(answer.key.clone(), answer::text(question, answer));
            if !answer.selected.is_empty() {
                selections.insert(answer.key.clone(), answer.selected.clone());
            }
            if let Some(note) = &answer.note {
                notes.insert(answer.key.clone(), note.clone());
            }
        }
        let by = answers.first().map_or(Author::Person, |answer| answer.author.clone());
        OutputChunk::RequestClosed {
            request_id: self.id.clone(),
            outcomes,
            answers: texts,
            selections,
            notes,
            comment,
            by,
            via,
        }
    }
}

/// What the loop does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send the history to the model.
    CallModel,
    /// Run these calls: read-only ones side by side, else one.
    RunCalls(Vec<String>),
    /// These calls had started when the program stopped; they get a result that says so, and are not run again.
    ReportStopped(Vec<String>),
    /// Wait until one of these requests is answered.
    Wait(Vec<String>),
    /// The model has nothing more to do: end the turn.
    EndTurn,
    /// Wait for the user.
    Idle,
}

/// The fold over a session's entries.
#[derive(Debug, Clone, Default)]
pub struct Log {
    seq: u64,
    messages: Vec<Item>,
    /// Calls of the last message that have no result yet.
    open_calls: usize,
    /// Open requests, oldest first.
    requests: Vec<Request>,
    queue: VecDeque<String>,
    turns: u64,
    ended: Option<TurnEnd>,
    /// Where each call of the last message stands in it.
    places: HashMap<String, usize>,
}

#[derive(Debug, Clone)]
enum Item {
    User(String),
    Assistant { text: String, calls: Vec<CallFold> },
}

#[derive(Debug, Clone)]
struct CallFold {
    logged: LoggedCall,
    started: bool,
    permission: Option<Answer>,
    permitted: Option<Request>,
    answered: Option<Answered>,
    rounds: usize,
    result: Option<ToolResult>,
}

/// A call that has no result yet, with what a person said to it so far.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenCall {
    /// The call.
    pub call: Call,
    /// What the person said when asked for leave, with the request that asked.
    pub permission: Option<(Request, Answer)>,
    /// The answers to the tool's own questions.
    pub answered: Option<Answered>,
    /// How often the tool has asked.
    pub rounds: usize,
}

/// An entry that does not fit the log as it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the log does not take this entry: {0}")]
pub struct Misfit(&'static str);

impl Log {
    /// Number of the last entry; 0 before the first.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// How many turns have begun.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Why the last turn ended; `None` while one runs or before the first.
    #[must_use]
    pub fn ended(&self) -> Option<TurnEnd> {
        self.ended
    }

    /// Open requests, oldest first.
    #[must_use]
    pub fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// Messages that wait until the agent is idle.
    pub fn queued(&self) -> impl Iterator<Item = &str> {
        self.queue.iter().map(String::as_str)
    }

    /// Whether a turn is under way.
    #[must_use]
    pub fn running(&self) -> bool {
        self.turns > 0 && self.ended.is_none()
    }

    /// Whether the entry may follow what the log holds.
    ///
    /// # Errors
    /// Says what does not fit: a second result, a result for a call nobody made, an answer nobody waits for, a message
    /// of the model's while its last one has open calls.
    pub fn admits(&self, entry: &Entry) -> Result<(), Misfit> {
        match entry {
            Entry::UserMessage { .. } => Ok(()),
            Entry::AssistantMessage { .. } | Entry::CutMessage { .. } => {
                if !self.running() || next_step(self) != Step::CallModel {
                    return Err(Misfit("the model was not called"));
                }
                Ok(())
            }
            Entry::CallStarted { call_id } | Entry::CallEnded { call_id, .. } => match self.fold_of(call_id) {
                Some(call) if call.result.is_some() => Err(Misfit("the call has its result")),
                Some(call) if self.waits(call) => Err(Misfit("the call waits for a person")),
                Some(_) => Ok(()),
                None => Err(Misfit("the model's last message has no such call")),
            },
            Entry::RequestOpened { request } => {
                if self.requests.iter().any(|open| open.id == request.id) {
                    return Err(Misfit("the request is open"));
                }
                match &request.call_id {
                    Some(id) if self.fold_of(id).is_none_or(|call| call.result.is_some()) => {
                        Err(Misfit("no call waits for the request"))
                    }
                    _ => Ok(()),
                }
            }
            Entry::RequestAnswered { request_id, .. } | Entry::RequestClosed { request_id, .. } => {
                match self.requests.iter().any(|open| open.id == *request_id) {
                    true => Ok(()),
                    false => Err(Misfit("the request is not open")),
                }
            }
            Entry::TurnEnded { .. } => match self.running() && self.open_calls == 0 {
                true => Ok(()),
                false => Err(Misfit("no turn can end here")),
            },
            Entry::TurnResumed => match self.ended {
                Some(TurnEnd::Failed) => Ok(()),
                Some(TurnEnd::Done | TurnEnd::Interrupted) | None => Err(Misfit("no failed turn to go on with")),
            },
        }
    }

    /// Takes the entry in and returns what front ends see of it.
    ///
    /// # Errors
    /// When [`Log::admits`] refuses it; the log is then unchanged.
    pub fn apply(&mut self, seq: u64, entry: Entry) -> Result<Vec<OutputChunk>, Misfit> {
        self.admits(&entry)?;
        self.seq = seq;
        let mut chunks = Vec::new();
        match entry {
            Entry::UserMessage { text } => {
                if self.running() {
                    chunks.push(OutputChunk::MessageQueued { text: text.clone() });
                    self.queue.push_back(text);
                } else {
                    chunks.push(self.begin_turn(text));
                }
            }
            Entry::AssistantMessage { text, calls, usage: _ } => {
                if !text.is_empty() {
                    chunks.push(OutputChunk::Text { text: text.clone() });
                }
                chunks.extend(calls.iter().map(|logged| OutputChunk::ToolCall {
                    call_id: logged.call.id.clone(),
                    tool: logged.call.tool.clone(),
                    input: logged.call.input.clone(),
                }));
                self.open_calls = calls.len();
                self.places = calls.iter().enumerate().map(|(place, logged)| (logged.call.id.clone(), place)).collect();
                let calls = calls.into_iter().map(CallFold::new).collect();
                self.messages.push(Item::Assistant { text, calls });
            }
            Entry::CutMessage { text } => chunks.push(OutputChunk::Text { text }),
            Entry::CallStarted { call_id } => {
                if let Some(call) = self.fold_of_mut(&call_id) {
                    call.started = true;
                }
            }
            Entry::CallEnded { call_id, result, took_ms } => {
                if let Some(call) = self.fold_of_mut(&call_id) {
                    chunks.push(OutputChunk::ToolResult {
                        call_id,
                        tool: call.logged.call.tool.clone(),
                        ok: result.ok,
                        text: result.text.clone(),
                        blocked_by: result.blocked_by,
                        took_ms,
                    });
                    call.result = Some(result);
                    self.open_calls -= 1;
                }
            }
            Entry::RequestOpened { request } => {
                chunks.push(OutputChunk::AskUserQuestion {
                    request_id: request.id.clone(),
                    questions: request.to_wire(),
                });
                self.requests.push(request);
            }
            Entry::RequestAnswered { request_id, answers, comment, via } => {
                if let Some(request) = self.take_request(&request_id) {
                    chunks.push(request.closed(&answers, comment.clone(), Some(via)));
                    if let Some(call) = request.call_id.clone().and_then(|id| self.fold_of_mut(&id)) {
                        call.take_answer(request, answers, comment);
                    }
                }
            }
            Entry::RequestClosed { request_id, outcome } => {
                if let Some(request) = self.take_request(&request_id) {
                    let answers: Vec<Answer> =
                        request.questions.iter().map(|question| Answer::none(question, outcome)).collect();
                    chunks.push(request.closed(&answers, None, None));
                }
            }
            Entry::TurnEnded { reason, failure } => {
                if let Some(Failure { message, remedy }) = failure {
                    chunks.push(OutputChunk::Error { message, remedy });
                }
                chunks.push(OutputChunk::TurnEnded { reason });
                self.ended = Some(reason);
                match reason {
                    TurnEnd::Done => {
                        if let Some(text) = self.queue.pop_front() {
                            chunks.push(self.begin_turn(text));
                        }
                    }
                    // The words go back to the composer: nothing runs on by itself after a stop.
                    TurnEnd::Interrupted => self.queue.clear(),
                    TurnEnd::Failed => {}
                }
            }
            Entry::TurnResumed => self.ended = None,
        }
        Ok(chunks)
    }

    /// The conversation as a model is sent it. Whole only where [`next_step`] is [`Step::CallModel`].
    #[must_use]
    pub fn history(&self) -> Vec<Message> {
        self.messages
            .iter()
            .map(|item| match item {
                Item::User(text) => Message::User(text.clone()),
                Item::Assistant { text, calls } => Message::Assistant {
                    text: text.clone(),
                    calls: calls
                        .iter()
                        .filter_map(|call| Some((call.logged.call.clone(), call.result.clone()?)))
                        .collect(),
                },
            })
            .collect()
    }

    /// The call, while it has no result.
    #[must_use]
    pub fn open_call(&self, call_id: &str) -> Option<OpenCall> {
        let fold = self.fold_of(call_id).filter(|call| call.result.is_none())?;
        Some(OpenCall {
            call: fold.logged.call.clone(),
            permission: fold.permitted.clone().zip(fold.permission.clone()),
            answered: fold.answered.clone(),
            rounds: fold.rounds,
        })
    }

    /// What stopping now writes: open requests close, every unanswered call gets the same result, the turn ends. The
    /// one place where `Interrupted` is written.
    #[must_use]
    pub fn interruption(&self) -> Vec<Entry> {
        let closed = self
            .requests
            .iter()
            .map(|request| Entry::RequestClosed { request_id: request.id.clone(), outcome: Outcome::Interrupted });
        let ended = self.open_folds().map(|call| Entry::CallEnded {
            call_id: call.logged.call.id.clone(),
            result: ToolResult::error("Interrupted"),
            took_ms: None,
        });
        let turn = self.running().then_some(Entry::TurnEnded { reason: TurnEnd::Interrupted, failure: None });
        closed.chain(ended).chain(turn).collect()
    }

    fn begin_turn(&mut self, text: String) -> OutputChunk {
        self.turns += 1;
        self.ended = None;
        self.open_calls = 0;
        self.places.clear();
        self.messages.push(Item::User(text.clone()));
        OutputChunk::UserMessage { text }
    }

    fn take_request(&mut self, id: &str) -> Option<Request> {
        let place = self.requests.iter().position(|request| request.id == id)?;
        Some(self.requests.remove(place))
    }

    fn last_calls(&self) -> &[CallFold] {
        match self.messages.last() {
            Some(Item::Assistant { calls, .. }) => calls,
            Some(Item::User(_)) | None => &[],
        }
    }

    fn open_folds(&self) -> impl Iterator<Item = &CallFold> {
        self.last_calls().iter().filter(|call| call.result.is_none())
    }

    fn fold_of(&self, call_id: &str) -> Option<&CallFold> {
        self.last_calls().get(*self.places.get(call_id)?)
    }

    fn fold_of_mut(&mut self, call_id: &str) -> Option<&mut CallFold> {
        let place = *self.places.get(call_id)?;
        match self.messages.last_mut() {
            Some(Item::Assistant { calls, .. }) => calls.get_mut(place),
            Some(Item::User(_)) | None => None,
        }
    }

    fn waits(&self, call: &CallFold) -> bool {
        self.requests.iter().any(|request| request.call_id.as_deref() == Some(&call.logged.call.id))
    }
}

impl CallFold {
    fn new(logged: LoggedCall) -> Self {
        Self { logged, started: false, permission: None, permitted: None, answered: None, rounds: 0, result: None }
    }

    fn take_answer(&mut self, request: Request, answers: Vec<Answer>, comment: Option<String>) {
        if request.is_permission() {
            self.permission = answers.into_iter().next();
            self.permitted = Some(request);
        } else {
            self.rounds += 1;
            self.answered = Some(Answered { questions: request.questions, answers, comment });
        }
    }
}

impl Answer {
    /// What stands for an answer that nobody gave.
    #[must_use]
    pub fn none(question: &Question, outcome: Outcome) -> Self {
        Self {
            key: question.key.clone(),
            outcome,
            author: Author::Person,
            selected: Vec::new(),
            text: None,
            note: None,
        }
    }
}

/// What the loop does next. Pure: the same log gives the same step, so a restart is only the loop being called again.
#[must_use]
pub fn next_step(log: &Log) -> Step {
    if !log.running() {
        return match log.requests.is_empty() {
            true => Step::Idle,
            false => Step::Wait(log.requests.iter().map(|request| request.id.clone()).collect()),
        };
    }
    match log.messages.last() {
        Some(Item::User(_)) | None => return Step::CallModel,
        Some(Item::Assistant { calls, .. }) if calls.is_empty() => return Step::EndTurn,
        Some(Item::Assistant { .. }) if log.open_calls == 0 => return Step::CallModel,
        Some(Item::Assistant { .. }) => {}
    }
    let id = |call: &CallFold| call.logged.call.id.clone();
    let stopped: Vec<String> = log.open_folds().filter(|call| call.started).map(id).collect();
    if !stopped.is_empty() {
        return Step::ReportStopped(stopped);
    }
    // In order: read-only calls run side by side up to the first that changes something; that one runs alone, and only
    // when all before it are done.
    let mut run = Vec::new();
    for (place, call) in log.open_folds().enumerate() {
        if call.logged.read_only {
            if !log.waits(call) {
                run.push(id(call));
            }
        } else {
            if place == 0 && !log.waits(call) {
                run.push(id(call));
            }
            break;
        }
    }
    match run.is_empty() {
        true => Step::Wait(log.requests.iter().map(|request| request.id.clone()).collect()),
        false => Step::RunCalls(run),
    }
}
