//! The folder itself: modes of the files, space.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use super::Finding;
use crate::config::DataConfig;

/// With less space than this a server will soon refuse entries.
const LEAST_FREE_BYTES: u64 = 256 << 20;

pub(super) fn check(data: &DataConfig) -> anyhow::Result<Vec<Finding>> {
    let mut wrong = Vec::new();
    let mut expect = |path: &Path, forbidden: u32, expected: &str| -> anyhow::Result<()> {
        match fs::metadata(path) {
            Ok(found) => {
                let mode = found.permissions().mode() & 0o777;
                if mode & forbidden != 0 {
                    wrong.push(format!("{} has mode {mode:04o}, expected {expected}", path.display()));
                }
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    };
    // Others may read the evidence where a group is meant to; nobody else may ever write it, or read a key.
    expect(&data.data_dir, 0o002, "no write for others")?;
    expect(&data.database(), 0o022, "0644 or less")?;
    expect(&data.anchor(), 0o022, "0644 or less")?;
    expect(&data.keys(), 0o077, "0700")?;
    for key in ["log.pem", "portal.pem"] {
        expect(&data.keys().join(key), 0o177, "0600")?;
    }
    Ok(vec![match wrong.is_empty() {
        true => Finding::ok("modes", "nobody else may write the evidence or read the keys"),
        false => Finding::wrong("modes", wrong.join("; "), "chmod each to what is expected"),
    }])
}

pub(super) fn check_space(data: &DataConfig) -> anyhow::Result<Finding> {
    let disk = rustix::fs::statvfs(&data.data_dir)?;
    let free = disk.f_bavail * disk.f_frsize;
    let size = fs::metadata(data.database()).map_or(0, |file| file.len());
    let said = format!("{} MiB are free, the database has {} MiB", free >> 20, size >> 20);
    Ok(match free < LEAST_FREE_BYTES {
        true => Finding::wrong(
            "space",
            said,
            "make room: without space entries are refused (507), and taken again without a restart",
        ),
        false => Finding::ok("space", said),
    })
}
