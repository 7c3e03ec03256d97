//! Gate 4: what the reference puts out against what the candidate puts out, case by case.
//!
//! Both folders hold the outputs under the same names, and the files that must be the same on both sides: tokenizer,
//! processor, prompts, shapes, runtime configuration. Every file is hashed; a file that is missing or cannot be read is a
//! failure of its case, by name. The comparison itself, and what a set of cases says, is the ledger's.

mod content;
mod npy;
mod same;
mod spec;

use std::path::{Path, PathBuf};

use acta_ledger::{
    evidence::gate::{Check, CheckVerdict, Gate, GateRecord},
    judge::parity::{self, CaseResult},
    log::{digest::Sha256Digest, jcs},
};
use serde::Serialize;
use serde_json::{Value, json};

use self::{
    content::{Folder, Side},
    spec::{Set, SetName, Spec},
};
use super::{Common, UNCHAINED, check, conclude, release::site::SiteArgs, store};
use crate::{
    blob::BlobStore,
    chain, clock,
    error::{CliError, Exit, Result},
    home::Home,
    import::document::Document,
    ui::Ui,
};

const EXAMPLES: &str = "\
The specification (TOML or JSON) lists sets of cases. A set is normal, long_context, malformed, concurrency
or structured_output; a case has a name, a kind (text, token_ids, json, array), a file in both folders and a
tolerance. What must be the same on both sides stands under `same`, as lists of files.

  [same]
  tokenizer = [\"tokenizer.json\"]
  prompts = [\"prompts.jsonl\"]
  batch_shapes = [\"shapes.json\"]
  runtime_config = [\"runtime.json\"]

  [[sets]]
  set = \"normal\"
  [[sets.cases]]
  name = \"logits of the first prompt\"
  kind = \"array\"
  file = \"normal/logits-0.npy\"
  tolerance = { absolute = 0.001, relative = 0.01 }

Tolerances: absolute, relative, nan_equal, top_k {k, agreement} (arrays), agreement (token ids), paths
(JSON, by pointer). Without one a value must be the same.

Example:
  acta gate 4 --route tiny-qwen2 --bundle tiny.bundle --reference out/hf --candidate out/cpp \\
      --spec parity.toml \\
    --not-applicable same_processor='a text model has none' --by ana";

/// How many failing cases a check names.
const MAX_NAMED: usize = 5;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What every gate takes.
    #[command(flatten)]
    pub common: Common,

    /// Where it is measured.
    #[command(flatten)]
    pub site: SiteArgs,

    /// The folder of what the reference put out.
    #[arg(long, value_name = "FOLDER")]
    pub reference: PathBuf,

    /// The folder of what the bundle put out.
    #[arg(long, value_name = "FOLDER")]
    pub candidate: PathBuf,

    /// The specification.
    #[arg(long, value_name = "FILE")]
    pub spec: PathBuf,
}

/// Everything that was compared: a blob, because it is longer than an entry.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Results {
    schema: &'static str,
    spec: Sha256Digest,
    bundle: Sha256Digest,
    sets: Vec<SetResult>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SetResult {
    set: SetName,
    verdict: CheckVerdict,
    cases: Vec<Case>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    #[serde(flatten)]
    result: CaseResult,
    tolerance: parity::Tolerance,
    reference: Option<Sha256Digest>,
    candidate: Option<Sha256Digest>,
}

/// Runs gate 4.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let started_at = clock::now();
    chain::signing_key(home)?;
    let (spec, spec_bytes) = spec::read(&args.spec)?;
    let (reference, candidate) = folders(&args.reference, &args.candidate)?;
    let site = args.site.look(home, ui, &args.common, Gate::Parity)?;
    let results = Results {
        schema: "urn:acta:parity-results:v1",
        spec: Sha256Digest::of(&spec_bytes),
        bundle: site.inspection.digest,
        sets: spec.sets.iter().map(|set| compare_set(set, &reference, &candidate)).collect(),
    };
    let results_bytes = jcs::to_vec(&results)
        .map_err(|error| CliError::failure("the results cannot be written").found(error.to_string()))?;
    let blob = Sha256Digest::of(&results_bytes);

    let mut checks = vec![reference_against_candidate(&results, blob)];
    checks.extend(same::checks(&spec.same, &reference, &candidate, &site.inspection));
    checks.push(tolerances(&spec, results.spec));
    for (set, name) in [
        (SetName::LongContext, "long_context"),
        (SetName::Malformed, "malformed_inputs"),
        (SetName::Concurrency, "concurrency"),
        (SetName::StructuredOutput, "structured_output"),
    ] {
        checks.push(of_set(&results, set, name, blob));
    }
    checks.extend(reports(&site.documents));

    let blobs = BlobStore::new(home.blobs());
    store(&blobs, &spec_bytes, "text/plain")?;
    store(&blobs, &results_bytes, "application/vnd.acta.parity-results+json")?;
    site.store_documents(&blobs)?;
    let record = GateRecord {
        route: site.route.clone(),
        gate: Gate::Parity,
        checkpoint_revision: None,
        bundle: Some(site.inspection.digest),
        run: None,
        builder: None,
        runtime_target: Some(site.runtime_target.clone()),
        observed: site.observed.clone(),
        checks: site.finish(checks),
        authors: args.common.by.clone().into_iter().collect(),
        started_at,
        finished_at: clock::now(),
        chain: UNCHAINED,
    };
    conclude(home, ui, &args.common, &site.pins(), site.subjects(), record)
}

/// Both folders; comparing one with itself proves nothing.
fn folders(reference: &Path, candidate: &Path) -> Result<(Folder, Folder)> {
    let reference = Folder::open("--reference", reference, Side::Reference)?;
    let candidate = Folder::open("--candidate", candidate, Side::Candidate)?;
    if reference.root() == candidate.root() {
        return Err(CliError::usage("reference and candidate are one folder")
            .field("--candidate")
            .found(candidate.root().display().to_string())
            .expected("the folder of what the bundle put out"));
    }
    Ok((reference, candidate))
}

fn compare_set(set: &Set, reference: &Folder, candidate: &Folder) -> SetResult {
    let cases: Vec<Case> = set
        .cases
        .iter()
        .map(|case| {
            let left = reference.read(case.reference_file(), case.kind);
            let right = candidate.read(case.candidate_file(), case.kind);
            let digest = |side: &content::Read| side.digest;
            let problem = [&left, &right].into_iter().find_map(|side| side.content.as_ref().err().cloned());
            let comparison = match (&left.content, &right.content) {
                (Ok(left), Ok(right)) => Some(parity::compare(left, right, &case.tolerance)),
                _ => None,
            };
            Case {
                reference: digest(&left),
                candidate: digest(&right),
                tolerance: case.tolerance.clone(),
                result: CaseResult { name: case.name.clone(), kind: case.kind, problem, comparison },
            }
        })
        .collect();
    let results: Vec<CaseResult> = cases.iter().map(|case| case.result.clone()).collect();
    SetResult { set: set.set, verdict: parity::verdict(&results), cases }
}

/// A check of these cases: how many passed, and the first that did not.
fn of_cases(name: &str, cases: &[&Case], blob: Sha256Digest) -> Check {
    let results: Vec<CaseResult> = cases.iter().map(|case| case.result.clone()).collect();
    let verdict = parity::verdict(&results);
    let failing: Vec<&CaseResult> = results.iter().filter(|case| !case.passed()).collect();
    let value = json!({
        "cases": results.len(),
        "passed": results.len() - failing.len(),
        // Numbers of two programs are hardly ever the same to the last bit: a reader should see a copied folder.
        "sameBytes": cases.iter().filter(|case| case.reference.is_some() && case.reference == case.candidate).count(),
        "failing": failing.iter().take(MAX_NAMED).map(|case| &case.name).collect::<Vec<_>>(),
    });
    let check = check(name, verdict, value).resting_on(blob);
    match failing.first() {
        Some(first) => check.because(format!("{}: {}", first.name, first.why_not().unwrap_or_default())),
        None if results.is_empty() => check.because("the specification has no case of it"),
        None => check,
    }
}

fn reference_against_candidate(results: &Results, blob: Sha256Digest) -> Check {
    let of = |set: &&SetResult| matches!(set.set, SetName::Normal | SetName::StructuredOutput);
    let cases: Vec<&Case> = results.sets.iter().filter(of).flat_map(|set| &set.cases).collect();
    of_cases("reference_against_candidate", &cases, blob)
}

fn of_set(results: &Results, set: SetName, name: &str, blob: Sha256Digest) -> Check {
    let cases: Vec<&Case> = results.sets.iter().filter(|it| it.set == set).flat_map(|it| &it.cases).collect();
    of_cases(name, &cases, blob)
}

/// The tolerances are stated: by the specification, which is kept.
fn tolerances(spec: &Spec, blob: Sha256Digest) -> Check {
    let cases = || spec.sets.iter().flat_map(|set| &set.cases);
    let exact = cases().filter(|case| case.tolerance == parity::Tolerance::default()).count();
    let most = |pick: fn(&parity::Tolerance) -> Option<f64>| {
        cases().filter_map(|case| pick(&case.tolerance)).reduce(f64::max)
    };
    let value = json!({
        "spec": blob,
        "cases": cases().count(),
        "exact": exact,
        "largestAbsolute": most(|tolerance| tolerance.absolute),
        "largestRelative": most(|tolerance| tolerance.relative),
    });
    check("tolerances", CheckVerdict::Pass, value).resting_on(blob)
}

/// What other tools concluded about the same bundle.
fn reports(documents: &[(Document, Vec<u8>)]) -> Vec<Check> {
    let of = |(document, bytes): &(Document, Vec<u8>)| {
        let name = match document.format() {
            "trtmc-validation" => "model_connect_validation",
            "trtmc-gate" => "model_connect_gates",
            _ => return None,
        };
        let outcome = document.outcome.as_ref()?;
        let value = json!({
            "outcome": outcome.text,
            "notes": document.notes.iter().map(|note| &note.text).collect::<Vec<_>>(),
            "model": document.report.get("model").unwrap_or(&Value::Null),
            "workload": document.report.get("workload").unwrap_or(&Value::Null),
        });
        let check = check(name, outcome.verdict, value).resting_on(Sha256Digest::of(bytes));
        let notes: String = document.notes.iter().map(|note| format!("; {}", note.text)).collect();
        Some(check.because(format!("{}{notes}", outcome.text)))
    };
    documents.iter().filter_map(of).collect()
}
