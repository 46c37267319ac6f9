//! aimock, a model server that nobody here wrote, for tests of the whole way over the wire. A test takes it in with
//! `#[path = "…/tests/aimock/server.rs"] mod aimock;`.
//!
//! What it plays, as `openai:mock` (any model name and any key will do):
//! - `fixtures/store.json`: the message *use the store* → a text and a call of `read_file`; its result, whatever it
//!   is → `AskUserQuestion` under the header *Database* with *PostgreSQL* and *SQLite*; its result → a text that
//!   names the database in it, or says that none was chosen.
//! - `fixtures/failures.json`: *be busy* → 429 with the type `rate_limit_error`; *break off* → a stream that is cut.
//!
//! Anything else is answered with 404.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

/// The running server. Dropped, it is ended.
#[derive(Debug)]
pub(crate) struct Aimock {
    child: Child,
    /// The base URL with its `/v1`.
    pub(crate) base_url: String,
}

impl Aimock {
    /// Start it on a free port and wait until it listens. Where Node or the package is missing: `None`, after one
    /// line that says so.
    pub(crate) fn start() -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/aimock");
        let program = folder.join("node_modules/@copilotkit/aimock/dist/aimock-cli.js");
        let child = program.is_file().then(|| {
            Command::new("node")
                .arg(&program)
                .args(["--config", "aimock.json", "--port", "0"])
                .current_dir(&folder)
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
        });
        let Some(Ok(mut child)) = child else {
            eprintln!("skipped: aimock is not there; it needs Node 20 or newer and `npm --prefix tests/aimock ci`");
            return None;
        };
        // It prints its address once it listens: no port is guessed and no time is waited.
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("aimock server listening on ").map(str::to_owned));
        let mut server = Self { child, base_url: String::new() };
        server.base_url = format!("{}/v1", address.expect("aimock ended before it listened").trim_end_matches('/'));
        // Read on, or it would stop at a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Some(server)
    }
}

impl Drop for Aimock {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
