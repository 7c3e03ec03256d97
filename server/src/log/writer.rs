//! The one task that writes the log: group commit, then sign, then answer.

use std::{borrow::Cow, sync::Arc, time::Instant};

use acta_ledger::{
    evidence::{agent_key::AgentKey, log_key::LogKey},
    judge::keyring::Keyring,
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        entry::Entry,
        key::KeyId,
        merkle::Frontier,
        statement::{Predicate as _, Statement},
        tile::{TILE_WIDTH, TileId, full_root},
        tree_head::TreeHead,
    },
};
use anyhow::{Context as _, bail};
use sqlx::{Acquire as _, Connection as _};
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
};

use super::{SignedHead, store};
use crate::{
    clock,
    db::{Connection, Database},
    keyring,
    keys::Keys,
    metrics::LogMetrics,
    projection::{self, Conflict, Logged},
};

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
    /// An agent's name, or `portal`.
    pub signer: String,
    /// The agent's key that signed; none where the portal did.
    pub key: Option<KeyId>,
}

impl Candidate {
    /// Something that the portal says.
    pub fn by_portal(entry: Entry, statement: Statement) -> Self {
        Self { entry, statement, signer: "portal".to_owned(), key: None }
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
            Self::Stopped => "stopped",
        }
    }
}

struct Request {
    candidates: Vec<Candidate>,
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
    /// Brings log and tree head into step and starts the writer.
    pub async fn start(
        database: &Database,
        keys: Arc<Keys>,
        metrics: Arc<LogMetrics>,
    ) -> anyhow::Result<(Self, JoinHandle<()>)> {
        let (sender, requests) = mpsc::channel(QUEUE);
        let mut connection = database.connect().await?;
        let ring = Arc::new(keyring::load(&mut connection, &keys).await?);
        let (frontier, head) = recover(&mut connection, &keys, &ring).await?;
        let (head_sender, head) = watch::channel(head);
        let (keyring_sender, keyring) = watch::channel(ring);
        let task = Task {
            database: database.clone(),
            keys,
            connection,
            frontier,
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

/// What is stored decides: a tree that was committed and not signed is signed now, a tree head beyond the tree is fatal.
async fn recover(
    connection: &mut Connection,
    keys: &Keys,
    keyring: &Keyring,
) -> anyhow::Result<(Frontier, SignedHead)> {
    let frontier = store::frontier(&mut *connection).await.context("cannot read the log's state")?;
    let root = frontier.root();
    if let Some((size, note, signed_at)) = store::newest_head(&mut *connection).await? {
        let head = keyring.log().open(&note).with_context(|| {
            format!("the stored tree head of size {size} is not by this server's log key")
        })?;
        if head.size > frontier.size() {
            bail!(
                "a tree head of size {} was signed, but the log holds only {} entries: the database is an old or \
                 damaged copy. Nothing may be signed on it",
                head.size,
                frontier.size()
            );
        }
        if head.size == frontier.size() {
            if head.root != root {
                bail!("the log's root at size {size} differs from the signed one: the database is damaged");
            }
            return Ok((frontier, SignedHead { head, note, signed_at }));
        }
    }
    let head = sign(connection, keys, keyring, &frontier).await?;
    Ok((frontier, head))
}

async fn sign(
    connection: &mut Connection,
    keys: &Keys,
    keyring: &Keyring,
    frontier: &Frontier,
) -> anyhow::Result<SignedHead> {
    let head = TreeHead { origin: keys.origin.clone(), size: frontier.size(), root: frontier.root() };
    let note = head.sign_by(&keys.signers(keyring.log(), head.size)?)?.to_string();
    let signed_at = clock::now().unix_ms();
    store::insert_head(connection, head.size, &note, signed_at)
        .await
        .context("cannot store the tree head")?;
    Ok(SignedHead { head, note, signed_at })
}

struct Task {
    database: Database,
    keys: Arc<Keys>,
    connection: Connection,
    frontier: Frontier,
    head: watch::Sender<SignedHead>,
    keyring: watch::Sender<Arc<Keyring>>,
    requests: mpsc::Receiver<Request>,
    metrics: Arc<LogMetrics>,
}

type Results = Vec<Result<Vec<Place>, AppendError>>;

impl Task {
    async fn run(mut self) {
        while let Some(first) = self.requests.recv().await {
            let mut waiting = first.candidates.len();
            let mut batch = vec![first];
            while waiting < BATCH
                && let Ok(next) = self.requests.try_recv()
            {
                waiting += next.candidates.len();
                batch.push(next);
            }
            let began = Instant::now();
            let answers = self.commit_and_sign(&batch).await;
            match answers {
                Ok(results) => {
                    self.metrics.committed(waiting, began.elapsed());
                    let head = self.head.borrow().clone();
                    for (request, result) in batch.into_iter().zip(results) {
                        let _ =
                            request.reply.send(result.map(|places| Appended { places, head: head.clone() }));
                    }
                }
                Err(error) => {
                    self.metrics.failed();
                    tracing::error!(
                        cause = format!("{error:#}"),
                        "a write to the log failed; reading it back"
                    );
                    let full = is_disk_full(&error);
                    for request in batch {
                        let answer = if full { AppendError::DiskFull } else { AppendError::OutcomeUnknown };
                        let _ = request.reply.send(Err(answer));
                    }
                    // A failed commit is neither done nor undone. Only the file, opened anew, says which.
                    if let Err(error) = self.reopen().await {
                        tracing::error!(
                            cause = format!("{error:#}"),
                            "the log cannot be read back; the writer stops"
                        );
                        return;
                    }
                }
            }
        }
        // Folds the write-ahead log into the file.
        let _ = self.connection.close().await;
    }

    async fn reopen(&mut self) -> anyhow::Result<()> {
        let fresh = self.database.connect().await?;
        drop(std::mem::replace(&mut self.connection, fresh));
        let ring = keyring::load(&mut self.connection, &self.keys).await?;
        let (frontier, head) = recover(&mut self.connection, &self.keys, &ring).await?;
        self.keyring.send_replace(Arc::new(ring));
        self.frontier = frontier;
        self.head.send_replace(head);
        Ok(())
    }

    async fn commit_and_sign(&mut self, batch: &[Request]) -> anyhow::Result<Results> {
        let before = self.frontier.size();
        let (frontier, results) = self.commit(batch).await?;
        self.frontier = frontier;
        if self.frontier.size() > before {
            let keyring = self.keyring.borrow().clone();
            let head = sign(&mut self.connection, &self.keys, &keyring, &self.frontier).await?;
            self.head.send_replace(head);
        }
        Ok(results)
    }

    async fn commit(&mut self, batch: &[Request]) -> anyhow::Result<(Frontier, Results)> {
        let mut frontier = self.frontier.clone();
        let before = self.keyring.borrow().clone();
        let mut keyring = Cow::Borrowed(&*before);
        let mut results = Vec::with_capacity(batch.len());
        let mut transaction = self.connection.begin_with("begin immediate").await?;
        let logged_at = clock::now().unix_ms().max(store::last_logged_at(&mut *transaction).await?);
        for request in batch {
            // A request is all or nothing: a conflict takes back what it has written so far, and nothing else.
            let mut savepoint = transaction.begin().await?;
            let (mut grown, mut turned) = (frontier.clone(), keyring.clone());
            let appended =
                append_all(&mut savepoint, &mut grown, &mut turned, &request.candidates, logged_at);
            match appended.await? {
                Ok(places) => {
                    savepoint.commit().await?;
                    (frontier, keyring) = (grown, turned);
                    results.push(Ok(places));
                }
                Err(conflict) => {
                    savepoint.rollback().await?;
                    results.push(Err(conflict));
                }
            }
        }
        if frontier.size() > self.frontier.size() {
            store::set_frontier(&mut transaction, &frontier).await?;
        }
        transaction.commit().await?;
        if let Cow::Owned(turned) = keyring {
            self.keyring.send_replace(Arc::new(turned));
        }
        Ok((frontier, results))
    }
}

async fn append_all(
    connection: &mut Connection,
    frontier: &mut Frontier,
    keyring: &mut Cow<'_, Keyring>,
    candidates: &[Candidate],
    logged_at: i64,
) -> sqlx::Result<Result<Vec<Place>, AppendError>> {
    let mut places = Vec::with_capacity(candidates.len());
    for (position, candidate) in candidates.iter().enumerate() {
        let (digest, leaf_hash) = (candidate.entry.digest(), candidate.entry.leaf_hash());
        let known = store::index_of(&mut *connection, &digest).await?;
        let index = known.unwrap_or(frontier.size());
        if known.is_none() {
            if let Err(conflict) = check_key(keyring, index, candidate) {
                return Ok(Err(AppendError::Conflict { position, conflict }));
            }
            store::insert_entry(connection, index, &candidate.entry, logged_at).await?;
            frontier.append(leaf_hash);
            store_full_tiles(connection, frontier.size()).await?;
            let logged = Logged { index, signer: &candidate.signer, statement: &candidate.statement };
            if let Err(conflict) = projection::apply(connection, &logged).await? {
                return Ok(Err(AppendError::Conflict { position, conflict }));
            }
        }
        places.push(Place { index, digest, leaf_hash, created: known.is_none() });
    }
    Ok(Ok(places))
}

/// Whether the key may sign this very entry; what the entry says about keys counts from the next one on.
fn check_key(keyring: &mut Cow<'_, Keyring>, index: u64, candidate: &Candidate) -> Result<(), Conflict> {
    if let Some(key) = &candidate.key {
        keyring.may_sign(key, index)?;
    }
    if [AgentKey::TYPE, LogKey::TYPE].contains(&candidate.statement.predicate_type.as_str()) {
        let envelope = Envelope::parse(candidate.entry.bytes())
            .map_err(|error| Conflict::Unreadable(error.to_string()))?;
        keyring.to_mut().apply(index, &envelope, &candidate.statement)?;
    }
    Ok(())
}

/// Stores the tiles that became full with the newest leaf: one at each level whose last tile it completes.
async fn store_full_tiles(connection: &mut Connection, size: u64) -> sqlx::Result<()> {
    let mut nodes = size;
    let mut level = 0;
    while nodes.is_multiple_of(TILE_WIDTH) && nodes > 0 {
        let tile = TileId { level, index: nodes / TILE_WIDTH - 1 };
        let from = tile.index * TILE_WIDTH;
        let hashes = match level {
            0 => store::leaf_hashes(&mut *connection, from, TILE_WIDTH).await?,
            _ => store::tile_roots(&mut *connection, level - 1, from, TILE_WIDTH).await?,
        };
        let root = full_root(&hashes)
            .ok_or_else(|| sqlx::Error::Decode(format!("tile {tile:?} lacks hashes").into()))?;
        store::insert_tile(connection, tile, &hashes, &root).await?;
        nodes /= TILE_WIDTH;
        level += 1;
    }
    Ok(())
}

fn is_disk_full(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<sqlx::Error>()).any(
        |error| matches!(error, sqlx::Error::Database(database) if database.code().as_deref() == Some("13")),
    )
}
