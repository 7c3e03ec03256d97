//! Proof files (C2SP tlog-proof, version 1): one text that shows with keys alone that an entry is in the log.
//!
//! ```text
//! c2sp.org/tlog-proof@v1
//! extra <base64>            (perhaps; nobody vouches for it)
//! index <n>
//! <base64 of 32 bytes>      (one line for each hash, from the leaf's sibling upward)
//!
//! <the signed tree head, as it was published>
//! ```
//! The leaf itself does not stand in it: whoever verifies brings the entry's bytes.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    digest::Sha256Digest,
    merkle::leaf_hash,
    note::{Note, VerifierKey},
    proof::{MAX_HASHES, ProofError, verify_inclusion},
    tree_head::{TreeHead, TreeHeadError},
};

/// The first line.
pub const HEADER: &str = "c2sp.org/tlog-proof@v1";

/// How such files are called.
pub const EXTENSION: &str = "tlog-proof";

/// The longest file that is read: 63 hashes and a tree head of 64 signatures need less than half of it.
pub const MAX_BYTES: usize = 64 << 10;

/// The place of one entry under one signed tree head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProofFile {
    /// Bytes that somebody put in; nothing vouches for them.
    pub extra: Option<Vec<u8>>,
    /// The entry's index.
    pub index: u64,
    /// The hashes from its sibling upward.
    pub inclusion: Vec<Sha256Digest>,
    /// The signed tree head.
    pub tree_head: String,
}

/// Why a file is no proof, or proves nothing about an entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofFileError {
    /// Longer than any proof can be.
    #[error("the file has {found} bytes, a proof has at most {MAX_BYTES}")]
    TooLong {
        /// How long it is.
        found: usize,
    },
    /// A line is not what stands there in a proof.
    #[error("line {line} is {found:?}, expected {expected}")]
    Line {
        /// Which line, counted from 1.
        line: usize,
        /// What stands there, shortened.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// The file ends before the tree head.
    #[error("the file ends after line {line}, expected {expected}")]
    Ends {
        /// The last line, counted from 1.
        line: usize,
        /// What should have come.
        expected: &'static str,
    },
    /// The tree head is malformed, of another log, or not signed by its key.
    #[error("the tree head: {0}")]
    TreeHead(#[from] TreeHeadError),
    /// The hashes do not lead from the entry to the tree head's root.
    #[error("entry {index}: {error}")]
    Inclusion {
        /// The index that the file claims.
        index: u64,
        /// Why not.
        error: ProofError,
    },
}

impl ProofFile {
    /// Reads a proof; verifies nothing.
    pub fn parse(text: &str) -> Result<Self, ProofFileError> {
        if text.len() > MAX_BYTES {
            return Err(ProofFileError::TooLong { found: text.len() });
        }
        let mut lines = Lines { rest: text, at: 0 };
        let header = lines.next("the first line of a proof")?;
        if header != HEADER {
            return Err(lines.error(header, "c2sp.org/tlog-proof@v1"));
        }
        let mut line = lines.next("the line with the index")?;
        let mut extra = None;
        if let Some(text) = line.strip_prefix("extra ") {
            let decoded =
                STANDARD.decode(text).map_err(|_| lines.error(line, "extra and standard base64"))?;
            extra = Some(decoded);
            line = lines.next("the line with the index")?;
        }
        let index = line.strip_prefix("index ").and_then(plain_number);
        let index =
            index.ok_or_else(|| lines.error(line, "index and a decimal number without zeros before it"))?;
        let mut inclusion = Vec::new();
        loop {
            let line = lines.next("an empty line and the tree head")?;
            if line.is_empty() {
                break;
            }
            let hash = STANDARD.decode(line).ok().and_then(|bytes| Sha256Digest::from_slice(&bytes));
            inclusion.push(hash.ok_or_else(|| lines.error(line, "a hash: standard base64 of 32 bytes"))?);
            if inclusion.len() > MAX_HASHES {
                return Err(lines.error(line, "an empty line: no proof has more than 63 hashes"));
            }
        }
        let tree_head = lines.rest.to_owned();
        TreeHead::parse(&Note::parse(&tree_head).map_err(TreeHeadError::from)?.text)?;
        Ok(Self { extra, index, inclusion, tree_head })
    }

    /// Checks that the log's key signed the tree head and that the entry with these bytes is under it; says which
    /// tree head that is.
    pub fn verify(&self, record: &[u8], log_key: &VerifierKey) -> Result<TreeHead, ProofFileError> {
        let head = TreeHead::open(&self.tree_head, log_key)?;
        verify_inclusion(&leaf_hash(record), self.index, head.size, &head.root, &self.inclusion)
            .map_err(|error| ProofFileError::Inclusion { index: self.index, error })?;
        Ok(head)
    }
}

impl fmt::Display for ProofFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        if let Some(extra) = &self.extra {
            writeln!(f, "extra {}", STANDARD.encode(extra))?;
        }
        writeln!(f, "index {}", self.index)?;
        for hash in &self.inclusion {
            writeln!(f, "{}", STANDARD.encode(hash.as_bytes()))?;
        }
        write!(f, "\n{}", self.tree_head)
    }
}

/// Lines, each of which must end in a newline.
struct Lines<'a> {
    rest: &'a str,
    at: usize,
}

impl<'a> Lines<'a> {
    fn next(&mut self, expected: &'static str) -> Result<&'a str, ProofFileError> {
        let (line, rest) =
            self.rest.split_once('\n').ok_or(ProofFileError::Ends { line: self.at, expected })?;
        self.rest = rest;
        self.at += 1;
        Ok(line)
    }

    fn error(&self, found: &str, expected: &'static str) -> ProofFileError {
        ProofFileError::Line { line: self.at, found: found.chars().take(80).collect(), expected }
    }
}

/// A decimal number in its one spelling.
fn plain_number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            key::{PublicKey, test_keys},
            merkle::test_tree::{LEAVES, ROOTS, naive_root},
            note::NoteKeyType,
        },
        *,
    };

    const ORIGIN: &str = "ledger.example/log";

    fn key() -> VerifierKey {
        VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&test_keys::rfc8032_1())).unwrap()
    }

    /// Leaf 5 of the reference tree of 8.
    fn proof() -> ProofFile {
        let leaves: Vec<_> = LEAVES.iter().map(|data| leaf_hash(data)).collect();
        let inclusion = vec![leaves[4], naive_root(&leaves[6..8]), naive_root(&leaves[0..4])];
        let head = TreeHead { origin: ORIGIN.to_owned(), size: 8, root: ROOTS[8].parse().unwrap() };
        let tree_head = head.sign(&test_keys::rfc8032_1()).unwrap().to_string();
        ProofFile { extra: None, index: 5, inclusion, tree_head }
    }

    #[test]
    fn the_text_is_the_specifications() {
        let text = proof().to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..2], [HEADER, "index 5"]);
        assert_eq!(lines[2], STANDARD.encode(leaf_hash(LEAVES[4]).as_bytes()));
        assert_eq!(lines[5..8], ["", ORIGIN, "8"]);
        assert_eq!(ProofFile::parse(&text), Ok(proof()));
        let with_extra = ProofFile { extra: Some(b"seen".to_vec()), ..proof() };
        assert_eq!(with_extra.to_string().lines().nth(1), Some("extra c2Vlbg=="));
        assert_eq!(ProofFile::parse(&with_extra.to_string()), Ok(with_extra));
    }

    #[test]
    fn it_proves_one_entry_of_one_log() {
        assert_eq!(proof().verify(LEAVES[5], &key()).unwrap().size, 8);
        assert!(matches!(proof().verify(LEAVES[4], &key()), Err(ProofFileError::Inclusion { index: 5, .. })));
        let foreign =
            VerifierKey::new(ORIGIN, NoteKeyType::Ed25519, PublicKey::of(&test_keys::rfc8032_2())).unwrap();
        assert!(matches!(proof().verify(LEAVES[5], &foreign), Err(ProofFileError::TreeHead(_))));
        let elsewhere = ProofFile { index: 6, ..proof() };
        assert!(elsewhere.verify(LEAVES[5], &key()).is_err());
    }

    #[test]
    fn a_tree_of_one_entry_needs_no_hashes() {
        let root = leaf_hash(b"only");
        let head = TreeHead { origin: ORIGIN.to_owned(), size: 1, root };
        let tree_head = head.sign(&test_keys::rfc8032_1()).unwrap().to_string();
        let proof = ProofFile { extra: None, index: 0, inclusion: vec![], tree_head };
        let read = ProofFile::parse(&proof.to_string()).unwrap();
        assert_eq!(read.verify(b"only", &key()), Ok(head));
    }

    #[test]
    fn every_malformed_file_is_refused_with_its_line() {
        let good = proof().to_string();
        let hash = good.lines().nth(2).unwrap().to_owned();
        let from = |from: &str, to: &str| {
            let changed = good.replacen(from, to, 1);
            assert_ne!(changed, good, "{from:?} stands in the file");
            changed
        };
        let many = format!("{hash}\n").repeat(MAX_HASHES + 1);
        for (text, says) in [
            (String::new(), "ends after line 0"),
            (HEADER.to_owned(), "ends after line 0"),
            (format!("{HEADER}\n"), "ends after line 1"),
            (from("@v1", "@v2"), "line 1"),
            (format!("\u{feff}{good}"), "line 1"),
            (good.replace('\n', "\r\n"), "line 1"),
            (from("index 5\n", ""), "line 2"),
            (from("index 5", "index"), "line 2"),
            (from("index 5", "index -5"), "line 2"),
            (from("index 5", "index +5"), "line 2"),
            (from("index 5", "index 05"), "line 2"),
            (from("index 5", "index 5 "), "line 2"),
            (from("index 5", "index 18446744073709551616"), "line 2"),
            (from("index 5", "Index 5"), "line 2"),
            (from("index 5", "extra %\nindex 5"), "line 2"),
            (from("index 5", "extra AA\nindex 5"), "line 2"),
            (from("index 5", "index 5\nextra AA=="), "line 3"),
            (from("index 5", "extra AA==\nextra AA==\nindex 5"), "line 3"),
            (from(&hash, &hash[1..]), "line 3"),
            (from(&hash, "AAAA"), "line 3"),
            (from(&hash, &hash.replace('/', "_").replace('=', "")), "line 3"),
            (from(&hash, &format!(" {hash}")), "line 3"),
            (from(&format!("{hash}\n"), &many), "no proof has more than 63 hashes"),
            (from(&format!("\n\n{ORIGIN}"), &format!("\n{ORIGIN}")), "line 6"),
            (from(ORIGIN, "\n"), "tree head"),
            (from("\n8\n", "\n08\n"), "tree head"),
            (from("\u{2014} ", "- "), "tree head"),
            (good[..good.rfind('\u{2014}').unwrap()].to_owned(), "tree head"),
            (good.trim_end().to_owned(), "tree head"),
            (format!("{good}x"), "tree head"),
            (format!("{good}{}", "x".repeat(MAX_BYTES)), "bytes"),
        ] {
            let error = ProofFile::parse(&text).expect_err(&text).to_string();
            assert!(error.contains(says), "{error:?} should say {says:?}");
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let good = proof().to_string().into_bytes();
        for at in 0..good.len() {
            for bit in 0..8 {
                let mut bad = good.clone();
                bad[at] ^= 1 << bit;
                let verdict = String::from_utf8(bad).ok().and_then(|text| ProofFile::parse(&text).ok());
                let holds = verdict.is_some_and(|proof| proof.verify(LEAVES[5], &key()).is_ok());
                assert!(!holds, "bit {bit} of byte {at}");
            }
        }
    }
}
