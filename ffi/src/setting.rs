//! The values of a builder configuration: flags, levels, pools, and what a configuration holds in the end.

use std::fmt;

/// A flag of a build, by its bit in NvInfer's `BuilderFlag`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
#[expect(missing_docs, reason = "the names are NvInfer's, and documented there")]
pub enum BuilderFlag {
    Debug = 2,
    GpuFallback = 3,
    Refit = 4,
    DisableTimingCache = 5,
    Tf32 = 6,
    SparseWeights = 7,
    SafetyScope = 8,
    DirectIo = 11,
    VersionCompatible = 12,
    ExcludeLeanRuntime = 13,
    ErrorOnTimingCacheMiss = 15,
    DisableCompilationCache = 17,
    StripPlan = 18,
    RefitIdentical = 19,
    WeightStreaming = 20,
    RefitIndividual = 22,
    StrictNans = 23,
    MonitorMemory = 24,
    EditableTimingCache = 26,
    DistributiveIndependence = 27,
    RequireUserAllocation = 28,
}

impl BuilderFlag {
    /// Every flag that the headers name.
    pub const ALL: [Self; 21] = [
        Self::Debug,
        Self::GpuFallback,
        Self::Refit,
        Self::DisableTimingCache,
        Self::Tf32,
        Self::SparseWeights,
        Self::SafetyScope,
        Self::DirectIo,
        Self::VersionCompatible,
        Self::ExcludeLeanRuntime,
        Self::ErrorOnTimingCacheMiss,
        Self::DisableCompilationCache,
        Self::StripPlan,
        Self::RefitIdentical,
        Self::WeightStreaming,
        Self::RefitIndividual,
        Self::StrictNans,
        Self::MonitorMemory,
        Self::EditableTimingCache,
        Self::DistributiveIndependence,
        Self::RequireUserAllocation,
    ];

    /// The flag's bit.
    #[must_use]
    pub fn bit(self) -> u32 {
        1 << (self as u32)
    }

    /// The flag's name in NvInfer, without the leading `k`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::GpuFallback => "GPU_FALLBACK",
            Self::Refit => "REFIT",
            Self::DisableTimingCache => "DISABLE_TIMING_CACHE",
            Self::Tf32 => "TF32",
            Self::SparseWeights => "SPARSE_WEIGHTS",
            Self::SafetyScope => "SAFETY_SCOPE",
            Self::DirectIo => "DIRECT_IO",
            Self::VersionCompatible => "VERSION_COMPATIBLE",
            Self::ExcludeLeanRuntime => "EXCLUDE_LEAN_RUNTIME",
            Self::ErrorOnTimingCacheMiss => "ERROR_ON_TIMING_CACHE_MISS",
            Self::DisableCompilationCache => "DISABLE_COMPILATION_CACHE",
            Self::StripPlan => "STRIP_PLAN",
            Self::RefitIdentical => "REFIT_IDENTICAL",
            Self::WeightStreaming => "WEIGHT_STREAMING",
            Self::RefitIndividual => "REFIT_INDIVIDUAL",
            Self::StrictNans => "STRICT_NANS",
            Self::MonitorMemory => "MONITOR_MEMORY",
            Self::EditableTimingCache => "EDITABLE_TIMING_CACHE",
            Self::DistributiveIndependence => "DISTRIBUTIVE_INDEPENDENCE",
            Self::RequireUserAllocation => "REQUIRE_USER_ALLOCATION",
        }
    }

    /// The flag of that name, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.name().eq_ignore_ascii_case(name))
    }

    /// The flags that are set in these bits.
    pub fn in_bits(bits: u32) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |flag| bits & flag.bit() != 0)
    }
}

impl fmt::Display for BuilderFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A source of tactics, by its bit in NvInfer's `TacticSource`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum TacticSource {
    /// Edge mask convolutions.
    EdgeMaskConvolutions = 0,
    /// Convolutions compiled just in time.
    JitConvolutions = 1,
}

impl TacticSource {
    /// The source's bit.
    #[must_use]
    pub fn bit(self) -> u32 {
        1 << (self as u32)
    }
}

/// On which hardware a plan may run besides the builder's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum HardwareCompatibility {
    /// On none.
    None = 0,
    /// On Ampere and later.
    AmperePlus = 1,
    /// On every device of the same compute capability.
    SameComputeCapability = 2,
}

/// How much the plan tells about its layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum ProfilingVerbosity {
    /// Their names.
    LayerNamesOnly = 0,
    /// Nothing.
    None = 1,
    /// Names and parameters.
    Detailed = 2,
}

/// A memory pool of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
#[expect(missing_docs, reason = "the names are NvInfer's, and documented there")]
pub enum MemoryPool {
    Workspace = 0,
    DlaManagedSram = 1,
    DlaLocalDram = 2,
    DlaGlobalDram = 3,
    TacticDram = 4,
    TacticSharedMemory = 5,
}

impl MemoryPool {
    /// Every pool.
    pub const ALL: [Self; 6] = [
        Self::Workspace,
        Self::DlaManagedSram,
        Self::DlaLocalDram,
        Self::DlaGlobalDram,
        Self::TacticDram,
        Self::TacticSharedMemory,
    ];
}

/// A target of a TensorRT-RTX build, as NvInfer numbers it: `86` is SM 8.6, `120` is SM 12.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComputeCapability(pub i32);

impl ComputeCapability {
    /// The device that is there while building; only alone, and only with a GPU.
    pub const CURRENT: Self = Self(1);
}

impl fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("current"),
            number => write!(f, "{}.{}", number / 10, number % 10),
        }
    }
}

/// What a configuration holds, read back from TensorRT. Numbers are NvInfer's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveConfig {
    /// Bits of [`BuilderFlag`].
    pub flags: u32,
    /// The optimization level, 0 to 5.
    pub optimization_level: i64,
    /// Bits of [`TacticSource`].
    pub tactic_sources: u32,
    /// The limit of auxiliary streams; -1 if TensorRT decides.
    pub max_aux_streams: i64,
    /// NvInfer's `HardwareCompatibilityLevel`.
    pub hardware_compatibility: i64,
    /// NvInfer's `ProfilingVerbosity`.
    pub profiling_verbosity: i64,
    /// How often a tactic is timed.
    pub avg_timing_iterations: i64,
    /// The limit of tactics per layer; -1 if TensorRT decides.
    pub max_tactics: i64,
    /// NvInfer's `TilingOptimizationLevel`.
    pub tiling_level: i64,
    /// Bytes of L2 cache for tiling; -1 if TensorRT decides.
    pub l2_limit: i64,
    /// NvInfer's `RuntimePlatform`.
    pub runtime_platform: i64,
    /// NvInfer's `EngineCapability`.
    pub engine_capability: i64,
    /// Bytes of each memory pool.
    pub memory_pools: Vec<(MemoryPool, u64)>,
    /// The targets, in order; empty is the default; none if the family has no such setting.
    pub compute_capabilities: Option<Vec<ComputeCapability>>,
    /// The number of optimization profiles.
    pub profiles: i64,
    /// Whether a timing cache is attached.
    pub has_timing_cache: bool,
    /// The build route; none if the loaded version has no such setting.
    pub build_route: Option<String>,
    /// The remote auto-tuning configuration; none if the family has no such setting, or nothing is set.
    pub remote_auto_tuning: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_found_in_bits_and_by_name() {
        let bits = BuilderFlag::Tf32.bit() | BuilderFlag::StripPlan.bit();
        assert_eq!(
            BuilderFlag::in_bits(bits).collect::<Vec<_>>(),
            [BuilderFlag::Tf32, BuilderFlag::StripPlan]
        );
        for flag in BuilderFlag::ALL {
            assert_eq!(BuilderFlag::from_name(&flag.name().to_lowercase()), Some(flag));
        }
    }

    #[test]
    fn capabilities_read_as_people_say_them() {
        assert_eq!(ComputeCapability(120).to_string(), "12.0");
        assert_eq!(ComputeCapability(75).to_string(), "7.5");
        assert_eq!(ComputeCapability::CURRENT.to_string(), "current");
    }
}
