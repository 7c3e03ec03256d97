//! Where gates 4 and 5 measure: the bundle, the route's policy, and the machine, which must be the route's target.

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        bundle::Inspection,
        gate::{Check, CheckVerdict, Gate, Need, requirements},
        pin::Pins,
        route::{Policy, runtime_target},
    },
    log::statement::Subject,
};
use clap::Args;
use serde_json::Value;

use crate::{
    blob::BlobStore,
    command::bundle::reading,
    error::{CliError, Result},
    gate::{Common, check, store},
    home::Home,
    import::{
        document::{self, Document},
        environment::{Environment, Known, Source},
        reading::shown,
    },
    policy, route,
    ui::Ui,
};

/// The interface of a route whose definition is not known here.
const INTERFACE: &str = "native_cpp_task_api";

/// What gates 4 and 5 take alike.
#[derive(Debug, Clone, Args)]
pub struct SiteArgs {
    /// The bundle.
    #[arg(long, value_name = "FILE")]
    pub bundle: PathBuf,

    /// A document of `acta import` about this bundle, by digest or file; may be given more than once.
    #[arg(long = "import", value_name = "DIGEST|FILE")]
    pub imports: Vec<String>,

    /// The runtime's machine, where neither this machine nor a report says it (TOML or JSON: gpu, driver, cuda,
    /// tensorrt).
    #[arg(long, value_name = "FILE")]
    pub environment: Option<PathBuf>,

    /// The route's policy, where the server does not say it.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,

    /// A check that does not apply here, and why: NAME=REASON; may be given more than once.
    #[arg(long = "not-applicable", value_name = "NAME=REASON")]
    pub not_applicable: Vec<String>,
}

/// Where a gate is run.
pub struct Site {
    /// The route.
    pub route: String,
    /// The policy.
    pub policy: Option<Policy>,
    /// The bundle.
    pub inspection: Inspection,
    /// The bundle's file name.
    pub bundle_name: String,
    /// The imported documents with their bytes.
    pub documents: Vec<(Document, Vec<u8>)>,
    /// The facts of the machine.
    pub observed: Pins,
    /// The runtime target that they make.
    pub runtime_target: String,
    /// The machine as a check.
    pub machine: Check,
    /// The checks that are said not to apply.
    pub not_applicable: Vec<Check>,
}

impl SiteArgs {
    /// Looks around; signs and stores nothing.
    pub fn look(&self, home: &Home, ui: Ui, common: &Common, gate: Gate) -> Result<Site> {
        let route = common.route()?;
        let not_applicable = self.not_applicable(common, gate)?;
        let definition = route::definition(home, &route, ui);
        let stated = self.policy.as_deref().map(policy::read_policy).transpose()?;
        let policy = match (definition.as_ref().map(|it| it.policy.clone()), stated) {
            (Some(of_route), Some(stated)) if of_route != stated => {
                return Err(CliError::usage("the policy is another than the route's")
                    .field("--policy")
                    .help("leave it out: the server says the route's policy"));
            }
            (of_route, stated) => of_route.or(stated),
        };
        let inspection = reading::read("--bundle", &self.bundle, ui)?;
        let blobs = BlobStore::new(home.blobs());
        let read = |named: &String| Document::read(&blobs, named, inspection.digest);
        let documents = self.imports.iter().map(read).collect::<Result<Vec<_>>>()?;

        let mut known = Known::default();
        known.add(&Environment::of_this_machine(), Source::ThisMachine)?;
        for (document, _) in &documents {
            known.add(&document.environment, Source::Report)?;
        }
        if let Some(path) = &self.environment {
            known.add(&Environment::read(path)?, Source::Person)?;
        }
        let gpu = known.get("gpu").ok_or_else(|| {
            CliError::usage("which GPU this was measured on is not known")
                .field("--environment")
                .found("no GPU in this machine, and no import that names one")
                .expected("the evidence of gates 4 and 5 comes from the route's runtime target")
                .help("run this beside the runtime, or name the machine's facts: --environment FILE")
        })?;
        let expected = definition.as_ref().map(|it| it.runtime_target.as_str());
        let interface =
            expected.and_then(|it| it.split_once("_on_")).map_or(INTERFACE, |(interface, _)| interface);
        let found = runtime_target(interface, gpu);
        if let Some(expected) = expected.filter(|expected| *expected != found) {
            return Err(CliError::usage("this was not measured on the route's runtime target")
                .field("runtime target")
                .found(found)
                .expected(expected.to_owned())
                .help("a result of another GPU proves nothing about this one"));
        }
        let machine = check("runtime_environment", CheckVerdict::Pass, known.to_json());
        let machine = if known.is_only_stated() { machine.stated_by(&common.person()?) } else { machine };
        let bundle_name =
            self.bundle.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Site {
            route,
            policy,
            inspection,
            bundle_name,
            documents,
            observed: known.pins(),
            runtime_target: found,
            machine,
            not_applicable,
        })
    }

    fn not_applicable(&self, common: &Common, gate: Gate) -> Result<Vec<Check>> {
        let open: Vec<&str> = requirements(gate)
            .iter()
            .filter(|requirement| requirement.need == Need::WhereItApplies)
            .map(|requirement| requirement.name)
            .collect();
        let read = |text: &String| {
            let wrong = |what: &str, expected: String| {
                CliError::usage(what).field("--not-applicable").found(shown(text)).expected(expected)
            };
            let (name, reason) = text.split_once('=').unwrap_or((text, ""));
            if !open.contains(&name) {
                return Err(wrong("this check always applies, or is none of this gate", open.join(", ")));
            }
            if reason.trim().is_empty() {
                return Err(wrong("why it does not apply is missing", "NAME=REASON".to_owned()));
            }
            let check = check(name, CheckVerdict::NotApplicable, Value::Null).because(reason.trim());
            Ok(check.stated_by(&common.person()?))
        };
        self.not_applicable.iter().map(read).collect()
    }
}

impl Site {
    /// The pins that the route's policy sets.
    pub fn pins(&self) -> Pins {
        self.policy.as_ref().map(|policy| policy.pins.clone()).unwrap_or_default()
    }

    /// What the record speaks about.
    pub fn subjects(&self) -> Vec<Subject> {
        vec![Subject::new(self.bundle_name.clone(), self.inspection.digest)]
    }

    /// Stores the imported documents that the gate rests on, and the reports' files with them.
    pub fn store_documents(&self, blobs: &BlobStore) -> Result<()> {
        for (_, bytes) in &self.documents {
            store(blobs, bytes, document::MEDIA_TYPE)?;
        }
        Ok(())
    }

    /// Puts the checks that do not apply in the place of those that were not run.
    pub fn finish(&self, mut checks: Vec<Check>) -> Vec<Check> {
        for applied in &self.not_applicable {
            match checks.iter_mut().find(|check| check.name == applied.name) {
                Some(check) if check.verdict == CheckVerdict::NotRun => *check = applied.clone(),
                // What was measured cannot be talked away.
                Some(_) => {}
                None => checks.push(applied.clone()),
            }
        }
        checks.push(self.machine.clone());
        checks
    }
}
