//! The real window, driven as a person would: asked, answered, put off, stopped, killed and opened again.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(target_os = "linux")]

mod driver;

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use driver::{Window, home, works_in};
use fantoccini::{Locator, key::Key};
use sayso_core::{
    inbox::{Given, Inbox},
    model::practice::{self, Practice},
    protocol::{InputMessage, OutputChunk, Settings, TurnEnd, Via},
    session::{Session, Setup, Standing},
    store::Store,
};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn answered_by_mouse_permitted_and_refused_with_words() {
    let window = Window::open().await;
    window.picture("welcome").await;
    window.press("Try it now").await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    window.picture("question").await;
    let scroll =
        "const log = document.querySelector('[role=log]'); log.scrollTop = 0; return getComputedStyle(log).overflowY";
    assert_eq!(window.eval(scroll).await, json!("auto"), "the conversation stays readable");

    window.choose("Return null").await;
    window.press("Submit").await;
    let (ok, result) = window.result_of("AskUserQuestion").await;
    assert!(ok);
    assert_eq!(read(&result)["answers"]["Zero case"], "Return null");

    window.find("//*[@role='dialog']//*[contains(., 'src/calc.js')]").await;
    window.picture("permission-edit").await;
    window.press("Allow once").await;
    assert!(window.result_of("edit_file").await.0);
    let project = window.store.sessions().unwrap()[0].workspace.clone();
    let source = std::fs::read_to_string(format!("{project}/src/calc.js")).unwrap();
    assert!(source.contains("if (b === 0) return null;"), "{source}");

    window.find("//*[@role='dialog']//*[contains(., 'node --test')]").await;
    window.picture("permission-command").await;
    window.press("Reject").await;
    let words = window.see("[role=dialog] textarea, [role=dialog] input[type=text]").await;
    words.send_keys("not on this machine").await.unwrap();
    window.find("//*[@role='dialog']//button[starts-with(normalize-space(.), 'Reject')]").await.click().await.unwrap();
    let (ok, result) = window.result_of("run_command").await;
    assert!(!ok);
    assert_eq!(result, "this run_command call did not run: the user rejected it and said: not on this machine");
    window.gone("[role=dialog]").await;
    window.logged(ended(TurnEnd::Done)).await;
    window.picture("after").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answered_by_keyboard_alone() {
    let window = Window::practice().await;
    // Whoever types is not interrupted: the question arrives folded.
    window.say("add a guard to divide").await;
    window.waiting().await;
    window.find("//button[starts-with(normalize-space(.), 'Answer')]").await;
    window.picture("collapsed").await;
    window.control('j').await;
    window.panel().await;
    assert_eq!(window.eval("return document.activeElement.tagName").await, json!("H2"), "never on an option");
    window
        .type_until(
            '2',
            "//*[@role='dialog']//label[contains(concat(' ', @class, ' '), ' on ')][contains(., 'Return null')]",
        )
        .await;
    window.keys(&[Key::Enter]).await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(read(&result)["answers"]["Zero case"], "Return null");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_takes_own_words_byte_for_byte() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    window.choose("Other…").await;
    let words = window.see("[role=dialog] [data-other-text]").await;
    words.send_keys("none of these, I want NaN").await.unwrap();
    window.picture("other").await;
    window.press("Submit").await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(read(&result)["answers"]["Zero case"], "none of these, I want NaN");
    assert_eq!(read(&result)["outcomes"]["Zero case"], "own_words");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_questions_one_with_several_choices_are_reviewed() {
    let window = Window::practice().await;
    window.say("ask me two things").await;
    window.waiting().await;
    window.press("Answer").await;
    window.panel().await;
    window.choose("PostgreSQL").await;
    window.press("Next").await;
    window.find("//*[@role='dialog']//*[contains(., 'Which features')]").await;
    window.choose("Metrics").await;
    window.choose("Caching").await;
    window.picture("several").await;
    window.press("Next").await;
    window.picture("review").await;
    window.press("Change").await;
    window.choose("SQLite").await;
    // Changed from the review, it goes back there.
    window.press("Next").await;
    window.press("Submit").await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(
        read(&result),
        json!({
            "answers": {"Database": "SQLite", "Features": "Caching, Metrics"},
            "selections": {"Database": ["SQLite"], "Features": ["Caching", "Metrics"]},
            "outcomes": {"Database": "answered", "Features": "answered"},
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn skipped_and_said_so() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    window.press("Skip").await;
    let (ok, result) = window.result_of("AskUserQuestion").await;
    assert!(ok);
    assert_eq!(read(&result)["answers"]["Zero case"], "the user did not answer");
}

#[tokio::test(flavor = "multi_thread")]
async fn put_off_with_escape_and_taken_up_again_nothing_is_lost() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    half_typed(&window).await;
    window.keys(&[Key::Escape, Key::Escape]).await;
    window.gone("[role=dialog]").await;
    window.picture("put-off").await;
    let open = window.waiting().await;
    window.press("Answer").await;
    assert_eq!(typed(&window).await, "half a wo");
    assert_eq!(window.waiting().await.request_id, open.request_id);
}

#[tokio::test(flavor = "multi_thread")]
async fn v_28_cancel_stops_the_agent_and_ends_the_turn() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    window.press("Cancel and stop the agent").await;
    assert_eq!(window.result_of("AskUserQuestion").await, (false, "Interrupted".into()));
    window.logged(ended(TurnEnd::Interrupted)).await;
    window.gone("[role=dialog]").await;
    window.find("//*[contains(., 'Stopped')]").await;
    window.picture("stopped").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_asked_before_the_page_listens_is_shown() {
    let home = home();
    let request_id = asked_before(&home).await;
    let window = Window::open_on(home).await;
    window.panel().await;
    assert_eq!(window.eval("return document.title").await, json!("(1) Sayso"));
    window.choose("Throw an error").await;
    window.press("Submit").await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(read(&result)["answers"]["Zero case"], "Throw an error");
    assert!(window.store.answers(&request_id).unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_keeps_the_question_and_the_half_typed_words() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    half_typed(&window).await;
    drafted(&window).await;
    window.client.refresh().await.unwrap();
    window.ready().await;
    window.panel().await;
    assert_eq!(typed(&window).await, "half a wo");
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_and_started_again_the_same_question_stands_and_completes_its_call() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    let before = window.waiting().await;
    half_typed(&window).await;
    drafted(&window).await;
    window.signal("-9");
    let window = window.reopen().await;
    window.panel().await;
    window.picture("restarted").await;
    assert_eq!(window.waiting().await.request_id, before.request_id);
    assert_eq!(typed(&window).await, "half a wo");
    window.choose("Return null").await;
    window.press("Submit").await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(read(&result)["answers"]["Zero case"], "Return null");
    assert!(window.store.answers(&before.request_id).unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn ended_while_a_command_runs_it_leaves_nothing_behind_and_says_so_after() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.press("Skip").await;
    window.logged(ended(TurnEnd::Done)).await;
    window.say("run something slow").await;
    window.waiting().await;
    window.press("Answer").await;
    window.press("Allow once").await;
    let project = PathBuf::from(&window.store.sessions().unwrap()[0].workspace);
    until(|| works_in(&project)).await;
    window.signal("-TERM");
    until(|| !works_in(&project)).await;
    let window = window.reopen().await;
    let (ok, result) = window.result_of("run_command").await;
    assert!(!ok && result.contains("stopped while this call ran"), "{result}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_crashes_comes_back() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    let open = window.waiting().await;
    window.kill_the_page().await;
    assert_eq!(window.waiting().await.request_id, open.request_id);
}

#[tokio::test(flavor = "multi_thread")]
async fn answered_in_the_terminal_the_panel_closes_and_says_so() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    let open = window.waiting().await;
    let given = Given::Answers(HashMap::from([("Zero case".into(), "2".into())]));
    Inbox::new(window.store.clone()).answer(&open.request_id, &given, Via::Terminal).unwrap();
    window.find("//*[contains(., 'Answered in the terminal')]").await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(read(&result)["answers"]["Zero case"], "Return null");
    // A second answer, from the window, is refused with a sentence.
    let send = "const done = arguments[1]; window.__TAURI_INTERNALS__.invoke('send_question_response', \
                { requestId: arguments[0], answers: { 'Zero case': '1' } }).then(() => done('ok'), done)";
    let refused = window.run(send, vec![json!(open.request_id)]).await;
    assert!(refused.as_str().unwrap().contains("no longer open"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_another_program_ran_is_taken_over_when_that_ends() {
    let home = home();
    asked_before(&home).await;
    let store = Store::open(home.path()).unwrap();
    let elsewhere = store.lock(&store.sessions().unwrap()[0].session_id).unwrap();
    let window = Window::open_on(home).await;
    window.panel().await;
    assert!(
        window.client.find_all(Locator::Css(".stop, .cancel")).await.unwrap().is_empty(),
        "it cannot be stopped here"
    );
    drop(elsewhere);
    window.see(".stop").await;
    window.choose("Return null").await;
    window.press("Submit").await;
    let (_, result) = window.result_of("AskUserQuestion").await;
    assert_eq!(read(&result)["answers"]["Zero case"], "Return null");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_looks_right_narrow_and_wide_light_and_dark() {
    let window = Window::practice().await;
    window.press("Add a guard to divide").await;
    window.panel().await;
    for theme in ["light", "dark"] {
        window.eval(&format!("document.documentElement.dataset.theme = '{theme}'")).await;
        for (width, height) in [(1440, 900), (900, 800), (480, 800)] {
            window.size(width, height).await;
            let wide = window.eval("return document.documentElement.scrollWidth <= innerWidth").await;
            assert_eq!(wide, json!(true), "nothing sticks out at {width}");
            window.picture(&format!("question-{width}-{theme}")).await;
        }
    }
}

/// A session that asks while no window is open.
async fn asked_before(home: &tempfile::TempDir) -> String {
    let store = Arc::new(Store::open(home.path()).unwrap());
    let project = practice::unpack(&home.path().join("practice")).unwrap();
    let id = store.create_session(&project, "practice", None).unwrap().info.session_id;
    let (sender, mut chunks) = tokio::sync::mpsc::unbounded_channel();
    let setup = Setup {
        inbox: Inbox::new(store.clone()),
        store,
        session_id: id,
        provider: Arc::new(Practice::built_in()),
        settings: tokio::sync::watch::channel(Settings::default()).1,
        emit: Arc::new(move |chunk| drop(sender.send(chunk))),
    };
    let session = Session::open(setup).unwrap();
    session
        .send(InputMessage::UserMessage { text: "add a guard to divide".into(), reply_to: None }, Via::Terminal)
        .unwrap();
    loop {
        if let Standing::Waiting(ids) = session.standing() {
            return ids[0].clone();
        }
        chunks.recv().await.unwrap();
    }
}

/// Waits until it is so.
async fn until(so: impl Fn() -> bool) {
    let start = std::time::Instant::now();
    while !so() {
        assert!(start.elapsed() < Duration::from_secs(20), "it never came");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn half_typed(window: &Window) {
    window.choose("Other…").await;
    window.see("[role=dialog] [data-other-text]").await.send_keys("half a wo").await.unwrap();
}

/// Waits until the half-typed words are in the store.
async fn drafted(window: &Window) {
    let open = window.waiting().await;
    loop {
        let draft = window.store.request_draft(&open.session_id, &open.request_id).unwrap();
        if draft.replies.values().any(|reply| reply.text.as_deref() == Some("half a wo")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn typed(window: &Window) -> String {
    let field = window.see("[role=dialog] [data-other-text]").await;
    assert_eq!(window.client.find_all(Locator::Css("[role=dialog]")).await.unwrap().len(), 1);
    field.prop("value").await.unwrap().unwrap_or_default()
}

fn ended(reason: TurnEnd) -> impl Fn(&OutputChunk) -> Option<()> {
    move |chunk| (*chunk == OutputChunk::TurnEnded { reason }).then_some(())
}

fn read(result: &str) -> Value {
    serde_json::from_str(result).unwrap()
}
