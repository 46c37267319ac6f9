//! The provider against a server that nobody here wrote: request, events, results, next request.

#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "../../../tests/aimock/server.rs"]
mod aimock;

use aimock::Aimock;
use futures::StreamExt;
use sayso_core::{
    model::{Call, Message, ModelError, ModelEvent, Provider, Request, ToolSpec, rig::OpenAiCompatible},
    protocol::ToolResult,
};
use serde_json::json;

fn request(messages: &[Message]) -> Request {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: "A tool.".to_owned(),
        schema: json!({ "type": "object" }),
    };
    Request {
        system: "You are Sayso.".to_owned(),
        messages: messages.to_vec(),
        tools: vec![tool("read_file"), tool("AskUserQuestion")],
    }
}

async fn ask(provider: &OpenAiCompatible, messages: &[Message]) -> Result<(String, Vec<Call>), ModelError> {
    let (mut text, mut calls, mut ended) = (String::new(), Vec::new(), false);
    let mut events = provider.stream(request(messages));
    while let Some(event) = events.next().await {
        match event? {
            ModelEvent::Text(piece) => text.push_str(&piece),
            ModelEvent::Call(call) => calls.push(call),
            ModelEvent::End(_) => ended = true,
        }
    }
    assert!(ended, "an answer without an error has an end");
    Ok((text, calls))
}

fn provider(server: &Aimock) -> OpenAiCompatible {
    OpenAiCompatible::new("mock".to_owned(), Some(server.base_url.clone()), None).unwrap()
}

#[tokio::test]
async fn plays_the_store_turn() {
    let Some(server) = Aimock::start() else { return };
    let provider = provider(&server);
    for database in ["PostgreSQL", "SQLite"] {
        let mut messages = vec![Message::User("use the store".to_owned())];

        let (text, calls) = ask(&provider, &messages).await.unwrap();
        assert_eq!(text, "I read the code first, then I ask which database to use.");
        let [call] = calls.as_slice() else { panic!("one call, not {calls:?}") };
        assert_eq!((call.tool.as_str(), call.provider_id.as_str()), ("read_file", "call_read"));
        assert_eq!(call.input, json!({ "path": "src/calc.js" }));
        messages.push(Message::Assistant { text, calls: vec![(call.clone(), ToolResult::error("no such file"))] });

        let (text, calls) = ask(&provider, &messages).await.unwrap();
        let [call] = calls.as_slice() else { panic!("one call, not {calls:?}") };
        assert_eq!((call.tool.as_str(), call.provider_id.as_str()), ("AskUserQuestion", "call_database"));
        assert_eq!(call.input["questions"][0]["header"], "Database");
        assert_eq!(call.input["questions"][0]["options"][1]["label"], "SQLite");
        let answers = json!({ "answers": { "Database": database } }).to_string();
        messages.push(Message::Assistant { text, calls: vec![(call.clone(), ToolResult::ok(answers))] });

        let (text, calls) = ask(&provider, &messages).await.unwrap();
        assert!(text.contains(database), "{text}");
        assert_eq!(calls, []);
    }
}

#[tokio::test]
async fn names_its_failures() {
    let Some(server) = Aimock::start() else { return };
    let provider = provider(&server);
    let failure = async |text: &str| ask(&provider, &[Message::User(text.to_owned())]).await.unwrap_err();

    let busy = failure("be busy").await;
    assert!(matches!(busy, ModelError::Busy { .. }), "{busy:?}");
    let cut = failure("break off").await;
    assert!(matches!(cut, ModelError::Cut(_)), "{cut:?}");
    let unknown = failure("something nobody wrote").await;
    assert!(matches!(unknown, ModelError::NotFound(_)), "{unknown:?}");
}
