//! The log's keys: which of them must sign a tree head of which size.
//!
//! ```text
//! size          0 ........ from ............ until ......
//! old key       signs alone | both sign      | may not sign
//! new key       may not     |                | signs alone
//! ```
//! `from` is the smallest size that holds the hand-over's statement, `until` lies the stated overlap further on.
//!
//! Whoever pinned the first key believes a later one because a tree head that covers the statement was signed by both:
//! the old key vouches for the new one, the new one shows that somebody has it. What this cannot know: that a hand-over
//! was left out. A thief of a retired key can sign trees for those who never heard of the hand-over; a checker who keeps
//! the newest tree head it has seen finds that such a tree does not go on from it.

use crate::{
    evidence::log_key::LogKey,
    log::{
        key::PublicKey,
        note::{Note, NoteError, NoteKeyType, VerifierKey},
        tree_head::{TreeHead, TreeHeadError},
    },
};

/// One key of the log and the sizes whose tree heads it signs: `[from, until)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogKeyLife {
    /// The key.
    pub key: VerifierKey,
    /// The entry that announced it; none for the key that was trusted from the start.
    pub announced_by: Option<u64>,
    /// The first size that it signs.
    pub from: u64,
    /// The first size that it signs no more; none as long as no other key follows.
    pub until: Option<u64>,
}

impl LogKeyLife {
    /// Whether the key signs a tree head of this size.
    pub fn signs(&self, size: u64) -> bool {
        self.from <= size && self.until.is_none_or(|until| size < until)
    }
}

/// Why a hand-over is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogKeyError {
    /// It is another log's.
    #[error("the hand-over is of log {found:?}, expected {expected:?}")]
    Origin {
        /// Whose it is.
        found: String,
        /// Whose it should be.
        expected: String,
    },
    /// It replaces a key that does not sign now.
    #[error("the hand-over replaces key {found}, but key {expected} signs now")]
    Previous {
        /// The key that it names.
        found: String,
        /// The key that signs.
        expected: String,
    },
    /// The new key has signed before.
    #[error("key {0} was the log's before: a retired key never comes back")]
    Again(String),
    /// Without an overlap no tree head would be signed by both.
    #[error("the overlap is 0, expected at least 1: a tree head must be signed by both keys")]
    NoOverlap,
    /// The hand-over before it is not finished.
    #[error("the hand-over before it ends at size {until}, this one begins at {from}: wait until then")]
    Unfinished {
        /// When the one before ends.
        until: u64,
        /// When this one would begin.
        from: u64,
    },
    /// The sizes pass what can be counted.
    #[error("an overlap of {0} passes every size that a tree can have")]
    Overflow(u64),
}

/// The log's keys in the order in which they follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogKeys {
    first: LogKeyLife,
    later: Vec<LogKeyLife>,
    /// Where the trusted key need not be the log's first: the hand-overs before it, as far as they were met.
    former: Option<Vec<Former>>,
}

/// A hand-over that came before the trusted key, or led to it. Nothing that it says is believed or needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Former {
    index: u64,
    previous: PublicKey,
    next: PublicKey,
}

impl LogKeys {
    /// Begins with the log's first key, trusted without proof.
    pub fn new(first: VerifierKey) -> Self {
        let first = LogKeyLife { key: first, announced_by: None, from: 0, until: None };
        Self { first, later: Vec::new(), former: None }
    }

    /// Begins with a key that somebody trusts who may have come later: it may be the log's first or any that followed.
    /// Hand-overs from one older key to the next, up to the trusted one, are then passed over.
    pub fn pinned(key: VerifierKey) -> Self {
        Self { former: Some(Vec::new()), ..Self::new(key) }
    }

    /// The log's origin, which is the name of every key.
    pub fn origin(&self) -> &str {
        self.first.key.name()
    }

    /// The keys, oldest first.
    pub fn lives(&self) -> impl Iterator<Item = &LogKeyLife> {
        std::iter::once(&self.first).chain(&self.later)
    }

    /// The newest key.
    pub fn newest(&self) -> &LogKeyLife {
        self.later.last().unwrap_or(&self.first)
    }

    /// The keys that sign a tree head of this size: each of them must, no other may.
    pub fn signers(&self, size: u64) -> impl Iterator<Item = &LogKeyLife> {
        self.lives().filter(move |life| life.signs(size))
    }

    /// Whether the key was ever the log's.
    pub fn knows(&self, key: &PublicKey) -> bool {
        let former = || self.former.iter().flatten();
        self.lives().any(|life| life.key.public_key() == key)
            || former().any(|it| it.previous == *key || it.next == *key)
    }

    /// The hand-overs before the trusted key that were met, and do not lead to it.
    pub fn astray(&self) -> impl Iterator<Item = u64> {
        let former = self.former.as_deref().unwrap_or_default();
        let led = former.last().is_some_and(|last| last.next == *self.first.key.public_key());
        former.iter().filter(move |_| !led).map(|it| it.index)
    }

    /// Takes a hand-over as one of those before the trusted key; whether it can be one: each goes on from the one before,
    /// none comes after the one that led to the trusted key, and none after that key was handed on itself.
    fn precedes(&mut self, index: u64, said: &LogKey) -> bool {
        let trusted = *self.first.key.public_key();
        let Some(former) = self.former.as_mut().filter(|_| self.later.is_empty()) else { return false };
        let goes_on = former.last().is_none_or(|last| last.next == said.previous && last.next != trusted);
        let again = former.iter().any(|it| it.previous == said.public_key);
        let takes = said.previous != trusted && goes_on && !again;
        if takes {
            former.push(Former { index, previous: said.previous, next: said.public_key });
        }
        takes
    }

    /// Takes the hand-over that stands at `index`. Whether the portal signed it is the caller's to check.
    pub fn hand_over(&mut self, index: u64, said: &LogKey) -> Result<(), LogKeyError> {
        let origin = self.first.key.name().to_owned();
        if said.origin != origin {
            return Err(LogKeyError::Origin { found: said.origin.clone(), expected: origin });
        }
        if self.precedes(index, said) {
            return Ok(());
        }
        let newest = self.newest();
        if said.previous != *newest.key.public_key() {
            let (found, expected) = (said.previous.to_base64(), newest.key.public_key().to_base64());
            return Err(LogKeyError::Previous { found, expected });
        }
        if self.knows(&said.public_key) {
            return Err(LogKeyError::Again(said.public_key.to_base64()));
        }
        if said.overlap == 0 {
            return Err(LogKeyError::NoOverlap);
        }
        let overflow = LogKeyError::Overflow(said.overlap);
        let from = index.checked_add(1).ok_or(overflow.clone())?;
        let until = from.checked_add(said.overlap).ok_or(overflow)?;
        if let Some(before) = self.lives().filter_map(|life| life.until).max().filter(|before| *before > from)
        {
            return Err(LogKeyError::Unfinished { until: before, from });
        }
        let key = VerifierKey::new(&origin, NoteKeyType::Ed25519, said.public_key)
            .expect("the origin is the name of a key already");
        match self.later.last_mut() {
            Some(newest) => newest.until = Some(until),
            None => self.first.until = Some(until),
        }
        self.later.push(LogKeyLife { key, announced_by: Some(index), from, until: None });
        Ok(())
    }

    /// Reads a signed tree head and believes it only if every key that must sign a tree of its size did.
    ///
    /// Lines of other keys are passed over, also those of a log's key that does not sign this size; a line of a key
    /// that must sign and does not verify makes the note bad.
    pub fn open(&self, note: &str) -> Result<TreeHead, TreeHeadError> {
        let note = Note::parse(note)?;
        let head = TreeHead::parse(&note.text)?;
        let expected = self.first.key.name();
        if head.origin != expected {
            return Err(TreeHeadError::Origin { found: head.origin, expected: expected.to_owned() });
        }
        let needed: Vec<VerifierKey> = self.signers(head.size).map(|life| life.key.clone()).collect();
        let signed = match note.verify(&needed) {
            Err(NoteError::Unsigned) => Vec::new(),
            other => other?,
        };
        match needed.iter().find(|key| !signed.contains(key)) {
            None => Ok(head),
            Some(missing) => Err(TreeHeadError::Signers {
                size: head.size,
                key: missing.to_string(),
                note: self.instead(&note, head.size),
            }),
        }
    }

    /// Which of the log's other keys signed, and why that does not count.
    fn instead(&self, note: &Note, size: u64) -> String {
        let outside = self.lives().filter(|life| !life.signs(size));
        let found = outside.filter(|life| note.verify(std::slice::from_ref(&life.key)).is_ok());
        found
            .map(|life| match life.until {
                Some(until) if size >= until => {
                    format!("; it was signed by {}, which was retired at size {until}", life.key)
                }
                _ => format!("; it was signed by {}, which signs from size {} on", life.key, life.from),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
