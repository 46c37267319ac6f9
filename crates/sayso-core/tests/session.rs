//! A session end to end, with a scripted model, a real store and real files: what is asked, answered, stopped, crashed
//! and gone on with.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
    time::Duration,
};

use futures::{StreamExt, stream::BoxStream};
use sayso_core::{
    inbox::{Given, Inbox},
    model::{Message, ModelError, ModelEvent, Provider, Request, practice::Practice},
    protocol::{
        Act, AgentState, AskedFigures, InputMessage, Outcome, OutputChunk, Reply, ReplyTo, RequestDraft, SessionChunk,
        Settings, TurnEnd, Via,
    },
    session::{Session, Setup, Standing},
    store::Store,
};
use tempfile::TempDir;
use tokio::sync::{
    mpsc::{UnboundedReceiver, unbounded_channel},
    watch,
};

/// A practice model that keeps what it was asked.
#[derive(Debug, Clone)]
struct Counted {
    script: Practice,
    requests: Arc<std::sync::Mutex<Vec<Request>>>,
}

impl Provider for Counted {
    fn label(&self) -> String {
        self.script.label()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        self.requests.lock().unwrap().push(request.clone());
        self.script.stream(request)
    }
}

/// A session in folders of its own.
struct Bench {
    home: TempDir,
    _project: TempDir,
    store: Arc<Store>,
    id: String,
    model: Counted,
    session: Option<Session>,
    chunks: UnboundedReceiver<SessionChunk>,
    heard: Vec<OutputChunk>,
}

impl Bench {
    fn new(script: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join("a.txt"), "one\ntwo\n").unwrap();
        let file = home.path().join("script.jsonl");
        std::fs::write(&file, script).unwrap();
        let model = Counted { script: Practice::load(&file).unwrap(), requests: Arc::default() };
        let store = Arc::new(Store::open(home.path()).unwrap());
        let id = store.create_session(project.path(), "practice", None).unwrap().info.session_id;
        let (_, chunks) = unbounded_channel();
        let mut bench = Self { home, _project: project, store, id, model, session: None, chunks, heard: Vec::new() };
        bench.open();
        bench
    }

    fn open(&mut self) {
        self.open_with(Arc::new(self.model.clone()));
    }

    fn open_with(&mut self, provider: Arc<dyn Provider>) {
        let (sender, chunks) = unbounded_channel();
        self.chunks = chunks;
        let setup = Setup {
            store: self.store.clone(),
            inbox: Inbox::new(self.store.clone()),
            session_id: self.id.clone(),
            provider,
            settings: watch::channel(Settings::default()).1,
            emit: Arc::new(move |chunk| drop(sender.send(chunk))),
        };
        self.session = Some(Session::open(setup).unwrap());
    }

    /// As a crash would: the loop stops where it is, and everything in memory is gone.
    fn crash(&mut self) {
        self.session = None;
        self.store = Arc::new(Store::open(self.home.path()).unwrap());
        self.open();
    }

    fn session(&self) -> &Session {
        self.session.as_ref().unwrap()
    }

    fn say(&self, text: &str) {
        self.session().send(InputMessage::UserMessage { text: text.into(), reply_to: None }, Via::Window).unwrap();
    }

    fn calls(&self) -> usize {
        self.model.requests.lock().unwrap().len()
    }

    /// The next chunk that `pick` takes.
    async fn until<T>(&mut self, pick: impl Fn(&OutputChunk) -> Option<T>) -> T {
        let wait = async {
            loop {
                let chunk = self.chunks.recv().await.expect("the session goes on").chunk;
                let picked = pick(&chunk);
                self.heard.push(chunk);
                if let Some(picked) = picked {
                    return picked;
                }
            }
        };
        let found = tokio::time::timeout(Duration::from_secs(20), wait).await;
        found.unwrap_or_else(|_| panic!("it did not come: {:#?}", self.session().standing()))
    }

    async fn waiting(&mut self) -> String {
        self.until(|chunk| match chunk {
            OutputChunk::StateChange { state: AgentState::WaitingForUserInput { request_id } } => {
                Some(request_id.clone())
            }
            _ => None,
        })
        .await
    }

    async fn idle(&mut self) {
        self.until(|chunk| matches!(chunk, OutputChunk::StateChange { state: AgentState::Idle }).then_some(())).await;
    }

    fn results(&self) -> Vec<(bool, String)> {
        self.heard
            .iter()
            .filter_map(|chunk| match chunk {
                OutputChunk::ToolResult { ok, text, .. } => Some((*ok, text.clone())),
                _ => None,
            })
            .collect()
    }

    fn answer(&self, request_id: &str, answers: &[(&str, &str)]) -> Result<(), String> {
        let answers = answers.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        let message = InputMessage::UserQuestionResponse { request_id: request_id.into(), answers };
        self.session().send(message, Via::Window).map_err(|error| error.to_string())
    }
}

const DATABASE: &str = r#"{"header":"Database","question":"Which database should we use?","multiSelect":false,"options":[{"label":"PostgreSQL","description":"Relational with advanced features"},{"label":"SQLite","description":"Lightweight embedded database"}]}"#;
const FEATURES: &str = r#"{"header":"Features","question":"Which features do you want?","multiSelect":true,"options":[{"label":"Caching","description":"Response caching"},{"label":"Logging","description":"Detailed logs"},{"label":"Metrics","description":"Performance monitoring"}]}"#;

fn asking(questions: &str) -> String {
    format!(
        r#"{{"when":{{"user":"."}},"emit":[{{"text":"Let me ask."}},{{"call":{{"tool":"AskUserQuestion","input":{{"questions":[{questions}]}}}}}}]}}
{{"when":{{"tool":"AskUserQuestion"}},"emit":[{{"text":"Thank you."}}]}}"#
    )
}

fn command(line: &str) -> String {
    format!(
        r#"{{"when":{{"user":"."}},"emit":[{{"call":{{"tool":"run_command","input":{{"command":"{line}"}}}}}}]}}
{{"when":{{"tool":"run_command"}},"emit":[{{"text":"Ran: ${{result}}"}}]}}"#
    )
}

#[tokio::test]
async fn v_05_question_answer_and_on_in_this_order() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    assert_eq!(bench.calls(), 1, "the model is not called while a person is asked");
    bench.answer(&request_id, &[("Database", "PostgreSQL")]).unwrap();
    bench.idle().await;

    let kinds: Vec<&str> = bench.heard.iter().map(kind).collect();
    let expected = [
        "user_message",
        "thinking",
        "text",
        "text",
        "text",
        "tool_call",
        "running_tool",
        "ask_user_question",
        "waiting_for_user_input",
        "request_closed",
        "running_tool",
        "tool_result",
        "thinking",
        "text",
        "text",
        "turn_ended",
        "idle",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(
        bench.results(),
        [(true, r#"{"answers":{"Database":"PostgreSQL"},"selections":{"Database":["PostgreSQL"]},"outcomes":{"Database":"answered"}}"#.into())]
    );
    assert_eq!(bench.calls(), 2);
}

#[tokio::test]
async fn c_01_asked_by_a_tool_it_waits_and_asked_in_prose_it_is_idle() {
    let prose = r#"{"when":{"user":"."},"emit":[{"text":"Which database should we use?"}]}"#;
    let mut bench = Bench::new(prose);
    bench.say("choose");
    bench.idle().await;
    assert_eq!(bench.session().standing(), Standing::Idle);
    assert!(bench.session().snapshot().unwrap().requests.is_empty());

    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    assert_eq!(bench.session().standing(), Standing::Waiting(vec![request_id.clone()]));
    assert_eq!(bench.session().snapshot().unwrap().state, AgentState::WaitingForUserInput { request_id });
}

#[tokio::test]
async fn c_02_the_answer_is_the_result_of_the_call_that_asked() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    bench.answer(&request_id, &[("Database", "2")]).unwrap();
    bench.idle().await;
    let asked = bench.heard.iter().find_map(|chunk| match chunk {
        OutputChunk::ToolCall { call_id, .. } => Some(call_id.clone()),
        _ => None,
    });
    let told = bench.heard.iter().find_map(|chunk| match chunk {
        OutputChunk::ToolResult { call_id, .. } => Some(call_id.clone()),
        _ => None,
    });
    assert!(asked.is_some());
    assert_eq!(asked, told);
    let requests = bench.model.requests.lock().unwrap();
    let Message::Assistant { calls, .. } = &requests[1].messages[1] else { panic!("{requests:?}") };
    let [(call, result)] = calls.as_slice() else { panic!("{calls:?}") };
    assert_eq!(Some(&call.id), asked.as_ref());
    assert!(result.text.contains(r#""Database":"SQLite""#), "{result:?}");
}

#[tokio::test]
async fn c_09_asking_asks_for_no_permission() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    bench.waiting().await;
    let open = bench.store.open_requests(Some(&bench.id)).unwrap();
    let subjects: Vec<_> = open.iter().flat_map(|open| &open.questions).map(|question| &question.subject).collect();
    assert_eq!(subjects, [&None]);
}

#[tokio::test]
async fn c_15_the_model_is_told_when_to_ask() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    bench.waiting().await;
    let request = bench.model.requests.lock().unwrap()[0].clone();
    for words in [
        "Ask only when two reasonable readings of the request would lead to entirely different changes",
        "Never ask what reading the code would answer",
        "never ask in prose",
    ] {
        assert!(request.system.contains(words), "{words}");
    }
    let asking = request.tools.iter().filter(|tool| ["AskUserQuestion", "ask_user"].contains(&tool.name.as_str()));
    assert_eq!(asking.clone().count(), 2);
    assert!(asking.into_iter().all(|tool| tool.description.contains("never ask what reading the code would answer")));
}

#[tokio::test]
async fn v_18_several_choices_join_in_the_options_order() {
    let mut bench = Bench::new(&asking(FEATURES));
    bench.say("choose");
    let request_id = bench.waiting().await;
    bench.answer(&request_id, &[("Features", "Metrics, Caching")]).unwrap();
    bench.idle().await;
    assert_eq!(
        bench.results(),
        [(true, r#"{"answers":{"Features":"Caching, Metrics"},"selections":{"Features":["Caching","Metrics"]},"outcomes":{"Features":"answered"}}"#.into())]
    );
}

#[tokio::test]
async fn v_29_v_30_cancel_ends_the_turn_and_calls_no_model() {
    let two = format!(
        r#"{{"when":{{"user":"."}},"emit":[{{"call":{{"tool":"read_file","input":{{"path":"a.txt"}}}}}},{{"call":{{"tool":"AskUserQuestion","input":{{"questions":[{DATABASE}]}}}}}},{{"call":{{"tool":"run_command","input":{{"command":"touch b.txt"}}}}}}]}}"#
    );
    let mut bench = Bench::new(&two);
    bench.say("go");
    bench.waiting().await;
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.idle().await;

    let results = bench.results();
    assert!(results[0].0, "a call that had ended keeps its result");
    assert_eq!(results[1..], [(false, "Interrupted".to_owned()), (false, "Interrupted".to_owned())]);
    assert_eq!(bench.calls(), 1, "no model call follows");
    assert!(bench.heard.contains(&OutputChunk::TurnEnded { reason: TurnEnd::Interrupted }));

    // Idle: nothing happens, and the next message starts afresh with a whole history.
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.say("again");
    bench.waiting().await;
    assert_eq!(bench.calls(), 2);
    let last = bench.model.requests.lock().unwrap().last().unwrap().clone();
    let Message::Assistant { calls, .. } = &last.messages[1] else { panic!("{last:?}") };
    assert_eq!(calls.len(), 3, "every call has its one result");
}

#[tokio::test]
async fn several_open_requests_are_answered_each_by_its_own_id() {
    let two = format!(
        r#"{{"when":{{"user":"."}},"emit":[{{"call":{{"tool":"AskUserQuestion","input":{{"questions":[{DATABASE}]}}}}}},{{"call":{{"tool":"AskUserQuestion","input":{{"questions":[{FEATURES}]}}}}}}]}}
{{"when":{{"tool":"AskUserQuestion"}},"emit":[{{"text":"Thank you."}}]}}"#
    );
    let mut bench = Bench::new(&two);
    bench.say("choose");
    bench.waiting().await;
    let open = bench.store.open_requests(Some(&bench.id)).unwrap();
    assert_eq!(open.len(), 2);
    let by_header: HashMap<_, _> =
        open.iter().map(|open| (open.questions[0].header.clone(), open.request_id.clone())).collect();

    bench.answer(&by_header["Features"], &[("Features", "Logging")]).unwrap();
    assert_eq!(bench.waiting().await, by_header["Database"]);
    assert_eq!(bench.calls(), 1);
    bench.answer(&by_header["Database"], &[("Database", "SQLite")]).unwrap();
    bench.idle().await;
    assert_eq!(bench.calls(), 2);
    let requests = bench.model.requests.lock().unwrap();
    let Message::Assistant { calls, .. } = &requests[1].messages[1] else { panic!("{requests:?}") };
    assert!(calls[0].1.text.contains("SQLite") && calls[1].1.text.contains("Logging"), "{calls:?}");
}

#[tokio::test]
async fn a_crash_keeps_the_question_its_id_and_its_draft() {
    let mut bench = Bench::new(&asking(&format!("{DATABASE},{FEATURES}")));
    bench.say("choose");
    let request_id = bench.waiting().await;
    let reply = Reply { act: Act::OwnWords, selected: Vec::new(), text: Some("half a wo".into()), note: None };
    let replies = BTreeMap::from([("Database".to_owned(), reply)]);
    let draft = InputMessage::Draft {
        request_id: Some(request_id.clone()),
        replies: Some(replies.clone()),
        comment: None,
        text: None,
    };
    bench.session().send(draft, Via::Window).unwrap();
    bench.crash();

    assert_eq!(bench.waiting().await, request_id);
    let snapshot = bench.session().snapshot().unwrap();
    assert_eq!(snapshot.requests[0].draft, Some(RequestDraft { replies, comment: None }));
    assert_eq!(bench.calls(), 1, "the model is not asked again for what it has said");
    bench.answer(&request_id, &[("Database", "SQLite"), ("Features", "")]).unwrap();
    bench.idle().await;
    assert_eq!(
        bench.results(),
        [(true, r#"{"answers":{"Database":"SQLite","Features":"the user did not answer"},"selections":{"Database":["SQLite"],"Features":[]},"outcomes":{"Database":"answered","Features":"skipped"}}"#.into())]
    );
    assert_eq!(
        bench.store.request_draft(&bench.id, &request_id).unwrap(),
        RequestDraft::default(),
        "gone once delivered"
    );
}

/// Both extremes cost: too much asking shows as defaults taken untouched.
#[tokio::test]
async fn c_16_a_session_counts_how_its_questions_were_answered() {
    let script = r#"{"when":{"user":"."},"emit":[{"call":{"tool":"ask_user","input":{"question":"Throw or null?","options":[{"value":"throw","label":"Throw"},{"value":"null","label":"Return null"}],"default":"throw"}}}]}
{"when":{"tool":"ask_user"},"emit":[{"call":{"tool":"run_command","input":{"command":"true"}}}]}
{"when":{"tool":"run_command"},"emit":[{"text":"Done."}]}"#;
    let mut bench = Bench::new(script);
    for answer in ["", "2", "neither", " "] {
        bench.say("go");
        let asked = bench.waiting().await;
        bench.answer(&asked, &[("answer", answer)]).unwrap();
        let permission = bench.waiting().await;
        bench.answer(&permission, &[("permission", "y")]).unwrap();
        bench.idle().await;
    }
    bench.say("go");
    bench.waiting().await;
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.idle().await;
    // The default twice, an option and own words; permissions and what was stopped do not count.
    let expected = AskedFigures { answered: 4, accepted_default: 2, revisited: 0 };
    assert_eq!(bench.session().snapshot().unwrap().session.asked, expected);
    bench.crash();
    assert_eq!(bench.store.sessions().unwrap()[0].asked, expected);
}

#[tokio::test]
async fn an_answer_may_come_from_another_process() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    let other = Inbox::new(Arc::new(Store::open(bench.home.path()).unwrap()));
    let given = Given::Answers(HashMap::from([("Database".into(), "2".into())]));
    other.answer(&request_id, &given, Via::Terminal).unwrap();
    let via = bench
        .until(|chunk| match chunk {
            OutputChunk::RequestClosed { via, outcomes, .. } => Some((*via, outcomes["Database"])),
            _ => None,
        })
        .await;
    assert_eq!(via, (Some(Via::Terminal), Outcome::Answered));
    bench.idle().await;

    let again = bench.answer(&request_id, &[("Database", "1")]).unwrap_err();
    assert!(again.contains("no longer open"), "{again}");
}

#[tokio::test]
async fn an_answer_that_came_while_nobody_ran_the_session_is_taken_up() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    bench.session = None;
    let given = Given::Answers(HashMap::from([("Database".into(), "SQLite".into())]));
    Inbox::new(bench.store.clone()).answer(&request_id, &given, Via::Terminal).unwrap();
    bench.crash();
    bench.idle().await;
    assert_eq!(bench.results().len(), 1);
    assert_eq!(bench.calls(), 2);
}

#[tokio::test]
async fn wrong_answers_are_refused_with_a_sentence_and_kept() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    for (answers, word) in [(&[][..], "no answer in this"), (&[("Datenbank", "SQLite")][..], "Datenbank")] {
        let refused = bench.answer(&request_id, answers).unwrap_err();
        assert!(refused.contains(word), "{refused}");
    }
    let unknown = bench.answer("0190-nobody", &[("Database", "SQLite")]).unwrap_err();
    assert!(unknown.contains("0190-nobody") && unknown.contains("sayso inbox"), "{unknown}");
    assert_eq!(bench.session().standing(), Standing::Waiting(vec![request_id.clone()]));

    let reply = Reply { act: Act::Chosen, selected: vec!["MySQL".into()], text: None, note: Some("please".into()) };
    let replies = BTreeMap::from([("Database".to_owned(), reply)]);
    let message =
        InputMessage::QuestionReplies { request_id: request_id.clone(), replies: replies.clone(), comment: None };
    bench.session().send(message, Via::Window).unwrap_err();
    assert_eq!(bench.store.request_draft(&bench.id, &request_id).unwrap().replies, replies);
}

#[tokio::test]
async fn a_reply_in_words_is_the_answer_byte_for_byte() {
    let mut bench = Bench::new(&asking(&format!("{DATABASE},{FEATURES}")));
    bench.say("choose");
    let request_id = bench.waiting().await;
    let words = "  none of these, I want NaN\n";
    let reply_to = Some(ReplyTo { request_id, key: "Features".into() });
    bench.session().send(InputMessage::UserMessage { text: words.into(), reply_to }, Via::Window).unwrap();
    bench.idle().await;
    let text = &bench.results()[0].1;
    let result: serde_json::Value = serde_json::from_str(text).unwrap();
    assert_eq!(result["answers"]["Features"], words);
    assert_eq!(result["outcomes"], serde_json::json!({"Database": "skipped", "Features": "own_words"}));
}

#[tokio::test]
async fn a_message_sent_while_a_question_waits_is_queued_and_taken_up_after() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    bench.say("and then this");
    assert_eq!(bench.session().snapshot().unwrap().queued, ["and then this"]);
    bench.answer(&request_id, &[("Database", "SQLite")]).unwrap();
    bench.until(|chunk| (*chunk == OutputChunk::UserMessage { text: "and then this".into() }).then_some(())).await;
    bench.waiting().await;
    assert_eq!(bench.calls(), 3);
}

#[tokio::test]
async fn stopping_returns_what_was_typed_and_queued_to_the_composer() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.say("choose");
    let request_id = bench.waiting().await;
    bench.say("and then this");
    let reply = Reply { act: Act::OwnWords, selected: Vec::new(), text: Some("half a wo".into()), note: None };
    let draft = InputMessage::Draft {
        request_id: Some(request_id),
        replies: Some(BTreeMap::from([("Database".to_owned(), reply)])),
        comment: None,
        text: None,
    };
    bench.session().send(draft, Via::Window).unwrap();
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.idle().await;
    assert_eq!(bench.session().snapshot().unwrap().draft, "half a wo\n\nand then this");
    assert_eq!(bench.calls(), 1, "nothing runs on by itself");
}

#[tokio::test]
async fn what_changes_something_asks_first_and_no_means_no() {
    let mut bench = Bench::new(&command("echo yes > made.txt"));
    bench.say("go");
    let request_id = bench.waiting().await;
    let made = bench._project.path().join("made.txt");
    assert!(!made.exists());
    bench.answer(&request_id, &[("Permission", "n not now, please")]).unwrap();
    bench.idle().await;
    assert_eq!(
        bench.results(),
        [(false, "this run_command call did not run: the user rejected it and said: not now, please".to_owned())]
    );
    assert!(!made.exists());

    bench.say("go");
    let request_id = bench.waiting().await;
    bench.answer(&request_id, &[("Permission", "y")]).unwrap();
    bench.idle().await;
    assert_eq!(std::fs::read_to_string(made).unwrap(), "yes\n");
}

#[tokio::test]
async fn a_yes_counts_only_for_what_was_shown() {
    let script = r#"{"when":{"user":"."},"emit":[{"call":{"tool":"edit_file","input":{"path":"a.txt","old_text":"two","new_text":"three"}}}]}
{"when":{"tool":"edit_file"},"emit":[{"text":"${result}"}]}"#;
    let mut bench = Bench::new(script);
    bench.say("go");
    let request_id = bench.waiting().await;
    let file = bench._project.path().join("a.txt");
    std::fs::write(&file, "zero\ntwo\n").unwrap();
    bench.answer(&request_id, &[("Permission", "y")]).unwrap();
    bench.idle().await;
    assert!(bench.results()[0].1.contains("has changed since"), "{:?}", bench.results());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "zero\ntwo\n");
}

#[tokio::test]
async fn stopping_kills_a_running_command() {
    let mut bench = Bench::new(&command("echo started > started.txt; sleep 600"));
    bench.say("go");
    let request_id = bench.waiting().await;
    bench.answer(&request_id, &[("Permission", "y")]).unwrap();
    exists(&bench._project.path().join("started.txt")).await;
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.idle().await;
    assert!(!bench.results()[0].0);
    assert_eq!(bench.calls(), 1);
}

#[tokio::test]
async fn a_command_that_ran_at_the_crash_is_reported_and_not_run_again() {
    let mut bench = Bench::new(&command("echo x >> runs.txt; sleep 600"));
    bench.say("go");
    let request_id = bench.waiting().await;
    bench.answer(&request_id, &[("Permission", "y")]).unwrap();
    let runs = bench._project.path().join("runs.txt");
    exists(&runs).await;
    bench.crash();
    bench.idle().await;
    let results = bench.results();
    assert!(!results[0].0 && results[0].1.contains("stopped while this call ran"), "{results:?}");
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "x\n");
}

#[tokio::test]
async fn a_failed_turn_says_what_to_do_and_goes_on_when_told() {
    let script = r#"{"when":{"user":"."},"emit":[{"text":"Half an ans"},{"error":{"kind":"offline","message":"connection refused"}}]}"#;
    let mut bench = Bench::new(script);
    bench.say("go");
    let error = bench
        .until(|chunk| match chunk {
            OutputChunk::Error { message, remedy } => Some((message.clone(), remedy.clone())),
            _ => None,
        })
        .await;
    assert!(error.0.contains("connection refused") && error.1.contains("resume"), "{error:?}");
    bench.idle().await;
    assert_eq!(bench.session().standing(), Standing::Idle);
    // Nothing is under way, so there is nothing to stop, now or when it goes on.
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.session().resume().unwrap();
    bench.idle().await;
    assert_eq!(bench.calls(), 2);
    let requests = bench.model.requests.lock().unwrap();
    assert_eq!(requests[0], requests[1], "what was cut off is not sent back");
}

#[tokio::test]
async fn v_27_a_malformed_question_is_a_tool_error_and_nothing_is_shown() {
    let five = r#"{"header":"Colour","question":"Which?","options":[{"label":"a","description":""}]}"#;
    let mut bench = Bench::new(&asking(five));
    bench.say("choose");
    bench.idle().await;
    let results = bench.results();
    assert!(!results[0].0 && results[0].1.contains("Colour"), "{results:?}");
    assert!(!bench.heard.iter().any(|chunk| matches!(chunk, OutputChunk::AskUserQuestion { .. })));
}

#[tokio::test]
async fn an_unknown_tool_is_refused_by_name_and_the_model_goes_on() {
    let script = r#"{"when":{"user":"."},"emit":[{"call":{"tool":"delegate","input":{}}}]}
{"when":{"tool":"delegate"},"emit":[{"text":"Then not."}]}"#;
    let mut bench = Bench::new(script);
    bench.say("go");
    bench.idle().await;
    let results = bench.results();
    assert!(!results[0].0 && results[0].1.contains("no tool 'delegate'"), "{results:?}");
}

#[tokio::test]
async fn a_session_runs_in_one_process_at_a_time() {
    let bench = Bench::new(&asking(DATABASE));
    let refused = bench.store.lock(&bench.id).unwrap_err().to_string();
    assert!(refused.contains("running in another window or terminal"), "{refused}");
}

/// A model that says a few words and then nothing more.
#[derive(Debug)]
struct Hanging;

impl Provider for Hanging {
    fn label(&self) -> String {
        "Hanging model".into()
    }

    fn stream(&self, _request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let words = futures::stream::iter([Ok(ModelEvent::Text("Half an ans".into()))]);
        Box::pin(words.chain(futures::stream::pending()))
    }
}

#[tokio::test]
async fn stopping_while_the_model_speaks_keeps_what_it_said_and_ends_the_turn() {
    let mut bench = Bench::new(&asking(DATABASE));
    bench.session = None;
    bench.open_with(Arc::new(Hanging));
    bench.say("go");
    bench.until(|chunk| matches!(chunk, OutputChunk::Text { .. }).then_some(())).await;
    bench.session().send(InputMessage::Interrupt, Via::Window).unwrap();
    bench.idle().await;
    assert!(bench.heard.contains(&OutputChunk::TurnEnded { reason: TurnEnd::Interrupted }));
    let history = bench.session().snapshot().unwrap().history;
    let said = history.iter().filter(|said| said.chunk == OutputChunk::Text { text: "Half an ans".into() }).count();
    assert_eq!(said, 1, "{history:#?}");
}

/// What a person would see in a list of events.
fn kind(chunk: &OutputChunk) -> &'static str {
    match chunk {
        OutputChunk::UserMessage { .. } => "user_message",
        OutputChunk::MessageQueued { .. } => "message_queued",
        OutputChunk::Text { .. } => "text",
        OutputChunk::ToolCall { .. } => "tool_call",
        OutputChunk::ToolResult { .. } => "tool_result",
        OutputChunk::AskUserQuestion { .. } => "ask_user_question",
        OutputChunk::RequestClosed { .. } => "request_closed",
        OutputChunk::TurnEnded { .. } => "turn_ended",
        OutputChunk::Error { .. } => "error",
        OutputChunk::StateChange { state } => match state {
            AgentState::Idle => "idle",
            AgentState::Thinking => "thinking",
            AgentState::RunningTool { .. } => "running_tool",
            AgentState::Retrying { .. } => "retrying",
            AgentState::WaitingForUserInput { .. } => "waiting_for_user_input",
        },
    }
}

async fn exists(file: &Path) {
    let wait = async {
        while !file.exists() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), wait).await.expect("the command ran");
}
