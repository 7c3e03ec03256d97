//! Which blobs a store must hold, by the log: every one that an entry names, but for bundles that were purged since.

use std::collections::BTreeMap;

use crate::{
    evidence::{
        blob::named_blobs,
        retention::{RetentionRecord, RetentionState},
    },
    log::{
        digest::Sha256Digest,
        statement::{Predicate as _, Statement, StatementError},
    },
};

/// The fold over the log's statements, in their order.
#[derive(Debug, Clone, Default)]
pub struct Custody {
    /// Why each blob is needed: the first entry that names it, by the retained bundle that the entry is about.
    needs: BTreeMap<Sha256Digest, BTreeMap<Option<Sha256Digest>, u64>>,
}

impl Custody {
    /// Takes in the next entry. An error says that its predicate cannot be read; nothing is taken in then.
    pub fn apply(&mut self, index: u64, statement: &Statement) -> Result<(), StatementError> {
        let blobs = named_blobs(statement)?;
        let mut about = None;
        if statement.predicate_type == RetentionRecord::TYPE {
            let record: RetentionRecord = statement.predicate()?;
            about = Some(record.bundle.digest);
            if record.state == RetentionState::Purged {
                // The bundle's bytes are gone, whoever else named them; its configuration stays where others need it.
                self.needs.remove(&record.bundle.digest);
                for causes in self.needs.values_mut() {
                    causes.remove(&about);
                }
            }
        }
        for blob in blobs {
            self.needs.entry(blob).or_default().entry(about).or_insert(index);
        }
        Ok(())
    }

    /// The blobs that must be there, each with the first entry that needs it, by digest.
    pub fn needed(&self) -> impl Iterator<Item = (Sha256Digest, u64)> {
        self.needs.iter().filter_map(|(blob, causes)| Some((*blob, *causes.values().min()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{evidence::build::BlobRef, log::timestamp::Timestamp};

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
        }
    }
}
