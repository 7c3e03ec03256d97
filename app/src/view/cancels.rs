//! How long cancels took.

use std::sync::Arc;

use acta_ledger::{
    judge::{
        cancels::{Group, Spread, Took, groups},
        distribution::Latency,
    },
    log::timestamp::Timestamp,
};
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

    fn took(&self) -> Took {
        Took { ack: self.latency(), cleanup_ms: self.cleanup_ms }
    }
}

/// What cancels are told apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The route.
    Route,
    /// The innermost phase at the request.
    Phase,
    /// The GPU.
    Gpu,
    /// Where it came from; never a group of its own.
    Source,
}

impl Field {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Route, Self::Phase, Self::Gpu, Self::Source];

    fn of(self, row: &CancelRow) -> Option<&str> {
        match self {
            Self::Route => row.route.as_deref(),
            Self::Phase => row.phase.as_deref(),
            Self::Gpu => Some(&row.gpu_sku),
            Self::Source => Some(&row.source),
        }
    }

    /// What a filter asks of it.
    pub fn asked(self, filter: &CancelFilter) -> Option<&str> {
        match self {
            Self::Route => filter.route.as_deref(),
            Self::Phase => filter.phase.as_deref(),
            Self::Gpu => filter.gpu.as_deref(),
            Self::Source => filter.source.as_deref(),
        }
    }

    /// The filter with another value of it.
    pub fn set(self, filter: &CancelFilter, value: Option<&str>) -> CancelFilter {
        let mut filter = filter.clone();
        let slot = match self {
            Self::Route => &mut filter.route,
            Self::Phase => &mut filter.phase,
            Self::Gpu => &mut filter.gpu,
            Self::Source => &mut filter.source,
        };
        *slot = value.map(str::to_owned);
        filter
    }
}

/// Cancels with what they come to, which is judged once for everybody who looks: nothing but they decide it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cancels {
    /// The cancels, newest first.
    pub rows: Vec<CancelRow>,
    /// How long all of them took.
    pub spread: Spread,
    /// By route.
    routes: Vec<Group>,
    /// By phase.
    phases: Vec<Group>,
    /// By GPU.
    gpus: Vec<Group>,
}

impl Cancels {
    /// Lets cancels be judged, together and by each field.
    pub fn of(rows: Vec<CancelRow>) -> Self {
        let spread = Spread::of(&rows.iter().map(CancelRow::took).collect::<Vec<_>>());
        let by = |field: Field| groups(rows.iter().map(|row| (field.of(row), row.took())));
        let [routes, phases, gpus] = [Field::Route, Field::Phase, Field::Gpu].map(by);
        Self { rows, spread, routes, phases, gpus }
    }

    /// The groups of a field, the largest first; those of the same size by name. Sources are no groups.
    pub fn by(&self, field: Field) -> &[Group] {
        match field {
            Field::Route => &self.routes,
            Field::Phase => &self.phases,
            Field::Gpu => &self.gpus,
            Field::Source => &[],
        }
    }
}

/// The cancels page.
#[derive(Debug, Clone, PartialEq)]
pub struct CancelsView {
    /// The filter as it was understood.
    pub filter: CancelFilter,
    /// The newest cancels that it lets through.
    pub cancels: Arc<Cancels>,
    /// At most so many are looked at.
    pub limit: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_has_its_groups_and_sources_have_none() {
        let row = |route: Option<&str>, ack_ms: Option<f64>, censored_ms: Option<f64>| CancelRow {
            run: String::new(),
            number: 1,
            route: route.map(str::to_owned),
            gpu_sku: "gpu".to_owned(),
            builder: String::new(),
            source: String::new(),
            outcome: String::new(),
            cleanup: String::new(),
            phase: None,
            requested_at: Timestamp::from_unix_ms(0).unwrap(),
            ack_ms,
            censored_ms,
            return_ms: None,
            cleanup_ms: None,
        };
        let cancels = Cancels::of(vec![
            row(Some("b"), Some(2.0), None),
            row(Some("a"), Some(1.0), None),
            row(None, None, Some(9.0)),
            row(None, None, None),
        ]);
        let by = |field| -> Vec<(Option<&str>, usize, usize)> {
            let groups = cancels.by(field).iter();
            groups.map(|group| (group.name.as_deref(), group.count, group.spread.ack.n)).collect()
        };
        assert_eq!(by(Field::Route), [(None, 2, 1), (Some("a"), 1, 1), (Some("b"), 1, 1)]);
        assert_eq!(by(Field::Gpu), [(Some("gpu"), 4, 3)]);
        assert_eq!((by(Field::Phase), by(Field::Source)), (vec![(None, 4, 3)], Vec::new()));
        assert_eq!((cancels.spread.ack.of, cancels.spread.ack.censored), (4, 1));
        assert_eq!(cancels.by(Field::Route)[1].curve.steps().len(), 1);
    }
}
