//! The orders in which runs can be asked for. Each is total: runs that are equal by the measure stand by their number.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use super::FilterError;

/// What runs are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Measure {
    /// When it began.
    #[default]
    Started,
    /// The whole attempt.
    Duration,
    /// The longest stretch without a callback; runs without any are the shortest.
    Silence,
    /// From the request to cancel to its acknowledgement, or what was waited; runs without a cancel are the shortest.
    Latency,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Started, Self::Duration, Self::Silence, Self::Latency];

    /// Its name in an address.
    pub fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Duration => "duration",
            Self::Silence => "silence",
            Self::Latency => "latency",
        }
    }
}

/// An order of runs, written as the measure's name, with a hyphen before it where the largest stand first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// What they are ordered by.
    pub by: Measure,
    /// Whether the largest (the newest, the longest) stand first.
    pub descending: bool,
}

impl Default for Order {
    fn default() -> Self {
        Self::falling(Measure::Started)
    }
}

impl Order {
    /// The largest first.
    pub const fn falling(by: Measure) -> Self {
        Self { by, descending: true }
    }

    /// The other way round.
    pub const fn turned(self) -> Self {
        Self { by: self.by, descending: !self.descending }
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        Measure::ALL.into_iter().map(Self::falling).flat_map(|order| [order, order.turned()])
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.descending { "-" } else { "" }, self.by.name())
    }
}

impl FromStr for Order {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        Self::all().find(|order| order.to_string() == text).ok_or_else(|| {
            let all: Vec<String> = Self::all().map(|order| order.to_string()).collect();
            FilterError::new("sort", text, format!("one of {}", all.join(", ")))
        })
    }
}
