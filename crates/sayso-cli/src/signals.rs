//! The signals that stop the agent or end the program. Listened to from before a session is opened, so that none ends
//! the program while a command of the agent's runs: that would leave the command behind.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// What came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Ctrl-C: stop the agent.
    Interrupt,
    /// End the program where it stands, by the signal of this number and name.
    End(u8, &'static str),
}

/// The signals of this process.
#[derive(Debug)]
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: Stream,
    terminate: Stream,
    hangup: Option<Stream>,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        let hangup = if hangup_is_ignored() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())?, hangup })
    }

    pub(crate) async fn next(&mut self) -> Signal {
        let Self { interrupt, terminate, hangup } = self;
        let hangup = async {
            match hangup {
                Some(stream) => stream.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::End(15, "SIGTERM"),
            _ = hangup => Signal::End(1, "SIGHUP"),
        }
    }
}

/// Whether the program was started under `nohup`: then the terminal's end is none of its business. Only Linux tells.
#[cfg(unix)]
fn hangup_is_ignored() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

/// The signals of this process.
#[derive(Debug)]
#[cfg(windows)]
pub(crate) struct Signals {
    interrupt: tokio::signal::windows::CtrlC,
    close: tokio::signal::windows::CtrlClose,
}

#[cfg(windows)]
impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: tokio::signal::windows::ctrl_c()?, close: tokio::signal::windows::ctrl_close()? })
    }

    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.close.recv() => Signal::End(1, "the closed window"),
        }
    }
}
