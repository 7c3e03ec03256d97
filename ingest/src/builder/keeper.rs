//! Who hears requests to stop once the builder is gone: files are cleaned up and the evidence is written then, and
//! neither is interrupted. A request waits, is told of at once, and stands in the evidence.
//!
//! ```text
//! supervisor's loop ends --inbox--> "acta-keeper" thread --first request--> the record, before it is signed
//!                                        |
//!                                        +--> terminal, live page
//! ```

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use acta_ledger::{
    evidence::{cancel::NoCancelWindow, number::Count64},
    live::{LiveCancel, MAX_TEXT_BYTES, cut},
};
use tokio::{runtime::Runtime, sync::oneshot};

use super::source::{Inbox, Request};
use crate::{
    live::Amender,
    ui::{Ui, harmless},
};

#[derive(Default)]
struct Door {
    window: Option<NoCancelWindow>,
    /// Somebody asked before the builder was gone: whoever asks now asks again.
    asked_before: bool,
    request: Option<Request>,
    /// The request stands in what is being signed.
    taken: bool,
}

/// Hears them, until it is dropped.
pub struct Keeper {
    door: Arc<Mutex<Door>>,
    live: Amender,
    /// Dropped with the keeper, which ends its thread.
    _open: oneshot::Sender<()>,
}

impl Keeper {
    /// Begins to hear. `runtime` drives the sources, and `inbox` is where they put requests.
    pub fn start(runtime: Runtime, mut inbox: Inbox, asked_before: bool, live: Amender, ui: Ui) -> Self {
        let door = Arc::new(Mutex::new(Door {
            window: Some(NoCancelWindow::Cleanup),
            asked_before,
            ..Door::default()
        }));
        let (open, closed) = oneshot::channel();
        let (theirs, their_live) = (Arc::clone(&door), live.clone());
        let hearing = async move {
            let hear = async {
                while let Some(request) = inbox.recv().await {
                    heard(&theirs, request, &their_live, ui);
                }
            };
            tokio::select! {
                () = hear => {}
                _ = closed => {}
            }
        };
        // Without a thread nobody is heard; what was to be done is done all the same.
        thread::Builder::new().name("acta-keeper".to_owned()).spawn(move || runtime.block_on(hearing)).ok();
        Self { door, live, _open: open }
    }

    /// Another window opens as the one before closes.
    pub fn turn(&self, window: NoCancelWindow) {
        lock(&self.door).window = Some(window);
        self.live.amend(|state| state.window = Some(window));
    }

    /// The request that came meanwhile, once: whoever takes it writes it down.
    pub fn take(&self) -> Option<Request> {
        let mut door = lock(&self.door);
        let request = door.request.clone().filter(|_| !door.taken);
        door.taken |= request.is_some();
        request
    }

    /// Whether a request came that nobody has taken.
    pub fn is_stale(&self) -> bool {
        let door = lock(&self.door);
        door.request.is_some() && !door.taken
    }

    /// No window is open any more: what waited is delivered. Says whether anything did, and hears nobody any more.
    pub fn end(self) -> bool {
        self.live.amend(|state| {
            state.window = None;
            let now = state.now;
            if let Some(cancel) = state.cancel.as_mut().filter(|cancel| cancel.held_by.is_some()) {
                cancel.delivered.get_or_insert(now);
            }
        });
        lock(&self.door).request.is_some()
    }
}

fn lock(door: &Mutex<Door>) -> MutexGuard<'_, Door> {
    door.lock().unwrap_or_else(PoisonError::into_inner)
}

fn heard(door: &Mutex<Door>, request: Request, live: &Amender, ui: Ui) {
    let mut door = lock(door);
    let what = match door.window {
        Some(NoCancelWindow::EvidenceAtRisk) => "the evidence is being written",
        _ => "files are being cleaned up",
    };
    if door.asked_before || door.request.is_some() {
        if request.press {
            ui.notice(&format!("acta: {what}: that is not interrupted"));
        }
        return;
    }
    ui.notice(&format!(
        "acta: cancel requested ({}) while {what}: it waits until the evidence is on disk; then nothing is left to stop \
         but the push",
        harmless(&request.reason)
    ));
    let window = door.window;
    live.amend(|state| {
        state.cancel.get_or_insert_with(|| LiveCancel {
            source: request.source,
            reason: Some(cut(&request.reason, MAX_TEXT_BYTES).to_owned()),
            who: request.by.as_ref().map(|by| cut(&by.who, MAX_TEXT_BYTES).to_owned()),
            request: request.by.as_ref().map(|by| by.request.id),
            requested: Count64(request.at),
            delivered: None,
            acknowledged: None,
            returned: None,
            cleaned: None,
            held_by: window,
            open_at_request: Vec::new(),
        });
    });
    door.request = Some(request);
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use acta_ledger::evidence::cancel::CancelSource;

    use super::{super::source, *};
    use crate::{command::push::runtime, ui::Color};

    fn keeper(asked_before: bool) -> (source::Requests, Keeper) {
        let (requests, inbox) = source::channel();
        let ui = Ui::new(true, Color::Never);
        (requests, Keeper::start(runtime().unwrap(), inbox, asked_before, Amender::default(), ui))
    }

    fn wait_until(mut holds: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !holds() {
            assert!(begun.elapsed() < Duration::from_secs(20), "nobody hears");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn the_first_request_is_kept_and_taken_once() {
        let (requests, keeper) = keeper(false);
        assert!(!keeper.is_stale() && keeper.take().is_none());
        requests.ask(CancelSource::Service, "SIGTERM");
        requests.ask(CancelSource::CtrlC, "Ctrl-C");
        wait_until(|| keeper.is_stale());
        assert_eq!(keeper.take().unwrap().source, CancelSource::Service);
        assert!(keeper.take().is_none() && !keeper.is_stale());
        assert!(keeper.end());
    }

    #[test]
    fn after_an_earlier_request_nothing_is_new() {
        let (requests, keeper) = keeper(true);
        requests.ask(CancelSource::CtrlC, "Ctrl-C");
        // The channel is empty once it was heard.
        wait_until(|| requests.is_idle());
        assert!(!keeper.is_stale());
        assert!(!keeper.end());
    }
}
