//! The worker's handling of the timing cache: offer, watch, compare, and write back where the policy allows it.

use std::{fs, io, path::Path};

use acta_ffi::{BuilderConfig, BuilderFlag, Severity, TimingCache, TimingCacheKey, TimingCacheValue};
use acta_ledger::{
    evidence::timing_cache::TimingCacheMode,
    judge::timing_cache::{Changes, Observed, is_complaint, judge},
    log::digest::Sha256Digest,
};

use super::{
    framing::cut,
    protocol::{BuildOrder, CacheFacts, LibraryFamily, MAX_MESSAGE_BYTES},
};
use crate::durable;

/// How many reasons are kept.
const MAX_REASONS: usize = 12;

type Entries = std::collections::BTreeMap<TimingCacheKey, Option<TimingCacheValue>>;

/// A timing cache during one build.
pub struct CacheSession {
    file: Option<String>,
    before: Option<Vec<u8>>,
    entries_before: Option<Entries>,
    cache: Option<TimingCache>,
    seen: Observed,
}

impl CacheSession {
    /// Reads the file and offers its bytes to the library.
    pub fn offer(
        order: &BuildOrder,
        family: LibraryFamily,
        config: &mut BuilderConfig,
    ) -> Result<Self, io::Error> {
        let file = order.timing_cache.clone();
        let before = match file.as_deref().map(fs::read) {
            None => None,
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => None,
            Some(read) => Some(read?).filter(|bytes| !bytes.is_empty()),
        };
        let flagged =
            |flag: BuilderFlag| order.flags.iter().any(|name| name.eq_ignore_ascii_case(flag.name()));
        let switched_off = if order.optimization_level == Some(0) {
            Some("optimization level 0 respects no timing cache")
        } else if flagged(BuilderFlag::DisableTimingCache) {
            Some("the flag DISABLE_TIMING_CACHE is set")
        } else {
            None
        };
        let rtx = family == LibraryFamily::TensorrtRtx;
        let seen = Observed { rtx, switched_off, offered: before.is_some(), ..Observed::default() };
        let mut session = Self { file, before, entries_before: None, cache: None, seen };
        session.attach(config);
        Ok(session)
    }

    fn attach(&mut self, config: &mut BuilderConfig) {
        let useless = self.seen.rtx || self.seen.switched_off.is_some();
        if self.file.is_none() || (useless && self.before.is_none()) {
            return;
        }
        let cache = match config.create_timing_cache(self.before.as_deref().unwrap_or_default()) {
            Ok(cache) => cache,
            Err(error) => {
                self.seen.refused = Some(error.to_string());
                return;
            }
        };
        let complaints = cache.heard().log.iter().filter(|line| line.severity <= Severity::Warning);
        self.seen.complaints.extend(complaints.map(|line| line.message.clone()));
        if !useless {
            self.entries_before = cache.entries().ok();
            // Strict: a cache of another device is refused, whatever it would save.
            if let Err(error) = config.set_timing_cache(&cache, false) {
                self.seen.refused = Some(error.to_string());
            }
        }
        self.cache = Some(cache);
    }

    /// What the library said during the build, and what came out; then judges, and writes back if it may.
    pub fn conclude(
        mut self,
        completed: bool,
        said_global: bool,
        said_local: bool,
        warnings: &[String],
    ) -> CacheFacts {
        self.seen.completed = completed;
        self.seen.said_global = said_global;
        self.seen.said_local = said_local;
        if !self.seen.rtx && self.file.is_some() {
            let about = warnings.iter().filter(|message| is_complaint(message));
            self.seen.complaints.extend(about.cloned());
        }
        let after = self.cache.as_ref().and_then(|cache| cache.serialize().ok());
        self.seen.changes = self
            .cache
            .as_ref()
            .and_then(|cache| Some(compare(self.entries_before.as_ref()?, &cache.entries().ok()?)));
        let (mode, mut reasons) = judge(&self.seen);
        if let (Some(file), Some(after)) = (&self.file, &after) {
            reasons.extend(self.write_back(mode, Path::new(file), after));
        }
        let reasons =
            reasons.iter().take(MAX_REASONS).map(|text| cut(text, MAX_MESSAGE_BYTES / 8).to_owned());
        CacheFacts {
            mode,
            digest_before: self.before.as_deref().map(Sha256Digest::of),
            digest_after: after.as_deref().map(Sha256Digest::of),
            bytes_before: self.before.as_ref().map(|bytes| bytes.len() as u64),
            bytes_after: after.as_ref().map(|bytes| bytes.len() as u64),
            reasons: reasons.collect(),
        }
    }

    fn write_back(&self, mode: TimingCacheMode, file: &Path, after: &[u8]) -> Option<String> {
        let new = mode == TimingCacheMode::Cold && self.seen.completed;
        if mode != TimingCacheMode::Updated && !new {
            return None;
        }
        // Another build may have written the file meanwhile: its work is not overwritten.
        let now = fs::read(file).ok().filter(|bytes| !bytes.is_empty());
        if now != self.before {
            return Some("the file was changed by somebody else meanwhile and is left as it is".to_owned());
        }
        Some(match durable::write(file, after, 0o644) {
            Ok(()) => "written back atomically".to_owned(),
            Err(error) => format!("not written back: {error}"),
        })
    }
}

/// Compares tactics, not bytes: bytes differ between two GPUs of one kind, the tactic of a key does not.
fn compare(before: &Entries, after: &Entries) -> Changes {
    let tactic = |value: &Option<TimingCacheValue>| value.as_ref().map(|value| value.tactic_hash);
    Changes {
        added: after.keys().filter(|key| !before.contains_key(key)).count(),
        removed: before.keys().filter(|key| !after.contains_key(key)).count(),
        changed: after
            .iter()
            .filter(|(key, value)| before.get(key).is_some_and(|old| tactic(old) != tactic(value)))
            .count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tactics_are_compared_and_times_are_not() {
        let key = |n: u8| TimingCacheKey([n; 16]);
        let value = |tactic_hash, milliseconds| Some(TimingCacheValue { tactic_hash, milliseconds });
        let before = Entries::from([(key(1), value(1, 1.0)), (key(2), value(2, 1.0)), (key(3), None)]);
        let after =
            Entries::from([(key(1), value(1, 9.0)), (key(2), value(7, 1.0)), (key(4), value(4, 1.0))]);
        assert_eq!(compare(&before, &after), Changes { added: 1, removed: 1, changed: 1 });
        assert_eq!(compare(&before, &before), Changes::default());
    }
}
