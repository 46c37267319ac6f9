//! Every real model: one adapter over rig, for servers that speak OpenAI's Chat Completions. It owns the mapping of our
//! request and events to rig's and back, and what a failed answer is called; no type of rig's leaves this file.
//!
//! Nothing is tried again here, nothing is mended, nothing is made up: an answer that is not whole is an error.

use std::{error::Error, fmt, time::Duration};

use futures::{
    StreamExt,
    stream::{self, BoxStream},
};
use reqwest::{Client, Url, redirect};
use rig_core::{
    ProviderResponseError,
    completion::{CompletionRequest, CompletionResponse, FinishReason, ToolDefinition},
    driver,
    error::ProviderError,
    http_client,
    message::{
        AssistantContent, AssistantMessage, Message as RigMessage, ToolCall, ToolFunction, ToolName, ToolResultContent,
        UserContent,
    },
    providers::openai::{
        OpenAIConfig,
        wire::{Auth, Chat},
    },
    streaming::{CompletionStream, Item, StreamEvent},
};
use rig_reqwest::ReqwestClient;
use serde_json::Value;
use uuid::Uuid;

use super::{Call, Message, ModelError, ModelEvent, Provider, Request, Usage};
use crate::protocol::ToolResult;

/// OpenAI's own server, where no base URL is given.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the server may say nothing: before its first byte, and between two.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
/// How much of what a server says about its failure is shown.
const SHOWN: usize = 400;

/// A model behind a server that speaks OpenAI's Chat Completions: OpenAI, most other providers, and llama.cpp, Ollama,
/// vLLM or LM Studio on one's own machine.
pub struct OpenAiCompatible {
    model: driver::Model<Chat>,
    errors: Errors,
}

impl OpenAiCompatible {
    /// The model `model` at `base_url` (with its `/v1`; none is OpenAI) with `key`. A server on this machine needs no
    /// key; for every other, none is an error that says how to set one.
    pub fn new(model: String, base_url: Option<String>, key: Option<String>) -> Result<Self, ModelError> {
        let base_url = base_url.as_deref().map(str::trim).filter(|url| !url.is_empty()).unwrap_or(DEFAULT_BASE_URL);
        let key = key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty());
        let url = parse_base_url(base_url)?;
        let local = is_loopback(&url);
        if key.is_none() && !local {
            return Err(ModelError::Setup {
                message: format!("there is no key for {}", host(&url)),
                remedy: "Set OPENAI_API_KEY to a key for this server and start again, or use a server on this machine with --base-url: it needs none.",
            });
        }
        let errors = Errors { base_url: url.clone(), key: key.clone() };
        let client = client(&url, local).map_err(|error| ModelError::Setup {
            message: errors.scrub(&format!("no connection can be set up: {}", cause(&error))),
            remedy: "Check that the system's certificates (ca-certificates) are installed, then start again.",
        })?;
        let config = OpenAIConfig::new(key.unwrap_or_default())
            .with_base_url(url.as_str().trim_end_matches('/'))
            .with_auth(Auth::OptionalBearer);
        Ok(Self { model: config.connect(ReqwestClient::from(client)).chat(model), errors })
    }
}

impl Provider for OpenAiCompatible {
    fn label(&self) -> String {
        self.model.wire.model.clone()
    }

    fn stream(&self, request: Request) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        let errors = self.errors.clone();
        let answer = to_rig(request)
            .and_then(|request| self.model.stream(request).map_err(|error| errors.classify(&error, Reached::Nothing)));
        match answer {
            Ok(answer) => Answer { answer, errors, reached: Reached::Nothing }.events(),
            Err(error) => stream::once(async { Err(error) }).boxed(),
        }
    }
}

/// Shows neither the key nor the connection.
impl fmt::Debug for OpenAiCompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiCompatible")
            .field("model", &self.model.wire.model)
            .field("base_url", &self.errors.base_url.as_str())
            .finish_non_exhaustive()
    }
}

fn parse_base_url(text: &str) -> Result<Url, ModelError> {
    let wrong = |message: String| ModelError::Setup {
        message,
        remedy: "Give the base URL as the provider writes it, for instance http://127.0.0.1:8080/v1 (--base-url, or base_url in config.toml).",
    };
    let url = Url::parse(text).map_err(|error| wrong(format!("the base URL {text} is no address: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(wrong(format!("the base URL {text} is no http or https address")));
    }
    // Not shown: it may hold a password.
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("the base URL holds a name, a password or a query, which are not sent".to_owned()));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    address.map_or_else(|_| host == "localhost" || host.ends_with(".localhost"), |address| address.is_loopback())
}

/// Host, and port where it is not the scheme's own.
fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

fn client(url: &Url, local: bool) -> Result<Client, reqwest::Error> {
    // A redirect would turn the POST into a GET, and could take the conversation elsewhere.
    let mut builder = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(IDLE_TIMEOUT)
        .redirect(redirect::Policy::none())
        .user_agent(concat!("sayso/", env!("CARGO_PKG_VERSION")));
    if url.scheme() == "http" {
        // Works on a system without certificates too.
        builder = builder.tls_certs_only([]);
    }
    if local {
        // A proxy for the internet knows nothing of this machine.
        builder = builder.no_proxy();
    }
    builder.build()
}

/// Our request in rig's words.
fn to_rig(request: Request) -> Result<CompletionRequest, ModelError> {
    let mut ids = CallIds::default();
    let mut history = vec![RigMessage::system(request.system)];
    for message in request.messages {
        match message {
            Message::User(text) => history.push(RigMessage::user(text)),
            Message::Assistant { text, calls } => {
                let mut content = Vec::new();
                let mut results = Vec::new();
                if !text.is_empty() {
                    content.push(AssistantContent::text(text));
                }
                for (call, result) in calls {
                    let call = rig_call(call, &mut ids)?;
                    results.push(UserContent::ToolResult(rig_result(&call, result)));
                    content.push(AssistantContent::ToolCall(call));
                }
                // Servers refuse an empty message.
                if !content.is_empty() {
                    history.push(RigMessage::Assistant(AssistantMessage::new(content)));
                }
                if !results.is_empty() {
                    history.push(RigMessage::User { content: results });
                }
            }
        }
    }
    let mut rig = CompletionRequest::new("");
    rig.chat_history = history;
    for tool in request.tools {
        rig.tools.push(ToolDefinition::new(tool_name(tool.name)?, tool.description, tool.schema));
    }
    Ok(rig)
}

/// The ids that a request has used: two calls are two calls, even when their provider gave both one id.
#[derive(Default)]
struct CallIds(std::collections::HashSet<String>);

impl CallIds {
    fn of(&mut self, call: &Call) -> String {
        let theirs = &call.provider_id;
        let id = if theirs.is_empty() || self.0.contains(theirs) { &call.id } else { theirs };
        self.0.insert(id.clone());
        id.clone()
    }
}

fn tool_name(name: String) -> Result<ToolName, ModelError> {
    ToolName::new(name).map_err(|error| ModelError::Provider(format!("nothing was sent: {error}")))
}

/// A call of the history. Arguments that were no object are sent as `{}`: servers take nothing else, and the result
/// says what was wrong with them.
fn rig_call(call: Call, ids: &mut CallIds) -> Result<ToolCall, ModelError> {
    let id = ids.of(&call);
    let name = tool_name(call.tool)?;
    let arguments = if call.input.is_object() { call.input } else { Value::Object(serde_json::Map::new()) };
    Ok(ToolCall::from_wire(id, ToolFunction::new(name, arguments)))
}

/// A result with its text as it is. Chat Completions has no field for failure, so a failed one says it in front.
fn rig_result(call: &ToolCall, result: ToolResult) -> rig_core::message::ToolResult {
    if result.ok {
        call.result(vec![ToolResultContent::text(result.text)])
    } else {
        call.error_result(vec![ToolResultContent::text(format!("Error: {}", result.text))])
    }
}

/// How far an exchange came, which is what tells a cut answer from a server that never answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reached {
    Nothing,
    Answer,
}

/// An answer as it arrives.
struct Answer {
    answer: CompletionStream,
    errors: Errors,
    reached: Reached,
}

impl Answer {
    /// Text at once; calls at the end, when it is certain that they are whole; then the end.
    fn events(self) -> BoxStream<'static, Result<ModelEvent, ModelError>> {
        stream::unfold(Some(self), |answer| async move { answer?.next().await }).flat_map(stream::iter).boxed()
    }

    async fn next(mut self) -> Option<(Vec<Result<ModelEvent, ModelError>>, Option<Self>)> {
        while let Some(item) = self.answer.next().await {
            match item {
                Ok(Item::Event(StreamEvent::Text { text, .. })) if !text.is_empty() => {
                    self.reached = Reached::Answer;
                    return Some((vec![Ok(ModelEvent::Text(text))], Some(self)));
                }
                // The finished answer holds the calls; reasoning is not shown.
                Ok(Item::Event(
                    StreamEvent::Text { .. }
                    | StreamEvent::Start { .. }
                    | StreamEvent::Reasoning { .. }
                    | StreamEvent::Arguments { .. }
                    | StreamEvent::End { .. },
                )) => self.reached = Reached::Answer,
                Ok(Item::Unknown(_)) => {}
                Err(error) => return Some((vec![Err(self.errors.classify(&error, self.reached))], None)),
            }
        }
        let end = match self.answer.finish().await {
            Ok(response) => self.errors.whole(response),
            Err(error) => Err(self.errors.classify(&error, self.reached)),
        };
        let events = match end {
            Ok(events) => events.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        };
        Some((events, None))
    }
}

/// What a call of rig's is to us.
fn our_call(call: ToolCall) -> Call {
    let ToolFunction { name, arguments, invalid_arguments } = call.function;
    Call {
        id: Uuid::now_v7().to_string(),
        provider_id: call.id.provider().map(|id| id.as_str().to_owned()).unwrap_or_default(),
        tool: name.into(),
        // rig also offers what it could read of broken arguments: half a path is another path.
        input: invalid_arguments.map_or(Value::Object(arguments), Value::String),
    }
}

/// Whether the assembled answer holds arguments that belong to no call: a server that sends calls in pieces without
/// saying which call a piece belongs to. rig then gives the calls with empty arguments and says nothing.
fn has_stray_arguments(raw: &Value) -> bool {
    let calls = raw.pointer("/choices/0/message/tool_calls").and_then(Value::as_array);
    calls.into_iter().flatten().any(|call| {
        let text = |pointer| call.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        text("/function/name").is_empty() && text("/custom/name").is_empty()
    })
}

/// Turns what went wrong into our words. No text that leaves here holds the key.
#[derive(Clone)]
struct Errors {
    base_url: Url,
    key: Option<String>,
}

impl Errors {
    /// The calls and the end of an answer that rig takes for whole.
    fn whole(&self, response: CompletionResponse) -> Result<Vec<ModelEvent>, ModelError> {
        if let Some(error) = &response.error {
            return Err(ModelError::Provider(self.scrub(error)));
        }
        match response.finish_reason() {
            Some(FinishReason::Stop | FinishReason::ToolCalls) | None => {}
            Some(FinishReason::Length) => {
                return Err(ModelError::Cut("it reached the limit of tokens for one answer".to_owned()));
            }
            Some(FinishReason::ContentFilter) => {
                return Err(ModelError::Provider("its content filter stopped the answer".to_owned()));
            }
            Some(FinishReason::Other(reason)) => {
                return Err(ModelError::Provider(self.scrub(&format!("it ended the answer with {reason}"))));
            }
            Some(unknown) => {
                return Err(ModelError::Provider(self.scrub(&format!("it ended the answer with {unknown:?}"))));
            }
        }
        if has_stray_arguments(&response.raw) {
            return Err(ModelError::Provider(
                "the server sent tool calls in pieces without saying which call each belongs to".to_owned(),
            ));
        }
        let usage = Usage {
            input_tokens: response.usage.input_tokens.unwrap_or_default(),
            output_tokens: response.usage.output_tokens.unwrap_or_default(),
        };
        let calls = response.choice.into_iter().filter_map(|content| match content {
            AssistantContent::ToolCall(call) => Some(ModelEvent::Call(our_call(call))),
            // Text was given as it came; reasoning, images and what else there may be are not ours to show.
            _ => None,
        });
        Ok(calls.chain([ModelEvent::End(usage)]).collect())
    }

    fn classify(&self, error: &ProviderError, reached: Reached) -> ModelError {
        match error {
            ProviderError::Http(error) => self.transport(error, reached),
            ProviderError::ProviderResponse(response) | ProviderError::InvalidAuthentication(response) => {
                self.response(response)
            }
            ProviderError::Truncated => ModelError::Cut("the connection ended first".to_owned()),
            other => ModelError::Provider(self.scrub(&other.to_string())),
        }
    }

    /// No answer, or the connection broke.
    fn transport(&self, error: &http_client::Error, reached: Reached) -> ModelError {
        let http_client::Error::Instance(inner) = error else {
            return match error {
                http_client::Error::InvalidContentType(kind) => {
                    ModelError::Provider(self.not_a_stream(kind.to_str().unwrap_or_default()))
                }
                http_client::Error::StreamEnded => ModelError::Cut("the connection ended first".to_owned()),
                other => ModelError::Provider(self.scrub(&other.to_string())),
            };
        };
        let text = self.scrub(&cause(inner.as_ref()));
        let error = inner.downcast_ref::<reqwest::Error>();
        let silent = error.is_some_and(|error| error.is_timeout() && !error.is_connect());
        if reached == Reached::Answer || error.is_some_and(|error| error.is_body() || error.is_decode()) {
            let seconds = IDLE_TIMEOUT.as_secs();
            return ModelError::Cut(if silent { format!("nothing came for {seconds} seconds") } else { text });
        }
        let host = host(&self.base_url);
        ModelError::Offline(if silent {
            format!("{host} took the request and said nothing for {} seconds", IDLE_TIMEOUT.as_secs())
        } else {
            format!("{host}: {text}")
        })
    }

    /// The server's own error: an HTTP status, or an error in the middle of a stream.
    fn response(&self, response: &ProviderResponseError) -> ModelError {
        let body = serde_json::from_str::<Value>(&response.body).unwrap_or_default();
        let page = is_page(response);
        let message = self.message(response, &body, page);
        let code = code(&body);
        // These say more than the status they come with, or than a stream, which has none.
        match code {
            // Waiting does not help where the money is used up.
            "insufficient_quota" => return ModelError::Provider(message),
            "invalid_api_key" | "authentication_error" => return ModelError::Key(message),
            "model_not_found" => return ModelError::NotFound(message),
            "rate_limit_exceeded" | "rate_limit_error" | "overloaded_error" => {
                return ModelError::Busy { message, retry_after: retry_after(response) };
            }
            _ => {}
        }
        match response.status.map(|status| status.as_u16()) {
            // A page with these comes from a proxy or a portal on the way, which knows no key.
            Some(401 | 403) if !page => ModelError::Key(message),
            Some(404) => ModelError::NotFound(message),
            // 503 and 529 are how servers say that they have too much to do, or still load the model.
            Some(429 | 503 | 529) => ModelError::Busy { message, retry_after: retry_after(response) },
            // 500, 502 and 504 are faults: nobody said that waiting helps.
            _ => ModelError::Provider(message),
        }
    }

    /// One sentence: the status and what the server said.
    fn message(&self, response: &ProviderResponseError, body: &Value, page: bool) -> String {
        let said = if page {
            "a web page instead of an answer; a proxy, or a wrong base URL".to_owned()
        } else {
            let field = ["/error/message", "/message", "/detail", "/error"]
                .iter()
                .find_map(|pointer| body.pointer(pointer).and_then(Value::as_str));
            field.unwrap_or(&response.body).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut message = match response.status {
            Some(status) => format!("HTTP {} from {}", status.as_u16(), host(&self.base_url)),
            None => "an error in the middle of the answer".to_owned(),
        };
        if response.status.is_some_and(|status| status.is_redirection()) {
            let target = header(response, "location").unwrap_or("another address");
            message.push_str(&format!(": it points to {target}; if you trust that, use it as the base URL"));
        } else if !said.is_empty() {
            message.push_str(&format!(": {said}"));
        }
        self.scrub(&message)
    }

    fn not_a_stream(&self, kind: &str) -> String {
        let host = host(&self.base_url);
        self.scrub(&if kind.starts_with("text/html") {
            format!("{host} sent a web page instead of an answer; a proxy, or a wrong base URL")
        } else {
            format!("{host} sent {kind} instead of a stream")
        })
    }

    /// `text` on one line, without the key and not too long.
    fn scrub(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(key.as_str(), "[key]"),
            None => text.to_owned(),
        };
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// What is at the bottom of an error: the layers above say only that something failed.
fn cause(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// Whether the body is a web page, which no provider sends.
fn is_page(response: &ProviderResponseError) -> bool {
    let start = response.body.trim_start().get(..14).unwrap_or_default().to_ascii_lowercase();
    header(response, "content-type").is_some_and(|kind| kind.starts_with("text/html"))
        || start.starts_with("<!doctype html")
        || start.starts_with("<html")
}

fn header<'a>(response: &'a ProviderResponseError, name: &str) -> Option<&'a str> {
    response.headers.as_ref()?.get(name)?.to_str().ok()
}

/// The provider's own name for the error.
fn code(body: &Value) -> &str {
    ["/error/code", "/error/type", "/code"]
        .iter()
        .find_map(|pointer| body.pointer(pointer).and_then(Value::as_str))
        .unwrap_or_default()
}

/// How long to wait, where the server says it in seconds or milliseconds. A date is not read.
fn retry_after(response: &ProviderResponseError) -> Option<Duration> {
    let milliseconds = header(response, "retry-after-ms").and_then(|text| text.trim().parse().ok());
    if let Some(milliseconds) = milliseconds {
        return Some(Duration::from_millis(milliseconds));
    }
    let seconds = header(response, "retry-after")?.trim().parse::<f64>().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}
