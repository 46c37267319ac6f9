//! The loop: while there is a next step, take it. Every entry is written before its effect is shown; the only waiting
//! for a person is in [`crate::inbox`], and the only permission asked is at [`gate::decide`].

use std::time::Instant;

use futures::{StreamExt, future::join_all};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    gate::{self, Permit, Verdict},
    log::{Entry, Failure, LoggedCall, OpenCall, Request, Step},
    model::{self, ModelError, ModelEvent, ToolSpec, Usage},
    protocol::{AgentState, ToolResult, TurnEnd},
    question::Question,
    store::{Durability, StoreError},
    tool::{Tool, ToolContext, ToolOutcome},
};

pub(crate) mod shared;

use shared::Shared;

const SYSTEM: &str = include_str!("turn/system.md");

/// How often one call may ask before it is taken for a loop.
const ROUNDS: usize = 10;

/// Takes steps until the agent is idle.
///
/// # Errors
/// When the store fails: then nothing can be promised any more, and the loop stops where it is.
pub(crate) async fn run(shared: &Shared) -> Result<(), StoreError> {
    loop {
        let mut watch = shared.inbox.watch();
        shared.catch_up()?;
        let (step, cancel) = shared.next();
        if cancel.is_cancelled() {
            shared.interrupt()?;
            continue;
        }
        match step {
            Step::CallModel => call_model(shared, &cancel).await?,
            Step::RunCalls(ids) => {
                let results = join_all(ids.iter().map(|id| run_call(shared, id, &cancel))).await;
                results.into_iter().collect::<Result<(), StoreError>>()?;
            }
            Step::ReportStopped(ids) => {
                shared.append(Durability::Synced, |_| ids.into_iter().map(stopped).collect())?;
            }
            Step::Wait(ids) => {
                if let Some(request_id) = ids.into_iter().next() {
                    shared.show(AgentState::WaitingForUserInput { request_id });
                }
                tokio::select! {
                    () = cancel.cancelled() => {}
                    () = watch.changed() => {}
                }
            }
            Step::EndTurn => end_turn(shared, TurnEnd::Done, None)?,
            Step::Idle => return Ok(()),
        }
    }
}

async fn call_model(shared: &Shared, cancel: &CancellationToken) -> Result<(), StoreError> {
    shared.show(AgentState::Thinking);
    let request = model::Request {
        system: SYSTEM.replace("{workspace}", &shared.workspace.to_string_lossy()),
        messages: shared.with_log(|log| log.history()),
        tools: shared.tools().iter().map(spec_of).collect(),
    };
    match receive(shared, request, cancel).await {
        Received::Whole { calls, .. } if calls.is_empty() && !shared.has_streamed() => {
            fail(shared, &ModelError::Provider("the model answered with nothing".into()))
        }
        Received::Whole { calls, usage } => {
            let tools = shared.tools();
            let logged = |call: model::Call| LoggedCall {
                read_only: tools.get(&call.tool).is_none_or(|tool| tool.read_only()),
                call,
            };
            let calls = calls.into_iter().map(logged).collect();
            shared.append_streamed(|text| Entry::AssistantMessage { text, calls, usage })
        }
        Received::Failed(error) => fail(shared, &error),
        // Calls that were not whole when the person stopped never ran, and are not kept.
        Received::Stopped if shared.has_streamed() => {
            let message = |text| Entry::AssistantMessage { text, calls: Vec::new(), usage: Usage::default() };
            shared.append_streamed(message)
        }
        Received::Stopped => Ok(()),
    }
}

enum Received {
    Whole { calls: Vec<model::Call>, usage: Usage },
    Failed(ModelError),
    Stopped,
}

/// Reads the model's answer to its end; text is shown as it comes.
async fn receive(shared: &Shared, request: model::Request, cancel: &CancellationToken) -> Received {
    let mut stream = shared.provider.stream(request);
    let mut calls = Vec::new();
    loop {
        let event = tokio::select! {
            biased;
            () = cancel.cancelled() => return Received::Stopped,
            event = stream.next() => event,
        };
        match event {
            Some(Ok(ModelEvent::Text(text))) => shared.stream_text(&text),
            Some(Ok(ModelEvent::Call(call))) => calls.push(call),
            Some(Ok(ModelEvent::End(usage))) => return Received::Whole { calls, usage },
            Some(Err(error)) => return Received::Failed(error),
            None => return Received::Failed(ModelError::Cut("the connection ended".into())),
        }
    }
}

fn fail(shared: &Shared, error: &ModelError) -> Result<(), StoreError> {
    if shared.has_streamed() {
        shared.append_streamed(|text| Entry::CutMessage { text })?;
    }
    let failure = Failure { message: sentence(&error.to_string()), remedy: error.remedy().into() };
    end_turn(shared, TurnEnd::Failed, Some(failure))
}

fn end_turn(shared: &Shared, reason: TurnEnd, failure: Option<Failure>) -> Result<(), StoreError> {
    shared.append(Durability::Synced, |_| vec![Entry::TurnEnded { reason, failure }])
}

/// Takes one call as far as it goes without a person: to its result, or to a question.
async fn run_call(shared: &Shared, id: &str, cancel: &CancellationToken) -> Result<(), StoreError> {
    let Some(open) = shared.with_log(|log| log.open_call(id)) else {
        return Ok(());
    };
    let prepared = match prepare(shared, &open, cancel) {
        Prepared::Run(tool, context) => execute(shared, &open, tool.as_ref(), &context).await?,
        Prepared::Ask(question) => (ToolOutcome::NeedsInput(vec![*question]), None),
        Prepared::Ended(result) => (ToolOutcome::Done(result), None),
    };
    finish(shared, open, prepared)
}

enum Prepared {
    Run(std::sync::Arc<dyn Tool>, ToolContext),
    Ask(Box<Question>),
    Ended(ToolResult),
}

/// Everything before the act: is there such a tool, can it be called like this, may it.
fn prepare(shared: &Shared, open: &OpenCall, cancel: &CancellationToken) -> Prepared {
    let call = &open.call;
    let tools = shared.tools();
    let Some(tool) = tools.get(&call.tool) else {
        let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
        let text = format!("There is no tool '{}'. The tools are: {}.", call.tool, names.join(", "));
        return Prepared::Ended(ToolResult::error(text));
    };
    if !call.input.is_object() {
        let text =
            format!("The arguments of this {} call are no JSON object, so it did not run. Send it again.", call.tool);
        return Prepared::Ended(ToolResult::error(text));
    }
    let context = ToolContext { workspace: shared.workspace.clone(), cancel: cancel.clone() };
    let actions = match tool.actions(&call.input, &context) {
        Ok(actions) => actions,
        Err(text) => return Prepared::Ended(ToolResult::error(text)),
    };
    let verdict = gate::decide(call, tool.read_only(), &actions);
    let permit = open.permission.as_ref().and_then(|(request, answer)| {
        let asked = request.questions.first()?;
        Some((gate::permits(asked, answer, &verdict), answer))
    });
    match (permit, verdict) {
        (Some((Permit::Refused, answer)), _) => Prepared::Ended(gate::refusal(call, answer)),
        (Some((Permit::Stale, _)), _) => Prepared::Ended(ToolResult::refused(format!(
            "this {} call did not run: what it would do has changed since the user allowed it. Read the file and call again.",
            call.tool
        ))),
        (Some((Permit::Granted, _)), _) | (None, Verdict::Allow) => Prepared::Run(tool.clone(), context),
        (None, Verdict::Ask(question)) => Prepared::Ask(question),
    }
}

async fn execute(
    shared: &Shared,
    open: &OpenCall,
    tool: &dyn Tool,
    context: &ToolContext,
) -> Result<(ToolOutcome, Option<u64>), StoreError> {
    if !tool.read_only() {
        let entry = Entry::CallStarted { call_id: open.call.id.clone() };
        shared.append(Durability::Synced, |_| vec![entry])?;
    }
    shared.show(AgentState::RunningTool { tool: open.call.tool.clone() });
    let start = Instant::now();
    let outcome = tool.run(&open.call.input, open.answered.as_ref(), context).await;
    Ok((outcome, u64::try_from(start.elapsed().as_millis()).ok()))
}

/// Writes what came of it: a result, or the questions.
fn finish(shared: &Shared, open: OpenCall, (outcome, took_ms): (ToolOutcome, Option<u64>)) -> Result<(), StoreError> {
    let call_id = open.call.id;
    match outcome {
        ToolOutcome::NeedsInput(_) if open.rounds >= ROUNDS => {
            let text = format!("This call asked {ROUNDS} times and still wants to ask; it was ended.");
            let entry = Entry::CallEnded { call_id, result: ToolResult::error(text), took_ms };
            shared.append(Durability::Synced, |_| vec![entry])
        }
        ToolOutcome::NeedsInput(questions) => {
            let request =
                Request { id: Uuid::now_v7().to_string(), call_id: Some(call_id), asker: open.call.tool, questions };
            shared.append(Durability::Synced, |_| vec![Entry::RequestOpened { request }])
        }
        ToolOutcome::Done(result) => {
            shared.append(Durability::Relaxed, |_| vec![Entry::CallEnded { call_id, result, took_ms }])
        }
    }
}

fn stopped(call_id: String) -> Entry {
    let text = "The program stopped while this call ran. It may have done all, part or nothing of its work; it was not \
                run again. Look at what is there before you go on.";
    Entry::CallEnded { call_id, result: ToolResult::error(text), took_ms: None }
}

fn spec_of(tool: &std::sync::Arc<dyn Tool>) -> ToolSpec {
    ToolSpec { name: tool.name().into(), description: tool.description().into(), schema: tool.schema() }
}

/// The same words with a capital and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
