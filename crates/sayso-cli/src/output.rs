//! Standard output and standard error, written in order by a thread of their own: a reader who is late or slow holds up
//! neither the agent nor a signal, and gets everything.

use std::{
    io::{self, ErrorKind, Write},
    sync::mpsc::{Receiver, Sender, TryRecvError, channel},
};

use tokio::sync::{oneshot, watch};

/// Where both streams are written.
#[derive(Debug)]
pub(crate) struct Output {
    pieces: Sender<Piece>,
    gone: watch::Receiver<bool>,
}

#[derive(Debug)]
enum Piece {
    Out(Vec<u8>),
    Err(Vec<u8>),
    Flush(oneshot::Sender<()>),
}

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Err,
}

/// One of the two streams, to write to; never blocks and never fails.
#[derive(Debug)]
pub(crate) struct Writer {
    pieces: Sender<Piece>,
    stream: Stream,
}

impl Output {
    /// Starts to write. The thread ends with the program.
    pub(crate) fn start() -> Self {
        let (pieces, received) = channel();
        let (tell, gone) = watch::channel(false);
        std::thread::spawn(move || write_all(&received, &tell));
        Self { pieces, gone }
    }

    pub(crate) fn writer(&self, stream: Stream) -> Writer {
        Writer { pieces: self.pieces.clone(), stream }
    }

    /// Returns when nobody reads standard output any more.
    pub(crate) async fn gone(&mut self) {
        if self.gone.wait_for(|gone| *gone).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Whether nobody reads standard output any more.
    pub(crate) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// Returns when all has been written.
    pub(crate) async fn flushed(&self) {
        let (done, written) = oneshot::channel();
        if self.pieces.send(Piece::Flush(done)).is_ok() {
            let _ = written.await;
        }
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = match self.stream {
            Stream::Out => Piece::Out(bytes.into()),
            Stream::Err => Piece::Err(bytes.into()),
        };
        // The thread lives as long as the program.
        drop(self.pieces.send(piece));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write_all(received: &Receiver<Piece>, gone: &watch::Sender<bool>) {
    let mut out = io::stdout().lock();
    loop {
        let piece = match received.try_recv() {
            Ok(piece) => piece,
            Err(TryRecvError::Empty) => {
                told(out.flush(), gone);
                let Ok(piece) = received.recv() else { return };
                piece
            }
            Err(TryRecvError::Disconnected) => return,
        };
        match piece {
            Piece::Out(_) if *gone.borrow() => {}
            Piece::Out(bytes) => told(out.write_all(&bytes), gone),
            Piece::Err(bytes) => {
                told(out.flush(), gone);
                // With standard error gone there is nobody left to tell.
                drop(io::stderr().write_all(&bytes));
            }
            Piece::Flush(done) => {
                told(out.flush(), gone);
                let _ = done.send(());
            }
        }
    }
}

fn told(result: io::Result<()>, gone: &watch::Sender<bool>) {
    if result.is_err() {
        gone.send_replace(true);
    }
}

/// Writes a whole answer to standard output. A reader who has seen enough is no failure.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Writes a sentence to standard error, if anybody is there.
pub(crate) fn tell(text: &str) {
    drop(writeln!(io::stderr(), "{text}"));
}
