//! The plan's file: written under a partial name beside its place, and renamed only when it is whole and on disk.
//!
//! The partial file is made before the build, so that a folder that cannot be written to is found before a long build
//! and not after it. It stands in the same folder, because a rename over the border of a file system is a copy.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::artifact::{Artifact, ArtifactKind, CleanupStatus, Disposition},
    log::digest::{Hasher, Sha256Digest},
};
use rustix::fs::OFlags;
use uuid::Uuid;

use crate::{
    durable,
    error::{CliError, Result},
    home::Home,
    journal::OnPartial,
    quarantine::{Quarantine, Suspect, Why},
};

/// How much is written and hashed at once.
const PIECE_BYTES: usize = 4 << 20;

/// Where the plan is to stand, and the file that it is written into.
#[derive(Debug, Clone)]
pub struct Destination {
    output: PathBuf,
    partial: PathBuf,
}

/// What was found when the build had ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleaned {
    /// How cleaning up ended.
    pub status: CleanupStatus,
    /// The partial file, if one was left.
    pub partial: Option<Artifact>,
    /// Why the partial file is still there.
    pub problem: Option<String>,
}

impl Destination {
    /// Checks the output's place and makes the partial file in it.
    pub fn prepare(output: &Path, run: Uuid) -> Result<Self> {
        let refuse = |what: &str| CliError::usage(what).field("--output").found(output.display().to_string());
        let Some(name) = output.file_name().and_then(|name| name.to_str()) else {
            return Err(refuse("the output is no file name").help("write: -o FOLDER/NAME.plan"));
        };
        match fs::symlink_metadata(output) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(refuse("the output cannot be looked at").expected(error.to_string())),
            Ok(there) if there.is_dir() => {
                return Err(refuse("the output is a folder")
                    .help(format!("name a file in it: -o {}", output.join("model.plan").display())));
            }
            Ok(there) if there.is_symlink() => {
                return Err(refuse(
                    "the output is a symbolic link: replacing it would not change what it leads to",
                )
                .help("name the file that it leads to"));
            }
            Ok(there) if !there.is_file() => {
                return Err(refuse("the output is neither a file nor a name that is free"));
            }
            Ok(_) => {}
        }
        let folder = durable::folder_of(output);
        if !folder.is_dir() {
            return Err(refuse("the output's folder does not exist")
                .expected(format!("a folder {}", folder.display()))
                .help(format!("mkdir -p {}", folder.display())));
        }
        let partial = partial_of(output, name, run);
        OpenOptions::new().write(true).create_new(true).open(&partial).map_err(|error| {
            refuse("the output's folder cannot be written to")
                .expected(format!("a folder in which {} can be made", partial.display()))
                .found(error.to_string())
                .help("choose another folder, or change the permissions of this one")
        })?;
        Ok(Self { output: output.to_owned(), partial })
    }

    /// The plan's final name.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// The file that the plan is written into.
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Removes the partial file, if one is left, and says so; or sets it apart, if it holds anything and that is wished.
    pub fn clean(&self, on_partial: OnPartial, home: &Home, run: Uuid) -> Cleaned {
        let name = self.partial.display().to_string();
        let bytes = match fs::symlink_metadata(&self.partial) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Cleaned::nothing(),
            found => found.map_or(0, |there| there.len()),
        };
        let artifact = |disposition, digest| Artifact {
            name: name.clone(),
            kind: ArtifactKind::PartialPlan,
            bytes,
            digest,
            disposition,
            media_type: None,
            digest_before: None,
        };
        let mut problem = None;
        if on_partial == OnPartial::Quarantine && bytes > 0 {
            let (kind, why) = (ArtifactKind::PartialPlan, Why::UnfinishedBuild);
            let detail = "what was written of a plan before the build stopped";
            let suspect = Suspect { path: &self.partial, kind, run: Some(run), why, detail };
            match Quarantine::new(home).take(suspect) {
                Ok(manifest) => {
                    return Cleaned {
                        status: CleanupStatus::Quarantined,
                        partial: Some(artifact(Disposition::Quarantined, Some(manifest.digest))),
                        problem: None,
                    };
                }
                // Better gone than where a consumer looks.
                Err(error) => problem = Some(format!("removed, because it cannot be set apart: {error}")),
            }
        }
        let removed = fs::remove_file(&self.partial)
            .and_then(|()| durable::sync_dir(durable::folder_of(&self.partial)));
        match removed {
            Ok(()) => Cleaned {
                status: CleanupStatus::Cleaned,
                partial: Some(artifact(Disposition::Removed, None)),
                problem,
            },
            Err(error) => Cleaned {
                status: CleanupStatus::Failed,
                partial: Some(artifact(Disposition::Kept, None)),
                problem: Some(format!("cannot remove {name}: {error}")),
            },
        }
    }

    /// The place of a run that was prepared before, by another process.
    pub fn found(output: &Path, partial: &Path) -> Self {
        Self { output: output.to_owned(), partial: partial.to_owned() }
    }
}

/// The partial file of a run, known before it is made: a run that dies in between must be able to name it.
pub fn partial_path(output: &Path, run: Uuid) -> Option<PathBuf> {
    let name = output.file_name()?.to_str()?;
    Some(partial_of(output, name, run))
}

fn partial_of(output: &Path, name: &str, run: Uuid) -> PathBuf {
    output.with_file_name(format!(".{name}.acta-partial-{run}"))
}

impl Cleaned {
    /// There was nothing to clean.
    pub fn nothing() -> Self {
        Self { status: CleanupStatus::NotNeeded, partial: None, problem: None }
    }
}

/// Writes the plan into the partial file, puts it on disk and gives it its final name. The worker's part.
pub fn write_plan(partial: &Path, output: &Path, plan: &[u8]) -> io::Result<(Sha256Digest, u64)> {
    if plan.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the library returned a plan of 0 bytes"));
    }
    let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    let mut file = OpenOptions::new().write(true).truncate(true).custom_flags(no_follow).open(partial)?;
    let mut hasher = Hasher::default();
    for piece in plan.chunks(PIECE_BYTES) {
        file.write_all(piece)?;
        hasher.update(piece);
    }
    file.sync_all()?;
    let (bytes, on_disk) = (hasher.bytes(), file.metadata()?.len());
    if on_disk != bytes {
        let found = format!("{bytes} bytes were written and {on_disk} are there");
        return Err(io::Error::new(io::ErrorKind::InvalidData, found));
    }
    fs::rename(partial, output)?;
    File::open(durable::folder_of(output))?.sync_all()?;
    Ok((hasher.finish(), bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    fn clean(destination: &Destination) -> Cleaned {
        destination.clean(OnPartial::Remove, &Home::locate(Some("/nowhere".into())).unwrap(), Uuid::nil())
    }

    #[test]
    fn a_plan_replaces_the_old_one_only_when_it_is_whole() {
        let folder = folder();
        let output = folder.path().join("m.plan");
        fs::write(&output, "old").unwrap();
        let destination = Destination::prepare(&output, Uuid::now_v7()).unwrap();
        assert_eq!(fs::read(&output).unwrap(), b"old");
        assert!(write_plan(destination.partial(), &output, b"").is_err());
        assert_eq!(fs::read(&output).unwrap(), b"old");
        let written = write_plan(destination.partial(), &output, b"new plan").unwrap();
        assert_eq!(written, (Sha256Digest::of(b"new plan"), 8));
        assert_eq!(fs::read(&output).unwrap(), b"new plan");
        assert_eq!(clean(&destination).status, CleanupStatus::NotNeeded);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_left_is_removed_and_counted() {
        let folder = folder();
        let destination = Destination::prepare(&folder.path().join("m.plan"), Uuid::now_v7()).unwrap();
        fs::write(destination.partial(), "half").unwrap();
        let cleaned = clean(&destination);
        assert_eq!(cleaned.status, CleanupStatus::Cleaned);
        let partial = cleaned.partial.unwrap();
        assert_eq!((partial.bytes, partial.disposition), (4, Disposition::Removed));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_was_written_is_set_apart_where_that_is_wished() {
        let folder = folder();
        let home = Home::locate(Some(folder.path().join("home"))).unwrap();
        home.create().unwrap();
        let run = Uuid::now_v7();
        let destination = Destination::prepare(&folder.path().join("m.plan"), run).unwrap();
        let clean = || destination.clean(OnPartial::Quarantine, &home, run);
        fs::write(destination.partial(), "half").unwrap();
        let cleaned = clean();
        assert_eq!(cleaned.status, CleanupStatus::Quarantined);
        assert_eq!(cleaned.partial.unwrap().digest, Some(Sha256Digest::of(b"half")));
        let held = Quarantine::new(&home).list().unwrap();
        assert_eq!((held.len(), held[0].run, &held[0].from), (1, Some(run), &destination.partial));
        fs::write(destination.partial(), "").unwrap();
        assert_eq!(clean().status, CleanupStatus::Cleaned, "an empty file is worth no quarantine");
        assert_eq!(clean().status, CleanupStatus::NotNeeded);
    }

    #[test]
    fn places_that_will_not_do_are_refused_before_the_build() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "x").unwrap();
        symlink(at("file"), at("link")).unwrap();
        fs::create_dir(at("dir")).unwrap();
        for (name, words) in [
            ("dir", "is a folder"),
            ("link", "symbolic link"),
            ("missing/m.plan", "does not exist"),
            ("file/m.plan", "cannot be looked at"),
        ] {
            let error = Destination::prepare(&at(name), Uuid::now_v7()).unwrap_err();
            assert!(error.to_string().contains(words), "{name}: {error}");
            assert_eq!(error.exit, crate::error::Exit::Usage);
        }
        assert_eq!(fs::read(at("file")).unwrap(), b"x");
    }

    #[test]
    fn a_partial_file_that_became_a_link_is_not_followed() {
        let folder = folder();
        let victim = folder.path().join("victim");
        fs::write(&victim, "untouched").unwrap();
        let partial = folder.path().join("partial");
        symlink(&victim, &partial).unwrap();
        assert!(write_plan(&partial, &folder.path().join("out"), b"plan").is_err());
        assert_eq!(fs::read(&victim).unwrap(), b"untouched");
    }
}
