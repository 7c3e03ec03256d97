//! Why a build took longer, or less long, than the baseline: what was different about it, then where its time went.
//!
//! A circumstance that differs is named because it can change the time of a build; that it did is not claimed. Where the
//! time went is measured. Where two builds may not be ranked, the grounds of that are all there is to say.

use serde::{Deserialize, Serialize};

use super::{
    Side,
    fact::Fact,
    phases::{PathStep, PhaseTable},
    section::{Section, SectionRows},
};
use crate::{
    evidence::build::BuildSummary,
    judge::{
        baseline::{self, Comparison, EntryRef},
        comparability::{Comparability, comparability},
    },
};

/// How many places are named.
const MOST_PLACES: usize = 8;

/// Shares of the difference below this one are not named.
const LEAST_SHARE: f64 = 0.01;

/// Times that differ by less than this part of the longer one are as good as equal: a share of what is nearly nothing
/// would be a number as large as one likes.
const LEAST_DIFFERENCE: f64 = 0.01;

/// Whether two times are as good as equal, so that nothing has a share in their difference.
pub fn near(one_ms: f64, other_ms: f64) -> bool {
    let difference = (one_ms - other_ms).abs();
    difference == 0.0 || difference < LEAST_DIFFERENCE * one_ms.max(other_ms)
}

/// A part of an attempt around the build call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    /// Reading and parsing the network.
    Parse,
    /// The build call up to its last phase, where no phases are known.
    Build,
    /// The build call after its last phase, where no phases are known.
    Serialize,
    /// Writing the plan.
    Write,
    /// Everything else: starting the worker, hashing, cleaning up.
    Rest,
}

/// What explains a difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "is")]
pub enum What {
    /// A fact that can change the time of a build is another.
    Differs {
        /// Where it stands in the comparison.
        section: Section,
        /// Its row.
        row: String,
        /// The baseline's.
        before: Option<Fact>,
        /// This run's.
        after: Option<Fact>,
    },
    /// A phase took more or less time of its own.
    Phase {
        /// Its path; empty for the time outside of all phases.
        path: Vec<PathStep>,
        /// Its ids in the baseline's tree and in this run's.
        ids: (Option<u32>, Option<u32>),
        /// By how much, in milliseconds.
        by_ms: f64,
        /// Its share of the whole difference: 1 is all of it, below 0 it works against it; none where the times are as
        /// good as equal ([`near`]).
        share: Option<f64>,
    },
    /// A part around the phases did.
    Segment {
        /// Which.
        segment: Segment,
        /// By how much, in milliseconds.
        by_ms: f64,
        /// Its share of the whole difference, likewise.
        share: Option<f64>,
    },
}

/// One line of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// What it is.
    pub what: What,
    /// The entries that say so: the baseline's and this run's.
    pub rests_on: [EntryRef; 2],
}

/// The explanation of one run's time beside the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Why {
    /// Which run, as its place in the comparison.
    pub run: usize,
    /// Whether these two may be ranked.
    pub comparability: Comparability,
    /// By how much it took longer, in milliseconds; none where they may not be ranked.
    pub by_ms: Option<f64>,
    /// How many times the baseline's time it took; none where they may not be ranked.
    pub ratio: Option<f64>,
    /// How its time stands to those of builds like the baseline; none where they may not be ranked.
    pub usual: Option<Comparison>,
    /// What explains it: circumstances by how much they usually matter, then places by their share.
    pub causes: Vec<Cause>,
}

impl Why {
    /// Whether the times are as good as equal.
    pub fn is_near(&self) -> bool {
        // after = ratio * before, so that the ratio alone says it.
        self.ratio.is_some_and(|ratio| near(1.0, ratio))
    }
}

/// The rows whose facts can change how long a build takes, by how much they usually do.
const CIRCUMSTANCES: [(Section, &str); 17] = [
    (Section::Validation, "outcome"),
    (Section::Inputs, "network.digest"),
    (Section::Environment, "builder"),
    (Section::Environment, "tensorrtVersion"),
    (Section::Environment, "gpuSku"),
    (Section::Cache, "timingCacheMode"),
    (Section::Cache, "timingCache.digestBefore"),
    (Section::Cache, "timingCache.policy"),
    (Section::Environment, "library.digest"),
    (Section::Environment, "host.driver"),
    (Section::Environment, "host.cuda"),
    (Section::Environment, "gpu.uuid"),
    (Section::Environment, "host.cpus"),
    (Section::Environment, "host.architecture"),
    (Section::Environment, "host.container"),
    (Section::Environment, "host.kernel"),
    (Section::Environment, "host.os"),
];

/// Explains one run beside the first.
pub(super) fn why(
    run: usize,
    sides: &[Side<'_>],
    sections: &[SectionRows],
    phases: Option<&PhaseTable>,
) -> Why {
    let (first, this) = (&sides[0], &sides[run]);
    let comparability = comparability(&[first.summary, this.summary]);
    let rests_on = [first.entry, this.entry];
    let mut causes = circumstances(run, sections);
    let (mut by_ms, mut ratio, mut usual) = (None, None, None);
    if comparability.comparable {
        let (before, after) = (first.summary.duration_ms.total, this.summary.duration_ms.total);
        by_ms = Some(after - before);
        ratio = Some(after / before).filter(|ratio| ratio.is_finite());
        usual = Some(baseline::compare(after, first.kin_total_ms));
        causes.extend(places(run, first.summary, this.summary, phases));
    }
    let causes = causes.into_iter().map(|what| Cause { what, rests_on }).collect();
    Why { run, comparability, by_ms, ratio, usual, causes }
}

fn circumstances(run: usize, sections: &[SectionRows]) -> Vec<What> {
    let differing = |section: Section, row: &super::section::Row| {
        row.differences[run].as_ref()?;
        let (before, after) = (row.values[0].clone(), row.values[run].clone());
        Some(What::Differs { section, row: row.name.clone(), before, after })
    };
    let of = |section: Section| sections.iter().find(|it| it.section == section);
    let mut found: Vec<What> = Vec::new();
    for (section, name) in CIRCUMSTANCES {
        let row = of(section).and_then(|rows| rows.rows.iter().find(|row| row.name == name));
        found.extend(row.and_then(|row| differing(section, row)));
        if name == "gpuSku" {
            // What was asked for matters less than for what, and more than everything else.
            let asked = of(Section::Settings).into_iter().flat_map(|rows| &rows.rows);
            let asked =
                asked.filter(|row| row.name.starts_with("settings.") || row.name.starts_with("profiles."));
            found.extend(asked.filter_map(|row| differing(Section::Settings, row)));
        }
    }
    found
}

/// Where the time went, the largest share first.
fn places(run: usize, before: &BuildSummary, after: &BuildSummary, phases: Option<&PhaseTable>) -> Vec<What> {
    let (first, this) = (before.duration_ms.total, after.duration_ms.total);
    let (whole, near) = (this - first, near(first, this));
    // Where there is no difference to have a share in, a place weighs by its part of the longer time.
    let weight = |by_ms: f64| by_ms / if near { first.max(this) } else { whole };
    let share = |by_ms: f64| (!near).then(|| weight(by_ms));
    let mut found: Vec<(f64, What)> = Vec::new();
    let mut named_ms = 0.0;
    // The table knows the build call by its phases only if both runs have a tree.
    let table = phases.filter(|table| table.total_ms[0].is_some() && table.total_ms[run].is_some());
    for row in table.into_iter().flat_map(|table| &table.rows) {
        let Some(delta) = row.deltas[run] else { continue };
        let id = |run: usize| row.runs[run].filter(|_| !row.path.is_empty()).map(|phase| phase.id);
        let (path, ids, by_ms) = (row.path.clone(), (id(0), id(run)), delta.own_ms);
        found.push((weight(by_ms), What::Phase { path, ids, by_ms, share: share(by_ms) }));
    }
    if let Some(table) = table {
        named_ms += table.total_ms[run].unwrap_or_default() - table.total_ms[0].unwrap_or_default();
    }
    let (old, new) = (before.duration_ms, after.duration_ms);
    let call = [(Segment::Build, old.build, new.build), (Segment::Serialize, old.serialize, new.serialize)];
    let around = [(Segment::Parse, old.parse, new.parse), (Segment::Write, old.write, new.write)];
    let call = call.into_iter().filter(|_| table.is_none());
    let mut segments = Vec::new();
    for (segment, old, new) in around.into_iter().chain(call) {
        let Some(by_ms) = old.zip(new).map(|(old, new)| new - old) else { continue };
        named_ms += by_ms;
        segments.push((segment, by_ms));
    }
    segments.push((Segment::Rest, whole - named_ms));
    found.extend(
        segments
            .into_iter()
            .map(|(segment, by_ms)| (weight(by_ms), What::Segment { segment, by_ms, share: share(by_ms) })),
    );
    found.retain(|(weight, _)| weight.is_finite() && weight.abs() >= LEAST_SHARE);
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    if found.len() > MOST_PLACES {
        // What works against the difference is told too, where it is large.
        found.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
        found.truncate(MOST_PLACES);
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    found.into_iter().map(|(_, what)| what).collect()
}
