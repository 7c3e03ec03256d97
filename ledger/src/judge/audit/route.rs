//! The routes' side of an audit: what the entries come to, against the record that the server shows.
//!
//! A route is judged by its own entries alone, and those are few. While the log is followed their places are marked; at
//! the end they are read once more and judged. A mark holds the entry's digest, so that nothing else can be shown then.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Finding, keys::KeyHistory};
use crate::{
    evidence::route::RouteRecord,
    judge::route::{RouteEntry, RouteEvent, RouteLog, judge_route},
    log::{
        digest::Sha256Digest, dsse::Envelope, jcs, merkle::leaf_hash, statement::Statement,
        timestamp::Timestamp,
    },
};

/// The place of an entry that a route is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// Its index.
    pub index: u64,
    /// The digest of its bytes.
    pub digest: Sha256Digest,
}

/// The entries of every route so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteMarks {
    /// Whether they were marked from the first entry on. A state from before there were marks has none of its entries.
    whole: bool,
    routes: BTreeMap<String, Vec<Mark>>,
}

impl RouteMarks {
    /// Before the first entry.
    pub fn begin() -> Self {
        Self { whole: true, routes: BTreeMap::new() }
    }

    /// Marks an entry of a route.
    pub fn mark(&mut self, route: &str, mark: Mark) {
        match self.routes.get_mut(route) {
            Some(marks) => marks.push(mark),
            None => drop(self.routes.insert(route.to_owned(), vec![mark])),
        }
    }

    /// The routes with all of their entries; none where some may be missing.
    pub fn routes(&self) -> impl Iterator<Item = (&str, &[Mark])> {
        let routes = self.whole.then_some(&self.routes);
        routes.into_iter().flatten().map(|(route, marks)| (route.as_str(), marks.as_slice()))
    }
}

/// Reads a marked entry again, as the fold takes it; refused if these are other bytes than those that were marked.
pub fn read(mark: Mark, record: &[u8], keys: &KeyHistory) -> Result<RouteEntry, String> {
    let found = Sha256Digest::of(record);
    if found != mark.digest {
        return Err(format!("its bytes have digest {found} now, and had {}", mark.digest));
    }
    let envelope = Envelope::parse(record).map_err(|error| error.to_string())?;
    let statement = Statement::from_envelope(&envelope).map_err(|error| error.to_string())?;
    let event = RouteEvent::read(&statement).map_err(|error| error.to_string())?;
    let event = event.ok_or("it concerns no route")?;
    let signer = keys.route_signer(mark.index, &envelope)?;
    Ok(RouteEntry { index: mark.index, leaf: leaf_hash(record), signer, event })
}

/// Judges a route by all of its entries in a tree of `size`, and compares the record that the server shows, byte for byte
/// in canonical JSON.
pub fn compare(
    route: &str,
    entries: Vec<RouteEntry>,
    size: u64,
    shown: Option<&RouteRecord>,
    at: Timestamp,
) -> Option<Finding> {
    let judged = judge_route(route, &RouteLog::whole(size, entries), at).record;
    let text = |record: &RouteRecord| {
        let bytes = jcs::to_vec(record).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let (found, expected) = (shown.map(text), text(&judged));
    (found.as_deref() != Some(expected.as_str())).then(|| Finding::OtherRecord {
        route: route.to_owned(),
        found,
        expected,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::route::script::{ROUTE, now, ready};

    #[test]
    fn another_record_than_the_entries_come_to_is_named() {
        let log = ready(1).log();
        let judged = judge_route(ROUTE, &log, now()).record;
        let shown = |shown: Option<&RouteRecord>| compare(ROUTE, log.entries.clone(), log.size, shown, now());
        assert_eq!(shown(Some(&judged)), None);
        let other = RouteRecord { runtime_target: None, ..judged };
        for (shown_record, found) in [(Some(&other), true), (None, false)] {
            let Some(Finding::OtherRecord { found: named, .. }) = shown(shown_record) else {
                panic!("not found")
            };
            assert_eq!(named.is_some(), found);
        }
    }

    #[test]
    fn routes_that_may_lack_entries_are_not_judged() {
        let mark = Mark { index: 3, digest: Sha256Digest::of(b"entry") };
        for (mut marks, routes) in [(RouteMarks::begin(), 1), (RouteMarks::default(), 0)] {
            marks.mark("a", mark);
            marks.mark("a", mark);
            assert_eq!(marks.routes().count(), routes);
        }
    }
}
