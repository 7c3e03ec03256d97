//! How long builds of one kind took, one after another: which of them stood out when they were made.
//!
//! Each is held against those before it, as [`super::baseline`] does: nothing is said before there are enough, and a
//! build that was disturbed or did not complete is neither judged nor counted.

use serde::{Deserialize, Serialize};

use super::{
    baseline::{Standing, compare},
    percentile::{Samples, needed},
};

/// The percentile up to which a duration is usual, in thousandths.
const USUAL: u32 = 950;

/// One build.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Took {
    /// How long it took, in milliseconds.
    pub ms: f64,
    /// Whether it completed undisturbed.
    pub counts: bool,
}

/// What is usual.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Band {
    /// The shortest, in milliseconds.
    pub from_ms: f64,
    /// The 95th percentile, in milliseconds.
    pub to_ms: f64,
}

/// The history of builds of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// What is usual over all of them; none where there are too few.
    pub band: Option<Band>,
    /// How many completed undisturbed.
    pub n: usize,
    /// How many are needed before anything is called usual.
    pub needed: usize,
    /// How each stood to those before it; none for one that does not count.
    pub standings: Vec<Option<Standing>>,
}

impl History {
    /// Whether a build stood out when it was made: longer than 95 of 100 of those before it.
    pub fn stood_out(&self, place: usize) -> bool {
        let standing = self.standings.get(place).copied().flatten();
        matches!(standing, Some(Standing::BeyondP95 | Standing::BeyondLongest))
    }
}

/// Judges builds of one kind, oldest first.
pub fn history(builds: &[Took]) -> History {
    let mut before: Vec<f64> = Vec::new();
    let mut standings = Vec::with_capacity(builds.len());
    for build in builds {
        let counts = build.counts && build.ms.is_finite() && build.ms >= 0.0;
        standings.push(counts.then(|| compare(build.ms, &before).standing));
        before.extend(Some(build.ms).filter(|_| counts));
    }
    let samples = Samples::new(&before).ok();
    let band = samples
        .and_then(|samples| Some(Band { from_ms: samples.min(), to_ms: samples.percentile(USUAL).value()? }));
    History { band, n: before.len(), needed: needed(USUAL), standings }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn took(ms: f64) -> Took {
        Took { ms, counts: true }
    }

    #[test]
    fn a_build_stands_out_against_those_before_it_only() {
        let mut builds: Vec<Took> = (0..20).map(|n| took(100.0 + f64::from(n))).collect();
        builds.extend([
            took(900.0),
            Took { ms: 9_000.0, counts: false },
            took(110.0),
            took(800.0),
            took(901.0),
        ]);
        let found = history(&builds);
        let told: Vec<_> = found.standings[19..].to_vec();
        assert_eq!(
            told,
            [
                // The twentieth has nineteen before it.
                Some(Standing::TooSmall),
                Some(Standing::BeyondLongest),
                None,
                Some(Standing::Within),
                Some(Standing::BeyondP95),
                Some(Standing::BeyondLongest),
            ]
        );
        assert!(!found.stood_out(19) && found.stood_out(20) && !found.stood_out(21) && found.stood_out(23));
        assert!(!found.stood_out(99));
        assert_eq!((found.n, found.needed), (24, 20));
        assert_eq!(found.band.unwrap().from_ms, 100.0);
    }

    #[test]
    fn few_builds_and_odd_times_give_no_band() {
        let few: Vec<Took> = (0..19).map(|n| took(f64::from(n))).collect();
        assert_eq!(history(&few).band, None);
        assert_eq!((history(&[]).band, history(&[]).n), (None, 0));
        let odd = history(&[took(f64::NAN), took(-1.0), took(3.0)]);
        assert_eq!((odd.n, odd.standings), (1, vec![None, None, Some(Standing::TooSmall)]));
    }
}
