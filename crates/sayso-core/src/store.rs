//! The one store: sessions, their entries, open requests and drafts, in SQLite. Any process may read it and store an
//! answer; who runs a session holds its lock. The table of requests is a projection of the log, written in the same
//! transaction; drafts stand outside the log.

use std::{
    fs::{self, File, TryLockError},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};
use rusqlite_migration::{M, Migrations};
use uuid::Uuid;

use crate::{
    log::{Entry, Log, Misfit, Request},
    protocol::{AskedFigures, OpenRequest, Outcome, OutputChunk, RequestDraft, SessionChunk, SessionInfo},
    question::Answer,
};

const SCHEMA: &[M<'_>] = &[
    M::up(
        "CREATE TABLE sessions (
            id TEXT PRIMARY KEY, workspace TEXT NOT NULL, model TEXT NOT NULL, base_url TEXT,
            title TEXT NOT NULL DEFAULT '', created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entries (
            session TEXT NOT NULL REFERENCES sessions(id), seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL,
            PRIMARY KEY (session, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE requests (
            id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions(id), opened_at INTEGER NOT NULL,
            body TEXT NOT NULL, open INTEGER NOT NULL DEFAULT 1
        ) STRICT;
        CREATE INDEX open_requests ON requests (session) WHERE open = 1;
        CREATE TABLE drafts (
            session TEXT NOT NULL REFERENCES sessions(id), request TEXT NOT NULL DEFAULT '', body TEXT NOT NULL,
            PRIMARY KEY (session, request)
    ) STRICT;",
    ),
    // How questions were answered, counted as answers come: permissions are no questions of this kind.
    M::up(
        "ALTER TABLE sessions ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN accepted_default INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE sessions ADD COLUMN revisited INTEGER NOT NULL DEFAULT 0;",
    ),
];

/// Whether a commit must be on the disk before it is told. A crash of the program loses neither; a power cut may lose
/// the last relaxed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// For questions, answers and decisions.
    Synced,
    /// For everything that could be done again.
    Relaxed,
}

/// Why the store could not do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The folder or file cannot be used.
    #[error("cannot use the store at {path}: {source}. Check the folder's permissions and free space, or set SAYSO_HOME to another folder.", path = path.display())]
    Folder {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The database cannot be opened or was written by a newer program.
    #[error("cannot open the store at {path}: {reason}. Nothing was changed.", path = path.display())]
    Open {
        /// Where.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A statement failed.
    #[error("the store answered with an error: {0}. Check free disk space; nothing that was stored before is lost.")]
    Sqlite(#[from] rusqlite::Error),
    /// A stored record could not be read.
    #[error("a stored record could not be read: {0}")]
    Record(#[from] serde_json::Error),
    /// The log does not take an entry.
    #[error(transparent)]
    Misfit(#[from] Misfit),
    /// No session has this id.
    #[error("no session {0}. List them with: sayso sessions")]
    NoSession(String),
    /// No request has this id.
    #[error("no question is known under the id {0}. See what waits: sayso inbox")]
    NoRequest(String),
    /// The request was answered or closed before.
    #[error("the question {0} is no longer open: it was answered or the agent was stopped")]
    RequestClosed(String),
    /// Another process runs the session.
    #[error(
        "session {0} is running in another window or terminal. Its questions can be answered from here; to send it messages, close it there first."
    )]
    Locked(String),
}

/// A session as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// What lists show.
    pub info: SessionInfo,
    /// Where the model is reached, if not at the provider's own address.
    pub base_url: Option<String>,
}

/// The lock of a session: who holds it runs the session. Gone with the process.
#[derive(Debug)]
pub struct SessionLock(#[allow(dead_code, reason = "held, not read: the lock ends when the file closes")] File);

/// The open store.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
    home: PathBuf,
}

/// A request with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRequest {
    /// The request.
    pub request: Request,
    /// Its session.
    pub session_id: String,
    /// When it was opened.
    pub opened_at: u64,
    /// Whether it still waits.
    pub open: bool,
}

impl Store {
    /// Opens, and makes where there is none, the store in this folder (mode 0700).
    ///
    /// # Errors
    /// When the folder or the database cannot be used, or a newer program wrote it.
    pub fn open(home: &Path) -> Result<Self, StoreError> {
        let folder = |source| StoreError::Folder { path: home.to_owned(), source };
        fs::create_dir_all(home.join("locks")).map_err(folder)?;
        restrict(home).map_err(folder)?;
        // Two programs that start at once must not both make the tables; the lock ends with this function.
        let making =
            File::options().create(true).truncate(false).write(true).open(home.join("locks").join("store.lock"));
        let making = making.map_err(folder)?;
        making.lock().map_err(folder)?;
        let path = home.join("sayso.db");
        let open = |error: &dyn std::fmt::Display| StoreError::Open { path: path.clone(), reason: error.to_string() };
        let mut connection = Connection::open(&path).map_err(|error| open(&error))?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(|error| open(&error))?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Migrations::from_slice(SCHEMA).to_latest(&mut connection).map_err(|error| match error {
            rusqlite_migration::Error::MigrationDefinition(
                rusqlite_migration::MigrationDefinitionError::DatabaseTooFarAhead,
            ) => open(&"it was written by a newer Sayso; use that version"),
            other => open(&other),
        })?;
        Ok(Self { connection: Mutex::new(connection), home: home.to_owned() })
    }

    /// The folder it lives in.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// A new session in this folder.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn create_session(
        &self,
        workspace: &Path,
        model: &str,
        base_url: Option<&str>,
    ) -> Result<SessionRecord, StoreError> {
        let id = Uuid::now_v7().to_string();
        self.connection().execute(
            "INSERT INTO sessions (id, workspace, model, base_url, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?5)",
            params![id, workspace.to_string_lossy(), model, base_url, now()],
        )?;
        self.session(&id)
    }

    /// The session of this id.
    ///
    /// # Errors
    /// [`StoreError::NoSession`] where there is none.
    pub fn session(&self, id: &str) -> Result<SessionRecord, StoreError> {
        let sql = format!("{SESSIONS} WHERE s.id = ?1");
        let found = self.connection().query_row(&sql, [id], session_of).optional()?;
        found.ok_or_else(|| StoreError::NoSession(id.into()))
    }

    /// All sessions, the one that changed last first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionInfo>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(&format!("{SESSIONS} ORDER BY s.updated_at DESC, s.id DESC"))?;
        let rows = statement.query_map([], session_of)?;
        rows.map(|row| Ok(row?.info)).collect()
    }

    /// Lets this session run with another model from now on.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn set_model(&self, session: &str, model: &str, base_url: Option<&str>) -> Result<(), StoreError> {
        self.connection().execute(
            "UPDATE sessions SET model = ?2, base_url = ?3 WHERE id = ?1",
            params![session, model, base_url],
        )?;
        Ok(())
    }

    /// Takes the session's lock, so that no other process runs it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] while another process holds it.
    pub fn lock(&self, session: &str) -> Result<SessionLock, StoreError> {
        let path = self.home.join("locks").join(format!("{session}.lock"));
        let folder = |source| StoreError::Folder { path: path.clone(), source };
        let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(SessionLock(file)),
            Err(TryLockError::WouldBlock) => Err(StoreError::Locked(session.into())),
            Err(TryLockError::Error(source)) => Err(folder(source)),
        }
    }

    /// Reads the entries that the log has not seen, and returns what front ends see of them.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn catch_up(&self, session: &str, log: &mut Log) -> Result<Vec<SessionChunk>, StoreError> {
        let connection = self.connection();
        read_tail(&connection, session, log)
    }

    /// Appends what `entries` computes from the log as it stands in the store, in one transaction: what other
    /// processes wrote in the meantime is taken in first.
    ///
    /// # Errors
    /// When it cannot be stored, or the log refuses an entry; then nothing was written, though what others wrote has
    /// been taken in.
    pub fn append(
        &self,
        session: &str,
        log: &mut Log,
        durability: Durability,
        entries: impl FnOnce(&Log) -> Vec<Entry>,
    ) -> Result<Vec<SessionChunk>, StoreError> {
        let mut connection = self.connection();
        set_durability(&connection, durability)?;
        let result = append_in(&mut connection, session, log, entries);
        if result.is_err() {
            // The fold may be ahead of what was rolled back: fold again what is stored.
            *log = Log::default();
            read_tail(&connection, session, log)?;
        }
        result
    }

    /// Appends one entry without having the log at hand: an answer, from whatever process.
    ///
    /// # Errors
    /// [`StoreError::RequestClosed`] when the request is no longer open; then nothing was written.
    pub fn append_answer(&self, session: &str, entry: &Entry) -> Result<(), StoreError> {
        let mut connection = self.connection();
        set_durability(&connection, Durability::Synced)?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let last: u64 = transaction.query_row(
            "SELECT coalesce(max(seq), 0) FROM entries WHERE session = ?1",
            [session],
            |row| row.get(0),
        )?;
        write_entry(&transaction, session, last + 1, now(), entry)?;
        Ok(transaction.commit()?)
    }

    /// The request of this id, open or not.
    ///
    /// # Errors
    /// [`StoreError::NoRequest`] where there is none.
    pub fn request(&self, id: &str) -> Result<StoredRequest, StoreError> {
        let found = self
            .connection()
            .query_row("SELECT body, session, opened_at, open FROM requests WHERE id = ?1", [id], |row| {
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        let Some((body, session_id, opened_at, open)) = found else {
            return Err(StoreError::NoRequest(id.into()));
        };
        Ok(StoredRequest { request: serde_json::from_str(&body)?, session_id, opened_at, open })
    }

    /// What waits for a person, oldest first: in one session, or in all.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open_requests(&self, session: Option<&str>) -> Result<Vec<OpenRequest>, StoreError> {
        let connection = self.connection();
        let mut statement = connection.prepare_cached(
            "SELECT r.body, r.session, r.opened_at, d.body FROM requests r
             LEFT JOIN drafts d ON d.session = r.session AND d.request = r.id
             WHERE r.open = 1 AND (?1 IS NULL OR r.session = ?1) ORDER BY r.opened_at, r.id",
        )?;
        let rows = statement.query_map([session], |row| {
            Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, row.get::<_, Option<String>>(3)?))
        })?;
        rows.map(|row| {
            let (body, session_id, opened_at, draft) = row?;
            let request: Request = serde_json::from_str(&body)?;
            Ok(OpenRequest {
                questions: request.to_wire(),
                request_id: request.id,
                session_id,
                asker: request.asker,
                opened_at,
                draft: draft.map(|body| serde_json::from_str(&body)).transpose()?,
            })
        })
        .collect()
    }

    /// What was answered to a request; `None` while it waits or when it ended without an answer.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn answers(&self, request: &str) -> Result<Option<Vec<Answer>>, StoreError> {
        let body: Option<String> = self
            .connection()
            .query_row(
                "SELECT e.body FROM requests r JOIN entries e ON e.session = r.session
                 WHERE r.id = ?1 AND e.body ->> 'type' = 'request_answered' AND e.body ->> 'request_id' = r.id",
                [request],
                |row| row.get(0),
            )
            .optional()?;
        match body.map(|body| serde_json::from_str(&body)).transpose()? {
            Some(Entry::RequestAnswered { answers, .. }) => Ok(Some(answers)),
            _ => Ok(None),
        }
    }

    /// Keeps what was typed or ticked for a request; an empty draft is forgotten.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn save_request_draft(&self, session: &str, request: &str, draft: &RequestDraft) -> Result<(), StoreError> {
        let empty = draft.replies.is_empty() && draft.comment.is_none();
        let body = if empty { None } else { Some(serde_json::to_string(draft)?) };
        self.save_draft(session, request, body.as_deref())
    }

    /// What was typed or ticked for a request and not sent.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn request_draft(&self, session: &str, request: &str) -> Result<RequestDraft, StoreError> {
        match self.draft(session, request)? {
            Some(body) => Ok(serde_json::from_str(&body)?),
            None => Ok(RequestDraft::default()),
        }
    }

    /// Keeps the composer's unsent text; empty text is forgotten.
    ///
    /// # Errors
    /// When it cannot be stored.
    pub fn save_composer(&self, session: &str, text: &str) -> Result<(), StoreError> {
        self.save_draft(session, "", (!text.is_empty()).then_some(text))
    }

    /// The composer's unsent text.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn composer(&self, session: &str) -> Result<String, StoreError> {
        Ok(self.draft(session, "")?.unwrap_or_default())
    }

    /// Changes whenever another process has written to the store.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn data_version(&self) -> Result<i64, StoreError> {
        Ok(self.connection().query_row("PRAGMA data_version", [], |row| row.get(0))?)
    }

    fn save_draft(&self, session: &str, request: &str, body: Option<&str>) -> Result<(), StoreError> {
        let connection = self.connection();
        set_durability(&connection, Durability::Relaxed)?;
        match body {
            Some(body) => connection.execute(
                "INSERT INTO drafts (session, request, body) VALUES (?1, ?2, ?3)
                 ON CONFLICT (session, request) DO UPDATE SET body = excluded.body",
                params![session, request, body],
            )?,
            None => connection
                .execute("DELETE FROM drafts WHERE session = ?1 AND request = ?2", params![session, request])?,
        };
        Ok(())
    }

    fn draft(&self, session: &str, request: &str) -> Result<Option<String>, StoreError> {
        let found = self
            .connection()
            .query_row("SELECT body FROM drafts WHERE session = ?1 AND request = ?2", [session, request], |row| {
                row.get(0)
            })
            .optional()?;
        Ok(found)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic while the connection was held leaves SQLite itself whole: an open transaction rolls back when dropped.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Now, in milliseconds since the Unix epoch.
#[must_use]
pub fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|elapsed| u64::try_from(elapsed.as_millis()).ok())
        .unwrap_or_default()
}

const SESSIONS: &str = "SELECT s.id, s.title, s.workspace, s.model, s.created_at, s.updated_at, s.base_url,
    (SELECT count(*) FROM requests r WHERE r.session = s.id AND r.open = 1),
    s.answered, s.accepted_default, s.revisited FROM sessions s";

fn session_of(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    let workspace: String = row.get(2)?;
    Ok(SessionRecord {
        info: SessionInfo {
            session_id: row.get(0)?,
            title: row.get(1)?,
            folder: short(&workspace),
            workspace,
            model: row.get(3)?,
            created_at: row.get(4)?,
            updated_at: row.get(5)?,
            waiting: row.get(7)?,
            asked: AskedFigures { answered: row.get(8)?, accepted_default: row.get(9)?, revisited: row.get(10)? },
        },
        base_url: row.get(6)?,
    })
}

/// The folder with `~` for the home directory.
fn short(folder: &str) -> String {
    let inside = dirs::home_dir().and_then(|home| Some(Path::new(folder).strip_prefix(home).ok()?.to_owned()));
    match inside {
        Some(rest) if rest.as_os_str().is_empty() => "~".into(),
        Some(rest) => Path::new("~").join(rest).to_string_lossy().into_owned(),
        None => folder.into(),
    }
}

fn set_durability(connection: &Connection, durability: Durability) -> rusqlite::Result<()> {
    let level = match durability {
        Durability::Synced => "FULL",
        Durability::Relaxed => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", level)
}

fn read_tail(connection: &Connection, session: &str, log: &mut Log) -> Result<Vec<SessionChunk>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT seq, at, body FROM entries WHERE session = ?1 AND seq > ?2 ORDER BY seq")?;
    let mut rows = statement.query(params![session, log.seq()])?;
    let mut chunks = Vec::new();
    while let Some(row) = rows.next()? {
        let (seq, at, body): (u64, u64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
        chunks.extend(stamp(session, seq, at, log.apply(seq, serde_json::from_str(&body)?)?));
    }
    Ok(chunks)
}

fn stamp(session: &str, seq: u64, at: u64, chunks: Vec<OutputChunk>) -> impl Iterator<Item = SessionChunk> {
    chunks.into_iter().map(move |chunk| SessionChunk { session_id: session.into(), seq: Some(seq), at, chunk })
}

fn append_in(
    connection: &mut Connection,
    session: &str,
    log: &mut Log,
    entries: impl FnOnce(&Log) -> Vec<Entry>,
) -> Result<Vec<SessionChunk>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut chunks = read_tail(&transaction, session, log)?;
    let at = now();
    for entry in entries(log) {
        let seq = log.seq() + 1;
        write_entry(&transaction, session, seq, at, &entry)?;
        chunks.extend(stamp(session, seq, at, log.apply(seq, entry)?));
    }
    transaction.commit()?;
    Ok(chunks)
}

/// Writes one entry, and what other tables say of it.
fn write_entry(
    transaction: &Transaction<'_>,
    session: &str,
    seq: u64,
    at: u64,
    entry: &Entry,
) -> Result<(), StoreError> {
    transaction
        .prepare_cached("INSERT INTO entries (session, seq, at, body) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![session, seq, at, serde_json::to_string(entry)?])?;
    transaction.prepare_cached("UPDATE sessions SET updated_at = ?2 WHERE id = ?1")?.execute(params![session, at])?;
    match entry {
        Entry::UserMessage { text } => {
            transaction
                .prepare_cached("UPDATE sessions SET title = ?2 WHERE id = ?1 AND title = ''")?
                .execute(params![session, title_of(text)])?;
        }
        Entry::RequestOpened { request } => {
            transaction.execute(
                "INSERT INTO requests (id, session, opened_at, body) VALUES (?1, ?2, ?3, ?4)",
                params![request.id, session, at, serde_json::to_string(request)?],
            )?;
        }
        Entry::RequestAnswered { request_id, answers, .. } => {
            close_request(transaction, session, request_id)?;
            let count = |outcomes: &[Outcome]| answers.iter().filter(|a| outcomes.contains(&a.outcome)).count();
            transaction.execute(
                "UPDATE sessions SET answered = answered + ?2, accepted_default = accepted_default + ?3
                 WHERE id = ?1 AND (SELECT body ->> '$.questions[0].subject' FROM requests WHERE id = ?4) IS NULL",
                params![
                    session,
                    count(&[Outcome::Answered, Outcome::AcceptedDefault, Outcome::OwnWords]),
                    count(&[Outcome::AcceptedDefault]),
                    request_id
                ],
            )?;
        }
        Entry::RequestClosed { request_id, .. } => close_request(transaction, session, request_id)?,
        Entry::AssistantMessage { .. }
        | Entry::CutMessage { .. }
        | Entry::CallStarted { .. }
        | Entry::CallEnded { .. }
        | Entry::TurnEnded { .. }
        | Entry::TurnResumed => {}
    }
    Ok(())
}

fn close_request(transaction: &Transaction<'_>, session: &str, id: &str) -> Result<(), StoreError> {
    let closed = transaction.execute("UPDATE requests SET open = 0 WHERE id = ?1 AND open = 1", [id])?;
    if closed != 1 {
        return Err(StoreError::RequestClosed(id.into()));
    }
    transaction.execute("DELETE FROM drafts WHERE session = ?1 AND request = ?2", [session, id])?;
    Ok(())
}

/// The first line of a message, short enough for a list.
fn title_of(text: &str) -> String {
    const LONGEST: usize = 60;
    let line = text.trim().lines().next().unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.into(),
    }
}

#[cfg(unix)]
fn restrict(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn restrict(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}
