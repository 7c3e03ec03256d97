//! JSON documents, value by value.

use serde_json::Value;

use super::{Comparison, Difference, Number, PathRule, Tolerance, shown};

pub(super) fn compare(reference: &Value, candidate: &Value, tolerance: &Tolerance) -> Comparison {
    let rules: Vec<(Vec<String>, PathRule)> = tolerance
        .paths
        .iter()
        .map(|(pointer, rule)| (pointer.split('/').skip(1).map(unescape).collect(), *rule))
        .collect();
    let mut walk = Walk { rules, tolerance, path: Vec::new(), comparison: Comparison::default() };
    walk.values(Some(reference), Some(candidate));
    let mut comparison = walk.comparison;
    comparison.agrees = comparison.differing.0 == 0;
    comparison
}

/// JSON pointers write `~` as `~0` and `/` as `~1`.
fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

struct Walk<'a> {
    rules: Vec<(Vec<String>, PathRule)>,
    tolerance: &'a Tolerance,
    path: Vec<String>,
    comparison: Comparison,
}

impl Walk<'_> {
    /// The rule for the place, or for the nearest part of the document around it; one without `*` goes before one with.
    fn rule(&self) -> Option<PathRule> {
        let fits = |pattern: &[String]| {
            pattern.len() <= self.path.len()
                && pattern.iter().zip(&self.path).all(|(wanted, key)| wanted == "*" || wanted == key)
        };
        let rank = |pattern: &[String]| {
            let stars = pattern.iter().filter(|segment| *segment == "*").count();
            (pattern.len(), usize::MAX - stars)
        };
        let fitting = self.rules.iter().filter(|(pattern, _)| fits(pattern));
        fitting.max_by_key(|(pattern, _)| rank(pattern)).map(|(_, rule)| *rule)
    }

    fn values(&mut self, reference: Option<&Value>, candidate: Option<&Value>) {
        let rule = self.rule();
        if rule.is_some_and(|rule| rule.ignore) {
            return;
        }
        match (reference, candidate) {
            (Some(Value::Object(left)), Some(Value::Object(right))) => {
                for key in left.keys().chain(right.keys().filter(|key| !left.contains_key(*key))) {
                    self.inside(key.clone(), left.get(key), right.get(key));
                }
            }
            (Some(Value::Array(left)), Some(Value::Array(right))) => {
                for index in 0..left.len().max(right.len()) {
                    self.inside(index.to_string(), left.get(index), right.get(index));
                }
            }
            (Some(Value::Number(left)), Some(Value::Number(right))) => {
                let number = |number: &serde_json::Number| match number.as_i64() {
                    Some(integer) => Number::Integer(integer.into()),
                    None => Number::Float(number.as_f64().unwrap_or(f64::NAN)),
                };
                let distances = match rule {
                    Some(PathRule { absolute, relative, .. }) => {
                        Tolerance { absolute, relative, ..Tolerance::default() }
                    }
                    None => {
                        let Tolerance { absolute, relative, .. } = *self.tolerance;
                        Tolerance { absolute, relative, ..Tolerance::default() }
                    }
                };
                let agrees = self.comparison.number(number(left), number(right), &distances);
                self.count(agrees, reference, candidate);
            }
            _ => self.count(reference == candidate, reference, candidate),
        }
    }

    fn inside(&mut self, key: String, reference: Option<&Value>, candidate: Option<&Value>) {
        self.path.push(key);
        self.values(reference, candidate);
        self.path.pop();
    }

    fn count(&mut self, agrees: bool, reference: Option<&Value>, candidate: Option<&Value>) {
        let text =
            |value: Option<&Value>| value.map_or_else(|| "(absent)".to_owned(), |it| shown(&it.to_string()));
        let path = &self.path;
        self.comparison.count(agrees, || Difference {
            at: path
                .iter()
                .map(|key| format!("/{}", shown(&key.replace('~', "~0").replace('/', "~1"))))
                .collect(),
            reference: text(reference),
            candidate: text(candidate),
        });
    }
}
