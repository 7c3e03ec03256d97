//! How long cancels took.

use std::sync::Arc;

use acta_ledger::{judge::distribution::Latency, log::timestamp::Timestamp};
use serde::{Deserialize, Serialize};

/// What the cancels are filtered by; every field stands in the address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CancelFilter {
    /// The route's exact name.
    pub route: Option<String>,
    /// The normalised path of the innermost phase at the request.
    pub phase: Option<String>,
    /// The GPU's exact name.
    pub gpu: Option<String>,
    /// The source's code.
    pub source: Option<String>,
}

/// One cancel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CancelRow {
    /// The run.
    pub run: String,
    /// Its number.
    pub number: u64,
    /// The route.
    pub route: Option<String>,
    /// The GPU.
    pub gpu_sku: String,
    /// The builder's code.
    pub builder: String,
    /// Where it came from, as a code.
    pub source: String,
    /// The outcome's code.
    pub outcome: String,
    /// The cleanup's code.
    pub cleanup: String,
    /// The normalised path of the innermost phase at the request; none where none was open, or it is not on record.
    pub phase: Option<String>,
    /// When it was requested.
    pub requested_at: Timestamp,
    /// From the request to the acknowledgement, in milliseconds, where measured.
    pub ack_ms: Option<f64>,
    /// Where never acknowledged: longer than this.
    pub censored_ms: Option<f64>,
    /// From the acknowledgement to the return of the build call, in milliseconds.
    pub return_ms: Option<f64>,
    /// From the acknowledgement to the end of cleaning up, in milliseconds.
    pub cleanup_ms: Option<f64>,
}

impl CancelRow {
    /// From the request to the acknowledgement, or the bound of it.
    pub fn latency(&self) -> Option<Latency> {
        Latency::of(self.ack_ms, self.censored_ms)
    }
}

/// The cancels page.
#[derive(Debug, Clone, PartialEq)]
pub struct CancelsView {
    /// The filter as it was understood.
    pub filter: CancelFilter,
    /// The newest cancels that it lets through, newest first.
    pub rows: Arc<Vec<CancelRow>>,
    /// At most so many are looked at.
    pub limit: u32,
}
