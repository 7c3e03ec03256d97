//! How values are spread: percentiles with the number they rest on and the number they were taken from. Never a mean
//! alone.
//!
//! A cancel that was never acknowledged is no missing value and no zero: its latency is longer than what was waited
//! ("right-censored"). The share that is acknowledged after a time is then the product-limit estimate of Kaplan and
//! Meier (1958): a censored value counts among those that could have been acknowledged up to the moment at which
//! watching ended, and no longer. Without censored values that is the plain share of values up to a time.

use serde::{Deserialize, Serialize};

use super::percentile::{Percentile, Samples, needed};

/// A value that was measured, or of which only a lower bound is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is", content = "ms")]
pub enum Latency {
    /// Measured, in milliseconds.
    Measured(f64),
    /// Longer than this, in milliseconds.
    LongerThan(f64),
}

impl Latency {
    /// The latency of a cancel: measured, else bounded from below; none where nothing was.
    pub fn of(measured_ms: Option<f64>, censored_after_ms: Option<f64>) -> Option<Self> {
        let latency = measured_ms.map(Self::Measured).or(censored_after_ms.map(Self::LongerThan));
        latency.filter(|latency| latency.ms().is_finite() && latency.ms() >= 0.0)
    }

    /// The value or the bound, in milliseconds.
    pub fn ms(self) -> f64 {
        match self {
            Self::Measured(ms) | Self::LongerThan(ms) => ms,
        }
    }

    /// Whether only a bound is known.
    pub fn is_censored(self) -> bool {
        matches!(self, Self::LongerThan(_))
    }
}

/// A percentile of values of which some are bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Quantile {
    /// The value.
    Value {
        /// In milliseconds.
        ms: f64,
    },
    /// So many were never reached: it is longer than the longest wait.
    LongerThan {
        /// That wait, in milliseconds.
        ms: f64,
    },
    /// Insufficient samples.
    Insufficient {
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
}

impl From<Percentile> for Quantile {
    fn from(percentile: Percentile) -> Self {
        match percentile {
            Percentile::Value { value } => Self::Value { ms: value },
            Percentile::Insufficient { found, needed } => Self::Insufficient { found, needed },
        }
    }
}

/// A spread in short.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Distribution {
    /// How many values it rests on, bounds included.
    pub n: usize,
    /// Of how many it was taken: those without a value count here.
    pub of: u64,
    /// How many of the values are bounds.
    pub censored: usize,
    /// The smallest measured value, in milliseconds.
    pub min_ms: Option<f64>,
    /// The median.
    pub p50: Quantile,
    /// The 95th percentile.
    pub p95: Quantile,
    /// The 99th percentile.
    pub p99: Quantile,
    /// The largest measured value, in milliseconds.
    pub max_ms: Option<f64>,
    /// The largest bound, in milliseconds.
    pub longest_wait_ms: Option<f64>,
}

impl Distribution {
    /// Of measured values, in milliseconds; what is no measurement is left out and shows as a smaller `n`.
    pub fn of(values_ms: &[f64], of: u64) -> Self {
        let values: Vec<Latency> = values_ms.iter().filter_map(|&ms| Latency::of(Some(ms), None)).collect();
        Self::of_latencies(&values, of)
    }

    /// Of values of which some are bounds.
    pub fn of_latencies(values: &[Latency], of: u64) -> Self {
        let measured = || values.iter().filter(|value| !value.is_censored()).map(|value| value.ms());
        let bounds = values.iter().filter(|value| value.is_censored()).map(|value| value.ms());
        let curve = Curve::new(values);
        Self {
            n: values.len(),
            of: of.max(values.len() as u64),
            censored: values.iter().filter(|value| value.is_censored()).count(),
            min_ms: measured().reduce(f64::min),
            p50: curve.quantile(500),
            p95: curve.quantile(950),
            p99: curve.quantile(990),
            max_ms: measured().reduce(f64::max),
            longest_wait_ms: bounds.reduce(f64::max),
        }
    }
}

/// A step of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    /// At which time, in milliseconds.
    pub ms: f64,
    /// The share that is reached from then on, from 0 to 1.
    pub share: f64,
}

/// The share of values up to a time: a curve of steps, with a mark where a value is only bounded.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    values: Vec<Latency>,
    steps: Vec<Step>,
    marks: Vec<Step>,
}

impl Curve {
    /// The curve of values.
    pub fn new(values: &[Latency]) -> Self {
        let mut sorted: Vec<Latency> =
            values.iter().copied().filter(|value| value.ms().is_finite() && value.ms() >= 0.0).collect();
        // At the same time, what was measured comes first: who was still watched then could have been it.
        sorted.sort_by(|a, b| a.ms().total_cmp(&b.ms()).then(a.is_censored().cmp(&b.is_censored())));
        let (mut steps, mut marks): (Vec<Step>, Vec<Step>) = (Vec::new(), Vec::new());
        let mut open = 1.0;
        for (before, value) in sorted.iter().enumerate() {
            let ms = value.ms();
            if value.is_censored() {
                marks.push(Step { ms, share: 1.0 - open });
                continue;
            }
            let watched = (sorted.len() - before) as f64;
            open *= (watched - 1.0) / watched;
            let step = Step { ms, share: 1.0 - open };
            match steps.last_mut() {
                Some(last) if last.ms == ms => *last = step,
                _ => steps.push(step),
            }
        }
        Self { values: sorted, steps, marks }
    }

    /// Where it rises, and to what.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Where watching a value ended, at the height of the curve there.
    pub fn marks(&self) -> &[Step] {
        &self.marks
    }

    /// The percentile at `per_mille` thousandths.
    pub fn quantile(&self, per_mille: u32) -> Quantile {
        let (found, needed) = (self.values.len(), needed(per_mille));
        if found < needed {
            return Quantile::Insufficient { found, needed };
        }
        if self.marks.is_empty() {
            // The same number as everywhere else where nothing is bounded; all zero is a measurement here.
            let values: Vec<f64> = self.values.iter().map(|value| value.ms()).collect();
            let samples = Samples::new(&values).map(|samples| samples.percentile(per_mille).into());
            return samples.unwrap_or(Quantile::Value { ms: 0.0 });
        }
        // Shares are quotients of small numbers: what is equal may differ in the last digit.
        let wanted = f64::from(per_mille) / 1000.0 - 1e-9;
        match self.steps.iter().find(|step| step.share >= wanted) {
            Some(step) => Quantile::Value { ms: step.ms },
            None => Quantile::LongerThan { ms: self.values.last().map_or(0.0, |value| value.ms()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Latency::*, *};

    #[test]
    fn a_bound_counts_until_watching_ended() {
        // 1, 2, > 2, 3: after 2 half are reached; of the two that are left one stopped being watched, so that the last
        // one makes the whole.
        let curve = Curve::new(&[LongerThan(2.0), Measured(3.0), Measured(1.0), Measured(2.0)]);
        let steps: Vec<(f64, f64)> = curve.steps().iter().map(|step| (step.ms, step.share)).collect();
        assert_eq!(steps, [(1.0, 0.25), (2.0, 0.5), (3.0, 1.0)]);
        assert_eq!(curve.marks(), [Step { ms: 2.0, share: 0.5 }]);
        assert_eq!(curve.quantile(500), Quantile::Value { ms: 2.0 });
    }

    #[test]
    fn a_percentile_that_was_never_reached_is_longer_than_the_longest_wait() {
        let mut values = vec![Measured(1.0); 12];
        values.extend([LongerThan(30.0); 8]);
        let found = Distribution::of_latencies(&values, 25);
        assert_eq!((found.n, found.of, found.censored), (20, 25, 8));
        assert_eq!(found.p50, Quantile::Value { ms: 1.0 });
        assert_eq!(found.p95, Quantile::LongerThan { ms: 30.0 });
        assert_eq!(found.p99, Quantile::Insufficient { found: 20, needed: 100 });
        assert_eq!((found.max_ms, found.longest_wait_ms), (Some(1.0), Some(30.0)));
        let none_reached = Distribution::of_latencies(&[LongerThan(5.0); 3], 3);
        assert_eq!((none_reached.min_ms, none_reached.max_ms), (None, None));
        assert_eq!(none_reached.p50, Quantile::LongerThan { ms: 5.0 });
    }

    #[test]
    fn odd_values_are_left_out_and_nothing_gives_nothing() {
        let found = Distribution::of(&[f64::NAN, 2.0, -1.0, 4.0], 4);
        assert_eq!((found.n, found.of, found.p50), (2, 4, Quantile::Value { ms: 3.0 }));
        assert_eq!(Distribution::of(&[], 0).p50, Quantile::Insufficient { found: 0, needed: 2 });
        assert_eq!(Distribution::of(&[0.0, 0.0], 2).p50, Quantile::Value { ms: 0.0 });
        assert_eq!(Latency::of(None, None), None);
        assert_eq!(Latency::of(Some(f64::INFINITY), None), None);
        assert_eq!(Latency::of(Some(1.0), Some(9.0)), Some(Measured(1.0)));
    }

    fn values() -> impl Strategy<Value = Vec<Latency>> {
        let value = (0_u32..50, any::<bool>())
            .prop_map(|(ms, measured)| if measured { Measured(ms.into()) } else { LongerThan(ms.into()) });
        prop::collection::vec(value, 0..60)
    }

    proptest! {
        /// The curve rises, stays within 0 and 1, and does not depend on the order of the values.
        #[test]
        fn a_curve_rises(values in values()) {
            let curve = Curve::new(&values);
            let shares: Vec<f64> = curve.steps().iter().map(|step| step.share).collect();
            prop_assert!(shares.windows(2).all(|pair| pair[0] < pair[1] + 1e-12), "{:?}", shares);
            prop_assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
            let turned: Vec<Latency> = values.iter().rev().copied().collect();
            prop_assert_eq!(Curve::new(&turned), curve);
        }

        /// Without bounds it is the plain share of values.
        #[test]
        fn without_bounds_it_is_the_plain_share(values in prop::collection::vec(0_u32..30, 1..60)) {
            let measured: Vec<Latency> = values.iter().map(|&ms| Measured(ms.into())).collect();
            for step in Curve::new(&measured).steps() {
                let up_to = values.iter().filter(|&&ms| f64::from(ms) <= step.ms).count();
                prop_assert!((step.share - up_to as f64 / values.len() as f64).abs() < 1e-9);
            }
        }

        /// Watching longer without an acknowledgement never makes a percentile shorter.
        #[test]
        fn a_longer_wait_never_makes_it_shorter(values in values(), more in 0_u32..50) {
            let longer: Vec<Latency> = values.iter().map(|&value| match value {
                LongerThan(ms) => LongerThan(ms + f64::from(more)),
                measured => measured,
            }).collect();
            let bound = |quantile| match quantile {
                Quantile::Value { ms } => Some(ms),
                Quantile::LongerThan { .. } => Some(f64::INFINITY),
                Quantile::Insufficient { .. } => None,
            };
            let before = bound(Curve::new(&values).quantile(500));
            let after = bound(Curve::new(&longer).quantile(500));
            prop_assert!(before <= after, "{:?} {:?}", before, after);
        }
    }
}
