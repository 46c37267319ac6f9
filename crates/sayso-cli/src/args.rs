//! The command line.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand};

/// A coding agent that acts on your say-so.
#[derive(Debug, Parser)]
#[command(name = "sayso", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 failed, with a sentence on standard error; 2 wrong usage; 3 a person must \
answer (the open question is on standard error, as `sayso inbox --json` prints it); 130 interrupted; 129 and 143 ended by \
SIGHUP and SIGTERM.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Work on something, in this folder.
    Run(Run),
    /// Ask a person one request, from a file in any of the three written forms.
    Ask(Ask),
    /// Answer an open question, of whatever session.
    Answer(Answer),
    /// List the sessions there are.
    Sessions,
    /// List what waits for you.
    Inbox {
        /// One JSON object a line: request_id, session_id, questions.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Run {
    /// Work in this folder instead of the current one.
    #[arg(short = 'C', value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// The model: practice, practice:FILE or openai:NAME. Default: `model` of config.toml, else practice.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Where an OpenAI-compatible server is reached, for instance http://127.0.0.1:8080/v1.
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Chunks out and messages in, as JSON, one a line.
    #[arg(long)]
    pub(crate) json: bool,
    /// Go on with this session.
    #[arg(long, value_name = "SESSION", conflicts_with = "folder")]
    pub(crate) resume: Option<String>,
    /// What you want. Left out at a terminal: you are asked.
    pub(crate) prompt: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Ask {
    /// The questions, as JSON; `-` for standard input.
    #[arg(long, value_name = "Q.json")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, ClapArgs)]
#[command(override_usage = "sayso answer REQUEST_ID ANSWER...\n       sayso answer REQUEST_ID KEY=ANSWER...\n       \
sayso answer REQUEST_ID --skip\n       sayso answer REQUEST_ID --json FILE")]
pub(crate) struct Answer {
    /// The open question, as `sayso inbox` lists it.
    pub(crate) request_id: String,
    /// One answer a question, in order, or KEY=ANSWER: an option's number, its label, or your own words.
    #[arg(required_unless_present_any = ["skip", "json"], conflicts_with_all = ["skip", "json"], allow_negative_numbers = true)]
    pub(crate) answers: Vec<String>,
    /// Pass all of its questions over; the agent is told that you did not answer.
    #[arg(long, conflicts_with = "json")]
    pub(crate) skip: bool,
    /// Replies by key, as JSON: {"replies": {KEY: {"act": "chosen", "selected": [VALUE]}}, "comment": "..."}; `-` for standard input.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}
