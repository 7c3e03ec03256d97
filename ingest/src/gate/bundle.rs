//! Gate 3: bundle and manifest.

mod attached;
mod sbom;

use std::path::{Path, PathBuf};

use acta_ledger::{
    evidence::{
        build::BuildSummary,
        bundle::{Dialect, FindingKind, Inspection, Level, Rule, SectionRole, Violation},
        gate::{Check, CheckVerdict, FactClass, Gate, GateRecord},
        pin::Pins,
    },
    log::{digest::Sha256Digest, statement::Subject},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Common, UNCHAINED, check, conclude, store_file};
use crate::{
    blob::BlobStore,
    clock,
    command::bundle::reading,
    error::{CliError, Exit, Result},
    home::Home,
    runs, statements,
    ui::Ui,
};

const EXAMPLES: &str = "\
The bundle is read once and held to every rule of the format. Where it comes from is known by the run whose
plan lies in it: the newest of this agent's own runs, or --run; what the header says is only stated by the
bundle.

Where the bundle is stored is a person's word. Signatures and scans are kept as they are; they are not
verified, but one that names another file fails. A bundle without a signature needs the reason:
--no-signature.

Examples:
  acta gate 3 --route tiny-qwen2 --bundle tiny.bundle --storage s3://bundles/tiny.bundle \\
      --sbom sbom.cdx.json \\
    --signature tiny.bundle.sig --scan grype.json --by ana
  acta gate 3 --route tiny-qwen2 --bundle tiny.bundle --storage https://store.example/tiny.bundle \\
    --scan scan.sarif --no-signature 'internal route, bound by the log' --by ana";

/// How long a bill of materials, a signature or a scan may be.
const MAX_ATTACHED_BYTES: u64 = 32 << 20;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What every gate takes.
    #[command(flatten)]
    pub common: Common,

    /// The bundle.
    #[arg(long, value_name = "FILE")]
    pub bundle: PathBuf,

    /// The run that built what is in it; none is looked for by the plan's digest.
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,

    /// The controlled location where the bundle is stored.
    #[arg(long, value_name = "URL")]
    pub storage: Option<String>,

    /// A bill of materials: `CycloneDX` or SPDX in JSON.
    #[arg(long, value_name = "FILE")]
    pub sbom: Option<PathBuf>,

    /// A signature or attestation of the bundle.
    #[arg(long, value_name = "FILE", conflicts_with = "no_signature")]
    pub signature: Option<PathBuf>,

    /// Why there is no signature.
    #[arg(long, value_name = "REASON")]
    pub no_signature: Option<String>,

    /// What a scanner said.
    #[arg(long, value_name = "FILE")]
    pub scan: Option<PathBuf>,
}

/// Runs gate 3.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let started_at = clock::now();
    let route = args.common.route()?;
    if let Some(url) = &args.storage {
        check_url("--storage", url)?;
    }
    let named = args.run.as_deref().map(|run| runs::parse_run_of("--run", run)).transpose()?;
    let blobs = BlobStore::new(home.blobs());
    let inspection = reading::read("--bundle", &args.bundle, ui)?;
    let origin = origin(home, &inspection, named)?;
    let mut checks = format_checks(&inspection);
    checks.push(provenance(&inspection, &origin));
    checks.push(storage(args)?);
    checks.push(signature(args, &blobs, &inspection.digest)?);
    checks.push(scan_or_sbom(args, &blobs, &inspection.digest)?);
    let built = match &origin {
        Built::By(summary) => Some(&**summary),
        Built::Elsewhere | Built::NotBy(_) => None,
    };
    let record = GateRecord {
        route,
        gate: Gate::Bundle,
        checkpoint_revision: None,
        bundle: Some(inspection.digest),
        run: built.map(|summary| summary.run.id),
        builder: built.map(|summary| summary.builder),
        runtime_target: None,
        observed: Pins::default(),
        checks,
        authors: Vec::new(),
        started_at,
        finished_at: clock::now(),
        chain: UNCHAINED,
    };
    let name = args.bundle.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let subjects = vec![Subject::new(name, inspection.digest)];
    conclude(home, ui, &args.common, &Pins::default(), subjects, record)
}

/// A location, without secrets in it.
pub fn check_url(field: &str, url: &str) -> Result<()> {
    let wrong = |what: &str| CliError::usage(what.to_owned()).field(field);
    let rest = url.split_once("://").filter(|(scheme, rest)| {
        !scheme.is_empty()
            && !rest.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+')
    });
    let Some((_, rest)) =
        rest.filter(|_| url.len() <= 600 && !url.chars().any(|c| c.is_control() || c == ' '))
    else {
        return Err(wrong("this is no location")
            .found(crate::builder::framing::cut(url, 200))
            .expected("SCHEME://PLACE, like s3://bundles/model.bundle"));
    };
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') || rest.contains(['?', '#']) {
        // The found text is left out on purpose: it may be the secret.
        return Err(wrong("the location may hold a secret, and evidence is for everybody to read")
            .expected("a location without user, password, query or fragment"));
    }
    Ok(())
}

/// What built the plan in the bundle.
enum Built {
    /// This run.
    By(Box<BuildSummary>),
    /// A run was named, and its plan is not in the bundle.
    NotBy(Uuid),
    /// No run of this agent.
    Elsewhere,
}

fn origin(home: &Home, inspection: &Inspection, named: Option<Uuid>) -> Result<Built> {
    let engines: Vec<Sha256Digest> = inspection
        .sections
        .iter()
        .filter(|section| section.role != SectionRole::Other)
        .filter_map(|section| section.digest)
        .collect();
    let holds = |summary: &BuildSummary| {
        summary.plan().and_then(|plan| plan.digest).is_some_and(|digest| engines.contains(&digest))
    };
    if let Some(run) = named {
        let (summary, _) = statements::run_summary(home, run)?;
        return Ok(if holds(&summary) { Built::By(Box::new(summary)) } else { Built::NotBy(run) });
    }
    let found = statements::newest_own(home, holds)?;
    Ok(found.map_or(Built::Elsewhere, |summary| Built::By(Box::new(summary))))
}

/// Which check a broken rule belongs to.
#[derive(PartialEq, Eq)]
enum Part {
    Header,
    Sections,
    Content,
}

fn part(rule: Rule) -> Part {
    if !rule.is_outer() {
        Part::Content
    } else if (Rule::SectionsMissing..=Rule::SectionOverlap).contains(&rule) {
        Part::Sections
    } else {
        Part::Header
    }
}

fn broken(inspection: &Inspection, of: Part) -> Option<String> {
    let broken: Vec<&Violation> = inspection.errors.iter().filter(|error| part(error.rule) == of).collect();
    let first = broken.first()?;
    let more = broken.len() - 1;
    let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
    Some(format!("{}: {}{more}", first.rule.code(), first.text))
}

/// Header, section table, digests.
fn format_checks(inspection: &Inspection) -> Vec<Check> {
    let rules: Vec<&str> = inspection.errors.iter().map(|error| error.rule.code()).collect();
    let findings: Vec<&str> = inspection.findings.iter().map(|finding| finding.finding.code()).collect();
    let header = json!({
        "dialect": inspection.dialect,
        "class": inspection.class,
        "clean": inspection.clean,
        "brokenRules": rules,
        "findings": findings,
        "stated": inspection.header,
    });
    let readable = inspection.dialect.is_some();
    let header = match broken(inspection, Part::Header) {
        Some(reason) => check("header", CheckVerdict::Fail, header).because(reason),
        None => check("header", CheckVerdict::Pass, header),
    };
    let sections = json!(inspection.sections);
    let high = inspection.findings.iter().find(|finding| finding.level == Level::High);
    let look: Vec<&str> = inspection
        .findings
        .iter()
        .filter(|finding| finding.level == Level::Attention)
        .map(|finding| finding.text.as_str())
        .collect();
    let table = match (broken(inspection, Part::Sections), high) {
        (Some(reason), _) => check("section_table", CheckVerdict::Fail, sections).because(reason),
        (None, _) if !readable => {
            check("section_table", CheckVerdict::NotRun, Value::Null).because("the header cannot be read")
        }
        (None, Some(finding)) => check("section_table", CheckVerdict::Hold, sections).because(format!(
            "{}: {}",
            finding.finding.code(),
            finding.text
        )),
        (None, None) if !look.is_empty() => {
            check("section_table", CheckVerdict::Pass, sections).because(look.join("; "))
        }
        (None, None) => check("section_table", CheckVerdict::Pass, sections),
    };
    let file = json!({ "digest": inspection.digest, "bytes": inspection.bytes });
    let hashed = inspection.sections.iter().filter(|section| section.digest.is_some()).count();
    let digests = json!({
        "sections": inspection.sections.len(),
        "hashed": hashed,
        "artifactTree": inspection.optimized.as_ref(),
    });
    let digests = match broken(inspection, Part::Content) {
        Some(reason) => check("section_digests", CheckVerdict::Fail, digests).because(reason),
        None if !readable => {
            check("section_digests", CheckVerdict::NotRun, Value::Null).because("the header cannot be read")
        }
        None if hashed < inspection.sections.len() => check("section_digests", CheckVerdict::Fail, digests)
            .because("some sections are not in the file, or share bytes with another"),
        None => check("section_digests", CheckVerdict::Pass, digests),
    };
    vec![header, table, check("file_digest", CheckVerdict::Pass, file), digests]
}

fn provenance(inspection: &Inspection, origin: &Built) -> Check {
    let name = "provenance";
    match origin {
        Built::By(summary) => {
            let value = json!({
                "run": summary.run.id,
                "plan": summary.plan().and_then(|plan| plan.digest),
                "tensorrt": summary.tensorrt_version,
                "builder": summary.builder,
            });
            return check(name, CheckVerdict::Pass, value);
        }
        Built::NotBy(run) => {
            return check(name, CheckVerdict::Fail, json!({ "run": run }))
                .because(format!("no section of the bundle is the plan of run {run}"));
        }
        Built::Elsewhere => {}
    }
    let stated: Value = ["model_id", "trt_version", "gpu_name", "created_at", "family", "task", "backend"]
        .into_iter()
        .filter_map(|key| Some((key.to_owned(), json!(inspection.stated(key)?))))
        .collect::<serde_json::Map<String, Value>>()
        .into();
    let stated_whole = inspection.dialect == Some(Dialect::A)
        && ["model_id", "trt_version", "created_at"]
            .into_iter()
            .all(|key| inspection.stated(key).is_some_and(|value| !value.is_empty()));
    if stated_whole {
        return check(name, CheckVerdict::Pass, stated)
            .class(FactClass::StatedByBundle)
            .because("no run of this agent is known for the plan; the header says it of itself");
    }
    let why = if inspection.has(FindingKind::ProvenanceUnknown) {
        "this dialect says nothing of its origin, and no run of this agent is known for the plan: --run"
    } else {
        "neither the header nor a run of this agent says where it comes from: --run"
    };
    check(name, CheckVerdict::Hold, stated).because(why)
}

fn storage(args: &Args) -> Result<Check> {
    let name = "storage_location";
    Ok(match &args.storage {
        Some(url) => check(name, CheckVerdict::Pass, json!(url)).stated_by(&args.common.person()?),
        None => check(name, CheckVerdict::Hold, Value::Null)
            .because("nobody says where the bundle is stored: --storage URL"),
    })
}

fn signature(args: &Args, blobs: &BlobStore, bundle: &Sha256Digest) -> Result<Check> {
    let name = "signature";
    let Some(path) = &args.signature else {
        return Ok(match args.no_signature.as_deref().map(str::trim) {
            Some(reason) if !reason.is_empty() => check(name, CheckVerdict::NotApplicable, Value::Null)
                .because(reason)
                .stated_by(&args.common.person()?),
            _ => check(name, CheckVerdict::Hold, Value::Null).because(
                "there is no signature, and nobody says why: --signature FILE or --no-signature REASON",
            ),
        });
    };
    let (digest, bytes) = attach(blobs, "--signature", path)?;
    Ok(match attached::signature(&bytes, bundle) {
        Err(reason) => check(name, CheckVerdict::Fail, json!({ "digest": digest })).because(reason),
        Ok(it) => {
            let value =
                json!({ "digest": digest, "format": it.format, "namesBundle": it.names_bundle, "verified": false });
            match it.names_bundle {
                Some(false) => {
                    check(name, CheckVerdict::Fail, value).because("the signature is for another file")
                }
                _ => check(name, CheckVerdict::Pass, value).because("recorded, not verified: its key is not known here"),
            }
        }
    }
    .resting_on(digest))
}

fn scan_or_sbom(args: &Args, blobs: &BlobStore, bundle: &Sha256Digest) -> Result<Check> {
    let name = "scan_or_sbom";
    let (mut value, mut problems, mut evidence) = (serde_json::Map::new(), Vec::new(), Vec::new());
    if let Some(path) = &args.sbom {
        let (digest, bytes) = attach(blobs, "--sbom", path)?;
        evidence.push(digest);
        match sbom::parse(&bytes, bundle) {
            Ok(bill) => {
                if bill.names_bundle == Some(false) {
                    problems.push("the SBOM is for another file".to_owned());
                }
                value.insert("sbom".to_owned(), bill.value(digest));
            }
            Err(reason) => problems.push(reason),
        }
    }
    if let Some(path) = &args.scan {
        let (digest, bytes) = attach(blobs, "--scan", path)?;
        evidence.push(digest);
        match attached::scan(&bytes) {
            Ok(it) => {
                let results = it.results.map(|results| results.to_string());
                let scan = json!({ "digest": digest, "format": it.format, "results": results });
                value.insert("scan".to_owned(), scan);
            }
            Err(reason) => problems.push(reason),
        }
    }
    let mut judged = if evidence.is_empty() {
        check(name, CheckVerdict::Hold, Value::Null)
            .because("there is neither a scan nor a bill of materials: --scan FILE or --sbom FILE")
    } else if problems.is_empty() {
        check(name, CheckVerdict::Pass, value.into())
    } else {
        check(name, CheckVerdict::Fail, value.into()).because(problems.join("; "))
    };
    judged.evidence = evidence;
    Ok(judged)
}

fn attach(blobs: &BlobStore, field: &str, path: &Path) -> Result<(Sha256Digest, Vec<u8>)> {
    let (blob, bytes) = store_file(blobs, field, path, MAX_ATTACHED_BYTES, "application/octet-stream")?;
    Ok((blob.digest, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_belongs_to_one_check() {
        assert!(part(Rule::Magic) == Part::Header && part(Rule::FormatUnsupported) == Part::Header);
        assert!(
            part(Rule::SectionsMissing) == Part::Sections && part(Rule::SectionOverlap) == Part::Sections
        );
        assert!(part(Rule::ArtifactTreeDigest) == Part::Content);
    }

    #[test]
    fn a_location_holds_no_secret() {
        for good in ["s3://bundles/a.bundle", "https://store.example/a", "file:///srv/bundles/a"] {
            check_url("--storage", good).unwrap();
        }
        for wrong in
            ["", "store", "://a", "https://", "https://a b", "https://u:secret@h/x", "https://h/x?sig=secret"]
        {
            let error = check_url("--storage", wrong).unwrap_err().to_string();
            assert!(
                error.contains("--storage") && !error.contains("secret@") && !error.contains("=secret"),
                "{error}"
            );
        }
    }
}
