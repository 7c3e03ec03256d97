//! The library of timing caches, and the record of what is known of each.
//!
//! ```text
//! caches/<kind>.cache       the cache for one TensorRT build, GPU, driver and class of configurations
//! caches/<digest>.json      who wrote these bytes, and what they are good for
//! caches/lock               held while one of them is written
//! ```
//!
//! The record is written before the cache: bytes without a record are nobody's, and are not used. It holds the digest,
//! so that whoever changes a cache by one bit makes it a stranger.

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, Disposition},
        timing_cache::{CacheKind, KNOWN_CACHE_SCHEMA, KnownCache},
    },
    judge::timing_cache::Doubt,
    log::digest::Sha256Digest,
};
use uuid::Uuid;

use crate::{
    clock, durable,
    home::Home,
    outbox,
    quarantine::{Quarantine, Suspect, Why},
    ui::Ui,
};

/// The folder.
#[derive(Debug, Clone)]
pub struct Caches {
    root: PathBuf,
}

impl Caches {
    /// Opens the folder, which exists.
    pub fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// The folder.
    #[cfg(test)]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The library's file for a kind.
    pub fn file(&self, kind: &CacheKind) -> PathBuf {
        self.root.join(format!("{}.cache", kind.name()))
    }

    /// Whether a file is the library's own.
    pub fn owns(&self, file: &Path) -> bool {
        file.parent() == Some(&self.root)
    }

    /// What is known of these bytes; none if nothing is, or if it cannot be read.
    pub fn known(&self, digest: &Sha256Digest) -> Option<KnownCache> {
        let known: KnownCache = outbox::read_json(&self.record(digest)).ok()?;
        (known.schema == KNOWN_CACHE_SCHEMA && known.digest == *digest).then_some(known)
    }

    /// Puts bytes on record.
    pub fn note(
        &self,
        bytes: &[u8],
        file: &Path,
        kind: Option<CacheKind>,
        run: Option<Uuid>,
        entries: Option<u64>,
    ) -> io::Result<KnownCache> {
        let known = KnownCache {
            schema: KNOWN_CACHE_SCHEMA.to_owned(),
            digest: Sha256Digest::of(bytes),
            bytes: bytes.len() as u64,
            kind,
            run,
            entries,
            file: file.display().to_string(),
            at: clock::now(),
        };
        let json = outbox::to_json(&known).map_err(|error| io::Error::other(error.to_string()))?;
        durable::write(&self.record(&known.digest), &json, 0o600)?;
        Ok(known)
    }

    /// Waits until nobody else writes a cache, then keeps others out.
    pub fn lock(&self) -> io::Result<File> {
        let path = self.root.join("lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path)?;
        file.lock()?;
        Ok(file)
    }

    /// Everything that is on record, oldest first.
    pub fn list(&self) -> io::Result<Vec<KnownCache>> {
        let mut all: Vec<KnownCache> = fs::read_dir(&self.root)?
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".json")?.parse().ok())
            .filter_map(|digest| self.known(&digest))
            .collect();
        all.sort_by_key(|known| (known.at.unix_ms(), known.digest));
        Ok(all)
    }

    fn record(&self, digest: &Sha256Digest) -> PathBuf {
        self.root.join(format!("{digest}.json"))
    }
}

/// Sets a cache of the library apart that could not be vouched for. A file that a person named stays where it is: it is
/// not used, now or later, until somebody vouches for it (`acta cache add`).
pub fn set_apart(home: &Home, run: Uuid, file: &Path, doubt: Doubt, ui: Ui) -> Option<Artifact> {
    let caches = Caches::new(home.caches());
    let (why, detail) = match doubt {
        Doubt::NotOnRecord => (Why::CacheNotOnRecord, "its digest is not on record"),
        Doubt::OfAnotherKind => (Why::CacheOfAnotherKind, "it is on record for something else"),
    };
    if !caches.owns(file) {
        ui.warning(&format!(
            "the timing cache {} was not used: {detail}\n  what to do: if you know who made it, acta cache add FILE",
            file.display()
        ));
        return None;
    }
    let (kind, run) = (ArtifactKind::TimingCache, Some(run));
    match Quarantine::new(home).take(Suspect { path: file, kind, run, why, detail }) {
        Ok(manifest) => {
            ui.warning(&format!("the timing cache was set apart as {}: {detail}", manifest.id));
            Some(Artifact {
                name: manifest.from.display().to_string(),
                kind,
                bytes: manifest.bytes,
                digest: Some(manifest.digest),
                disposition: Disposition::Quarantined,
                media_type: None,
                digest_before: None,
            })
        }
        Err(error) => {
            ui.warning(&format!("the timing cache was not used, and stays where it is: {error}"));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::build::LibraryVersion;

    use super::*;
    use crate::ui::Color;

    fn kind() -> CacheKind {
        CacheKind {
            tensorrt: LibraryVersion { major: 10, minor: 16, patch: 1, build: 7 },
            gpu_sku: None,
            driver: None,
            cuda: None,
            config_class: Sha256Digest::of(b""),
        }
    }

    #[test]
    fn bytes_are_known_by_their_digest_and_by_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let caches = Caches::new(folder.path().to_owned());
        let file = caches.file(&kind());
        let run = Uuid::now_v7();
        let known = caches.note(b"cache", &file, Some(kind()), Some(run), Some(3)).unwrap();
        assert_eq!(caches.known(&Sha256Digest::of(b"cache")), Some(known.clone()));
        assert_eq!(caches.known(&Sha256Digest::of(b"cache2")), None);
        assert_eq!(caches.list().unwrap(), [known]);
        assert!(caches.owns(&file) && !caches.owns(Path::new("/tmp/x.cache")));
        // A record that speaks of other bytes is none.
        let digest = Sha256Digest::of(b"cache");
        let path = folder.path().join(format!("{}.json", Sha256Digest::of(b"cache2")));
        fs::copy(folder.path().join(format!("{digest}.json")), path).unwrap();
        assert_eq!(caches.known(&Sha256Digest::of(b"cache2")), None);
    }

    #[test]
    fn a_doubtful_cache_of_the_library_goes_and_a_person_s_stays() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().join("home"))).unwrap();
        home.create().unwrap();
        let (ui, run) = (Ui::new(true, Color::Never), Uuid::now_v7());
        let own = Caches::new(home.caches()).file(&kind());
        let theirs = folder.path().join("their.cache");
        for path in [&own, &theirs] {
            fs::write(path, "bytes").unwrap();
        }
        let apart = set_apart(&home, run, &own, Doubt::NotOnRecord, ui).unwrap();
        assert_eq!(apart.disposition, Disposition::Quarantined);
        assert!(set_apart(&home, run, &theirs, Doubt::NotOnRecord, ui).is_none());
        assert!(!own.exists() && theirs.exists());
        assert_eq!(Quarantine::new(&home).list().unwrap()[0].why, Why::CacheNotOnRecord);
    }
}
