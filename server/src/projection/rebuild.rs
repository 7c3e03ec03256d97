//! Rebuilding: every entry is checked and applied again; whatever does not fit is named by its index.

use acta_ledger::{
    judge::keyring::{Keyring, SignedBy},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        merkle::{Frontier, leaf_hash},
        statement::Statement,
        verification::Trust,
    },
};
use anyhow::{Context as _, bail, ensure};
use sqlx::{AssertSqlSafe, Connection as _, query, query_scalar};

use super::{Logged, Projector, TABLES, upgrade};
use crate::{db::Database, keyring, log::tiles};

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
    let size =
        query_scalar!("select size from log_state where id = 1").fetch_one(&mut *transaction).await? as u64;
    let mut projector = Projector::default();
    let (mut frontier, mut keyring) = (Frontier::default(), keyring::empty(trust.clone()));
    for index in 0..size {
        let row = {
            let index = index as i64;
            query!("select digest, leaf_hash, record from entry where idx = ?", index)
                .fetch_optional(&mut *transaction)
                .await?
                .with_context(|| format!("entry {index} is missing"))?
        };
        ensure!(
            Sha256Digest::of(&row.record).0[..] == row.digest[..],
            "entry {index} is damaged: its bytes do not have the digest under which it was stored"
        );
        let leaf = leaf_hash(&row.record);
        ensure!(leaf.0[..] == row.leaf_hash[..], "entry {index} is damaged: its leaf hash is another");
        frontier.append(leaf);
        if let Some(tile) = tiles::restore_full(&mut transaction, frontier.size()).await? {
            bail!("tile {}/{} is damaged: its hashes are not those of the entries", tile.level, tile.index);
        }
        let (signer, statement) = read(&mut keyring, index, &row.record)
            .with_context(|| format!("entry {index} cannot be replayed"))?;
        let logged = Logged { index, signer: &signer, statement: &statement, summary: None };
        if let Err(conflict) = projector.apply(&mut transaction, &logged).await? {
            bail!("entry {index} cannot be replayed: {conflict}");
        }
        if frontier.size().is_multiple_of(GROUP) {
            std::mem::take(&mut projector).finish(&mut transaction).await?;
        }
        progress(index + 1, size);
    }
    projector.finish(&mut transaction).await?;
    check_head(&mut transaction, &keyring, &frontier).await?;
    upgrade::mark(&mut transaction).await?;
    transaction.commit().await?;
    connection.close().await?;
    Ok(Rebuilt { entries: size, root: frontier.root() })
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
    connection: &mut crate::db::Connection,
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
