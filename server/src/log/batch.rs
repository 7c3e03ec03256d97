//! What a batch writes: the entries of many requests in few statements.
//!
//! Each way to the database costs more than the row that it carries, so all requests of a batch are tried together, and
//! their rows are written together at the end. A request is all or nothing, and one that contradicts the log must not take
//! the others with it: only then, which is rare, everything is taken back and each request is tried by itself.

use std::{collections::HashMap, sync::Arc};

use acta_ledger::{
    evidence::{agent_key::AgentKey, log_key::LogKey},
    judge::keyring::Keyring,
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        edge::{Edge, FullTile},
        entry::Entry,
        merkle::Frontier,
        statement::{Predicate as _, Statement},
    },
};
use sqlx::Acquire as _;

use super::{
    store,
    writer::{AppendError, Candidate, Place, Request},
};
use crate::{
    db::Connection,
    projection::{Conflict, Logged, Projector},
};

/// The tree that grows.
#[derive(Clone)]
pub(super) struct Tree {
    pub(super) frontier: Frontier,
    pub(super) edge: Edge,
    /// Whose keys sign; what an entry says about keys counts from the next entry on.
    pub(super) keyring: Arc<Keyring>,
    /// What the new entries say of when they were logged.
    pub(super) logged_at: i64,
}

/// What became of a request.
pub(super) type Outcome = Result<Vec<Place>, AppendError>;

/// Appends the requests' entries inside a transaction.
pub(super) async fn append(
    connection: &mut Connection,
    tree: &mut Tree,
    requests: &[Request],
) -> sqlx::Result<Vec<Outcome>> {
    if let Ok(places) = try_append(connection, tree, requests).await? {
        return Ok(places.into_iter().map(Ok).collect());
    }
    let mut outcomes = Vec::with_capacity(requests.len());
    for request in requests {
        let tried = try_append(connection, tree, std::slice::from_ref(request)).await?;
        outcomes.push(tried.map(|mut places| places.pop().unwrap_or_default()));
    }
    Ok(outcomes)
}

/// Puts the proofs to the entries that were appended.
pub(super) fn prove(edge: &Edge, outcomes: &mut [Outcome]) {
    let mut prover = edge.prover();
    for place in outcomes.iter_mut().flatten().flatten().filter(|place| place.created) {
        place.inclusion = prover.inclusion(place.index);
    }
}

/// Appends all of the requests, or on a conflict none of them.
async fn try_append(
    connection: &mut Connection,
    tree: &mut Tree,
    requests: &[Request],
) -> sqlx::Result<Result<Vec<Vec<Place>>, AppendError>> {
    let mut savepoint = connection.begin().await?;
    let mut grown = tree.clone();
    let tried = write(&mut savepoint, &mut grown, requests).await?;
    if tried.is_ok() {
        savepoint.commit().await?;
        *tree = grown;
    } else {
        savepoint.rollback().await?;
    }
    Ok(tried)
}

async fn write(
    connection: &mut Connection,
    tree: &mut Tree,
    requests: &[Request],
) -> sqlx::Result<Result<Vec<Vec<Place>>, AppendError>> {
    let candidates = || requests.iter().flat_map(|request| &request.candidates);
    let digests: Vec<Sha256Digest> = candidates().map(|candidate| candidate.entry.digest()).collect();
    let mut known: HashMap<Sha256Digest, u64> = store::known(connection, &digests).await?;
    let statements: Vec<&Statement> = candidates().map(|candidate| &candidate.statement).collect();
    let mut projector = Projector::expecting(connection, &statements).await?;
    let first = tree.frontier.size();
    let (mut rows, mut full): (Vec<&Entry>, Vec<FullTile>) = (Vec::new(), Vec::new());
    let mut places = Vec::with_capacity(requests.len());
    for request in requests {
        let mut mine = Vec::with_capacity(request.candidates.len());
        for (position, candidate) in request.candidates.iter().enumerate() {
            let (digest, leaf_hash) = (candidate.entry.digest(), candidate.entry.leaf_hash());
            let index = match known.get(&digest) {
                Some(index) => *index,
                None => {
                    let index = tree.frontier.size();
                    let logged = Logged {
                        index,
                        signer: &candidate.signer,
                        statement: &candidate.statement,
                        summary: candidate.summary.as_ref(),
                    };
                    if let Err(conflict) = check_key(&mut tree.keyring, index, candidate) {
                        return Ok(Err(AppendError::Conflict { position, conflict }));
                    }
                    if let Err(conflict) = projector.apply(connection, &logged).await? {
                        return Ok(Err(AppendError::Conflict { position, conflict }));
                    }
                    rows.push(&candidate.entry);
                    tree.frontier.append(leaf_hash);
                    full.extend(tree.edge.append(leaf_hash));
                    known.insert(digest, index);
                    mine.push(Place { index, digest, leaf_hash, created: true, inclusion: None });
                    continue;
                }
            };
            mine.push(Place { index, digest, leaf_hash, created: false, inclusion: None });
        }
        places.push(mine);
    }
    store::insert_entries(connection, first, &rows, tree.logged_at).await?;
    for tile in full {
        store::insert_tile(connection, tile.id, &tile.hashes, &tile.root).await?;
    }
    projector.finish(connection).await?;
    Ok(Ok(places))
}

/// Whether the key may sign this very entry; what the entry says about keys counts from the next one on.
fn check_key(keyring: &mut Arc<Keyring>, index: u64, candidate: &Candidate) -> Result<(), Conflict> {
    if let Some(key) = &candidate.key {
        keyring.may_sign(key, index)?;
    }
    if [AgentKey::TYPE, LogKey::TYPE].contains(&candidate.statement.predicate_type.as_str()) {
        let envelope = Envelope::parse(candidate.entry.bytes())
            .map_err(|error| Conflict::Unreadable(error.to_string()))?;
        Arc::make_mut(keyring).apply(index, &envelope, &candidate.statement)?;
    }
    Ok(())
}
