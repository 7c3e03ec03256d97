//! What the builder used over time, beside the phases: a bounded list of looks at it.

use serde::{Deserialize, Serialize};

use crate::evidence::number::Count64;

/// How many samples are kept; when there are more, every other one goes and the interval doubles.
pub const MAX_SAMPLES: usize = 512;

/// One look at the builder. What could not be read is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CounterSample {
    /// When, in nanoseconds since the build call.
    pub at: Count64,
    /// Resident memory in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<Count64>,
    /// Processor time so far, user and system together, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<Count64>,
    /// Threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<u32>,
    /// Bytes written to storage so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<Count64>,
    /// How busy the whole GPU was, in percent of the driver's last period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_utilization_percent: Option<u32>,
    /// Memory in use on the whole GPU, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_memory_bytes: Option<Count64>,
}

/// The samples in order of time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// At most one sample in so many nanoseconds is kept.
    pub interval: Count64,
    /// The samples.
    pub samples: Vec<CounterSample>,
}

impl Counters {
    /// Begins with nothing; `interval` in nanoseconds.
    pub fn new(interval: u64) -> Self {
        Self { interval: Count64(interval), samples: Vec::new() }
    }

    /// Takes a sample, if it is due. One that lies before the last is not.
    pub fn push(&mut self, sample: CounterSample) {
        let due = self.samples.last().is_none_or(|last| {
            sample.at.0.checked_sub(last.at.0).is_some_and(|passed| passed >= self.interval.0)
        });
        if !due {
            return;
        }
        self.samples.push(sample);
        if self.samples.len() > MAX_SAMPLES {
            let mut position = 0;
            self.samples.retain(|_| {
                position += 1;
                position % 2 == 1
            });
            self.interval.0 = self.interval.0.saturating_mul(2);
        }
    }

    /// What was sampled up to that moment, in nanoseconds since the build's start; none if nothing was. Whoever samples
    /// hears of the build's end a little later.
    pub fn until(mut self, end: u64) -> Option<Self> {
        self.samples.retain(|sample| sample.at.0 <= end);
        (!self.samples.is_empty()).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_stay_bounded_and_cover_the_whole_build() {
        let mut counters = Counters::new(100);
        for at in 0..100_000_u64 {
            counters.push(CounterSample { at: Count64(at * 50), ..CounterSample::default() });
        }
        let (samples, every) = (&counters.samples, counters.interval.0);
        assert!((MAX_SAMPLES / 3..=MAX_SAMPLES).contains(&samples.len()), "{}", samples.len());
        assert_eq!(samples[0].at.0, 0);
        assert!(samples.last().unwrap().at.0 + every >= 99_999 * 50);
        assert!(samples.windows(2).all(|two| two[1].at.0 - two[0].at.0 >= every), "{every}");
    }

    #[test]
    fn what_was_sampled_after_the_end_is_not_the_builds() {
        let mut counters = Counters::new(10);
        for at in [0, 10, 20] {
            counters.push(CounterSample { at: Count64(at), ..CounterSample::default() });
        }
        for (end, kept) in [(30, Some(3)), (20, Some(3)), (19, Some(2)), (0, Some(1))] {
            assert_eq!(counters.clone().until(end).map(|it| it.samples.len()), kept, "{end}");
        }
        counters.samples.remove(0);
        assert_eq!(counters.until(9), None);
    }

    #[test]
    fn what_was_not_read_is_not_written() {
        let sample = CounterSample { at: Count64(5), threads: Some(3), ..CounterSample::default() };
        let json = serde_json::to_string(&sample).unwrap();
        assert_eq!(json, r#"{"at":"5","threads":3}"#);
        assert_eq!(serde_json::from_str::<CounterSample>(&json).unwrap(), sample);
    }
}
