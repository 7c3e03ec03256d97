//! The files that a command is run for: what stood there before, what stands there after, and what became of each.
//!
//! A pattern is looked at twice. A file that appeared or was written in between is this run's; one that was not touched
//! is left alone and not this run's. After a run that did not complete, its files go into the quarantine, so that no
//! consumer takes an unfinished one and nothing is lost.

mod before;

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Component, Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
        bundle,
    },
    judge::outcome::Expected,
    log::digest::Sha256Digest,
};
use glob::{MatchOptions, Pattern};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use self::before::{Before, Stamp};
use crate::{
    blob::digest_file,
    error::{CliError, Result},
    quarantine::{Quarantine, Suspect, Why},
};

/// How many files a run's patterns may match together.
pub const MAX_FILES: usize = 1024;

/// How many of them the summary names; the log holds all.
const MAX_NAMED: usize = 64;

/// The media type of a bundle of Model Connect.
pub const BUNDLE_MEDIA_TYPE: &str = "application/vnd.tensorrt-model-connect.bundle";

/// The media type of a serialized engine.
pub const PLAN_MEDIA_TYPE: &str = "application/vnd.tensorrt.plan";

/// What stood there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    patterns: Vec<String>,
    /// By path. A pattern matches no name that is not UTF-8, so that each can be written down.
    before: BTreeMap<PathBuf, Before>,
    /// Where relative paths and patterns start from; where empty, in this process's own folder.
    #[serde(skip)]
    folder: PathBuf,
}

/// A file that this run made or changed, after its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its path, as the pattern or the client gave it.
    pub name: String,
    /// Where it stands.
    pub path: PathBuf,
    /// What it is, by its content, else by what was said of it, else by its name.
    pub kind: ArtifactKind,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its digest.
    pub digest: Sha256Digest,
    /// The digest of what stood under its name before.
    pub before: Option<Sha256Digest>,
    /// Why it is not whole, where its format tells.
    pub broken: Option<String>,
}

/// What a run did to the files that its patterns match.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// What it made or changed.
    pub made: Vec<Made>,
    /// What it removed.
    pub gone: Vec<(PathBuf, u64, Sha256Digest)>,
    /// What the patterns came to.
    pub expected: Expected,
    /// What is missing or broken, in words.
    pub problem: Option<String>,
    /// What could not be looked at, in words.
    pub notes: Vec<String>,
}

/// What became of the files.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The inventory as the summary names it.
    pub artifacts: Vec<Artifact>,
    /// How cleaning up ended.
    pub status: CleanupStatus,
    /// A line for the log on each file and on what went wrong.
    pub lines: Vec<String>,
}

impl Inventory {
    /// Looks at what stands there, before the command is started.
    pub fn take(patterns: &[String]) -> Result<Self> {
        let mut before = BTreeMap::new();
        for pattern in patterns {
            for path in matches(Path::new(""), pattern)? {
                let Ok(there) = fs::metadata(&path) else { continue };
                let (digest, _) = digest_file(&path).map_err(|error| {
                    CliError::io("read", &path, &error).field("--artifact").exit(crate::error::Exit::Usage)
                })?;
                before.insert(path, Before { digest, stamp: Stamp::of(&there) });
                if before.len() > MAX_FILES {
                    return Err(too_many(pattern));
                }
            }
        }
        Ok(Self { patterns: patterns.to_vec(), before, folder: PathBuf::new() })
    }

    /// The files that stood there.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.before.keys()
    }

    /// The same, for a process that works in another folder than the command did.
    pub fn in_folder(self, folder: PathBuf) -> Self {
        Self { folder, ..self }
    }

    /// Looks again after the command's end, also at files that a client says it made after `began_ms` of Unix time.
    pub fn changes(&self, told: &[(String, Option<ArtifactKind>)], began_ms: i64) -> Changes {
        let mut changes = Changes::default();
        let mut seen = BTreeMap::new();
        for pattern in &self.patterns {
            match matches(&self.folder, pattern) {
                Ok(paths) => {
                    let made = paths.iter().filter(|path| self.is_made(path));
                    if made.count() == 0 {
                        let what = format!("no file that this run made matches --artifact {pattern}");
                        changes.problem.get_or_insert(what);
                    }
                    seen.extend(paths.into_iter().map(|path| (path, None)));
                }
                Err(error) => {
                    changes.problem.get_or_insert(error.to_string());
                }
            }
        }
        for (path, kind) in told {
            let path = PathBuf::from(path);
            let ours = path.is_absolute()
                && fs::metadata(&path).is_ok_and(|there| {
                    there.is_file() && there.mtime() * 1000 + there.mtime_nsec() / 1_000_000 >= began_ms
                });
            let place = |path: &Path| fs::canonicalize(self.folder.join(path)).ok();
            let known = seen.keys().find(|seen| place(seen) == place(&path));
            match known.cloned() {
                Some(known) => drop(seen.insert(known, *kind)),
                None if ours => drop(seen.insert(path, *kind)),
                None => {
                    changes.notes.push(format!("{}: a client named it, and did not make it", path.display()))
                }
            }
        }
        for (path, kind) in seen.iter().filter(|(path, _)| self.is_made(path)) {
            match look(&self.folder.join(path), *kind) {
                Ok(made) => {
                    let before = self.before.get(path).map(|before| before.digest);
                    let name = path.display().to_string();
                    changes.made.push(Made { name, before, ..made });
                }
                Err(error) => changes.notes.push(format!("{}: cannot be read: {error}", path.display())),
            }
        }
        for (path, before) in self.before.iter().filter(|(path, _)| !self.folder.join(path).exists()) {
            changes.gone.push((path.clone(), before.stamp.bytes, before.digest));
        }
        if let Some(made) = changes.made.iter().find(|made| made.broken.is_some()) {
            let why = made.broken.clone().unwrap_or_default();
            changes.problem.get_or_insert(format!("{} is not whole: {why}", made.name));
        }
        changes.expected = match (&changes.problem, self.patterns.is_empty() && changes.made.is_empty()) {
            (Some(_), _) => Expected::Missing,
            (None, true) => Expected::Nothing,
            (None, false) => Expected::Whole,
        };
        // What a person looks for first.
        changes.made.sort_by_key(|made| match made.kind {
            ArtifactKind::Plan => 0,
            ArtifactKind::Bundle => 1,
            ArtifactKind::PartialPlan | ArtifactKind::TimingCache | ArtifactKind::Other => 2,
        });
        changes
    }

    fn is_made(&self, path: &Path) -> bool {
        let Ok(there) = fs::metadata(self.folder.join(path)) else { return false };
        self.before.get(path).is_none_or(|before| before.stamp != Stamp::of(&there))
    }
}

impl Changes {
    /// Leaves what a completed run made, and puts what any other made into the quarantine, for this reason.
    pub fn settle(self, unfinished: Option<Why>, run: Uuid, quarantine: &Quarantine) -> Settled {
        let mut settled =
            Settled { artifacts: Vec::new(), status: CleanupStatus::NotNeeded, lines: self.notes };
        for made in self.made {
            let name = made.name;
            let broken = made.broken.map_or_else(String::new, |why| format!(", not whole: {why}"));
            let mut line = format!("{name}: {} bytes, sha256 {}{broken}", made.bytes, made.digest);
            let mut disposition = Disposition::Kept;
            if let Some(why) = unfinished {
                let detail = match why {
                    Why::Orphaned => "made by a command whose supervisor died: nobody saw how it ended",
                    _ => "made by a command that did not complete",
                };
                let suspect = Suspect { path: &made.path, kind: made.kind, run: Some(run), why, detail };
                match quarantine.take(suspect) {
                    Ok(item) => {
                        disposition = Disposition::Quarantined;
                        line.push_str(&format!(", set apart as {}", item.id));
                        if settled.status == CleanupStatus::NotNeeded {
                            settled.status = CleanupStatus::Quarantined;
                        }
                    }
                    Err(error) => {
                        settled.status = CleanupStatus::Failed;
                        line.push_str(&format!(", still there: {error}"));
                    }
                }
            }
            settled.lines.push(line);
            settled.artifacts.push(Artifact {
                name,
                kind: made.kind,
                bytes: made.bytes,
                digest: Some(made.digest),
                disposition,
                media_type: media_type(made.kind),
                digest_before: made.before,
            });
        }
        for (path, bytes, digest) in self.gone {
            settled.lines.push(format!("{}: was there before, and is gone", path.display()));
            settled.artifacts.push(Artifact {
                name: path.display().to_string(),
                kind: ArtifactKind::Other,
                bytes,
                digest: None,
                disposition: Disposition::Removed,
                media_type: None,
                digest_before: Some(digest),
            });
        }
        if settled.artifacts.len() > MAX_NAMED {
            let more = settled.artifacts.len() - MAX_NAMED;
            settled.lines.push(format!("{more} more files than the summary names"));
            settled.artifacts.truncate(MAX_NAMED);
        }
        settled
    }
}

fn media_type(kind: ArtifactKind) -> Option<String> {
    match kind {
        ArtifactKind::Plan => Some(PLAN_MEDIA_TYPE.to_owned()),
        ArtifactKind::Bundle => Some(BUNDLE_MEDIA_TYPE.to_owned()),
        ArtifactKind::PartialPlan | ArtifactKind::TimingCache | ArtifactKind::Other => None,
    }
}

/// Every file that a pattern matches in a folder, hidden ones not.
fn matches(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>> {
    let wrong = |what: String| {
        CliError::usage("this is no pattern of files")
            .field("--artifact")
            .found(pattern)
            .expected(format!("a path that may hold *, ?, [abc] and **; {what}"))
    };
    Pattern::new(pattern).map_err(|error| wrong(error.to_string()))?;
    // Not by the option for hidden files: with it, glob panics at a name beside the wanted ones that is not UTF-8.
    let options = MatchOptions::default();
    let hidden: Vec<Pattern> = pattern
        .split('/')
        .filter(|part| part.starts_with('.'))
        .filter_map(|part| Pattern::new(part).ok())
        .collect();
    let is_wanted = |path: &Path| {
        path.components().all(|part| match part {
            Component::Normal(name) => {
                let name = name.to_string_lossy();
                !name.starts_with('.') || hidden.iter().any(|pattern| pattern.matches(&name))
            }
            _ => true,
        })
    };
    // A pattern that begins at the root means the same from every folder, and so do the names that it gives.
    let here = folder.as_os_str().is_empty() || Path::new(pattern).is_absolute();
    let escaped = PathBuf::from(Pattern::escape(&folder.to_string_lossy()));
    let whole = if here { pattern.into() } else { escaped.join(pattern).to_string_lossy().into_owned() };
    let paths = glob::glob_with(&whole, options).map_err(|error| wrong(error.to_string()))?;
    let mut files = Vec::new();
    for path in paths.flatten().filter(|path| path.is_file()) {
        // Above the folder a hidden part is nobody's pattern.
        let inside = if here { None } else { path.strip_prefix(folder).ok() };
        let inside = inside.unwrap_or(&path);
        let is_literal = Path::new(pattern) == inside;
        if !is_literal && !is_wanted(inside) {
            continue;
        }
        if files.len() == MAX_FILES {
            return Err(too_many(pattern));
        }
        files.push(inside.to_owned());
    }
    Ok(files)
}

fn too_many(pattern: &str) -> CliError {
    CliError::usage(format!("the patterns match more than {MAX_FILES} files"))
        .field("--artifact")
        .found(pattern)
        .help("name what the command is run for, not everything that it writes")
}

/// Reads a file to its end, and recognises it.
fn look(path: &Path, told: Option<ArtifactKind>) -> io::Result<Made> {
    let file = fs::File::open(path)?;
    let length = file.metadata()?.len();
    let mut magic = Vec::new();
    file.take(8).read_to_end(&mut magic)?;
    let made = |kind, digest, bytes, broken| Made {
        name: String::new(),
        path: path.to_owned(),
        kind,
        bytes,
        digest,
        before: None,
        broken,
    };
    if magic == bundle::MAGIC {
        let inspection = bundle::inspect(fs::File::open(path)?, length)
            .map_err(|error| io::Error::other(error.to_string()))?;
        let broken = inspection.errors.first().map(|violation| violation.text.clone());
        return Ok(made(ArtifactKind::Bundle, inspection.digest, inspection.bytes.0, broken));
    }
    let (digest, bytes) = digest_file(path)?;
    let is_plan = bundle::PLAN_MAGICS.iter().any(|plan| magic.starts_with(plan));
    let kind = if is_plan { ArtifactKind::Plan } else { told.unwrap_or_else(|| by_name(path)) };
    let broken = match kind {
        ArtifactKind::Plan if bytes == 0 => Some("a plan of 0 bytes"),
        ArtifactKind::Bundle => Some("it does not begin as a bundle does"),
        _ => None,
    };
    Ok(made(kind, digest, bytes, broken.map(str::to_owned)))
}

fn by_name(path: &Path) -> ArtifactKind {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("plan" | "engine" | "trt") => ArtifactKind::Plan,
        Some("bundle") => ArtifactKind::Bundle,
        Some("cache" | "timing") => ArtifactKind::TimingCache,
        _ => ArtifactKind::Other,
    }
}

#[cfg(test)]
mod tests;
