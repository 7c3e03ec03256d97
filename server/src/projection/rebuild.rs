//! Rebuilding: every entry is checked and applied again; whatever does not fit is named by its index.

use acta_ledger::{
    judge::keyring::{Keyring, SignedBy},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        edge::Edge,
        merkle::{Frontier, leaf_hash},
        statement::Statement,
        tile::TileId,
        verification::Trust,
    },
};
use anyhow::{Context as _, bail, ensure};
use sqlx::{AssertSqlSafe, Connection as _, query, query_scalar};

use super::{Logged, Projector, TABLES, upgrade};
use crate::{
    db::{Connection, Database},
    keyring,
    log::{
        store::{self, StoredEntry},
        tiles,
    },
};

/// Entries whose rows are written together.
const GROUP: u64 = 64;

/// What a rebuild went through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rebuilt {
    /// Entries that were checked and applied.
    pub entries: u64,
    /// The root over them.
    pub root: Sha256Digest,
}

/// Checks every entry's bytes against its digest, its leaf hash, its signature and the signed root, and replays all of
/// them into emptied projections; full tiles that are missing are stored again. On any damage nothing is changed and the
/// error names the entry.
pub async fn rebuild(
    database: &Database,
    trust: &Trust,
    mut progress: impl FnMut(u64, u64),
) -> anyhow::Result<Rebuilt> {
    let mut connection = database.connect().await?;
    let mut transaction = connection.begin_with("begin immediate").await?;
    for table in TABLES {
        // The names are this program's own constants.
        query(AssertSqlSafe(format!("delete from {table}"))).execute(&mut *transaction).await?;
    }
    let size = store::size(&mut *transaction).await?;
    let mut replay = Replay::new(trust);
    while replay.frontier.size() < size {
        let from = replay.frontier.size();
        let rows = store::entries(&mut *transaction, from, store::CHUNK.min(size - from)).await?;
        ensure!(!rows.is_empty(), "entry {from} is missing");
        for row in &rows {
            replay.entry(&mut transaction, row).await?;
            progress(replay.frontier.size(), size);
        }
    }
    let Replay { frontier, keyring, projector, .. } = replay;
    projector.finish(&mut transaction).await?;
    check_head(&mut transaction, &keyring, &frontier).await?;
    upgrade::mark(&mut transaction).await?;
    transaction.commit().await?;
    connection.close().await?;
    Ok(Rebuilt { entries: size, root: frontier.root() })
}

/// The log as far as it was gone through.
struct Replay {
    frontier: Frontier,
    edge: Edge,
    keyring: Keyring,
    projector: Projector,
}

impl Replay {
    fn new(trust: &Trust) -> Self {
        let keyring = keyring::empty(trust.clone());
        let (frontier, edge, projector) = (Frontier::default(), Edge::default(), Projector::default());
        Self { frontier, edge, keyring, projector }
    }

    /// Checks the next entry and applies it.
    async fn entry(&mut self, connection: &mut Connection, row: &StoredEntry) -> anyhow::Result<()> {
        let index = self.frontier.size();
        check(index, row)?;
        self.append(connection, row.leaf_hash).await?;
        let (signer, statement) = read(&mut self.keyring, index, &row.record)
            .with_context(|| format!("entry {index} cannot be replayed"))?;
        let logged = Logged { index, signer: &signer, statement: &statement, summary: None };
        if let Err(conflict) = self.projector.apply(connection, &logged).await? {
            bail!("entry {index} cannot be replayed: {conflict}");
        }
        if self.frontier.size().is_multiple_of(GROUP) {
            std::mem::take(&mut self.projector).finish(connection).await?;
        }
        Ok(())
    }

    /// Lets the tree grow by a leaf; the tiles that are full with it must be stored like this, or are stored now.
    async fn append(&mut self, connection: &mut Connection, leaf: Sha256Digest) -> anyhow::Result<()> {
        self.frontier.append(leaf);
        for tile in self.edge.append(leaf) {
            let TileId { level, index } = tile.id;
            let fits = tiles::restore(connection, tile).await?;
            ensure!(fits, "tile {level}/{index} is damaged: its hashes are not those of the entries");
        }
        self.edge.trim();
        Ok(())
    }
}

/// Whether this is the entry at the index, and its bytes are what was logged.
fn check(index: u64, row: &StoredEntry) -> anyhow::Result<()> {
    ensure!(row.index == index, "entry {index} is missing");
    ensure!(
        Sha256Digest::of(&row.record) == row.digest,
        "entry {index} is damaged: its bytes do not have the digest under which it was stored"
    );
    ensure!(leaf_hash(&row.record) == row.leaf_hash, "entry {index} is damaged: its leaf hash is another");
    Ok(())
}

/// Verifies an entry by the keys that the log introduced before it, and takes what it says about keys.
fn read(keyring: &mut Keyring, index: u64, record: &[u8]) -> anyhow::Result<(String, Statement)> {
    let envelope = Envelope::parse(record)?;
    let (_, signer) = keyring.signer(index, &envelope)?;
    let signer = match signer {
        SignedBy::Portal => "portal".to_owned(),
        SignedBy::Agent(life) => life.agent.clone(),
    };
    let statement = Statement::from_envelope(&envelope)?;
    keyring.apply(index, &envelope, &statement)?;
    Ok((signer, statement))
}

async fn check_head(
    connection: &mut Connection,
    keyring: &Keyring,
    frontier: &Frontier,
) -> anyhow::Result<()> {
    let size = frontier.size() as i64;
    let note =
        query_scalar!("select note from tree_head where size = ?", size).fetch_optional(connection).await?;
    if let Some(note) = note {
        let head = keyring.log().open(&note)?;
        ensure!(
            head.root == frontier.root(),
            "the root over all {} entries is {}, but {} was signed",
            frontier.size(),
            frontier.root(),
            head.root
        );
    }
    Ok(())
}
