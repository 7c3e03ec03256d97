//! The log: one pass over its entries, from which everything else is computed again and compared.

use std::collections::BTreeMap;

use acta_ledger::{
    judge::{
        anchor::{Standing, standing},
        custody::Custody,
        keyring::Keyring,
    },
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        merkle::{Frontier, leaf_hash},
        statement::Statement,
        tile::{TILE_WIDTH, TileId, full_root},
        tree_head::TreeHead,
        verification::Trust,
    },
};
use sqlx::SqlitePool;

use super::{Finding, named};
use crate::{
    anchor,
    backup::Manifest,
    config::DataConfig,
    db::Connection,
    keyring,
    log::store::{self, StoredEntry},
};

/// Entries that are read at once.
const CHUNK: u64 = 512;

/// What the log holds, by its bytes.
#[derive(Debug, Default)]
pub struct LogFacts {
    /// How many entries.
    pub size: u64,
    /// The root over their bytes.
    pub root: Option<Sha256Digest>,
    /// The newest tree head's note.
    pub note: Option<String>,
    /// The roots at the sizes for which a tree head is stored.
    roots: BTreeMap<u64, Sha256Digest>,
    /// Which blobs must be there.
    pub custody: Custody,
    /// Whose keys sign, by all that is logged; none where no key is trusted.
    pub keyring: Option<Keyring>,
    /// Damaged or missing entries, unreadable statements.
    pub entries: Vec<String>,
    /// Tiles that are missing or differ.
    pub tiles: Vec<String>,
    /// Tree heads that do not fit.
    pub heads: Vec<String>,
    /// The log's state row, where it does not fit.
    pub state: Vec<String>,
}

impl LogFacts {
    /// Whether everything fits.
    pub fn is_sound(&self) -> bool {
        [&self.entries, &self.tiles, &self.heads, &self.state].iter().all(|wrong| wrong.is_empty())
    }

    /// Everything that does not.
    pub fn wrong(&self) -> String {
        named(&[&self.entries[..], &self.tiles, &self.heads, &self.state].concat())
    }
}

pub(super) async fn check(
    pool: &SqlitePool,
    trust: Option<&Trust>,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<(LogFacts, Vec<Finding>)> {
    let facts = walk(pool, trust, progress).await?;
    let from_backup = "stop the server, keep the file aside, restore the newest backup";
    let mut findings = Vec::new();
    let mut add = |check, wrong: &[String], fine: String, advice: &str| {
        findings.push(match wrong.is_empty() {
            true => Finding::ok(check, fine),
            false => Finding::wrong(check, named(wrong), advice),
        });
    };
    let root = facts.root.map_or_else(String::new, |root| format!(", root {root}"));
    add("entries", &facts.entries, format!("{} entries have their hashes{root}", facts.size), from_backup);
    add("state", &facts.state, "size and frontier fit the entries".to_owned(), from_backup);
    let heads = facts.roots.len();
    let said = match trust {
        Some(_) => format!("{heads} tree heads are signed by the log's key and fit the entries"),
        None => {
            format!("{heads} tree heads fit the entries; without a key their signatures were not checked")
        }
    };
    add("tree heads", &facts.heads, said, from_backup);
    let tiles = "stop the server and run acta-server rebuild, which stores missing tiles again; where one differs, restore \
                 the newest backup";
    add("tiles", &facts.tiles, "every full tile fits the entries".to_owned(), tiles);
    Ok((facts, findings))
}

/// Goes through the log as it is at one moment, while others may append.
pub async fn walk(
    pool: &SqlitePool,
    trust: Option<&Trust>,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<LogFacts> {
    let mut moment = pool.begin().await?;
    let keyring = trust.cloned().map(keyring::empty);
    let mut facts = LogFacts { keyring, ..LogFacts::default() };
    let stored = store::frontier(&mut *moment).await;
    let size = store::size(&mut *moment).await?;
    let heads = store::heads(&mut *moment).await?;
    let mut walk = Walk { frontier: Frontier::default(), levels: Vec::new(), facts: &mut facts };
    let mut heads_at: BTreeMap<u64, String> = heads.into_iter().collect();
    walk.head(heads_at.remove(&0));
    while walk.frontier.size() < size {
        let from = walk.frontier.size();
        let rows = store::entries(&mut *moment, from, CHUNK.min(size - from)).await?;
        for (expected, row) in (from..size.min(from + CHUNK)).zip(align(rows, from)) {
            walk.entry(&mut moment, expected, row.as_ref()).await?;
            walk.head(heads_at.remove(&(expected + 1)));
        }
        progress("entries", walk.frontier.size(), size);
    }
    let frontier = walk.frontier;
    for beyond in heads_at.keys() {
        facts.heads.push(format!("a tree head of size {beyond} is stored, the log holds {size} entries"));
    }
    match stored {
        Ok(stored) if stored == frontier => {}
        Ok(_) => facts.state.push(format!("the stored frontier differs from the one over {size} entries")),
        Err(error) => facts.state.push(error.to_string()),
    }
    let extra = store::count(&mut *moment).await?.saturating_sub(size);
    if extra > 0 {
        facts.state.push(format!("{extra} entries more are stored than the log's size of {size} says"));
    }
    (facts.size, facts.root) = (size, Some(frontier.root()));
    moment.rollback().await?;
    Ok(facts)
}

/// The rows at their indexes: a missing one leaves a gap.
fn align(rows: Vec<StoredEntry>, from: u64) -> impl Iterator<Item = Option<StoredEntry>> {
    let mut rows = rows.into_iter().peekable();
    (from..).map(move |index| rows.next_if(|row| row.index == index))
}

struct Walk<'a> {
    frontier: Frontier,
    /// At each level the hashes of the tile that is not full yet.
    levels: Vec<Vec<Sha256Digest>>,
    facts: &'a mut LogFacts,
}

impl Walk<'_> {
    async fn entry(
        &mut self,
        connection: &mut Connection,
        index: u64,
        row: Option<&StoredEntry>,
    ) -> anyhow::Result<()> {
        // The tree is made with what is stored as the leaf's hash, so that one damaged entry is one finding.
        let leaf = match row {
            None => {
                self.facts.entries.push(format!("entry {index} is missing"));
                Sha256Digest([0; 32])
            }
            Some(row) => {
                self.record(index, row);
                row.leaf_hash
            }
        };
        self.frontier.append(leaf);
        self.tile(connection, 0, leaf).await
    }

    fn record(&mut self, index: u64, row: &StoredEntry) {
        if Sha256Digest::of(&row.record) != row.digest {
            let said = format!("entry {index}: its bytes do not have the digest under which it was stored");
            self.facts.entries.push(said);
        }
        if leaf_hash(&row.record) != row.leaf_hash {
            self.facts.entries.push(format!("entry {index}: its leaf hash is not the hash of its bytes"));
        }
        if let Err(error) = self.statement(index, &row.record) {
            self.facts.entries.push(format!("entry {index}: its statement cannot be read: {error:#}"));
        }
    }

    fn statement(&mut self, index: u64, record: &[u8]) -> anyhow::Result<()> {
        let envelope = Envelope::parse(record)?;
        let statement = Statement::from_envelope(&envelope)?;
        self.facts.custody.apply(index, &statement)?;
        if let Some(keyring) = &mut self.facts.keyring {
            keyring.apply(index, &envelope, &statement)?;
        }
        Ok(())
    }

    /// Adds a hash to its level; a tile that is full now must be stored like this.
    async fn tile(
        &mut self,
        connection: &mut Connection,
        level: u8,
        hash: Sha256Digest,
    ) -> anyhow::Result<()> {
        let mut next = Some((level, hash));
        while let Some((level, hash)) = next.take() {
            let at = usize::from(level);
            if self.levels.len() == at {
                self.levels.push(Vec::new());
            }
            self.levels[at].push(hash);
            if self.levels[at].len() as u64 == TILE_WIDTH {
                let hashes = std::mem::take(&mut self.levels[at]);
                let index = (self.frontier.size() >> (8 * (u32::from(level) + 1))) - 1;
                let tile = TileId { level, index };
                let Some(root) = full_root(&hashes) else { break };
                match store::full_tile(&mut *connection, tile).await {
                    Ok(Some(stored)) if stored == (hashes, root) => {}
                    Ok(Some(_)) => self.facts.tiles.push(format!("tile {level}/{index} differs")),
                    Ok(None) => self.facts.tiles.push(format!("tile {level}/{index} is missing")),
                    Err(error) => self.facts.tiles.push(format!("tile {level}/{index}: {error}")),
                }
                next = Some((level + 1, root));
            }
        }
        Ok(())
    }

    /// Compares a stored tree head with the tree so far.
    fn head(&mut self, note: Option<String>) {
        let Some(note) = note else { return };
        let (size, root) = (self.frontier.size(), self.frontier.root());
        let read = match &self.facts.keyring {
            Some(keyring) => keyring.log().open(&note),
            None => TreeHead::parse(note.split("\n\n").next().unwrap_or_default()),
        };
        match read {
            Ok(head) if (head.size, head.root) == (size, root) => {}
            Ok(head) => self.facts.heads.push(format!(
                "the tree head of size {size} says size {} and root {}, the entries have root {root}",
                head.size, head.root
            )),
            Err(error) => self.facts.heads.push(format!("the tree head of size {size}: {error}")),
        }
        self.facts.roots.insert(size, root);
        self.facts.note = Some(note);
    }
}

/// Compares the log with the newest tree head that went out.
pub(super) fn check_anchor(data: &DataConfig, keyring: &Keyring, facts: &LogFacts) -> Finding {
    let path = data.anchor();
    let anchored = match anchor::read(&path, keyring.log()) {
        Ok(Some(anchored)) => anchored,
        Ok(None) if matches!(Manifest::read(&data.data_dir), Ok(Some(_))) => {
            let said = "a backup has none: put the lost server's anchor beside it, or name it with --anchor, and a copy that \
                        is behind it is found";
            return Finding::note("anchor", said);
        }
        Ok(None) => {
            return Finding::wrong(
                "anchor",
                format!(
                    "there is no anchor {}: whether this is the newest copy cannot be known",
                    path.display()
                ),
                "put the anchor of the lost server there, or name it with --anchor",
            );
        }
        Err(error) => {
            return Finding::wrong("anchor", format!("{error:#}"), "put the right anchor there");
        }
    };
    let root =
        || facts.roots.get(&anchored.head.size).copied().ok_or("no tree head of the anchor's size is stored");
    match standing(&anchored.head, facts.size, |_| root()) {
        Ok(standing @ Standing::Continues { .. }) => Finding::ok("anchor", standing.to_string()),
        Ok(standing) => Finding::wrong(
            "anchor",
            standing.to_string(),
            "this copy may be read, and nothing may be signed on it; put the newest database back, or begin a new log",
        ),
        Err(error) => {
            Finding::wrong("anchor", error, "the database is another log's: put the newest one back")
        }
    }
}
