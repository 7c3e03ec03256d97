//! What became of a timing cache, from what was observed.
//!
//! Of what TensorRT answers, nothing proves that a cache was used: garbage makes a cache too, and attaching it says
//! yes. A mode is therefore only as good as what it rests on, and a doubt always makes it worse, never better.

use crate::evidence::timing_cache::TimingCacheMode;

/// The policy that is followed, as it is recorded and hashed.
pub const POLICY: &str = "strict: never accepted over a mismatch; written back atomically, only by a build that \
                          completed and only if the library accepted it";

/// What was observed.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// The library has no use for a timing cache (TensorRT-RTX).
    pub rtx: bool,
    /// A setting switches it off.
    pub switched_off: Option<&'static str>,
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
}

/// How the entries differ after the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    /// Entries that are new.
    pub added: usize,
    /// Entries that are gone.
    pub removed: usize,
    /// Entries with another tactic.
    pub changed: usize,
}

impl Changes {
    fn any(self) -> bool {
        self != Self::default()
    }
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
        ] {
            let (mode, reasons) = judge(&seen);
            assert_eq!(mode, expected, "{seen:?}");
            assert!(reasons.join("\n").contains(because), "{reasons:?}");
        }
    }
}
