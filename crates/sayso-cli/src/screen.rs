//! What the terminal shows of what happens. Text of models and tools is made plain first: it can't move the cursor,
//! change colours or hide anything.

use std::{
    borrow::Cow,
    io::{self, Write},
};

use sayso_core::protocol::{Author, Outcome, OutputChunk, TurnEnd, Via};

/// Longest arguments of a call shown on one line.
const LONGEST_CALL: usize = 400;

/// The terminal, or the pipe.
#[derive(Debug)]
pub(crate) struct Screen<W> {
    out: W,
    err: W,
    /// Whether the last thing written ended its line.
    fresh: bool,
}

impl<W: Write> Screen<W> {
    pub(crate) fn new(out: W, err: W) -> Self {
        Self { out, err, fresh: true }
    }

    /// Writes a line of its own.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.out, "{}", plain(text))?;
        self.out.flush()
    }

    /// Writes the start of a line that the person ends.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        self.end_line()?;
        write!(self.out, "{}", plain(text))?;
        self.fresh = false;
        self.out.flush()
    }

    /// Ends the prompt's line: at a terminal the person's Enter has, elsewhere the answer is shown as it came.
    pub(crate) fn answered(&mut self, line: &str, terminal: bool) -> io::Result<()> {
        self.fresh = true;
        if terminal { Ok(()) } else { writeln!(self.out, "{}", plain(line)) }
    }

    /// Writes a sentence about a failure to standard error.
    pub(crate) fn error(&mut self, sentence: &str) -> io::Result<()> {
        self.aside(&plain(&format!("sayso: {sentence}")))
    }

    /// Writes a line to standard error, as it is.
    pub(crate) fn aside(&mut self, line: &str) -> io::Result<()> {
        self.end_line()?;
        writeln!(self.err, "{line}")
    }

    /// Shows a chunk.
    pub(crate) fn chunk(&mut self, chunk: &OutputChunk) -> io::Result<()> {
        match chunk {
            OutputChunk::Text { text } => self.text(text),
            OutputChunk::ToolCall { tool, input, .. } => {
                self.line(&format!("> {tool}({})", shortened(&input.to_string())))
            }
            OutputChunk::ToolResult { tool, ok, text, .. } => self.line(&result_line(tool, *ok, text)),
            OutputChunk::RequestClosed { outcomes, answers, selections, by, via, .. } => {
                for (key, outcome) in outcomes {
                    let words = answers.get(key).map_or("", String::as_str);
                    // What was ticked beside own words; else the labels are the answer already.
                    let ticked = selections.get(key).filter(|_| *outcome == Outcome::OwnWords);
                    let ticked = ticked.map(|values| format!("{}; ", values.join(", "))).unwrap_or_default();
                    self.line(&closed_line(key, *outcome, &(ticked + words), by, *via))?;
                }
                Ok(())
            }
            OutputChunk::TurnEnded { reason: TurnEnd::Interrupted } => self.line("Stopped."),
            OutputChunk::Error { .. }
            | OutputChunk::MessageQueued { .. }
            | OutputChunk::TurnEnded { .. }
            | OutputChunk::UserMessage { .. }
            | OutputChunk::StateChange { .. }
            | OutputChunk::AskUserQuestion { .. } => Ok(()),
        }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.fresh = text.ends_with('\n') || (self.fresh && text.is_empty());
        write!(self.out, "{}", plain(text))?;
        self.out.flush()
    }

    /// Goes on below what the terminal itself has shown, as it does for Ctrl-C.
    pub(crate) fn break_line(&mut self) -> io::Result<()> {
        self.fresh = true;
        writeln!(self.out)
    }

    /// Ends a line of text that is not ended.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        if !self.fresh {
            writeln!(self.out)?;
            self.fresh = true;
        }
        Ok(())
    }
}

/// The line that tells of a result: what the model reads, whole where the call failed.
fn result_line(tool: &str, ok: bool, text: &str) -> String {
    let count = text.chars().count();
    let unit = if count == 1 { "char" } else { "chars" };
    match ok {
        true if tool == "run_command" => format!("v {tool} fed back {count} {unit}\n{}", indented(text)),
        true => format!("v {tool} fed back {count} {unit}"),
        false => format!("x {tool} fed back {count} {unit} - {}", hanging(text)),
    }
}

fn closed_line(key: &str, outcome: Outcome, answer: &str, by: &Author, via: Option<Via>) -> String {
    let how = match outcome {
        Outcome::Answered => "chosen".into(),
        Outcome::AcceptedDefault => "the suggestion, accepted".into(),
        Outcome::OwnWords => "own words".into(),
        Outcome::Skipped => return format!("= {key}: skipped"),
        Outcome::Defaulted => match by {
            Author::Rule(name) => format!("the suggestion, taken by the rule {name}"),
            Author::Autonomous | Author::Person => "the suggestion, taken by autonomous mode".into(),
        },
        Outcome::Interrupted => return format!("= {key}: stopped"),
        Outcome::Orphaned => "nobody waits for it any more".into(),
    };
    let place = match via {
        Some(Via::Window) => ", in the window",
        Some(Via::Terminal) | None => "",
    };
    format!("= {key}: {} ({how}{place})", hanging(answer))
}

/// The text with all lines but the first set in, so that none of them can pass for a line of the program's own.
pub(crate) fn hanging(text: &str) -> Cow<'_, str> {
    match text.contains('\n') {
        true => text.replace('\n', "\n        ").into(),
        false => text.into(),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_CALL) {
        Some((end, _)) => format!("{}… ({} chars)", &text[..end], text.chars().count()).into(),
        None => text.into(),
    }
}

/// The text with control and direction characters made visible.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let hidden = |letter: char| {
        (letter.is_control() && !matches!(letter, '\n' | '\t'))
            || matches!(
                letter,
                '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
            )
    };
    if !text.contains(hidden) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if hidden(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_28_lines_of_calls_and_results() {
        let mut out = Vec::new();
        let mut err = Vec::new();
        let mut screen = Screen::new(&mut out, &mut err);
        let input = serde_json::json!({"command": "node --test"});
        screen.chunk(&OutputChunk::ToolCall { call_id: "1".into(), tool: "run_command".into(), input }).unwrap();
        screen
            .chunk(&OutputChunk::ToolResult {
                call_id: "1".into(),
                tool: "run_command".into(),
                ok: false,
                text: "this run_command call did not run: é".into(),
                blocked_by: None,
                took_ms: None,
            })
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "> run_command({\"command\":\"node --test\"})\nx run_command fed back 36 chars - this run_command call did not run: é\n"
        );
    }

    #[test]
    fn later_lines_of_an_answer_cannot_pass_for_lines_of_the_program() {
        let mut out = Vec::new();
        let mut err = Vec::new();
        let mut screen = Screen::new(&mut out, &mut err);
        screen
            .chunk(&OutputChunk::RequestClosed {
                request_id: "1".into(),
                outcomes: [("Name".into(), Outcome::OwnWords)].into(),
                answers: [("Name".into(), "a\n= Name: b".into())].into(),
                selections: Default::default(),
                notes: Default::default(),
                comment: None,
                by: Author::Person,
                via: Some(Via::Window),
            })
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "= Name: a\n        = Name: b (own words, in the window)\n");
    }

    #[test]
    fn case_m10_m11_ticks_and_words_are_both_shown() {
        let mut out = Vec::new();
        let mut err = Vec::new();
        let mut screen = Screen::new(&mut out, &mut err);
        screen
            .chunk(&OutputChunk::RequestClosed {
                request_id: "1".into(),
                outcomes: [("Checks".into(), Outcome::OwnWords), ("Store".into(), Outcome::Answered)].into(),
                answers: [("Checks".into(), "only on changed files".into()), ("Store".into(), "SQLite".into())].into(),
                selections: [
                    ("Checks".into(), vec!["Lint".into(), "Unit".into()]),
                    ("Store".into(), vec!["sqlite".into()]),
                ]
                .into(),
                notes: Default::default(),
                comment: None,
                by: Author::Person,
                via: Some(Via::Window),
            })
            .unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "= Checks: Lint, Unit; only on changed files (own words, in the window)\n\
             = Store: SQLite (chosen, in the window)\n"
        );
    }

    #[test]
    fn text_cannot_drive_the_terminal() {
        assert_eq!(plain("a\u{1b}[2Jb\u{202e}c\td\n"), "a\\u{1b}[2Jb\\u{202e}c\td\n");
    }
}
