//! Percentiles from raw samples: linear interpolation at the position `(n - 1) * p` of the sorted samples.
//!
//! A percentile needs enough samples beyond it: 100 for the 99th, 20 for the 95th, 2 for the median. With fewer there
//! is no number, only the word "insufficient". What cannot be a measurement is refused, not dropped.

use serde::{Deserialize, Serialize};

/// Why samples are refused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case", tag = "refused")]
pub enum SampleError {
    /// There are none.
    #[error("there are no samples")]
    Empty,
    /// One is not a number, or infinite.
    #[error("sample {index} is not a finite number")]
    NotFinite {
        /// Which, counted from 0.
        index: usize,
    },
    /// One is negative.
    #[error("sample {index} is negative: {value}")]
    Negative {
        /// Which, counted from 0.
        index: usize,
        /// What it is.
        value: f64,
    },
    /// All are zero: the clock was not read.
    #[error("all samples are zero")]
    AllZero,
}

/// A percentile, or why there is none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Percentile {
    /// The value.
    Value {
        /// In the samples' unit.
        value: f64,
    },
    /// Insufficient samples.
    Insufficient {
        /// How many there are.
        found: usize,
        /// How many are needed.
        needed: usize,
    },
}

impl Percentile {
    /// The value, where there is one.
    pub fn value(self) -> Option<f64> {
        match self {
            Self::Value { value } => Some(value),
            Self::Insufficient { .. } => None,
        }
    }
}

/// Samples that are measurements, sorted.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    sorted: Vec<f64>,
    sum: f64,
}

impl Samples {
    /// Takes samples in any order.
    pub fn new(samples: &[f64]) -> Result<Self, SampleError> {
        if samples.is_empty() {
            return Err(SampleError::Empty);
        }
        for (index, &value) in samples.iter().enumerate() {
            if !value.is_finite() {
                return Err(SampleError::NotFinite { index });
            }
            if value < 0.0 {
                return Err(SampleError::Negative { index, value });
            }
        }
        if samples.iter().all(|value| *value == 0.0) {
            return Err(SampleError::AllZero);
        }
        let mut sorted = samples.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let sum = sorted.iter().sum();
        Ok(Self { sorted, sum })
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.sorted.len()
    }

    /// The smallest.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// The largest.
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// Their mean.
    pub fn mean(&self) -> f64 {
        self.sum / self.sorted.len() as f64
    }

    /// The percentile at `per_mille` thousandths (500 is the median, 990 the 99th percentile).
    pub fn percentile(&self, per_mille: u32) -> Percentile {
        let (found, needed) = (self.sorted.len(), needed(per_mille));
        if found < needed {
            return Percentile::Insufficient { found, needed };
        }
        let position = (found - 1) as f64 * f64::from(per_mille.min(1000)) / 1000.0;
        let below = position.floor() as usize;
        let above = (below + 1).min(found - 1);
        let value =
            self.sorted[below] + (self.sorted[above] - self.sorted[below]) * (position - below as f64);
        Percentile::Value { value }
    }
}

/// How many samples a percentile needs: at least one beyond it.
pub fn needed(per_mille: u32) -> usize {
    let beyond = 1000 - per_mille.min(999);
    1000_usize.div_ceil(beyond as usize).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        let mut reversed = hundred.clone();
        reversed.reverse();
        for samples in [hundred, reversed] {
            let samples = Samples::new(&samples).unwrap();
            for (per_mille, expected) in [(0, 1.0), (500, 50.5), (950, 95.05), (990, 99.01)] {
                let value = samples.percentile(per_mille).value().unwrap();
                assert!((value - expected).abs() < 1e-9, "{per_mille}: {value}");
            }
            assert_eq!(
                (samples.count(), samples.min(), samples.max(), samples.mean()),
                (100, 1.0, 100.0, 50.5)
            );
        }
        let two = Samples::new(&[3.0, 1.0]).unwrap();
        assert_eq!(two.percentile(500).value(), Some(2.0));
    }

    #[test]
    fn too_few_samples_give_no_number() {
        for (per_mille, least) in [(500, 2), (900, 10), (950, 20), (990, 100), (999, 1000)] {
            assert_eq!(needed(per_mille), least, "{per_mille}");
            let samples = |n: usize| Samples::new(&vec![1.0; n]).unwrap().percentile(per_mille);
            assert_eq!(samples(least - 1), Percentile::Insufficient { found: least - 1, needed: least });
            assert_eq!(samples(least), Percentile::Value { value: 1.0 });
        }
    }

    #[test]
    fn what_is_no_measurement_is_refused() {
        for (samples, expected) in [
            (&[][..], SampleError::Empty),
            (&[1.0, f64::INFINITY], SampleError::NotFinite { index: 1 }),
            (&[1.0, 2.0, -1.0], SampleError::Negative { index: 2, value: -1.0 }),
            (&[0.0, 0.0], SampleError::AllZero),
        ] {
            assert_eq!(Samples::new(samples).unwrap_err(), expected);
        }
        assert!(matches!(Samples::new(&[f64::NAN]), Err(SampleError::NotFinite { index: 0 })));
        assert!(Samples::new(&[0.0, 1.0]).is_ok());
    }
}
