//! Which runs somebody asks for: one grammar for the portal's form, the API and the command line.
//!
//! ```text
//! gpu:H200 cache:cold outcome:cancelled age<7d state:held resnet
//! ```
//!
//! A filter is terms between spaces, and a run must fit all of them. `gpu:H200` looks for a part of the name whatever its
//! capitals, `gpu="NVIDIA H200"` for exactly that name. `<` and `>` bound how long ago a run began (`age`) and how long a
//! thing took, with a unit. A word alone is a part of the network's file name. What holds a space or begins like a term
//! stands in quotation marks, with a backslash before a quotation mark and before a backslash.

mod grammar;
mod order;

use serde::{Deserialize, Serialize};

pub use grammar::{BUILDERS, CACHES, FIELDS, FilterError, MAX_BYTES, OUTCOMES, STATES};
pub use order::{Measure, Order};

use super::attention::need;
use crate::{
    evidence::{
        build::{BuildSummary, BuilderKind, Outcome},
        route::ValidationStatus,
        timing_cache::TimingCacheMode,
    },
    log::timestamp::Timestamp,
};

/// What a text has to be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Text {
    /// It holds this, whatever the capitals.
    Part(String),
    /// It is this.
    Exactly(String),
}

impl Text {
    /// Whether a text is what was asked for.
    pub fn fits(&self, text: &str) -> bool {
        match self {
            Self::Part(part) => holds(text, part),
            Self::Exactly(whole) => whole == text,
        }
    }
}

/// Whether a text holds a part; the capitals of ASCII do not matter.
fn holds(text: &str, part: &str) -> bool {
    part.is_empty()
        || text.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()))
}

/// Bounds of a length of time, in milliseconds; neither bound is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bounds {
    /// More than this.
    pub above_ms: Option<u64>,
    /// Less than this.
    pub below_ms: Option<u64>,
}

impl Bounds {
    /// Whether nothing is bounded.
    pub fn is_open(&self) -> bool {
        self.above_ms.is_none() && self.below_ms.is_none()
    }

    /// The bounds as numbers. What was not measured counts as -1, so it is inside only where nothing is asked.
    pub fn numbers(&self) -> (f64, f64) {
        let above = self.above_ms.map_or(if self.below_ms.is_some() { -1.0 } else { -2.0 }, |ms| ms as f64);
        (above, self.below_ms.map_or(f64::MAX, |ms| ms as f64))
    }
}

/// What runs have to be; nothing is asked by the default.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// The route's name.
    pub route: Option<Text>,
    /// The GPU's name.
    pub gpu: Option<Text>,
    /// The TensorRT version.
    pub tensorrt: Option<Text>,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// What built.
    pub builder: Option<BuilderKind>,
    /// What became of the timing cache.
    pub cache: Option<TimingCacheMode>,
    /// Whether its route may be served now, for the route's newest bundle.
    pub state: Option<ValidationStatus>,
    /// Only runs that need a person.
    pub need_person: bool,
    /// How long ago it began.
    pub age: Bounds,
    /// The whole attempt.
    pub duration: Bounds,
    /// The longest stretch without a callback.
    pub silence: Bounds,
    /// From the request to cancel to its acknowledgement, or the time that was waited for one in vain.
    pub latency: Bounds,
    /// Parts of the network's file name, all of them.
    pub words: Vec<String>,
}

/// What a filter asks of a run beside times: the same for many runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunKind {
    /// The network's file name.
    pub network: String,
    /// The route.
    pub route: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What built.
    pub builder: BuilderKind,
    /// What became of the timing cache.
    pub cache: TimingCacheMode,
    /// The GPU.
    pub gpu: String,
    /// The TensorRT version.
    pub tensorrt: String,
    /// Whether it needs a person.
    pub needs_person: bool,
}

impl RunKind {
    /// The kind of a run.
    pub fn of(summary: &BuildSummary) -> Self {
        Self {
            network: file_name(&summary.network.source).to_owned(),
            route: summary.run.route.clone(),
            outcome: summary.outcome,
            builder: summary.builder,
            cache: summary.timing_cache_mode,
            gpu: summary.gpu_sku.clone(),
            tensorrt: summary.tensorrt_version.clone(),
            needs_person: need(summary.outcome, summary.cleanup_status).is_some(),
        }
    }
}

/// The last part of a path, whichever way its parts are separated.
pub fn file_name(source: &str) -> &str {
    source.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(source)
}

impl Filter {
    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a length of time is bounded, so that the kind of a run does not decide alone.
    pub fn has_bounds(&self) -> bool {
        ![self.age, self.duration, self.silence, self.latency].iter().all(Bounds::is_open)
    }

    /// Whether runs of a kind fit, but for their times. `state_of` knows whether a route may be served.
    pub fn admits(&self, kind: &RunKind, state_of: impl FnOnce(&str) -> Option<ValidationStatus>) -> bool {
        let fits = |wanted: &Option<Text>, text: &str| wanted.as_ref().is_none_or(|wanted| wanted.fits(text));
        self.outcome.is_none_or(|outcome| outcome == kind.outcome)
            && self.builder.is_none_or(|builder| builder == kind.builder)
            && self.cache.is_none_or(|cache| cache == kind.cache)
            && (!self.need_person || kind.needs_person)
            && fits(&self.gpu, &kind.gpu)
            && fits(&self.tensorrt, &kind.tensorrt)
            && self
                .route
                .as_ref()
                .is_none_or(|wanted| kind.route.as_deref().is_some_and(|route| wanted.fits(route)))
            && self.words.iter().all(|word| holds(&kind.network, word))
            && self
                .state
                .is_none_or(|state| kind.route.as_deref().and_then(state_of).is_some_and(|is| is == state))
    }

    /// When a run must have begun, in milliseconds since 1970; both moments are in it.
    pub fn begun(&self, now: Timestamp) -> (i64, i64) {
        let before = |ms: u64| now.unix_ms().saturating_sub_unsigned(ms);
        let after = self.age.below_ms.map_or(i64::MIN, |ms| before(ms).saturating_add(1));
        let until = self.age.above_ms.map_or(i64::MAX, |ms| before(ms).saturating_sub(1));
        (after, until)
    }
}

#[cfg(test)]
mod tests;
