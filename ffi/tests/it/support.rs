//! The library, a monitor that writes down what it sees, and a log that keeps its lines.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, ThreadId};

use acta_ffi::{
    BuildError, BuildOutput, Builder, BuilderConfig, Library, LibrarySearch, LogSink, Network, NetworkFlags,
    ProgressMonitor, Severity,
};

/// The project's folder.
pub fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The real library.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        Library::open(&LibrarySearch::from_environment().venv(project().join(".venv"))).unwrap_or_else(
            |error| panic!("these tests need the real TensorRT-RTX: run scripts/setup first\n{error}"),
        )
    })
}

/// What a monitor heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Start { name: String, parent: Option<String>, steps: i32 },
    Step { name: String, step: i32, go_on: bool },
    Finish { name: String },
}

/// When to ask for the build's end.
#[derive(Clone, Debug)]
pub enum Cancel {
    Never,
    /// At this step of this phase, and at every later one.
    AtStep(&'static str, i32),
    /// From the start of this phase on.
    FromStart(&'static str),
    /// From the end of this phase on.
    FromFinish(&'static str),
}

/// Writes down every callback.
pub struct Recording {
    cancel: Cancel,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    events: Vec<Event>,
    threads: Vec<ThreadId>,
    cancelled: bool,
}

impl Recording {
    pub fn new(cancel: Cancel) -> Arc<Self> {
        Arc::new(Self { cancel, state: Mutex::default() })
    }

    pub fn events(&self) -> Vec<Event> {
        self.state.lock().unwrap().events.clone()
    }

    pub fn threads(&self) -> Vec<ThreadId> {
        self.state.lock().unwrap().threads.clone()
    }

    /// Every phase as its path from the root, with its number of steps and the last step that was reported.
    pub fn phases(&self) -> Vec<(String, i32, Option<i32>)> {
        let mut phases: Vec<(String, i32, Option<i32>)> = Vec::new();
        let mut open: Vec<(String, usize)> = Vec::new();
        for event in self.events() {
            match event {
                Event::Start { name, parent, steps } => {
                    assert_eq!(
                        parent.as_ref(),
                        open.last().map(|(name, _)| name),
                        "the innermost open phase"
                    );
                    let above = open.last().map(|(_, index)| format!("{} > ", phases[*index].0));
                    open.push((name.clone(), phases.len()));
                    phases.push((format!("{}{name}", above.unwrap_or_default()), steps, None));
                }
                Event::Step { name, step, .. } => {
                    let (_, index) = open.iter().rev().find(|(open, _)| *open == name).unwrap();
                    assert!(phases[*index].2.is_none_or(|last| last < step), "steps grow");
                    assert!(step < phases[*index].1, "steps stay below their number");
                    phases[*index].2 = Some(step);
                }
                Event::Finish { name } => {
                    assert_eq!(open.pop().unwrap().0, name, "the innermost phase ends first")
                }
            }
        }
        assert!(open.is_empty(), "phases left open: {open:?}");
        phases
    }

    /// Steps that were reported after the first one that was answered with "stop".
    pub fn steps_after_stop(&self) -> usize {
        let events = self.events();
        let stop = events.iter().position(|event| matches!(event, Event::Step { go_on: false, .. }));
        let after = stop.map_or(&[][..], |stop| &events[stop + 1..]);
        after.iter().filter(|event| matches!(event, Event::Step { .. })).count()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

impl ProgressMonitor for Recording {
    fn phase_start(&self, name: &[u8], parent: Option<&[u8]>, steps: i32) {
        let name = text(name);
        let mut state = self.state.lock().unwrap();
        state.cancelled |= matches!(self.cancel, Cancel::FromStart(phase) if phase == name);
        state.events.push(Event::Start { name, parent: parent.map(text), steps });
        state.threads.push(thread::current().id());
    }

    fn step_complete(&self, name: &[u8], step: i32) -> ControlFlow<()> {
        let name = text(name);
        let mut state = self.state.lock().unwrap();
        state.cancelled |= matches!(self.cancel, Cancel::AtStep(phase, at) if phase == name && at == step);
        let go_on = !state.cancelled;
        state.events.push(Event::Step { name, step, go_on });
        state.threads.push(thread::current().id());
        if go_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn phase_finish(&self, name: &[u8]) {
        let name = text(name);
        let mut state = self.state.lock().unwrap();
        state.cancelled |= matches!(self.cancel, Cancel::FromFinish(phase) if phase == name);
        state.events.push(Event::Finish { name });
        state.threads.push(thread::current().id());
    }
}

/// Keeps log lines and recorded errors.
#[derive(Default)]
pub struct Lines(pub Mutex<Vec<(Severity, String)>>, pub Mutex<Vec<(i32, String)>>);

impl LogSink for Lines {
    fn log(&self, severity: Severity, message: &[u8]) {
        self.0.lock().unwrap().push((severity, String::from_utf8_lossy(message).into_owned()));
    }

    fn error(&self, code: i32, message: &[u8]) {
        self.1.lock().unwrap().push((code, String::from_utf8_lossy(message).into_owned()));
    }
}

/// A builder whose log nobody reads, with a parsed network and a configuration.
pub struct Bench {
    pub builder: Builder,
    pub network: Network,
    pub config: BuilderConfig,
}

impl Bench {
    pub fn new(model: &[u8]) -> Self {
        Self::with_sink(model, Arc::new(()))
    }

    pub fn with_sink(model: &[u8], sink: Arc<dyn LogSink>) -> Self {
        let builder = Builder::new(library(), sink).unwrap();
        let mut network = builder.create_network(NetworkFlags::default()).unwrap();
        network.parse_onnx(model, None).unwrap();
        let config = builder.create_config().unwrap();
        Self { builder, network, config }
    }

    pub fn watch(&mut self, monitor: Arc<dyn ProgressMonitor>) {
        self.config.set_progress_monitor(Some(monitor)).unwrap();
    }

    pub fn build(&self) -> Result<BuildOutput, BuildError> {
        self.builder.build_serialized(&self.network, &self.config)
    }
}
