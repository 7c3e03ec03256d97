//! What is usual: how long each phase stayed open, and how long it was silent, in builds of the same kind.
//!
//! "Nothing happens" is the normal state of a healthy build, so that a number means something only beside the numbers
//! of earlier builds. Builds are of the same kind if TensorRT's build, the GPU, the configuration and the state of the
//! timing cache are the same; a phase is the same if its path of normalised names is, and whether it is the first of its
//! name under its parent. Only builds that completed undisturbed count, and each gives one sample a phase: its longest.
//! So `n` is a number of builds, and a phase that is repeated a thousand times in one build is still one sample.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::percentile::{Samples, needed};
use crate::{
    evidence::{
        build::{BuildSummary, BuilderKind, Outcome},
        phase_tree::PhaseTree,
        timing_cache::TimingCacheMode,
    },
    log::digest::Sha256Digest,
};

/// The percentile beyond which a value is unusual, in thousandths.
const UNUSUAL: u32 = 950;

/// How many runs a baseline keeps the entries of.
const MAX_ENTRIES: usize = 1_000;

/// Names that carry a layer's name behind these words.
const LAYER_NAMED: [&str; 2] = ["Finding fastest tactic for ", "Measuring tactic time for "];

/// The state of the timing cache, as far as it decides how long a build takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheClass {
    /// The library has no use for one.
    Unused,
    /// Every tactic is timed: none was offered, or it was thrown away.
    Cold,
    /// Timings of earlier builds are at hand.
    Warm,
}

impl CacheClass {
    /// The modes that are of this class.
    pub fn modes(self) -> &'static [TimingCacheMode] {
        match self {
            Self::Unused => &[TimingCacheMode::NotApplicable],
            Self::Cold => &[TimingCacheMode::Cold, TimingCacheMode::Discarded],
            Self::Warm => &[TimingCacheMode::Reused, TimingCacheMode::Updated, TimingCacheMode::Quarantined],
        }
    }
}

impl From<TimingCacheMode> for CacheClass {
    fn from(mode: TimingCacheMode) -> Self {
        match mode {
            TimingCacheMode::NotApplicable => Self::Unused,
            TimingCacheMode::Cold | TimingCacheMode::Discarded => Self::Cold,
            // It was attached while the build ran; what came back was set apart.
            TimingCacheMode::Reused | TimingCacheMode::Updated | TimingCacheMode::Quarantined => Self::Warm,
        }
    }
}

/// What builds must have in common to be compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BaselineKey {
    /// What built: what a simulated builder shows says nothing about a real one.
    pub builder: BuilderKind,
    /// TensorRT's version with its build number.
    pub tensorrt_version: String,
    /// The GPU.
    pub gpu_sku: String,
    /// The digest of the builder's inputs: two builds with one digest were asked for the same.
    pub build_config_hash: Sha256Digest,
    /// The timing cache's state.
    pub cache: CacheClass,
}

impl BaselineKey {
    /// The key of a build.
    pub fn of(summary: &BuildSummary) -> Self {
        Self {
            builder: summary.builder,
            tensorrt_version: summary.tensorrt_version.clone(),
            gpu_sku: summary.gpu_sku.clone(),
            build_config_hash: summary.build_config_hash,
            cache: summary.timing_cache_mode.into(),
        }
    }
}

/// Whether a phase is the first of its name under its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OccurrenceClass {
    /// The first.
    First,
    /// One after it.
    Later,
}

/// A place in the tree of phases, the same in every build. Without a name: no phase is open.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// Normalised names from the root down.
    pub path: Vec<String>,
    /// Whether it is the first of its name there.
    pub occurrence: OccurrenceClass,
}

impl Place {
    /// The place where no phase is open: before the first, or while the library serializes.
    pub fn outside() -> Self {
        Self { path: Vec::new(), occurrence: OccurrenceClass::First }
    }

    /// The place of names from the root down.
    pub fn of_names<'a>(names: impl IntoIterator<Item = &'a str>, occurrence: u32) -> Self {
        let path = names.into_iter().map(normalised).collect();
        let occurrence = if occurrence == 0 { OccurrenceClass::First } else { OccurrenceClass::Later };
        Self { path, occurrence }
    }

    /// The place of a phase.
    pub fn of(tree: &PhaseTree, id: u32) -> Self {
        let occurrence = tree.phases.get(id as usize).map_or(0, |phase| phase.occurrence);
        Self::of_names(tree.path(id), occurrence)
    }

    /// How deep it stands; 0 for a root.
    pub fn depth(&self) -> usize {
        self.path.len().saturating_sub(1)
    }

    /// The innermost name; none where no phase is open.
    pub fn name(&self) -> Option<&str> {
        self.path.last().map(String::as_str)
    }
}

/// A phase's name without what differs from network to network: names of layers, and numbers.
pub fn normalised(name: &str) -> String {
    let name = name.trim();
    if let Some(words) =
        LAYER_NAMED.iter().find(|words| name.len() > words.len() && name.starts_with(**words))
    {
        return format!("{words}*");
    }
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            other => out.push(other),
        }
    }
    out
}

/// An entry that something rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryRef {
    /// The run that it tells about.
    pub run: Uuid,
    /// The entry's digest.
    pub digest: Sha256Digest,
    /// Its index in the log, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
}

/// How a value stands to those that were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// There are too few to say.
    TooSmall,
    /// Up to the 95th percentile.
    Within,
    /// Beyond the 95th percentile, up to the longest.
    BeyondP95,
    /// Longer than every one before.
    BeyondLongest,
}

/// A value beside its baseline; milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// How it stands.
    pub standing: Standing,
    /// The value.
    pub value_ms: f64,
    /// How many builds the baseline has.
    pub n: usize,
    /// How many it needs before it says anything.
    pub needed: usize,
    /// The 95th percentile, where there are enough.
    pub p95_ms: Option<f64>,
    /// The longest seen, where any was.
    pub longest_ms: Option<f64>,
}

/// Compares a value with samples, both in milliseconds. Samples that are no measurements make no baseline.
pub fn compare(value_ms: f64, samples: &[f64]) -> Comparison {
    let needed = needed(UNUSUAL);
    let samples = Samples::new(samples).ok();
    let n = samples.as_ref().map_or(0, Samples::count);
    let longest_ms = samples.as_ref().map(Samples::max);
    let p95_ms = samples.as_ref().and_then(|samples| samples.percentile(UNUSUAL).value());
    let standing = match (p95_ms, longest_ms) {
        _ if !value_ms.is_finite() || value_ms < 0.0 => Standing::TooSmall,
        (Some(p95), _) if value_ms <= p95 => Standing::Within,
        (Some(_), Some(longest)) if value_ms <= longest => Standing::BeyondP95,
        (Some(_), Some(_)) => Standing::BeyondLongest,
        _ => Standing::TooSmall,
    };
    Comparison { standing, value_ms, n, needed, p95_ms, longest_ms }
}

#[derive(Debug, Clone, Default)]
struct Seen {
    open_ms: Vec<f64>,
    silent_ms: Vec<f64>,
}

/// The baselines of one kind of build, place by place.
#[derive(Debug, Clone)]
pub struct Baseline {
    key: BaselineKey,
    places: BTreeMap<Place, Seen>,
    entries: Vec<EntryRef>,
    builds: usize,
}

impl Baseline {
    /// A baseline without a build.
    pub fn new(key: BaselineKey) -> Self {
        Self { key, places: BTreeMap::new(), entries: Vec::new(), builds: 0 }
    }

    /// Takes a build, if it is of this kind, completed undisturbed and nothing of its tree was lost. The caller gives
    /// each build once.
    pub fn take(&mut self, summary: &BuildSummary, tree: &PhaseTree, entry: EntryRef) -> bool {
        let whole = tree.lost_events == 0 && tree.phases_not_kept == 0 && tree.is_well_formed();
        let undisturbed = summary.outcome == Outcome::Completed && summary.cancel.is_none();
        if !whole || !undisturbed || BaselineKey::of(summary) != self.key {
            return false;
        }
        for (place, (open_ms, silent_ms)) in longest(tree) {
            let seen = self.places.entry(place).or_default();
            seen.open_ms.push(open_ms);
            seen.silent_ms.push(silent_ms);
        }
        self.builds += 1;
        if self.entries.len() < MAX_ENTRIES {
            self.entries.push(entry);
        }
        true
    }

    /// How many builds it has.
    pub fn builds(&self) -> usize {
        self.builds
    }

    /// The entries that it rests on, at most 1,000.
    pub fn entries(&self) -> &[EntryRef] {
        &self.entries
    }

    /// How long the phase is open, beside how long it was open before.
    pub fn duration(&self, place: &Place, open_ms: f64) -> Comparison {
        compare(open_ms, self.places.get(place).map_or(&[], |seen| seen.open_ms.as_slice()))
    }

    /// How long the phase is silent, beside how long it was silent before.
    pub fn silence(&self, place: &Place, silent_ms: f64) -> Comparison {
        compare(silent_ms, self.places.get(place).map_or(&[], |seen| seen.silent_ms.as_slice()))
    }
}

/// The longest opening and the longest silence of each place in one build, in milliseconds.
fn longest(tree: &PhaseTree) -> BTreeMap<Place, (f64, f64)> {
    let mut out: BTreeMap<Place, (f64, f64)> = BTreeMap::new();
    let mut note = |place: Place, open_ms: f64, silent_ms: f64| {
        let seen = out.entry(place).or_default();
        *seen = (seen.0.max(open_ms), seen.1.max(silent_ms));
    };
    let mut ended = 0;
    for phase in &tree.phases {
        let Some(finished) = phase.finished else { continue };
        ended = ended.max(finished.0);
        let (open, silent) = (phase.duration_ns(finished.0), phase.longest_silence.0);
        note(Place::of(tree, phase.id), exact_ms(open), exact_ms(silent));
    }
    if !tree.phases.is_empty() {
        let tail = exact_ms(tree.duration.0.saturating_sub(ended));
        note(Place::outside(), tail, tail);
    }
    out
}

/// Milliseconds, not rounded.
pub(super) fn exact_ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evidence::{
        cancel::CancelState,
        phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    };

    /// Milliseconds in nanoseconds.
    pub const MS: u64 = 1_000_000;

    /// A tree of `Building engine` > `Optimizing graph`, which is silent for `silent_ms`.
    pub fn tree(silent_ms: u64) -> PhaseTree {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        let mut at = 0;
        let mut say = |wait: u64, name: &str, kind: RawKind<'_>| {
            at += wait * MS;
            let cancel = CancelState::None;
            builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel });
        };
        say(0, "Building engine", RawKind::Start { parent: None, steps: 6 });
        say(1, "Optimizing graph", RawKind::Start { parent: Some("Building engine".into()), steps: 3 });
        say(silent_ms, "Optimizing graph", RawKind::Step { step: 0, answered_stop: false });
        say(1, "Optimizing graph", RawKind::Finish);
        say(1, "Building engine", RawKind::Finish);
        builder.finish(at + 7 * MS, Ending::Returned)
    }

    /// The place of the inner phase of [`tree`].
    pub fn inner() -> Place {
        Place::of_names(["Building engine", "Optimizing graph"], 0)
    }

    #[test]
    fn names_of_layers_and_numbers_do_not_count() {
        for (name, expected) in [
            ("Building engine", "Building engine"),
            ("Finding fastest tactic for Times212", "Finding fastest tactic for *"),
            ("Finding fastest tactic for ", "Finding fastest tactic for"),
            ("Profile 12 of 3", "Profile # of #"),
            (" conv_1_2 ", "conv_#_#"),
            ("", ""),
        ] {
            assert_eq!(normalised(name), expected, "{name:?}");
        }
        assert_eq!(Place::of_names(["a 1", "b"], 3), Place::of_names(["a 2", "b"], 1));
        assert_ne!(Place::of_names(["a", "b"], 0), Place::of_names(["a", "b"], 1));
    }

    #[test]
    fn each_mode_is_of_the_class_that_lists_it() {
        let listed = |class: CacheClass| class.modes().iter().map(move |&mode| (mode, class));
        let all: Vec<_> =
            [CacheClass::Unused, CacheClass::Cold, CacheClass::Warm].into_iter().flat_map(listed).collect();
        assert_eq!(all.len(), 6);
        for (mode, class) in all {
            assert_eq!(CacheClass::from(mode), class, "{mode:?}");
        }
    }

    #[test]
    fn a_build_gives_one_sample_a_place() {
        let found = longest(&tree(40));
        assert_eq!(found[&inner()], (41.0, 40.0));
        assert_eq!(found[&Place::of_names(["Building engine"], 0)], (43.0, 40.0));
        assert_eq!(found[&Place::outside()], (7.0, 7.0));
        assert_eq!(found.len(), 3);
        assert!(longest(&PhaseTreeBuilder::new(Uuid::nil()).snapshot(9)).is_empty());
    }

    #[test]
    fn a_value_stands_in_one_of_four_ways() {
        let twenty: Vec<f64> = (1..=20).map(f64::from).collect();
        for (value, samples, standing) in [
            (5.0, &twenty[..], Standing::Within),
            (19.05, &twenty, Standing::Within),
            (19.5, &twenty, Standing::BeyondP95),
            (20.0, &twenty, Standing::BeyondP95),
            (20.1, &twenty, Standing::BeyondLongest),
            (5.0, &twenty[..19], Standing::TooSmall),
            (500.0, &twenty[..19], Standing::TooSmall),
            (500.0, &[], Standing::TooSmall),
            (f64::NAN, &twenty, Standing::TooSmall),
            (-1.0, &twenty, Standing::TooSmall),
            (1.0, &[f64::NAN; 20], Standing::TooSmall),
        ] {
            let found = compare(value, samples);
            assert_eq!(found.standing, standing, "{value} of {}", samples.len());
            assert_eq!(found.needed, 20);
        }
        assert_eq!((compare(5.0, &twenty[..19]).n, compare(5.0, &twenty[..19]).longest_ms), (19, Some(19.0)));
    }

    proptest! {
        /// One more build that took longer never makes a verdict worse.
        #[test]
        fn a_longer_sample_never_makes_it_worse(
            samples in prop::collection::vec(0.1_f64..1e6, 20..60), value in 0.0_f64..2e6, more in 0.0_f64..1e6,
        ) {
            let before = compare(value, &samples);
            let longer = samples.iter().copied().fold(value, f64::max) + more;
            let after = compare(value, &[samples, vec![longer]].concat());
            prop_assert!(after.standing <= before.standing, "{before:?} {after:?}");
        }

        /// Few builds never give a percentile, and never an alarm.
        #[test]
        fn a_small_baseline_says_only_how_small_it_is(
            samples in prop::collection::vec(0.1_f64..1e6, 0..20), value in 0.0_f64..2e6,
        ) {
            let found = compare(value, &samples);
            prop_assert_eq!((found.standing, found.p95_ms, found.n), (Standing::TooSmall, None, samples.len()));
        }

        /// The longer the value, the worse it stands.
        #[test]
        fn a_longer_value_never_stands_better(
            samples in prop::collection::vec(0.1_f64..1e6, 0..60), value in 0.0_f64..2e6, more in 0.0_f64..1e6,
        ) {
            prop_assert!(compare(value, &samples).standing <= compare(value + more, &samples).standing);
        }

        /// Normalising twice is normalising once: names can be compared in either form.
        #[test]
        fn a_normal_name_stays_as_it_is(name in "\\PC{0,40}") {
            let once = normalised(&name);
            prop_assert_eq!(normalised(&once), once);
        }
    }
}
