//! The specification of a parity run: sets of cases, tolerances, and what must be the same on both sides.

use std::{collections::BTreeSet, path::Path};

use acta_ledger::judge::parity::{Kind, Tolerance};
use serde::{Deserialize, Serialize};

use crate::{
    error::{CliError, Result},
    import::reading::shown,
    policy,
};

/// How many cases a specification may have.
const MAX_CASES: usize = 10_000;

/// A kind of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetName {
    /// What the model is used for every day.
    Normal,
    /// Inputs near the longest context.
    LongContext,
    /// Inputs that are wrong; both sides must refuse them alike.
    Malformed,
    /// Requests that run at once.
    Concurrency,
    /// Outputs that must have a form.
    StructuredOutput,
}

/// One case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseSpec {
    /// Its name.
    pub name: String,
    /// What its files hold.
    pub kind: Kind,
    /// Its file in both folders.
    #[serde(default)]
    file: Option<String>,
    /// Its file in the reference's folder, where the names differ.
    #[serde(default)]
    reference: Option<String>,
    /// Its file in the candidate's folder, where the names differ.
    #[serde(default)]
    candidate: Option<String>,
    /// How far they may be apart.
    #[serde(default)]
    pub tolerance: Tolerance,
}

impl CaseSpec {
    /// Its file in the reference's folder.
    pub fn reference_file(&self) -> &str {
        self.reference.as_deref().or(self.file.as_deref()).unwrap_or_default()
    }

    /// Its file in the candidate's folder.
    pub fn candidate_file(&self) -> &str {
        self.candidate.as_deref().or(self.file.as_deref()).unwrap_or_default()
    }
}

/// A set of cases.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Which.
    pub set: SetName,
    /// Its cases.
    pub cases: Vec<CaseSpec>,
}

/// Files that must be the same in both folders.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// The tokenizer's.
    #[serde(default)]
    pub tokenizer: Vec<String>,
    /// The processor's.
    #[serde(default)]
    pub processor: Vec<String>,
    /// The prompts.
    #[serde(default)]
    pub prompts: Vec<String>,
    /// The batch shapes.
    #[serde(default)]
    pub batch_shapes: Vec<String>,
    /// The runtime configuration.
    #[serde(default)]
    pub runtime_config: Vec<String>,
}

/// The whole specification.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What must be the same.
    #[serde(default)]
    pub same: Same,
    /// The sets.
    pub sets: Vec<Set>,
}

/// Reads a specification.
pub fn read(path: &Path) -> Result<(Spec, Vec<u8>)> {
    let (spec, bytes): (Spec, _) = policy::read("--spec", "the specification", path)?;
    spec.check().map_err(|error| {
        let field = error.field.clone().unwrap_or_default();
        error.field(format!("{field} in --spec {}", path.display()))
    })?;
    Ok((spec, bytes))
}

impl Spec {
    fn check(&self) -> Result<()> {
        let wrong =
            |field: String, what: &str, found: String| CliError::usage(what).field(field).found(found);
        let count: usize = self.sets.iter().map(|set| set.cases.len()).sum();
        if count == 0 || count > MAX_CASES {
            let error =
                wrong("sets".to_owned(), "the specification has no cases, or too many", count.to_string());
            return Err(error.expected(format!("1 to {MAX_CASES} cases")));
        }
        let mut names = BTreeSet::new();
        for (index, set) in self.sets.iter().enumerate() {
            for (number, case) in set.cases.iter().enumerate() {
                let field = format!("sets[{index}].cases[{number}]");
                if case.name.trim().is_empty()
                    || case.name.len() > 200
                    || !names.insert((set.set, &case.name))
                {
                    return Err(wrong(
                        format!("{field}.name"),
                        "a case needs a name of its own",
                        shown(&case.name),
                    )
                    .expected("1 to 200 characters, once in its set"));
                }
                if case.file.is_some() && (case.reference.is_some() || case.candidate.is_some()) {
                    return Err(wrong(field, "a case has one file, or one a side", shown(&case.name)));
                }
                for file in [case.reference_file(), case.candidate_file()] {
                    check_path(&field, file)?;
                }
                case.tolerance.check(case.kind).map_err(|error| {
                    wrong(
                        format!("{field}.tolerance.{}", error.key),
                        "the tolerance makes no sense",
                        error.to_string(),
                    )
                })?;
            }
        }
        let same = &self.same;
        let lists =
            [&same.tokenizer, &same.processor, &same.prompts, &same.batch_shapes, &same.runtime_config];
        lists.into_iter().flatten().try_for_each(|file| check_path("same", file))
    }
}

/// A file inside a folder: no way leads out of it.
fn check_path(field: &str, file: &str) -> Result<()> {
    let inside = !file.is_empty()
        && file.len() <= 1000
        && !file.contains(['\\', '\0'])
        && file.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if inside {
        Ok(())
    } else {
        Err(CliError::usage("this names no file inside the folder")
            .field(field)
            .found(shown(file))
            .expected("a relative path without . and .."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"
        [same]
        tokenizer = ["tokenizer.json"]
        [[sets]]
        set = "normal"
        [[sets.cases]]
        name = "a"
        kind = "array"
        file = "normal/a.npy"
        tolerance = { absolute = 0.001, top_k = { k = 5, agreement = 0.99 } }
        [[sets.cases]]
        name = "b"
        kind = "json"
        reference = "b-hf.json"
        candidate = "b.json"
        [sets.cases.tolerance.paths."/choices/*/score"]
        absolute = 0.01
    "#;

    fn parse(text: &str) -> Result<Spec> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("spec.toml");
        std::fs::write(&path, text).unwrap();
        read(&path).map(|(spec, _)| spec)
    }

    #[test]
    fn a_specification_is_read() {
        let spec = parse(GOOD).unwrap();
        let cases = &spec.sets[0].cases;
        assert_eq!((cases[0].reference_file(), cases[1].reference_file()), ("normal/a.npy", "b-hf.json"));
        assert_eq!(cases[1].candidate_file(), "b.json");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, words) in [
            ("tolerance = {", "tolerence = {", "unknown field `tolerence`"),
            ("absolute = 0.001", "absolut = 0.001", "unknown field `absolut`"),
            ("set = \"normal\"", "set = \"usual\"", "unknown variant `usual`"),
            ("kind = \"array\"", "kind = \"text\"", "sets[0].cases[0].tolerance.absolute"),
            ("normal/a.npy", "../a.npy", "names no file inside"),
            ("normal/a.npy", "/etc/passwd", "names no file inside"),
            ("\"tokenizer.json\"", "\"a//b\"", "names no file inside"),
            ("name = \"b\"", "name = \"a\"", "a name of its own"),
            ("reference = \"b-hf.json\"", "file = \"b.json\"", "one file, or one a side"),
            ("candidate = \"b.json\"", "", "names no file inside"),
        ] {
            assert!(GOOD.contains(from), "{from}");
            let error = parse(&GOOD.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("--spec"), "{from}: {error}");
        }
        assert!(parse("sets = []").unwrap_err().to_string().contains("no cases"));
    }
}
