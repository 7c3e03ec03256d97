//! What kind of build this is, before it is over: by this its baseline is found.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use acta_ffi::BuilderFlag;
use acta_ledger::{
    evidence::{
        build::{BuilderKind, NO_GPU},
        timing_cache::TimingCacheMode,
    },
    judge::{
        baseline::{BaselineKey, CacheClass},
        timing_cache::CachePolicy,
    },
    log::digest::Sha256Digest,
};

use super::{
    external::{order::CommandOrder, summary::Inputs},
    gpu,
    protocol::{BuildOrder, ConfigFacts, LibraryFamily},
    record::Record,
    request, weights,
    worker_summary::ModelFiles,
};
use crate::{command::build::model_files, job::Job};

/// The kind of a worker's build of this network with this library. Looks for a GPU, and at the model's weights.
pub fn of(
    order: &BuildOrder,
    model: &Path,
    network: &Sha256Digest,
    family: Option<LibraryFamily>,
    version: String,
) -> BaselineKey {
    BaselineKey {
        builder: match family {
            Some(LibraryFamily::Tensorrt) => BuilderKind::Tensorrt,
            _ => BuilderKind::TensorrtRtx,
        },
        tensorrt_version: version,
        gpu_sku: gpu_sku(),
        build_config_hash: request::config_hash(network, &weights::external(model), order),
        cache: cache_class(family, order),
    }
}

fn gpu_sku() -> String {
    gpu::look().map_or_else(|| NO_GPU.to_owned(), |facts| facts.gpu.name)
}

/// What the cache will have been, as far as it is decided when a build begins.
fn cache_class(family: Option<LibraryFamily>, order: &BuildOrder) -> CacheClass {
    let off = order.optimization_level == Some(0)
        || order.cache.concerns(false) == Some(CachePolicy::Off)
        || order.flags.iter().any(|flag| flag == BuilderFlag::DisableTimingCache.name());
    let there = order.cache.from_library
        || order.timing_cache.as_deref().is_some_and(|file| Path::new(file).exists());
    if family != Some(LibraryFamily::Tensorrt) || off {
        TimingCacheMode::NotApplicable.into()
    } else if there {
        CacheClass::Warm
    } else {
        CacheClass::Cold
    }
}

/// What a command builds from and where, as far as it does not tell itself.
#[derive(Debug, Clone)]
pub struct Ground {
    model: Option<ModelFiles>,
    gpu_sku: String,
}

impl Ground {
    /// Reads the model that a person named, and looks for a GPU.
    pub fn of(model: Option<&Path>) -> Self {
        Self {
            // Without it nothing is of its kind: so it will be in the summary.
            model: model.and_then(|model| model_files(model).ok()),
            gpu_sku: gpu_sku(),
        }
    }

    /// The kind of a command's build: what clients told of network, configuration and library, else what is known here.
    pub fn kind(
        &self,
        command: &CommandOrder,
        network: Option<&Sha256Digest>,
        config: Option<&ConfigFacts>,
        library: Option<(LibraryFamily, String)>,
    ) -> BaselineKey {
        let inputs = Inputs {
            network: network.or(self.model.as_ref().map(|model| &model.digest)),
            weights: self.model.as_ref().map_or(&[][..], |model| &model.weights),
            config,
            command: &command.command,
        };
        inputs.kind(library, self.gpu_sku.clone())
    }
}

/// Finds out the kind of a build that runs, beside it: reading weights and asking the driver can take long. Everybody who
/// wants to know has a clone, and it is found out once.
#[derive(Debug, Clone, Default)]
pub struct KindWatch(Arc<Mutex<Knowledge>>);

/// How far it is found out.
#[derive(Debug, Default)]
enum Knowledge {
    /// Library or network are not known yet.
    Waiting(Box<BuildOrder>),
    /// It is being found out.
    Looking(thread::JoinHandle<BaselineKey>),
    /// It is known.
    Known(BaselineKey),
    /// A command: its model is being read.
    Reading(Box<CommandOrder>, thread::JoinHandle<Ground>),
    /// A command tells what it builds bit by bit, the last of it before its first phase.
    Listening(Box<CommandOrder>, Ground, Option<BaselineKey>),
    /// It cannot be known.
    #[default]
    Unknown,
}

impl KindWatch {
    /// Watches a build.
    pub fn new(job: Option<Job>) -> Self {
        let knowledge = match job {
            None => Knowledge::Unknown,
            Some(Job::Build { order }) => Knowledge::Waiting(order),
            Some(Job::Command { command }) => {
                let model = command.model.clone();
                let reading = thread::spawn(move || Ground::of(model.as_deref().map(Path::new)));
                Knowledge::Reading(Box::new(command), reading)
            }
        };
        Self(Arc::new(Mutex::new(knowledge)))
    }

    /// The kind, once it is known.
    pub fn look(&self, record: &Record) -> Option<BaselineKey> {
        let mut knowledge = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        knowledge.grow(record);
        match &*knowledge {
            Knowledge::Known(key) => Some(key.clone()),
            Knowledge::Listening(_, _, key) => key.clone(),
            _ => None,
        }
    }
}

impl Knowledge {
    fn grow(&mut self, record: &Record) {
        *self = match std::mem::take(self) {
            Self::Waiting(order) => match (&record.library, &record.network) {
                (Some(library), Some(network)) => {
                    let (family, version) = (Some(library.family), library.version.to_string());
                    let digest = network.digest;
                    Self::Looking(thread::spawn(move || {
                        of(&order, Path::new(&order.model), &digest, family, version)
                    }))
                }
                _ => Self::Waiting(order),
            },
            Self::Looking(thread) if thread.is_finished() => thread.join().map_or(Self::Unknown, Self::Known),
            Self::Reading(command, thread) if thread.is_finished() => {
                thread.join().map_or(Self::Unknown, |ground| Self::Listening(command, ground, None))
            }
            Self::Listening(command, ground, _) => {
                let library = record.library.as_ref();
                let library = library.map(|library| (library.family, library.version.to_string()));
                let network = record.network.as_ref().map(|network| &network.digest);
                let told = record.tree.callbacks() > 0;
                let key = told.then(|| ground.kind(&command, network, record.told.config.as_ref(), library));
                Self::Listening(command, ground, key)
            }
            other => other,
        };
    }
}
