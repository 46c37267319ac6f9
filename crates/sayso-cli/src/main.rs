//! The program `sayso`: the agent in a terminal, a pipe or a script.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

mod args;
mod ask;
mod conversation;
mod home;
mod input;
mod list;
mod output;
mod prompt;
mod respond;
mod run;
mod screen;
mod signals;
mod talk;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};

/// How the program ended; the numbers are a promise to scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    Done,
    Failed,
    Usage,
    PersonMustAnswer,
    Interrupted,
    /// Ended by a signal of this number, as a shell would say it.
    Signalled(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Done => 0.into(),
            Exit::Failed => 1.into(),
            Exit::Usage => 2.into(),
            Exit::PersonMustAnswer => 3.into(),
            Exit::Interrupted => 130.into(),
            Exit::Signalled(number) => 128u8.saturating_add(number).into(),
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let args = Args::parse();
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_env("SAYSO_LOG"))
        .with_writer(std::io::stderr)
        .init();
    let result = match args.command {
        Command::Run(run) => run::run(run).await,
        Command::Ask(ask) => ask::ask(ask).await,
        Command::Answer(answer) => respond::respond(&answer),
        Command::Sessions => list::sessions(),
        Command::Inbox { json } => list::inbox(json),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            output::tell(&screen::plain(&format!("sayso: {error:#}")));
            Exit::Failed.into()
        }
    }
}
