//! The builder, and who keeps whom alive.
//!
//! TensorRT wants a builder to outlive what it made, and wants the monitors, timing caches, error recorder and logger
//! that it may use to outlive the builder. So [`Network`] and [`BuilderConfig`] hold the builder, and the builder holds
//! the rest: things are destroyed as parsers, networks and configurations, builder, then monitors, caches and recorder,
//! in whatever order the caller drops them; a logger stays. A timing cache refers to its builder's recorder until its
//! own end, so it holds it too. A [`Plan`] refers to nothing, and stands alone.
//!
//! A builder is not thread-safe, nor is what it made: all of it stays on the thread that made it (none is `Send`).
//! Two builds at once are two builders on two threads; where their targets differ, one waits for the other (see `turn`).

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::config::BuilderConfig;
use crate::error::Error;
use crate::library::Library;
use crate::log::{Journal, LogSink};
use crate::logger::{Lease, Recorder};
use crate::monitor::{Seen, Watch};
use crate::network::{Network, NetworkFlags};
use crate::plan::{BuildError, BuildFacts, BuildOutput, HostMemory, NoPlan, Plan};
use crate::shim::{self, Refusal, call};
use crate::sys;
use crate::timing_cache::CacheHandle;
use crate::turn::Turn;

/// A TensorRT builder.
pub struct Builder {
    shared: Rc<Shared>,
}

/// The builder's handle and all that must outlive it. Fields are dropped after the handle is destroyed.
pub(crate) struct Shared {
    pub(crate) library: Library,
    pub(crate) handle: *mut sys::acta_trt_builder,
    pub(crate) monitors: RefCell<Vec<Rc<Watch>>>,
    pub(crate) caches: RefCell<Vec<Rc<CacheHandle>>>,
    pub(crate) recorder: Rc<Recorder>,
    pub(crate) lease: Lease,
}

impl Shared {
    /// Makes one call of the shim; a refusal carries what TensorRT logged during that call.
    pub(crate) fn ask(
        &self,
        name: &'static str,
        body: impl FnOnce(*mut sys::acta_trt_text) -> i32,
    ) -> Result<(), Error> {
        self.journal().ask(name, self.library.family(), body)
    }

    pub(crate) fn journal(&self) -> &Journal {
        self.recorder.journal()
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once; everything it made held this value, so it is gone.
        unsafe { call!(self.library.api(), builder_destroy(self.handle)) };
    }
}

impl Builder {
    /// Makes a builder whose log lines and errors go to the sink.
    ///
    /// # Errors
    /// If TensorRT makes none.
    pub fn new(library: &Library, sink: Arc<dyn LogSink>) -> Result<Self, Error> {
        let (family, api) = (library.family(), library.api());
        let journal = Journal::new(sink);
        let lease = Lease::new(family, api, &journal)?;
        let recorder = Recorder::new(family, api, &journal)?;
        let mut handle = std::ptr::null_mut();
        journal.ask("createInferBuilder", family, |text| {
            let (entry, logger) = (library.create_builder(), lease.handle());
            // SAFETY: the entry is the function of that name in a library that fits the shim's headers; the logger
            // lives as long as the process; the recorder is dropped after the builder.
            unsafe { call!(api, builder_create(entry, logger, recorder.handle(), &raw mut handle, text)) }
        })?;
        let shared = Shared {
            library: library.clone(),
            handle,
            monitors: RefCell::default(),
            caches: RefCell::default(),
            recorder: Rc::new(recorder),
            lease,
        };
        Ok(Self { shared: Rc::new(shared) })
    }

    /// The library that the builder is of.
    #[must_use]
    pub fn library(&self) -> &Library {
        &self.shared.library
    }

    /// Makes an empty network.
    ///
    /// # Errors
    /// If TensorRT makes none.
    pub fn create_network(&self, flags: NetworkFlags) -> Result<Network, Error> {
        Network::new(Rc::clone(&self.shared), flags)
    }

    /// Makes a configuration with TensorRT's defaults.
    ///
    /// # Errors
    /// If TensorRT makes none.
    pub fn create_config(&self) -> Result<BuilderConfig, Error> {
        BuilderConfig::new(Rc::clone(&self.shared))
    }

    /// Sets how many threads TensorRT may use for a build; its default is 1.
    ///
    /// # Errors
    /// If TensorRT refuses the number.
    pub fn set_max_threads(&self, threads: i32) -> Result<(), Error> {
        let Shared { library, handle, .. } = &*self.shared;
        self.shared
            .ask("IBuilder::setMaxThreads", |text| {
                // SAFETY: the builder is alive, and used on its own thread.
                unsafe { call!(library.api(), builder_set_max_threads(*handle, threads, text)) }
            })
            .map_err(|error| error.with_detail(|| threads.to_string()))
    }

    /// How many threads TensorRT may use for a build.
    ///
    /// # Errors
    /// Only if the call throws.
    pub fn max_threads(&self) -> Result<i32, Error> {
        let Shared { library, handle, .. } = &*self.shared;
        let mut threads = 0;
        self.shared.ask("IBuilder::getMaxThreads", |text| {
            // SAFETY: the builder is alive, and used on its own thread.
            unsafe { call!(library.api(), builder_max_threads(*handle, &raw mut threads, text)) }
        })?;
        Ok(threads)
    }

    /// Builds the network, on this thread, until there is a plan, an error, or a monitor's "stop" that took effect.
    ///
    /// # Errors
    /// If TensorRT returns no plan, with everything that was seen; it does not judge why.
    pub fn build_serialized(
        &self,
        network: &Network,
        config: &BuilderConfig,
    ) -> Result<BuildOutput, BuildError> {
        let Shared { library, handle, .. } = &*self.shared;
        let journal = self.shared.journal();
        for (what, other) in [("network", network.shared()), ("configuration", config.shared())] {
            if !Rc::ptr_eq(&self.shared, other) {
                return Err(BuildError { reason: NoPlan::Foreign(what), facts: Box::default() });
            }
        }
        // A family without targets has none that differ.
        let _turn = Turn::wait(config.compute_capabilities().unwrap_or_default());
        drop(journal.take());
        if let Some(monitor) = config.monitor() {
            monitor.reset();
        }
        let mut made = std::ptr::null_mut();
        let answer = shim::ask(|text| {
            // SAFETY: all three are alive, of this builder, and on their own thread; the monitor, caches, recorder and
            // logger outlive the builder.
            unsafe {
                call!(
                    library.api(),
                    builder_build(*handle, network.handle(), config.handle(), &raw mut made, text)
                )
            }
        });
        let seen = config.monitor().map_or_else(Seen::default, |monitor| monitor.seen());
        let facts = BuildFacts::new(journal.take(), seen);
        match answer {
            Ok(()) => {
                let plan = Plan::new(HostMemory::new(library.clone(), made));
                Ok(BuildOutput { plan, facts })
            }
            Err(Refusal::Threw(message)) => {
                Err(BuildError { reason: NoPlan::Exception(message), facts: Box::new(facts) })
            }
            Err(Refusal::No | Refusal::Unsupported) => {
                Err(BuildError { reason: NoPlan::Null, facts: Box::new(facts) })
            }
        }
    }
}
