//! The agent's end of the live channel: what the portal shows of a build while it runs, and how a request for a cancel
//! gets from there to the builder.
//!
//! ```text
//! supervisor's loop --newest state--> slot --"acta-live" thread--> WebSocket --> server
//!       ^                                          |
//!       +------------- requests ------------------+
//! ```
//! The build never waits for the server: the loop leaves the newest state in a slot that holds one, and a thread of its
//! own takes it from there whenever the connection can. Without a server the thread tries again, more and more seldom,
//! and the build does not notice. Nothing that is sent here is evidence.

mod link;
mod view;

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use acta_ledger::{
    evidence::number::Count64,
    live::{LiveBuild, LiveEnd, LiveState, Stage},
    log::key::PublicKey,
};

use crate::{
    builder::{kind::KindWatch, record::Record, resources::Usage, source::Requests},
    clock,
    server::ServerFacts,
};
use view::View;

/// How long the end may take to get to the server: nobody waits longer for a page.
const LAST_WORD: Duration = Duration::from_millis(500);

/// Where the loop leaves what is to be said.
#[derive(Default)]
struct Slot {
    /// The newest state.
    state: Option<LiveState>,
    /// It has not been sent yet.
    fresh: bool,
    /// Nothing more will come.
    closing: bool,
    /// The thread is at its end.
    gone: bool,
}

#[derive(Default)]
struct Shared {
    slot: Mutex<Slot>,
    changed: Condvar,
}

impl Shared {
    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the thread needs to speak.
struct Speaker {
    url: String,
    token: String,
    portal: PublicKey,
    build: LiveBuild,
    requests: Requests,
    shared: Arc<Shared>,
}

/// The live view of one build; of an agent that is not enrolled, nothing.
#[derive(Default)]
pub struct Live(Option<Watched>);

struct Watched {
    view: View,
    shared: Arc<Shared>,
}

impl Live {
    /// Begins to speak of a build that began at this reading of the monotonic clock.
    pub fn start(
        facts: &ServerFacts,
        build: LiveBuild,
        began_ns: u64,
        kind: KindWatch,
        requests: Requests,
    ) -> Self {
        let shared = Arc::new(Shared::default());
        let speaker = Speaker {
            url: facts.url.clone(),
            token: facts.api_token.clone(),
            portal: facts.portal_key,
            build,
            requests,
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new().name("acta-live".to_owned()).spawn(move || link::run(&speaker));
        // Without a thread nobody watches; the build is the same.
        Self(thread.is_ok().then(|| Watched { view: View::new(began_ns, kind), shared }))
    }

    /// Shows how it stands now.
    pub fn show(&mut self, record: &Record, usage: Option<Usage>) {
        if let Some(Watched { view, shared }) = &mut self.0
            && let Some(state) = view.look(record, usage)
        {
            put(shared, state);
        }
    }

    /// The builder's process is gone: from here on the agent cleans up and signs.
    pub fn cleaning(&mut self, record: &Record) {
        if let Some(Watched { view, shared }) = &mut self.0 {
            put(shared, view.cleaning(record));
        }
    }

    /// Cleaning up had ended at this moment.
    pub fn cleaned(&self, at: u64) {
        self.amend(|state| {
            if let Some(cancel) = &mut state.cancel {
                cancel.cleaned = Some(Count64(at));
            }
        });
    }

    /// It is signed.
    pub fn ended(&self, end: LiveEnd) {
        self.amend(|state| {
            state.stage = Stage::Ended;
            state.end = Some(end);
        });
    }

    fn amend(&self, change: impl FnOnce(&mut LiveState)) {
        self.amender().amend(change);
    }

    /// For whoever changes what is shown after the builder's end.
    pub fn amender(&self) -> Amender {
        Amender(self.0.as_ref().map(|watched| Arc::clone(&watched.shared)))
    }

    /// Says the last word, and waits a moment for it to be heard.
    pub fn close(self) {
        let Some(Watched { shared, .. }) = self.0 else { return };
        let mut slot = shared.slot();
        slot.closing = true;
        let waiting = |slot: &mut Slot| !slot.gone;
        drop(shared.changed.wait_timeout_while(slot, LAST_WORD, waiting));
    }
}

/// Changes the newest state of a build whose builder is gone.
#[derive(Clone, Default)]
pub struct Amender(Option<Arc<Shared>>);

impl Amender {
    /// Changes it, if there is one.
    pub fn amend(&self, change: impl FnOnce(&mut LiveState)) {
        let Some(shared) = &self.0 else { return };
        let mut slot = shared.slot();
        if let Some(state) = &mut slot.state {
            state.now = Count64(clock::monotonic_ns());
            change(state);
            slot.fresh = true;
        }
    }
}

fn put(shared: &Shared, state: LiveState) {
    let mut slot = shared.slot();
    slot.state = Some(state);
    slot.fresh = true;
}
