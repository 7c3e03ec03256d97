//! Tree heads: what the log promises, as a C2SP checkpoint (a signed note over origin, size and root).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::{
    digest::Sha256Digest,
    key::SigningKey,
    note::{Note, NoteError, VerifierKey},
};

/// A log's size and root. The log's key name equals its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeHead {
    /// Which log: a URL without scheme, no spaces, no plus sign.
    pub origin: String,
    /// How many entries.
    pub size: u64,
    /// The Merkle root over them.
    pub root: Sha256Digest,
}

/// Why a text is not a tree head that can be believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeHeadError {
    /// The note is malformed, unsigned or badly signed.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The note's text is not a tree head.
    #[error("not a tree head: {0}")]
    Malformed(&'static str),
    /// A key that must sign a tree head of this size did not.
    #[error("a tree head of size {size} must be signed by the log's key {key}, which did not sign it{note}")]
    Signers {
        /// The tree head's size.
        size: u64,
        /// The key that is missing, as a verifier key.
        key: String,
        /// What is known of the key that signed in its place, if any did.
        note: String,
    },
    /// It is another log's.
    #[error("the tree head is of log {found:?}, expected {expected:?}")]
    Origin {
        /// Whose it is.
        found: String,
        /// Whose it should be.
        expected: String,
    },
}

impl TreeHead {
    /// Signs the tree head by the log's key.
    pub fn sign(&self, key: &SigningKey) -> Result<Note, NoteError> {
        self.sign_by(&[key])
    }

    /// Signs the tree head by several of the log's keys: while one is handed on to the next, both sign.
    pub fn sign_by(&self, keys: &[&SigningKey]) -> Result<Note, NoteError> {
        let mut note = Note::new(self.to_string())?;
        keys.iter().try_for_each(|key| note.sign(&self.origin, key))?;
        Ok(note)
    }

    /// Reads the note's text; verifies nothing.
    pub fn parse(text: &str) -> Result<Self, TreeHeadError> {
        let mut lines = text.split('\n');
        let mut line = || lines.next().filter(|line| !line.is_empty());
        let (Some(origin), Some(size), Some(root)) = (line(), line(), line()) else {
            return Err(TreeHeadError::Malformed("origin, size and root are expected, a line each"));
        };
        let digits =
            size.bytes().all(|byte| byte.is_ascii_digit()) && (size == "0" || !size.starts_with('0'));
        let size = size.parse().ok().filter(|_| digits);
        let size = size.ok_or(TreeHeadError::Malformed("the size is not a plain decimal number"))?;
        let root = STANDARD.decode(root).ok().and_then(|bytes| Sha256Digest::from_slice(&bytes));
        let root = root.ok_or(TreeHeadError::Malformed("the root is not base64 of 32 bytes"))?;
        if !text.ends_with('\n') {
            return Err(TreeHeadError::Malformed("the last line is not finished"));
        }
        Ok(Self { origin: origin.to_owned(), size, root })
    }

    /// Reads a signed tree head and believes it only if the log's key signed it and its name is the origin.
    pub fn open(note: &str, log_key: &VerifierKey) -> Result<Self, TreeHeadError> {
        let note = Note::parse(note)?;
        note.verify(std::slice::from_ref(log_key))?;
        let head = Self::parse(&note.text)?;
        if head.origin == log_key.name() {
            Ok(head)
        } else {
            Err(TreeHeadError::Origin { found: head.origin, expected: log_key.name().to_owned() })
        }
    }
}

impl fmt::Display for TreeHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.size, STANDARD.encode(self.root.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::key::test_keys, *};

    const KEY: &str = "ledger.example/log+c3a011ef+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea";

    fn head() -> TreeHead {
        let root = super::super::merkle::test_tree::ROOTS[8].parse().unwrap();
        TreeHead { origin: "ledger.example/log".to_owned(), size: 8, root }
    }

    #[test]
    fn the_reference_tree_head() {
        let text = head().to_string();
        assert_eq!(text, "ledger.example/log\n8\nXcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n");
        let note = head().sign(&test_keys::rfc8032_1()).unwrap().to_string();
        let field =
            "w6AR7yK9zk4TV36XhHWPp1wlOUkM8nD5WRx+42Lr7m/hWmWq8vea4qRCDQcgHS8NpPm0L7UdTFcODeOCB1cOPFoXZgA=";
        assert_eq!(note, format!("{text}\n\u{2014} ledger.example/log {field}\n"));
        assert_eq!(
            Sha256Digest::of(note.as_bytes()).to_string(),
            "fda1745c04dc490549474bda016097831c0b7f8f303a7994756211bceafd4543"
        );
        assert_eq!(TreeHead::open(&note, &VerifierKey::parse(KEY).unwrap()), Ok(head()));
    }

    #[test]
    fn a_tree_head_of_another_log_or_size_is_not_believed() {
        let key = VerifierKey::parse(KEY).unwrap();
        let note = head().sign(&test_keys::rfc8032_1()).unwrap().to_string();
        assert!(matches!(TreeHead::open(&note.replace("\n8\n", "\n9\n"), &key), Err(TreeHeadError::Note(_))));
        let mut foreign =
            Note::new(TreeHead { origin: "other.example".to_owned(), ..head() }.to_string()).unwrap();
        foreign.sign("ledger.example/log", &test_keys::rfc8032_1()).unwrap();
        assert!(matches!(TreeHead::open(&foreign.to_string(), &key), Err(TreeHeadError::Origin { .. })));
    }

    #[test]
    fn malformed_texts_are_refused() {
        let good = head().to_string();
        assert!(TreeHead::parse(&format!("{good}extension\n")).is_ok());
        for (from, to) in [
            ("\n8\n", "\n08\n"),
            ("\n8\n", "\n-8\n"),
            ("\n8\n", "\n+8\n"),
            ("\n8\n", "\n\n"),
            ("\n8\n", "\n18446744073709551616\n"),
            ("Xcna", "Xc a"),
            ("yg=\n", "yg="),
            ("yg=\n", "\n"),
            ("ledger.example/log", ""),
        ] {
            assert!(TreeHead::parse(&good.replace(from, to)).is_err(), "{from:?} -> {to:?}");
        }
    }
}
