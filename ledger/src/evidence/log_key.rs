//! Log keys (`urn:acta:log-key:v1`): the portal's word that the log's key is handed on. From the tree that first holds
//! it both keys sign every tree head, for a stated number of entries; then the new one signs alone.
//!
//! Whoever trusts the old key learns the new one from a tree head that both signed and that covers this statement, see
//! [`crate::judge::log_key`].

use serde::{Deserialize, Serialize};

use crate::log::{
    key::PublicKey,
    statement::{Predicate, Subject},
    timestamp::Timestamp,
};

/// A change of the key that signs tree heads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogKey {
    /// The log's name, which is also the name of both keys.
    pub origin: String,
    /// The new key, standard base64 of 32 bytes.
    pub public_key: PublicKey,
    /// The key that it follows.
    pub previous: PublicKey,
    /// For how many sizes of the tree both sign, from the one that first holds this statement; at least 1.
    pub overlap: u64,
    /// When, by the server's clock. It informs; only the order of the log decides.
    pub at: Timestamp,
    /// Who had it done.
    pub authorized_by: String,
    /// Why.
    pub reason: Option<String>,
}

impl Predicate for LogKey {
    const TYPE: &'static str = "urn:acta:log-key:v1";
}

impl LogKey {
    /// The subject of the statement: the new key, by the digest of its bytes.
    pub fn subject(&self) -> Subject {
        Subject::new(self.origin.clone(), self.public_key.id().0)
    }
}
