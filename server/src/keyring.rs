//! The keyring of this log, and what changes it: revoking an agent's key, handing on the log's own.
//!
//! The log's writer holds the keyring and asks it about every entry that it appends, at the index that the entry gets: a
//! key that ended between the check of a request and its turn signs nothing any more.

use acta_ledger::{
    evidence::{
        agent_key::{AgentKey, AgentKeyAction},
        log_key::LogKey,
    },
    judge::{keyring::Keyring, log_key::LogKeys},
    log::{
        dsse::Envelope,
        entry::Entry,
        key::{KeyId, PublicKey, SigningKey},
        statement::{Predicate, Statement, Subject},
        verification::Trust,
    },
};
use anyhow::Context as _;
use axum::http::StatusCode;

use crate::{
    clock,
    db::Connection,
    error::{Answer, Problem},
    keys::Keys,
    log::writer::Candidate,
    startup::AppState,
    store::key,
};

/// The keyring before the first entry: the keys that are trusted without proof.
pub fn empty(trust: Trust) -> Keyring {
    Keyring::new(trust.portal, LogKeys::new(trust.log))
}

/// Folds the keyring from the log.
pub async fn load(connection: &mut Connection, keys: &Keys) -> anyhow::Result<Keyring> {
    let mut keyring = empty(keys.trust());
    for (index, record) in key::records(connection).await.context("cannot read the entries about keys")? {
        let damaged = || format!("entry {index}, about a key, is damaged");
        let envelope = Envelope::parse(&record).with_context(damaged)?;
        let statement = Statement::from_envelope(&envelope).with_context(damaged)?;
        keyring.apply(index, &envelope, &statement).with_context(damaged)?;
    }
    Ok(keyring)
}

/// An agent whose key may sign now.
#[derive(Debug, Clone)]
pub struct Signer {
    /// Its name.
    pub agent: String,
    /// Its key.
    pub key: PublicKey,
    /// Its key's id.
    pub key_id: KeyId,
}

/// The agent of a name, if its key may sign now; otherwise what became of its key.
pub fn may_sign(state: &AppState, agent: &str) -> Answer<Signer> {
    let keyring = state.log.keyring();
    let life = keyring.newest(agent);
    let key = life
        .ok_or_else(|| Problem::internal(format_args!("agent {agent} has a token and no key")))?
        .public_key;
    let key_id = key.id();
    match keyring.may_sign(&key_id, u64::MAX) {
        Ok(_) => Ok(Signer { agent: agent.to_owned(), key, key_id }),
        Err(refusal) => {
            tracing::info!(agent.name = agent, key.id = %key_id, cause = %refusal, "a request was denied");
            Err(Problem::forbidden("key_ended", format!("{refusal}; ask an admin for a new one-time token"))
                .field("agent")
                .found(key_id))
        }
    }
}

/// Revokes the key that signs for an agent now, in the name of whoever `by` is; the entry that says so. Where a key was
/// `seen` when that was decided, no other is revoked.
pub async fn revoke(
    state: &AppState,
    agent: &str,
    seen: Option<KeyId>,
    by: &str,
    reason: &str,
) -> Answer<u64> {
    let reason = reason.trim();
    if !(1..=500).contains(&reason.chars().count()) {
        return Err(Problem::refused("malformed_reason", "a key is revoked for a reason, in words")
            .field("reason")
            .found(format!("{} characters", reason.chars().count()))
            .expected("1 to 500 characters"));
    }
    let keyring = state.log.keyring();
    let Some(life) = keyring.active(agent) else {
        let known = keyring.lives().iter().any(|life| life.agent == agent);
        return Err(if known {
            Problem::new(StatusCode::CONFLICT, "no_key", "the agent's key has been revoked already")
        } else {
            Problem::not_found("there is no such agent")
        }
        .field("agent")
        .found(agent));
    };
    let key = life.public_key.id();
    if let Some(seen) = seen.filter(|seen| *seen != key) {
        return Err(Problem::new(StatusCode::CONFLICT, "not_the_key", "the agent has another key by now")
            .field("key_id")
            .found(seen)
            .expected(key));
    }
    let said = AgentKey {
        agent: agent.to_owned(),
        public_key: life.public_key,
        action: AgentKeyAction::Revoked,
        at: clock::now(),
        authorized_by: by.to_owned(),
        owner: life.owner.clone(),
        previous: None,
        reason: Some(reason.to_owned()),
    };
    let index = append(state, said.subject(), &said).await?;
    tracing::warn!(agent.name = agent, key.id = %key, account.by = by, "an agent's key was revoked");
    Ok(index)
}

/// Hands the log's key on to `next`, whose file lies in the folder of the keys; the entry that says so.
pub async fn hand_over(
    state: &AppState,
    next: &SigningKey,
    overlap: u64,
    reason: Option<String>,
) -> Answer<u64> {
    let said = LogKey {
        origin: state.keys.origin.clone(),
        public_key: PublicKey::of(next),
        previous: *state.log.keyring().log().newest().key.public_key(),
        overlap,
        at: clock::now(),
        authorized_by: crate::account::COMMAND_LINE.to_owned(),
        reason,
    };
    append(state, said.subject(), &said).await
}

async fn append<P: Predicate>(state: &AppState, subject: Subject, said: &P) -> Answer<u64> {
    let statement = Statement::new(vec![subject], said).map_err(Problem::internal)?;
    let envelope = statement.sign(&state.keys.portal).map_err(Problem::internal)?;
    let entry = Entry::of(&envelope).map_err(Problem::internal)?;
    let appended = state.log.append(vec![Candidate::by_portal(entry, statement)]).await?;
    let place = appended.places.first();
    place.map(|place| place.index).ok_or_else(|| Problem::internal("no place for the key's entry"))
}
