//! The trace of a bundle, with what became of its bytes and whether each entry verifies, for the page.

use std::collections::BTreeSet;

use acta_app::view::trace::{Bytes, TraceView};
use acta_ledger::{
    evidence::route::BundleDigest,
    log::verification::{Report, verify},
};

use super::ServerPortal;
use crate::{
    error::Answer,
    http::api::{agent::parse_digest, entry::material},
    purge::purged_by_entry,
    rebuild,
    route::state_of,
    trace,
};

/// Entries of a trace that are verified for one page at most; the rest is said to be not verified.
const MAX_CHECKS: usize = 200;

impl ServerPortal {
    pub(super) async fn trace_view(&self, bundle: &str, route: Option<&str>) -> Answer<TraceView> {
        self.may_read()?;
        let bundle = parse_digest("bundle", bundle)?;
        let traced = trace::of(&self.state, bundle, route).await?;
        let (state, _, _) = state_of(&self.state, &traced.trace.route, Some(BundleDigest(bundle))).await?;
        let sources = traced.trace.steps.iter().flat_map(|step| &step.sources);
        let entries: BTreeSet<u64> = sources.map(|source| source.index).collect();
        let mut checks: Vec<Report> = Vec::new();
        for index in entries.into_iter().take(MAX_CHECKS) {
            checks.push(verify(&material(&self.state, index).await?, &self.state.trust));
        }
        let bytes = match self.state.blobs.size(&bundle).await? {
            Some(bytes) => Bytes::Stored { bytes },
            None => match purged_by_entry(&self.state, &bundle).await? {
                Some(entry) => Bytes::Purged { entry },
                None => Bytes::NotHere,
            },
        };
        let run = trace::run_row(&self.state, &traced.trace).await?;
        let rebuilds = match &run {
            Some(row) => Some(rebuild::view(&self.state, &row.id, row.entry).await?),
            None => None,
        };
        Ok(TraceView {
            record: state.record,
            trace: traced.trace,
            routes: traced.routes,
            checks,
            bytes,
            run_number: run.map(|row| row.number),
            rebuilds,
            seen: traced.seen,
        })
    }
}
