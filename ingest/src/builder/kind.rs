//! What kind of build this is, before it is over: by this its baseline is found.

use std::{path::Path, thread};

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
    gpu,
    protocol::{BuildOrder, LibraryFamily},
    record::Record,
    request, weights,
};

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
        gpu_sku: gpu::look().map_or_else(|| NO_GPU.to_owned(), |facts| facts.gpu.name),
        build_config_hash: request::config_hash(network, &weights::external(model), order),
        cache: cache_class(family, order),
    }
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

/// Finds out the kind of a build that runs, beside it: reading weights and asking the driver can take long.
#[derive(Debug, Default)]
pub enum KindWatch {
    /// Library or network are not known yet.
    Waiting(Box<BuildOrder>),
    /// It is being found out.
    Looking(thread::JoinHandle<BaselineKey>),
    /// It is known.
    Known(BaselineKey),
    /// What a command builds with is known at its end.
    #[default]
    Unknown,
}

impl KindWatch {
    /// Watches a worker's build; of a command, nothing.
    pub fn new(order: Option<BuildOrder>) -> Self {
        order.map_or(Self::Unknown, |order| Self::Waiting(Box::new(order)))
    }

    /// The kind, once it is known.
    pub fn look(&mut self, record: &Record) -> Option<&BaselineKey> {
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
            other => other,
        };
        match self {
            Self::Known(key) => Some(key),
            _ => None,
        }
    }
}
