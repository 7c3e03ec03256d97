//! The power goes: what a server wrote and did not sync may be on the disk, may not be, or may be in part. Whichever it is, a
//! server that starts on that disk has everything that was acknowledged before.
//!
//! Six moments by default; as many as `ACTA_SOAK` says otherwise (`make soak`).

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{
    append::{Acknowledged, Pusher},
    disk::{Calls, Unsynced},
    evidence::{TestAgent, summary},
    fuzz::Random,
    process::Server,
    strace::Strace,
};

/// The files that an append writes to and syncs.
const FILES: [&str; 3] = ["acta.db", "acta.db-wal", "anchor"];

const CLIENTS: u128 = 4;

/// Enough that the write-ahead log is folded into the database and begins anew in between.
const APPENDS: u128 = 240;

/// What a server did while it was watched.
struct Watched {
    /// Its folder, as it was left.
    server: Server,
    before: BTreeMap<PathBuf, Vec<u8>>,
    calls: Calls,
    /// What was acknowledged, and when: seconds since 1970.
    acknowledged: Vec<(f64, Acknowledged)>,
}

/// Appends for a while, calls written down.
#[expect(clippy::disallowed_methods, reason = "strace stamps each call with the wall clock")]
fn watch() -> Watched {
    let mut server = Server::start(&["--public-read"]);
    let agent = TestAgent::new(3);
    let pusher = Pusher::enrol(&server, &agent, "loader");
    let data = fs::canonicalize(server.data_dir()).expect("a folder");
    let paths = FILES.map(|name| data.join(name));
    let strace = Strace::record(server.pid(), Calls::TRACED, &paths.each_ref().map(PathBuf::as_path));
    // Nothing goes on: this much is taken to be on the disk.
    let before = paths.iter().map(|path| (path.clone(), fs::read(path).expect("a file"))).collect();
    let (url, acknowledged) = (server.url(), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (agent, pusher, url, acknowledged) = (&agent, &pusher, &url, &acknowledged);
            scope.spawn(move || {
                for number in 0..APPENDS / CLIENTS {
                    let envelope = agent.envelope(&summary(1 + client + number * CLIENTS));
                    let it = pusher.push(url, &envelope).expect("nothing is wrong");
                    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64();
                    acknowledged.lock().expect("no thread panicked").push((now, it));
                }
            });
        }
    });
    let calls = Calls::read(&strace.detach());
    server.kill();
    Watched { server, before, calls, acknowledged: acknowledged.into_inner().expect("no thread panicked") }
}

impl Watched {
    /// Starts a server on a disk; says what of that was acknowledged before the call of this number is not there.
    fn missing(&self, disk: BTreeMap<PathBuf, Vec<u8>>, number: usize) -> Vec<u64> {
        let folder = tempfile::tempdir().expect("a folder");
        let copied = Command::new("cp").arg("-r").arg(self.server.data_dir()).arg(folder.path()).status();
        assert!(copied.is_ok_and(|status| status.success()), "cp -r");
        let data = folder.path().join("data");
        // An index of the write-ahead log is memory, not disk.
        fs::remove_file(data.join("acta.db-shm")).expect("removed");
        for (path, bytes) in disk {
            fs::write(data.join(path.file_name().expect("a file's name")), bytes).expect("written");
        }
        let server = Server::start_on(folder, &["--public-read"]);
        let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(20)));
        let http = config.build().new_agent();
        let is_there = |it: &Acknowledged| {
            let stored = http.get(format!("{}/api/v1/entries/{}", server.url(), it.index)).call().ok()?;
            let bytes = stored.into_body().read_to_vec().ok()?;
            (Sha256Digest::of(&bytes).to_string() == it.digest).then_some(())
        };
        let promised = self.acknowledged.iter().filter(|(at, _)| *at < self.calls.at(number));
        let missing = promised.filter(|(_, it)| is_there(it).is_none()).map(|(_, it)| it.index).collect();
        let doctor = server.run(&["doctor"], "");
        assert!(doctor.status.success(), "call {number}: {}", String::from_utf8_lossy(&doctor.stdout));
        missing
    }

    /// The calls before which the power goes.
    fn moments(&self) -> impl Iterator<Item = usize> + use<> {
        let wanted = std::env::var("ACTA_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
        let step = (self.calls.len() / wanted).max(1);
        (step..self.calls.len()).step_by(step)
    }
}

fn is_file(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|file| file == name)
}

#[test]
fn after_a_power_cut_everything_that_was_acknowledged_is_there() {
    let watched = watch();
    for path in watched.before.keys() {
        let syncs = watched.calls.syncs(path);
        assert!(syncs > 0, "{} was never synced", path.display());
        // One of each a batch; the database itself is synced when the log is folded into it.
        assert!(is_file(path, "acta.db") || syncs > 20, "{}: {syncs} syncs", path.display());
    }
    let (mut random, mut tried) = (Random(7), 0);
    for number in watched.moments() {
        let kinds = [Unsynced::Lost, Unsynced::Some(&mut random), Unsynced::Kept];
        for unsynced in kinds {
            let disk = watched.calls.disk(&watched.before, number, unsynced);
            assert_eq!(watched.missing(disk, number), [0; 0], "the power goes before call {number}");
            tried += 1;
        }
    }
    eprintln!("{} calls, {tried} disks", watched.calls.len());
    // Whether this could find a loss at all: a disk that says "synced" and has done nothing has lost something.
    let last = watched.calls.len() - 1;
    let disk = watched.calls.without_syncs().disk(&watched.before, last, Unsynced::Lost);
    assert!(!watched.missing(disk, last).is_empty(), "without syncs nothing is lost: nothing was tested");
}
