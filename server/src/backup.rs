//! `acta-server backup DIR`: a copy that verifies, taken while the server serves.
//!
//! **The database first, then the blobs.** A blob is stored before the entry that names it is logged, so every blob that
//! the copied database names was in the store when the copy of the database was taken, and copying the blobs afterwards
//! finds it. The other way round an entry could slip in between whose blob was not copied. Only a purge takes blobs away:
//! where one ran in between, the database is copied again.
//!
//! The copy holds no anchor: the anchor says what the *lost* server showed last, and lying beside an old copy it would say
//! that the old copy is the newest. It holds no private keys either, unless they are asked for.
//!
//! Running it again into the same folder copies the database anew and only those blobs that are not there. All that the log
//! names is then hashed where it lies: what has become damaged in the copy is copied again, and a link's bytes are the
//! original's. Until all of it was verified, the earlier backup stays as it was.

use std::{
    collections::BTreeSet,
    fmt,
    fs::{self, File},
    io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use acta_ledger::log::{
    digest::Sha256Digest, key::PublicKey, note::VerifierKey, timestamp::Timestamp, verification::Trust,
};
use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::{
    blob, clock,
    config::DataConfig,
    db,
    doctor::{self, LogFacts},
    keys::Keys,
};

/// The file that makes a folder a backup.
const MANIFEST: &str = "backup.json";

/// How often a backup begins anew because a purge ran meanwhile.
const TRIES: usize = 3;

/// What a backup says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The log's name.
    pub origin: String,
    /// The log's verifier key.
    pub log_key: String,
    /// The portal's public key, standard base64.
    pub portal_key: String,
    /// When it was taken.
    pub at: Timestamp,
    /// How many entries it holds.
    pub size: u64,
    /// The root over them.
    pub root: Sha256Digest,
    /// The newest tree head in it, verbatim.
    pub tree_head: String,
    /// How many blobs its entries name; all of them are there.
    pub blobs: u64,
}

impl Manifest {
    /// The manifest of a folder; `None` where the folder is no backup.
    pub fn read(folder: &Path) -> anyhow::Result<Option<Self>> {
        let path = folder.join(MANIFEST);
        match fs::read(&path) {
            Ok(bytes) => {
                let manifest = serde_json::from_slice(&bytes);
                manifest.map(Some).with_context(|| format!("{} is no backup's manifest", path.display()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// The public keys that it names.
    pub fn trust(&self) -> anyhow::Result<Trust> {
        Ok(Trust {
            log: VerifierKey::parse(&self.log_key).context("the backup's manifest names no log key")?,
            portal: PublicKey::from_base64(&self.portal_key)
                .context("the backup's manifest names no portal key")?,
        })
    }
}

/// What a backup is to do.
#[derive(Debug, Clone, clap::Args)]
pub struct Options {
    /// The folder to back up into; made where it is missing.
    #[arg(value_name = "DIR")]
    pub target: std::path::PathBuf,
    /// Copies the private keys as well: whoever has the backup can then sign as this server.
    #[arg(long)]
    pub with_keys: bool,
    /// Copies blobs also where a hard link would do: a link shares the fate of the disk and of a damaged file.
    #[arg(long)]
    pub copy: bool,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Done {
    /// What the backup says of itself.
    pub manifest: Manifest,
    /// Blobs that were copied just now.
    pub copied: u64,
    /// Blobs that were linked just now.
    pub linked: u64,
    /// Whether the private keys are in it.
    pub with_keys: bool,
}

/// A server must not go on from a restored backup as if nothing had been shown since.
pub fn refuse_unanchored(data: &DataConfig) -> anyhow::Result<()> {
    let Some(manifest) = Manifest::read(&data.data_dir)?.filter(|_| !data.anchor().exists()) else {
        return Ok(());
    };
    bail!(
        "{folder} is a restored backup of {size} entries and has no anchor: if the lost server showed more, writing on \
         would show a second log. Put the lost server's anchor to {anchor}, or name it with --anchor. If it is lost too and \
         you are sure that nothing was shown after these {size} entries, remove {folder}/{MANIFEST}",
        folder = data.data_dir.display(),
        size = manifest.size,
        anchor = data.anchor().display(),
    )
}

/// Takes a backup and verifies it.
pub async fn backup(
    data: &DataConfig,
    options: &Options,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<Done> {
    ensure!(
        Keys::are_in(&data.keys()),
        "there are no keys in {}: not a server's folder",
        data.keys().display()
    );
    let keys = Keys::read(&data.keys(), &data.origin)?;
    let target = &options.target;
    fs::create_dir_all(target).with_context(|| format!("cannot make the folder {}", target.display()))?;
    let (here, there) = (fs::canonicalize(&data.data_dir)?, fs::canonicalize(target)?);
    ensure!(here != there, "{} is the server's own folder", target.display());
    let live = db::open_to_read(&data.database()).await?;
    let new = target.join("acta.db.new");
    let mut blobs = Blobs::new(data.blobs(), target.join("blobs"), options.copy);
    let mut tries = 0;
    let facts = loop {
        tries += 1;
        remove(&new)?;
        db::copy_into(&live, &new).await?;
        blobs = tokio::task::spawn_blocking(move || blobs.take_all()).await??;
        let copy = db::open_to_read(&new).await?;
        let facts = doctor::walk(&copy, Some(&keys.trust()), &[], progress).await;
        copy.close().await;
        let facts = facts.context("the copy cannot be read")?;
        ensure!(facts.is_sound(), "the log is damaged, nothing was backed up: {}", facts.wrong());
        let lack;
        (blobs, lack) = missing(&facts, blobs, progress).await?;
        match lack {
            None => break facts,
            Some(lack) if lack.state == Taken::Gone && tries < TRIES => {}
            Some(lack) => bail!(
                "{lack}: run acta-server doctor. The backup was not completed; the earlier one in {} stays",
                target.display()
            ),
        }
    };
    live.close().await;
    let manifest = manifest(&keys, &facts)?;
    put_in_place(target, &new, &manifest)?;
    if options.with_keys {
        copy_keys(&data.keys(), &target.join("keys"))?;
    }
    let (copied, linked) = (blobs.copied.len() as u64, blobs.linked);
    Ok(Done { manifest, copied, linked, with_keys: options.with_keys })
}

fn manifest(keys: &Keys, facts: &LogFacts) -> anyhow::Result<Manifest> {
    let (trust, root) = (keys.trust(), facts.root);
    let tree_head = facts.note.clone().context("the log has no tree head yet: start the server once")?;
    let keyring = facts.keyring.as_ref().context("no key was trusted")?;
    let head = keyring.log().open(&tree_head)?;
    ensure!(
        (head.size, head.root) == (facts.size, root),
        "the newest tree head covers {} of {} entries: start the server once, so that it signs the rest",
        head.size,
        facts.size
    );
    Ok(Manifest {
        origin: keys.origin.clone(),
        log_key: trust.log.to_string(),
        portal_key: trust.portal.to_base64(),
        at: clock::now(),
        size: facts.size,
        root,
        tree_head,
        blobs: facts.custody.needed().count() as u64,
    })
}

/// What became of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// It is in the copy, and what its name says.
    Whole,
    /// It is not in the store: never was, or was purged just now.
    Gone,
    /// The store holds other bytes under its name.
    Damaged(Sha256Digest),
}

/// A blob that an entry names and the copy does not hold.
struct Lack {
    entry: u64,
    blob: Sha256Digest,
    state: Taken,
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {} names the blob {}, which ", self.entry, self.blob)?;
        match self.state {
            Taken::Damaged(found) => write!(f, "is damaged: its bytes have the digest {found}"),
            Taken::Whole | Taken::Gone => f.write_str("is not in the store"),
        }
    }
}

/// The first blob that the log names and the copy does not hold whole. Each is hashed, one at a time.
async fn missing(
    facts: &LogFacts,
    mut blobs: Blobs,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<(Blobs, Option<Lack>)> {
    let all = facts.custody.needed().count() as u64;
    for ((blob, entry), done) in facts.custody.needed().zip(1..) {
        let state;
        (blobs, state) = tokio::task::spawn_blocking(move || {
            let state = blobs.make_whole(&blob);
            state.map(|state| (blobs, state))
        })
        .await?
        .with_context(|| format!("cannot read the blob {blob}"))?;
        if state != Taken::Whole {
            return Ok((blobs, Some(Lack { entry, blob, state })));
        }
        progress("blobs", done, all);
    }
    Ok((blobs, None))
}

/// The blobs on their way from the store to the copy.
struct Blobs {
    from: PathBuf,
    to: PathBuf,
    /// Whether they are copied where a link would do.
    whole: bool,
    /// Copied just now: these were hashed on the way.
    copied: BTreeSet<Sha256Digest>,
    linked: u64,
}

impl Blobs {
    fn new(from: PathBuf, to: PathBuf, whole: bool) -> Self {
        Self { from, to, whole, copied: BTreeSet::new(), linked: 0 }
    }

    /// Copies or links what is not there yet. What cannot be taken is left out: whether the log needs it is looked at
    /// afterwards.
    fn take_all(mut self) -> anyhow::Result<Self> {
        let mut folders = BTreeSet::new();
        let all = blob::list(&self.from).with_context(|| format!("cannot list {}", self.from.display()))?;
        for digest in all {
            let target = blob::file(&self.to, &digest);
            if target.exists() {
                continue;
            }
            let taken = self.take(&digest, &target);
            if taken.with_context(|| format!("cannot copy the blob {digest}"))? == Taken::Whole {
                // A new folder is a name in the one above it.
                folders.extend(target.ancestors().skip(1).take(3).map(Path::to_owned));
            }
        }
        folders.iter().try_for_each(|folder| sync_folder(folder))?;
        Ok(self)
    }

    fn take(&mut self, digest: &Sha256Digest, target: &Path) -> io::Result<Taken> {
        let source = blob::file(&self.from, digest);
        let folder = target.parent().unwrap_or(&self.to);
        fs::create_dir_all(folder)?;
        let linked = || -> io::Result<bool> {
            let links = !self.whole && fs::metadata(&source)?.dev() == fs::metadata(folder)?.dev();
            if links {
                fs::hard_link(&source, target)?;
            }
            Ok(links)
        };
        match linked() {
            Ok(true) => self.linked += 1,
            Ok(false) => return self.copy(digest, target),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Taken::Gone),
            Err(error) => return Err(error),
        }
        Ok(Taken::Whole)
    }

    /// Copies a blob, checking on the way that it is what its name says.
    fn copy(&mut self, digest: &Sha256Digest, target: &Path) -> io::Result<Taken> {
        let new = target.with_extension("new");
        match fs::copy(blob::file(&self.from, digest), &new) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Taken::Gone),
            copied => copied?,
        };
        let found = doctor::digest_of(&new)?;
        if found != *digest {
            fs::remove_file(&new)?;
            return Ok(Taken::Damaged(found));
        }
        File::open(&new)?.sync_all()?;
        fs::rename(&new, target)?;
        self.copied.insert(*digest);
        Ok(Taken::Whole)
    }

    /// Sees to it that a blob of the copy is what its name says; takes it from the store again where it is not.
    fn make_whole(&mut self, digest: &Sha256Digest) -> anyhow::Result<Taken> {
        if self.copied.contains(digest) {
            return Ok(Taken::Whole);
        }
        let target = blob::file(&self.to, digest);
        match doctor::digest_of(&target) {
            Ok(found) if found == *digest => return Ok(Taken::Whole),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            // Of a link the store has the same bytes, and they are found to be damaged once more.
            Ok(_) | Err(_) => {}
        }
        let taken = self.copy(digest, &target)?;
        if taken == Taken::Whole {
            sync_folder(target.parent().unwrap_or(&self.to))?;
        }
        Ok(taken)
    }
}

/// The verified database and its manifest take the place of the earlier ones.
fn put_in_place(target: &Path, new: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    File::open(new)?.sync_all()?;
    // Between the two renames the earlier manifest would speak of the new database.
    remove(&target.join(MANIFEST))?;
    // Whoever looked into the earlier copy may have left its write-ahead log.
    for left in ["acta.db-wal", "acta.db-shm"] {
        remove(&target.join(left))?;
    }
    fs::rename(new, target.join("acta.db"))?;
    let path = target.join(format!("{MANIFEST}.new"));
    fs::write(&path, serde_json::to_vec_pretty(manifest)?)?;
    File::open(&path)?.sync_all()?;
    fs::rename(&path, target.join(MANIFEST))?;
    sync_folder(target)
}

fn copy_keys(from: &Path, to: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
    fs::create_dir_all(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o700))?;
    for file in fs::read_dir(from)? {
        let file = file?;
        let new = to.join(file.file_name());
        remove(&new)?;
        let mut out = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        io::copy(&mut File::open(file.path())?, &mut out)?;
        out.sync_all()?;
    }
    sync_folder(to)
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn sync_folder(folder: &Path) -> anyhow::Result<()> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .with_context(|| format!("cannot sync {}", folder.display()))
}
