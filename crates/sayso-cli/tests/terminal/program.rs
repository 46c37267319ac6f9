//! Starts the program, hears what it says, and knows when it has ended.

use std::{
    fs,
    io::{Read, Write},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Condvar, Mutex, mpsc},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Far more than anything here takes: a test that waits this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A place of its own: a store, a home, and a folder to work in.
pub(crate) struct Place {
    folder: TempDir,
}

/// How a process ended, and all it said.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code, or the negative number of the signal that killed it.
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A running process.
pub(crate) struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    pub(crate) out: Heard,
    pub(crate) err: Heard,
}

/// What a process has said so far.
#[derive(Clone)]
pub(crate) struct Heard(Arc<(Mutex<Said>, Condvar)>);

#[derive(Default)]
struct Said {
    bytes: Vec<u8>,
    /// Up to where it has been waited for.
    read: usize,
    over: bool,
}

/// A practice script of these tests, as `--model` takes it.
pub(crate) fn script(name: &str) -> String {
    format!("practice:{}/tests/scripts/{name}.jsonl", env!("CARGO_MANIFEST_DIR"))
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for name in ["home", "store", "work"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub(crate) fn work(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("work")
    }

    /// The environment of every process of this place.
    pub(crate) fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![
            ("PATH", std::env::var_os("PATH").unwrap_or_default().into()),
            ("HOME", self.folder.path().join("home")),
            ("SAYSO_HOME", self.store()),
        ]
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
        command.args(args).current_dir(self.work()).env_clear().envs(self.environment());
        command
    }

    /// Starts the program with its input left open.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        Running::of(self.command(args))
    }

    /// Runs the program with this input, to its end.
    pub(crate) fn sayso(&self, args: &[&str], input: &[u8]) -> Ended {
        let mut running = self.start(args);
        running.write(input);
        running.end()
    }

    /// What waits, as `inbox --json` prints it.
    pub(crate) fn inbox(&self) -> Vec<Value> {
        let ended = self.sayso(&["inbox", "--json"], b"");
        assert_eq!((ended.code, ended.err.as_str()), (0, ""));
        ended.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The one request that waits, once it does.
    pub(crate) fn waiting(&self) -> Value {
        let start = Instant::now();
        loop {
            match self.inbox().as_slice() {
                [one] => return one.clone(),
                [] => assert!(start.elapsed() < PATIENCE, "nothing waits"),
                several => panic!("several wait: {several:?}"),
            }
        }
    }

    /// Runs this script with this prompt to where a person must answer, and returns what waits.
    pub(crate) fn left_waiting(&self, name: &str, prompt: &str) -> Value {
        let ended = self.sayso(&["run", "--model", &script(name), prompt], b"");
        assert_eq!(ended.code, 3, "{ended:?}");
        self.waiting()
    }
}

impl Running {
    pub(crate) fn of(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let out = Heard::from(child.stdout.take().unwrap());
        let err = Heard::from(child.stderr.take().unwrap());
        Self { stdin: child.stdin.take(), child, out, err }
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Writes to its input. A process that has ended takes none.
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().unwrap();
        match stdin.write_all(bytes.as_ref()).and_then(|()| stdin.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => panic!("{error}"),
            Ok(()) | Err(_) => {}
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Ends its input and waits for its end.
    pub(crate) fn end(mut self) -> Ended {
        self.stdin = None;
        self.ended()
    }

    /// Waits for its end, its input left open.
    pub(crate) fn ended(mut self) -> Ended {
        let out = self.out.whole();
        let err = self.err.whole();
        let status = self.child.wait().unwrap();
        let code = status.code().or(status.signal().map(|number| -number)).unwrap();
        Ended { code, out, err }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Heard {
    pub(crate) fn from(mut reader: impl Read + Send + 'static) -> Self {
        let heard = Self(Arc::default());
        let shared = heard.0.clone();
        thread::spawn(move || {
            let mut buffer = vec![0; 16 * 1024];
            loop {
                // The far end of a terminal that has closed is an error, and an end like any other.
                let count = reader.read(&mut buffer).unwrap_or(0);
                let mut said = shared.0.lock().unwrap();
                said.bytes.extend_from_slice(&buffer[..count]);
                said.over = count == 0;
                shared.1.notify_all();
                if said.over {
                    return;
                }
            }
        });
        heard
    }

    /// Waits until this has been said, after all that was waited for before; returns what was said up to its end.
    pub(crate) fn until(&self, text: &str) -> String {
        let start = Instant::now();
        let (said, changed) = &*self.0;
        let mut said = said.lock().unwrap();
        loop {
            let rest = &said.bytes[said.read..];
            if let Some(place) = rest.windows(text.len()).position(|window| window == text.as_bytes()) {
                let end = place + text.len();
                let before = String::from_utf8_lossy(&rest[..end]).into_owned();
                said.read += end;
                return before;
            }
            let rest = String::from_utf8_lossy(rest).into_owned();
            assert!(!said.over, "ended without {text:?}: {rest}");
            assert!(start.elapsed() < PATIENCE, "no {text:?} in: {rest}");
            said = changed.wait_timeout(said, PATIENCE).unwrap().0;
        }
    }

    /// All that was said, once it is over.
    pub(crate) fn whole(&self) -> String {
        let start = Instant::now();
        let (said, changed) = &*self.0;
        let mut said = said.lock().unwrap();
        while !said.over {
            assert!(start.elapsed() < PATIENCE, "it goes on: {}", String::from_utf8_lossy(&said.bytes));
            said = changed.wait_timeout(said, PATIENCE).unwrap().0;
        }
        String::from_utf8(said.bytes.clone()).unwrap()
    }
}

impl Ended {
    /// What the script's model said of the last result.
    pub(crate) fn result(&self) -> &str {
        result_in(&self.out)
    }
}

/// What stands after RESULT, to the end.
pub(crate) fn result_in(text: &str) -> &str {
    let (_, result) = text.split_once("RESULT ").unwrap_or_else(|| panic!("no result in: {text}"));
    result.trim_end_matches('\n')
}

/// A command that tells when it has started, and then runs until it is ended.
pub(crate) struct Endless {
    fifo: PathBuf,
    /// A line for each time it was started.
    pub(crate) runs: PathBuf,
}

impl Endless {
    pub(crate) fn new(place: &Path) -> Self {
        let fifo = place.join("started");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        Self { fifo, runs: place.join("runs") }
    }

    pub(crate) fn prompt(&self) -> String {
        format!("run echo once >> '{}'; echo $$ > '{}'; sleep 1000; true", self.runs.display(), self.fifo.display())
    }

    /// Its process group, once it runs.
    pub(crate) fn started(&self) -> Pid {
        let (send, receive) = mpsc::channel();
        let fifo = self.fifo.clone();
        thread::spawn(move || send.send(fs::read_to_string(fifo)));
        let line = receive.recv_timeout(PATIENCE).expect("the command starts").unwrap();
        Pid::from_raw(line.trim().parse().unwrap()).unwrap()
    }
}

/// Waits until no process of the group is alive.
pub(crate) fn assert_gone(group: Pid) {
    let start = Instant::now();
    while alive(group) {
        assert!(start.elapsed() < PATIENCE, "processes of group {group:?} are left");
        thread::yield_now();
    }
}

/// Whether a process of the group is alive; one that has ended and that nobody has asked about is not.
pub(crate) fn alive(group: Pid) -> bool {
    let Ok(processes) = fs::read_dir("/proc") else {
        return rustix::process::test_kill_process_group(group).is_ok();
    };
    let group = group.as_raw_nonzero().to_string();
    processes.flatten().any(|process| {
        let stat = fs::read_to_string(process.path().join("stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        fields.get(2) == Some(&group.as_str()) && !matches!(fields[0], "Z" | "X")
    })
}
