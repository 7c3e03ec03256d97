//! How long many cancels took: to be acknowledged, and from there to be cleaned up.

use std::{cmp::Reverse, collections::BTreeMap};

use super::distribution::{Curve, Distribution, Latency};

/// How long one cancel took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Took {
    /// From the request to the acknowledgement; none where nothing was measured.
    pub ack: Option<Latency>,
    /// From the acknowledgement to the end of cleaning up, in milliseconds.
    pub cleanup_ms: Option<f64>,
}

/// How the times of cancels are spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// From the request to the acknowledgement.
    pub ack: Distribution,
    /// From the acknowledgement to the end of cleaning up.
    pub cleanup: Distribution,
}

impl Spread {
    /// The spread of cancels; those without a time count as smaller `n`.
    pub fn of(took: &[Took]) -> Self {
        let cleanups: Vec<f64> = took.iter().filter_map(|it| it.cleanup_ms).collect();
        let of = took.len() as u64;
        Self {
            ack: Distribution::of_latencies(&latencies(took), of),
            cleanup: Distribution::of(&cleanups, of),
        }
    }
}

fn latencies(took: &[Took]) -> Vec<Latency> {
    took.iter().filter_map(|it| it.ack).collect()
}

/// Cancels that have a value in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The value; none for those without.
    pub name: Option<String>,
    /// How many there are.
    pub count: usize,
    /// How long they took.
    pub spread: Spread,
    /// The share that is acknowledged after a time.
    pub curve: Curve,
}

/// Cancels by a value of theirs: the largest group first, those of the same size by name.
pub fn groups<'a>(cancels: impl Iterator<Item = (Option<&'a str>, Took)>) -> Vec<Group> {
    let mut by_name: BTreeMap<Option<&str>, Vec<Took>> = BTreeMap::new();
    for (name, took) in cancels {
        by_name.entry(name).or_default().push(took);
    }
    let group = |(name, took): (Option<&str>, Vec<Took>)| Group {
        name: name.map(str::to_owned),
        count: took.len(),
        spread: Spread::of(&took),
        curve: Curve::new(&latencies(&took)),
    };
    let mut groups: Vec<Group> = by_name.into_iter().map(group).collect();
    groups.sort_by_key(|group| Reverse(group.count));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_in_the_order_of_their_size_and_then_of_their_names() {
        let took = |measured, bound| Took { ack: Latency::of(measured, bound), cleanup_ms: measured };
        let cancels = [
            (Some("b"), took(Some(2.0), None)),
            (Some("a"), took(Some(1.0), None)),
            (None, took(None, Some(9.0))),
            (None, took(None, None)),
        ];
        let groups = groups(cancels.into_iter());
        let short: Vec<_> =
            groups.iter().map(|group| (group.name.as_deref(), group.count, group.spread.ack.n)).collect();
        assert_eq!(short, [(None, 2, 1), (Some("a"), 1, 1), (Some("b"), 1, 1)]);
        assert_eq!(groups[1].curve.steps().len(), 1);

        let all = Spread::of(&cancels.map(|(_, took)| took));
        assert_eq!((all.ack.n, all.ack.of, all.ack.censored), (3, 4, 1));
        assert_eq!((all.cleanup.n, all.cleanup.of), (2, 4));
        assert_eq!(super::groups(std::iter::empty()), []);
    }
}
