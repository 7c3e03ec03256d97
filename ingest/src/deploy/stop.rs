//! Being asked to stop: the step that is being done is ended, the next start goes on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tokio::signal::unix::{SignalKind, signal};

use crate::{
    command::push::runtime,
    error::{CliError, Result},
};

/// How long a sleeper notices nothing.
const SLICE: Duration = Duration::from_millis(20);

/// Whether somebody asked.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Takes Ctrl-C and SIGTERM as being asked; asked twice, the program ends at once.
    pub fn on_signals() -> Result<Self> {
        let stop = Self::default();
        let asked = Arc::clone(&stop.0);
        let runtime = runtime()?;
        let guard = runtime.enter();
        let listen = |kind| {
            signal(kind)
                .map_err(|error| CliError::failure("cannot listen for signals").found(error.to_string()))
        };
        let (mut interrupt, mut terminate) =
            (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
        drop(guard);
        thread::spawn(move || {
            runtime.block_on(async {
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                    }
                    if asked.swap(true, Ordering::SeqCst) {
                        std::process::exit(130);
                    }
                }
            });
        });
        Ok(stop)
    }

    /// Whether somebody asked.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Waits, unless somebody asks.
    pub fn sleep(&self, time: Duration) {
        let begun = Instant::now();
        while !self.asked() && begun.elapsed() < time {
            thread::sleep(SLICE.min(time.saturating_sub(begun.elapsed())));
        }
    }
}
