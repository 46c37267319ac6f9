//! What the agent and its front ends say to each other: plain data, no behaviour beyond reading and writing JSON.
//!
//! The page's TypeScript is generated from these types, and other programs read the same JSON from
//! `sayso run --json`, so every name here is a promise. Times are milliseconds since the Unix epoch.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

#[cfg(feature = "specta")]
use specta::Type;

/// Something the agent says to its front ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutputChunk {
    /// The user's message, once the agent has taken it up.
    UserMessage {
        /// What the user wrote.
        text: String,
    },
    /// A message that waits until the agent is idle.
    MessageQueued {
        /// What the user wrote.
        text: String,
    },
    /// Text of the model's: a piece while it streams, the whole block in a history.
    Text {
        /// Markdown.
        text: String,
    },
    /// The model called a tool.
    ToolCall {
        /// Our id of the call.
        call_id: String,
        /// The tool's name.
        tool: String,
        /// The arguments as the model sent them.
        #[cfg_attr(feature = "specta", specta(type = specta_typescript::Unknown))]
        input: serde_json::Value,
    },
    /// A call ended; the model reads `text`.
    ToolResult {
        /// Our id of the call.
        call_id: String,
        /// The tool's name.
        tool: String,
        /// False when the call failed, was refused or was interrupted.
        ok: bool,
        /// What the model reads.
        text: String,
        /// `approval` when the gate or the person refused the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocked_by: Option<BlockedBy>,
        /// How long the tool itself ran, without any waiting for a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        took_ms: Option<u64>,
    },
    /// The agent's state changed.
    StateChange {
        /// The new state.
        state: AgentState,
    },
    /// The agent asks, and waits under this id.
    AskUserQuestion {
        /// Matches the response to the request.
        request_id: String,
        /// The questions of the request, in the order they are to be asked.
        questions: Vec<UserQuestion>,
    },
    /// A request is over: answered, skipped or interrupted. The maps are by question key.
    RequestClosed {
        /// The request.
        request_id: String,
        /// How each question ended.
        outcomes: BTreeMap<String, Outcome>,
        /// What a person reads as the answer: labels or own words.
        answers: BTreeMap<String, String>,
        /// The values chosen, for each question that has any.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        selections: BTreeMap<String, Vec<String>>,
        /// Notes written beside the choices.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        notes: BTreeMap<String, String>,
        /// One comment on the whole request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// Who decided.
        by: Author,
        /// Where the answer was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        via: Option<Via>,
    },
    /// A turn ended.
    TurnEnded {
        /// Why.
        reason: TurnEnd,
    },
    /// Something went wrong that a person should know of.
    Error {
        /// What happened, in plain words.
        message: String,
        /// What can be done about it.
        remedy: String,
    },
}

/// Something a front end says to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InputMessage {
    /// A message for the agent. Without `reply_to` it is queued while the agent is busy or a question waits.
    UserMessage {
        /// What the user wrote.
        text: String,
        /// Answers this question with the words instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply_to: Option<ReplyTo>,
    },
    /// Answers to every question of a request: header (or key) to label(s), value, index or words.
    UserQuestionResponse {
        /// Must match the request.
        request_id: String,
        /// Header to selected label(s).
        answers: HashMap<String, String>,
    },
    /// Answers as they were given on screen; taken as said, never parsed.
    QuestionReplies {
        /// Must match the request.
        request_id: String,
        /// One reply a question, by its key.
        replies: BTreeMap<String, Reply>,
        /// One comment on the whole request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
    },
    /// What has been typed or ticked and not sent. Without `request_id`: the composer's text.
    Draft {
        /// The request it belongs to.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        request_id: Option<String>,
        /// Half-given replies, by key.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replies: Option<BTreeMap<String, Reply>>,
        /// The comment so far.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        comment: Option<String>,
        /// The composer's text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Stop: the open question closes, the turn ends.
    Interrupt,
}

/// The question that a message answers in words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct ReplyTo {
    /// The request.
    pub request_id: String,
    /// The question's key.
    pub key: String,
}

/// What the agent is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AgentState {
    /// Nothing: the next word is the user's.
    Idle,
    /// The model was called and has not finished.
    Thinking,
    /// A tool runs.
    RunningTool {
        /// The tool's name.
        tool: String,
    },
    /// A model call failed and will be tried again.
    Retrying {
        /// How long until then.
        in_ms: u64,
    },
    /// A person must act: answer, permit or approve.
    WaitingForUserInput {
        /// The first open request.
        request_id: String,
    },
}

/// A question as front ends see it. Absent optionals are not written; `multiSelect` and `multi_select` are both
/// written, and either is read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(try_from = "WireQuestion", into = "WireQuestion")]
pub struct UserQuestion {
    /// Full question text.
    pub question: String,
    /// Short label, at most 12 characters from `AskUserQuestion`.
    pub header: String,
    /// What can be chosen; empty for a text question.
    pub options: Vec<QuestionOption>,
    /// Whether several options may be chosen.
    pub multi_select: bool,
    /// Names the question's answer in its request; the header where absent.
    pub key: Option<String>,
    /// What form the answer has; `choice` or `multi_choice` where absent.
    pub kind: Option<QuestionKind>,
    /// The suggested answer: a value, values, words or a boolean.
    pub default: Option<serde_json::Value>,
    /// Whether it cannot be skipped; false where absent.
    pub required: Option<bool>,
    /// What the answer to a text question must match.
    pub pattern: Option<String>,
    /// Whether own words are an answer; true where absent.
    pub allow_other: Option<bool>,
    /// Whether what follows cannot be undone.
    pub irreversible: Option<bool>,
    /// Why a tool had to ask.
    pub reason: Option<Reason>,
    /// The asker's own words on why it asks.
    pub why: Option<String>,
    /// What the request is about, where that is more than the question itself.
    pub subject: Option<Subject>,
}

/// The JSON of a [`UserQuestion`], with both spellings of the flag.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
struct WireQuestion {
    question: String,
    header: String,
    #[serde(default)]
    options: Vec<QuestionOption>,
    #[serde(default, rename = "multiSelect")]
    multi_select_002: Option<bool>,
    #[serde(default)]
    multi_select: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<QuestionKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "specta", specta(type = Option<specta_typescript::Unknown>))]
    default: Option<serde_json::Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    required: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    allow_other: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    irreversible: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    subject: Option<Subject>,
}

impl From<UserQuestion> for WireQuestion {
    fn from(q: UserQuestion) -> Self {
        Self {
            question: q.question,
            header: q.header,
            options: q.options,
            multi_select_002: Some(q.multi_select),
            multi_select: Some(q.multi_select),
            key: q.key,
            kind: q.kind,
            default: q.default,
            required: q.required,
            pattern: q.pattern,
            allow_other: q.allow_other,
            irreversible: q.irreversible,
            reason: q.reason,
            why: q.why,
            subject: q.subject,
        }
    }
}

impl TryFrom<WireQuestion> for UserQuestion {
    type Error = String;

    fn try_from(q: WireQuestion) -> Result<Self, String> {
        let multi_select = match (q.multi_select_002, q.multi_select) {
            (Some(a), Some(b)) if a != b => {
                return Err(format!(
                    "question '{}': multiSelect and multi_select disagree; send one of them",
                    q.header
                ));
            }
            (a, b) => a.or(b).unwrap_or(false),
        };
        Ok(Self {
            question: q.question,
            header: q.header,
            options: q.options,
            multi_select,
            key: q.key,
            kind: q.kind,
            default: q.default,
            required: q.required,
            pattern: q.pattern,
            allow_other: q.allow_other,
            irreversible: q.irreversible,
            reason: q.reason,
            why: q.why,
            subject: q.subject,
        })
    }
}

/// One thing that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct QuestionOption {
    /// Display text, 1 to 5 words from `AskUserQuestion`.
    pub label: String,
    /// What choosing it means.
    #[serde(default)]
    pub description: String,
    /// What the asker reads; the label where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Shown beside the list as plain monospaced text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

/// What form an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// One of the options.
    Choice,
    /// Any number of the options.
    MultiChoice,
    /// Words.
    Text,
    /// Yes or no.
    Confirm,
}

/// Why a tool could not go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// What follows cannot be undone.
    Irreversible,
    /// Several things fit, and the tool must not pick.
    Ambiguous,
    /// A rule wants an explicit word.
    Policy,
}

/// What a request is about, where a view can show more than the question itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Subject {
    /// A call that may only run once a person permits it.
    Permission {
        /// The call that waits.
        call_id: String,
        /// Its tool.
        tool: String,
        /// The exact command line, for a command.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
        /// The file, for a write; relative to the workspace where it is inside.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// What would change, as a unified diff.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<String>,
    },
}

/// What a person did with one question on screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct Reply {
    /// What was done.
    pub act: Act,
    /// The values chosen, in the options' order.
    #[serde(default)]
    pub selected: Vec<String>,
    /// Own words, or the answer to a text question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A note beside the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What was done on screen with one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Options were chosen, or a text question was answered.
    Chosen,
    /// The suggested answer was accepted untouched.
    Default,
    /// Words were written instead of, or beside, a choice.
    OwnWords,
    /// Skip was pressed.
    Skipped,
}

/// How a question ended. Never guessed from text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A person chose or wrote the answer.
    Answered,
    /// A person took the suggested answer.
    AcceptedDefault,
    /// A person wrote words that are no listed option.
    OwnWords,
    /// A person passed the question over.
    Skipped,
    /// No person saw it: autonomous mode or a rule took the default.
    Defaulted,
    /// A person stopped the agent.
    Interrupted,
    /// The asker is gone; the answer is kept.
    Orphaned,
}

/// Who decided: `person`, `autonomous` or `rule:NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(try_from = "String", into = "String")]
pub enum Author {
    /// The person at a front end.
    Person,
    /// Autonomous mode.
    Autonomous,
    /// A rule, by name.
    Rule(String),
}

impl From<Author> for String {
    fn from(author: Author) -> Self {
        match author {
            Author::Person => "person".into(),
            Author::Autonomous => "autonomous".into(),
            Author::Rule(name) => format!("rule:{name}"),
        }
    }
}

impl TryFrom<String> for Author {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "person" => Ok(Self::Person),
            "autonomous" => Ok(Self::Autonomous),
            other => match other.strip_prefix("rule:") {
                Some(name) => Ok(Self::Rule(name.into())),
                None => Err(format!("'{other}' is no author: person, autonomous or rule:NAME")),
            },
        }
    }
}

/// Where an answer was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Via {
    /// The desktop window.
    Window,
    /// The program `sayso`.
    Terminal,
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum TurnEnd {
    /// The model had nothing more to do.
    Done,
    /// A person stopped it.
    Interrupted,
    /// The model could not be reached or answered with an error; the turn can be resumed.
    Failed,
}

/// Who refused a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum BlockedBy {
    /// The approval step: the table of rules, or the person.
    Approval,
}

/// What a call of the model's came to; the model reads `text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct ToolResult {
    /// False when the call failed, was refused or was interrupted.
    pub ok: bool,
    /// What the model reads.
    pub text: String,
    /// `approval` for every refusal of the gate, the person's and the table's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<BlockedBy>,
}

impl ToolResult {
    /// The call did what it was asked to.
    #[must_use]
    pub fn ok(text: impl Into<String>) -> Self {
        Self { ok: true, text: text.into(), blocked_by: None }
    }

    /// The call failed, and the model is told why.
    #[must_use]
    pub fn error(text: impl Into<String>) -> Self {
        Self { ok: false, text: text.into(), blocked_by: None }
    }

    /// The approval step refused the call.
    #[must_use]
    pub fn refused(text: impl Into<String>) -> Self {
        Self { ok: false, text: text.into(), blocked_by: Some(BlockedBy::Approval) }
    }
}

/// A chunk with its place in a session's log; what a history is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct SessionChunk {
    /// The session.
    pub session_id: String,
    /// The log entry it came from; absent for streamed text and states, which are not logged by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// When it was logged or sent.
    pub at: u64,
    /// The chunk.
    pub chunk: OutputChunk,
}

/// A session as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct SessionInfo {
    /// The session.
    pub session_id: String,
    /// The first words of the first message; empty before it.
    pub title: String,
    /// The folder it works in.
    pub workspace: String,
    /// The same for people: short, with `~` for the home directory.
    pub folder: String,
    /// The model as the user names it, for instance `practice` or `openai:gpt-5`.
    pub model: String,
    /// When it was opened first.
    pub created_at: u64,
    /// When its log last grew.
    pub updated_at: u64,
    /// How many requests of it wait for a person.
    pub waiting: u32,
    /// How the questions that were asked in it have been answered.
    pub asked: AskedFigures,
}

/// How a session's questions were answered, permissions not counted: too many defaults taken as they are mean that too
/// much is asked, many revisits that too little was understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct AskedFigures {
    /// Questions that a person answered, in whatever way; skipped ones are not among them.
    pub answered: u32,
    /// Those of them where the suggested answer was taken as it stood.
    pub accepted_default: u32,
    /// Decisions that were taken back later.
    pub revisited: u32,
}

/// An open request with what has been typed into it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct OpenRequest {
    /// The request.
    pub request_id: String,
    /// Its session.
    pub session_id: String,
    /// Who asks: the tool's name, or the program that asked.
    pub asker: String,
    /// When it was asked.
    pub opened_at: u64,
    /// Its questions.
    pub questions: Vec<UserQuestion>,
    /// What was typed or ticked and not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<RequestDraft>,
}

/// What was typed or ticked for a request and not sent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct RequestDraft {
    /// Half-given replies, by key.
    #[serde(default)]
    pub replies: BTreeMap<String, Reply>,
    /// The comment so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// All a page needs to show a session, whatever it has or has not heard before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct Snapshot {
    /// The session.
    pub session: SessionInfo,
    /// Number of the last log entry in `history`; chunks up to it are in here already.
    pub seq: u64,
    /// What happened so far.
    pub history: Vec<SessionChunk>,
    /// Text of the model's that has arrived and is not logged yet.
    pub streaming: String,
    /// What the agent is doing.
    pub state: AgentState,
    /// What waits for a person in this session, the first one to show first.
    pub requests: Vec<OpenRequest>,
    /// The composer's unsent text.
    pub draft: String,
    /// Messages that wait until the agent is idle.
    pub queued: Vec<String>,
    /// Whether another process runs this session: its questions can be answered here, messages cannot be sent.
    pub elsewhere: bool,
    /// What the page shows differently by setting.
    pub settings: Settings,
}

/// What the user has set; see `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
pub struct Settings {
    /// `AskUserQuestion` offers its options only, no own words.
    pub strict_options: bool,
    /// How exactly the written forms of questions are held to their limits.
    #[serde(default)]
    pub validation: Validation,
    /// How the window looks and behaves.
    #[serde(default)]
    pub window: WindowSettings,
}

/// How exactly the written forms of questions are held to their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Validation {
    /// Every limit counts.
    #[default]
    Strict,
    /// For weak local models: an over-long header is shortened, longer labels pass.
    Lenient,
}

/// How the window looks and behaves: the table `[window]` of `config.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(default, deny_unknown_fields)]
pub struct WindowSettings {
    /// Light or dark.
    pub theme: Theme,
    /// How strongly text and borders stand out.
    pub contrast: Contrast,
    /// How much space there is between things.
    pub density: Density,
    /// The size of all text, in percent: 80 to 200.
    pub text_size: u16,
    /// Whether anything moves.
    pub motion: Motion,
    /// Where the question stands in a wide window.
    pub panel_side: PanelSide,
    /// For how long, in milliseconds, a question that has just appeared takes no key that could answer it: 200 to 5000.
    pub guard_ms: u16,
    /// How several questions of one request are shown.
    pub questions: Paging,
    /// When the answers are listed once more before they are sent.
    pub review: Review,
    /// What sends a message.
    pub send_key: SendKey,
}

impl Default for WindowSettings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            contrast: Contrast::default(),
            density: Density::default(),
            text_size: 100,
            motion: Motion::default(),
            panel_side: PanelSide::default(),
            guard_ms: 400,
            questions: Paging::default(),
            review: Review::default(),
            send_key: SendKey::default(),
        }
    }
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// How strongly text and borders stand out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Contrast {
    /// As the system says.
    #[default]
    System,
    /// Strongly.
    High,
}

/// How much space there is between things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// Enough to rest the eye.
    #[default]
    Comfortable,
    /// Less, so that more fits.
    Compact,
}

/// Whether anything moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Motion {
    /// As the system says.
    #[default]
    System,
    /// Nothing moves.
    Reduced,
}

/// Where the question stands in a wide window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum PanelSide {
    /// At the end of the line: right, in left-to-right text.
    #[default]
    Right,
    /// Between the side list and the conversation.
    Left,
}

/// How several questions of one request are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Paging {
    /// One at a time.
    #[default]
    OnePerPage,
    /// All on one page.
    All,
}

/// When the answers are listed once more before they are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum Review {
    /// When there are two or more.
    #[default]
    Several,
    /// Also when there is only one.
    Always,
}

/// What sends a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "specta", derive(Type))]
#[serde(rename_all = "snake_case")]
pub enum SendKey {
    /// Enter; with Shift it makes a new line.
    #[default]
    Enter,
    /// Ctrl or Cmd with Enter; Enter alone makes a new line.
    ModifierEnter,
}
