//! The address of a comparison: the runs in their order, the baseline first, and whether equal rows are shown.

use acta_ledger::judge::compare::MOST;

use crate::{
    address::{percent_encode, query_pairs},
    portal::PageError,
    routes::COMPARE,
};

/// What is compared, and how it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The runs, by id or number.
    pub runs: Vec<String>,
    /// Whether rows without a difference are shown too.
    pub all: bool,
}

/// Reads a query. A run that is named twice is one run.
pub fn parse(query: &str) -> Result<Asked, PageError> {
    let mut asked = Asked::default();
    for (field, value) in query_pairs(query) {
        let value = value.trim();
        match field.as_str() {
            "run" if !value.is_empty() && !asked.runs.iter().any(|run| run == value) => {
                asked.runs.push(value.to_owned());
            }
            "all" => match value {
                "1" => asked.all = true,
                "" | "0" => asked.all = false,
                _ => return Err(PageError::BadRequest { field: "all", found: value.to_owned() }),
            },
            _ => {}
        }
    }
    if asked.runs.len() > MOST {
        return Err(PageError::BadRequest { field: "run", found: asked.runs.len().to_string() });
    }
    Ok(asked)
}

/// The address of a comparison.
pub fn address<'a>(runs: impl IntoIterator<Item = &'a str>, all: bool) -> String {
    let mut pairs: Vec<String> = runs.into_iter().map(|run| format!("run={}", percent_encode(run))).collect();
    pairs.extend(all.then(|| "all=1".to_owned()));
    if pairs.is_empty() { COMPARE.to_owned() } else { format!("{COMPARE}?{}", pairs.join("&")) }
}

/// The runs with the one at a place moved to another.
pub fn moved<'a>(runs: &[&'a str], from: usize, to: usize) -> Vec<&'a str> {
    let mut runs = runs.to_vec();
    if from < runs.len() && to < runs.len() {
        let run = runs.remove(from);
        runs.insert(to, run);
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let asked = Asked { runs: vec!["12".to_owned(), "a b&c".to_owned()], all: true };
        let address = address(asked.runs.iter().map(String::as_str), asked.all);
        assert_eq!(address, "/compare?run=12&run=a%20b%26c&all=1");
        assert_eq!(parse(address.split_once('?').unwrap().1), Ok(asked));
        assert_eq!(super::address([], false), "/compare");
        assert_eq!(parse("run=1&run=+1+&run=&run=2&other=3").unwrap().runs, ["1", "2"]);
    }

    #[test]
    fn what_cannot_be_understood_is_refused_by_field() {
        let nine: Vec<String> = (0..9).map(|run| format!("run={run}")).collect();
        for (query, field) in [("all=yes", "all"), (nine.join("&").as_str(), "run")] {
            assert!(
                matches!(parse(query), Err(PageError::BadRequest { field: found, .. }) if found == field)
            );
        }
    }

    #[test]
    fn a_run_can_be_moved_to_any_place() {
        let runs = ["a", "b", "c"];
        assert_eq!(moved(&runs, 2, 0), ["c", "a", "b"]);
        assert_eq!(moved(&runs, 0, 1), ["b", "a", "c"]);
        assert_eq!(moved(&runs, 3, 0), runs);
        assert_eq!(moved(&runs, 0, 3), runs);
    }
}
