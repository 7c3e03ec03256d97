//! What became of a timing cache, from what was observed.
//!
//! Of what TensorRT answers, nothing proves that a cache was used: garbage makes a cache too, and attaching it says
//! yes. A mode is therefore only as good as what it rests on, and a doubt always makes it worse, never better.

use serde::{Deserialize, Serialize};

use crate::{
    evidence::timing_cache::{CacheKind, Changes, KnownCache, TimingCacheMode},
    log::digest::Sha256Digest,
};

/// How a timing cache is treated. Under every policy a cache is attached without ignoring a mismatch, used only if it is
/// on record, and written (where it is) as a whole or not at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CachePolicy {
    /// Every tactic must come from the cache: a build for which that is not proven gives no engine.
    Strict,
    /// It is used, and written back by a build that completed.
    #[default]
    Update,
    /// It is used, and never written.
    ReadOnly,
    /// None is used.
    Off,
}

impl CachePolicy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Strict, Self::Update, Self::ReadOnly, Self::Off];

    /// The name, as a command line has it and as it is recorded and hashed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Update => "update",
            Self::ReadOnly => "read-only",
            Self::Off => "off",
        }
    }

    /// The policy of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.name() == name)
    }

    /// Whether what came back may be written.
    pub fn writes(self, mode: TimingCacheMode, completed: bool) -> bool {
        let worth = matches!(mode, TimingCacheMode::Updated | TimingCacheMode::Cold);
        self == Self::Update && worth && completed
    }

    /// Whether a plan that came out may be kept; else why not.
    pub fn keeps_plan(self, mode: TimingCacheMode) -> Result<(), String> {
        match (self, mode) {
            (Self::Strict, TimingCacheMode::Reused | TimingCacheMode::NotApplicable)
            | (Self::Update | Self::ReadOnly | Self::Off, _) => Ok(()),
            (Self::Strict, mode) => Err(format!(
                "the policy for the timing cache is strict, and that every tactic came from it is not proven: it is {}",
                crate::evidence::code(&mode)
            )),
        }
    }
}

/// Why a cache cannot be vouched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// Nobody knows who made these bytes: no build of this agent wrote them, or they were changed since.
    NotOnRecord,
    /// They were made for another library, GPU, driver or configuration.
    OfAnotherKind,
}

/// Whether bytes that are about to be offered can be vouched for.
pub fn vouch(digest: &Sha256Digest, known: Option<&KnownCache>, kind: &CacheKind) -> Result<(), Doubt> {
    let Some(known) = known.filter(|known| known.digest == *digest) else { return Err(Doubt::NotOnRecord) };
    match &known.kind {
        Some(made_for) if made_for != kind => Err(Doubt::OfAnotherKind),
        // For what a person vouches for, the library checks the device, and is not told to ignore a mismatch.
        _ => Ok(()),
    }
}

/// What was observed.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// The library has no use for a timing cache (TensorRT-RTX).
    pub rtx: bool,
    /// A setting switches it off.
    pub switched_off: Option<&'static str>,
    /// There were bytes, and they were not offered because nobody can vouch for them.
    pub doubt: Option<Doubt>,
    /// Bytes were offered.
    pub offered: bool,
    /// What the library said when it read or took them, at least a warning.
    pub complaints: Vec<String>,
    /// The library refused to attach it.
    pub refused: Option<String>,
    /// The library said that the attached cache is in use.
    pub said_global: bool,
    /// The library said that a cache of its own is in use, which discards the attached one.
    pub said_local: bool,
    /// A plan came out.
    pub completed: bool,
    /// Entries added, removed and changed; none if they could not be compared.
    pub changes: Option<Changes>,
    /// The cache came back byte for byte.
    pub same_bytes: bool,
}

/// The mode, and the facts that it rests on.
pub fn judge(seen: &Observed) -> (TimingCacheMode, Vec<String>) {
    let mut reasons: Vec<String> = Vec::new();
    if seen.rtx || seen.switched_off.is_some() {
        if seen.rtx {
            reasons.push("TensorRT-RTX makes no use of a timing cache: it does not time tactics".to_owned());
        }
        reasons.extend(seen.switched_off.map(str::to_owned));
        if seen.offered {
            reasons.push("the offered file is left as it was".to_owned());
            reasons.extend(seen.complaints.iter().map(|line| format!("the library says: {line}")));
        }
        return (TimingCacheMode::NotApplicable, reasons);
    }
    if let Some(doubt) = seen.doubt {
        reasons.push(
            match doubt {
                Doubt::NotOnRecord => "its digest is not on record: who made it, or changed it, is not known",
                Doubt::OfAnotherKind => "it is on record for another TensorRT, GPU, driver or configuration",
            }
            .to_owned(),
        );
        reasons.push("it was not offered to the library".to_owned());
        return (TimingCacheMode::Quarantined, reasons);
    }
    if !seen.offered {
        reasons.push("no bytes were offered".to_owned());
        return (TimingCacheMode::Cold, reasons);
    }
    reasons.extend(seen.complaints.iter().map(|line| format!("the library says: {line}")));
    if let Some(refusal) = &seen.refused {
        reasons.push(format!("setTimingCache without ignoring a mismatch was refused: {refusal}"));
        return (TimingCacheMode::Discarded, reasons);
    }
    if seen.said_local {
        reasons.push("the library says: Local timing cache in use".to_owned());
    }
    if !seen.complaints.is_empty() || seen.said_local {
        return (TimingCacheMode::Discarded, reasons);
    }
    reasons.push("setTimingCache without ignoring a mismatch was accepted".to_owned());
    if !seen.completed {
        reasons.push("no plan came out after it was attached: what came back is not kept".to_owned());
        return (TimingCacheMode::Quarantined, reasons);
    }
    if seen.said_global {
        reasons.push("the library says: Global timing cache in use".to_owned());
    } else {
        reasons.push("the library did not say that the attached cache is in use".to_owned());
        return (TimingCacheMode::Discarded, reasons);
    }
    match seen.changes {
        None if seen.same_bytes => {
            reasons.push("it came back byte for byte".to_owned());
            (TimingCacheMode::Reused, reasons)
        }
        None => {
            reasons.push("the entries could not be compared".to_owned());
            (TimingCacheMode::Quarantined, reasons)
        }
        Some(changes) => {
            let Changes { added, removed, changed } = changes;
            reasons.push(format!("entries: {added} added, {removed} removed, {changed} changed"));
            let mode = if changes.any() { TimingCacheMode::Updated } else { TimingCacheMode::Reused };
            (mode, reasons)
        }
    }
}

/// Whether a warning or an error is about the timing cache.
pub fn is_complaint(message: &str) -> bool {
    let lower = message.to_ascii_lowercase();
    lower.contains("timing cache") || lower.contains("timingcache")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{build::LibraryVersion, timing_cache::KNOWN_CACHE_SCHEMA};

    fn good() -> Observed {
        let changes = Some(Changes::default());
        Observed { offered: true, said_global: true, completed: true, changes, ..Observed::default() }
    }

    #[test]
    fn a_doubt_never_makes_a_mode_better() {
        use TimingCacheMode::{Cold, Discarded, NotApplicable, Quarantined, Reused, Updated};
        let complaint = vec!["Failed to deserialize timing cache".to_owned()];
        let added = Changes { added: 3, ..Changes::default() };
        for (seen, expected, because) in [
            (good(), Reused, "0 added"),
            (Observed { changes: Some(added), ..good() }, Updated, "3 added"),
            (Observed { changes: None, ..good() }, Quarantined, "could not be compared"),
            (Observed { completed: false, ..good() }, Quarantined, "no plan came out"),
            (Observed { complaints: complaint.clone(), ..good() }, Discarded, "Failed to deserialize"),
            (Observed { refused: Some("header".to_owned()), ..good() }, Discarded, "refused: header"),
            (Observed { said_local: true, ..good() }, Discarded, "Local timing cache"),
            (Observed { said_global: false, ..good() }, Discarded, "did not say"),
            (Observed { offered: false, ..good() }, Cold, "no bytes"),
            (Observed { rtx: true, complaints: complaint, ..good() }, NotApplicable, "Failed to deserialize"),
            (Observed { switched_off: Some("level 0"), ..good() }, NotApplicable, "level 0"),
            (Observed { changes: None, same_bytes: true, ..good() }, Reused, "byte for byte"),
            (
                Observed { complaints: vec!["timing cache".to_owned()], same_bytes: true, ..good() },
                Discarded,
                "timing cache",
            ),
            (Observed { doubt: Some(Doubt::NotOnRecord), ..good() }, Quarantined, "not on record"),
            (Observed { doubt: Some(Doubt::OfAnotherKind), ..good() }, Quarantined, "another TensorRT"),
            (
                Observed { rtx: true, doubt: Some(Doubt::NotOnRecord), ..good() },
                NotApplicable,
                "does not time tactics",
            ),
        ] {
            let (mode, reasons) = judge(&seen);
            assert_eq!(mode, expected, "{seen:?}");
            assert!(reasons.join("\n").contains(because), "{reasons:?}");
        }
    }

    fn kind(patch: u32, gpu: &str, flags: &[&str]) -> CacheKind {
        let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
        CacheKind {
            tensorrt: LibraryVersion { major: 10, minor: 16, patch, build: 7 },
            gpu_sku: Some(gpu.to_owned()),
            driver: Some("580.95.05".to_owned()),
            cuda: Some("13.0".to_owned()),
            config_class: CacheKind::config_class(&flags, Some(3)),
        }
    }

    #[test]
    fn only_bytes_on_record_for_exactly_this_are_vouched_for() {
        let digest = Sha256Digest::of(b"cache");
        let known = |digest: Sha256Digest, kind: Option<CacheKind>| KnownCache {
            schema: KNOWN_CACHE_SCHEMA.to_owned(),
            digest,
            bytes: 5,
            kind,
            run: None,
            entries: None,
            file: "a".to_owned(),
            at: "2026-11-29T20:00:00Z".parse().unwrap(),
        };
        let here = kind(1, "H200", &["TF32", "REFIT"]);
        let other_driver = CacheKind { driver: Some("570".to_owned()), ..here.clone() };
        let other_cuda = CacheKind { cuda: None, ..here.clone() };
        for (known, expected) in [
            (None, Err(Doubt::NotOnRecord)),
            (Some(known(Sha256Digest::of(b"other"), None)), Err(Doubt::NotOnRecord)),
            (Some(known(digest, Some(here.clone()))), Ok(())),
            (Some(known(digest, Some(kind(1, "H200", &["REFIT", "TF32", "TF32"])))), Ok(())),
            (Some(known(digest, None)), Ok(())),
            (Some(known(digest, Some(kind(2, "H200", &["TF32", "REFIT"])))), Err(Doubt::OfAnotherKind)),
            (Some(known(digest, Some(kind(1, "L4", &["TF32", "REFIT"])))), Err(Doubt::OfAnotherKind)),
            (Some(known(digest, Some(kind(1, "H200", &["TF32"])))), Err(Doubt::OfAnotherKind)),
            (Some(known(digest, Some(other_driver))), Err(Doubt::OfAnotherKind)),
            (Some(known(digest, Some(other_cuda))), Err(Doubt::OfAnotherKind)),
        ] {
            assert_eq!(vouch(&digest, known.as_ref(), &here), expected, "{known:?}");
        }
        assert_ne!(here.name(), kind(2, "H200", &["TF32", "REFIT"]).name());
        assert!(here.name().starts_with("10.16.1.7-"));
    }

    #[test]
    fn a_policy_decides_what_is_written_and_kept() {
        use CachePolicy::{Off, ReadOnly, Strict, Update};
        use TimingCacheMode::{Cold, Discarded, NotApplicable, Quarantined, Reused, Updated};
        for (policy, writes, refuses) in [
            (Strict, &[][..], &[Cold, Discarded, Quarantined, Updated][..]),
            (Update, &[Cold, Updated], &[]),
            (ReadOnly, &[], &[]),
            (Off, &[], &[]),
        ] {
            for mode in [Cold, Discarded, NotApplicable, Quarantined, Reused, Updated] {
                assert_eq!(policy.writes(mode, true), writes.contains(&mode), "{policy:?} {mode:?}");
                assert!(!policy.writes(mode, false));
                assert_eq!(policy.keeps_plan(mode).is_err(), refuses.contains(&mode), "{policy:?} {mode:?}");
            }
            assert_eq!(CachePolicy::from_name(policy.name()), Some(policy));
        }
        assert_eq!(CachePolicy::from_name("lenient"), None);
    }
}
