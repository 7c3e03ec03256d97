//! The one task that writes the log: sign and commit a group, anchor it, then answer.

use std::{path::PathBuf, sync::Arc, time::Instant};

use acta_ledger::{
    evidence::build::BuildSummary,
    judge::keyring::Keyring,
    log::{digest::Sha256Digest, entry::Entry, key::KeyId, statement::Statement},
};
use sqlx::Connection as _;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
};

use super::{
    SignedHead, batch,
    recovery::{Recovered, recover, sign},
    store,
};
use crate::{clock, db::Database, keys::Keys, metrics::LogMetrics, projection::Conflict};

/// Requests that may wait before a further one is turned away.
const QUEUE: usize = 1024;

/// Entries that share one transaction at most.
const BATCH: usize = 256;

/// An entry whose signature, statement and blobs have been checked.
pub struct Candidate {
    /// The entry.
    pub entry: Entry,
    /// What the projections need to know of it.
    pub statement: Statement,
    /// The same of a build's summary, where it was read when it was checked: reading it takes longer than its rows.
    pub summary: Option<Arc<BuildSummary>>,
    /// An agent's name, or `portal`.
    pub signer: String,
    /// The agent's key that signed; none where the portal did.
    pub key: Option<KeyId>,
}

impl Candidate {
    /// Something that the portal says.
    pub fn by_portal(entry: Entry, statement: Statement) -> Self {
        Self { entry, statement, summary: None, signer: "portal".to_owned(), key: None }
    }
}

/// Where an entry stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Its index.
    pub index: u64,
    /// Its digest.
    pub digest: Sha256Digest,
    /// Its leaf hash.
    pub leaf_hash: Sha256Digest,
    /// Whether it was appended just now; otherwise it had been there.
    pub created: bool,
    /// Its inclusion proof under the tree head that was signed for it; none where it had been there.
    pub inclusion: Option<Vec<Sha256Digest>>,
}

/// An acknowledged request.
#[derive(Debug, Clone)]
pub struct Appended {
    /// A place for each entry, in the order they were offered.
    pub places: Vec<Place>,
    /// A tree head that covers them all.
    pub head: SignedHead,
}

/// Why nothing was appended.
#[derive(Debug, thiserror::Error)]
pub enum AppendError {
    /// Too many requests wait.
    #[error("too many requests wait for the log")]
    Busy,
    /// The entry contradicts one that is logged.
    #[error("entry {position} of the request: {conflict}")]
    Conflict {
        /// Which of the offered entries, counted from 0.
        position: usize,
        /// What it contradicts.
        conflict: Conflict,
    },
    /// The disk is full; nothing was stored.
    #[error("the disk is full")]
    DiskFull,
    /// A write failed in a way that leaves open whether it took place. Offering the same entry again is safe.
    #[error("a write failed; whether the entry is logged is not known")]
    OutcomeUnknown,
    /// An earlier write failed and the log cannot be read back yet; nothing was stored.
    #[error("the log cannot be written now")]
    Unwritable,
    /// The writer has stopped.
    #[error("the log's writer has stopped")]
    Stopped,
}

impl AppendError {
    /// Which of them it is, in a word for whoever counts.
    fn outcome(&self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Conflict { .. } => "conflict",
            Self::DiskFull => "disk_full",
            Self::OutcomeUnknown => "unknown",
            Self::Unwritable => "unwritable",
            Self::Stopped => "stopped",
        }
    }
}

pub(super) struct Request {
    pub(super) candidates: Vec<Candidate>,
    reply: oneshot::Sender<Result<Appended, AppendError>>,
}

/// The way to the writer.
#[derive(Clone)]
pub struct LogWriter {
    requests: mpsc::Sender<Request>,
    head: watch::Receiver<SignedHead>,
    metrics: Arc<LogMetrics>,
    keyring: watch::Receiver<Arc<Keyring>>,
}

impl LogWriter {
    /// Brings log, tree head and anchor into step and starts the writer.
    pub async fn start(
        database: &Database,
        keys: Arc<Keys>,
        anchor: PathBuf,
        metrics: Arc<LogMetrics>,
    ) -> anyhow::Result<(Self, JoinHandle<()>)> {
        let (sender, requests) = mpsc::channel(QUEUE);
        let log = recover(database, &keys, &anchor).await?;
        let (head_sender, head) = watch::channel(log.head.clone());
        let (keyring_sender, keyring) = watch::channel(Arc::clone(&log.keyring));
        let task = Task {
            database: database.clone(),
            keys,
            path: anchor,
            log,
            doubtful: false,
            head: head_sender,
            keyring: keyring_sender,
            requests,
            metrics: Arc::clone(&metrics),
        };
        Ok((Self { requests: sender, head, metrics, keyring }, tokio::spawn(task.run())))
    }

    /// Appends the entries, all or none, and waits until a signed tree head covers them.
    pub async fn append(&self, candidates: Vec<Candidate>) -> Result<Appended, AppendError> {
        let answer = self.offer(candidates).await;
        match &answer {
            Ok(appended) => {
                let created = appended.places.iter().filter(|place| place.created).count();
                self.metrics.appended("created", created as u64);
                self.metrics.appended("known", (appended.places.len() - created) as u64);
            }
            Err(error) => self.metrics.appended(error.outcome(), 1),
        }
        answer
    }

    /// Follows the tree heads; closed once the writer has stopped.
    pub fn heads(&self) -> watch::Receiver<SignedHead> {
        self.head.clone()
    }

    /// How many requests wait for the writer, and how many may.
    pub fn queue(&self) -> (usize, usize) {
        (QUEUE - self.requests.capacity(), QUEUE)
    }

    /// Whether the writer has stopped: nothing can be appended any more.
    pub fn is_stopped(&self) -> bool {
        self.requests.is_closed()
    }

    async fn offer(&self, candidates: Vec<Candidate>) -> Result<Appended, AppendError> {
        let (reply, answer) = oneshot::channel();
        self.requests.try_send(Request { candidates, reply }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => AppendError::Busy,
            mpsc::error::TrySendError::Closed(_) => AppendError::Stopped,
        })?;
        answer.await.unwrap_or(Err(AppendError::OutcomeUnknown))
    }

    /// The newest signed tree head.
    pub fn head(&self) -> SignedHead {
        self.head.borrow().clone()
    }

    /// Whose keys sign, by all that is logged.
    pub fn keyring(&self) -> Arc<Keyring> {
        self.keyring.borrow().clone()
    }
}

struct Task {
    database: Database,
    keys: Arc<Keys>,
    /// Where the anchor lies.
    path: PathBuf,
    log: Recovered,
    /// A write failed, and the log could not be read back yet.
    doubtful: bool,
    head: watch::Sender<SignedHead>,
    keyring: watch::Sender<Arc<Keyring>>,
    requests: mpsc::Receiver<Request>,
    metrics: Arc<LogMetrics>,
}

impl Task {
    async fn run(mut self) {
        while let Some(first) = self.requests.recv().await {
            let batch = self.gather(first);
            if self.doubtful && !self.reopen().await {
                refuse(batch, || AppendError::Unwritable);
                continue;
            }
            let (entries, began) = (batch.iter().map(|it| it.candidates.len()).sum(), Instant::now());
            match self.write(&batch).await {
                Ok(outcomes) => {
                    self.metrics.committed(entries, began.elapsed());
                    let head = self.head.borrow().clone();
                    for (request, outcome) in batch.into_iter().zip(outcomes) {
                        let answer = outcome.map(|places| Appended { places, head: head.clone() });
                        let _ = request.reply.send(answer);
                    }
                }
                Err(error) => {
                    self.metrics.failed();
                    let cause = format!("{error:#}");
                    tracing::error!(cause, "a write to the log failed; it is read back before anything else");
                    match is_disk_full(&error) {
                        true => refuse(batch, || AppendError::DiskFull),
                        false => refuse(batch, || AppendError::OutcomeUnknown),
                    }
                    self.doubtful = true;
                    self.reopen().await;
                }
            }
        }
        // Folds the write-ahead log into the file.
        let _ = self.log.connection.close().await;
    }

    /// A batch: the request, and those that wait behind it. It waits for no further one: those are checked while
    /// this one is committed.
    fn gather(&mut self, first: Request) -> Vec<Request> {
        let mut waiting = first.candidates.len();
        let mut batch = vec![first];
        while waiting < BATCH
            && let Ok(next) = self.requests.try_recv()
        {
            waiting += next.candidates.len();
            batch.push(next);
        }
        batch
    }

    /// A failed commit is neither done nor undone. Only the file, opened anew, says which; until it does, nothing is
    /// written, and every request that comes tries again, so that no restart is needed once the disk is well.
    async fn reopen(&mut self) -> bool {
        match recover(&self.database, &self.keys, &self.path).await {
            Ok(log) => {
                self.keyring.send_replace(Arc::clone(&log.keyring));
                self.head.send_replace(log.head.clone());
                self.log = log;
                self.doubtful = false;
                tracing::info!(
                    log.size = self.log.frontier.size(),
                    "the log was read back and is written again"
                );
            }
            Err(error) => {
                let cause = format!("{error:#}");
                tracing::error!(cause, "the log cannot be read back; nothing is written until it can");
            }
        }
        !self.doubtful
    }

    /// Commits the batch, anchors its tree head and shows it.
    async fn write(&mut self, batch: &[Request]) -> anyhow::Result<Vec<batch::Outcome>> {
        let log = &mut self.log;
        let mut tree = batch::Tree {
            frontier: log.frontier.clone(),
            edge: log.edge.clone(),
            keyring: Arc::clone(&log.keyring),
            logged_at: log.logged_at.max(clock::now().unix_ms()),
        };
        let mut transaction = log.connection.begin_with("begin immediate").await?;
        let mut outcomes = batch::append(&mut transaction, &mut tree, batch).await?;
        if tree.frontier.size() == log.frontier.size() {
            transaction.rollback().await?;
            return Ok(outcomes);
        }
        store::set_frontier(&mut transaction, &tree.frontier).await?;
        let head = sign(&mut transaction, &self.keys, &tree.keyring, &tree.frontier).await?;
        transaction.commit().await?;
        log.anchor.advance(&head.note).await?;
        batch::prove(&tree.edge, &mut outcomes);
        tree.edge.trim();
        (log.frontier, log.edge, log.logged_at) = (tree.frontier, tree.edge, tree.logged_at);
        if !Arc::ptr_eq(&log.keyring, &tree.keyring) {
            log.keyring = tree.keyring;
            self.keyring.send_replace(Arc::clone(&log.keyring));
        }
        self.head.send_replace(head);
        Ok(outcomes)
    }
}

fn refuse(batch: Vec<Request>, why: impl Fn() -> AppendError) {
    for request in batch {
        let _ = request.reply.send(Err(why()));
    }
}

fn is_disk_full(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<sqlx::Error>()).any(
        |error| matches!(error, sqlx::Error::Database(database) if database.code().as_deref() == Some("13")),
    )
}
