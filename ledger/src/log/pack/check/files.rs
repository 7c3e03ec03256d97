//! A pack's files: written anew from what was understood, and compared with those that are there.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    super::{Contents, File, SUMS, entry_path, hand_over_path, sums},
    Finding,
    checking::Checking,
    finding,
};
use crate::{
    judge::{keyring::KeyLife, log_key::LogKeys},
    log::{
        key::PublicKey,
        note::VerifierKey,
        verification::{Trust, log_keys},
    },
};

impl Checking {
    /// Writes the pack anew from what was understood, and compares file by file. Says whether the README is ours.
    pub(super) fn files(&mut self, trust: &Trust, route_record: Option<Vec<u8>>) -> bool {
        let log = self.claimed_log_keys(trust);
        if self.pack.manifest.portal_key != trust.portal {
            self.wrong(Finding {
                found: Some(self.pack.manifest.portal_key.to_base64()),
                expected: Some(trust.portal.to_base64()),
                ..finding("pack.json", None, "portalKey is not the portal's key")
            });
        }
        let contents = Contents {
            manifest: self.pack.manifest.clone(),
            tree_head: self.pack.text("tree-head").unwrap_or_default(),
            consistency: self.consistency.clone(),
            route_record,
            hand_overs: self
                .pack
                .manifest
                .hand_overs
                .iter()
                .map(|at| (*at, self.pack.text(&hand_over_path(*at)).unwrap_or_default()))
                .collect(),
            keys: public_keys(&log, self.keyring.lives(), &trust.portal),
            entries: self
                .pack
                .manifest
                .entries
                .iter()
                .map(|entry| {
                    (entry.index, self.pack.held.get(&entry_path(entry.index)).cloned().unwrap_or_default())
                })
                .collect(),
            inclusion: self
                .pack
                .manifest
                .entries
                .iter()
                .map(|entry| (entry.index, self.inclusion.get(&entry.index).cloned().unwrap_or_default()))
                .collect(),
            blobs: self.pack.blobs.clone(),
        };
        let files = match contents.files() {
            Ok(files) => files,
            Err(error) => {
                self.wrong(finding("pack.json", None, error.to_string()));
                return false;
            }
        };
        let mut readme_is_ours = false;
        let mut expected = BTreeSet::new();
        for file in files {
            let path = file.path();
            let File::Held { bytes, .. } = file else {
                expected.insert(path);
                continue;
            };
            match (self.pack.held.get(&path), path.as_str()) {
                (None, _) => self.wrong(finding(&path, None, "the file is missing")),
                // What it must say follows from the other files as they are, see below.
                (Some(_), SUMS) => {}
                (Some(found), "README.md") => readme_is_ours = *found == bytes,
                (Some(found), _) if *found != bytes => {
                    self.wrong(finding(&path, None, "the file is not written as a pack writes it"));
                }
                _ => {}
            }
            expected.insert(path);
        }
        let extra: Vec<String> =
            self.pack.held.keys().filter(|path| !expected.contains(*path)).cloned().collect();
        for path in extra {
            self.wrong(finding(&path, None, "the pack has no place for this file"));
        }
        self.sums();
        readme_is_ours
    }

    /// The log's keys from the one that the pack names, which may be an earlier one than the checker trusts; both must
    /// lead to the same.
    fn claimed_log_keys(&mut self, trust: &Trust) -> LogKeys {
        let named = VerifierKey::parse(&self.pack.manifest.log_key).map_err(|error| error.to_string());
        let keys = named.and_then(|log| log_keys(&Trust { log, portal: trust.portal }, &self.hand_overs));
        match keys {
            Ok(keys) if keys.newest().key == self.keys.newest().key => keys,
            other => {
                let found = other.map_or_else(|error| error, |keys| keys.newest().key.to_string());
                self.wrong(Finding {
                    found: Some(found),
                    expected: Some(self.keys.newest().key.to_string()),
                    ..finding(
                        "pack.json",
                        None,
                        "logKey is not the log's key, nor one that was handed on to it",
                    )
                });
                self.keys.clone()
            }
        }
    }

    fn sums(&mut self) {
        let found = self.pack.text(SUMS).unwrap_or_default();
        let expected = sums(&self.pack.digests);
        if found != expected {
            let differs = expected.lines().zip(found.lines()).find(|(expected, found)| expected != found);
            let (expected, found) = differs.unwrap_or(("as many lines as files", "another number"));
            let (expected, found) = (Some(expected.to_owned()), Some(found.to_owned()));
            self.wrong(Finding {
                found,
                expected,
                ..finding(SUMS, None, "it does not list the files as they are")
            });
        }
    }
}

/// The public keys of a pack by the names of their files.
pub fn public_keys(log: &LogKeys, agents: &[KeyLife], portal: &PublicKey) -> BTreeMap<String, PublicKey> {
    let mut keys = BTreeMap::from([("portal".to_owned(), *portal)]);
    for (at, life) in log.lives().enumerate() {
        let name = if at == 0 { "log".to_owned() } else { format!("log-{}", at + 1) };
        keys.insert(name, *life.key.public_key());
    }
    for life in agents {
        keys.insert(format!("agent-{}", life.public_key.id()), life.public_key);
    }
    keys
}
