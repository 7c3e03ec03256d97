//! The filter, the order and the place in it, read from and written into the query, so that a link keeps all of it.

use acta_ledger::judge::filter::{FIELDS, FilterError};

use crate::{
    address::{percent_encode, query_pairs},
    routes::RUNS,
    view::{Place, RunQuery},
};

/// The fields of a query beside those of a filter.
const OTHERS: [&str; 5] = ["q", "sort", "after", "before", "lang"];

/// Reads a query: terms in `q`, single fields as a form sends them, `sort`, and `after` or `before` a run's number.
/// Empty values ask for nothing; a field that is none is an error, not a surprise.
pub fn parse(query: &str) -> Result<RunQuery, FilterError> {
    let mut asked = RunQuery::default();
    // A form sends its fields in any order; the text comes first, so that what stands twice is named by its field.
    if let Some((_, text)) = query_pairs(query).find(|(field, text)| field == "q" && !text.is_empty()) {
        asked.filter = text.parse()?;
    }
    for (field, value) in query_pairs(query).filter(|(_, value)| !value.is_empty()) {
        let twice = asked.place.is_some();
        match field.as_str() {
            "q" | "lang" => {}
            "sort" => asked.order = value.parse()?,
            "after" if !twice => asked.place = Some(Place::After(run_number("after", &value)?)),
            "before" if !twice => asked.place = Some(Place::Before(run_number("before", &value)?)),
            "after" => return Err(bad("after", value, "after or before, not both")),
            "before" => return Err(bad("before", value, "after or before, not both")),
            name if FIELDS.contains(&name) => asked.filter.set(name, &value)?,
            _ => {
                let fields = FIELDS.into_iter().chain(OTHERS).collect::<Vec<_>>().join(", ");
                return Err(bad("query", format!("{field}={value}"), &format!("one of the fields {fields}")));
            }
        }
    }
    Ok(asked)
}

fn run_number(field: &'static str, text: &str) -> Result<u64, FilterError> {
    let number = text.parse().ok().filter(|number| (1..=i64::MAX as u64).contains(number));
    number.ok_or_else(|| bad(field, text.to_owned(), "the number of a run"))
}

fn bad(field: &'static str, found: String, expected: &str) -> FilterError {
    FilterError { field, found, expected: expected.to_owned() }
}

/// The address of runs.
pub fn address(asked: &RunQuery) -> String {
    let query = query(asked);
    if query.is_empty() { RUNS.to_owned() } else { format!("{RUNS}?{query}") }
}

/// The query that [`parse`] reads back; empty for the first page of all runs in the usual order.
pub fn query(asked: &RunQuery) -> String {
    let RunQuery { filter, order, place } = asked;
    let sort = (*order != Default::default()).then(|| order.to_string());
    let (after, before) = match place {
        Some(Place::After(run)) => (Some(run.to_string()), None),
        Some(Place::Before(run)) => (None, Some(run.to_string())),
        None => (None, None),
    };
    let terms = (!filter.is_empty()).then(|| filter.to_string());
    let pairs = [("q", terms), ("sort", sort), ("after", after), ("before", before)];
    let pairs =
        pairs.iter().filter_map(|(name, value)| Some(format!("{name}={}", percent_encode(value.as_ref()?))));
    pairs.collect::<Vec<_>>().join("&")
}

/// The same runs without one of the filter's fields, from the first page.
pub fn without(asked: &RunQuery, field: &str) -> RunQuery {
    RunQuery { filter: asked.filter.without(field), order: asked.order, place: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let asked = RunQuery {
            filter: "route=\"bench/a b\" age<7d \"ñ&=\"".parse().unwrap(),
            order: "-latency".parse().unwrap(),
            place: Some(Place::Before(3)),
        };
        let address = address(&asked);
        assert_eq!(
            address,
            "/runs?q=route%3D%22bench%2Fa%20b%22%20age%3C7d%20%22%C3%B1%26%3D%22&sort=-latency&before=3"
        );
        assert_eq!(parse(address.split_once('?').unwrap().1), Ok(asked.clone()));
        assert_eq!(super::address(&RunQuery::default()), "/runs");
        assert_eq!(without(&asked, "route").filter.to_string(), "age<7d \"ñ&=\"");
    }

    #[test]
    fn a_forms_fields_are_terms() {
        let asked =
            parse("route=bench%2Fx&outcome=failed&gpu=&age=%3C7d&q=silence%3E5s+net&lang=es").unwrap();
        assert_eq!(asked.filter.to_string(), "route=bench/x outcome:failed age<7d silence>5s net");
    }

    #[test]
    fn what_cannot_be_understood_is_refused_by_field() {
        for (query, field) in [
            ("after=0", "after"),
            ("before=x", "before"),
            ("after=1&before=2", "before"),
            ("sort=name", "sort"),
            ("outcome=nothing", "outcome"),
            ("q=outcome%3Afailed&outcome=crashed", "outcome"),
            ("colour=red", "query"),
            ("q=colour%3Ared", "q"),
        ] {
            assert_eq!(parse(query).map_err(|error| error.field), Err(field), "{query}");
        }
        assert_eq!(parse("outcome=&after="), Ok(RunQuery::default()));
    }
}
