//! What a log says of the timing cache. It shows what was offered and whether the library complained; whether the
//! entries are the same afterwards needs both files' digests, so that a reuse is never proven by a log.

use acta_ledger::evidence::{number::Count64, timing_cache::TimingCacheMode};
use serde::Serialize;

use super::Ending;

/// The reading.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CacheReading {
    /// The mode in its options: `local`, `global`, `disable`.
    option: Option<String>,
    /// The file in its options.
    file: Option<String>,
    /// The length of what was offered; none where nothing was.
    offered_bytes: Option<Count64>,
    /// What the tool says it saved.
    saved_bytes: Option<Count64>,
    /// The library's complaints.
    complaints: Vec<String>,
    /// The state as far as the log shows it; none where it shows nothing.
    state: Option<TimingCacheMode>,
    /// Whether the log proves it.
    proven: bool,
    /// Whether the file must be set apart until its digest is on record.
    quarantine_file: bool,
    /// How this was read.
    reasons: Vec<&'static str>,
}

/// Reads the lines that speak about it.
pub(super) fn read(messages: &[(char, &str)], ending: Ending) -> CacheReading {
    let has = |words: &str| messages.iter().any(|(_, text)| text.contains(words));
    let option = |key: &str| {
        let value = messages.iter().find_map(|(_, text)| text.strip_prefix(key)?.strip_prefix(':'));
        value.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let bytes = |before: &str, after: &str| {
        messages.iter().rev().find_map(|(_, text)| {
            let (number, _) = text.strip_prefix(before)?.split_once(after)?;
            number.parse().ok().map(Count64)
        })
    };
    let offered = bytes("Loaded ", " bytes of timing cache").filter(|bytes| bytes.0 > 0);
    let saved = bytes("Saved ", " bytes of timing cache");
    let complaints = [
        "Timing cache header mismatch",
        "Failed to deserialize timing cache",
        "The timing cache will not be used",
    ];
    let complaints: Vec<String> = messages
        .iter()
        .filter(|(_, text)| complaints.iter().any(|words| text.starts_with(words)))
        .map(|(_, text)| (*text).to_owned())
        .take(10)
        .collect();
    let corrupt = has("Failed to deserialize timing cache");
    let (local, global) = (has("Local timing cache in use"), has("Global timing cache in use"));
    let began = local || global || has("Timing cache disabled");
    let file = option("timingCacheFile");

    let (state, proven, quarantine_file, reasons) = if has("Timing cache disabled") {
        (Some(TimingCacheMode::NotApplicable), true, false, vec!["it was switched off"])
    } else if offered.is_some() && ending == Ending::None {
        (
            Some(TimingCacheMode::Quarantined),
            true,
            true,
            vec!["the build did not end while the cache was attached"],
        )
    } else if corrupt {
        (
            Some(TimingCacheMode::Discarded),
            true,
            true,
            vec![
                "the library could not read it and began an empty one",
                "the file was written over: set it apart until its digest is on record",
            ],
        )
    } else if offered.is_some() && (!complaints.is_empty() || local) {
        (
            Some(TimingCacheMode::Discarded),
            true,
            false,
            vec!["it was offered and not used", "what was saved afterwards is no evidence of an update"],
        )
    } else if offered.is_some() && global {
        (
            Some(TimingCacheMode::Reused),
            false,
            false,
            vec!["it was accepted; that its entries are the same afterwards needs the digests of both files"],
        )
    } else if began {
        (Some(TimingCacheMode::Cold), true, false, vec!["none was offered"])
    } else {
        (None, false, file.is_some() && ending == Ending::None, vec!["the build was never reached"])
    };
    CacheReading {
        option: option("timingCacheMode"),
        file,
        offered_bytes: offered,
        saved_bytes: saved,
        complaints,
        state,
        proven,
        quarantine_file,
        reasons,
    }
}
