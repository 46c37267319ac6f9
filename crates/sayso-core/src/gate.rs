//! Whether a call may run. Provisional: what changes nothing passes, everything else asks a person, once a call. The
//! table of rules takes this place; the loop calls [`decide`] and nothing else does.

use crate::{
    model::Call,
    protocol::{QuestionKind, Subject, ToolResult},
    question::{Answer, Choice, Question},
    tool::Action,
};

/// What the gate says to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It may run.
    Allow,
    /// A person must be asked this.
    Ask(Box<Question>),
}

/// The verdict on a call that would do these things.
#[must_use]
pub fn decide(call: &Call, read_only: bool, actions: &[Action]) -> Verdict {
    if read_only {
        return Verdict::Allow;
    }
    Verdict::Ask(Box::new(permission(call, actions)))
}

/// What a call that a person refused comes to; the words go to the model as they were written.
#[must_use]
pub fn refusal(call: &Call, answer: &Answer) -> ToolResult {
    let tool = &call.tool;
    let text = match &answer.note {
        Some(words) => format!("this {tool} call did not run: the user rejected it and said: {words}"),
        None => format!(
            "this {tool} call did not run: the user rejected it without saying why. Do not try it again unchanged; \
             ask, or go another way."
        ),
    };
    ToolResult::refused(text)
}

/// Whether the person said yes to what the call would do now: the answer counts only for the question it was given to.
#[must_use]
pub fn permits(asked: &Question, answer: &Answer, now: &Verdict) -> Permit {
    if answer.selected != ["once"] {
        return Permit::Refused;
    }
    match now {
        Verdict::Allow => Permit::Granted,
        Verdict::Ask(question) if question.subject == asked.subject => Permit::Granted,
        Verdict::Ask(_) => Permit::Stale,
    }
}

/// What a person's answer means for the call as it stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// It may run.
    Granted,
    /// The person said no.
    Refused,
    /// The person said yes to something else: the file has changed since.
    Stale,
}

fn permission(call: &Call, actions: &[Action]) -> Question {
    let mut command = None;
    let mut path = None;
    let mut diff = None;
    for action in actions {
        match action {
            Action::Run { command: line } => command = Some(line.clone()),
            Action::Write { path: file, diff: change } => {
                path = Some(file.clone());
                diff = Some(change.clone());
            }
            Action::Read { .. } => {}
        }
    }
    let question = match (&command, &path) {
        (Some(_), _) => "May this command run?".into(),
        (None, Some(path)) => format!("May the agent edit `{path}`?"),
        (None, None) => format!("May the agent call `{}`?", call.tool),
    };
    let choice = |value: &str, label: &str, description: &str| Choice {
        value: value.into(),
        label: label.into(),
        description: description.into(),
        preview: None,
    };
    Question {
        key: "permission".into(),
        question,
        header: "Permission".into(),
        kind: QuestionKind::Choice,
        options: vec![
            choice("once", "Allow once", "This call, as shown, and no other."),
            choice("reject", "Reject", "It does not run; the agent is told, with your words."),
        ],
        default: None,
        required: true,
        pattern: None,
        allow_other: false,
        irreversible: false,
        reason: None,
        why: None,
        subject: Some(Subject::Permission { call_id: call.id.clone(), tool: call.tool.clone(), command, path, diff }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{question::ask_user_question::AskOptions, tool::Tools};

    #[test]
    fn c_09_asking_needs_no_permission() {
        let tools = Tools::built_in(AskOptions::default());
        let verdict = |name: &str| {
            let call = Call {
                id: "1".into(),
                provider_id: String::new(),
                tool: name.into(),
                input: json!({ "question": "?" }),
            };
            decide(&call, tools.get(name).unwrap().read_only(), &[])
        };
        assert_eq!(verdict("ask_user"), Verdict::Allow);
        assert_eq!(verdict("AskUserQuestion"), Verdict::Allow);
        assert!(matches!(verdict("run_command"), Verdict::Ask(_)));
    }
}
