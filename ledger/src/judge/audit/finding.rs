//! What an audit can find, each with the index or the digest that it is about.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::log::{digest::Sha256Digest, key::KeyId};

/// One thing that is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "finding", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Finding {
    /// The log shows fewer entries than it signed before.
    Truncated {
        /// The size that it signed.
        signed: u64,
        /// The size that it shows.
        shown: u64,
    },
    /// Two tree heads, both signed by the log's key, that cannot both be of one log that only grows.
    Forked {
        /// The smaller one, verbatim.
        earlier: String,
        /// The larger one (or the other one of the same size), verbatim.
        later: String,
    },
    /// The entries lead to another root than the signed one.
    WrongRoot {
        /// The tree's size.
        size: u64,
        /// Where the entries lead.
        found: Sha256Digest,
        /// What was signed.
        expected: Sha256Digest,
    },
    /// An entry's bytes are not those that the tree was made of.
    DamagedLeaf {
        /// Which entry.
        index: u64,
        /// The hash of its bytes.
        found: Sha256Digest,
        /// The hash in the tree.
        expected: Sha256Digest,
    },
    /// A hash tile contradicts the entries and the rest of the tree.
    DamagedTile {
        /// The tile's level.
        level: u8,
        /// Which tile of the level.
        tile: u64,
        /// Which of its 256 hashes, the first one if there are several.
        position: u64,
    },
    /// A tile that must be there is not, or has another length than its width asks for.
    MissingTile {
        /// The tile's level; none for a bundle of entries.
        level: Option<u8>,
        /// Which tile of the level.
        tile: u64,
    },
    /// An entry is no statement, or no key signed it whose statements the log takes.
    BadSignature {
        /// Which entry.
        index: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The signature is good, and its key may not sign at that place of the log.
    KeyNotValid {
        /// Which entry.
        index: u64,
        /// The key.
        key: KeyId,
        /// Why it may not.
        reason: String,
    },
    /// An agent said it to another log.
    OtherLog {
        /// Which entry.
        index: u64,
        /// The agent.
        agent: String,
        /// The log that it is meant for, by the digest of its origin.
        log: Sha256Digest,
    },
    /// The server shows another record of a route than its entries come to.
    OtherRecord {
        /// The route.
        route: String,
        /// The server's record in canonical JSON; none where it does not know the route.
        found: Option<String>,
        /// What the entries come to.
        expected: String,
    },
    /// A blob that an entry names is not there, and no entry says that it was purged.
    MissingBlob {
        /// The entry that names it.
        index: u64,
        /// The blob.
        digest: Sha256Digest,
    },
    /// A blob's bytes have another digest than its name.
    DamagedBlob {
        /// The entry that names it.
        index: u64,
        /// The blob.
        digest: Sha256Digest,
        /// The digest of its bytes.
        found: Sha256Digest,
    },
    /// Statements that an agent numbered are not in the log: withheld, or lost.
    ChainGap {
        /// The agent.
        agent: String,
        /// The first number that is missing.
        first: u64,
        /// The last number that is missing.
        last: u64,
        /// The entry behind the gap.
        index: u64,
    },
    /// An agent gave one number to two statements, or names another statement as the one before than the log has there.
    ChainFork {
        /// The agent.
        agent: String,
        /// The number.
        sequence: u64,
        /// The entry that does not fit.
        index: u64,
    },
}

/// What an audit came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Nothing is wrong.
    Clean,
    /// Something is wrong.
    Findings,
    /// The log signed two histories: nothing that it signs can be believed any more.
    Forked,
}

impl Verdict {
    /// The verdict over findings.
    pub fn of<'f>(findings: impl IntoIterator<Item = &'f Finding>) -> Self {
        let one = |finding: &Finding| match finding {
            Finding::Forked { .. } => Self::Forked,
            _ => Self::Findings,
        };
        findings.into_iter().map(one).max().unwrap_or(Self::Clean)
    }
}

impl Finding {
    /// The finding's name, as reports and their readers know it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Truncated { .. } => "truncated",
            Self::Forked { .. } => "forked",
            Self::WrongRoot { .. } => "wrong root",
            Self::DamagedLeaf { .. } => "damaged leaf",
            Self::DamagedTile { .. } => "damaged tile",
            Self::MissingTile { .. } => "missing tile",
            Self::BadSignature { .. } => "bad signature",
            Self::KeyNotValid { .. } => "key not valid",
            Self::OtherLog { .. } => "other log",
            Self::OtherRecord { .. } => "other record",
            Self::MissingBlob { .. } => "missing blob",
            Self::DamagedBlob { .. } => "damaged blob",
            Self::ChainGap { .. } => "chain gap",
            Self::ChainFork { .. } => "chain fork",
        }
    }
}

/// One sentence, which begins with the finding's name.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name())?;
        match self {
            Self::Truncated { signed, shown } => {
                write!(f, "the log shows {shown} entries, and has signed a tree head of {signed}")
            }
            Self::Forked { .. } => {
                f.write_str("the log signed two tree heads that cannot both be of one log that only grows")
            }
            Self::WrongRoot { size, found, expected } => {
                write!(f, "the {size} entries lead to root {found}, signed is {expected}")
            }
            Self::DamagedLeaf { index, found, expected } => {
                write!(f, "entry {index}: its bytes hash to {found}, the tree has {expected}")
            }
            Self::DamagedTile { level, tile, position } => {
                write!(
                    f,
                    "tile {level}/{tile}: hash {position} contradicts the entries and the tree around it"
                )
            }
            Self::MissingTile { level: Some(level), tile } => {
                write!(f, "tile {level}/{tile} is not there, or not as long as it must be")
            }
            Self::MissingTile { level: None, tile } => {
                let (first, last) = (tile * 256, tile * 256 + 255);
                write!(f, "the bundle of the entries {first} to {last} is not there, or cannot be read")
            }
            Self::BadSignature { index, reason } => write!(f, "entry {index}: {reason}"),
            Self::KeyNotValid { index, key, reason } => write!(f, "entry {index}: key {key}: {reason}"),
            Self::OtherLog { index, agent, log } => {
                write!(f, "entry {index}: agent {agent} said it to another log, by origin digest {log}")
            }
            Self::OtherRecord { route, found: Some(found), expected } => {
                write!(f, "route {route}: the server says {found}, its entries come to {expected}")
            }
            Self::OtherRecord { route, found: None, expected } => {
                write!(f, "route {route}: the server does not know it, its entries come to {expected}")
            }
            Self::MissingBlob { index, digest } => {
                write!(
                    f,
                    "blob {digest}, which entry {index} names, is not there, and no entry says it was purged"
                )
            }
            Self::DamagedBlob { index, digest, found } => {
                write!(f, "blob {digest}, which entry {index} names, has bytes of digest {found}")
            }
            Self::ChainGap { agent, first, last, index } if first == last => {
                write!(f, "statement {first} of agent {agent} is not in the log before entry {index}")
            }
            Self::ChainGap { agent, first, last, index } => {
                write!(
                    f,
                    "statements {first} to {last} of agent {agent} are not in the log before entry {index}"
                )
            }
            Self::ChainFork { agent, sequence, index } => write!(
                f,
                "entry {index}: statement {sequence} of agent {agent} does not follow the one before it in the log"
            ),
        }
    }
}
