//! `acta verify FILE`: evidence packs and proof files, offline.

use std::{
    fs,
    io::BufReader,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::code,
    judge::pack::Topic,
    log::{
        pack::check::{Finding, KnownHead, PackReport, Unpacked, unpack},
        proof_file::{self, ProofFile},
        verification::Trust,
    },
};
use serde_json::json;

use crate::{
    command::bundle::reading::{Watched, bar, open},
    error::{CliError, Exit, Result},
    ui::{Ui, harmless},
};

/// The longest tree head or entry that is read.
const MAX_TEXT_BYTES: u64 = 1 << 20;

/// Where the keys come from that a file is checked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys<'a> {
    /// From the command line or from this agent's pins, whichever the name says.
    Known(&'a Trust, &'static str),
    /// From nowhere: a pack's own claim is taken, and it is said.
    Claimed,
}

/// Whether the file is a proof file, by its first line.
pub fn is_proof(path: &Path) -> Result<bool> {
    let (file, _) = open("FILE", path)?;
    let mut begin = Vec::new();
    use std::io::Read as _;
    file.take(proof_file::HEADER.len() as u64)
        .read_to_end(&mut begin)
        .map_err(|error| CliError::io("read", path, &error))?;
    Ok(begin == proof_file::HEADER.as_bytes())
}

/// Reads the pack that a field names; nothing of it is checked yet.
pub fn unpacked(field: &str, path: &Path, ui: Ui) -> Result<Unpacked> {
    let (file, bytes) = open(field, path)?;
    let bar = bar(ui, path, bytes);
    let unpacked = unpack(BufReader::new(Watched { inner: file, bar: &bar }), |_| {});
    bar.finish_and_clear();
    unpacked.map_err(|error| bad(path, error.to_string()))
}

/// The keys that a pack says are the log's and the portal's.
pub fn claimed_trust(unpacked: &Unpacked, path: &Path) -> Result<Trust> {
    unpacked.claimed_trust().map_err(|error| bad(path, error.to_string()))
}

/// A pack that is none, or that does not hold.
pub fn bad(path: &Path, what: String) -> CliError {
    CliError::failure("the pack does not hold").field(path.display().to_string()).found(what)
}

/// Checks a pack.
pub fn pack(path: &Path, keys: Keys<'_>, tree_heads: &[PathBuf], json: bool, ui: Ui) -> Result<Exit> {
    let known = known_heads(tree_heads)?;
    let unpacked = unpacked("FILE", path, ui)?;
    let (trust, from) = match keys {
        Keys::Known(trust, from) => (trust.clone(), from),
        Keys::Claimed => (claimed_trust(&unpacked, path)?, "pack"),
    };
    let report = unpacked.check(&trust, &known);
    if json {
        let object = json!({ "holds": report.holds(), "keysFrom": from, "report": report });
        ui.result(&object.to_string());
    } else {
        show(&report, ui);
    }
    if keys == Keys::Claimed {
        ui.warning(
            "the keys are the pack's own word: this proves that it agrees with itself, not whose log it is from.\n  \
             what to do: give --log-key and --portal-key from another source, or verify where the agent is enrolled",
        );
    }
    Ok(match (report.forks.is_empty(), report.holds()) {
        (false, _) => Exit::FORKED,
        (true, true) => Exit::Completed,
        (true, false) => Exit::Failure,
    })
}

/// Checks a proof file with the entry's bytes.
pub fn proof(path: &Path, record: &Path, trust: &Trust, from: &str, json: bool, ui: Ui) -> Result<Exit> {
    let text = read_text("FILE", path)?;
    let (_, bytes) = open("--record", record)?;
    if bytes > MAX_TEXT_BYTES {
        return Err(CliError::usage("this is no entry").field("--record").found(format!("{bytes} bytes")));
    }
    let record = fs::read(record).map_err(|error| CliError::io("read", record, &error))?;
    let proof = ProofFile::parse(&text);
    let verdict = proof.and_then(|proof| Ok((proof.index, proof.verify(&record, &trust.log)?)));
    match verdict {
        Ok((index, head)) => {
            if json {
                let object = json!({
                    "holds": true, "keysFrom": from, "index": index, "origin": head.origin,
                    "treeSize": head.size, "root": head.root,
                });
                ui.result(&object.to_string());
            } else {
                let holds = ui.paint("holds", 32);
                ui.result(&format!("inclusion   {holds}  entry {index} of {}", head.size));
                ui.result(&format!("tree head   {holds}  {}, root {}", harmless(&head.origin), head.root));
                ui.notice("the statement's own signature is not part of a proof file: acta pack checks both");
            }
            Ok(Exit::Completed)
        }
        Err(error) => Err(CliError::failure("the proof does not hold")
            .field(path.display().to_string())
            .found(error.to_string())),
    }
}

/// Reads tree heads that the checker has.
pub fn known_heads(files: &[PathBuf]) -> Result<Vec<KnownHead>> {
    files
        .iter()
        .map(|file| {
            Ok(KnownHead { source: file.display().to_string(), note: read_text("--tree-head", file)? })
        })
        .collect()
}

fn read_text(field: &str, path: &Path) -> Result<String> {
    let (_, bytes) = open(field, path)?;
    if bytes > MAX_TEXT_BYTES {
        return Err(CliError::usage("the file is too long for what it should be")
            .field(field)
            .found(format!("{bytes} bytes"))
            .expected(format!("at most {MAX_TEXT_BYTES}")));
    }
    fs::read_to_string(path).map_err(|error| CliError::io("read", path, &error))
}

/// Says what checking came to.
pub fn show(report: &PackReport, ui: Ui) {
    let about = match &report.about {
        Topic::Run(id) => format!("run {id}"),
        Topic::Bundle(digest) => format!("bundle sha256:{digest}"),
        Topic::Route(name) => format!("route {}", harmless(name)),
    };
    let verdict = if report.holds() { ui.paint("holds", 32) } else { ui.paint("FAILS", 31) };
    ui.result(&format!("pack        {verdict}  {about}"));
    if let Some(head) = &report.tree_head {
        let origin = harmless(&head.origin);
        ui.result(&format!("tree head   {origin} of {} entries, root {}", head.size, head.root));
    }
    for entry in &report.entries {
        let verdict = if entry.holds { "holds" } else { "FAILS" };
        let kind = entry.predicate_type.as_deref().map_or_else(|| "unreadable".to_owned(), harmless);
        let signer = entry.signer.as_ref().map_or_else(|| "nobody".to_owned(), |it| harmless(&it.name));
        ui.result(&format!(
            "entry {:5} {verdict}  {kind}, signed by {signer} ({})",
            entry.index,
            code(&entry.why)
        ));
    }
    ui.result(&format!(
        "blobs       {} of {} bytes, {} left out",
        report.blobs,
        report.blob_bytes,
        report.left_out.len()
    ));
    if let Some(record) = &report.route_record {
        let (status, canary) = (code(&record.validation_status), code(&record.canary_status));
        let rollback = code(&record.rollback_status);
        ui.result(&format!("route       judged anew: {status}, canary {canary}, rollback {rollback}"));
    }
    for finding in &report.findings {
        ui.error(&told(finding));
    }
    for fork in &report.forks {
        ui.error(&format!(
            "the log signed two roots for {} entries: keep both notes, they are the proof\n  found: root {} in the \
             pack\n  expected: root {}, from {}\n\n{}\n{}",
            fork.size,
            fork.in_pack,
            fork.elsewhere,
            harmless(&fork.source),
            fork.notes[0],
            fork.notes[1]
        ));
    }
    if !report.readme_is_ours {
        ui.warning(
            "README.md is not the one that this version writes: read its commands before you run them",
        );
    }
}

fn told(finding: &Finding) -> String {
    let entry = finding.entry.map_or_else(String::new, |entry| format!("entry {entry}: "));
    let part = |label: &str, text: &Option<String>| {
        text.as_ref().map_or_else(String::new, |text| format!("\n  {label}: {}", harmless(text)))
    };
    format!(
        "{entry}{}\n  file: {}{}{}",
        harmless(&finding.what),
        harmless(&finding.file),
        part("found", &finding.found),
        part("expected", &finding.expected)
    )
}
