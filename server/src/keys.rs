//! The server's keys: the log's, which signs tree heads and nothing else, and the portal's, which signs enrolments
//! and decisions. PKCS#8 PEM files of mode 0600; a wider mode is refused.
//!
//! `log.pem` is the log's first key and stays: it is what everybody pinned. A key that it was handed on to lies beside it
//! as `log-<id>.pem`. Which of them sign a tree head is what the log says, never what files there are.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use acta_ledger::{
    judge::log_key::LogKeys,
    log::{
        key::{PublicKey, SigningKey},
        note::{NoteKeyType, VerifierKey},
        verification::Trust,
    },
};
use anyhow::{Context as _, bail, ensure};
use ed25519_dalek::pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _, spki::der::pem::LineEnding};

/// The log's first key and the portal's.
const NAMES: [&str; 2] = ["log.pem", "portal.pem"];

/// The keys and the log's origin.
pub struct Keys {
    /// The log's name: a URL without scheme.
    pub origin: String,
    /// The log's first key.
    log: SigningKey,
    /// Keys that may have followed it.
    later: Vec<SigningKey>,
    /// Signs the portal's statements.
    pub portal: SigningKey,
}

impl Keys {
    /// Whether the folder holds both keys: a copy of a backup may have none.
    pub fn are_in(folder: &Path) -> bool {
        NAMES.iter().all(|name| folder.join(name).exists())
    }

    /// Reads the keys from the folder; makes what is missing.
    pub fn open(folder: &Path, origin: &str) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
        for path in NAMES.map(|name| folder.join(name)).iter().filter(|path| !path.exists()) {
            make(path).with_context(|| format!("cannot make the key {}", path.display()))?;
        }
        Self::read(folder, origin)
    }

    /// Reads the keys from the folder and changes nothing in it.
    pub fn read(folder: &Path, origin: &str) -> anyhow::Result<Self> {
        let [log, portal] = NAMES.map(|name| folder.join(name));
        let keys = Self {
            origin: origin.to_owned(),
            log: read_key(&log)?,
            later: read_later(folder)?,
            portal: read_key(&portal)?,
        };
        ensure!(
            keys.logs().all(|log| PublicKey::of(log) != PublicKey::of(&keys.portal)),
            "a key of the log and portal.pem are the same key: one key never serves two purposes"
        );
        VerifierKey::new(origin, NoteKeyType::Ed25519, PublicKey::of(&keys.log))
            .with_context(|| format!("{origin:?} cannot be the log's origin"))?;
        Ok(keys)
    }

    fn logs(&self) -> impl Iterator<Item = &SigningKey> {
        std::iter::once(&self.log).chain(&self.later)
    }

    /// The keys that must sign a tree head of this size, or which of them has no file.
    pub fn signers(&self, log: &LogKeys, size: u64) -> anyhow::Result<Vec<&SigningKey>> {
        let find = |key: &VerifierKey| {
            self.logs().find(|own| PublicKey::of(own) == *key.public_key()).with_context(|| {
                let name = file_name(key.public_key());
                format!("a tree head of size {size} must be signed by {key}, and its file {name} is missing")
            })
        };
        log.signers(size).map(|life| find(&life.key)).collect()
    }

    /// A key of the folder that was never the log's: an interrupted attempt to hand on left it.
    pub fn unused(&self, log: &LogKeys) -> Option<&SigningKey> {
        self.later.iter().find(|key| !log.knows(&PublicKey::of(key)))
    }

    /// Makes a key that is to follow the log's, and stores it before anything speaks of it.
    pub fn make_next(folder: &Path) -> anyhow::Result<SigningKey> {
        let (key, pem) = draw()?;
        store(&folder.join(file_name(&PublicKey::of(&key))), &pem)?;
        Ok(key)
    }

    /// The public halves: what a checker must trust.
    pub fn trust(&self) -> Trust {
        Trust {
            log: VerifierKey::new(&self.origin, NoteKeyType::Ed25519, PublicKey::of(&self.log))
                .expect("the origin was checked when the keys were opened"),
            portal: PublicKey::of(&self.portal),
        }
    }
}

fn read_key(path: &Path) -> anyhow::Result<SigningKey> {
    let cannot = || format!("cannot read the key {}", path.display());
    let mode = fs::metadata(path).with_context(cannot)?.permissions().mode() & 0o777;
    if mode != 0o600 {
        bail!("the key {} has mode {mode:04o}, expected 0600: run chmod 600 on it", path.display());
    }
    let pem = fs::read_to_string(path).with_context(cannot)?;
    SigningKey::from_pkcs8_pem(&pem)
        .map_err(|_| anyhow::anyhow!("{} is not an Ed25519 key in PKCS#8 PEM", path.display()))
}

/// Where a later key of the log lies.
fn file_name(key: &PublicKey) -> String {
    format!("log-{}.pem", key.id().0.short())
}

fn read_later(folder: &Path) -> anyhow::Result<Vec<SigningKey>> {
    let mut paths = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("log-") && name.ends_with(".pem") {
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| read_key(path)).collect()
}

fn make(path: &Path) -> anyhow::Result<()> {
    let (_, pem) = draw()?;
    store(path, &pem)
}

fn draw() -> anyhow::Result<(SigningKey, zeroize::Zeroizing<String>)> {
    let mut seed = zeroize::Zeroizing::new([0; 32]);
    getrandom::fill(seed.as_mut()).map_err(|error| anyhow::anyhow!("no random bytes: {error}"))?;
    let key = SigningKey::from_bytes(&seed);
    let pem = key
        .to_pkcs8_pem(LineEnding::LF)
        .map_err(|error| anyhow::anyhow!("cannot write the key as PEM: {error}"))?;
    Ok((key, pem))
}

fn store(path: &Path, pem: &str) -> anyhow::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(pem.as_bytes())?;
    file.sync_all()?;
    File::open(path.parent().context("a key lies in a folder")?)?.sync_all()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_made_once_and_a_wider_mode_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let first = Keys::open(folder.path(), "acta.example/log").unwrap().trust();
        assert_eq!(Keys::open(folder.path(), "acta.example/log").unwrap().trust(), first);
        let log = folder.path().join("log.pem");
        fs::set_permissions(&log, fs::Permissions::from_mode(0o640)).unwrap();
        let error = Keys::open(folder.path(), "acta.example/log").err().unwrap().to_string();
        assert!(error.contains("mode 0640"), "{error}");
        fs::set_permissions(&log, fs::Permissions::from_mode(0o600)).unwrap();
        fs::copy(&log, folder.path().join("portal.pem")).unwrap();
        let error = Keys::open(folder.path(), "acta.example/log").err().unwrap().to_string();
        assert!(error.contains("two purposes"), "{error}");
    }

    #[test]
    fn reading_makes_no_key_and_leaves_the_folder_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("keys");
        assert!(Keys::read(&keys, "acta.example/log").is_err());
        assert!(!keys.exists());
        let made = Keys::open(&keys, "acta.example/log").unwrap().trust();
        fs::set_permissions(&keys, fs::Permissions::from_mode(0o750)).unwrap();
        assert_eq!(Keys::read(&keys, "acta.example/log").unwrap().trust(), made);
        fs::remove_file(keys.join("portal.pem")).unwrap();
        let error = Keys::read(&keys, "acta.example/log").err().unwrap().to_string();
        assert!(error.contains("cannot read the key") && error.contains("portal.pem"), "{error}");
        assert!(!keys.join("portal.pem").exists());
        assert_eq!(fs::metadata(&keys).unwrap().permissions().mode() & 0o777, 0o750);
    }

    #[test]
    fn an_origin_that_cannot_name_a_key_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Keys::open(folder.path(), "a b").is_err());
    }
}
