//! Timing caches.
//!
//! Of what TensorRT answers here, nothing proves that a cache is used: garbage makes a cache object too, and attaching
//! it says yes. The log lines, the bytes and the map of keys tell what happened.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use crate::builder::Shared;
use crate::error::Error;
use crate::library::Library;
use crate::log::Heard;
use crate::logger::Recorder;
use crate::plan::HostMemory;
use crate::shim::call;
use crate::sys;

/// A timing cache. It is not tied to the configuration that made it, and outlives every builder that it is attached to.
pub struct TimingCache {
    handle: Rc<CacheHandle>,
    heard: Heard,
}

/// TensorRT's object, destroyed with the last holder, and the error recorder that it refers to until then.
pub(crate) struct CacheHandle {
    library: Library,
    raw: *mut sys::acta_trt_cache,
    recorder: Rc<Recorder>,
}

impl CacheHandle {
    pub(crate) fn raw(&self) -> *mut sys::acta_trt_cache {
        self.raw
    }
}

impl Drop for CacheHandle {
    fn drop(&mut self) {
        // SAFETY: made once, destroyed once; builders hold the caches that they use until they are gone, and the
        // recorder is dropped after this.
        unsafe { call!(self.library.api(), cache_destroy(self.raw)) };
    }
}

impl TimingCache {
    pub(crate) fn new(
        shared: &Shared,
        config: *mut sys::acta_trt_config,
        blob: &[u8],
    ) -> Result<Self, Error> {
        let library = shared.library.clone();
        let mut raw = std::ptr::null_mut();
        shared.ask("IBuilderConfig::createTimingCache", |text| {
            let data = if blob.is_empty() { std::ptr::null() } else { blob.as_ptr().cast() };
            let size = blob.len() as u64;
            // SAFETY: the config is alive, and used on its own thread; the bytes are copied.
            unsafe { call!(library.api(), cache_create(config, data, size, &raw mut raw, text)) }
        })?;
        let heard = shared.journal().take().heard;
        let recorder = Rc::clone(&shared.recorder);
        Ok(Self { handle: Rc::new(CacheHandle { library, raw, recorder }), heard })
    }

    pub(crate) fn handle(&self) -> &Rc<CacheHandle> {
        &self.handle
    }

    /// What TensorRT said while it read the bytes: here it says if it discards them.
    #[must_use]
    pub fn heard(&self) -> &Heard {
        &self.heard
    }

    /// The cache's bytes.
    ///
    /// # Errors
    /// If TensorRT returns none.
    pub fn serialize(&self) -> Result<Vec<u8>, Error> {
        let mut made = std::ptr::null_mut();
        self.ask("ITimingCache::serialize", |text| {
            // SAFETY: the cache is alive, and used on its own thread.
            unsafe { call!(self.handle.library.api(), cache_serialize(self.handle.raw, &raw mut made, text)) }
        })?;
        Ok(HostMemory::new(self.handle.library.clone(), made).as_bytes().to_vec())
    }

    /// Takes over another cache's entries; where both have one, this one's stays.
    ///
    /// # Errors
    /// If TensorRT refuses: the other cache is of another TensorRT, or device.
    pub fn combine(&self, other: &Self, ignore_mismatch: bool) -> Result<(), Error> {
        self.ask("ITimingCache::combine", |text| {
            let ignore = i32::from(ignore_mismatch);
            // SAFETY: both caches are alive, and used on their own thread.
            unsafe {
                call!(
                    self.handle.library.api(),
                    cache_combine(self.handle.raw, other.handle.raw, ignore, text)
                )
            }
        })
    }

    /// The keys, in order.
    ///
    /// # Errors
    /// If TensorRT cannot tell.
    pub fn keys(&self) -> Result<Vec<TimingCacheKey>, Error> {
        let mut keys = Vec::new();
        loop {
            let capacity = keys.len();
            let count = self.read_keys(&mut keys)?;
            if count <= capacity {
                keys.truncate(count);
                let mut keys: Vec<_> = keys.into_iter().map(|key| TimingCacheKey(key.bytes)).collect();
                keys.sort_unstable();
                return Ok(keys);
            }
            keys.resize(count, sys::acta_trt_cache_key { bytes: [0; 16] });
        }
    }

    fn read_keys(&self, keys: &mut [sys::acta_trt_cache_key]) -> Result<usize, Error> {
        let mut count = 0;
        self.ask("ITimingCache::queryKeys", |text| {
            let data = if keys.is_empty() { std::ptr::null_mut() } else { keys.as_mut_ptr() };
            let capacity = i64::try_from(keys.len()).unwrap_or(i64::MAX);
            // SAFETY: the cache is alive, and used on its own thread; the buffer is as long as said.
            unsafe {
                call!(
                    self.handle.library.api(),
                    cache_keys(self.handle.raw, data, capacity, &raw mut count, text)
                )
            }
        })?;
        Ok(usize::try_from(count).unwrap_or(0))
    }

    /// A key's tactic and time; none if there is no valid entry.
    ///
    /// # Errors
    /// Only if the call throws.
    pub fn query(&self, key: TimingCacheKey) -> Result<Option<TimingCacheValue>, Error> {
        let mut raw = sys::acta_trt_cache_value { tactic_hash: u64::MAX, milliseconds: f32::NAN };
        self.ask("ITimingCache::query", |text| {
            let key = sys::acta_trt_cache_key { bytes: key.0 };
            // SAFETY: the cache is alive, and used on its own thread; key and value outlive the call.
            unsafe {
                call!(
                    self.handle.library.api(),
                    cache_query(self.handle.raw, &raw const key, &raw mut raw, text)
                )
            }
        })?;
        let valid = raw.tactic_hash != u64::MAX && raw.milliseconds >= 0.0;
        Ok(valid.then_some(TimingCacheValue { tactic_hash: raw.tactic_hash, milliseconds: raw.milliseconds }))
    }

    /// All entries: what to compare before and after a build.
    ///
    /// # Errors
    /// If TensorRT cannot tell.
    pub fn entries(&self) -> Result<BTreeMap<TimingCacheKey, Option<TimingCacheValue>>, Error> {
        self.keys()?.into_iter().map(|key| Ok((key, self.query(key)?))).collect()
    }

    fn ask(
        &self,
        name: &'static str,
        body: impl FnOnce(*mut sys::acta_trt_text) -> i32,
    ) -> Result<(), Error> {
        self.handle.recorder.journal().ask(name, self.handle.library.family(), body)
    }
}

/// A key of a timing cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TimingCacheKey(pub [u8; 16]);

/// As NvInfer writes it: `0x` and 32 hexadecimal digits.
impl fmt::Display for TimingCacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// An entry of a timing cache.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimingCacheValue {
    /// The tactic that was chosen.
    pub tactic_hash: u64,
    /// Its time in milliseconds.
    pub milliseconds: f32,
}
