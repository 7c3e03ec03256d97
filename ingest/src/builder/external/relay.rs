//! The command's own output on its way to whoever reads ours, on a thread of its own: a reader that is slow slows the
//! command, as a pipe would, and never the supervisor.

use std::{
    io::{self, Write},
    thread::{self, JoinHandle},
};

use tokio::sync::mpsc;

use crate::builder::{process::Relay, progress::Screen};

/// How many pieces wait for a reader.
const WAITING: usize = 64;

/// The threads that write.
pub struct Relays(Vec<JoinHandle<()>>);

impl Relays {
    /// Starts both. `to_stderr`: our stdout is kept for one JSON object.
    pub fn start(to_stderr: bool, screen: &Screen) -> io::Result<([Relay; 2], Self)> {
        let out = |piece: &[u8]| whole(io::stdout().lock(), piece);
        let err = |piece: &[u8]| whole(io::stderr().lock(), piece);
        let (first, first_thread) = start("acta-stdout", if to_stderr { err } else { out }, screen.clone())?;
        let (second, second_thread) = start("acta-stderr", err, screen.clone())?;
        Ok(([first, second], Self(vec![first_thread, second_thread])))
    }

    /// Waits until everything is written.
    pub fn finish(self) {
        for thread in self.0 {
            thread.join().ok();
        }
    }
}

type WritePiece = fn(&[u8]) -> io::Result<()>;

fn whole(mut to: impl Write, piece: &[u8]) -> io::Result<()> {
    to.write_all(piece)?;
    to.flush()
}

fn start(name: &str, write: WritePiece, screen: Screen) -> io::Result<(Relay, JoinHandle<()>)> {
    let (relay, mut pieces) = mpsc::channel::<Vec<u8>>(WAITING);
    let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
        while let Some(piece) = pieces.blocking_recv() {
            // A reader that is gone: the rest goes nowhere, and the command runs on.
            if screen.beside(|| write(&piece)).is_err() {
                return;
            }
        }
    })?;
    Ok((relay, thread))
}
