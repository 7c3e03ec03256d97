//! The kinds of runs: what filters are held against, and what is counted by.

use std::sync::Arc;

use acta_app::view::FilterChoices;
use acta_ledger::{
    evidence::route::ValidationStatus,
    judge::filter::{Filter, RunKind},
};
use sqlx::{SqlitePool, query};

use crate::remembered::Standing;

/// A kind and how many runs are of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// Its id.
    pub id: i64,
    /// What its runs have in common.
    pub facts: RunKind,
    /// How many runs.
    pub runs: u64,
}

/// All kinds, and what a filter's fields can be.
pub struct Known {
    /// The kinds, by their ids.
    pub kinds: Vec<Kind>,
    /// What fields can be.
    pub choices: FilterChoices,
}

impl Known {
    /// The ids of the kinds that something is true of, as a query takes them.
    pub fn ids(&self, of: impl Fn(&RunKind) -> bool) -> String {
        let ids: Vec<i64> = self.kinds.iter().filter(|kind| of(&kind.facts)).map(|kind| kind.id).collect();
        serde_json::json!(ids).to_string()
    }
}

/// The kinds as they were when the log had a size.
pub struct Kinds(Standing<(), Known>);

impl Default for Kinds {
    fn default() -> Self {
        Self(Standing::new(1))
    }
}

impl Kinds {
    /// All kinds, at least as new as the log of `size` entries.
    pub async fn at(&self, pool: &SqlitePool, size: u64) -> sqlx::Result<Arc<Known>> {
        let look = async {
            let kinds = read(pool).await?;
            Ok(Known { choices: choices(&kinds), kinds })
        };
        self.0.at((), size, look).await
    }
}

async fn read(pool: &SqlitePool) -> sqlx::Result<Vec<Kind>> {
    let rows = query!("select id, facts, runs from run_kind order by id").fetch_all(pool).await?;
    rows.into_iter()
        .map(|row| {
            let facts =
                serde_json::from_str(&row.facts).map_err(|error| sqlx::Error::Decode(error.into()))?;
            Ok(Kind { id: row.id, facts, runs: row.runs as u64 })
        })
        .collect()
}

/// The kinds that a filter admits, as far as times do not decide.
#[derive(Debug, Clone, Default)]
pub struct Admitted {
    /// Their ids, by which a query finds them; none where all kinds are admitted.
    pub ids: Option<String>,
    /// Their runs.
    pub runs: u64,
    /// Of those, the ones that need a person.
    pub need_a_person: u64,
    /// All runs.
    pub total: u64,
}

impl Admitted {
    /// Holds a filter against each kind. `state_of` knows whether a route may be served.
    pub fn by(filter: &Filter, kinds: &[Kind], state_of: impl Fn(&str) -> Option<ValidationStatus>) -> Self {
        let mut admitted = Self::default();
        let mut ids = Vec::new();
        for kind in kinds {
            admitted.total += kind.runs;
            if filter.admits(&kind.facts, &state_of) {
                ids.push(kind.id);
                admitted.runs += kind.runs;
                admitted.need_a_person += if kind.facts.needs_person { kind.runs } else { 0 };
            }
        }
        let all = ids.len() == kinds.len();
        admitted.ids = (!all).then(|| serde_json::json!(ids).to_string());
        admitted
    }
}

fn choices(kinds: &[Kind]) -> FilterChoices {
    let distinct = |of: fn(&RunKind) -> Option<&String>| {
        let mut all: Vec<String> = kinds.iter().filter_map(|kind| of(&kind.facts)).cloned().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    FilterChoices {
        routes: distinct(|kind| kind.route.as_ref()),
        gpus: distinct(|kind| Some(&kind.gpu)),
        tensorrt: distinct(|kind| Some(&kind.tensorrt)),
    }
}
