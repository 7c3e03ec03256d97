//! The trace of a bundle, with what became of its bytes and whether each entry verifies, for the page.

use std::collections::BTreeSet;

use acta_app::view::trace::{Bytes, TraceView};
use acta_ledger::log::verification::{Report, Verifier};

use super::ServerPortal;
use crate::{
    error::Answer,
    http::api::{agent::parse_digest, entry::materials},
    purge::purged_by_entry,
    rebuild, trace,
};

/// Entries of a trace that are verified for one page at most; the rest is said to be not verified.
const MAX_CHECKS: usize = 200;

impl ServerPortal {
    pub(super) async fn trace_view(&self, bundle: &str, route: Option<&str>) -> Answer<TraceView> {
        self.may_read()?;
        let bundle = parse_digest("bundle", bundle)?;
        let traced = trace::of(&self.state, bundle, route).await?;
        let sources = traced.trace.steps.iter().flat_map(|step| &step.sources);
        let entries: BTreeSet<u64> = sources.map(|source| source.index).collect();
        let entries: Vec<u64> = entries.into_iter().take(MAX_CHECKS).collect();
        let materials = materials(&self.state, &entries).await?;
        let mut verifier = Verifier::new(&self.state.trust);
        let checks: Vec<Report> = materials.iter().map(|material| verifier.verify(material)).collect();
        let bytes = match self.state.blobs.size(&bundle).await? {
            Some(bytes) => Bytes::Stored { bytes },
            None => match purged_by_entry(&self.state, &bundle).await? {
                Some(entry) => Bytes::Purged { entry },
                None => Bytes::NotHere,
            },
        };
        let run = traced.run;
        let rebuilds = match &run {
            Some(row) => Some(rebuild::view(&self.state, row).await?),
            None => None,
        };
        Ok(TraceView {
            record: traced.record,
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
