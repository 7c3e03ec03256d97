//! Each write, sync and rename of one append, killed and failed in turn: afterwards the folder is sound, nothing that was
//! acknowledged is lost, and the same bytes offered again have one index.
//!
//! The first, the middle and the last call of each kind by default; every one of them where `ACTA_SOAK` is set
//! (`make soak`).

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{
    append::{Acknowledged, Pusher},
    evidence::{TestAgent, phase_tree, summary},
    process::Server,
    strace::{Fault, Strace},
};

/// A kind of call on one of the files that an append touches.
struct Target {
    name: &'static str,
    calls: &'static str,
    paths: fn(&Path, &Sha256Digest) -> Vec<PathBuf>,
}

/// Debian's SQLite calls fdatasync where the bundled one calls fsync: both names, or nothing is injected.
const SYNCS: &str = "fsync,fdatasync";
const WRITES: &str = "write,pwrite64,writev,pwritev";
const RENAMES: &str = "rename,renameat,renameat2,link,linkat";

const TARGETS: [Target; 8] = [
    Target { name: "the commit's writes", calls: WRITES, paths: |data, _| vec![data.join("acta.db-wal")] },
    Target { name: "the commit's sync", calls: SYNCS, paths: |data, _| vec![data.join("acta.db-wal")] },
    Target { name: "the anchor's write", calls: WRITES, paths: |data, _| vec![data.join("anchor")] },
    Target { name: "the anchor's sync", calls: SYNCS, paths: |data, _| vec![data.join("anchor")] },
    Target { name: "the blob's writes", calls: WRITES, paths: |data, blob| vec![staged(data, blob)] },
    Target { name: "the blob's sync", calls: SYNCS, paths: |data, blob| vec![staged(data, blob)] },
    Target {
        name: "the blob's rename",
        calls: RENAMES,
        paths: |data, blob| vec![staged(data, blob), place(data, blob)],
    },
    Target { name: "the sync of the blob's folder", calls: SYNCS, paths: |data, blob| folders(data, blob) },
];

fn place(data: &Path, blob: &Sha256Digest) -> PathBuf {
    let name = blob.to_string();
    data.join("blobs/sha256").join(&name[..2]).join(name)
}

/// Where a blob lies until all of it is there.
fn staged(data: &Path, blob: &Sha256Digest) -> PathBuf {
    let mut path = place(data, blob).into_os_string();
    path.push("#1");
    path.into()
}

fn folders(data: &Path, blob: &Sha256Digest) -> Vec<PathBuf> {
    let place = place(data, blob);
    place.ancestors().skip(1).take(3).map(Path::to_owned).collect()
}

/// A server, somebody who appends, and what was acknowledged.
struct Trial {
    server: Server,
    agent: TestAgent,
    pusher: Pusher,
    next: u128,
    acknowledged: BTreeMap<u64, String>,
}

/// A run with its blob, ready to be appended.
struct Run {
    blob: Vec<u8>,
    envelope: Vec<u8>,
}

impl Trial {
    fn start() -> Self {
        let server = Server::start(&["--public-read"]);
        let agent = TestAgent::new(3);
        let pusher = Pusher::enrol(&server, &agent, "loader");
        Self { server, agent, pusher, next: 1, acknowledged: BTreeMap::new() }
    }

    fn run(&mut self) -> Run {
        let mut said = summary(self.next);
        self.next += 1;
        let (blob, named) = phase_tree(said.run.id);
        said.phase_tree = Some(named);
        Run { blob, envelope: self.agent.envelope(&said) }
    }

    /// Stores the blob and appends the entry; none where one of the two was not acknowledged.
    fn append(&mut self, run: &Run) -> Option<Acknowledged> {
        let url = self.server.url();
        self.pusher.blob(&url, &run.blob).filter(|status| status.is_success())?;
        let acknowledged = self.pusher.push(&url, &run.envelope)?;
        let digest = Sha256Digest::of(&run.envelope).to_string();
        assert_eq!(acknowledged.digest, digest);
        let before = self.acknowledged.insert(acknowledged.index, digest.clone());
        assert!(before.is_none_or(|before| before == digest), "index {} was given twice", acknowledged.index);
        Some(acknowledged)
    }

    fn attach(&self, target: &Target, run: &Run, fault: Fault) -> Strace {
        let data = fs::canonicalize(self.server.data_dir()).expect("a folder");
        let paths = (target.paths)(&data, &Sha256Digest::of(&run.blob));
        // strace knows a path that is not there yet only by its name; a folder must exist to be recognized.
        for folder in paths.iter().filter_map(|path| path.parent()) {
            fs::create_dir_all(folder).expect("a folder");
        }
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        Strace::attach(self.server.pid(), target.calls, &paths, fault)
    }

    /// How many such calls one append makes.
    fn count(&mut self, target: &Target) -> usize {
        let run = self.run();
        let strace = self.attach(target, &run, Fault::None);
        self.append(&run).expect("nothing is wrong");
        let log = strace.detach();
        log.lines().filter(|line| line.contains(") = ")).count()
    }

    /// Appends with a fault; whether it took place, after everything that must hold was looked at.
    fn try_fault(&mut self, target: &Target, fault: Fault) -> bool {
        let run = self.run();
        let strace = self.attach(target, &run, fault);
        let first = self.append(&run);
        let fired = match fault {
            Fault::Kills(_) => first.is_none() && self.server.is_gone(),
            _ => true,
        };
        let log = strace.detach();
        let fired = fired && (log.contains("(INJECTED)") || log.contains("killed by SIGKILL"));
        if matches!(fault, Fault::Kills(_)) {
            self.server.restart();
        }
        // The same bytes again, without a restart where nothing died: one index, whatever became of the first try.
        let again = self.append(&run).unwrap_or_else(|| panic!("{} {fault:?}: not taken again", target.name));
        if let Some(first) = first {
            assert_eq!((again.index, again.created), (first.index, false), "{} {fault:?}", target.name);
        }
        let doctor = self.server.run(&["doctor"], "");
        assert!(
            doctor.status.success(),
            "{} {fault:?}: {}",
            target.name,
            String::from_utf8_lossy(&doctor.stdout)
        );
        fired
    }

    /// Everything that was acknowledged is at its index, and nothing else is in the log but the agent's key.
    fn check(&mut self) {
        for (index, digest) in &self.acknowledged {
            let stored = ureq::get(format!("{}/api/v1/entries/{index}", self.server.url())).call();
            let bytes = stored.expect("the entry is there").into_body().read_to_vec().expect("its bytes");
            assert_eq!(Sha256Digest::of(&bytes).to_string(), *digest);
        }
        let runs = self.server.get("/api/v1/runs")["total"].as_u64().expect("a number");
        assert_eq!(runs, self.acknowledged.len() as u64, "no run twice");
        let doctor = self.server.run(&["doctor", "--deep"], "");
        assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
    }
}

/// Which of `count` calls are tried.
fn chosen(count: usize) -> Vec<usize> {
    if std::env::var_os("ACTA_SOAK").is_some() {
        return (1..=count).collect();
    }
    let mut chosen = vec![1, count.div_ceil(2), count];
    chosen.dedup();
    chosen
}

fn every_call(fault: fn(usize) -> Fault) {
    let mut trial = Trial::start();
    let (mut tried, mut fired) = (0, 0);
    for target in &TARGETS {
        let count = trial.count(target);
        assert!(count > 0, "{}: an append makes no such call", target.name);
        for number in chosen(count) {
            let took_place = trial.try_fault(target, fault(number));
            assert!(took_place || number > 1, "{}: nothing was injected", target.name);
            (tried, fired) = (tried + 1, fired + usize::from(took_place));
        }
        eprintln!("{}: {count} calls", target.name);
    }
    trial.check();
    // Appends differ by a page or two, so the last number may not be reached; nearly all of them must be.
    assert!(fired * 5 >= tried * 4, "only {fired} of {tried} faults took place");
    eprintln!("{fired} of {tried} faults took place");
}

#[test]
fn killed_in_any_write_sync_or_rename_of_an_append_nothing_is_lost() {
    every_call(Fault::Kills);
}

#[test]
fn failed_in_any_write_sync_or_rename_of_an_append_nothing_is_lost_and_no_restart_is_needed() {
    every_call(Fault::Fails);
}

/// The answers to a failed commit, and that reads go on.
#[test]
fn a_failed_sync_is_answered_with_outcome_unknown() {
    let mut trial = Trial::start();
    let run = trial.run();
    trial.append(&run).expect("nothing is wrong");
    for (target, calls) in [(&TARGETS[1], SYNCS), (&TARGETS[3], SYNCS), (&TARGETS[2], WRITES)] {
        assert_eq!(target.calls, calls);
        let run = trial.run();
        let url = trial.server.url();
        trial.pusher.blob(&url, &run.blob).expect("stored");
        let strace = trial.attach(target, &run, Fault::Fails(1));
        let (status, problem) = trial.pusher.offer(&url, &run.envelope).expect("an answer");
        assert!(strace.detach().contains("(INJECTED)"), "{}", target.name);
        assert_eq!((status.as_u16(), &problem["code"]), (503, &"outcome_unknown".into()), "{}", target.name);
        trial.append(&run).expect("taken without a restart");
    }
    trial.check();
}

#[test]
fn a_full_disk_refuses_entries_and_blobs_and_reads_go_on_until_there_is_space_again() {
    let mut trial = Trial::start();
    let first = trial.run();
    trial.append(&first).expect("nothing is wrong");
    let (url, run) = (trial.server.url(), trial.run());
    trial.pusher.blob(&url, &run.blob).expect("stored");
    let strace = trial.attach(&TARGETS[0], &run, Fault::NoSpace);
    for _ in 0..3 {
        let (status, problem) = trial.pusher.offer(&url, &run.envelope).expect("an answer");
        assert_eq!((status.as_u16(), &problem["code"]), (507, &"disk_full".into()), "{problem}");
        assert_eq!(trial.server.get("/api/v1/runs")["total"], 1, "reads go on");
    }
    assert!(strace.detach().contains("(INJECTED)"));
    // The space is there once the tracer has let go of every thread, which may be a little later.
    let taken = (0..20).find_map(|_| trial.append(&run));
    taken.expect("taken without a restart");
    let run = trial.run();
    let strace = trial.attach(&TARGETS[4], &run, Fault::NoSpace);
    let status = trial.pusher.blob(&url, &run.blob).expect("an answer");
    assert!(strace.detach().contains("(INJECTED)"));
    assert_eq!(status.as_u16(), 507);
    let (status, problem) = trial.pusher.offer(&url, &run.envelope).expect("an answer");
    assert_eq!((status.as_u16(), &problem["code"]), (422, &"missing_blob".into()));
    trial.append(&run).expect("taken without a restart");
    trial.check();
}

/// Kills the server in the commit's sync, so that an entry that nobody was told of lies in the write-ahead log.
fn killed_in_the_commit(trial: &mut Trial) -> Run {
    let run = trial.run();
    trial.append(&run).expect("nothing is wrong");
    let last = trial.run();
    let url = trial.server.url();
    trial.pusher.blob(&url, &last.blob).expect("stored");
    let strace = trial.attach(&TARGETS[1], &last, Fault::Kills(1));
    assert_eq!(trial.pusher.offer(&url, &last.envelope), None);
    assert!(trial.server.is_gone());
    strace.detach();
    last
}

#[test]
fn a_torn_last_frame_takes_only_what_nobody_was_told_of() {
    for cut in [true, false] {
        let mut trial = Trial::start();
        let last = killed_in_the_commit(&mut trial);
        let wal = trial.server.data_dir().join("acta.db-wal");
        let mut bytes = fs::read(&wal).expect("a write-ahead log");
        let tail = bytes.len() - 512;
        if cut {
            bytes.truncate(tail);
        } else {
            bytes[tail..].iter_mut().for_each(|byte| *byte ^= 0x55);
        }
        fs::write(&wal, bytes).expect("written");
        trial.server.restart();
        let again = trial.append(&last).expect("taken again");
        assert!(again.created, "the torn commit is gone");
        trial.check();
    }
}

#[test]
fn without_its_write_ahead_log_a_database_is_behind_and_is_not_written_on() {
    let mut trial = Trial::start();
    for _ in 0..3 {
        let run = trial.run();
        trial.append(&run).expect("nothing is wrong");
    }
    trial.server.kill();
    for name in ["acta.db-wal", "acta.db-shm"] {
        fs::remove_file(trial.server.data_dir().join(name)).expect("removed");
    }
    let refused = trial.server.run(&["serve", "--listen", "127.0.0.1:0"], "");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("entries, the anchor covers 4"), "{said}");
}

#[test]
fn a_second_server_on_the_same_folder_ends_and_signs_nothing() {
    let mut trial = Trial::start();
    for arguments in [&["serve", "--listen", "127.0.0.1:0"][..], &["rebuild"], &["purge"]] {
        let refused = trial.server.run(arguments, "");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && said.contains("another acta-server works on"), "{said}");
    }
    let run = trial.run();
    trial.append(&run).expect("the first one goes on");
    trial.check();
}
