//! Whether the server can do its work: what is looked at, cheaply, for `/readyz`, `/metrics` and the service manager.

use std::{path::Path, time::Duration};

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    startup::AppState,
    store::progress::{Progress, progress},
};

/// Below this much room on the disk nothing more can be promised: the write-ahead log and a blob must still fit.
pub const LEAST_FREE_BYTES: u64 = 64 << 20;

/// How long the database may take to answer a question that touches one row.
const DATABASE_PATIENCE: Duration = Duration::from_secs(2);

/// Room on a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Bytes that this process may still write.
    pub free: u64,
    /// Bytes in all.
    pub size: u64,
}

/// The disk of a folder; none where the system does not say.
pub fn disk(folder: &Path) -> Option<Disk> {
    let it = rustix::fs::statvfs(folder).ok()?;
    Some(Disk {
        free: it.f_bavail.saturating_mul(it.f_frsize),
        size: it.f_blocks.saturating_mul(it.f_frsize),
    })
}

/// One thing that must be so before requests are sent here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// Whether it is as it must be.
    pub ok: bool,
    /// What is wrong, in words; nothing where it is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Check {
    fn of(name: &'static str, found: Result<(), String>) -> Self {
        Self { name, ok: found.is_ok(), problem: found.err() }
    }
}

/// What `/readyz` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Readiness {
    /// Whether all of it is as it must be.
    pub ready: bool,
    /// What was looked at.
    pub checks: Vec<Check>,
}

/// Looks at everything that a request needs.
pub async fn readiness(state: &AppState) -> Readiness {
    let progress = tokio::time::timeout(DATABASE_PATIENCE, progress(&state.database.read)).await;
    let progress = match progress {
        Ok(Ok(progress)) => Ok(progress),
        Ok(Err(error)) => {
            tracing::error!(cause = %error, "the database does not answer");
            Err("the database does not answer; the server's log says why".to_owned())
        }
        Err(_) => Err(format!("the database did not answer within {} s", DATABASE_PATIENCE.as_secs())),
    };
    let checks = vec![
        Check::of("serving", serving(state.live.is_closed())),
        Check::of("database", progress.as_ref().map(drop).map_err(Clone::clone)),
        Check::of("log_writer", writer(state.log.is_stopped())),
        Check::of("disk", room(disk(&state.data.data_dir))),
        Check::of("projections", progress.map_err(|_| "not known".to_owned()).and_then(level)),
    ];
    Readiness { ready: checks.iter().all(|check| check.ok), checks }
}

fn serving(closed: bool) -> Result<(), String> {
    if closed {
        Err("the server stops: it finishes open requests and takes no new ones".to_owned())
    } else {
        Ok(())
    }
}

fn writer(stopped: bool) -> Result<(), String> {
    if stopped {
        return Err(
            "the log's writer has stopped; the server's log says why. Start the server again".to_owned()
        );
    }
    Ok(())
}

fn room(disk: Option<Disk>) -> Result<(), String> {
    match disk {
        None => Err("the data folder's disk cannot be looked at: is it still mounted?".to_owned()),
        Some(Disk { free, .. }) if free < LEAST_FREE_BYTES => {
            Err(format!("{free} bytes are free, at least {LEAST_FREE_BYTES} are needed"))
        }
        Some(_) => Ok(()),
    }
}

fn level(progress: Progress) -> Result<(), String> {
    let Progress { logged, projected } = progress;
    if logged == projected {
        return Ok(());
    }
    Err(format!("{projected} of {logged} entries are shown: run acta-server rebuild"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_check_fails_for_what_it_looks_at_and_nothing_else() {
        assert!(serving(false).is_ok() && serving(true).is_err());
        assert!(writer(false).is_ok() && writer(true).is_err());
        let disk = |free| Some(Disk { free, size: 1 << 40 });
        for (found, fits) in [
            (None, false),
            (disk(0), false),
            (disk(LEAST_FREE_BYTES - 1), false),
            (disk(LEAST_FREE_BYTES), true),
        ] {
            assert_eq!(room(found).is_ok(), fits, "{found:?}");
        }
        for (logged, projected, fits) in [(0, 0, true), (7, 7, true), (7, 6, false), (6, 7, false)] {
            assert_eq!(level(Progress { logged, projected }).is_ok(), fits, "{projected} of {logged}");
        }
    }

    #[test]
    fn the_disk_of_a_folder_has_a_size() {
        let found = disk(Path::new("/")).unwrap();
        assert!(found.size > 0 && found.free <= found.size);
        assert_eq!(disk(Path::new("/nowhere/at/all")), None);
    }
}
