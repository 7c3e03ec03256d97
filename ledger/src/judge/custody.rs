//! Which blobs a store must hold, by the log: every one that an entry names, but for bundles that were purged since.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    evidence::{
        blob::named_blobs,
        retention::{RetentionRecord, RetentionState},
    },
    log::{
        digest::Sha256Digest,
        statement::{Predicate as _, Says, StatementError},
    },
};

/// The fold over the log's statements, in their order; or over what is said of those blobs alone that are not there.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Need>", into = "Vec<Need>")]
pub struct Custody {
    /// Why each blob is needed: the first entry that names it, by the retained bundle that the entry is about.
    needs: BTreeMap<Sha256Digest, BTreeMap<Option<Sha256Digest>, u64>>,
}

impl Custody {
    /// Takes in the next entry. An error says that its predicate cannot be read; nothing is taken in then.
    pub fn apply(&mut self, index: u64, statement: &impl Says) -> Result<(), StatementError> {
        let blobs = named_blobs(statement)?;
        let retained = Retained::of(statement)?;
        if let Some(bundle) = retained.as_ref().and_then(Retained::purged) {
            self.purge(bundle);
        }
        let about = retained.map(|it| it.bundle);
        blobs.into_iter().for_each(|blob| self.need(index, blob, about));
        Ok(())
    }

    /// An entry needs a blob, be it for the retained bundle that it is about.
    pub fn need(&mut self, index: u64, blob: Sha256Digest, about: Option<Sha256Digest>) {
        self.needs.entry(blob).or_default().entry(about).or_insert(index);
    }

    /// A bundle's bytes are gone, whoever else named them; its configuration stays where others need it.
    pub fn purge(&mut self, bundle: Sha256Digest) {
        self.needs.remove(&bundle);
        self.needs.retain(|_, causes| {
            causes.remove(&Some(bundle));
            !causes.is_empty()
        });
    }

    /// The blobs that must be there, each with the first entry that needs it, by digest.
    pub fn needed(&self) -> impl Iterator<Item = (Sha256Digest, u64)> {
        self.needs.iter().filter_map(|(blob, causes)| Some((*blob, *causes.values().min()?)))
    }
}

/// What an entry says of a bundle that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retained {
    /// The bundle's digest.
    pub bundle: Sha256Digest,
    state: RetentionState,
}

impl Retained {
    /// Reads it out of a statement; none where that is about something else.
    pub fn of(statement: &impl Says) -> Result<Option<Self>, StatementError> {
        if statement.predicate_type() != RetentionRecord::TYPE {
            return Ok(None);
        }
        let record: RetentionRecord = statement.says()?;
        Ok(Some(Self { bundle: record.bundle.digest, state: record.state }))
    }

    /// The bundle, if this says that it was purged.
    pub fn purged(&self) -> Option<Sha256Digest> {
        (self.state == RetentionState::Purged).then_some(self.bundle)
    }
}

/// One cause for which a blob must be there, as it is stored between two parts of an audit.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Need {
    blob: Sha256Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    about: Option<Sha256Digest>,
    entry: u64,
}

impl From<Vec<Need>> for Custody {
    fn from(needs: Vec<Need>) -> Self {
        let mut custody = Self::default();
        needs.into_iter().for_each(|need| custody.need(need.entry, need.blob, need.about));
        custody
    }
}

impl From<Custody> for Vec<Need> {
    fn from(custody: Custody) -> Self {
        let needs = custody.needs.into_iter().flat_map(|(blob, causes)| {
            causes.into_iter().map(move |(about, entry)| Need { blob, about, entry })
        });
        needs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        evidence::build::BlobRef,
        log::{statement::Statement, timestamp::Timestamp},
    };

    fn retention(bundle: u8, config: u8, state: RetentionState) -> Statement {
        let blob =
            |number: u8| BlobRef { digest: Sha256Digest([number; 32]), bytes: 1, media_type: String::new() };
        let record = RetentionRecord {
            route: "a/b".to_owned(),
            bundle: blob(bundle),
            runtime_config: blob(config),
            state,
            retained_until: None,
            at: Timestamp::from_unix_ms(0).unwrap(),
            purged_by: None,
            chain: None,
        };
        Statement::new(Vec::new(), &record).unwrap()
    }

    #[test]
    fn what_was_purged_is_not_missed_and_what_others_need_is() {
        use RetentionState::{Purged, Retained};
        for (what, records, expected) in [
            ("retained", vec![(1, 9, Retained)], vec![(1, 0), (9, 0)]),
            ("retained twice", vec![(1, 9, Retained), (1, 9, Retained)], vec![(1, 0), (9, 0)]),
            ("purged", vec![(1, 9, Retained), (1, 9, Purged)], vec![]),
            (
                "another bundle with the same configuration",
                vec![(1, 9, Retained), (2, 9, Retained), (1, 9, Purged)],
                vec![(2, 1), (9, 1)],
            ),
            (
                "retained again",
                vec![(1, 9, Retained), (1, 9, Purged), (1, 9, Retained)],
                vec![(1, 2), (9, 2)],
            ),
            ("purged before it was known", vec![(1, 9, Purged)], vec![]),
        ] {
            let mut custody = Custody::default();
            for (index, (bundle, config, state)) in records.into_iter().enumerate() {
                custody.apply(index as u64, &retention(bundle, config, state)).unwrap();
            }
            let found: Vec<_> = custody.needed().map(|(blob, entry)| (blob.0[0], entry)).collect();
            assert_eq!(found, expected, "{what}");
            let stored = serde_json::to_string(&custody).unwrap();
            let read: Custody = serde_json::from_str(&stored).unwrap();
            assert!(read.needed().eq(custody.needed()), "{what}: {stored}");
        }
    }
}
