//! Phase trees out of the blob store.

use acta_ledger::{evidence::phase_tree::PhaseTree, log::digest::Sha256Digest};

use crate::startup::AppState;

/// Reads a phase tree of at most `limit` bytes; the error says why it cannot be shown.
pub async fn read(state: &AppState, digest: &Sha256Digest, limit: u64) -> Result<PhaseTree, String> {
    let bytes = state.blobs.read_verified(digest, limit).await.map_err(|error| error.to_string())?;
    let bytes =
        bytes.ok_or_else(|| format!("the blob {digest} is missing, damaged or longer than {limit} bytes"))?;
    let tree: PhaseTree = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if tree.is_well_formed() { Ok(tree) } else { Err(format!("the blob {digest} is not a phase tree")) }
}
