//! The filter and its address.

use crate::{
    address::{percent_encode, query_value},
    routes::CANCELS,
    view::cancels::CancelFilter,
};

/// Reads a query; every value is a text that is looked for as it is.
pub fn parse(query: &str) -> CancelFilter {
    let value = |field: &str| query_value(query, field);
    CancelFilter { route: value("route"), phase: value("phase"), gpu: value("gpu"), source: value("source") }
}

/// The filter as a query, with its question mark; empty where nothing is asked.
pub fn query(filter: &CancelFilter) -> String {
    let CancelFilter { route, phase, gpu, source } = filter;
    let pairs = [("route", route), ("phase", phase), ("gpu", gpu), ("source", source)];
    let pairs = pairs
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", percent_encode(value.as_deref()?))));
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// The address of the cancels under a filter.
pub fn address(filter: &CancelFilter) -> String {
    format!("{CANCELS}{}", query(filter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let filter = CancelFilter {
            route: Some("a/b".to_owned()),
            phase: Some("Building engine > Timing node #".to_owned()),
            gpu: None,
            source: Some("ctrl_c".to_owned()),
        };
        let address = address(&filter);
        assert_eq!(
            address,
            "/cancels?route=a%2Fb&phase=Building%20engine%20%3E%20Timing%20node%20%23&source=ctrl_c"
        );
        assert_eq!(parse(address.split_once('?').unwrap().1), filter);
        assert_eq!(super::address(&CancelFilter::default()), "/cancels");
    }
}
