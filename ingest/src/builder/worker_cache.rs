//! The worker's handling of the timing cache: offer, watch, compare, and write back where the policy allows it.

use std::{fs, io, path::PathBuf};

use acta_ffi::{BuilderConfig, BuilderFlag, Severity, TimingCache, TimingCacheKey, TimingCacheValue};
use acta_ledger::{
    evidence::{
        build::LibraryVersion,
        timing_cache::{CacheKind, Changes, TimingCacheMode},
    },
    judge::timing_cache::{CachePolicy, Observed, is_complaint, judge, vouch},
    log::digest::Sha256Digest,
};
use uuid::Uuid;

use super::{
    framing::cut,
    gpu,
    protocol::{BuildOrder, CacheFacts, LibraryFamily, MAX_MESSAGE_BYTES},
};
use crate::{caches::Caches, durable};

/// How many reasons are kept.
const MAX_REASONS: usize = 12;

/// The largest cache that is read.
const MAX_CACHE_BYTES: u64 = 4 << 30;

type Entries = std::collections::BTreeMap<TimingCacheKey, Option<TimingCacheValue>>;

/// A timing cache during one build.
pub struct CacheSession {
    policy: CachePolicy,
    run: Uuid,
    caches: Option<Caches>,
    kind: CacheKind,
    file: Option<PathBuf>,
    before: Option<Vec<u8>>,
    entries_before: Option<Entries>,
    cache: Option<TimingCache>,
    seen: Observed,
}

/// A cache that was judged.
pub struct Judged {
    session: CacheSession,
    mode: TimingCacheMode,
    reasons: Vec<String>,
    after: Option<Vec<u8>>,
}

impl CacheSession {
    /// Finds the file, and offers its bytes to the library if somebody can vouch for them.
    pub fn offer(
        order: &BuildOrder,
        family: LibraryFamily,
        version: LibraryVersion,
        config: &mut BuilderConfig,
    ) -> Result<Self, io::Error> {
        let caches = order.cache.library.clone().map(|root| Caches::new(root.into()));
        let rtx = family == LibraryFamily::TensorrtRtx;
        let meant = order.cache.concerns(order.timing_cache.is_some()).is_some();
        let gpu = if meant && !rtx { gpu::look() } else { None };
        let kind = CacheKind {
            tensorrt: version,
            gpu_sku: gpu.as_ref().map(|facts| facts.gpu.name.clone()),
            driver: gpu.as_ref().and_then(|facts| facts.driver.clone()),
            cuda: gpu.and_then(|facts| facts.cuda),
            config_class: CacheKind::config_class(&order.flags, order.optimization_level),
        };
        let of_library =
            || caches.as_ref().filter(|_| order.cache.from_library && !rtx).map(|it| it.file(&kind));
        let file = order.timing_cache.clone().map(PathBuf::from).or_else(of_library);
        let before = file.as_deref().map(read_bounded).transpose()?.flatten();
        let switched_off = switched_off(order);
        let mut seen = Observed { rtx, switched_off, offered: before.is_some(), ..Observed::default() };
        if let (Some(bytes), Some(caches), false) = (&before, &caches, rtx || switched_off.is_some()) {
            let digest = Sha256Digest::of(bytes);
            seen.doubt = vouch(&digest, caches.known(&digest).as_ref(), &kind).err();
        }
        let mut session = Self {
            policy: order.cache.policy,
            run: order.run,
            caches,
            kind,
            file,
            before,
            entries_before: None,
            cache: None,
            seen,
        };
        session.attach(config);
        Ok(session)
    }

    fn attach(&mut self, config: &mut BuilderConfig) {
        let useless = self.seen.rtx || self.seen.switched_off.is_some();
        if self.file.is_none() || self.seen.doubt.is_some() || (useless && self.before.is_none()) {
            return;
        }
        let cache = match config.create_timing_cache(self.before.as_deref().unwrap_or_default()) {
            Ok(cache) => cache,
            Err(error) => {
                self.seen.refused = Some(error.to_string());
                return;
            }
        };
        let complaints = cache.heard().log.iter().filter(|line| line.severity <= Severity::Warning);
        self.seen.complaints.extend(complaints.map(|line| line.message.clone()));
        if !useless {
            self.set_up(config);
            self.entries_before = cache.entries().ok();
            // A cache of another device is refused, whatever it would save.
            if let Err(error) = config.set_timing_cache(&cache, false) {
                self.seen.refused = Some(error.to_string());
            }
        }
        self.cache = Some(cache);
    }

    /// Sets the flags that a policy needs: keys can be read only of an editable cache.
    fn set_up(&mut self, config: &mut BuilderConfig) {
        let strict = [
            BuilderFlag::EditableTimingCache,
            BuilderFlag::ErrorOnTimingCacheMiss,
            BuilderFlag::DisableCompilationCache,
        ];
        let flags = if self.policy == CachePolicy::Strict { &strict[..] } else { &strict[..1] };
        for &flag in flags {
            if let Err(error) = config.set_flag(flag, true) {
                self.seen.complaints.push(format!("the timing cache's flag {}: {error}", flag.name()));
            }
        }
    }

    /// Takes what the library said during the build and what came out, and judges.
    pub fn judge(
        mut self,
        completed: bool,
        said_global: bool,
        said_local: bool,
        warnings: &[String],
    ) -> Judged {
        self.seen.completed = completed;
        self.seen.said_global = said_global;
        self.seen.said_local = said_local;
        if !self.seen.rtx && self.file.is_some() {
            let about = warnings.iter().filter(|message| is_complaint(message));
            self.seen.complaints.extend(about.cloned());
        }
        let after = self.cache.as_ref().and_then(|cache| cache.serialize().ok());
        self.seen.changes = self
            .cache
            .as_ref()
            .and_then(|cache| Some(compare(self.entries_before.as_ref()?, &cache.entries().ok()?)));
        self.seen.same_bytes = after.is_some() && after == self.before;
        let (mode, reasons) = judge(&self.seen);
        Judged { session: self, mode, reasons, after }
    }
}

impl Judged {
    /// What the mode rests on.
    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }

    /// Whether a plan that came out may be kept; else why not.
    pub fn keeps_plan(&self) -> Result<(), String> {
        self.session.policy.keeps_plan(self.mode)
    }

    /// Writes what came back, if the policy says so: first on record, then the file. `completed`: the plan is kept.
    pub fn write_back(&mut self, completed: bool) {
        let session = &self.session;
        let (Some(file), Some(after)) = (&session.file, &self.after) else { return };
        if !session.policy.writes(self.mode, completed) {
            if self.mode == TimingCacheMode::Updated {
                let why = format!("the policy is {}: nothing is written back", session.policy.name());
                self.reasons.push(if completed { why } else { "no plan was kept".to_owned() });
            }
            return;
        }
        let write = || -> io::Result<&str> {
            let _lock = session.caches.as_ref().map(Caches::lock).transpose()?;
            // Another build may have written the file meanwhile: its work is not overwritten.
            if read_bounded(file)? != session.before {
                return Ok("the file was changed by somebody else meanwhile and is left as it is");
            }
            if let Some(caches) = &session.caches {
                let entries = session.cache.as_ref().and_then(|cache| cache.keys().ok());
                let entries = entries.map(|keys| keys.len() as u64);
                caches.note(after, file, Some(session.kind.clone()), Some(session.run), entries)?;
            }
            durable::write(file, after, 0o644)?;
            Ok("written back as a whole, and put on record")
        };
        let said = match write() {
            Ok(said) => said.to_owned(),
            Err(error) => format!("not written back: {error}"),
        };
        self.reasons.push(said);
    }

    /// What is reported of it.
    pub fn facts(self) -> CacheFacts {
        let Self { session, mode, reasons, after } = self;
        let reasons =
            reasons.iter().take(MAX_REASONS).map(|text| cut(text, MAX_MESSAGE_BYTES / 8).to_owned());
        CacheFacts {
            mode,
            digest_before: session.before.as_deref().map(Sha256Digest::of),
            digest_after: after.as_deref().map(Sha256Digest::of),
            bytes_before: session.before.as_ref().map(|bytes| bytes.len() as u64),
            bytes_after: after.as_ref().map(|bytes| bytes.len() as u64),
            reasons: reasons.collect(),
            file: session.file.map(|file| file.display().to_string()),
            doubt: session.seen.doubt,
            changes: session.seen.changes,
        }
    }
}

/// Why no timing cache is used, where a setting says so.
fn switched_off(order: &BuildOrder) -> Option<&'static str> {
    let flagged = |flag: BuilderFlag| order.flags.iter().any(|name| name.eq_ignore_ascii_case(flag.name()));
    if order.cache.policy == CachePolicy::Off {
        Some("the policy is off")
    } else if order.optimization_level == Some(0) {
        Some("optimization level 0 respects no timing cache")
    } else if flagged(BuilderFlag::DisableTimingCache) {
        Some("the flag DISABLE_TIMING_CACHE is set")
    } else {
        None
    }
}

/// Reads a cache's file; none if there is none, or an empty one.
fn read_bounded(file: &std::path::Path) -> io::Result<Option<Vec<u8>>> {
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        there => {
            let bytes = there?.len();
            if bytes > MAX_CACHE_BYTES {
                let found = format!("it has {bytes} bytes, at most {MAX_CACHE_BYTES} are read");
                return Err(io::Error::new(io::ErrorKind::InvalidData, found));
            }
        }
    }
    Ok(Some(fs::read(file)?).filter(|bytes| !bytes.is_empty()))
}

/// Compares tactics, not bytes: bytes differ between two GPUs of one kind, the tactic of a key does not.
fn compare(before: &Entries, after: &Entries) -> Changes {
    let tactic = |value: &Option<TimingCacheValue>| value.as_ref().map(|value| value.tactic_hash);
    Changes {
        added: after.keys().filter(|key| !before.contains_key(key)).count() as u64,
        removed: before.keys().filter(|key| !after.contains_key(key)).count() as u64,
        changed: after
            .iter()
            .filter(|(key, value)| before.get(key).is_some_and(|old| tactic(old) != tactic(value)))
            .count() as u64,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use acta_ffi::{Builder, Library, LibrarySearch, LogSink};
    use acta_ledger::judge::timing_cache::Doubt;

    use super::{
        super::{monitor::Sources, protocol::CacheOrder},
        *,
    };

    #[test]
    fn tactics_are_compared_and_times_are_not() {
        let key = |n: u8| TimingCacheKey([n; 16]);
        let value = |tactic_hash, milliseconds| Some(TimingCacheValue { tactic_hash, milliseconds });
        let before = Entries::from([(key(1), value(1, 1.0)), (key(2), value(2, 1.0)), (key(3), None)]);
        let after =
            Entries::from([(key(1), value(1, 9.0)), (key(2), value(7, 1.0)), (key(4), value(4, 1.0))]);
        assert_eq!(compare(&before, &after), Changes { added: 1, removed: 1, changed: 1 });
        assert_eq!(compare(&before, &before), Changes::default());
    }

    /// The real library, asked as if it were the one that uses timing caches: RTX discards every cache it is offered,
    /// and says yes to all of them.
    struct Bench {
        _folder: tempfile::TempDir,
        builder: Builder,
        caches: Caches,
        file: PathBuf,
    }

    impl Bench {
        fn new() -> Self {
            let venv = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv");
            let library = Library::open(&LibrarySearch::from_environment().venv(venv))
                .unwrap_or_else(|error| panic!("run scripts/setup first\n{error}"));
            let builder = Builder::new(&library, Sources::new() as Arc<dyn LogSink>).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let (caches, file) = (Caches::new(folder.path().to_owned()), folder.path().join("their.cache"));
            Self { _folder: folder, builder, caches, file }
        }

        fn judge(&self, policy: CachePolicy, completed: bool) -> Judged {
            let order = BuildOrder {
                run: Uuid::now_v7(),
                model: String::new(),
                partial: String::new(),
                output: String::new(),
                library: None,
                profiles: Vec::new(),
                targets: Vec::new(),
                optimization_level: None,
                threads: None,
                flags: Vec::new(),
                timing_cache: Some(self.file.display().to_string()),
                cache: CacheOrder {
                    policy,
                    library: Some(self.caches.root().display().to_string()),
                    from_library: false,
                },
                worker_lock: None,
            };
            let version = LibraryVersion { major: 10, minor: 16, patch: 1, build: 7 };
            let mut config = self.builder.create_config().unwrap();
            let session = CacheSession::offer(&order, LibraryFamily::Tensorrt, version, &mut config).unwrap();
            session.judge(completed, true, false, &[])
        }
    }

    #[test]
    fn a_new_cache_is_put_on_record_and_then_known() {
        let bench = Bench::new();
        let mut cold = bench.judge(CachePolicy::Update, true);
        assert_eq!(cold.mode, TimingCacheMode::Cold);
        cold.write_back(false);
        assert!(!bench.file.exists(), "no plan was kept");
        cold.write_back(true);
        let bytes = fs::read(&bench.file).unwrap();
        let known = bench.caches.known(&Sha256Digest::of(&bytes)).unwrap();
        assert_eq!((known.bytes, known.run), (bytes.len() as u64, Some(cold.session.run)));
        // On record, so it is offered; what this library makes of it is heard and not believed.
        let again = bench.judge(CachePolicy::Update, true);
        assert_eq!(again.mode, TimingCacheMode::Discarded, "{:?}", again.reasons);
        assert!(again.reasons.join("\n").contains("the library says"), "{:?}", again.reasons);
    }

    #[test]
    fn a_cache_that_nobody_vouches_for_never_reaches_the_library() {
        let bench = Bench::new();
        fs::write(&bench.file, "garbage").unwrap();
        let mut doubted = bench.judge(CachePolicy::Update, true);
        assert_eq!(doubted.mode, TimingCacheMode::Quarantined);
        assert!(doubted.session.cache.is_none() && doubted.after.is_none());
        doubted.write_back(true);
        assert_eq!(fs::read(&bench.file).unwrap(), b"garbage");
        let facts = doubted.facts();
        assert_eq!((facts.doubt, facts.bytes_before), (Some(Doubt::NotOnRecord), Some(7)));
        // Somebody vouches for it: then the library is asked, and complains.
        bench.caches.note(b"garbage", &bench.file, None, None, None).unwrap();
        let offered = bench.judge(CachePolicy::Strict, true);
        assert_eq!(offered.mode, TimingCacheMode::Discarded);
        assert!(offered.keeps_plan().unwrap_err().contains("strict"));
        assert!(bench.judge(CachePolicy::ReadOnly, true).keeps_plan().is_ok());
        // A single bit more, and it is a stranger again.
        fs::write(&bench.file, "garbagf").unwrap();
        assert_eq!(bench.judge(CachePolicy::Strict, true).mode, TimingCacheMode::Quarantined);
    }

    #[test]
    fn somebody_else_s_write_is_not_overwritten() {
        let bench = Bench::new();
        let mut first = bench.judge(CachePolicy::Update, true);
        fs::write(&bench.file, "another build's").unwrap();
        first.write_back(true);
        assert_eq!(fs::read(&bench.file).unwrap(), b"another build's");
        assert!(first.reasons.join("\n").contains("somebody else"), "{:?}", first.reasons);
        let off = bench.judge(CachePolicy::Off, true);
        assert_eq!(off.mode, TimingCacheMode::NotApplicable);
    }
}
