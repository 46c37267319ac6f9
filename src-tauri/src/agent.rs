//! The managed state: the store, and the sessions that this window runs.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use sayso_core::{
    config::{Config, Folders, provider},
    inbox::{Given, Inbox},
    model::practice,
    protocol::{InputMessage, OpenRequest, OutputChunk, SessionChunk, SessionInfo, Settings, Snapshot, Via},
    session::{self, OpenError, Session, Setup},
    store::{Store, StoreError, now},
};
use tokio::sync::{
    mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
    watch,
};

/// What the commands act on.
#[derive(Debug)]
pub struct Agent {
    ready: Result<Ready, String>,
    sessions: Mutex<HashMap<String, Arc<Session>>>,
    on_screen: Mutex<Option<String>>,
    /// The session on screen, while another program runs it.
    elsewhere: Mutex<Option<String>>,
    chunks: UnboundedSender<SessionChunk>,
    /// Taken by the bridge when the app starts.
    heard: Mutex<Option<UnboundedReceiver<SessionChunk>>>,
}

#[derive(Debug)]
struct Ready {
    folders: Folders,
    store: Arc<Store>,
    inbox: Inbox,
    /// As last read; every session that runs follows it.
    settings: watch::Sender<Settings>,
}

/// What the page reads when something fails.
type Told<T> = Result<T, String>;

impl Agent {
    /// The agent on the store of this environment. A store that cannot be opened is told by every command, so that the
    /// window can show why.
    #[must_use]
    pub fn open() -> Self {
        Self::on(Folders::find().map_err(told))
    }

    /// The agent on the store in this folder.
    #[must_use]
    pub fn open_in(home: &Path) -> Self {
        Self::on(Ok(Folders::in_one(home)))
    }

    fn on(folders: Told<Folders>) -> Self {
        let ready = folders.and_then(|folders| {
            let store = Arc::new(Store::open(&folders.data).map_err(|error| error.to_string())?);
            let settings = watch::Sender::new(Settings::default());
            Ok(Ready { folders, inbox: Inbox::new(store.clone()), store, settings })
        });
        let (chunks, heard) = unbounded_channel();
        Self {
            ready,
            sessions: Mutex::default(),
            on_screen: Mutex::default(),
            elsewhere: Mutex::default(),
            chunks,
            heard: Mutex::new(Some(heard)),
        }
    }

    /// Everything the sessions say, once.
    pub(crate) fn hear(&self) -> Option<UnboundedReceiver<SessionChunk>> {
        lock(&self.heard).take()
    }

    /// The store, where it could be opened.
    pub(crate) fn store(&self) -> Told<&Arc<Store>> {
        Ok(&self.ready()?.store)
    }

    /// Whether this window runs the session.
    pub(crate) fn runs(&self, session_id: &str) -> bool {
        lock(&self.sessions).contains_key(session_id)
    }

    /// The session on screen, once, when the program that ran it has ended.
    pub(crate) fn freed(&self) -> Option<String> {
        let mut elsewhere = lock(&self.elsewhere);
        let id = elsewhere.as_deref()?;
        // Taken for this look only: whoever shows the session next goes on with it.
        if matches!(self.store().ok()?.lock(id), Err(StoreError::Locked(_))) {
            return None;
        }
        elsewhere.take()
    }

    pub(crate) fn sessions(&self) -> Told<Vec<SessionInfo>> {
        self.ready()?.store.sessions().map_err(told)
    }

    pub(crate) fn inbox(&self) -> Told<Vec<OpenRequest>> {
        self.ready()?.inbox.open(None).map_err(told)
    }

    /// What the user has set, as the file says now.
    pub(crate) fn settings(&self) -> Told<Settings> {
        Ok(self.config()?.settings())
    }

    /// Keeps the settings; sessions that run follow them from their next step on.
    pub(crate) fn save_settings(&self, settings: Settings) -> Told<()> {
        let ready = self.ready()?;
        ready.folders.save(&settings).map_err(told)?;
        ready.settings.send_replace(settings);
        Ok(())
    }

    /// A new session in this folder with the model of the settings, or in a new practice project.
    pub(crate) fn start_session(&self, workspace: Option<&str>) -> Told<String> {
        let Ready { folders, store, .. } = self.ready()?;
        let config = self.config()?;
        let record = match workspace {
            Some(folder) => {
                let folder =
                    Path::new(folder).canonicalize().map_err(|error| format!("cannot work in {folder}: {error}"))?;
                let (model, base_url) = (config.default_model(), config.base_url.as_deref());
                provider(model, base_url).map_err(told)?;
                store.create_session(&folder, model, base_url)
            }
            None => {
                let parent = &folders.practice;
                let project = practice::unpack(parent)
                    .map_err(|error| format!("cannot make a practice project in {}: {error}", parent.display()))?;
                store.create_session(&project, "practice", None)
            }
        };
        Ok(record.map_err(told)?.info.session_id)
    }

    /// What the page needs to show the session; from now on it is the one on screen. A session that cannot be run here
    /// is shown as it is stored, with the reason at its end.
    pub(crate) fn snapshot(&self, session_id: &str) -> Told<Snapshot> {
        let Ready { store, settings, .. } = self.ready()?;
        let opened = self.session(session_id);
        let snapshot = match opened {
            Ok(session) => session.snapshot().map_err(told)?,
            Err(reason) => {
                let settings = settings.borrow().clone();
                let mut stored = session::snapshot(store, session_id, settings, u64::MAX).map_err(told)?;
                if let NotRun::Failed(message) = reason {
                    stored.elsewhere = false;
                    let chunk = OutputChunk::Error { message, remedy: String::new() };
                    stored.history.push(SessionChunk { session_id: session_id.into(), seq: None, at: now(), chunk });
                }
                stored
            }
        };
        *lock(&self.on_screen) = Some(session_id.into());
        *lock(&self.elsewhere) = snapshot.elsewhere.then(|| session_id.into());
        Ok(snapshot)
    }

    /// Hands a message to the session.
    pub(crate) fn send(&self, session_id: &str, message: InputMessage) -> Told<()> {
        self.session(session_id).map_err(String::from)?.send(message, Via::Window).map_err(told)
    }

    /// Goes on with a turn that failed.
    pub(crate) fn resume(&self, session_id: &str) -> Told<()> {
        self.session(session_id).map_err(String::from)?.resume().map_err(told)
    }

    /// Stores an answer, whoever runs the session it belongs to.
    pub(crate) fn answer(&self, request_id: &str, given: Given) -> Told<()> {
        let Ready { store, inbox, .. } = self.ready()?;
        let session_id = store.request(request_id).map_err(told)?.session_id;
        let Ok(session) = self.session(&session_id) else {
            inbox.answer(request_id, &given, Via::Window).map_err(told)?;
            return Ok(());
        };
        let request_id = request_id.to_owned();
        let message = match given {
            Given::Answers(answers) => InputMessage::UserQuestionResponse { request_id, answers },
            Given::Replies { replies, comment } => InputMessage::QuestionReplies { request_id, replies, comment },
            Given::Words { key, text } => {
                InputMessage::UserMessage { text, reply_to: Some(sayso_core::protocol::ReplyTo { request_id, key }) }
            }
        };
        session.send(message, Via::Window).map_err(told)
    }

    /// Keeps a draft, whoever runs the session.
    pub(crate) fn draft(&self, session_id: &str, draft: Draft) -> Told<()> {
        let Ready { store, inbox, .. } = self.ready()?;
        match draft {
            Draft::Composer(text) => store.save_composer(session_id, &text).map_err(told),
            Draft::Request(id, draft) => inbox.draft(&id, &draft).map_err(told),
        }
    }

    /// Stops the session, or the one on screen. Nothing happens where nothing runs.
    pub(crate) fn interrupt(&self, session_id: Option<String>) -> Told<()> {
        let Some(id) = session_id.or_else(|| lock(&self.on_screen).clone()) else {
            return Ok(());
        };
        let running = lock(&self.sessions).get(&id).cloned();
        match running {
            Some(session) => session.send(InputMessage::Interrupt, Via::Window).map_err(told),
            None => Ok(()),
        }
    }

    /// Stops every session where it is: no command outlives the window.
    pub(crate) async fn close(&self) {
        let sessions: Vec<Arc<Session>> = lock(&self.sessions).drain().map(|(_, session)| session).collect();
        for session in sessions {
            session.close().await;
        }
    }

    /// Reads `config.toml`; whoever follows the settings has them then as they stand there.
    fn config(&self) -> Told<Config> {
        let ready = self.ready()?;
        let config = ready.folders.config().map_err(told)?;
        ready.settings.send_replace(config.settings());
        Ok(config)
    }

    fn ready(&self) -> Told<&Ready> {
        self.ready.as_ref().map_err(Clone::clone)
    }

    /// The running session; opened, and so gone on with, where it does not run yet.
    fn session(&self, id: &str) -> Result<Arc<Session>, NotRun> {
        let mut sessions = lock(&self.sessions);
        if let Some(session) = sessions.get(id) {
            return Ok(session.clone());
        }
        let Ready { store, inbox, settings, .. } = self.ready().map_err(NotRun::Failed)?;
        let failed = |error: &dyn std::fmt::Display| NotRun::Failed(error.to_string());
        self.config().map_err(NotRun::Failed)?;
        let record = store.session(id).map_err(|error| failed(&error))?;
        let chunks = self.chunks.clone();
        let setup = Setup {
            store: store.clone(),
            inbox: inbox.clone(),
            session_id: id.into(),
            provider: provider(&record.info.model, record.base_url.as_deref()).map_err(|error| failed(&error))?,
            settings: settings.subscribe(),
            emit: Arc::new(move |chunk| drop(chunks.send(chunk))),
        };
        let session = Arc::new(Session::open(setup).map_err(|error| match error {
            OpenError::Store(StoreError::Locked(_)) => NotRun::Elsewhere(error.to_string()),
            OpenError::Store(_) | OpenError::FolderGone(_) => failed(&error),
        })?);
        sessions.insert(id.into(), session.clone());
        Ok(session)
    }
}

/// What the page wants kept.
#[derive(Debug)]
pub(crate) enum Draft {
    /// The composer's text.
    Composer(String),
    /// What was typed or ticked for a request.
    Request(String, sayso_core::protocol::RequestDraft),
}

/// Why a session does not run here.
enum NotRun {
    Elsewhere(String),
    Failed(String),
}

impl From<NotRun> for String {
    fn from(reason: NotRun) -> Self {
        match reason {
            NotRun::Elsewhere(text) | NotRun::Failed(text) => text,
        }
    }
}

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Held for single reads and writes only, so a panic elsewhere leaves the value whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
