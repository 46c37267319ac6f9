//! The one place where the program waits for a person. What was asked, what is half typed and what was answered live
//! in the store, so an answer may come from any process, and a question outlives a crash under its own id.

use std::{collections::BTreeMap, collections::HashMap, sync::Arc, time::Duration};

use tokio::sync::watch;

use crate::{
    answer::{self, AnswersError},
    log::Entry,
    protocol::{Act, OpenRequest, Reply, RequestDraft, Via},
    question::Answer,
    store::{Store, StoreError, StoredRequest},
};

/// How often a waiting process looks whether another one has answered.
const LOOK: Duration = Duration::from_millis(100);

/// Open requests, and the way to answer them.
#[derive(Debug, Clone)]
pub struct Inbox {
    store: Arc<Store>,
    /// Counts the answers given in this process, so that none is missed between looking and waiting.
    answered: watch::Sender<u64>,
}

/// An answer to a whole request, as it was given.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// By header or key, to be parsed.
    Answers(HashMap<String, String>),
    /// As it was done on screen, by key.
    Replies {
        /// One a question.
        replies: BTreeMap<String, Reply>,
        /// One comment on the whole request.
        comment: Option<String>,
    },
    /// Words instead of a choice, to the question of this key; the others count as skipped.
    Words {
        /// The question on screen.
        key: String,
        /// The words.
        text: String,
    },
}

/// Why an answer was not taken. The question stays open, and what was typed is kept as its draft.
#[derive(Debug, thiserror::Error)]
pub enum AnswerRefused {
    /// It does not answer what was asked.
    #[error(transparent)]
    Answers(#[from] AnswersError),
    /// The question takes no words.
    #[error("this question takes only its options; send the words as a message for after, or press Cancel")]
    OptionsOnly,
    /// The request is unknown or closed, or the store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A stored answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivered {
    /// The request with its place.
    pub stored: StoredRequest,
    /// One answer a question.
    pub answers: Vec<Answer>,
}

impl Inbox {
    /// The inbox of this store.
    #[must_use]
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, answered: watch::Sender::new(0) }
    }

    /// What waits for a person, oldest first: in one session, or in all.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open(&self, session: Option<&str>) -> Result<Vec<OpenRequest>, StoreError> {
        self.store.open_requests(session)
    }

    /// Stores the answer to a request, once; `Ok` means that it is on the disk.
    ///
    /// # Errors
    /// [`AnswerRefused`] in words; nothing was delivered, and what was typed is kept.
    pub fn answer(&self, request_id: &str, given: &Given, via: Via) -> Result<Delivered, AnswerRefused> {
        let stored = self.store.request(request_id)?;
        let result = self.deliver(&stored, given, via);
        if result.is_err() {
            self.keep(&stored, given)?;
        }
        Ok(Delivered { answers: result?, stored })
    }

    /// Keeps what was typed or ticked for an open request.
    ///
    /// # Errors
    /// When the request is unknown or closed, or it cannot be stored.
    pub fn draft(&self, request_id: &str, draft: &RequestDraft) -> Result<(), StoreError> {
        let stored = self.store.request(request_id)?;
        if !stored.open {
            return Err(StoreError::RequestClosed(request_id.into()));
        }
        self.store.save_request_draft(&stored.session_id, request_id, draft)
    }

    /// A watch on the answers; take it before looking at the log, then wait with it.
    #[must_use]
    pub fn watch(&self) -> Watch {
        Watch {
            answered: self.answered.subscribe(),
            version: self.store.data_version().ok(),
            store: self.store.clone(),
        }
    }

    fn deliver(&self, stored: &StoredRequest, given: &Given, via: Via) -> Result<Vec<Answer>, AnswerRefused> {
        let request = &stored.request;
        if !stored.open {
            return Err(StoreError::RequestClosed(request.id.clone()).into());
        }
        let (answers, comment) = match given {
            Given::Answers(answers) => (answer::from_answers(&request.questions, answers)?, None),
            Given::Replies { replies, comment } => (
                answer::from_replies(&request.questions, replies)?,
                comment.clone().filter(|text| !text.trim().is_empty()),
            ),
            Given::Words { key, text } => (answer::from_replies(&request.questions, &words(stored, key, text)?)?, None),
        };
        let entry = Entry::RequestAnswered { request_id: request.id.clone(), answers: answers.clone(), comment, via };
        self.store.append_answer(&stored.session_id, &entry)?;
        self.answered.send_modify(|count| *count += 1);
        Ok(answers)
    }

    /// What was typed and not taken becomes the draft of an open request.
    fn keep(&self, stored: &StoredRequest, given: &Given) -> Result<(), StoreError> {
        let (replies, comment) = match given {
            Given::Replies { replies, comment } => (replies.clone(), comment.clone()),
            Given::Answers(answers) => {
                let questions = &stored.request.questions;
                let typed = questions.iter().filter_map(|question| {
                    let typed = answers.get(&question.header).or_else(|| answers.get(&question.key))?;
                    // What answers its question is kept as that answer; the rest as the words it is.
                    let reply = match answer::parse(question, typed) {
                        Ok(answer) => answer.to_reply(),
                        Err(_) => own_words(typed),
                    };
                    Some((question.key.clone(), reply))
                });
                (typed.collect(), None)
            }
            // The words of a message stay in the composer.
            Given::Words { .. } => return Ok(()),
        };
        if !stored.open || replies.is_empty() {
            return Ok(());
        }
        let id = &stored.request.id;
        self.store.save_request_draft(&stored.session_id, id, &RequestDraft { replies, comment })
    }
}

/// Waits for answers, given here or in another process.
#[derive(Debug)]
pub struct Watch {
    answered: watch::Receiver<u64>,
    version: Option<i64>,
    store: Arc<Store>,
}

impl Watch {
    /// Returns when an answer may have come: the log is to be read again.
    pub async fn changed(&mut self) {
        loop {
            tokio::select! {
                result = self.answered.changed() => {
                    if result.is_ok() {
                        return;
                    }
                    // The inbox is gone; what is left is to look at the store.
                    tokio::time::sleep(LOOK).await;
                }
                () = tokio::time::sleep(LOOK) => {}
            }
            // An error is told by whoever reads the log next.
            let version = self.store.data_version().ok();
            if version != self.version {
                self.version = version;
                return;
            }
        }
    }
}

/// A reply in words to one question of a request: own words there, the others skipped; for a permission it is no.
fn words(stored: &StoredRequest, key: &str, text: &str) -> Result<BTreeMap<String, Reply>, AnswerRefused> {
    let request = &stored.request;
    let mut replies = BTreeMap::new();
    for question in &request.questions {
        let reply = if question.key != key {
            Reply { act: Act::Skipped, selected: Vec::new(), text: None, note: None }
        } else if request.is_permission() {
            let selected = vec!["reject".into()];
            Reply { act: Act::Chosen, selected, text: None, note: Some(text.into()) }
        } else if question.allow_other {
            own_words(text)
        } else {
            return Err(AnswerRefused::OptionsOnly);
        };
        replies.insert(question.key.clone(), reply);
    }
    Ok(replies)
}

fn own_words(text: &str) -> Reply {
    Reply { act: Act::OwnWords, selected: Vec::new(), text: Some(text.into()), note: None }
}
