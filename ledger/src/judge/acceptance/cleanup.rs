//! What a build leaves behind: files where a consumer would look (criterion 5), and timing caches (criterion 6).

use std::collections::BTreeMap;

use super::{Attempt, Finding, Judge};
use crate::{
    evidence::{
        acceptance::{CACHES, ListedFile, PLANS, Role, Scenario},
        artifact::{ArtifactKind, CleanupStatus, Disposition},
        timing_cache::TimingCacheMode,
    },
    log::digest::Sha256Digest,
};

/// Files by name.
type Files<'a> = BTreeMap<&'a str, Sha256Digest>;

fn files_in<'a>(listed: &'a [ListedFile], folder: &str) -> Files<'a> {
    let inside = listed.iter().filter(|file| file.name.starts_with(folder));
    inside.map(|file| (file.name.as_str(), file.digest)).collect()
}

/// Criterion 5.
pub fn files(judge: &Judge<'_>) -> Finding {
    for attempt in judge.attempts {
        if let Some((reason, what)) = left(attempt) {
            return Finding::fail(reason, format!("{}: {what}", attempt.name())).on([attempt]);
        }
    }
    let cancelled = || judge.all(Role::Faulted).filter(|attempt| attempt.is_cancelled());
    match cancelled().count() {
        0 => Finding::not_run("no_cancel", "no build was cancelled"),
        n => {
            let sentence =
                format!("{n} cancelled, each partial file accounted for; the folder as it was before");
            Finding::pass("nothing_left", sentence).on(cancelled())
        }
    }
}

/// What stands there that should not, or the other way round.
fn left(attempt: &Attempt<'_>) -> Option<(&'static str, String)> {
    let summary = attempt.summary;
    if summary.cleanup_status == CleanupStatus::Failed {
        return Some(("cleanup_failed", "cleaning up failed".to_owned()));
    }
    let mut partial = summary.artifacts.iter().filter(|it| it.kind == ArtifactKind::PartialPlan).peekable();
    if attempt.is_cancelled() && partial.peek().is_none() {
        return Some(("no_disposition", "what became of the partial file is not on record".to_owned()));
    }
    if partial.any(|it| it.disposition == Disposition::Kept) {
        return Some(("partial_kept", "a partial file was kept".to_owned()));
    }
    let before = files_in(&attempt.listing.before, PLANS);
    let after = files_in(&attempt.listing.after, PLANS);
    let plan = summary.plan().and_then(|plan| {
        let name = plan.name.rsplit('/').next().unwrap_or(&plan.name);
        Some((format!("{PLANS}{name}"), plan.digest?))
    });
    let mut expected = before;
    if let Some((name, digest)) = &plan {
        expected.insert(name, *digest);
    }
    if after == expected {
        return None;
    }
    let strange = after.iter().find(|(name, digest)| expected.get(*name) != Some(digest));
    Some(match strange {
        Some((name, _)) => ("file_left", format!("{name} was not there before, or is another file")),
        None => ("file_gone", "a file that stood there before, or the plan, is gone".to_owned()),
    })
}

/// Criterion 6.
pub fn caches(judge: &Judge<'_>) -> Finding {
    for attempt in judge.attempts {
        if let Some((reason, what)) = unproven(attempt) {
            return Finding::fail(reason, format!("{}: {what}", attempt.name())).on([attempt]);
        }
    }
    let suspect = suspects(judge);
    let reused = judge.attempts.iter().find(|attempt| {
        matches!(attempt.summary.timing_cache_mode, TimingCacheMode::Reused | TimingCacheMode::Updated)
            && attempt.summary.timing_cache.digest_before.is_some_and(|digest| suspect.contains(&digest))
    });
    if let Some(attempt) = reused {
        let sentence = format!("{} used a timing cache that was not to be trusted", attempt.name());
        return Finding::fail("suspect_reused", sentence).on([attempt]);
    }
    let mut modes: Vec<String> =
        judge.attempts.iter().map(|it| crate::evidence::code(&it.summary.timing_cache_mode)).collect();
    modes.sort_unstable();
    modes.dedup();
    let sentence = format!(
        "{} runs: {}; {} suspect caches offered, none used",
        judge.attempts.len(),
        modes.join(", "),
        suspect.len()
    );
    Finding::pass("decided", sentence).on(judge.attempts)
}

/// Caches that were damaged on purpose, and those that a build did not trust.
fn suspects(judge: &Judge<'_>) -> Vec<Sha256Digest> {
    let distrusted = |attempt: &Attempt<'_>| {
        let damaged = judge.scenario == Scenario::ColdTimingCache && attempt.role == Role::Faulted;
        let mode = attempt.summary.timing_cache_mode;
        damaged || matches!(mode, TimingCacheMode::Discarded | TimingCacheMode::Quarantined)
    };
    let distrusted = judge.attempts.iter().filter(|attempt| distrusted(attempt));
    let mut digests: Vec<_> = distrusted.filter_map(|it| it.summary.timing_cache.digest_before).collect();
    digests.sort_unstable();
    digests.dedup();
    digests
}

/// Why a recorded decision on the cache cannot be right, or cannot be known to be.
fn unproven(attempt: &Attempt<'_>) -> Option<(&'static str, String)> {
    let (mode, cache) = (attempt.summary.timing_cache_mode, &attempt.summary.timing_cache);
    if cache.reasons.is_empty() || cache.policy.is_empty() {
        return Some(("no_reason", "the decision on the timing cache has no reason or no policy".to_owned()));
    }
    let offered = cache.digest_before.is_some();
    let contradicted = match mode {
        TimingCacheMode::Cold => offered,
        TimingCacheMode::Reused => !offered,
        TimingCacheMode::Updated => !offered || cache.digest_after.is_none(),
        _ => false,
    };
    if contradicted {
        return Some((
            "cache_contradicted",
            "the mode of the timing cache and its digests do not fit".to_owned(),
        ));
    }
    let writes = matches!(mode, TimingCacheMode::Cold | TimingCacheMode::Updated) && !attempt.is_cancelled();
    let before = files_in(&attempt.listing.before, CACHES);
    let after = files_in(&attempt.listing.after, CACHES);
    // Set apart is allowed, another content is not.
    let changed = after.iter().any(|(name, digest)| before.get(name) != Some(digest));
    (changed && !writes)
        .then(|| ("cache_changed", "a timing cache that was not to be written was written".to_owned()))
}
