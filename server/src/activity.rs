//! What agents have signed, and what their chains show. A chain is judged again when its agent has signed something.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use acta_ledger::judge::chain::{self, ChainState};

use crate::{error::Answer, startup::AppState, store::agent};

/// What is known of one agent's entries up to its newest.
#[derive(Debug)]
pub struct Signed {
    /// How many of each predicate type, the most first.
    pub kinds: Vec<(String, u64)>,
    /// When the newest was logged, in milliseconds since 1970.
    pub last_at: Option<i64>,
    /// Its chains.
    pub chains: Vec<ChainState>,
}

impl Signed {
    /// How many entries there are of all kinds.
    pub fn entries(&self) -> u64 {
        self.kinds.iter().map(|(_, entries)| entries).sum()
    }
}

/// What a judgement rests on: the agent's newest entry and the entries that enrolled it. Entries below stay as they are.
type RestsOn = (Option<u64>, Vec<u64>);

/// The judgements of agents by their names.
#[derive(Default)]
pub struct Activity(Mutex<HashMap<String, (RestsOn, Arc<Signed>)>>);

/// What an agent has signed below the newest tree head.
pub async fn of(state: &AppState, name: &str) -> Answer<Arc<Signed>> {
    let (pool, size) = (&state.database.read, state.log.head().head.size);
    let newest = agent::newest(pool, name, size).await?;
    let rests_on = (newest.map(|(index, _)| index), state.log.keyring().enrolments(name));
    let held = state.activity.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
    if let Some((_, signed)) = held.filter(|(on, _)| *on == rests_on) {
        return Ok(signed);
    }
    let statements = agent::chain(pool, name, size).await?;
    let signed = Arc::new(Signed {
        kinds: agent::kinds(pool, name, size).await?,
        last_at: newest.map(|(_, at)| at),
        chains: chain::judge(&statements, &rests_on.1, size),
    });
    let mut held = state.activity.0.lock().unwrap_or_else(PoisonError::into_inner);
    held.insert(name.to_owned(), (rests_on, Arc::clone(&signed)));
    Ok(signed)
}
