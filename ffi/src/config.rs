//! The builder configuration. Every setter checks that TensorRT took the value: by the answer where there is one, by
//! reading the value back where there is none.

use std::ffi::{CStr, CString, c_char};
use std::rc::Rc;
use std::sync::Arc;

use crate::builder::Shared;
use crate::error::Error;
use crate::monitor::{ProgressMonitor, Watch};
use crate::profile::Profile;
use crate::setting::{
    BuilderFlag, ComputeCapability, EffectiveConfig, HardwareCompatibility, MemoryPool, ProfilingVerbosity,
    TacticSource,
};
use crate::shim::call;
use crate::sys;
use crate::timing_cache::TimingCache;
use crate::version::Family;

/// A builder configuration.
pub struct BuilderConfig {
    handle: *mut sys::acta_trt_config,
    monitor: Option<Rc<Watch>>,
    shared: Rc<Shared>,
}

impl Drop for BuilderConfig {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once, before its builder, which `shared` holds with the monitor and caches.
        unsafe { call!(self.shared.library.api(), config_destroy(self.handle)) };
    }
}

impl BuilderConfig {
    pub(crate) fn new(shared: Rc<Shared>) -> Result<Self, Error> {
        let mut handle = std::ptr::null_mut();
        shared.ask("IBuilder::createBuilderConfig", |text| {
            // SAFETY: the builder is alive, and used on its own thread.
            unsafe { call!(shared.library.api(), config_create(shared.handle, &raw mut handle, text)) }
        })?;
        Ok(Self { handle, monitor: None, shared })
    }

    pub(crate) fn handle(&self) -> *mut sys::acta_trt_config {
        self.handle
    }

    pub(crate) fn shared(&self) -> &Rc<Shared> {
        &self.shared
    }

    pub(crate) fn monitor(&self) -> Option<&Watch> {
        self.monitor.as_deref()
    }

    /// Switches one flag on or off.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_flag(&mut self, flag: BuilderFlag, on: bool) -> Result<(), Error> {
        let bits = self.flags()?;
        self.set_flags(if on { bits | flag.bit() } else { bits & !flag.bit() })
    }

    /// Sets all flags at once: bits of [`BuilderFlag`].
    ///
    /// # Errors
    /// If TensorRT does not take them.
    pub fn set_flags(&mut self, bits: u32) -> Result<(), Error> {
        self.set("IBuilderConfig::setFlags", sys::ACTA_TRT_FLAGS, 0, bits.into())
    }

    /// The flags, as bits of [`BuilderFlag`].
    ///
    /// # Errors
    /// Only if the call throws.
    pub fn flags(&self) -> Result<u32, Error> {
        self.get("IBuilderConfig::getFlags", sys::ACTA_TRT_FLAGS, 0).map(low_bits)
    }

    /// Sets the optimization level, 0 to 5.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_optimization_level(&mut self, level: i32) -> Result<(), Error> {
        let setting = sys::ACTA_TRT_OPTIMIZATION_LEVEL;
        self.set("IBuilderConfig::setBuilderOptimizationLevel", setting, 0, level.into())
    }

    /// Sets the sources of tactics.
    ///
    /// # Errors
    /// If TensorRT does not take them, or was compiled for as a version that numbers them otherwise.
    pub fn set_tactic_sources(&mut self, sources: &[TacticSource]) -> Result<(), Error> {
        let call = "IBuilderConfig::setTacticSources";
        let library = &self.shared.library;
        if library.family() == Family::Enterprise && library.header_version().major < 11 {
            return Err(Error::Unsupported { call, family: library.family() });
        }
        let bits = sources.iter().fold(0, |bits, source| bits | source.bit());
        self.set(call, sys::ACTA_TRT_TACTIC_SOURCES, 0, bits.into())
    }

    /// Limits auxiliary streams.
    ///
    /// # Errors
    /// If TensorRT does not take the limit.
    pub fn set_max_aux_streams(&mut self, streams: i32) -> Result<(), Error> {
        self.set("IBuilderConfig::setMaxAuxStreams", sys::ACTA_TRT_MAX_AUX_STREAMS, 0, streams.into())
    }

    /// Sets on which other hardware the plan may run.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_hardware_compatibility(&mut self, level: HardwareCompatibility) -> Result<(), Error> {
        let setting = sys::ACTA_TRT_HARDWARE_COMPATIBILITY;
        self.set("IBuilderConfig::setHardwareCompatibilityLevel", setting, 0, level as i64)
    }

    /// Sets how much the plan tells about its layers.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_profiling_verbosity(&mut self, verbosity: ProfilingVerbosity) -> Result<(), Error> {
        let setting = sys::ACTA_TRT_PROFILING_VERBOSITY;
        self.set("IBuilderConfig::setProfilingVerbosity", setting, 0, verbosity as i64)
    }

    /// Sets how often a tactic is timed.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_avg_timing_iterations(&mut self, iterations: i32) -> Result<(), Error> {
        let setting = sys::ACTA_TRT_AVG_TIMING_ITERATIONS;
        self.set("IBuilderConfig::setAvgTimingIterations", setting, 0, iterations.into())
    }

    /// Limits the tactics that are timed per layer; -1 leaves it to TensorRT.
    ///
    /// # Errors
    /// If TensorRT does not take the limit.
    pub fn set_max_tactics(&mut self, tactics: i32) -> Result<(), Error> {
        self.set("IBuilderConfig::setMaxNbTactics", sys::ACTA_TRT_MAX_TACTICS, 0, tactics.into())
    }

    /// Sets NvInfer's `TilingOptimizationLevel`, 0 to 3.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_tiling_level(&mut self, level: i32) -> Result<(), Error> {
        let setting = sys::ACTA_TRT_TILING_LEVEL;
        self.set("IBuilderConfig::setTilingOptimizationLevel", setting, 0, level.into())
    }

    /// Limits a memory pool, in bytes.
    ///
    /// # Errors
    /// If TensorRT does not take the limit.
    pub fn set_memory_pool_limit(&mut self, pool: MemoryPool, bytes: u64) -> Result<(), Error> {
        let value = bytes.cast_signed();
        self.set("IBuilderConfig::setMemoryPoolLimit", sys::ACTA_TRT_MEMORY_POOL, pool as i32, value)
    }

    /// Sets the targets of a TensorRT-RTX build. An empty list is the default. After a refusal the list is as before.
    ///
    /// # Errors
    /// If the family has no such setting, or TensorRT refuses a target: it has none for SM 9.0.
    pub fn set_compute_capabilities(&mut self, targets: &[ComputeCapability]) -> Result<(), Error> {
        let before = self.compute_capabilities()?;
        let answer = self.put_compute_capabilities(targets);
        if answer.is_err() {
            self.put_compute_capabilities(&before)?;
        }
        answer
    }

    fn put_compute_capabilities(&mut self, targets: &[ComputeCapability]) -> Result<(), Error> {
        let count = i64::try_from(targets.len()).unwrap_or(i64::MAX);
        let setting = sys::ACTA_TRT_COMPUTE_CAPABILITY_COUNT;
        self.set("IBuilderConfig::setNbComputeCapabilities", setting, 0, count)?;
        for (index, target) in (0..).zip(targets) {
            let setting = sys::ACTA_TRT_COMPUTE_CAPABILITY;
            self.set("IBuilderConfig::setComputeCapability", setting, index, target.0.into())?;
        }
        Ok(())
    }

    /// The targets of a TensorRT-RTX build; an empty list is the default.
    ///
    /// # Errors
    /// If the family has no such setting.
    pub fn compute_capabilities(&self) -> Result<Vec<ComputeCapability>, Error> {
        let setting = sys::ACTA_TRT_COMPUTE_CAPABILITY_COUNT;
        let count = self.get("IBuilderConfig::getNbComputeCapabilities", setting, 0)?;
        (0..i32::try_from(count).unwrap_or(0))
            .map(|index| {
                let setting = sys::ACTA_TRT_COMPUTE_CAPABILITY;
                let target = self.get("IBuilderConfig::getComputeCapability", setting, index)?;
                Ok(ComputeCapability(i32::try_from(target).unwrap_or(0)))
            })
            .collect()
    }

    /// Sets the build route, a text for the compiler.
    ///
    /// # Errors
    /// If the loaded version has no such setting, or TensorRT refuses the text.
    pub fn set_build_route(&mut self, route: &str) -> Result<(), Error> {
        self.set_text("IBuilderConfig::setBuildRoute", sys::ACTA_TRT_BUILD_ROUTE, route)
    }

    /// The build route.
    ///
    /// # Errors
    /// If the loaded version has no such setting.
    pub fn build_route(&self) -> Result<Option<String>, Error> {
        self.get_text("IBuilderConfig::getBuildRoute", sys::ACTA_TRT_BUILD_ROUTE)
    }

    /// Sets the remote auto-tuning configuration of TensorRT Enterprise.
    ///
    /// # Errors
    /// If the family has no such setting, or TensorRT refuses the text.
    pub fn set_remote_auto_tuning(&mut self, config: &str) -> Result<(), Error> {
        let setting = sys::ACTA_TRT_REMOTE_AUTO_TUNING;
        self.set_text("IBuilderConfig::setRemoteAutoTuningConfig", setting, config)
    }

    /// Adds an optimization profile, and returns its index.
    ///
    /// # Errors
    /// If TensorRT refuses one of its shapes, or the whole.
    pub fn add_profile(&mut self, profile: &Profile) -> Result<i32, Error> {
        profile.add(&self.shared, self.handle)
    }

    /// Attaches a monitor in the place of the one before; `None` detaches.
    ///
    /// The monitor is kept until the builder and all that it made is gone, as TensorRT demands.
    ///
    /// # Errors
    /// If TensorRT does not take it.
    pub fn set_progress_monitor(&mut self, monitor: Option<Arc<dyn ProgressMonitor>>) -> Result<(), Error> {
        let library = &self.shared.library;
        let (family, api) = (library.family(), library.api());
        let watch = monitor.map(|monitor| Watch::new(family, api, monitor)).transpose()?.map(Rc::new);
        // Kept before TensorRT hears of it.
        self.shared.monitors.borrow_mut().extend(watch.clone());
        self.shared.ask("IBuilderConfig::setProgressMonitor", |text| {
            let handle = watch.as_ref().map_or(std::ptr::null_mut(), |watch| watch.handle());
            // SAFETY: the config is alive, and used on its own thread; the builder keeps the monitor.
            unsafe { call!(api, config_set_monitor(self.handle, handle, text)) }
        })?;
        self.monitor = watch;
        Ok(())
    }

    /// Makes a timing cache from bytes; none make an empty one.
    ///
    /// The yes proves nothing: TensorRT may log that it discards the bytes, and return an empty cache.
    ///
    /// # Errors
    /// If TensorRT makes none.
    pub fn create_timing_cache(&self, blob: &[u8]) -> Result<TimingCache, Error> {
        TimingCache::new(&self.shared, self.handle, blob)
    }

    /// Attaches a timing cache. It is kept until the builder and all that it made is gone, as TensorRT demands.
    ///
    /// # Errors
    /// If TensorRT refuses it: the cache is of another device, and `ignore_mismatch` is not set.
    pub fn set_timing_cache(&mut self, cache: &TimingCache, ignore_mismatch: bool) -> Result<(), Error> {
        let handle = cache.handle();
        self.shared.caches.borrow_mut().push(Rc::clone(handle));
        self.shared.ask("IBuilderConfig::setTimingCache", |text| {
            let ignore = i32::from(ignore_mismatch);
            // SAFETY: config and cache are alive, and used on their own thread; the builder keeps the cache.
            unsafe {
                call!(self.shared.library.api(), config_set_cache(self.handle, handle.raw(), ignore, text))
            }
        })
    }

    /// Everything that TensorRT holds for this configuration now.
    ///
    /// # Errors
    /// Only if a call throws.
    pub fn effective(&self) -> Result<EffectiveConfig, Error> {
        let get = |setting, index| self.get("IBuilderConfig's getters", setting, index);
        Ok(EffectiveConfig {
            flags: self.flags()?,
            optimization_level: get(sys::ACTA_TRT_OPTIMIZATION_LEVEL, 0)?,
            tactic_sources: low_bits(get(sys::ACTA_TRT_TACTIC_SOURCES, 0)?),
            max_aux_streams: get(sys::ACTA_TRT_MAX_AUX_STREAMS, 0)?,
            hardware_compatibility: get(sys::ACTA_TRT_HARDWARE_COMPATIBILITY, 0)?,
            profiling_verbosity: get(sys::ACTA_TRT_PROFILING_VERBOSITY, 0)?,
            avg_timing_iterations: get(sys::ACTA_TRT_AVG_TIMING_ITERATIONS, 0)?,
            max_tactics: get(sys::ACTA_TRT_MAX_TACTICS, 0)?,
            tiling_level: get(sys::ACTA_TRT_TILING_LEVEL, 0)?,
            l2_limit: get(sys::ACTA_TRT_L2_LIMIT, 0)?,
            runtime_platform: get(sys::ACTA_TRT_RUNTIME_PLATFORM, 0)?,
            engine_capability: get(sys::ACTA_TRT_ENGINE_CAPABILITY, 0)?,
            memory_pools: MemoryPool::ALL
                .into_iter()
                .map(|pool| Ok((pool, get(sys::ACTA_TRT_MEMORY_POOL, pool as i32)?.cast_unsigned())))
                .collect::<Result<_, Error>>()?,
            compute_capabilities: supported(self.compute_capabilities())?,
            profiles: get(sys::ACTA_TRT_PROFILE_COUNT, 0)?,
            has_timing_cache: get(sys::ACTA_TRT_HAS_TIMING_CACHE, 0)? != 0,
            build_route: supported(self.build_route())?.flatten(),
            remote_auto_tuning: supported(
                self.get_text("IBuilderConfig::getRemoteAutoTuningConfig", sys::ACTA_TRT_REMOTE_AUTO_TUNING),
            )?
            .flatten(),
        })
    }

    /// Sets a number, and reads it back.
    fn set(&mut self, name: &'static str, setting: i32, index: i32, asked: i64) -> Result<(), Error> {
        let api = self.shared.library.api();
        self.shared
            .ask(name, |text| {
                // SAFETY: the config is alive, and used on its own thread.
                unsafe { call!(api, config_set(self.handle, setting, index, asked, text)) }
            })
            .map_err(|error| error.with_detail(|| asked.to_string()))?;
        let heard = self.shared.journal().take().heard;
        let kept = self.get(name, setting, index)?;
        if kept == asked { Ok(()) } else { Err(Error::NotKept { call: name, asked, kept, heard }) }
    }

    fn get(&self, name: &'static str, setting: i32, index: i32) -> Result<i64, Error> {
        let mut value = 0;
        self.shared.ask(name, |text| {
            // SAFETY: the config is alive, and used on its own thread; the value outlives the call.
            unsafe {
                call!(
                    self.shared.library.api(),
                    config_get(self.handle, setting, index, &raw mut value, text)
                )
            }
        })?;
        Ok(value)
    }

    fn set_text(&mut self, name: &'static str, setting: i32, value: &str) -> Result<(), Error> {
        self.check_minor(name)?;
        let value = c_text(value)?;
        self.shared
            .ask(name, |text| {
                // SAFETY: the config is alive, and used on its own thread; the text outlives the call.
                unsafe {
                    call!(
                        self.shared.library.api(),
                        config_set_text(self.handle, setting, value.as_ptr(), text)
                    )
                }
            })
            .map_err(|error| error.with_detail(|| value.to_string_lossy().into_owned()))
    }

    fn get_text(&self, name: &'static str, setting: i32) -> Result<Option<String>, Error> {
        self.check_minor(name)?;
        let mut value: *const c_char = std::ptr::null();
        self.shared.ask(name, |text| {
            // SAFETY: the config is alive, and used on its own thread; the pointer outlives the call.
            unsafe {
                call!(self.shared.library.api(), config_get_text(self.handle, setting, &raw mut value, text))
            }
        })?;
        if value.is_null() {
            return Ok(None);
        }
        // SAFETY: TensorRT keeps the text, NUL-terminated, until the config changes; it is copied now.
        Ok(Some(unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned()))
    }

    /// The text settings are the newest calls: an older minor of the same major does not have them.
    fn check_minor(&self, call: &'static str) -> Result<(), Error> {
        let library = &self.shared.library;
        if library.version().minor < library.header_version().minor {
            return Err(Error::Unsupported { call, family: library.family() });
        }
        Ok(())
    }
}

/// Text for C.
pub(crate) fn c_text(text: &str) -> Result<CString, Error> {
    CString::new(text).map_err(|_| Error::Argument { what: format!("a text with a NUL ({text:?})") })
}

/// The lower half of a number that TensorRT keeps in 32 bits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "TensorRT keeps 32 bits")]
fn low_bits(value: i64) -> u32 {
    value as u32
}

/// Turns "there is no such setting" into none.
fn supported<T>(value: Result<T, Error>) -> Result<Option<T>, Error> {
    match value {
        Ok(value) => Ok(Some(value)),
        Err(Error::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
