//! Standard input, line by line, without holding up anything else.

use std::{
    io::{BufRead, IsTerminal},
    time::Instant,
};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The lines of standard input.
#[derive(Debug)]
pub(crate) struct Input {
    lines: UnboundedReceiver<Line>,
    ended: bool,
    /// Whether a person sits there.
    pub(crate) terminal: bool,
}

/// A line, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The words.
    pub(crate) text: Text,
    /// When it was entered.
    pub(crate) at: Instant,
}

/// What stood in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Text {
    /// The words, byte for byte.
    Whole(String),
    /// Bytes that are no UTF-8 text, with a sign in place of each that is none.
    Broken(String),
}

impl Line {
    /// What to show of it.
    pub(crate) fn shown(&self) -> &str {
        match &self.text {
            Text::Whole(text) | Text::Broken(text) => text,
        }
    }
}

impl Input {
    /// Starts to read. The reading thread ends with the program.
    pub(crate) fn start() -> Self {
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            let mut line = Vec::new();
            while stdin.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                let bytes = without_end(std::mem::take(&mut line));
                let text = match String::from_utf8(bytes) {
                    Ok(text) => Text::Whole(text),
                    Err(error) => Text::Broken(String::from_utf8_lossy(error.as_bytes()).into_owned()),
                };
                if sender.send(Line { text, at: Instant::now() }).is_err() {
                    return;
                }
            }
        });
        Self { lines, ended: false, terminal: std::io::stdin().is_terminal() }
    }

    /// The next line; `None` once, when the input ends, and never again.
    pub(crate) async fn next(&mut self) -> Option<Line> {
        if self.ended {
            return std::future::pending().await;
        }
        let line = self.lines.recv().await;
        self.ended = line.is_none();
        line
    }

    /// Whether all lines have been read.
    pub(crate) fn ended(&self) -> bool {
        self.ended
    }
}

/// The line without its one end, `\n` or `\r\n`: all before it is the person's own.
fn without_end(mut line: Vec<u8>) -> Vec<u8> {
    if line.last() == Some(&b'\n') {
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_end_is_taken_off_and_no_more() {
        for (line, rest) in
            [("a\n", "a"), ("a\r\n", "a"), ("a \n", "a "), ("a\r\r\n", "a\r"), ("a", "a"), ("a\r", "a\r"), ("\n", "")]
        {
            assert_eq!(without_end(line.into()), rest.as_bytes(), "{line:?}");
        }
    }
}
