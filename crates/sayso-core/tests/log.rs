//! The log under random orders of events: whatever happened, a history that can be sent to a model has exactly one
//! result for every call, and a restart computes the same next step.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::HashSet;

use proptest::prelude::*;
use sayso_core::{
    log::{Entry, Failure, Log, LoggedCall, Request, Step, next_step},
    model::{Call, Message, Usage},
    protocol::{Author, Outcome, QuestionKind, ToolResult, TurnEnd, Via},
    question::{Answer, Question},
};
use serde_json::json;

/// Something that may happen next; numbers pick among what there is.
#[derive(Debug, Clone)]
enum Event {
    User,
    Model { calls: Vec<bool> },
    Start(usize),
    End(usize),
    Ask(usize),
    Answer(usize),
    Close(usize),
    EndTurn(TurnEnd),
    Resume,
    Interrupt,
    Cut,
}

fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => Just(Event::User),
        4 => prop::collection::vec(any::<bool>(), 0..4).prop_map(|calls| Event::Model { calls }),
        3 => any::<usize>().prop_map(Event::Start),
        6 => any::<usize>().prop_map(Event::End),
        3 => any::<usize>().prop_map(Event::Ask),
        3 => any::<usize>().prop_map(Event::Answer),
        1 => any::<usize>().prop_map(Event::Close),
        2 => prop_oneof![Just(TurnEnd::Done), Just(TurnEnd::Failed)].prop_map(Event::EndTurn),
        1 => Just(Event::Resume),
        1 => Just(Event::Interrupt),
        1 => Just(Event::Cut),
    ]
}

/// All calls and requests that ever were, so that events can also name what is over.
#[derive(Default)]
struct World {
    log: Log,
    entries: Vec<Entry>,
    calls: Vec<String>,
    requests: Vec<String>,
}

impl World {
    fn happen(&mut self, event: &Event) {
        for entry in self.entries_for(event) {
            let before = (self.log.seq(), next_step(&self.log), self.log.history());
            let seq = self.log.seq() + 1;
            match self.log.apply(seq, entry.clone()) {
                Ok(_) => self.entries.push(entry),
                Err(_) => assert_eq!(before, (self.log.seq(), next_step(&self.log), self.log.history())),
            }
        }
    }

    fn entries_for(&mut self, event: &Event) -> Vec<Entry> {
        let pick = |ids: &[String], n: usize| ids.get(n % ids.len().max(1)).cloned();
        let one = |entry: Option<Entry>| entry.into_iter().collect();
        match event {
            Event::User => vec![Entry::UserMessage { text: "do it".into() }],
            Event::Model { calls } => {
                let calls = calls.iter().map(|read_only| {
                    let id = format!("call{}", self.calls.len());
                    self.calls.push(id.clone());
                    let call = Call { id, provider_id: String::new(), tool: "tool".into(), input: json!({}) };
                    LoggedCall { call, read_only: *read_only }
                });
                vec![Entry::AssistantMessage { text: "text".into(), calls: calls.collect(), usage: Usage::default() }]
            }
            Event::Start(n) => one(pick(&self.calls, *n).map(|call_id| Entry::CallStarted { call_id })),
            Event::End(n) => one(pick(&self.calls, *n).map(|call_id| Entry::CallEnded {
                call_id,
                result: ToolResult::ok("done"),
                took_ms: None,
            })),
            Event::Ask(n) => one(pick(&self.calls, *n).map(|call_id| {
                let id = format!("request{}", self.requests.len());
                self.requests.push(id.clone());
                let request = Request { id, call_id: Some(call_id), asker: "tool".into(), questions: vec![question()] };
                Entry::RequestOpened { request }
            })),
            Event::Answer(n) => one(pick(&self.requests, *n).map(|request_id| Entry::RequestAnswered {
                request_id,
                answers: vec![answer()],
                comment: None,
                via: Via::Terminal,
            })),
            Event::Close(n) => one(pick(&self.requests, *n)
                .map(|request_id| Entry::RequestClosed { request_id, outcome: Outcome::Orphaned })),
            Event::EndTurn(reason) => vec![Entry::TurnEnded {
                reason: *reason,
                failure: (*reason == TurnEnd::Failed).then(|| Failure { message: "no".into(), remedy: "again".into() }),
            }],
            Event::Resume => vec![Entry::TurnResumed],
            Event::Interrupt => self.log.interruption(),
            Event::Cut => vec![Entry::CutMessage { text: "te".into() }],
        }
    }

    fn check(&self) {
        match next_step(&self.log) {
            Step::CallModel => {
                let history = self.log.history();
                let mut answered = HashSet::new();
                for message in &history {
                    if let Message::Assistant { calls, .. } = message {
                        for (call, _) in calls {
                            assert!(answered.insert(call.id.clone()), "two results for {}", call.id);
                        }
                    }
                }
                for entry in &self.entries {
                    if let Entry::AssistantMessage { calls, .. } = entry {
                        for logged in calls {
                            assert!(answered.contains(&logged.call.id), "no result for {}", logged.call.id);
                        }
                    }
                }
            }
            Step::RunCalls(ids) => {
                assert!(!ids.is_empty());
                let waiting: HashSet<_> = self.log.requests().iter().filter_map(|open| open.call_id.clone()).collect();
                for id in &ids {
                    assert!(self.log.open_call(id).is_some(), "{id} has its result");
                    assert!(!waiting.contains(id), "{id} waits for a person");
                }
            }
            Step::ReportStopped(ids) => assert!(ids.iter().all(|id| self.log.open_call(id).is_some())),
            Step::Wait(ids) => assert!(!ids.is_empty() && ids.len() == self.log.requests().len()),
            Step::EndTurn => assert!(self.log.running()),
            Step::Idle => assert!(!self.log.running()),
        }
        let mut again = Log::default();
        for (place, entry) in self.entries.iter().enumerate() {
            again.apply(place as u64 + 1, entry.clone()).unwrap();
        }
        assert_eq!(next_step(&again), next_step(&self.log));
        assert_eq!(again.history(), self.log.history());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_sendable_history_has_one_result_a_call(events in prop::collection::vec(events(), 1..60)) {
        let mut world = World::default();
        world.happen(&Event::User);
        for event in &events {
            world.happen(event);
            world.check();
        }
        // Stopping is possible wherever it stands, and leaves nothing open.
        world.happen(&Event::Interrupt);
        prop_assert_eq!(next_step(&world.log), Step::Idle);
        prop_assert!(world.log.requests().is_empty());
    }
}

#[test]
fn reading_calls_run_side_by_side_and_a_changing_one_alone() {
    let mut world = World::default();
    world.happen(&Event::User);
    world.happen(&Event::Model { calls: vec![true, true, false, true] });
    assert_eq!(next_step(&world.log), Step::RunCalls(vec!["call0".into(), "call1".into()]));
    world.happen(&Event::End(1));
    assert_eq!(next_step(&world.log), Step::RunCalls(vec!["call0".into()]));
    world.happen(&Event::End(0));
    assert_eq!(next_step(&world.log), Step::RunCalls(vec!["call2".into()]));
    world.happen(&Event::Start(2));
    assert_eq!(next_step(&world.log), Step::ReportStopped(vec!["call2".into()]));
    world.happen(&Event::End(2));
    assert_eq!(next_step(&world.log), Step::RunCalls(vec!["call3".into()]));
}

#[test]
fn a_changing_call_waits_for_the_question_before_it() {
    let mut world = World::default();
    world.happen(&Event::User);
    world.happen(&Event::Model { calls: vec![true, false] });
    world.happen(&Event::Ask(0));
    assert_eq!(next_step(&world.log), Step::Wait(vec!["request0".into()]));
    world.happen(&Event::Answer(0));
    assert_eq!(next_step(&world.log), Step::RunCalls(vec!["call0".into()]));
}

#[test]
fn stopping_gives_every_unanswered_call_the_same_result() {
    let mut world = World::default();
    world.happen(&Event::User);
    world.happen(&Event::Model { calls: vec![true, true, true] });
    world.happen(&Event::End(0));
    world.happen(&Event::Ask(1));
    let interrupted = |call_id: &str| Entry::CallEnded {
        call_id: call_id.into(),
        result: ToolResult::error("Interrupted"),
        took_ms: None,
    };
    assert_eq!(
        world.log.interruption(),
        vec![
            Entry::RequestClosed { request_id: "request0".into(), outcome: Outcome::Interrupted },
            interrupted("call1"),
            interrupted("call2"),
            Entry::TurnEnded { reason: TurnEnd::Interrupted, failure: None },
        ]
    );
}

fn question() -> Question {
    Question {
        key: "Database".into(),
        question: "Which database should we use?".into(),
        header: "Database".into(),
        kind: QuestionKind::Text,
        options: Vec::new(),
        default: None,
        required: false,
        pattern: None,
        allow_other: true,
        irreversible: false,
        reason: None,
        why: None,
        subject: None,
    }
}

fn answer() -> Answer {
    Answer {
        key: "Database".into(),
        outcome: Outcome::Answered,
        author: Author::Person,
        selected: Vec::new(),
        text: Some("SQLite".into()),
        note: None,
    }
}
