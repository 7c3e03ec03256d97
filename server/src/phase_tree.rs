//! Phase trees out of the blob store.

use acta_ledger::{evidence::phase_tree::PhaseTree, log::digest::Sha256Digest};

use crate::{blob::BlobError, error::Problem, startup::AppState};

/// Why there is no phase tree.
#[derive(Debug, thiserror::Error)]
pub enum NoTree {
    /// The store could not be read: it may be there the next time.
    #[error(transparent)]
    Store(#[from] BlobError),
    /// What is stored is none that can be shown, and stays so.
    #[error("{0}")]
    None(String),
}

impl From<NoTree> for Problem {
    fn from(error: NoTree) -> Self {
        match error {
            NoTree::Store(error) => error.into(),
            NoTree::None(why) => Self::not_found(why),
        }
    }
}

/// Reads a phase tree of at most `limit` bytes; the error says why it cannot be shown.
pub async fn read(state: &AppState, digest: &Sha256Digest, limit: u64) -> Result<PhaseTree, NoTree> {
    let none = |why: String| NoTree::None(why);
    let bytes = state.blobs.read_verified(digest, limit).await?;
    let bytes = bytes
        .ok_or_else(|| none(format!("the blob {digest} is missing, damaged or longer than {limit} bytes")))?;
    let tree: PhaseTree = serde_json::from_slice(&bytes).map_err(|error| none(error.to_string()))?;
    if tree.is_well_formed() { Ok(tree) } else { Err(none(format!("the blob {digest} is not a phase tree"))) }
}
