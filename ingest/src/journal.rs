//! The run journal: what a run would leave behind if its supervisor died this moment.
//!
//! ```text
//! journal/<run>.json     on disk before anything else of the run is; gone when its evidence is in the outbox
//! journal/<run>.live     what the supervisor saw last, twice a second; survives the process, not a power loss
//! journal/<run>.lock     locked by the supervisor for as long as it lives
//! journal/<run>.worker   locked by the worker for as long as it lives
//! ```
//!
//! The system releases a lock when its holder dies, however it dies, and no number of a process that is used again can
//! be mistaken for it. So a journal whose first lock is free belongs to an orphan, and [`crate::orphans`] signs what
//! became of it.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use acta_ledger::{
    evidence::{
        build::{NetworkRecord, Purpose, Resources, RunRef},
        cancel::CancelSource,
    },
    judge::{
        baseline::Place,
        stuck::{Situation, Wait},
    },
    log::timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    builder::{
        external::{inventory::Inventory, left::ProcessId, timing::Written, told::Told},
        protocol::Report,
    },
    clock, durable,
    error::{CliError, Result},
    home::Home,
    job::Job,
    outbox,
};

/// The value of a journal's `schema`.
const SCHEMA: &str = "urn:acta:run-journal:v1";

/// How long a worker may take to notice that its supervisor died.
const WORKER_GRACE: Duration = Duration::from_secs(5);

/// How long what a dead supervisor had forked may take to become another program, on a machine that is busy.
const FORK_GRACE: Duration = Duration::from_secs(5);

/// What becomes of a plan that was not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum OnPartial {
    /// It is removed.
    #[default]
    Remove,
    /// It is set apart.
    Quarantine,
}

/// A file's identity, which a rename keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileId {
    /// The device.
    pub device: u64,
    /// The file's number on it.
    pub inode: u64,
    /// When it was made, in nanoseconds since 1970, where the file system knows: numbers are used again.
    pub created_ns: Option<u64>,
}

impl FileId {
    /// The identity of what stands there; none if nothing does.
    pub fn of(path: &Path) -> Option<Self> {
        let there = fs::symlink_metadata(path).ok()?;
        let since = there.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let created_ns = since.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Some(Self { device: there.dev(), inode: there.ino(), created_ns })
    }
}

/// What is on disk before anything else of a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JournalNote {
    schema: String,
    /// Which run.
    pub run: RunRef,
    /// What is built, or run; paths as they were given.
    #[serde(flatten)]
    pub job: Job,
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// The partial file's identity, once a build has made it.
    pub partial: Option<FileId>,
    /// What becomes of an unfinished plan of a build.
    pub on_partial: OnPartial,
    /// What it is built for, where somebody said so.
    #[serde(default)]
    pub purpose: Option<Purpose>,
    /// What stood there before a command, once it is about to be started.
    #[serde(default)]
    pub scene: Option<Scene>,
    /// When it began.
    pub started_at: Timestamp,
    /// The same moment on the monotonic clock, in nanoseconds.
    pub began_ns: u64,
    /// The supervisor's process.
    #[serde(default)]
    pub supervisor: Option<ProcessId>,
    /// The command.
    pub command_line: Vec<String>,
    /// Who gave it.
    pub who: Option<String>,
}

/// What a command finds before it is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Scene {
    /// The files that its patterns match.
    pub inventory: Inventory,
    /// Its file of build times, where one stands there.
    pub build_timing: Option<Written>,
    /// The supervisor's session, which is the command's too.
    pub session: Option<i32>,
}

impl JournalNote {
    /// A note of a run that begins.
    pub fn new(
        run: RunRef,
        job: Job,
        on_partial: OnPartial,
        purpose: Option<Purpose>,
        began: (Timestamp, u64),
    ) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            run,
            job,
            cwd: std::env::current_dir().unwrap_or_default(),
            partial: None,
            on_partial,
            purpose,
            scene: None,
            started_at: began.0,
            began_ns: began.1,
            supervisor: ProcessId::of(std::process::id()),
            command_line: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            who: std::env::var("USER").ok().filter(|user| !user.is_empty()),
        }
    }

    /// A path of the run.
    pub fn path(&self, path: &str) -> PathBuf {
        self.cwd.join(path)
    }
}

/// An open phase as the supervisor saw it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenPhase {
    /// Its name.
    pub name: String,
    /// The how-manieth of its name under its parent.
    pub occurrence: u32,
    /// When it began, in nanoseconds of the monotonic clock.
    pub started_ns: u64,
}

/// A cancel as the supervisor saw it; nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveCancel {
    /// Who asked.
    pub source: CancelSource,
    /// When.
    pub requested_ns: u64,
    /// When a step answered "stop".
    pub acknowledged_ns: Option<u64>,
}

/// What the supervisor saw last. Moments are nanoseconds of the monotonic clock.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveNote {
    /// When.
    pub at_ns: u64,
    /// What the worker said of the library.
    pub library: Option<Report>,
    /// The network, once it was parsed.
    pub network: Option<NetworkRecord>,
    /// When the build call began.
    pub build_began_ns: Option<u64>,
    /// Callbacks so far.
    pub callbacks: u64,
    /// The last of them.
    pub last_callback_ns: Option<u64>,
    /// The open phases, outermost first.
    pub open: Vec<OpenPhase>,
    /// The cancel.
    pub cancel: Option<LiveCancel>,
    /// What the worker used so far.
    pub resources: Resources,
    /// How much of one processor the worker used since the last callback, in thousandths.
    pub busy_per_mille: Option<u32>,
    /// The worker, or the command's first process.
    #[serde(default)]
    pub process: Option<ProcessId>,
    /// What clients in a command said, once one has spoken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<Told>,
}

impl LiveNote {
    /// Where the build is at a moment; none before the first callback.
    pub fn situation(&self, now_ns: u64) -> Option<Situation> {
        let ms = |ns: u64| ns as f64 / 1e6;
        let last = self.last_callback_ns?;
        let innermost = self.open.last();
        let wait = match &self.cancel {
            None => Wait::NotAsked,
            Some(cancel) => match cancel.acknowledged_ns {
                Some(at) => Wait::Acknowledged { after_ms: ms(at.saturating_sub(cancel.requested_ns)) },
                None => {
                    Wait::NoAcknowledgementYet { waited_ms: ms(now_ns.saturating_sub(cancel.requested_ns)) }
                }
            },
        };
        let since = innermost.map_or(last, |phase| phase.started_ns);
        Some(Situation {
            place: Place::of_names(
                self.open.iter().map(|phase| phase.name.as_str()),
                innermost.map_or(0, |phase| phase.occurrence),
            ),
            open_ms: ms(now_ns.saturating_sub(since)),
            silent_ms: ms(now_ns.saturating_sub(last)),
            wait,
        })
    }
}

/// The journal of a run that goes on.
#[derive(Debug)]
pub struct Journal {
    home: Home,
    note: JournalNote,
    _lock: File,
}

impl Journal {
    /// Puts the note on disk and takes the lock, before anything else of the run is there.
    pub fn begin(home: &Home, note: JournalNote) -> Result<Self> {
        let run = note.run.id;
        // Whoever looks for orphans holds this too: a lock that is made and not yet taken is not seen.
        let _looking = home.lock_journal()?;
        let lock = lock_file(&path(home, run, "lock"))?;
        lock.try_lock().map_err(|error| {
            CliError::failure("the run's lock is taken").field(run.to_string()).found(error.to_string())
        })?;
        let journal = Self { home: home.clone(), note, _lock: lock };
        journal.write()?;
        Ok(journal)
    }

    /// Notes the partial file, once it is made.
    pub fn partial_made(&mut self, partial: &Path) -> Result<()> {
        // Whoever looks for orphans tidies up half-written notes meanwhile.
        let _looking = self.home.lock_journal()?;
        self.note.partial = FileId::of(partial);
        self.write()
    }

    /// Notes what a command finds, before it is started.
    pub fn about_to_start(&mut self, scene: Scene) -> Result<()> {
        let _looking = self.home.lock_journal()?;
        self.note.scene = Some(scene);
        self.write()
    }

    /// Whether the supervisor ever looked at a process of this run; it does so as soon as it has started one.
    pub fn was_seen(&self) -> bool {
        path(&self.home, self.note.run.id, "live").exists()
    }

    /// Where the supervisor notes what it sees.
    pub fn eyes(&self) -> Eyes {
        let run = self.note.run.id;
        Eyes { target: path(&self.home, run, "live"), temporary: path(&self.home, run, "live-new") }
    }

    /// Ends the journal: the run's evidence is in the outbox, or nothing of it was begun.
    pub fn end(self) -> Result<()> {
        remove(&self.home, self.note.run.id)
    }

    fn write(&self) -> Result<()> {
        let path = path(&self.home, self.note.run.id, "json");
        durable::write(&path, &outbox::to_json(&self.note)?, 0o600)
            .map_err(|error| CliError::io("write", &path, &error))
    }
}

/// Where a supervisor notes what it sees.
#[derive(Debug, Clone)]
pub struct Eyes {
    target: PathBuf,
    temporary: PathBuf,
}

impl Eyes {
    /// Notes it. That this fails is no reason to stop a build.
    pub fn note(&self, live: &LiveNote) {
        let written = serde_json::to_vec(live).map_err(io::Error::from);
        written
            .and_then(|bytes| fs::write(&self.temporary, bytes))
            .and_then(|()| fs::rename(&self.temporary, &self.target))
            .ok();
    }
}

/// A journal that was found.
pub enum Found {
    /// Its supervisor lives.
    Running(Box<(JournalNote, Option<LiveNote>)>),
    /// Its supervisor died; the files are held until this is dropped.
    Orphan(Box<Orphan>),
    /// Its supervisor died, and its worker is still there.
    Haunted(Uuid),
    /// It cannot be read.
    Damaged(Uuid, CliError),
}

/// A run without a supervisor.
pub struct Orphan {
    /// What was on disk before it began.
    pub note: JournalNote,
    live: Option<LiveNote>,
    _lock: File,
}

impl Orphan {
    /// What its supervisor saw last. Another boot's monotonic clock means nothing here.
    pub fn live(&self) -> Option<&LiveNote> {
        let now = clock::monotonic_ns();
        self.live.as_ref().filter(|live| (self.note.began_ns..=now).contains(&live.at_ns))
    }
}

/// The journals that are there. The caller holds the journal's lock if it means to do something about them.
pub fn look(home: &Home) -> Result<Vec<Found>> {
    let folder = home.journal();
    let entries = fs::read_dir(&folder).map_err(|error| CliError::io("read the folder", &folder, &error))?;
    let mut runs: Vec<Uuid> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".json")?.parse().ok())
        .collect();
    runs.sort_unstable();
    runs.into_iter().map(|run| look_at(home, run)).collect()
}

fn look_at(home: &Home, run: Uuid) -> Result<Found> {
    let lock = lock_file(&path(home, run, "lock"))?;
    let note: JournalNote = match outbox::read_json(&path(home, run, "json")) {
        Ok(note) => note,
        Err(error) => return Ok(Found::Damaged(run, error)),
    };
    // What a supervisor has just forked holds its lock too, until it becomes another program a moment later.
    let is_dead = note.supervisor.is_some_and(|supervisor| !supervisor.is_alive());
    let free =
        is_free_within(&lock, &path(home, run, "lock"), if is_dead { FORK_GRACE } else { Duration::ZERO })?;
    let live = outbox::read_json(&path(home, run, "live")).ok();
    if !free {
        return Ok(Found::Running(Box::new((note, live))));
    }
    if note.schema != SCHEMA || note.run.id != run {
        let error = CliError::failure("the journal is of another format, or of another run")
            .found(format!("{} of {}", note.schema, note.run.id))
            .expected(format!("{SCHEMA} of {run}"));
        return Ok(Found::Damaged(run, error));
    }
    if !worker_is_gone(&path(home, run, "worker"))? {
        return Ok(Found::Haunted(run));
    }
    Ok(Found::Orphan(Box::new(Orphan { note, live, _lock: lock })))
}

/// Waits for a worker whose supervisor died: it ends as soon as it notices.
fn worker_is_gone(lock: &Path) -> Result<bool> {
    is_free_within(&lock_file(lock)?, lock, WORKER_GRACE)
}

/// Takes a lock, if it is free or becomes free in time.
fn is_free_within(file: &File, path: &Path, patience: Duration) -> Result<bool> {
    let until = clock::monotonic_ns().saturating_add(patience.as_nanos() as u64);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if clock::monotonic_ns() < until => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => return Ok(false),
            Err(TryLockError::Error(error)) => return Err(CliError::io("lock", path, &error)),
        }
    }
}

/// Removes what was left of journals whose end was interrupted. The caller holds the journal's lock: nobody begins one.
pub fn tidy(home: &Home) -> io::Result<()> {
    let folder = home.journal();
    durable::remove_temporaries(&folder)?;
    for entry in fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let run = name.split_once('.').and_then(|(run, _)| run.parse::<Uuid>().ok());
        if run.is_some_and(|run| !path(home, run, "json").exists()) {
            // Its supervisor may be about to do the same.
            fs::remove_file(folder.join(name)).ok();
        }
    }
    Ok(())
}

/// Removes a run's journal, the note first: without it nothing is left to be found.
pub fn remove(home: &Home, run: Uuid) -> Result<()> {
    let note = path(home, run, "json");
    match fs::remove_file(&note).and_then(|()| durable::sync_dir(&home.journal())) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(CliError::io("remove", &note, &error));
        }
        _ => {}
    }
    for extension in ["live", "live-new", "worker", "lock"] {
        fs::remove_file(path(home, run, extension)).ok();
    }
    Ok(())
}

/// The file that a run's worker locks.
pub fn worker_lock(home: &Home, run: Uuid) -> String {
    path(home, run, "worker").display().to_string()
}

/// Takes the worker's lock, for as long as the process lives: by it others see that the worker is still there.
pub fn hold_as_worker(lock: &str) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(lock)?;
    file.try_lock().map_err(io::Error::from)?;
    Ok(file)
}

fn lock_file(path: &Path) -> Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(|error| CliError::io("open", path, &error))
}

fn path(home: &Home, run: Uuid, extension: &str) -> PathBuf {
    home.journal().join(format!("{run}.{extension}"))
}
