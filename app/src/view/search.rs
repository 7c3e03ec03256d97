//! What the page of a search shows.

use acta_ledger::{judge::search::Refusal, log::digest::Sha256Digest};
use serde::{Deserialize, Serialize};

use crate::routes;

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchView {
    /// What was typed.
    pub query: String,
    /// What was found, or why nothing could be looked for.
    pub found: Result<Found, Refusal>,
    /// The tree's size up to which nothing was left out.
    pub tree_size: u64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Found {
    /// All of it, in the order of its kinds.
    pub things: Vec<Thing>,
    /// Whether there is more than is listed.
    pub more: bool,
}

impl Found {
    /// Where the search leads by itself: the only thing that was found, or the first of several that are one digest
    /// (an entry that a later one mentions is still the entry that was looked for).
    pub fn only(&self) -> Option<&Thing> {
        let (first, rest) = self.things.split_first()?;
        let same = rest.iter().all(|thing| first.digest().is_some() && thing.digest() == first.digest());
        (same && !self.more).then_some(first)
    }
}

/// By what an entry was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryBy {
    /// By the digest of its bytes.
    Digest,
    /// By its leaf hash.
    LeafHash,
    /// By its index.
    Index,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Thing {
    /// An entry of the log.
    Entry {
        /// Its index.
        index: u64,
        /// By what it was found.
        by: EntryBy,
        /// Its digest or its leaf hash, whichever it was found by; its digest where it was found by index.
        digest: Sha256Digest,
    },
    /// A public key, by the digest of its 32 bytes.
    Key {
        /// The digest.
        digest: Sha256Digest,
        /// The agent whose it is, or `portal` or `log`.
        holder: String,
        /// The entry that introduced it; none for the server's own first keys.
        entry: Option<u64>,
    },
    /// A run.
    Run {
        /// Its id.
        id: String,
        /// Its number.
        number: u64,
    },
    /// A route.
    Route {
        /// Its name.
        name: String,
    },
    /// Something that statements speak of or mention: a file, a bundle, a blob, a configuration.
    Digest {
        /// The digest.
        digest: Sha256Digest,
        /// How many bytes are kept under it; none where none are.
        bytes: Option<u64>,
        /// The entries that speak of it or mention it, in the order of the log.
        uses: Vec<Use>,
        /// Routes on which it is a bundle.
        routes: Vec<String>,
    },
}

/// An entry that speaks of a digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Use {
    /// Its index.
    pub entry: u64,
    /// Whether the digest is one of its subjects; otherwise it stands in the predicate.
    pub subject: bool,
    /// What the subject is called there.
    pub name: Option<String>,
    /// What kind of statement it is.
    pub predicate_type: String,
}

impl Thing {
    /// The digest that it was found by or has.
    pub fn digest(&self) -> Option<&Sha256Digest> {
        match self {
            Self::Entry { digest, .. } | Self::Key { digest, .. } | Self::Digest { digest, .. } => {
                Some(digest)
            }
            Self::Run { .. } | Self::Route { .. } => None,
        }
    }

    /// The page that shows it.
    pub fn href(&self) -> String {
        match self {
            Self::Entry { index, .. } => routes::entry(index),
            Self::Key { holder, entry: Some(index), .. } if holder == "log" => routes::entry(index),
            Self::Key { holder, entry: Some(_), .. } => routes::agent(holder),
            Self::Key { entry: None, .. } => routes::LEDGER.to_owned(),
            Self::Run { id, .. } => routes::run(id),
            Self::Route { name } => routes::route(name),
            Self::Digest { digest, .. } => routes::digest(digest),
        }
    }
}
