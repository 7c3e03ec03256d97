//! Bringing log, tree head and anchor into step: at the start, and after a write that failed.
//!
//! | where it stopped | what is found | what is done |
//! |---|---|---|
//! | before the commit | log, tree head and anchor of the batch before | nothing |
//! | inside the commit | the batch whole, or not at all | as before or as after it |
//! | after the commit | log and tree head ahead of the anchor | the anchor is written; then the tree head may go out |
//! | inside the anchor's write | the same, one slot spoilt | the same |
//! | in the anchor's sync, which failed | all in step, though the anchor may be in memory alone | it is written and synced again; then the tree head may go out |
//! | after the anchor | all in step | the same, as nobody can tell; a client that got no answer asks again and gets the same index |

use std::{cmp::Ordering, path::Path, sync::Arc};

use acta_ledger::{
    judge::{anchor::standing, keyring::Keyring, log_key::LogKeys},
    log::{edge::Edge, merkle::Frontier, tree_head::TreeHead},
};
use anyhow::{Context as _, bail, ensure};

use super::{SignedHead, reader::LogReader, store, tiles};
use crate::{
    anchor::{self, Anchor},
    clock,
    db::{Connection, Database},
    keyring,
    keys::Keys,
};

/// A log that may be written on.
pub(super) struct Recovered {
    pub(super) connection: Connection,
    pub(super) frontier: Frontier,
    pub(super) edge: Edge,
    /// Whose keys sign, by all that is logged.
    pub(super) keyring: Arc<Keyring>,
    /// When the newest entry was logged: no later one may say that it was earlier.
    pub(super) logged_at: i64,
    pub(super) head: SignedHead,
    pub(super) anchor: Anchor,
}

/// Opens the log for writing. What is stored decides: a tree that was committed and not signed is signed now; a log that
/// does not continue what its newest tree head and the anchor say is refused.
pub(super) async fn recover(database: &Database, keys: &Keys, path: &Path) -> anyhow::Result<Recovered> {
    let mut connection = database.connect().await.context("cannot open the database for the log's writer")?;
    let frontier = store::frontier(&mut connection).await.context("cannot read the log's state")?;
    let keyring = Arc::new(keyring::load(&mut connection, keys).await?);
    let stored = stored_head(&mut connection, keyring.log(), &frontier).await?;
    let anchored = anchor::read(path, keyring.log())?;
    if let Some(anchored) = &anchored {
        let size = anchored.head.size;
        // Where nothing came after it, the frontier says the root; a damaged tile is then an audit's to find, not a fork.
        let root = match size.cmp(&frontier.size()) {
            Ordering::Less => LogReader::new(database.read.clone()).root(size).await,
            Ordering::Equal => Ok(frontier.root()),
            Ordering::Greater => Err(sqlx::Error::RowNotFound),
        };
        let standing = standing(&anchored.head, frontier.size(), |_| {
            root.context("cannot compute the log's root at the anchor")
        })?;
        ensure!(
            standing.may_sign(),
            "{standing}. Nothing may be signed on this log: whoever saw the anchored tree head (it is in {}) would see a \
             second tree. Put the newest database back, or begin a new log (another --origin and data folder)",
            path.display()
        );
    }
    let head = match stored {
        Some(head) => head,
        None => sign(&mut connection, keys, &keyring, &frontier).await?,
    };
    let anchor = match anchored {
        // Also where it says so already: what was read may have come from memory, and the sync of it have failed.
        Some(found) => {
            let anchor = Anchor::open(path, &found)?;
            anchor.advance(&head.note).await?;
            anchor
        }
        None => {
            if head.head.size > 0 {
                tracing::warn!(
                    log.size = head.head.size,
                    anchor.path = %path.display(),
                    "there was no anchor: whether this log is the newest copy of itself cannot be known; made one from it"
                );
            }
            Anchor::make(path, &head.note)?
        }
    };
    let edge =
        tiles::edge(&mut connection, frontier.size()).await.context("cannot read the log's newest tiles")?;
    let logged_at = store::last_logged_at(&mut connection).await?;
    Ok(Recovered { connection, frontier, edge, keyring, logged_at, head, anchor })
}

/// The stored tree head of the log's size; none where it has to be signed yet.
async fn stored_head(
    connection: &mut Connection,
    log: &LogKeys,
    frontier: &Frontier,
) -> anyhow::Result<Option<SignedHead>> {
    let Some((size, note, signed_at)) = store::newest_head(&mut *connection).await? else { return Ok(None) };
    let head = log
        .open(&note)
        .with_context(|| format!("the stored tree head of size {size} is not by this server's log key"))?;
    if head.size > frontier.size() {
        bail!(
            "a tree head of size {} was signed, but the log holds only {} entries: the database is an old or damaged \
             copy. Nothing may be signed on it",
            head.size,
            frontier.size()
        );
    }
    if head.size < frontier.size() {
        return Ok(None);
    }
    ensure!(
        head.root == frontier.root(),
        "the log's root at size {size} differs from the signed one: the database is damaged"
    );
    Ok(Some(SignedHead { head, note, signed_at }))
}

/// Signs the tree and stores the tree head. It promises nothing to anybody before the anchor holds it.
pub(super) async fn sign(
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
