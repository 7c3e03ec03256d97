//! Facts by kind, and how two of a kind differ: a digest is another or not, a duration is longer by so much.

use std::{cmp::Ordering, collections::BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{evidence::number::Count64, log::digest::Sha256Digest};

/// What a run says on something.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum Fact {
    /// A word of the evidence, like `cold`.
    Code(String),
    /// A text from outside.
    Text(String),
    /// A digest.
    Digest(Sha256Digest),
    /// A version: numbers with dots between.
    Version(String),
    /// A duration in milliseconds.
    DurationMs(f64),
    /// A duration in milliseconds of which only a lower bound is known.
    LongerThanMs(f64),
    /// A length in bytes.
    Bytes(Count64),
    /// A number of things.
    Count(Count64),
    /// Yes or no.
    Flag(bool),
    /// Texts whose order means nothing.
    Set(BTreeSet<String>),
    /// Anything in JSON.
    Json(Value),
}

/// A place in a JSON value that is not the same in both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathChange {
    /// A JSON pointer (RFC 6901); empty for the whole value.
    pub path: String,
    /// What the first has there; none where it has nothing.
    pub before: Option<Value>,
    /// What the second has there.
    pub after: Option<Value>,
}

/// How a run's fact differs from the baseline's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Difference {
    /// Only this run says something on it.
    Added,
    /// Only the baseline does.
    Removed,
    /// It is another.
    Other,
    /// It is another version.
    Version {
        /// Whether it is the later one; none where that cannot be told.
        later: Option<bool>,
    },
    /// It is more or less.
    Amount {
        /// By how much, in the unit of the fact.
        by: f64,
        /// How many times the baseline's it is; none where the baseline's is 0.
        ratio: Option<f64>,
    },
    /// Some items are others.
    Set {
        /// Those that only this run has.
        added: Vec<String>,
        /// Those that only the baseline has.
        removed: Vec<String>,
    },
    /// It differs in these places.
    Json {
        /// The places, in order.
        changes: Vec<PathChange>,
    },
}

impl Difference {
    /// The same difference, seen from the other run.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Added => Self::Removed,
            Self::Removed => Self::Added,
            Self::Other => Self::Other,
            Self::Version { later } => Self::Version { later: later.map(|later| !later) },
            Self::Amount { by, ratio } => {
                Self::Amount { by: -by, ratio: ratio.map(f64::recip).filter(|ratio| ratio.is_finite()) }
            }
            Self::Set { added, removed } => Self::Set { added: removed, removed: added },
            Self::Json { changes } => {
                let turned = |change: PathChange| PathChange {
                    path: change.path,
                    before: change.after,
                    after: change.before,
                };
                Self::Json { changes: changes.into_iter().map(turned).collect() }
            }
        }
    }
}

/// How a fact differs from the baseline's; none where it does not.
pub fn difference(baseline: Option<&Fact>, other: Option<&Fact>) -> Option<Difference> {
    let (before, after) = match (baseline, other) {
        (None, None) => return None,
        (None, Some(_)) => return Some(Difference::Added),
        (Some(_), None) => return Some(Difference::Removed),
        (Some(before), Some(after)) => (before, after),
    };
    if before == after {
        return None;
    }
    Some(match (before, after) {
        (Fact::DurationMs(before), Fact::DurationMs(after)) => amount(*before, *after),
        (Fact::Bytes(before), Fact::Bytes(after)) | (Fact::Count(before), Fact::Count(after)) => {
            amount(before.0 as f64, after.0 as f64)
        }
        (Fact::Version(before), Fact::Version(after)) => Difference::Version { later: later(before, after) },
        (Fact::Set(before), Fact::Set(after)) => Difference::Set {
            added: after.difference(before).cloned().collect(),
            removed: before.difference(after).cloned().collect(),
        },
        (Fact::Json(before), Fact::Json(after)) => {
            let mut changes = Vec::new();
            json_changes(String::new(), Some(before), Some(after), &mut changes);
            Difference::Json { changes }
        }
        _ => Difference::Other,
    })
}

/// More or less.
pub fn amount(before: f64, after: f64) -> Difference {
    let ratio = Some(after / before).filter(|ratio| ratio.is_finite());
    Difference::Amount { by: after - before, ratio }
}

/// Whether `after` is the later version; none where one of them is not numbers with dots between.
fn later(before: &str, after: &str) -> Option<bool> {
    let numbers =
        |text: &str| text.split('.').map(|part| part.parse::<u64>().ok()).collect::<Option<Vec<_>>>();
    match numbers(after)?.cmp(&numbers(before)?) {
        Ordering::Greater => Some(true),
        Ordering::Less => Some(false),
        Ordering::Equal => None,
    }
}

fn json_changes(path: String, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<PathChange>) {
    match (before, after) {
        (before, after) if before == after => {}
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                json_changes(format!("{path}/{escaped}"), old.get(key), new.get(key), changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for index in 0..old.len().max(new.len()) {
                json_changes(format!("{path}/{index}"), old.get(index), new.get(index), changes);
            }
        }
        (before, after) => {
            changes.push(PathChange { path, before: before.cloned(), after: after.cloned() });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn set(items: &[&str]) -> Fact {
        Fact::Set(items.iter().map(|&item| item.to_owned()).collect())
    }

    #[test]
    fn each_kind_differs_in_its_own_way() {
        let version = |text: &str| Fact::Version(text.to_owned());
        let digest = |text: &str| Fact::Digest(Sha256Digest::of(text.as_bytes()));
        let text = |text: &str| Fact::Text(text.to_owned());
        let texts = |items: &[&str]| items.iter().map(|&item| item.to_owned()).collect::<Vec<_>>();
        for (before, after, expected) in [
            (Some(digest("a")), Some(digest("a")), None),
            (Some(digest("a")), Some(digest("b")), Some(Difference::Other)),
            (None, Some(text("a")), Some(Difference::Added)),
            (Some(text("a")), None, Some(Difference::Removed)),
            (None, None, None),
            (
                Some(version("10.9.0.34")),
                Some(version("10.16.1.11")),
                Some(Difference::Version { later: Some(true) }),
            ),
            (
                Some(version("10.16.1.11")),
                Some(version("10.9.0.34")),
                Some(Difference::Version { later: Some(false) }),
            ),
            (Some(version("10.9")), Some(version("10.9.0")), Some(Difference::Version { later: Some(true) })),
            (Some(version("10.09")), Some(version("10.9")), Some(Difference::Version { later: None })),
            (Some(version("unknown")), Some(version("10.9")), Some(Difference::Version { later: None })),
            (
                Some(Fact::DurationMs(200.0)),
                Some(Fact::DurationMs(300.0)),
                Some(Difference::Amount { by: 100.0, ratio: Some(1.5) }),
            ),
            (
                Some(Fact::Bytes(Count64(0))),
                Some(Fact::Bytes(Count64(7))),
                Some(Difference::Amount { by: 7.0, ratio: None }),
            ),
            // A bound and a measurement cannot be subtracted.
            (Some(Fact::LongerThanMs(5.0)), Some(Fact::DurationMs(9.0)), Some(Difference::Other)),
            (
                Some(set(&["FP16", "TF32"])),
                Some(set(&["TF32", "REFIT"])),
                Some(Difference::Set { added: texts(&["REFIT"]), removed: texts(&["FP16"]) }),
            ),
            (Some(set(&["a", "b"])), Some(set(&["b", "a"])), None),
        ] {
            assert_eq!(difference(before.as_ref(), after.as_ref()), expected, "{before:?} {after:?}");
        }
    }

    #[test]
    fn json_differs_by_path() {
        let before = Fact::Json(json!({"a/b": 1, "kept": [1, {"x": true}], "gone": null}));
        let after = Fact::Json(json!({"a/b": 2, "kept": [1, {"x": false}, 3]}));
        let Some(Difference::Json { changes }) = difference(Some(&before), Some(&after)) else {
            panic!("they differ");
        };
        let told = changes.iter().map(|it| (it.path.as_str(), it.before.clone(), it.after.clone()));
        let told: Vec<_> = told.collect();
        assert_eq!(
            told,
            [
                ("/a~1b", Some(json!(1)), Some(json!(2))),
                ("/gone", Some(Value::Null), None),
                ("/kept/1/x", Some(json!(true)), Some(json!(false))),
                ("/kept/2", None, Some(json!(3))),
            ]
        );
    }

    fn facts() -> impl Strategy<Value = Option<Fact>> {
        let texts = "[a-c]{0,2}";
        let fact = prop_oneof![
            texts.prop_map(Fact::Text),
            "[0-9]{1,2}(\\.[0-9]{1,2}){0,2}".prop_map(Fact::Version),
            (0.0_f64..1e6).prop_map(Fact::DurationMs),
            (0_u64..4).prop_map(|n| Fact::Count(Count64(n))),
            prop::collection::btree_set("[a-d]", 0..4).prop_map(Fact::Set),
            prop::collection::btree_map("[a-b]", 0_u8..3, 0..3).prop_map(|map| Fact::Json(json!(map))),
        ];
        prop::option::of(fact)
    }

    proptest! {
        /// Nothing differs from itself, and what differs does so from both sides in the same way.
        #[test]
        fn a_difference_has_two_sides(a in facts(), b in facts()) {
            prop_assert_eq!(difference(a.as_ref(), a.as_ref()), None);
            let (there, back) = (difference(a.as_ref(), b.as_ref()), difference(b.as_ref(), a.as_ref()));
            prop_assert_eq!(there.is_none(), a == b);
            match (there.map(Difference::mirrored), back) {
                (Some(Difference::Amount { by, ratio }), Some(Difference::Amount { by: back, ratio: other })) => {
                    prop_assert_eq!(by, back);
                    if let Some((ratio, other)) = ratio.zip(other) {
                        prop_assert!((ratio - other).abs() <= 1e-9 * other.abs(), "{} {}", ratio, other);
                    }
                }
                (there, back) => prop_assert_eq!(there, back),
            }
        }
    }
}
