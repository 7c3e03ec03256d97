//! The filter and its address: each is read from and written into the query, so that a link keeps everything.

use crate::{
    portal::PageError,
    routes::{RUNS, percent_encode, query_value},
    view::RunFilter,
};

/// The orders that runs can have.
pub const SORTS: [&str; 5] = ["-started", "started", "-duration", "-silence", "-latency"];

/// Reads a query.
pub fn parse(query: &str) -> Result<RunFilter, PageError> {
    let value = |field: &str| query_value(query, field);
    let page = match value("page") {
        None => None,
        Some(text) => match text.parse::<u32>() {
            Ok(page) if page > 0 => Some(page),
            _ => return Err(PageError::BadRequest { field: "page", found: text }),
        },
    };
    let sort = value("sort");
    if let Some(sort) = sort.as_deref().filter(|sort| !SORTS.contains(sort)) {
        return Err(PageError::BadRequest { field: "sort", found: sort.to_owned() });
    }
    Ok(RunFilter {
        route: value("route"),
        outcome: value("outcome"),
        builder: value("builder"),
        gpu: value("gpu"),
        cache: value("cache"),
        tensorrt: value("tensorrt"),
        q: value("q"),
        sort,
        page,
    })
}

/// The fields that let fewer runs through, by name.
pub fn fields(filter: &RunFilter) -> Vec<(&'static str, &str)> {
    let all = [
        ("route", &filter.route),
        ("outcome", &filter.outcome),
        ("builder", &filter.builder),
        ("gpu", &filter.gpu),
        ("cache", &filter.cache),
        ("tensorrt", &filter.tensorrt),
        ("q", &filter.q),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))).collect()
}

/// The address of the runs under a filter.
pub fn address(filter: &RunFilter) -> String {
    let page = filter.page.filter(|&page| page > 1).map(|page| page.to_string());
    let sort = filter.sort.as_deref().filter(|&sort| sort != SORTS[0]);
    let rest = [("sort", sort), ("page", page.as_deref())];
    let rest = rest.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let pairs: Vec<String> = fields(filter)
        .into_iter()
        .chain(rest)
        .map(|(name, value)| format!("{name}={}", percent_encode(value)))
        .collect();
    if pairs.is_empty() { RUNS.to_owned() } else { format!("{RUNS}?{}", pairs.join("&")) }
}

/// The same filter without one of its fields, on its first page.
pub fn without(filter: &RunFilter, field: &str) -> RunFilter {
    let mut filter = RunFilter { page: None, ..filter.clone() };
    match field {
        "route" => filter.route = None,
        "outcome" => filter.outcome = None,
        "builder" => filter.builder = None,
        "gpu" => filter.gpu = None,
        "cache" => filter.cache = None,
        "tensorrt" => filter.tensorrt = None,
        _ => filter.q = None,
    }
    filter
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let filter = RunFilter {
            route: Some("bench/a b".to_owned()),
            q: Some("ñ&=".to_owned()),
            sort: Some("-latency".to_owned()),
            page: Some(3),
            ..RunFilter::default()
        };
        let address = address(&filter);
        assert_eq!(address, "/runs?route=bench%2Fa%20b&q=%C3%B1%26%3D&sort=-latency&page=3");
        assert_eq!(parse(address.split_once('?').unwrap().1), Ok(filter.clone()));
        assert_eq!(super::address(&RunFilter::default()), "/runs");
        assert_eq!(without(&filter, "route").route, None);
        assert_eq!(fields(&without(&without(&filter, "q"), "route")), []);
    }

    #[test]
    fn what_cannot_be_understood_is_refused_by_field() {
        for (query, field) in [("page=0", "page"), ("page=x", "page"), ("sort=name", "sort")] {
            assert!(
                matches!(parse(query), Err(PageError::BadRequest { field: found, .. }) if found == field)
            );
        }
        assert_eq!(parse("outcome=&page=&unknown=1"), Ok(RunFilter::default()));
    }
}
