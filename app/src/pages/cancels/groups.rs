//! Cancels by route, by phase, by GPU.

use std::collections::BTreeMap;

use acta_ledger::evidence::build::NO_GPU;

use crate::{
    i18n::Lang,
    view::cancels::{CancelFilter, CancelRow},
};

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

    /// The id of its part.
    pub fn id(self) -> &'static str {
        match self {
            Self::Route => "by-route",
            Self::Phase => "by-phase",
            Self::Gpu => "by-gpu",
            Self::Source => "by-source",
        }
    }

    /// The key of its name.
    pub fn key(self) -> &'static str {
        match self {
            Self::Route => "run-head-route",
            Self::Phase => "cancels-phase",
            Self::Gpu => "run-head-gpu",
            Self::Source => "cancels-source",
        }
    }

    /// The key of its part's title.
    pub fn title(self) -> &'static str {
        match self {
            Self::Route => "cancels-by-route",
            Self::Phase => "cancels-by-phase",
            Self::Gpu => "cancels-by-gpu",
            Self::Source => "cancels-source",
        }
    }

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

    /// A value as a reader meets it.
    pub fn name(self, value: Option<&str>, lang: Lang) -> String {
        match (self, value) {
            (Self::Route, None) => lang.t("cancels-no-route"),
            (Self::Phase, None) => lang.t("cancels-no-phase"),
            (Self::Gpu, Some(NO_GPU)) => lang.t("gpu-none"),
            (Self::Source, Some(source)) => lang.code_text("cancel-source", source),
            (_, value) => value.unwrap_or_default().to_owned(),
        }
    }
}

/// Cancels that have a value in common.
#[derive(Debug, PartialEq)]
pub struct Group<'a> {
    /// The value; none for those without.
    pub name: Option<&'a str>,
    /// The cancels.
    pub rows: Vec<&'a CancelRow>,
}

/// The groups of a field, the largest first; those of the same size by name.
pub fn groups(rows: &[CancelRow], field: Field) -> Vec<Group<'_>> {
    let mut by_name: BTreeMap<Option<&str>, Vec<&CancelRow>> = BTreeMap::new();
    for row in rows {
        by_name.entry(field.of(row)).or_default().push(row);
    }
    let mut groups: Vec<Group<'_>> = by_name.into_iter().map(|(name, rows)| Group { name, rows }).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.rows.len()));
    groups
}
