//! What a person waits for in the real window. `./dev bench` prints the figures; no build fails by them.
//!
//! The page's clock and the program's are the machine's; the page's counts whole milliseconds.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "the tests drive more of the window")]
mod driver;

use std::{fmt::Write as _, path::Path, time::Duration};

use driver::{Window, home};
use sayso_core::{
    log::{Entry, Log, LoggedCall},
    model::Usage,
    protocol::{ToolResult, TurnEnd},
    store::{Durability, Store},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

const STARTS: usize = 7;
const QUESTIONS: usize = 60;
const LONG_TEXT: usize = 1 << 20;

#[tokio::main]
async fn main() {
    starts().await;
    questions().await;
    text().await;
}

/// From the start of the program until its window can be used, with a long session to show; then what it keeps.
async fn starts() {
    let mut times = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..=STARTS {
        let home = home();
        let store = Store::open(home.path()).unwrap();
        let session = store.create_session(home.path(), "practice", None).unwrap().info.session_id;
        store.append(&session, &mut Log::default(), Durability::Relaxed, |_| turns(200)).unwrap();
        let window = Window::open_on(home).await;
        let since = window.eval("return performance.now() - performance.getEntriesByName('usable')[0].startTime").await;
        times.push(age(&window.processes("sayso-desktop")[0]) - since.as_f64().unwrap());
        memory = ["sayso-desktop", "WebKitWebProcess", "WebKitNetworkProcess"]
            .map(|program| (program, window.processes(program).iter().map(|id| proportional_memory(id)).sum::<f64>()))
            .into();
    }
    head("start of the program until its window can be used", "ms");
    // The first one reads everything from the disk.
    row("a session of 1,000 entries", times.split_off(1));
    println!("\nmemory of the idle window, each shared page counted in part");
    for (program, megabytes) in &memory {
        println!("  {program:<44} {megabytes:>8.0} MB");
    }
    println!("  {:<44} {:>8.0} MB", "in all", memory.iter().map(|(_, megabytes)| megabytes).sum::<f64>());
}

/// From a question's place in the store until the page hears of it, and until its panel can be seen.
async fn questions() {
    let home = home();
    let script = home.path().join("questions.jsonl");
    let mut lines = String::new();
    for number in 1..=QUESTIONS {
        let options = ["Caching", "Logging", "Metrics"].map(|label| json!({ "label": label, "description": "x" }));
        let question = json!({ "header": "Features", "question": format!("Which, {number}?"), "options": options });
        let call = json!({ "call": { "tool": "AskUserQuestion", "input": { "questions": [question] } } });
        let line = json!({ "when": { "user": format!("^ask {number}$") }, "emit": [call] });
        writeln!(lines, "{line}\n{}", json!({ "when": { "tool": "AskUserQuestion" }, "emit": [{ "text": "Noted." }] }))
            .unwrap();
    }
    std::fs::write(&script, lines).unwrap();
    let store = Store::open(home.path()).unwrap();
    store.create_session(home.path(), &format!("practice:{}", script.display()), None).unwrap();
    let window = Window::open_on(home).await;
    listen(&window).await;

    let (mut heard, mut seen, mut above) = (Vec::new(), Vec::new(), Vec::new());
    for number in 1..=QUESTIONS {
        let ask = "const [session, number, done] = arguments;
            heard.length = 0;
            const look = () => {
              const panel = document.querySelector('[data-testid=question-panel]');
              if (!panel?.textContent.includes(`Which, ${number}?`)) return;
              watch.disconnect();
              done([heard.find(({ asks }) => asks).at, Date.now()]);
            };
            const watch = new MutationObserver(look);
            watch.observe(document.body, { childList: true, subtree: true });
            window.__TAURI_INTERNALS__.invoke('send_message', { sessionId: session, text: `ask ${number}` }).catch(done);";
        let times = window.run(ask, vec![json!(window.session()), json!(number)]).await;
        let open = window.waiting().await;
        let stored = i64::try_from(open.opened_at).unwrap();
        let [event, modal] = [0, 1].map(|place| times[place].as_i64().unwrap_or_else(|| panic!("{times}")));
        heard.push((event - stored) as f64);
        seen.push((modal - stored) as f64);
        above.push((modal - event) as f64);
        let answer = "const [request, done] = arguments;
            window.__TAURI_INTERNALS__.invoke('send_question_response', { requestId: request, answers: { Features: '2' } })
              .then(() => done(1), done);";
        window.run(answer, vec![json!(open.request_id)]).await;
        window.gone("[data-testid=question-panel]").await;
    }
    head("a question, once it is in the store", "ms");
    row("until the page hears the bare event", heard);
    row("until the modal is in the DOM", seen);
    row("the modal above the bare event", above);
}

/// The page's work while a model writes a long text.
async fn text() {
    let home = home();
    let mut text = String::new();
    for line in 0..LONG_TEXT / 64 {
        let gap = if line % 8 == 7 { "\n\n" } else { "\n" };
        write!(text, "{line:>6} a line of what a model may **well** write, 64 letters.{gap}").unwrap();
    }
    let length = text.len();
    let base_url = pours(text).await;
    Store::open(home.path()).unwrap().create_session(home.path(), "openai:any", Some(&base_url)).unwrap();
    let window = Window::open_on(home).await;
    listen(&window).await;
    let say = "const [session, done] = arguments;
        heard.length = 0;
        drawn.length = 0;
        const end = setInterval(() => {
          if (!heard.some(({ ends }) => ends)) return;
          clearInterval(end);
          done([heard.filter(({ texts }) => texts).map(({ took }) => took), drawn]);
        }, 50);
        window.__TAURI_INTERNALS__.invoke('send_message', { sessionId: session, text: 'go' }).catch(done);";
    let measured = window.run(say, vec![json!(window.session())]).await;
    let [batches, frames] = [0, 1].map(|place| numbers(&measured[place]));
    let whole = batches.iter().chain(&frames).sum::<f64>() / batches.len() as f64;
    head(&format!("a streamed reply of {length} bytes, 4 KiB every 16 ms"), "ms");
    row(&format!("taking in each of {} batches", batches.len()), batches);
    row(&format!("drawing each of {} frames, layout too", frames.len()), frames);
    println!("  {:<60} {whole:>8.0}", "both together, on average a batch");
}

/// Notes of everything that the page hears from the program: when, for how long it then worked, and what it was; and
/// of how long it works on each frame.
async fn listen(window: &Window) {
    let listen = "window.heard = [];
        window.drawn = [];
        const frame = window.requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (draw) => frame((at) => {
          const start = performance.now();
          draw(at);
          document.body.offsetHeight;
          drawn.push(performance.now() - start);
        });
        const { callbacks } = window.__TAURI_INTERNALS__;
        for (const [id, hear] of callbacks) callbacks.set(id, (told) => {
          const at = Date.now(), start = performance.now();
          hear(told);
          const chunks = Array.isArray(told?.message) ? told.message.map(({ chunk }) => chunk.type) : [];
          heard.push({
            at,
            took: performance.now() - start,
            asks: told?.event === 'ask-user-question',
            texts: chunks.includes('text'),
            ends: chunks.includes('turn_ended'),
          });
        });";
    window.eval(listen).await;
}

/// A model server that answers one request with a text, in pieces, as fast as no model writes.
async fn pours(text: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.set_nodelay(true).unwrap();
        assert_ne!(socket.read(&mut [0; 65536]).await.unwrap(), 0);
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        let mut ticks = tokio::time::interval(Duration::from_millis(16));
        for piece in text.as_bytes().chunks(4096) {
            ticks.tick().await;
            let delta = json!({ "content": std::str::from_utf8(piece).unwrap() });
            let event = json!({ "id": "1", "model": "any", "choices": [{ "index": 0, "delta": delta }] });
            socket.write_all(format!("data: {event}\n\n").as_bytes()).await.unwrap();
        }
        let end =
            json!({ "id": "1", "model": "any", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
        socket.write_all(format!("data: {end}\n\ndata: [DONE]\n\n").as_bytes()).await.unwrap();
        socket.shutdown().await.unwrap();
    });
    base_url
}

/// Turns of five entries each.
fn turns(count: usize) -> Vec<Entry> {
    let turn = |number: usize| {
        let call = sayso_core::model::Call {
            id: format!("call{number}"),
            provider_id: String::new(),
            tool: "run_command".into(),
            input: json!({ "command": "node --test" }),
        };
        let call_id = call.id.clone();
        let text = "A sentence of the model's, as **long** as they usually are, with `code` in it.".to_owned();
        let said = |calls| Entry::AssistantMessage { text: text.clone(), calls, usage: Usage::default() };
        [
            Entry::UserMessage { text: "do it".into() },
            said(vec![LoggedCall { call, read_only: false }]),
            Entry::CallEnded { call_id, result: ToolResult::ok("done"), took_ms: Some(3) },
            said(Vec::new()),
            Entry::TurnEnded { reason: TurnEnd::Done, failure: None },
        ]
    };
    (0..count).flat_map(turn).collect()
}

/// Milliseconds since a process was started, in steps of ten.
fn age(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    // After the name, which may hold anything: the 20th field from there is the start, in hundredths of a second.
    let started: f64 = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap();
    let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
    let now: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
    now * 1000.0 - started * 10.0
}

/// Megabytes of a process, memory that it shares counted by its share.
fn proportional_memory(process: &str) -> f64 {
    let rollup = std::fs::read_to_string(Path::new("/proc").join(process).join("smaps_rollup")).unwrap();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

fn head(name: &str, unit: &str) {
    println!("\n{:<62} {:>8} {:>8} {:>8}", format!("{name}, {unit}"), "median", "p95", "most");
}

fn row(name: &str, mut values: Vec<f64>) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    println!("  {name:<60} {:>8.0} {:>8.0} {:>8.0}", at(0.5), at(0.95), at(1.0));
}
