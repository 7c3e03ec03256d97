//! What the page of a bundle's trace shows. The trace itself is the ledger's judgement.

use acta_ledger::{
    evidence::{decision::SeenHead, route::RouteRecord},
    judge::trace::Trace,
    log::verification::Report,
};
use serde::{Deserialize, Serialize};

use super::rebuild::RebuildsView;

/// What is kept of the bundle's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bytes {
    /// They are here.
    Stored {
        /// How many.
        bytes: u64,
    },
    /// They were retained, and were removed on purpose.
    Purged {
        /// The entry that says so.
        entry: u64,
    },
    /// They were never here, or are lost.
    NotHere,
}

/// The trace of a bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceView {
    /// The trace.
    pub trace: Trace,
    /// Every route that the bundle is on.
    pub routes: Vec<String>,
    /// The route's record for the bundle.
    pub record: RouteRecord,
    /// What the server found when it verified each entry that the trace rests on.
    pub checks: Vec<Report>,
    /// The bundle's bytes.
    pub bytes: Bytes,
    /// The number of the run that built it, where it is here.
    pub run_number: Option<u64>,
    /// How the run that built it stands by its rebuilds, where it is here.
    pub rebuilds: Option<RebuildsView>,
    /// The tree head that it was made from.
    pub seen: SeenHead,
}
