//! The program around the builds: its own event loop, and the signals by which the whole test is stopped.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    runtime::Handle,
    signal::unix::{SignalKind, signal},
    sync::oneshot,
};

use crate::{
    command::push::runtime,
    error::{CliError, Result},
};

/// An event loop on a thread of its own; it ends with this.
pub struct Host {
    handle: Handle,
    stopped: Arc<AtomicBool>,
    /// The `acta build` that runs now; 0 if none does.
    child: Arc<AtomicU32>,
    end: Mutex<Option<oneshot::Sender<()>>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Host {
    /// Starts it. From here on a signal stops the test in order: the build that runs is cancelled, and none follows.
    pub fn start() -> Result<Self> {
        let (stopped, child) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let (end, ended) = oneshot::channel::<()>();
        let (ready, started) = mpsc::channel();
        let seen = (Arc::clone(&stopped), Arc::clone(&child));
        let thread = thread::spawn(move || {
            let runtime = match runtime() {
                Ok(runtime) => runtime,
                Err(error) => return drop(ready.send(Err(error))),
            };
            runtime.block_on(async {
                let listening = listen(seen);
                ready.send(listening.map(|()| Handle::current())).ok();
                ended.await.ok();
            });
        });
        let no_loop = || CliError::failure("the program cannot start its event loop");
        let handle = started.recv().map_err(|_| no_loop())??;
        Ok(Self { handle, stopped, child, end: Mutex::new(Some(end)), thread: Some(thread) })
    }

    /// Its event loop.
    pub fn event_loop(&self) -> &Handle {
        &self.handle
    }

    /// Whether the test is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Notes the process of the build that runs now, so that stopping the test reaches it. It stands in a group of its
    /// own, where the terminal's Ctrl-C does not.
    pub fn watch_child(&self, pid: Option<u32>) {
        self.child.store(pid.unwrap_or(0), Ordering::SeqCst);
        if let Some(pid) = pid.filter(|_| self.is_stopped()) {
            send(pid, Signal::TERM);
        }
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(end) = self.end.lock().unwrap_or_else(PoisonError::into_inner).take() {
            end.send(()).ok();
        }
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Builds in this process hear the signals themselves.
fn listen((stopped, child): (Arc<AtomicBool>, Arc<AtomicU32>)) -> Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let mut signals =
            signal(kind).map_err(|e| CliError::failure("cannot listen to signals").found(e.to_string()))?;
        let (stopped, child) = (Arc::clone(&stopped), Arc::clone(&child));
        tokio::spawn(async move {
            while signals.recv().await.is_some() {
                stopped.store(true, Ordering::SeqCst);
                let pid = child.load(Ordering::SeqCst);
                if pid != 0 {
                    send(pid, Signal::TERM);
                }
            }
        });
    }
    Ok(())
}

/// Sends a signal; a process that has ended gets none.
pub fn send(pid: u32, signal: Signal) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        kill_process(pid, signal).ok();
    }
}

/// Calls this after so much time, from a task of the event loop.
pub fn later(event_loop: &Handle, after: Duration, call: impl FnOnce() + Send + 'static) {
    event_loop.spawn(async move {
        tokio::time::sleep(after).await;
        call();
    });
}
