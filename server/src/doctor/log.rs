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
        edge::{Edge, FullTile},
        merkle::{Frontier, leaf_hash},
        statement::Statement,
        tile::TileId,
        verification::Trust,
    },
};
use sqlx::SqlitePool;

use super::{Finding, named};
use crate::{
    anchor::{self, Unopened},
    backup::Manifest,
    config::DataConfig,
    db::Connection,
    keyring,
    log::store::{self, StoredEntry},
};

/// What the log holds, by its bytes.
#[derive(Debug)]
pub struct LogFacts {
    /// How many entries.
    pub size: u64,
    /// The root over their bytes.
    pub root: Sha256Digest,
    /// The newest tree head's note.
    pub note: Option<String>,
    /// How many tree heads are stored for sizes that it has.
    stored_heads: u64,
    /// The roots at those of the sizes that were asked for at which a tree head is stored.
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
    /// Before the first entry, by the keys that are trusted without proof.
    fn new(trust: Option<&Trust>) -> Self {
        Self {
            size: 0,
            root: Frontier::default().root(),
            note: None,
            stored_heads: 0,
            roots: BTreeMap::new(),
            custody: Custody::default(),
            keyring: trust.cloned().map(keyring::empty),
            entries: Vec::new(),
            tiles: Vec::new(),
            heads: Vec::new(),
            state: Vec::new(),
        }
    }

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
    sizes: &[u64],
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<(LogFacts, Vec<Finding>)> {
    let facts = walk(pool, trust, sizes, progress).await?;
    let from_backup = "stop the server, keep the file aside, restore the newest backup";
    let mut findings = Vec::new();
    let mut add = |check, wrong: &[String], fine: String, advice: &str| {
        findings.push(match wrong.is_empty() {
            true => Finding::ok(check, fine),
            false => Finding::wrong(check, named(wrong), advice),
        });
    };
    let said = format!("{} entries have their hashes, root {}", facts.size, facts.root);
    add("entries", &facts.entries, said, from_backup);
    add("state", &facts.state, "size and frontier fit the entries".to_owned(), from_backup);
    let heads = facts.stored_heads;
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

/// Goes through the log as it is at one moment, while others may append; notes the roots at the `sizes`.
pub async fn walk(
    pool: &SqlitePool,
    trust: Option<&Trust>,
    sizes: &[u64],
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<LogFacts> {
    let mut moment = pool.begin().await?;
    let stored = store::frontier(&mut *moment).await;
    let size = store::size(&mut *moment).await?;
    let mut walk =
        Walk { frontier: Frontier::default(), edge: Edge::default(), sizes, facts: LogFacts::new(trust) };
    while walk.frontier.size() < size {
        walk.chunk(&mut moment, store::CHUNK.min(size - walk.frontier.size())).await?;
        progress("entries", walk.frontier.size(), size);
    }
    walk.last_heads(&mut moment).await?;
    let Walk { frontier, mut facts, .. } = walk;
    match stored {
        Ok(stored) if stored == frontier => {}
        Ok(_) => facts.state.push(format!("the stored frontier differs from the one over {size} entries")),
        Err(error) => facts.state.push(error.to_string()),
    }
    let extra = store::count(&mut *moment).await?.saturating_sub(size);
    if extra > 0 {
        facts.state.push(format!("{extra} entries more are stored than the log's size of {size} says"));
    }
    (facts.size, facts.root) = (size, frontier.root());
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
    edge: Edge,
    /// The sizes whose roots are noted.
    sizes: &'a [u64],
    facts: LogFacts,
}

impl Walk<'_> {
    /// Goes through the next entries, and the tree heads before each of them.
    async fn chunk(&mut self, connection: &mut Connection, count: u64) -> anyhow::Result<()> {
        let from = self.frontier.size();
        let mut heads = store::heads(&mut *connection, from, count).await?.into_iter().peekable();
        let rows = store::entries(&mut *connection, from, count).await?;
        for (expected, row) in (from..from + count).zip(align(rows, from)) {
            if let Some((_, note)) = heads.next_if(|(size, _)| *size == expected) {
                self.head(note);
            }
            self.entry(connection, expected, row.as_ref()).await;
        }
        Ok(())
    }

    /// The tree head of the whole log; there must be none beyond.
    async fn last_heads(&mut self, connection: &mut Connection) -> anyhow::Result<()> {
        let size = self.frontier.size();
        for (_, note) in store::heads(&mut *connection, size, 1).await? {
            self.head(note);
        }
        let mut after = size;
        while let Some((beyond, _)) = store::first_head_over(&mut *connection, after).await? {
            let said = format!("a tree head of size {beyond} is stored, the log holds {size} entries");
            self.facts.heads.push(said);
            after = beyond;
        }
        Ok(())
    }

    async fn entry(&mut self, connection: &mut Connection, index: u64, row: Option<&StoredEntry>) {
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
        for tile in self.edge.append(leaf) {
            self.tile(connection, tile).await;
        }
        self.edge.trim();
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

    /// A tile that is full must be stored like this.
    async fn tile(&mut self, connection: &mut Connection, tile: FullTile) {
        let TileId { level, index } = tile.id;
        match store::full_tile(connection, tile.id).await {
            Ok(Some(stored)) if stored == (tile.hashes, tile.root) => {}
            Ok(Some(_)) => self.facts.tiles.push(format!("tile {level}/{index} differs")),
            Ok(None) => self.facts.tiles.push(format!("tile {level}/{index} is missing")),
            Err(error) => self.facts.tiles.push(format!("tile {level}/{index}: {error}")),
        }
    }

    /// Compares a stored tree head with the tree so far.
    fn head(&mut self, note: String) {
        let (size, root) = (self.frontier.size(), self.frontier.root());
        let read = match &self.facts.keyring {
            Some(keyring) => keyring.log().open(&note),
            None => anchor::unverified(&note),
        };
        match read {
            Ok(head) if (head.size, head.root) == (size, root) => {}
            Ok(head) => self.facts.heads.push(format!(
                "the tree head of size {size} says size {} and root {}, the entries have root {root}",
                head.size, head.root
            )),
            Err(error) => self.facts.heads.push(format!("the tree head of size {size}: {error}")),
        }
        if self.sizes.contains(&size) {
            self.facts.roots.insert(size, root);
        }
        self.facts.stored_heads += 1;
        self.facts.note = Some(note);
    }
}

/// Compares the log with the newest tree head that went out: with the anchor as it was before the log was gone through.
pub(super) fn check_anchor(
    data: &DataConfig,
    unopened: anyhow::Result<Option<Unopened>>,
    keyring: &Keyring,
    facts: &LogFacts,
) -> Finding {
    let open = |unopened: Option<Unopened>| unopened.map(|it| it.open(keyring.log())).transpose();
    let anchored = match unopened.and_then(open) {
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
                    data.anchor().display()
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
