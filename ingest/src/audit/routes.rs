//! Routes judged anew from their entries, against what the server says of them.

use acta_ledger::{
    judge::audit::{
        Finding,
        entry::EntryFold,
        route::{Mark, compare, read},
    },
    log::tile::{TILE_WIDTH, parse_entry_bundle},
};

use super::source::Source;
use crate::{clock, error::Result};

/// What the comparison came to.
#[derive(Debug, Default)]
pub struct Routes {
    /// Records that were compared.
    pub compared: u64,
    /// Those that were not, for the log has grown since: the server speaks of a later tree.
    pub grown: u64,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

/// Judges every route in the tree of `size` entries, all of which were followed.
pub fn check(source: &Source, entries: &EntryFold, size: u64) -> Result<Routes> {
    let mut routes = Routes::default();
    let mut bundle = Bundle { source, size, newest: None };
    for (name, marks) in entries.routes().routes() {
        let shown = source.route(name)?;
        if shown.as_ref().is_some_and(|shown| shown.log_size != size) {
            routes.grown += 1;
            continue;
        }
        let mut read_again = Vec::with_capacity(marks.len());
        for mark in marks {
            match read(*mark, &bundle.record(mark)?, entries.keys()) {
                Ok(entry) => read_again.push(entry),
                Err(reason) => routes.findings.push(Finding::BadSignature { index: mark.index, reason }),
            }
        }
        if read_again.len() == marks.len() {
            let record = shown.as_ref().map(|shown| &shown.record);
            routes.findings.extend(compare(name, read_again, size, record, clock::now()));
            routes.compared += 1;
        }
    }
    Ok(routes)
}

/// Bundles of entries, the newest of them kept: a route's entries often stand together.
struct Bundle<'a> {
    source: &'a Source,
    size: u64,
    newest: Option<(u64, Vec<u8>)>,
}

impl Bundle<'_> {
    /// The bytes that the log shows now at a mark; empty where it shows none.
    fn record(&mut self, mark: &Mark) -> Result<Vec<u8>> {
        let tile = mark.index / TILE_WIDTH;
        if self.newest.as_ref().is_none_or(|(newest, _)| *newest != tile) {
            let bytes = self.source.tile_bytes(None, tile, self.size)?;
            self.newest = Some((tile, bytes.unwrap_or_default()));
        }
        let records = self.newest.as_ref().and_then(|(_, bytes)| parse_entry_bundle(bytes));
        let record = records.and_then(|records| records.get((mark.index % TILE_WIDTH) as usize).copied());
        Ok(record.unwrap_or_default().to_vec())
    }
}
