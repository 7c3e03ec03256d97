//! The live hub: what agents say of builds that run, kept in memory and bounded, for whoever watches.
//!
//! For each build the hub keeps the newest state and nothing else. Whoever watches (pages, programs, and the agent's own
//! connection, which waits for a request) holds a [`watch`] receiver: a slow viewer misses states and holds up nobody.
//! A server that starts again has forgotten all of it; agents connect again and say it all again, and what must not be
//! forgotten, a person's request, stands in the log ([`ask`]).

pub mod ask;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use acta_ledger::{
    evidence::person::Signatory,
    judge::{
        baseline::Baseline,
        live::{CancelWay, Standing, cancel_way, standing},
    },
    live::{LiveBuild, LiveState},
    log::{digest::Sha256Digest, timestamp::Timestamp},
};
use serde_json::Value;
use tokio::sync::{OnceCell, watch};
use uuid::Uuid;

/// Builds that are kept at most.
const MAX_BUILDS: usize = 1_000;

/// Builds of one agent that are kept at most.
const MAX_BUILDS_OF_AGENT: usize = 64;

/// A build that has ended stays this long, so that whoever watched it sees the end and the way to the signed run.
const KEEP_ENDED: Duration = Duration::from_secs(10 * 60);

/// A build whose agent has vanished stays this long.
const KEEP_VANISHED: Duration = Duration::from_secs(60 * 60);

/// A build as its agent last told of it.
#[derive(Debug, Clone)]
pub struct Live {
    /// What is built.
    pub build: LiveBuild,
    /// Who builds.
    pub agent: String,
    /// How it stood.
    pub state: Option<Arc<LiveState>>,
    /// When that came.
    pub heard: Instant,
    /// A number that grows with every change.
    pub revision: u64,
    /// The request for a cancel that the portal signed.
    pub request: Option<Arc<Request>>,
    /// What is usual for builds of its kind: read from the log once, when somebody looks and the kind is known.
    pub usual: Arc<OnceCell<Baseline>>,
    /// The agent's connections so far: only the newest one speaks.
    connection: u64,
}

/// A request for a cancel, signed.
#[derive(Debug, Clone)]
pub struct Request {
    /// Its id.
    pub id: Uuid,
    /// Who asked.
    pub by: Signatory,
    /// Why.
    pub reason: String,
    /// When, by the server's wall clock.
    pub at: Timestamp,
    /// The same moment by the clock that durations are measured with; none where the server started later.
    pub asked: Option<Instant>,
    /// The envelope.
    pub envelope: Value,
    /// Its entry's digest.
    pub digest: Sha256Digest,
    /// Its entry's index, once it is logged.
    pub entry: Option<u64>,
}

impl Live {
    /// Milliseconds since the agent was heard of.
    pub fn heard_ago_ms(&self) -> u64 {
        u64::try_from(self.heard.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Whether it runs.
    pub fn standing(&self) -> Standing {
        standing(self.state.as_deref(), self.heard_ago_ms())
    }

    /// What a request would meet.
    pub fn way(&self) -> CancelWay {
        cancel_way(self.state.as_deref(), self.standing(), self.request.is_some())
    }

    fn is_over(&self) -> bool {
        let silent = self.heard.elapsed();
        match self.standing() {
            Standing::Running => false,
            Standing::Vanished => silent > KEEP_VANISHED,
            Standing::Ended => silent > KEEP_ENDED,
        }
    }
}

/// Why an agent may not tell of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// Another agent tells of it.
    #[error("another agent tells of this run")]
    OtherAgent,
    /// The agent tells of too many.
    #[error("this agent tells of {MAX_BUILDS_OF_AGENT} builds already")]
    TooManyOfAgent,
    /// All agents together do.
    #[error("{MAX_BUILDS} builds are watched already")]
    TooMany,
}

/// The hub.
pub struct Hub {
    builds: Mutex<HashMap<Uuid, watch::Sender<Live>>>,
    closed: watch::Sender<bool>,
    /// Agents that are connected.
    channels: AtomicUsize,
    /// Tells this process from the one before: revisions begin again.
    epoch: u32,
}

impl Default for Hub {
    fn default() -> Self {
        let epoch = Uuid::now_v7().as_u128() as u32;
        Self {
            builds: Mutex::default(),
            closed: watch::Sender::new(false),
            channels: AtomicUsize::new(0),
            epoch,
        }
    }
}

impl Hub {
    /// An agent's connection begins to tell of a build.
    pub fn open(self: &Arc<Self>, agent: &str, build: LiveBuild) -> Result<Connection, OpenError> {
        let mut builds = self.builds();
        builds.retain(|_, live| !live.borrow().is_over());
        let run = build.run;
        let number = match builds.get(&run) {
            Some(live) if live.borrow().agent != agent => return Err(OpenError::OtherAgent),
            Some(live) => {
                live.send_modify(|live| {
                    live.connection += 1;
                    live.heard = Instant::now();
                    live.revision += 1;
                });
                live.borrow().connection
            }
            None => {
                let own = |live: &Live| live.agent == agent;
                let of_agent = builds.values().filter(|live| own(&live.borrow())).count();
                if of_agent >= MAX_BUILDS_OF_AGENT && !drop_ended(&mut builds, own) {
                    return Err(OpenError::TooManyOfAgent);
                }
                if builds.len() >= MAX_BUILDS && !drop_ended(&mut builds, |_| true) {
                    return Err(OpenError::TooMany);
                }
                let live = Live {
                    build,
                    agent: agent.to_owned(),
                    state: None,
                    heard: Instant::now(),
                    revision: 1,
                    request: None,
                    usual: Arc::default(),
                    connection: 1,
                };
                builds.insert(run, watch::Sender::new(live));
                1
            }
        };
        drop(builds);
        self.channels.fetch_add(1, Ordering::Relaxed);
        Ok(Connection { hub: Arc::clone(self), run, number })
    }

    /// The builds, the newest first.
    pub fn list(&self) -> Vec<Live> {
        let mut all: Vec<Live> =
            self.builds().values().map(|live| live.borrow().clone()).filter(|live| !live.is_over()).collect();
        all.sort_by_key(|live| std::cmp::Reverse((live.build.started_at, live.build.run)));
        all
    }

    /// One build.
    pub fn find(&self, run: Uuid) -> Option<Live> {
        self.builds().get(&run).map(|live| live.borrow().clone()).filter(|live| !live.is_over())
    }

    /// Follows one build.
    pub fn watch(&self, run: Uuid) -> Option<watch::Receiver<Live>> {
        self.builds().get(&run).map(watch::Sender::subscribe)
    }

    /// The name of a state, by which a viewer says what it has seen.
    pub fn event_id(&self, live: &Live) -> String {
        format!("{:08x}.{}", self.epoch, live.revision)
    }

    /// Takes a request and wakes the agent's connection; false if there is one already.
    pub fn ask(&self, run: Uuid, request: Request) -> bool {
        let mut taken = false;
        self.change(run, |live| {
            taken = live.request.is_none();
            if taken {
                live.request = Some(Arc::new(request));
            }
        });
        taken
    }

    /// Notes where a request stands in the log.
    pub fn logged(&self, run: Uuid, request: Uuid, entry: u64) {
        self.change(run, |live| {
            if let Some(held) = live.request.as_ref().filter(|held| held.id == request) {
                live.request = Some(Arc::new(Request { entry: Some(entry), ..(**held).clone() }));
            }
        });
    }

    /// Ends every connection and every stream, so that the server can stop.
    pub fn close(&self) {
        self.closed.send_replace(true);
    }

    /// Whether it is closed: the server stops.
    pub fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// How many builds are kept of each standing.
    pub fn count(&self) -> [(&'static str, usize); 3] {
        let standings: Vec<Standing> = self.builds().values().map(|live| live.borrow().standing()).collect();
        [("running", Standing::Running), ("ended", Standing::Ended), ("vanished", Standing::Vanished)]
            .map(|(name, standing)| (name, standings.iter().filter(|found| **found == standing).count()))
    }

    /// How many agents are connected, and how many channels and streams follow a build.
    pub fn connections(&self) -> (usize, usize) {
        let followers = self.builds().values().map(watch::Sender::receiver_count).sum();
        (self.channels.load(Ordering::Relaxed), followers)
    }

    /// Resolves when the hub is closed.
    pub async fn closing(&self) {
        // The sender lives as long as the hub.
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }

    fn change(&self, run: Uuid, change: impl FnOnce(&mut Live)) {
        if let Some(live) = self.builds().get(&run) {
            live.send_modify(|live| {
                change(live);
                live.revision += 1;
            });
        }
    }

    fn builds(&self) -> MutexGuard<'_, HashMap<Uuid, watch::Sender<Live>>> {
        self.builds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room: the build that ended first is shown no longer. False if none of these has ended.
fn drop_ended(builds: &mut HashMap<Uuid, watch::Sender<Live>>, of: impl Fn(&Live) -> bool) -> bool {
    let ended = builds.iter().filter_map(|(run, live)| {
        let live = live.borrow();
        (live.standing() == Standing::Ended && of(&live)).then_some((live.heard, *run))
    });
    let first = ended.min();
    first.is_some_and(|(_, run)| builds.remove(&run).is_some())
}

/// An agent's connection for one build.
pub struct Connection {
    hub: Arc<Hub>,
    run: Uuid,
    number: u64,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.hub.channels.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    /// The run.
    pub fn run(&self) -> Uuid {
        self.run
    }

    /// Follows the build, to learn of a request.
    pub fn watch(&self) -> Option<watch::Receiver<Live>> {
        self.hub.watch(self.run)
    }

    /// Whether this is still the connection that speaks.
    pub fn speaks(&self, live: &Live) -> bool {
        live.connection == self.number
    }

    /// Takes what the agent says.
    pub fn heard(&self, state: LiveState) {
        self.hub.change(self.run, |live| {
            if live.connection == self.number {
                live.state = Some(Arc::new(state));
                live.heard = Instant::now();
            }
        });
    }
}

#[cfg(test)]
mod tests;
