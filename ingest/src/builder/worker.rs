//! The worker: the process in which TensorRT runs. It does what it is ordered, reports what happens, and judges nothing.

use std::{
    fs,
    io::Read as _,
    os::unix::net::UnixStream,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use acta_ffi::{
    BuildError, BuildOutput, Builder, BuilderConfig, BuilderFlag, EffectiveConfig, Error, Heard, Library,
    LibrarySearch, Network, NetworkFlags, ParseError, Severity, Tensor,
};
use acta_ledger::{
    evidence::{
        build::{FailureStage, LibraryVersion, TensorRecord},
        cancel::CancelState,
        number::Count64,
    },
    judge::timing_cache::CachePolicy,
    log::digest::Sha256Digest,
};

use rustix::process::{Signal, getpid, kill_process};

use super::{
    artifact,
    flag::Delivery,
    framing::{Decoder, cut},
    monitor::{Monitor, Sources},
    outlet::Outlet,
    probe::LibraryFacts,
    protocol::{
        BuildOrder, Done, LibraryFamily, MAX_MESSAGE_BYTES, Milestone, Order, Report, SOCKET_VARIABLE,
        VERSION,
    },
    resources,
    worker_cache::CacheSession,
    worker_config,
};
use crate::{
    clock,
    error::{CliError, Result},
    journal,
};

/// How many records of a failure travel.
const MAX_RECORDS: usize = 20;

/// The longest record in bytes.
const MAX_RECORD_BYTES: usize = 512;

/// How many inputs and outputs of a network travel, each.
const MAX_TENSORS: usize = 64;

/// Why a build does not go on.
enum Halt {
    /// Something failed.
    Failed(FailureStage, String, Vec<String>),
    /// A cancel was obeyed outside the build call.
    Stopped,
}

/// Runs the worker until its order is done.
pub fn run() -> Result<()> {
    keep_signals_out()?;
    let path = std::env::var_os(SOCKET_VARIABLE).ok_or_else(|| {
        CliError::usage("the worker is started by `acta build`, not by hand").field(SOCKET_VARIABLE)
    })?;
    let io = |error: std::io::Error| CliError::io("use the socket", Path::new(&path), &error);
    let socket = UnixStream::connect(&path).map_err(io)?;
    let sources = Sources::new();
    let (outlet, thread) =
        Outlet::start(socket.try_clone().map_err(io)?, Arc::clone(&sources)).map_err(io)?;
    let pid = std::process::id();
    outlet.send(Report::Hello { protocol: VERSION, pid, language: None, client: None });
    let orphaned = Arc::new(AtomicBool::new(false));
    let order = receive(socket, outlet.clone(), Arc::clone(&sources), Arc::clone(&orphaned));
    if let Ok(order) = order.recv() {
        let partial = order.partial.clone();
        // Held to the end of the process; whoever looks for orphans waits for it.
        let _alive = order.worker_lock.as_deref().map(journal::hold_as_worker).transpose().map_err(io)?;
        let mut run =
            Run { order, outlet: &outlet, sources: &sources, orphaned: &orphaned, done: Done::default() };
        match run.build() {
            Ok(()) => {}
            Err(Halt::Stopped) => run.done.stopped_outside_build = true,
            Err(Halt::Failed(stage, message, records)) => run.report_failure(stage, &message, &records),
        }
        let own = resources::read_own();
        run.done.peak_rss_bytes = own.and_then(|own| own.peak_rss_bytes);
        run.done.cpu_ms = own.and_then(|own| own.cpu_ms);
        outlet.send(Report::Done(run.done));
        if orphaned.load(Ordering::SeqCst) {
            // Nobody else is left who could clean up.
            fs::remove_file(partial).ok();
        }
    }
    outlet.flush();
    drop(thread);
    Ok(())
}

/// Catches the signals that a shutdown sends to every process of a service: the supervisor answers them, and the worker
/// goes on until it is told to stop. The handlers stay for the life of the process.
fn keep_signals_out() -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |error: std::io::Error| CliError::failure("cannot handle signals").found(error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
    let _guard = runtime.enter();
    // A file that may not become longer is an error of the write, as a full disk is, and no reason to die.
    let too_long = SignalKind::from_raw(Signal::XFSZ.as_raw());
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), too_long] {
        drop(signal(kind).map_err(failed)?);
    }
    Ok(())
}

/// Reads orders on a thread of its own: the build order goes to the channel, a cancel straight into the flag.
fn receive(
    mut socket: UnixStream,
    outlet: Outlet,
    sources: Arc<Sources>,
    orphaned: Arc<AtomicBool>,
) -> mpsc::Receiver<BuildOrder> {
    let (builds, receiver) = mpsc::channel();
    let partial = Mutex::new(None);
    thread::spawn(move || {
        let mut decoder = Decoder::default();
        let mut buffer = vec![0; 1 << 14];
        loop {
            match decoder.next() {
                Ok(Some(Order::Build(order))) => {
                    *partial.lock().unwrap_or_else(PoisonError::into_inner) = Some(order.partial.clone());
                    builds.send(*order).ok();
                    continue;
                }
                Ok(Some(Order::Cancel { .. })) => {
                    // Before: a step may answer before this thread goes on.
                    let at = Count64(clock::monotonic_ns());
                    match sources.flag.request() {
                        Delivery::Delivered => outlet.send(Report::Delivered { at }),
                        // After: the write began before the order met it.
                        Delivery::Deferred => {
                            outlet.send(Report::Deferred { at: Count64(clock::monotonic_ns()) });
                        }
                        Delivery::Again => {}
                    }
                    continue;
                }
                Ok(None) => {}
                Err(_) => break,
            }
            match socket.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => decoder.feed(&buffer[..count]),
            }
        }
        // The supervisor is gone: nobody will sign, so nothing is kept.
        orphaned.store(true, Ordering::SeqCst);
        if sources.flag.request() != Delivery::Deferred {
            end_as_orphan(&partial);
        }
        // The plan is being written and renamed: it is whole in a moment, and whoever finds the journal says so.
    });
    receiver
}

/// Ends at once: a library's step can take minutes, and nobody would learn of its end.
fn end_as_orphan(partial: &Mutex<Option<String>>) {
    if let Some(partial) = partial.lock().unwrap_or_else(PoisonError::into_inner).as_deref() {
        fs::remove_file(partial).ok();
    }
    if let Some(socket) = std::env::var_os(SOCKET_VARIABLE) {
        fs::remove_file(&socket).ok();
        Path::new(&socket).parent().map(fs::remove_dir);
    }
    kill_process(getpid(), Signal::KILL).ok();
}

struct Run<'a> {
    order: BuildOrder,
    outlet: &'a Outlet,
    sources: &'a Arc<Sources>,
    orphaned: &'a AtomicBool,
    done: Done,
}

impl Run<'_> {
    fn build(&mut self) -> Result<(), Halt> {
        let search = LibrarySearch::from_environment().explicit(self.order.library.clone().map(Into::into));
        let library = Library::open(&search).map_err(|error| setup(error.to_string()))?;
        let (family, version) = self.introduce(&library);
        let sink: Arc<Sources> = Arc::clone(self.sources);
        let builder = Builder::new(&library, sink).map_err(refused(FailureStage::Setup))?;
        let network =
            builder.create_network(NetworkFlags::STRONGLY_TYPED).map_err(refused(FailureStage::Setup))?;
        self.go_on()?;
        let (network, inputs) = self.parse(network)?;
        let profile = worker_config::profile(&inputs, &self.order.profiles).map_err(setup)?;
        let mut config = builder.create_config().map_err(refused(FailureStage::Setup))?;
        let default = self.held(&config)?;
        worker_config::apply(&self.order, &builder, &mut config, profile.as_ref())
            .map_err(refused(FailureStage::Setup))?;
        if self.order.cache.policy == CachePolicy::Off && family == LibraryFamily::Tensorrt {
            config.set_flag(BuilderFlag::DisableTimingCache, true).map_err(refused(FailureStage::Setup))?;
        }
        let cache = CacheSession::offer(&self.order, family, version, &mut config)
            .map_err(|error| setup(format!("cannot read the timing cache: {error}")))?;
        let held = self.held(&config)?;
        self.done.settings = worker_config::differences(&default, &held, self.order.threads);
        let monitor = Monitor(Arc::clone(self.sources));
        config.set_progress_monitor(Some(Arc::new(monitor))).map_err(refused(FailureStage::Setup))?;
        self.go_on()?;
        self.outlet.milestone(Milestone::BuildBegins);
        let built = builder.build_serialized(&network, &config);
        // Read at once: a request that comes from now on was not ignored by the library.
        let requested = self.is_asked();
        self.outlet.milestone(Milestone::BuildReturned);
        let (built, facts) = match built {
            Ok(BuildOutput { plan, facts }) => (Ok(plan), facts),
            Err(BuildError { reason, facts }) => {
                let message =
                    facts.heard.error_messages().next().map_or_else(|| reason.to_string(), str::to_owned);
                (Err(Halt::Failed(FailureStage::Build, message, records(&facts.heard))), *facts)
            }
        };
        let warnings: Vec<String> = facts.heard.log.iter().map(|line| line.message.clone()).collect();
        let said = |said: &AtomicBool| said.load(Ordering::Relaxed);
        let (global, local) = (said(&self.sources.said_global_cache), said(&self.sources.said_local_cache));
        let mut judged = cache.judge(built.is_ok(), global, local, &warnings);
        let written = built.and_then(|plan| {
            let strict = |reason| Halt::Failed(FailureStage::Build, reason, judged.reasons().to_vec());
            judged.keeps_plan().map_err(strict)?;
            self.keep(plan.as_bytes(), requested)
        });
        judged.write_back(written.is_ok());
        self.done.library_says_cancelled =
            facts.build_canceled().map(|said| cut(&said.message, MAX_RECORD_BYTES).to_owned());
        let panics =
            facts.monitor_panics.iter().map(|panic| format!("{}: {}", panic.callback, panic.message));
        self.done.monitor_panics =
            panics.take(MAX_RECORDS).map(|panic| cut(&panic, MAX_RECORD_BYTES).to_owned()).collect();
        self.outlet.send(Report::Cache(judged.facts()));
        written
    }

    /// What the library holds. Some getters complain into the log, each time they are called.
    fn held(&self, config: &BuilderConfig) -> Result<EffectiveConfig, Halt> {
        self.sources.muted.store(true, Ordering::Relaxed);
        let held = config.effective();
        self.sources.muted.store(false, Ordering::Relaxed);
        held.map_err(refused(FailureStage::Setup))
    }

    /// Tells what was loaded.
    fn introduce(&self, library: &Library) -> (LibraryFamily, LibraryVersion) {
        let LibraryFacts { family, version } = LibraryFacts::of(library);
        self.outlet.send(Report::Library {
            family,
            path: library.path().display().to_string(),
            parser_path: Some(library.parser_path().display().to_string()),
            version,
        });
        (family, version)
    }

    /// Parses the model, and reports what the parser made of it.
    fn parse(&self, mut network: Network) -> Result<(Network, Vec<Tensor>), Halt> {
        self.outlet.milestone(Milestone::ParseBegins);
        let path = Path::new(&self.order.model);
        let model = fs::read(path).map_err(|error| setup(format!("cannot read the model: {error}")))?;
        let (digest, bytes) = (Sha256Digest::of(&model), model.len() as u64);
        let parsed = network.parse_onnx(&model, Some(path));
        drop(model);
        self.outlet.milestone(Milestone::ParseEnds);
        let failed = |error| refused(FailureStage::Parse)(error);
        if let Err(error) = parsed {
            let mut said: Vec<String> = error.errors().iter().map(parser_record).collect();
            if let ParseError::Refused { heard, .. } = &error {
                said.extend(records(heard));
            }
            return Err(Halt::Failed(FailureStage::Parse, error.to_string(), said));
        }
        let layers = network.layer_count().map_err(failed)?;
        let (inputs, outputs) = (network.inputs().map_err(failed)?, network.outputs().map_err(failed)?);
        self.outlet.send(Report::Network {
            source: None,
            digest,
            bytes,
            layers: u32::try_from(layers).unwrap_or(0),
            inputs: inputs.iter().take(MAX_TENSORS).map(tensor_record).collect(),
            outputs: outputs.iter().take(MAX_TENSORS).map(tensor_record).collect(),
            strongly_typed: network.is_strongly_typed().map_err(failed)?,
        });
        // The parser takes some files that are no model for one without layers.
        if layers == 0 || outputs.is_empty() {
            let message =
                format!("the parser found {layers} layers and {} outputs: this is no model", outputs.len());
            return Err(Halt::Failed(FailureStage::Parse, message, Vec::new()));
        }
        Ok((network, inputs))
    }

    /// Writes the plan and gives it its name. `requested`: somebody had asked to stop while the build call ran, and the
    /// library made a whole plan all the same; it is kept, and the record says so.
    fn keep(&self, plan: &[u8], requested: bool) -> Result<(), Halt> {
        if self.orphaned.load(Ordering::SeqCst) {
            return Err(Halt::Stopped);
        }
        if requested {
            self.sources.flag.begin_write_late();
        } else if !self.sources.flag.begin_write() {
            return Err(Halt::Stopped);
        }
        self.outlet.milestone(Milestone::WriteBegins);
        let written =
            artifact::write_plan(Path::new(&self.order.partial), Path::new(&self.order.output), plan);
        self.outlet.milestone(Milestone::WriteEnds);
        let (digest, bytes) = written.map_err(|error| {
            Halt::Failed(FailureStage::Write, format!("cannot write the plan: {error}"), Vec::new())
        })?;
        self.outlet.send(Report::Plan { digest, bytes, at: Count64(clock::monotonic_ns()) });
        Ok(())
    }

    /// Obeys a cancel that came between two calls of the library.
    fn go_on(&self) -> Result<(), Halt> {
        if self.is_asked() { Err(Halt::Stopped) } else { Ok(()) }
    }

    fn is_asked(&self) -> bool {
        self.sources.flag.read() != CancelState::None
    }

    fn report_failure(&self, stage: FailureStage, message: &str, records: &[String]) {
        let records = records.iter().take(MAX_RECORDS).map(|record| cut(record, MAX_RECORD_BYTES).to_owned());
        let message = cut(message, MAX_MESSAGE_BYTES / 2).to_owned();
        self.outlet.send(Report::Failed { stage, message, records: records.collect() });
    }
}

fn setup(message: String) -> Halt {
    Halt::Failed(FailureStage::Setup, message, Vec::new())
}

fn refused(stage: FailureStage) -> impl Fn(Error) -> Halt {
    move |error| {
        let records = match &error {
            Error::Refused { heard, .. } | Error::NotKept { heard, .. } => records(heard),
            _ => Vec::new(),
        };
        Halt::Failed(stage, error.to_string(), records)
    }
}

/// Everything that the library said, recorded and logged.
fn records(heard: &Heard) -> Vec<String> {
    let recorded = heard
        .errors
        .iter()
        .map(|error| format!("recorder code {} ({}): {}", error.code, error.code_name(), error.message));
    let logged = heard.log.iter().filter(|line| line.severity <= Severity::Error);
    recorded.chain(logged.map(|line| format!("log: {}", line.message))).collect()
}

fn parser_record(error: &acta_ffi::ParserError) -> String {
    let node = if error.node < 0 {
        String::new()
    } else {
        format!(", node {} {:?} ({})", error.node, error.node_name, error.node_operator)
    };
    format!("parser code {} ({}){node}: {}", error.code, error.code_name(), error.message)
}

fn tensor_record(tensor: &Tensor) -> TensorRecord {
    TensorRecord {
        name: cut(&tensor.name_lossy(), 256).to_owned(),
        dtype: tensor.data_type.to_string(),
        dims: tensor.dims.clone().unwrap_or_default(),
    }
}
