//! Gate 1: source and checkpoint.
//!
//! Everything is read as bytes: nothing is imported, unpickled or run. The list of files with their digests is frozen
//! as a blob; its digest pins a local checkpoint the way a commit pins one of a hub.

mod card;
mod config;
mod files;
mod revision;
mod safetensors;
mod weights;

use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        gate::{Check, CheckVerdict, Gate, GateRecord},
        pin::{Pin, Pins},
        route::{Policy, RouteDefinition},
    },
    judge::licence::{self, LicenceFile},
    log::{digest::Sha256Digest, jcs, statement::Subject},
};
use serde_json::{Value, json};

use self::{card::Card, files::CheckpointFile};
use super::{Common, UNCHAINED, check, conclude, read_bounded, store, store_file};
use crate::{
    blob::BlobStore,
    clock,
    command::bundle::reading,
    error::{CliError, Exit, Result},
    home::Home,
    policy::read_policy,
    route,
    ui::Ui,
};

const EXAMPLES: &str = "\
Files are read as bytes: nothing is imported, unpickled or run. A revision that moves (main, v1.0) is a
hold. A local checkpoint is pinned by the digest of its file list: run without --revision once and use the
sha256:... that is shown. A link is followed only inside the checkpoint or into its download cache; .git and
.cache are left out.

Without --policy the route's own policy is asked of the server; without either, nobody knows which licences
it allows. Code that a loader would run (auto_map, .py files, pickles) is a hold until its review is on
record.

Examples:
  acta gate 1 --route tiny-qwen2 --checkpoint ./tiny-qwen2 --checkpoint-id acme/tiny-qwen2 --revision 8f2c...
  acta gate 1 --route r --checkpoint ./custom --revision sha256:5f0a... \\
      --remote-code-review review.md --by ana";

/// How much of a model card or a licence's text is read.
const MAX_TEXT_BYTES: u64 = 8 << 20;
/// How long a configuration may be.
const MAX_CONFIG_BYTES: u64 = 8 << 20;
/// How many names a reason lists.
const MAX_NAMED: usize = 5;

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What every gate takes.
    #[command(flatten)]
    pub common: Common,

    /// The checkpoint's folder.
    #[arg(long, value_name = "FOLDER")]
    pub checkpoint: PathBuf,

    /// Its pinned revision: a commit, or `sha256:` and the digest of its file list.
    #[arg(long, value_name = "REV")]
    pub revision: Option<String>,

    /// The checkpoint, like `acme/mini`; none is the route's.
    #[arg(long, value_name = "ID")]
    pub checkpoint_id: Option<String>,

    /// Where the model card was read.
    #[arg(long, value_name = "URL")]
    pub card_url: Option<String>,

    /// The route's policy; none is what the server knows.
    #[arg(long, value_name = "FILE")]
    pub policy: Option<PathBuf>,

    /// The review of the code that a loader would run; --by says whose word it is.
    #[arg(long, value_name = "FILE")]
    pub remote_code_review: Option<PathBuf>,
}

/// What is known before the checks.
struct Context<'a> {
    args: &'a Args,
    policy: Option<Policy>,
    definition: Option<RouteDefinition>,
    blobs: BlobStore,
}

/// What was read.
struct Scanned {
    root: PathBuf,
    files: Vec<CheckpointFile>,
    list: Sha256Digest,
}

impl Scanned {
    fn path(&self, file: &CheckpointFile) -> PathBuf {
        self.root.join(&file.path)
    }

    fn find(&self, path: &str) -> Option<&CheckpointFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// Runs gate 1.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let started_at = clock::now();
    let route_name = args.common.route()?;
    let given = args.policy.as_deref().map(read_policy).transpose()?;
    let definition = route::definition(home, &route_name, ui);
    let policy = given.or_else(|| definition.as_ref().map(|definition| definition.policy.clone()));
    let context = Context { args, policy, definition, blobs: BlobStore::new(home.blobs()) };
    let scanned = scan(&context, ui)?;
    let (card, card_check) = read_card(&context, &scanned)?;
    let (licence_checks, licence) = licence_checks(&context, &scanned, card.as_ref())?;
    let main = main_config(&scanned)?;
    let mut checks = vec![
        revision::checkpoint_id(args, context.definition.as_ref())?,
        revision::check_pinned(args, context.definition.as_ref(), scanned.list)?,
        card_check,
    ];
    checks.extend(licence_checks);
    checks.push(config_check(&scanned, &main));
    checks.push(weights::judge(&scanned)?);
    checks.extend(input_checks(&scanned, &main, card.as_ref()));
    checks.extend(remote_code(&context, &scanned)?);
    for check in &mut checks {
        if check.name == "config_files" || check.name == "weight_files" {
            check.evidence.push(scanned.list);
        }
    }
    let observed = Pins(licence.into_iter().map(|licence| (Pin::Licence, licence)).collect());
    let record = GateRecord {
        route: route_name,
        gate: Gate::Source,
        checkpoint_revision: args
            .revision
            .as_deref()
            .map(|it| revision::plain("--revision", it))
            .transpose()?,
        bundle: None,
        run: None,
        builder: None,
        runtime_target: None,
        observed,
        checks,
        authors: Vec::new(),
        started_at,
        finished_at: clock::now(),
        chain: UNCHAINED,
    };
    ui.notice(&format!("file list  sha256:{} ({} files)", scanned.list, scanned.files.len()));
    let pins = context.policy.as_ref().map(|policy| policy.pins.clone()).unwrap_or_default();
    let own = context.definition.as_ref().map(|definition| &definition.checkpoint);
    let name = args.checkpoint_id.as_ref().or(own).map_or("checkpoint", |name| name.as_str());
    conclude(home, ui, &args.common, &pins, vec![Subject::new(name, scanned.list)], record)
}

/// Hashes every file and freezes the list.
fn scan(context: &Context<'_>, ui: Ui) -> Result<Scanned> {
    let root = &context.args.checkpoint;
    let (found, total) = files::find(root)?;
    if found.is_empty() {
        return Err(CliError::usage("the checkpoint is empty")
            .field("--checkpoint")
            .found(root.display().to_string()));
    }
    let bar = reading::bar(ui, root, total);
    let files: Vec<CheckpointFile> =
        found.iter().map(|(relative, path)| files::scan(relative, path, &bar)).collect::<Result<_>>()?;
    bar.finish_and_clear();
    let list = jcs::to_vec(&files)
        .map_err(|error| CliError::failure("the list of files cannot be written").found(error.to_string()))?;
    let list = store(&context.blobs, &list, "application/json")?.digest;
    Ok(Scanned { root: root.clone(), files, list })
}

/// Reads and freezes the model card.
fn read_card(context: &Context<'_>, scanned: &Scanned) -> Result<(Option<Card>, Check)> {
    let Some(file) = scanned.find("README.md") else {
        let check = check("model_card", CheckVerdict::Hold, Value::Null);
        return Ok((None, check.because("there is no model card (README.md)")));
    };
    let url = context.args.card_url.as_deref();
    if let Some(url) = url {
        super::bundle::check_url("--card-url", url)?;
    }
    let path = scanned.path(file);
    let (blob, bytes) = store_file(&context.blobs, "--checkpoint", &path, MAX_TEXT_BYTES, "text/markdown")?;
    let parsed = std::str::from_utf8(&bytes).map_err(|error| format!("it is not UTF-8: {error}"));
    let parsed = parsed.and_then(card::parse);
    let value = |card: Option<&Card>| {
        json!({
            "digest": blob.digest,
            "url": url,
            "baseModels": card.map(|card| &card.base_models),
            "pipelineTag": card.and_then(|card| card.pipeline_tag.as_ref()),
            "libraryName": card.and_then(|card| card.library_name.as_ref()),
        })
    };
    Ok(match parsed {
        Ok(card) if card.front_matter => {
            let check = check("model_card", CheckVerdict::Pass, value(Some(&card))).resting_on(blob.digest);
            (Some(card), check)
        }
        Ok(_) => {
            let check = check("model_card", CheckVerdict::Hold, value(None)).resting_on(blob.digest);
            (None, check.because("the card has no front matter"))
        }
        Err(reason) => {
            let check = check("model_card", CheckVerdict::Fail, value(None)).resting_on(blob.digest);
            (None, check.because(reason))
        }
    })
}

/// The licence, and whether the policy allows it.
fn licence_checks(
    context: &Context<'_>,
    scanned: &Scanned,
    card: Option<&Card>,
) -> Result<(Vec<Check>, Option<String>)> {
    let mut texts: Vec<LicenceFile> = Vec::new();
    let mut evidence = Vec::new();
    for file in scanned.files.iter().filter(|file| licence::is_licence_file(&file.path)).take(16) {
        let path = scanned.path(file);
        let (blob, bytes) = store_file(&context.blobs, "--checkpoint", &path, MAX_TEXT_BYTES, "text/plain")?;
        texts.push(licence::recognise(&file.path, &String::from_utf8_lossy(&bytes)));
        evidence.push(blob.digest);
    }
    let (verdict, reason, licence) = licence::judge(card.map(Card::licence), &texts);
    let stated = card.map(
        |card| json!({ "identifiers": card.licences, "name": card.licence_name, "link": card.licence_link }),
    );
    let files: Vec<Value> = texts
        .iter()
        .map(|file| json!({ "path": file.path, "readsLike": file.reads_like, "restricts": file.restricts }))
        .collect();
    let mut stated = check("licence", verdict, json!({ "card": stated, "files": files }));
    stated.reason = reason;
    stated.evidence = evidence;
    let list = context.policy.as_ref().map(|policy| &policy.licences);
    let (verdict, reason) = licence::allowed(licence.as_deref(), list);
    let mut allows = check("licence_allows_use", verdict, json!(licence));
    allows.reason = reason;
    Ok((vec![stated, allows], licence))
}

/// The model's own configuration, or why there is none.
fn main_config(scanned: &Scanned) -> Result<Result<Value, String>> {
    let Some(file) = scanned.files.iter().find(|file| config::is_main_config(&file.path)) else {
        return Ok(Err("there is neither config.json nor model_index.json".to_owned()));
    };
    Ok(read_json(&scanned.path(file), file).and_then(|value| {
        if value.is_object() { Ok(value) } else { Err(format!("{} is no JSON object", file.path)) }
    }))
}

fn read_json(path: &Path, file: &CheckpointFile) -> Result<Value, String> {
    if file.bytes.0 > MAX_CONFIG_BYTES {
        return Err(format!("{} is longer than {MAX_CONFIG_BYTES} bytes", file.path));
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|it| it.take(MAX_CONFIG_BYTES).read_to_end(&mut bytes));
    read.map_err(|error| format!("{} cannot be read: {error}", file.path))?;
    if Sha256Digest::of(&bytes) != file.digest {
        return Err(format!("{} changed while it was looked at", file.path));
    }
    serde_json::from_slice(&bytes).map_err(|error| format!("{} is not JSON: {error}", file.path))
}

fn config_check(scanned: &Scanned, main: &Result<Value, String>) -> Check {
    let configs = scanned.files.iter().filter(|file| config::is_config(file.name()));
    let value = json!(configs.collect::<Vec<_>>());
    match main {
        Ok(_) => check("config_files", CheckVerdict::Pass, value),
        Err(reason) => check("config_files", CheckVerdict::Fail, value).because(reason),
    }
}

/// Tokenizer and processor.
fn input_checks(scanned: &Scanned, main: &Result<Value, String>, card: Option<&Card>) -> [Check; 2] {
    let tag = card.and_then(|card| card.pipeline_tag.as_deref());
    let judge = |name: &str, is: fn(&str) -> bool, takes: fn(&Value, Option<&str>) -> bool, what: &str| {
        let found: Vec<&CheckpointFile> = scanned.files.iter().filter(|file| is(file.name())).collect();
        if !found.is_empty() {
            return check(name, CheckVerdict::Pass, json!(found));
        }
        match main {
            Err(_) => check(name, CheckVerdict::NotRun, Value::Null)
                .because("without a readable configuration nobody knows whether one is needed"),
            Ok(config) if takes(config, tag) => check(name, CheckVerdict::Hold, Value::Null)
                .because(format!("the model takes in {what}, and there is no such file")),
            Ok(_) => check(name, CheckVerdict::NotApplicable, Value::Null)
                .because(format!("neither configuration nor card names {what} as an input")),
        }
    };
    let more = "pictures, sound or video";
    [
        judge("tokenizer_files", config::is_tokenizer, config::takes_text, "text"),
        judge("processor_files", config::is_processor, config::takes_more, more),
    ]
}

/// Code that a loader would run, and its review.
fn remote_code(context: &Context<'_>, scanned: &Scanned) -> Result<[Check; 2]> {
    let (mut keys, mut unreadable) = (Vec::new(), Vec::new());
    for file in scanned.files.iter().filter(|file| config::is_config(file.name())) {
        match read_json(&scanned.path(file), file) {
            Ok(value) => {
                let found = config::code_keys(&value);
                keys.extend(found.iter().map(|key| json!({ "file": file.path, "key": key })));
            }
            Err(reason) => unreadable.push(reason),
        }
    }
    let python: Vec<&str> = paths(scanned, |file| file.name().ends_with(".py")).collect();
    let pickles: Vec<Value> = scanned
        .files
        .iter()
        .filter_map(|file| Some(json!({ "file": file.path, "knownBy": file.pickle? })))
        .collect();
    let mut because: Vec<String> = Vec::new();
    if !keys.is_empty() {
        let of: Vec<&str> = keys.iter().filter_map(|key| key["key"].as_str()).collect();
        because.push(format!("{} asks for code of the checkpoint", named(&of)));
    }
    if !python.is_empty() {
        because.push(format!("Python files: {}", named(&python)));
    }
    if !pickles.is_empty() {
        let names: Vec<&str> = paths(scanned, |file| file.pickle.is_some()).collect();
        because.push(format!("pickles run code when they are loaded: {}", named(&names)));
    }
    because.extend(unreadable.iter().map(|reason| format!("{reason}, so it may ask for code")));
    let needed = !because.is_empty();
    let value = json!({ "needed": needed, "keys": keys, "python": python, "pickles": pickles });
    if !needed {
        return Ok([
            check("remote_code", CheckVerdict::Pass, value),
            check("remote_code_review", CheckVerdict::NotApplicable, Value::Null)
                .because("a loader needs no code of the checkpoint"),
        ]);
    }
    let because = because.join("; ");
    let Some(review) = &context.args.remote_code_review else {
        return Ok([
            check("remote_code", CheckVerdict::Hold, value).because(because),
            check("remote_code_review", CheckVerdict::Hold, Value::Null)
                .because("no review of that code is on record: --remote-code-review FILE"),
        ]);
    };
    let by = context.args.common.person()?;
    let bytes = read_bounded("--remote-code-review", review, MAX_TEXT_BYTES)?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(CliError::usage("the review is empty").field("--remote-code-review"));
    }
    let blob = store(&context.blobs, &bytes, "text/plain")?;
    let verdict = if unreadable.is_empty() { CheckVerdict::Pass } else { CheckVerdict::Hold };
    Ok([
        check("remote_code", verdict, value).because(because).resting_on(blob.digest),
        check("remote_code_review", CheckVerdict::Pass, json!({ "digest": blob.digest }))
            .stated_by(&by)
            .resting_on(blob.digest),
    ])
}

fn paths(scanned: &Scanned, wanted: impl Fn(&CheckpointFile) -> bool) -> impl Iterator<Item = &str> {
    scanned.files.iter().filter(move |file| wanted(file)).map(|file| file.path.as_str())
}

/// The first few names.
fn named(names: &[&str]) -> String {
    let more = names.len().saturating_sub(MAX_NAMED);
    let shown = names.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
