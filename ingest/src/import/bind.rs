//! Binding a report to a bundle: no report carries a bundle's digest, so the agent that sees both hashes the bundle.
//!
//! | the report | what happens |
//! |---|---|
//! | names the bundle's path on this machine | bound by it |
//! | names the path that the caller states (`--bundle-as`) | bound by it, and the record says so |
//! | names another path | refused |
//! | names none | bound by the caller's word, and the record says so |
//! | is older than the bundle | refused: it spoke about what stood there before |

use std::{
    fs,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use acta_ledger::{
    evidence::import::BoundBy,
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

use super::{Parsed, SourceFile, reading::shown};
use crate::{
    blob,
    error::{CliError, Result},
};

/// A bundle as it is on this machine.
#[derive(Debug, Clone)]
pub struct BundleFile {
    /// Its resolved path.
    pub path: PathBuf,
    /// Its digest.
    pub digest: Sha256Digest,
    /// When it was last changed.
    pub modified: Timestamp,
}

/// When a file was last changed.
pub fn modified(path: &Path) -> Result<Timestamp> {
    let there = fs::metadata(path).map_err(|error| CliError::io("look at", path, &error))?;
    let time = there.modified().map_err(|error| CliError::io("look at", path, &error))?;
    Ok(to_timestamp(time))
}

fn to_timestamp(time: SystemTime) -> Timestamp {
    let ms = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
    Timestamp::from_unix_ms(ms).unwrap_or_else(crate::clock::now)
}

impl BundleFile {
    /// Hashes the bundle; a bundle that changes meanwhile is refused.
    pub fn read(path: &Path) -> Result<Self> {
        let wrong = |what: &str| CliError::usage(what).field("--bundle").found(path.display().to_string());
        let unreadable =
            |error: std::io::Error| wrong("the bundle cannot be read").expected(format!("a file ({error})"));
        let before = fs::metadata(path).map_err(unreadable)?;
        if !before.is_file() {
            return Err(wrong("the bundle is no file"));
        }
        let (digest, bytes) = blob::digest_file(path).map_err(unreadable)?;
        let after = fs::metadata(path).map_err(unreadable)?;
        let modified = |there: &fs::Metadata| there.modified().ok();
        if bytes != before.len() || before.len() != after.len() || modified(&before) != modified(&after) {
            return Err(wrong("the bundle changed while it was read").help("try again when nobody writes it"));
        }
        let modified = to_timestamp(after.modified().map_err(unreadable)?);
        Ok(Self { path: path.canonicalize().map_err(unreadable)?, digest, modified })
    }

    /// The file's name.
    pub fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Says how a report is bound to the bundle and when it was made, or why it cannot be.
pub fn bind(
    bundle: &BundleFile,
    bundle_as: Option<&str>,
    files: &[SourceFile],
    parsed: &Parsed,
) -> Result<(BoundBy, Timestamp)> {
    // A report that says when it began must have begun on this bundle. Otherwise its files were written after the bundle.
    let of_files = files.iter().map(|file| file.modified).min();
    let reported_at = parsed.reported_at.or(of_files).unwrap_or_else(crate::clock::now);
    if reported_at < bundle.modified {
        return Err(CliError::usage("the report is older than the bundle")
            .field("FILE")
            .found(format!("a report of {reported_at}, a bundle of {}", bundle.modified))
            .expected("a report that was made with the bundle as it is now")
            .help("measure again; if the bundle was only copied, copy it with its time (cp -p)"));
    }
    let bound = match (&parsed.names_bundle, bundle_as) {
        (None, None) => BoundBy::Caller,
        (Some(named), Some(stated)) if named == stated => BoundBy::PathAsStated,
        (Some(named), None) if Path::new(named).canonicalize().is_ok_and(|named| named == bundle.path) => {
            BoundBy::Path
        }
        (Some(named), stated) => {
            let expected = stated.map_or_else(|| bundle.path.display().to_string(), str::to_owned);
            return Err(CliError::usage("the report speaks about another bundle")
                .field("the report's bundle")
                .found(shown(named))
                .expected(shown(&expected))
                .help("if this bundle had that path where the report was made, say so: --bundle-as PATH"));
        }
        (None, Some(stated)) => {
            return Err(CliError::usage("the report names no bundle")
                .field("--bundle-as")
                .found(shown(stated))
                .expected("no --bundle-as: there is no path to compare it with"));
        }
    };
    Ok((bound, reported_at))
}

#[cfg(test)]
mod tests {
    use super::{super::reading::tests::file, *};

    #[test]
    fn a_report_is_bound_to_one_bundle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bundle");
        fs::write(&path, b"bundle").unwrap();
        let bundle = BundleFile {
            modified: "2026-11-29T19:00:00Z".parse().unwrap(),
            ..BundleFile::read(&path).unwrap()
        };
        assert_eq!(bundle.digest, Sha256Digest::of(b"bundle"));
        let here = bundle.path.to_str().unwrap();
        let early = Some("2026-11-29T18:00:00Z".parse().unwrap());
        for (names, stated, at, expected) in [
            (None, None, None, Ok(BoundBy::Caller)),
            (Some(here), None, None, Ok(BoundBy::Path)),
            (Some("/mnt/a.bundle"), Some("/mnt/a.bundle"), None, Ok(BoundBy::PathAsStated)),
            (Some("/mnt/a.bundle"), None, None, Err("another bundle")),
            (Some("/mnt/a.bundle"), Some("/mnt/b.bundle"), None, Err("/mnt/b.bundle")),
            (None, Some("/mnt/b.bundle"), None, Err("names no bundle")),
            (Some(here), None, early, Err("older than the bundle")),
        ] {
            let mut parsed = Parsed::new("d", &0).unwrap();
            parsed.names_bundle = names.map(str::to_owned);
            parsed.reported_at = at;
            let bound = bind(&bundle, stated, &[file("r.json", "")], &parsed);
            match (bound, expected) {
                (Ok((bound, _)), Ok(expected)) => assert_eq!(bound, expected),
                (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{error}"),
                (bound, expected) => panic!("{names:?} {stated:?}: {bound:?}, expected {expected:?}"),
            }
        }
        let late = BundleFile { modified: "2026-11-29T20:00:01Z".parse().unwrap(), ..bundle };
        let parsed = Parsed::new("d", &0).unwrap();
        assert!(bind(&late, None, &[file("r.json", "")], &parsed).unwrap_err().to_string().contains("older"));
        assert!(BundleFile::read(folder.path()).unwrap_err().to_string().contains("no file"));
    }
}
