//! The adapter over rig against a scripted server: real HTTP over sockets, the bytes as scripted.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::time::Duration;

use futures::StreamExt;
use sayso_core::{
    model::{Call, Message, ModelError, ModelEvent, Provider, Request, ToolSpec, Usage, rig::OpenAiCompatible},
    protocol::ToolResult,
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

const KEY: &str = "sk-very-secret-key";
/// How long a busy machine may take before a test is called broken.
const PATIENCE: Duration = Duration::from_secs(30);

/// What the server does once it has read a request.
enum Answer {
    /// Chunks of an event stream, then its proper end.
    Chunks(Vec<Vec<u8>>),
    /// Chunks of an event stream, then the connection is closed without the end of the body.
    Cut(Vec<Vec<u8>>),
    /// Chunks of an event stream, then nothing: it waits until the client closes.
    Hold(Vec<Vec<u8>>),
    /// These bytes, then the connection is closed.
    Raw(String),
}

/// A server for one request, which it gives back.
async fn serve(answer: Answer) -> (String, JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.set_nodelay(true).unwrap();
        let request = read_request(&mut socket).await;
        let (chunks, rest) = match answer {
            Answer::Raw(bytes) => {
                socket.write_all(bytes.as_bytes()).await.unwrap();
                socket.shutdown().await.unwrap();
                return request;
            }
            Answer::Chunks(chunks) => (chunks, Some("0\r\n\r\n")),
            Answer::Cut(chunks) => (chunks, Some("")),
            Answer::Hold(chunks) => (chunks, None),
        };
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        socket.write_all(head.as_bytes()).await.unwrap();
        for chunk in chunks {
            let mut bytes = format!("{:x}\r\n", chunk.len()).into_bytes();
            bytes.extend(chunk);
            bytes.extend(b"\r\n");
            socket.write_all(&bytes).await.unwrap();
        }
        match rest {
            Some(rest) => {
                socket.write_all(rest.as_bytes()).await.unwrap();
                socket.shutdown().await.unwrap();
            }
            // Ends when the client has closed.
            None => assert_eq!(socket.read(&mut [0]).await.unwrap_or(0), 0),
        }
        request
    });
    (base_url, served)
}

/// A server that reads something, answers with `bytes` and closes.
async fn serve_bytes(bytes: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        assert_ne!(socket.read(&mut [0; 65536]).await.unwrap(), 0);
        socket.write_all(bytes.as_bytes()).await.unwrap();
    });
    base_url
}

/// The request's head in lower case, and its body.
async fn read_request(socket: &mut TcpStream) -> Value {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let read = socket.read(&mut piece).await.unwrap();
        assert_ne!(read, 0, "the client closed before its request was whole");
        bytes.extend(&piece[..read]);
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let head = head.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        if body.len() == length.parse::<usize>().unwrap() {
            return json!({ "head": head, "body": serde_json::from_str::<Value>(body).unwrap() });
        }
    }
}

fn provider(base_url: &str) -> OpenAiCompatible {
    OpenAiCompatible::new("gpt-test".to_owned(), Some(base_url.to_owned()), Some(KEY.to_owned())).unwrap()
}

fn hello() -> Request {
    Request {
        system: "You are Sayso.".to_owned(),
        messages: vec![Message::User("hello".to_owned())],
        tools: vec![ToolSpec {
            name: "read_file".to_owned(),
            description: "Reads a file.".to_owned(),
            schema: json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] }),
        }],
    }
}

type Events = Vec<Result<ModelEvent, ModelError>>;

async fn collect(provider: &OpenAiCompatible, request: Request) -> Events {
    tokio::time::timeout(PATIENCE, provider.stream(request).collect()).await.expect("the stream ends")
}

/// The events of `answer`, each text joined to the one before it, and the fresh ids left out after a look at them.
async fn events(answer: Answer) -> Events {
    let (base_url, _served) = serve(answer).await;
    let mut ids = Vec::new();
    let mut events: Events = Vec::new();
    for event in collect(&provider(&base_url), hello()).await {
        match (event, events.last_mut()) {
            (Ok(ModelEvent::Text(piece)), Some(Ok(ModelEvent::Text(text)))) => text.push_str(&piece),
            (Ok(ModelEvent::Call(mut call)), _) => {
                let id = std::mem::take(&mut call.id);
                assert_eq!(uuid::Uuid::parse_str(&id).unwrap().get_version_num(), 7);
                assert!(!ids.contains(&id));
                ids.push(id);
                events.push(Ok(ModelEvent::Call(call)));
            }
            (event, _) => events.push(event),
        }
    }
    events
}

/// The events of a stream, which are the same when it comes at once and in pieces of five bytes.
async fn played(stream: &str) -> Events {
    let pieces = |size| stream.as_bytes().chunks(size).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let whole = events(Answer::Chunks(pieces(usize::MAX))).await;
    assert_eq!(events(Answer::Chunks(pieces(5))).await, whole);
    whole
}

fn frame(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn chunk(choice: &Value) -> String {
    frame(&json!({ "id": "r1", "object": "chat.completion.chunk", "model": "gpt-test", "choices": [choice] }))
}

fn delta(delta: &Value) -> String {
    chunk(&json!({ "index": 0, "delta": delta, "finish_reason": null }))
}

fn content(text: &str) -> String {
    delta(&json!({ "content": text }))
}

fn calls(pieces: &[Value]) -> String {
    delta(&json!({ "tool_calls": pieces }))
}

fn finish(reason: &str) -> String {
    let usage = json!({ "id": "r1", "object": "chat.completion.chunk", "model": "gpt-test", "choices": [],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 } });
    chunk(&json!({ "index": 0, "delta": {}, "finish_reason": reason })) + &frame(&usage) + "data: [DONE]\n\n"
}

fn end() -> Result<ModelEvent, ModelError> {
    Ok(ModelEvent::End(Usage { input_tokens: 11, output_tokens: 7 }))
}

fn text(text: &str) -> Result<ModelEvent, ModelError> {
    Ok(ModelEvent::Text(text.to_owned()))
}

fn call(provider_id: &str, input: Value) -> Result<ModelEvent, ModelError> {
    let (provider_id, tool) = (provider_id.to_owned(), "read_file".to_owned());
    Ok(ModelEvent::Call(Call { id: String::new(), provider_id, tool, input }))
}

/// The one error of an answer with this status line, headers and body.
async fn error_of(status: &str, headers: &str, body: &str) -> ModelError {
    let length = body.len();
    let raw = format!("HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    let mut events = events(Answer::Raw(raw)).await;
    assert_eq!(events.len(), 1, "{events:?}");
    let error = events.remove(0).unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY));
    error
}

const JSON: &str = "content-type: application/json\r\n";
const HTML: &str = "content-type: text/html; charset=utf-8\r\n";

#[tokio::test]
async fn streams_text() {
    let stream = delta(&json!({ "role": "assistant", "content": "" }))
        + &content("Grüß ")
        + ": a comment\r\n\r\n"
        + &content("dich, 世界 🦀")
        + &finish("stop");
    assert_eq!(played(&stream).await, [text("Grüß dich, 世界 🦀"), end()]);
}

#[tokio::test]
async fn gives_text_before_the_answer_is_whole() {
    let (base_url, served) = serve(Answer::Hold(vec![content("Hel").into_bytes()])).await;
    let mut events = provider(&base_url).stream(hello());
    assert_eq!(tokio::time::timeout(PATIENCE, events.next()).await.unwrap(), Some(text("Hel")));

    // And the request ends with the stream: the server sees the connection closed.
    drop(events);
    tokio::time::timeout(PATIENCE, served).await.expect("the connection is closed").unwrap();
}

#[tokio::test]
async fn closes_the_connection_of_a_request_without_an_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let mut events = provider(&base_url).stream(hello());
    let mut accepted = tokio::select! {
        event = events.next() => panic!("no answer was sent, and yet {event:?}"),
        accepted = async {
            let (mut socket, _) = listener.accept().await.unwrap();
            read_request(&mut socket).await;
            socket
        } => accepted,
    };
    drop(events);
    let closed = tokio::time::timeout(PATIENCE, accepted.read(&mut [0])).await.expect("the connection is closed");
    assert_eq!(closed.unwrap_or(0), 0);
}

#[tokio::test]
async fn assembles_calls_whose_pieces_interleave() {
    let piece = |index: u8, text: &str| json!({ "index": index, "function": { "arguments": text } });
    let start = |index: u8, id: &str| json!({ "index": index, "id": id, "type": "function", "function": { "name": "read_file", "arguments": "" } });
    let stream = [
        content("Two files."),
        calls(&[start(0, "call_a"), start(1, "call_b")]),
        calls(&[piece(1, "{\"path\":")]),
        calls(&[piece(0, "{\"path\": \"ä"), piece(1, "\"b.js\"}")]),
        calls(&[piece(0, ".js\"}")]),
        finish("tool_calls"),
    ];
    assert_eq!(
        played(&stream.concat()).await,
        [
            text("Two files."),
            call("call_a", json!({ "path": "ä.js" })),
            call("call_b", json!({ "path": "b.js" })),
            end()
        ]
    );
}

#[tokio::test]
async fn two_calls_with_one_id_are_two_calls() {
    let one = |index: u8, path: &str| {
        json!({ "index": index, "id": "same", "type": "function",
            "function": { "name": "read_file", "arguments": json!({ "path": path }).to_string() } })
    };
    let stream = calls(&[one(0, "a.js")]) + &calls(&[one(1, "b.js")]) + &finish("tool_calls");
    // The second keeps no id of its provider's: towards it, ours stands for it.
    assert_eq!(
        played(&stream).await,
        [call("same", json!({ "path": "a.js" })), call("", json!({ "path": "b.js" })), end()]
    );
}

#[tokio::test]
async fn takes_calls_without_an_index_when_they_are_whole() {
    let one = |id: &str, path: &str| {
        json!({ "id": id, "type": "function",
            "function": { "name": "read_file", "arguments": json!({ "path": path }).to_string() } })
    };
    let stream = calls(&[one("a", "a.js")]) + &calls(&[one("b", "b.js")]) + &finish("tool_calls");
    assert_eq!(
        played(&stream).await,
        [call("a", json!({ "path": "a.js" })), call("b", json!({ "path": "b.js" })), end()]
    );
}

/// rig alone gives both calls with empty arguments and no error.
#[tokio::test]
async fn refuses_pieces_that_do_not_say_their_call() {
    let start =
        |id: &str| json!({ "id": id, "type": "function", "function": { "name": "read_file", "arguments": "" } });
    let piece = |text: &str| json!({ "function": { "arguments": text } });
    let stream = [
        calls(&[start("a")]),
        calls(&[piece("{\"path\":")]),
        calls(&[piece("\"a.js\"}")]),
        calls(&[start("b")]),
        calls(&[piece("{\"path\":\"b.js\"}")]),
        finish("tool_calls"),
    ];
    let events = played(&stream.concat()).await;
    assert!(matches!(events.as_slice(), [Err(ModelError::Provider(_))]), "{events:?}");
}

#[tokio::test]
async fn keeps_arguments_that_are_no_object_as_they_came() {
    for raw in ["{\"path\": \"src/ca", "read src/calc.js", "[\"a\"]", "7"] {
        let one = json!({ "index": 0, "id": "call_a", "function": { "name": "read_file", "arguments": raw } });
        let stream = calls(&[one]) + &finish("tool_calls");
        assert_eq!(played(&stream).await, [call("call_a", Value::String(raw.to_owned())), end()]);
    }
    // No arguments are an empty object, and a call needs no id.
    let one = json!({ "index": 0, "function": { "name": "read_file", "arguments": "" } });
    let stream = calls(&[one]) + &finish("tool_calls");
    assert_eq!(played(&stream).await, [call("", json!({})), end()]);
}

#[tokio::test]
async fn an_answer_without_its_end_was_cut() {
    let arguments = json!({ "path": "a.js" }).to_string();
    let one = json!({ "index": 0, "id": "a", "function": { "name": "read_file", "arguments": arguments } });
    let begun = content("Half") + &calls(&[one]);
    for answer in [
        // The body ends properly, with and without the end of the stream.
        Answer::Chunks(vec![begun.clone().into_bytes()]),
        Answer::Chunks(vec![(begun.clone() + "data: [DONE]\n\n").into_bytes()]),
        // The connection breaks.
        Answer::Cut(vec![begun.clone().into_bytes()]),
        // The provider stopped at its limit.
        Answer::Chunks(vec![(begun + &finish("length")).into_bytes()]),
    ] {
        let events = events(answer).await;
        let [Ok(ModelEvent::Text(half)), Err(ModelError::Cut(_))] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(half, "Half");
    }
}

#[tokio::test]
async fn an_error_in_the_middle_of_a_stream_is_an_error() {
    let error = |code: &str| content("Half") + &frame(&json!({ "error": { "message": "No more.", "code": code } }));
    let events = played(&error("server_error")).await;
    assert!(matches!(events.as_slice(), [Ok(_), Err(ModelError::Provider(text))] if text.contains("No more.")));
    let events = played(&error("rate_limit_exceeded")).await;
    assert!(matches!(events.as_slice(), [Ok(_), Err(ModelError::Busy { .. })]));
    for reason in ["content_filter", "a reason of its own"] {
        let events = played(&(content("Half") + &finish(reason))).await;
        assert!(matches!(events.as_slice(), [Ok(_), Err(ModelError::Provider(_))]), "{events:?}");
    }
}

#[tokio::test]
async fn names_the_failure_of_a_status() {
    let body = format!(r#"{{"error":{{"message":"Wrong key {KEY}."}}}}"#);
    let error = error_of("401 Unauthorized", JSON, &body).await;
    let ModelError::Key(message) = &error else { panic!("{error:?}") };
    assert!(message.starts_with("HTTP 401 from 127.0.0.1:") && message.ends_with(": Wrong key [key]."), "{message}");
    assert!(matches!(error_of("403 Forbidden", JSON, "{}").await, ModelError::Key(_)));

    let missing = error_of("404 Not Found", JSON, r#"{"error":{"message":"no model gpt-test"}}"#).await;
    assert!(matches!(missing, ModelError::NotFound(message) if message.ends_with(": no model gpt-test")));

    for (headers, milliseconds) in [("retry-after: 7\r\n", 7_000), ("retry-after: 7\r\nretry-after-ms: 250\r\n", 250)] {
        let busy = error_of("429 Too Many Requests", &format!("{JSON}{headers}"), r#"{"message":"slow down"}"#).await;
        let ModelError::Busy { message, retry_after } = &busy else { panic!("{busy:?}") };
        assert!(message.ends_with(": slow down"), "{message}");
        assert_eq!(*retry_after, Some(Duration::from_millis(milliseconds)));
    }
    let spent = error_of("429 Too Many Requests", JSON, r#"{"error":{"message":"pay","code":"insufficient_quota"}}"#);
    assert!(matches!(spent.await, ModelError::Provider(_)));
    for status in ["503 Service Unavailable", "529 Overloaded"] {
        let busy = error_of(status, JSON, "{}").await;
        assert!(matches!(busy, ModelError::Busy { retry_after: None, .. }), "{busy:?}");
    }
    for status in ["400 Bad Request", "500 Internal Server Error", "502 Bad Gateway", "504 Gateway Timeout"] {
        let fault = error_of(status, JSON, "It broke.").await;
        assert!(matches!(&fault, ModelError::Provider(message) if message.ends_with(": It broke.")), "{fault:?}");
    }
}

#[tokio::test]
async fn a_web_page_is_no_answer() {
    let page = "<!DOCTYPE html><html><body>Sign in</body></html>";
    for status in ["200 OK", "403 Forbidden", "502 Bad Gateway"] {
        let error = error_of(status, HTML, page).await;
        let ModelError::Provider(message) = &error else { panic!("{error:?}") };
        assert!(message.contains("a web page instead of an answer") && !message.contains('<'), "{message}");
    }
    let other = error_of("200 OK", JSON, "{}").await;
    assert!(matches!(&other, ModelError::Provider(message) if message.contains("application/json")), "{other:?}");
    let moved = error_of("301 Moved Permanently", "location: https://elsewhere.example/v1\r\n", "").await;
    assert!(matches!(&moved, ModelError::Provider(message) if message.contains("https://elsewhere.example/v1")));
}

#[tokio::test]
async fn nobody_at_the_address_is_offline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let events = collect(&provider(&format!("http://{address}/v1")), hello()).await;
    let [Err(ModelError::Offline(message))] = events.as_slice() else { panic!("{events:?}") };
    assert!(message.starts_with(&address.to_string()) && message.contains("refused"), "{message}");

    for base_url in [
        // No such name.
        "http://no-such-host.invalid/v1".to_owned(),
        // Plain text where TLS is spoken.
        serve_bytes("HTTP/1.1 400 Bad Request\r\n\r\n").await.replace("http:", "https:"),
        // Closed without a word.
        serve_bytes("").await,
    ] {
        let events = collect(&provider(&base_url), hello()).await;
        assert!(matches!(events.as_slice(), [Err(ModelError::Offline(_))]), "{base_url}: {events:?}");
    }
}

#[tokio::test]
async fn sends_the_conversation() {
    let call = |id: &str, provider_id: &str, input: Value| Call {
        id: id.to_owned(),
        provider_id: provider_id.to_owned(),
        tool: "read_file".to_owned(),
        input,
    };
    let mut request = hello();
    request.messages = vec![
        Message::User("read\nboth".to_owned()),
        Message::Assistant {
            text: "I read.".to_owned(),
            calls: vec![
                (call("our-1", "call_a", json!({ "path": "a.js" })), ToolResult::ok("  a\n")),
                (call("our-2", "", json!({ "path": "b.js" })), ToolResult::error("no such file: b.js")),
                (call("our-3", "call_a", Value::String("{\"path".to_owned())), ToolResult::error("not JSON")),
            ],
        },
        Message::Assistant { text: String::new(), calls: Vec::new() },
        Message::Assistant { text: "Done.".to_owned(), calls: Vec::new() },
        Message::User("thanks".to_owned()),
    ];
    let (base_url, served) = serve(Answer::Chunks(vec![finish("stop").into_bytes()])).await;
    assert_eq!(collect(&provider(&base_url), request).await, [end()]);

    let sent = served.await.unwrap();
    let head = sent["head"].as_str().unwrap();
    assert!(head.starts_with("post /v1/chat/completions http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("\r\nauthorization: bearer {KEY}")), "{head}");
    let function = |id: &str, arguments: &str| json!({ "type": "function", "id": id, "function": { "name": "read_file", "arguments": arguments } });
    assert_eq!(
        sent["body"],
        json!({
            "model": "gpt-test",
            "messages": [
                { "role": "system", "content": [{ "type": "text", "text": "You are Sayso." }] },
                { "role": "user", "content": "read\nboth" },
                { "role": "assistant", "content": "I read.", "tool_calls": [
                    function("call_a", r#"{"path":"a.js"}"#),
                    function("our-2", r#"{"path":"b.js"}"#),
                    function("our-3", "{}"),
                ] },
                { "role": "tool", "tool_call_id": "call_a", "content": "  a\n" },
                { "role": "tool", "tool_call_id": "our-2", "content": "Error: no such file: b.js" },
                { "role": "tool", "tool_call_id": "our-3", "content": "Error: not JSON" },
                { "role": "assistant", "content": "Done." },
                { "role": "user", "content": "thanks" },
            ],
            "tools": [{ "type": "function", "function": {
                "name": "read_file",
                "description": "Reads a file.",
                "parameters": { "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] },
            } }],
            "stream": true,
            "stream_options": { "include_usage": true },
        })
    );
}

#[tokio::test]
async fn a_server_on_this_machine_needs_no_key() {
    let (base_url, served) = serve(Answer::Chunks(vec![finish("stop").into_bytes()])).await;
    let provider = OpenAiCompatible::new("local".to_owned(), Some(base_url), None).unwrap();
    assert_eq!(provider.label(), "local");
    assert_eq!(collect(&provider, hello()).await, [end()]);
    assert!(!served.await.unwrap()["head"].as_str().unwrap().contains("authorization"));
}

#[test]
fn cannot_be_set_up_without_a_key_or_an_address() {
    let setup = |base_url: Option<&str>, key: Option<&str>| {
        OpenAiCompatible::new("gpt-test".to_owned(), base_url.map(str::to_owned), key.map(str::to_owned))
    };
    for (base_url, key) in [(None, None), (Some("https://llm.example/v1"), Some(" ")), (Some(""), None)] {
        let error = setup(base_url, key).unwrap_err();
        assert!(error.to_string().starts_with("there is no key for "), "{error}");
        assert!(error.remedy().contains("OPENAI_API_KEY"));
    }
    for base_url in ["http://localhost:8080", "http://[::1]:8080/v1/", "http://127.8.8.8/v1"] {
        assert!(setup(Some(base_url), None).is_ok());
    }
    for base_url in ["127.0.0.1:8080", "ftp://127.0.0.1/v1", "http://user:pass@127.0.0.1/v1", "nonsense"] {
        let error = setup(Some(base_url), Some(KEY)).unwrap_err();
        assert!(error.remedy().contains("--base-url") && !error.to_string().contains("pass@"), "{error}");
    }
    let provider = setup(None, Some(KEY)).unwrap();
    assert!(!format!("{provider:?}").contains(KEY));
    assert!(format!("{provider:?}").contains("https://api.openai.com/v1"));
}
