//! Whether the times of builds may be ranked: "B took longer than A" means something only where both did the same work
//! to the end, with the same library, for the same GPU, from the same state of the timing cache.
//!
//! What may differ is what a comparison is made for: settings, driver, machine. These explain a difference, see
//! [`super::compare::why`]. Everything here refuses the ranking, not the comparison: differences are shown all the same.

use serde::{Deserialize, Serialize};

use super::baseline::CacheClass;
use crate::evidence::{
    build::{BuildSummary, BuilderKind, Outcome},
    code,
};

/// A fact that must be the same in all builds, or hold of each, before their times are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// Each came to its end undisturbed: the time of a build that was stopped or failed says when it was stopped.
    Completed,
    /// None is simulated: its times are made up.
    Real,
    /// The same library built.
    Builder,
    /// TensorRT's version with its build number is the same.
    TensorrtVersion,
    /// The GPU is the same.
    GpuSku,
    /// The timing cache was in the same state: cold, warm, or of no use to the library.
    Cache,
    /// The network is the same, byte for byte.
    Network,
}

impl Ground {
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 7] = [
        Self::Real,
        Self::Completed,
        Self::Network,
        Self::GpuSku,
        Self::TensorrtVersion,
        Self::Builder,
        Self::Cache,
    ];

    /// What a build has to say on it.
    fn of(self, summary: &BuildSummary) -> String {
        match self {
            Self::Completed if undisturbed(summary) => code(&Outcome::Completed),
            // A build that completed although it was asked to stop, in this outcome or beside it, was disturbed.
            Self::Completed if summary.outcome == Outcome::Completed => {
                code(&Outcome::CancelRequestedButCompleted)
            }
            Self::Completed => code(&summary.outcome),
            Self::Real | Self::Builder => code(&summary.builder),
            Self::TensorrtVersion => summary.tensorrt_version.clone(),
            Self::GpuSku => summary.gpu_sku.clone(),
            Self::Cache => code(&CacheClass::from(summary.timing_cache_mode)),
            Self::Network => summary.network.digest.to_string(),
        }
    }

    /// Whether it speaks against ranking these builds.
    fn refuses(self, builds: &[&BuildSummary]) -> bool {
        match self {
            Self::Completed => !builds.iter().all(|build| undisturbed(build)),
            Self::Real => builds.iter().any(|build| build.builder == BuilderKind::Simulated),
            _ => builds.windows(2).any(|pair| self.of(pair[0]) != self.of(pair[1])),
        }
    }
}

/// Whether it completed and nobody had asked to stop: the only builds whose time says how long such a build takes.
pub fn undisturbed(summary: &BuildSummary) -> bool {
    summary.outcome == Outcome::Completed && summary.cancel.is_none()
}

/// A ground on which a ranking is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Objection {
    /// Which.
    pub ground: Ground,
    /// What each build says on it, in their order: a code, a version, a name or a digest.
    pub values: Vec<String>,
}

/// Whether the times of some builds may be ranked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparability {
    /// Whether they may.
    pub comparable: bool,
    /// Why not; empty where they may.
    pub because: Vec<Objection>,
}

/// Judges builds, each against all of the others.
pub fn comparability(builds: &[&BuildSummary]) -> Comparability {
    let because: Vec<Objection> = Ground::ALL
        .into_iter()
        .filter(|ground| ground.refuses(builds))
        .map(|ground| Objection { ground, values: builds.iter().map(|build| ground.of(build)).collect() })
        .collect();
    Comparability { comparable: because.is_empty(), because }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        evidence::timing_cache::TimingCacheMode,
        judge::compare::tests::{cancel, summary},
        log::digest::Sha256Digest,
    };

    type Change = fn(&mut BuildSummary);

    #[test]
    fn each_ground_refuses_by_itself_and_what_only_explains_does_not() {
        let cases: [(Change, &[Ground]); 16] = [
            (|_| {}, &[]),
            (|it| it.gpu_sku = "H200".to_owned(), &[Ground::GpuSku]),
            (|it| it.tensorrt_version = "10.16.1.12".to_owned(), &[Ground::TensorrtVersion]),
            (|it| it.builder = BuilderKind::External, &[Ground::Builder]),
            (|it| it.builder = BuilderKind::Simulated, &[Ground::Real, Ground::Builder]),
            (|it| it.timing_cache_mode = TimingCacheMode::Reused, &[Ground::Cache]),
            (|it| it.timing_cache_mode = TimingCacheMode::Quarantined, &[Ground::Cache]),
            // A cache that was thrown away is as good as none.
            (|it| it.timing_cache_mode = TimingCacheMode::Discarded, &[]),
            (|it| it.timing_cache_mode = TimingCacheMode::NotApplicable, &[Ground::Cache]),
            (|it| it.network.digest = Sha256Digest::of(b"another"), &[Ground::Network]),
            (|it| it.outcome = Outcome::Cancelled, &[Ground::Completed]),
            (|it| it.outcome = Outcome::Failed, &[Ground::Completed]),
            (|it| it.cancel = Some(cancel(300.0)), &[Ground::Completed]),
            (|it| it.host.driver = Some("590.1".to_owned()), &[]),
            (|it| it.build_config_hash = Sha256Digest::of(b"another level"), &[]),
            (|it| it.host.cpus = 64, &[]),
        ];
        for (change, grounds) in cases {
            let (first, mut second) = (summary(1), summary(2));
            change(&mut second);
            for builds in [[&first, &second], [&second, &first]] {
                let found = comparability(&builds);
                let found_grounds: Vec<Ground> = found.because.iter().map(|it| it.ground).collect();
                assert_eq!(found_grounds, grounds, "{second:?}");
                assert_eq!(found.comparable, grounds.is_empty());
                assert!(found.because.iter().all(|it| it.values.len() == 2));
            }
        }
    }

    #[test]
    fn one_of_many_is_enough_to_refuse_and_every_value_is_told() {
        let builds: Vec<BuildSummary> = (1..=4).map(summary).collect();
        let mut all: Vec<&BuildSummary> = builds.iter().collect();
        assert!(comparability(&all).comparable);
        let other = BuildSummary { gpu_sku: "L4".to_owned(), ..summary(5) };
        all.push(&other);
        let found = comparability(&all);
        let gpu = summary(1).gpu_sku;
        assert_eq!(found.because[0].values, [&gpu, &gpu, &gpu, &gpu, "L4"]);
    }

    #[test]
    fn the_word_on_a_disturbed_build_says_that_it_was() {
        let disturbed = BuildSummary { cancel: Some(cancel(5.0)), ..summary(2) };
        let found = comparability(&[&summary(1), &disturbed]);
        assert_eq!(found.because[0].values, ["completed", "cancel_requested_but_completed"]);
    }
}
