//! Standard input, line by line, without holding up anything else.

use std::io::{BufRead, IsTerminal};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// The lines of standard input.
#[derive(Debug)]
pub(crate) struct Input {
    lines: UnboundedReceiver<String>,
    ended: bool,
    /// Whether a person sits there.
    pub(crate) terminal: bool,
}

impl Input {
    /// Starts to read. The reading thread ends with the program.
    pub(crate) fn start() -> Self {
        let (sender, lines) = unbounded_channel();
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            let mut line = Vec::new();
            while stdin.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                while line.last().is_some_and(|byte| *byte == b'\n' || *byte == b'\r') {
                    line.pop();
                }
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Self { lines, ended: false, terminal: std::io::stdin().is_terminal() }
    }

    /// The next line; `None` once, when the input ends, and never again.
    pub(crate) async fn next(&mut self) -> Option<String> {
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
