//! The one link that the runtime follows.
//!
//! A new link is made under another name and renamed over the old one: whoever looks finds the old one or the new one,
//! and never nothing.

use std::{
    fs, io,
    os::unix::fs::symlink,
    path::{Component, Path},
};

use acta_ledger::log::digest::Sha256Digest;

use super::target::{BUNDLE, VERSIONS};
use crate::durable;

/// The link's name.
pub const LINK: &str = "current";

/// What the link says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// There is none.
    None,
    /// It leads to this version.
    Version(String),
    /// It is not a link of ours; what was found.
    Foreign(String),
}

impl Link {
    /// The version's name.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::Version(name) => Some(name),
            Self::None | Self::Foreign(_) => None,
        }
    }
}

/// The digest of the bundle in a version, by its name.
pub fn digest_of(version: &str) -> Option<Sha256Digest> {
    version.split('-').next()?.parse().ok()
}

/// Reads the link.
pub fn read(folder: &Path) -> io::Result<Link> {
    match fs::read_link(folder.join(LINK)) {
        Ok(to) => Ok(version_in(&to).map_or_else(|| Link::Foreign(to.display().to_string()), Link::Version)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Link::None),
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            Ok(Link::Foreign("a file or folder".to_owned()))
        }
        Err(error) => Err(error),
    }
}

fn version_in(to: &Path) -> Option<String> {
    let mut parts = to.components();
    let (first, second) = (parts.next()?, parts.next()?);
    let (Component::Normal(folder), Component::Normal(name), None) = (first, second, parts.next()) else {
        return None;
    };
    let name = name.to_str()?;
    (folder == VERSIONS && digest_of(name).is_some()).then(|| name.to_owned())
}

/// Makes the link lead to a version that is there, or to nothing at all; on disk when it returns.
pub fn point(folder: &Path, version: Option<&str>) -> io::Result<()> {
    let link = folder.join(LINK);
    match version {
        Some(version) => {
            let to = Path::new(VERSIONS).join(version);
            fs::metadata(folder.join(&to).join(BUNDLE))?;
            let temporary = durable::temporary_in(folder);
            symlink(&to, &temporary)?;
            fs::rename(&temporary, &link).inspect_err(|_| {
                fs::remove_file(&temporary).ok();
            })?;
        }
        None => match fs::remove_file(&link) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        },
    }
    durable::sync_dir(folder)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn version(folder: &Path, bytes: &[u8]) -> String {
        let name = Sha256Digest::of(bytes).to_string();
        fs::create_dir_all(folder.join(VERSIONS).join(&name)).unwrap();
        fs::write(folder.join(VERSIONS).join(&name).join(BUNDLE), bytes).unwrap();
        name
    }

    #[test]
    fn a_link_leads_to_a_version_that_is_there_or_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        assert_eq!(read(folder).unwrap(), Link::None);
        let (a, missing) = (version(folder, b"a"), Sha256Digest::of(b"?").to_string());
        point(folder, Some(&a)).unwrap();
        assert_eq!(point(folder, Some(&missing)).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(read(folder).unwrap(), Link::Version(a.clone()));
        assert_eq!(fs::read(folder.join(LINK).join(BUNDLE)).unwrap(), b"a");
        point(folder, None).unwrap();
        point(folder, None).unwrap();
        assert_eq!(read(folder).unwrap(), Link::None);
        for foreign in ["/etc", "versions", "other/x", &format!("versions/{a}/bundle"), "versions/x"] {
            symlink(foreign, folder.join(LINK)).unwrap();
            assert!(matches!(read(folder).unwrap(), Link::Foreign(_)), "{foreign}");
            fs::remove_file(folder.join(LINK)).unwrap();
        }
        fs::create_dir(folder.join(LINK)).unwrap();
        assert!(matches!(read(folder).unwrap(), Link::Foreign(_)));
        assert!(point(folder, Some(&a)).is_err(), "a folder is not replaced");
        assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "no temporary link is left");
    }

    #[test]
    fn whoever_looks_finds_one_of_the_two() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let (a, b) = (version(folder, b"a"), version(folder, b"b"));
        point(folder, Some(&a)).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let mut looks = 0_u32;
                while !done.load(Ordering::Relaxed) {
                    assert!(matches!(&*fs::read(folder.join(LINK).join(BUNDLE)).unwrap(), b"a" | b"b"));
                    looks += 1;
                }
                looks
            });
            for round in 0..200 {
                point(folder, Some(if round % 2 == 0 { &b } else { &a })).unwrap();
            }
            done.store(true, Ordering::Relaxed);
            assert!(looks.join().unwrap() > 0);
        });
    }
}
