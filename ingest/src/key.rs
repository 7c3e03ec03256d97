//! The agent's key: Ed25519, PKCS#8 PEM (version 1, which every tool reads), mode 0600.
//!
//! A key that others can read proves nothing any more: it is refused wherever it is read, not just warned about.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::Path,
};

use acta_ledger::log::key::{PublicKey, SigningKey};
use ed25519_dalek::pkcs8::{
    DecodePrivateKey as _, EncodePrivateKey as _, KeypairBytes, spki::der::pem::LineEnding,
};
use zeroize::Zeroizing;

use crate::{
    durable,
    error::{CliError, Result},
    home::Home,
};

/// The permission bits that a secret must not have: anything for group and others.
const TOO_WIDE: u32 = 0o077;

/// Makes the agent's key; an existing one is never replaced.
pub fn create(home: &Home) -> Result<PublicKey> {
    let path = home.key();
    let (key, pem) = draw()?;
    durable::create(&path, pem.as_bytes(), 0o600).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => CliError::usage("this agent already has a key")
            .field(path.display().to_string())
            .help("keep it: its statements form one chain. Another agent needs another --home"),
        _ => CliError::io("write", &path, &error),
    })?;
    Ok(PublicKey::of(&key))
}

/// Draws a key, and writes it as PKCS#8 PEM.
pub fn draw() -> Result<(SigningKey, Zeroizing<String>)> {
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)
        .map_err(|error| CliError::failure("the system gave no random bytes").found(error.to_string()))?;
    let pem = KeypairBytes { secret_key: seed, public_key: None }
        .to_pkcs8_pem(LineEnding::LF)
        .map_err(|error| CliError::failure("the key cannot be written").found(error.to_string()))?;
    Ok((SigningKey::from_bytes(&seed), pem))
}

/// Reads the agent's key.
pub fn load(home: &Home) -> Result<SigningKey> {
    let path = home.key();
    let pem = read_secret(&path).map_err(|error| match error {
        SecretError::Missing => CliError::usage("this agent has no key yet")
            .field(path.display().to_string())
            .help("run `acta init` once"),
        SecretError::Other(error) => error,
    })?;
    from_pem(&pem, &path)
}

/// Reads a key that stood in a file.
pub fn from_pem(pem: &str, path: &Path) -> Result<SigningKey> {
    SigningKey::from_pkcs8_pem(pem).map_err(|error| {
        CliError::usage("the agent's key cannot be read")
            .field(path.display().to_string())
            .found(error.to_string())
            .expected("an Ed25519 private key in PKCS#8 PEM")
            .help("restore it from a backup, or move it away and run `acta init` (a new key is a new agent)")
    })
}

/// Why a secret was not read.
#[derive(Debug)]
pub enum SecretError {
    /// There is no such file.
    Missing,
    /// Everything else.
    Other(CliError),
}

/// Reads a file that only its owner may read.
pub fn read_secret(path: &Path) -> Result<String, SecretError> {
    let io = |error: &io::Error| SecretError::Other(CliError::io("read", path, error));
    let mut file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(SecretError::Missing),
        other => other.map_err(|error| io(&error))?,
    };
    // Of the opened file, not of the name: nobody can put another one there in between.
    let mode = file.metadata().map_err(|error| io(&error))?.permissions().mode() & 0o777;
    if mode & TOO_WIDE != 0 {
        return Err(SecretError::Other(
            CliError::usage("a secret can be read by others")
                .field(path.display().to_string())
                .found(format!("mode {mode:04o}"))
                .expected("mode 0600")
                .help(format!("if nobody has read it: chmod 600 {}", path.display())),
        ));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| io(&error))?;
    Ok(text)
}

/// Whether there is a key, readable or not.
pub fn exists(home: &Home) -> bool {
    fs::symlink_metadata(home.key()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().to_owned())).unwrap();
        home.create().unwrap();
        (folder, home)
    }

    #[test]
    fn a_key_is_made_once_and_read_back() {
        let (_folder, home) = home();
        assert!(!exists(&home));
        assert!(load(&home).unwrap_err().to_string().contains("acta init"));
        let public = create(&home).unwrap();
        assert_eq!(PublicKey::of(&load(&home).unwrap()), public);
        assert_eq!(fs::metadata(home.key()).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(create(&home).unwrap_err().to_string().contains("already has a key"));
        assert_eq!(PublicKey::of(&load(&home).unwrap()), public, "the first key stays");
        let pem = fs::read_to_string(home.key()).unwrap();
        assert!(pem.starts_with("-----BEGIN PRIVATE KEY-----\n"));
        // PKCS#8 version 1 of an Ed25519 key is 48 bytes: what OpenSSL reads.
        assert_eq!(pem.lines().nth(1).map(str::len), Some(64));
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let (_folder, home) = home();
        create(&home).unwrap();
        for mode in [0o644, 0o640, 0o604, 0o660, 0o601] {
            fs::set_permissions(home.key(), fs::Permissions::from_mode(mode)).unwrap();
            let error = load(&home).unwrap_err().to_string();
            assert!(error.contains(&format!("mode {mode:04o}")) && error.contains("chmod 600"), "{error}");
        }
        fs::set_permissions(home.key(), fs::Permissions::from_mode(0o400)).unwrap();
        load(&home).unwrap();
        fs::remove_file(home.key()).unwrap();
        durable::write(&home.key(), b"no key", 0o600).unwrap();
        assert!(load(&home).unwrap_err().to_string().contains("PKCS#8 PEM"));
    }
}
