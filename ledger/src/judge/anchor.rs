//! Whether a log may be written on: by the anchor, the newest tree head that may have gone out, kept outside the
//! database. A database alone cannot tell that it is an old copy of itself.

use std::fmt;

use crate::log::{digest::Sha256Digest, tree_head::TreeHead};

/// How a log stands to its anchor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The log begins with what was anchored, and may hold `beyond` entries more: a crash between the commit and the
    /// anchor leaves one batch at most.
    Continues {
        /// How many entries the log holds beyond the anchor.
        beyond: u64,
    },
    /// The log holds fewer entries than a tree head that went out: an old copy, or the end was cut off.
    Behind {
        /// How many entries it holds.
        log: u64,
        /// How many the anchored tree head covers.
        anchor: u64,
    },
    /// The log is long enough and holds other entries: writing on would show two trees to the world.
    Forked {
        /// The size of the anchored tree head.
        size: u64,
        /// The log's root at that size.
        log: Sha256Digest,
        /// The anchored root.
        anchor: Sha256Digest,
    },
}

impl Standing {
    /// Whether tree heads may be signed.
    pub fn may_sign(&self) -> bool {
        matches!(self, Self::Continues { .. })
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continues { beyond: 0 } => f.write_str("the log ends where the anchor is"),
            Self::Continues { beyond } => {
                write!(f, "the log continues the anchor's tree by {beyond} entries")
            }
            Self::Behind { log, anchor } => {
                write!(
                    f,
                    "the log holds {log} entries, the anchor covers {anchor}: the database is an old copy, or its \
                     end was lost"
                )
            }
            Self::Forked { size, log, anchor } => write!(
                f,
                "the log's root at size {size} is {log}, the anchor's is {anchor}: these are two different logs"
            ),
        }
    }
}

/// Compares a log of `size` entries with the anchored tree head. `root_at` answers the log's root at a size that it
/// has; it is asked once at most.
pub fn standing<E>(
    anchor: &TreeHead,
    size: u64,
    root_at: impl FnOnce(u64) -> Result<Sha256Digest, E>,
) -> Result<Standing, E> {
    let Some(beyond) = size.checked_sub(anchor.size) else {
        return Ok(Standing::Behind { log: size, anchor: anchor.size });
    };
    let log = root_at(anchor.size)?;
    Ok(if log == anchor.root {
        Standing::Continues { beyond }
    } else {
        Standing::Forked { size: anchor.size, log, anchor: anchor.root }
    })
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::log::merkle::{Frontier, empty_root, test_tree::numbered};

    fn root(size: u64) -> Sha256Digest {
        let mut frontier = Frontier::default();
        numbered(size as usize).into_iter().for_each(|leaf| frontier.append(leaf));
        frontier.root()
    }

    #[test]
    fn every_case() {
        let other = Sha256Digest::of(b"another log");
        let judged = |anchor: u64, anchored: Sha256Digest, log: u64| {
            let anchor = TreeHead { origin: "a".to_owned(), size: anchor, root: anchored };
            standing(&anchor, log, |size| Ok::<_, Infallible>(root(size))).unwrap()
        };
        for (anchor, anchored, log, expected) in [
            (0, empty_root(), 0, Standing::Continues { beyond: 0 }),
            (0, empty_root(), 9, Standing::Continues { beyond: 9 }),
            (7, root(7), 7, Standing::Continues { beyond: 0 }),
            (7, root(7), 300, Standing::Continues { beyond: 293 }),
            (7, root(7), 6, Standing::Behind { log: 6, anchor: 7 }),
            (7, root(7), 0, Standing::Behind { log: 0, anchor: 7 }),
            (7, other, 6, Standing::Behind { log: 6, anchor: 7 }),
            (7, other, 7, Standing::Forked { size: 7, log: root(7), anchor: other }),
            (7, other, 8, Standing::Forked { size: 7, log: root(7), anchor: other }),
            (0, other, 0, Standing::Forked { size: 0, log: empty_root(), anchor: other }),
        ] {
            let found = judged(anchor, anchored, log);
            assert_eq!(found, expected);
            assert_eq!(found.may_sign(), matches!(expected, Standing::Continues { .. }));
        }
    }

    #[test]
    fn both_sizes_and_both_roots_are_named() {
        let said = Standing::Behind { log: 12_345, anchor: 12_399 }.to_string();
        assert!(said.contains("12345") && said.contains("12399"), "{said}");
        let said = Standing::Forked { size: 7, log: root(7), anchor: root(8) }.to_string();
        assert!(said.contains(&root(7).to_string()) && said.contains(&root(8).to_string()), "{said}");
    }
}
