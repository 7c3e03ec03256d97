//! The GPU, as NVIDIA's management library (NVML) tells it: which one it is, and how busy. The library comes with the
//! driver; where it is not, there is no GPU to speak of. It is asked in a thread of its own: a driver in trouble can
//! take seconds to answer, and no build waits for that.

use std::{
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::Duration,
};

use acta_ledger::evidence::build::GpuRecord;
use nvml_wrapper::{Device, Nvml};

/// How often the GPU is looked at.
const EVERY: Duration = Duration::from_millis(200);

/// How long the last answer is waited for.
const LAST_ANSWER: Duration = Duration::from_secs(1);

/// The GPU that takes part, and its driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuFacts {
    /// The GPU.
    pub gpu: GpuRecord,
    /// The driver's version.
    pub driver: Option<String>,
    /// The CUDA version that the driver offers, like `13.0`.
    pub cuda: Option<String>,
}

/// How busy the whole GPU is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GpuUsage {
    /// In percent of the driver's last period.
    pub utilization_percent: Option<u32>,
    /// Memory in use, in bytes.
    pub memory_bytes: Option<u64>,
}

/// A thread that watches the GPU.
pub struct GpuWatch {
    stop: mpsc::Sender<()>,
    facts: mpsc::Receiver<Option<GpuFacts>>,
    latest: Arc<Mutex<GpuUsage>>,
}

impl GpuWatch {
    /// Begins to watch.
    pub fn start() -> Self {
        let (stop, stopped) = mpsc::channel();
        let (told, facts) = mpsc::sync_channel(1);
        let latest = Arc::new(Mutex::new(GpuUsage::default()));
        let shared = Arc::clone(&latest);
        // It ends with the program at the latest; nobody joins a thread that a driver may hold.
        thread::spawn(move || watch(&told, &stopped, &shared));
        Self { stop, facts, latest }
    }

    /// What was seen last.
    pub fn latest(&self) -> GpuUsage {
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it and says which GPU it was; none where there is none, or where the driver does not answer.
    pub fn finish(self) -> Option<GpuFacts> {
        self.stop.send(()).ok();
        self.facts.recv_timeout(LAST_ANSWER).ok().flatten()
    }
}

/// Which GPU there is now; none where there is none. A driver in trouble can take seconds to say so.
pub fn look() -> Option<GpuFacts> {
    let nvml = Nvml::init().ok()?;
    let (_, record) = device(&nvml)?;
    Some(facts(&nvml, &record))
}

fn watch(told: &mpsc::SyncSender<Option<GpuFacts>>, stopped: &mpsc::Receiver<()>, latest: &Mutex<GpuUsage>) {
    let nvml = Nvml::init().ok();
    let found = nvml.as_ref().and_then(|nvml| Some((nvml, device(nvml)?)));
    told.send(found.as_ref().map(|(nvml, (_, record))| facts(nvml, record))).ok();
    let Some((_, (device, _))) = found else { return };
    loop {
        let seen = GpuUsage {
            utilization_percent: device.utilization_rates().ok().map(|rates| rates.gpu),
            memory_bytes: device.memory_info().ok().map(|memory| memory.used),
        };
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        if !matches!(stopped.recv_timeout(EVERY), Err(mpsc::RecvTimeoutError::Timeout)) {
            return;
        }
    }
}

/// The GPU that CUDA will choose, and its record.
fn device(nvml: &Nvml) -> Option<(Device<'_>, GpuRecord)> {
    let count = nvml.device_count().ok()?;
    let mut devices = Vec::new();
    for index in 0..count {
        let device = nvml.device_by_index(index).ok()?;
        devices.push((device.uuid().ok()?, device));
    }
    let uuids: Vec<&str> = devices.iter().map(|(uuid, _)| uuid.as_str()).collect();
    let variable = |name: &str| std::env::var(name).ok();
    let by_bus = variable("CUDA_DEVICE_ORDER").is_some_and(|order| order == "PCI_BUS_ID");
    let chosen = choose(&uuids, variable("CUDA_VISIBLE_DEVICES").as_deref(), by_bus)?;
    let (uuid, device) = devices.into_iter().nth(chosen)?;
    let capability = device.cuda_compute_capability().ok();
    let compute_capability =
        capability.map_or_else(|| "unknown".to_owned(), |it| format!("{}.{}", it.major, it.minor));
    let record = GpuRecord { name: device.name().ok()?, uuid, compute_capability };
    Some((device, record))
}

/// Which of the GPUs, in the order of their buses, CUDA takes by default; none where there is none or nobody knows.
/// Without `by_bus` CUDA puts the fastest first, so an index says something only if there is one GPU.
fn choose(uuids: &[&str], visible: Option<&str>, by_bus: bool) -> Option<usize> {
    let Some(visible) = visible.map(str::trim) else {
        return (uuids.len() == 1).then_some(0);
    };
    let first = visible.split(',').next().unwrap_or_default().trim();
    if first.starts_with("GPU-") {
        // CUDA takes a beginning of the UUID that is unambiguous.
        let mut fitting = (0..uuids.len()).filter(|&index| uuids[index].starts_with(first));
        return fitting.next().filter(|_| fitting.next().is_none());
    }
    let index: usize = first.parse().ok()?;
    (index < uuids.len() && (by_bus || uuids.len() == 1)).then_some(index)
}

fn facts(nvml: &Nvml, gpu: &GpuRecord) -> GpuFacts {
    // CUDA 13.0 is 13000.
    let cuda = nvml.sys_cuda_driver_version().ok().map(|it| format!("{}.{}", it / 1000, it % 1000 / 10));
    GpuFacts { gpu: gpu.clone(), driver: nvml.sys_driver_version().ok(), cuda }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gpu_is_the_one_that_cuda_takes_or_none() {
        let two = ["GPU-aa11", "GPU-bb22"];
        for (uuids, visible, by_bus, expected) in [
            (&two[..1], None, false, Some(0)),
            (&two, None, false, None),
            (&two, Some("1"), true, Some(1)),
            (&two, Some("1"), false, None),
            (&two[..1], Some("0"), false, Some(0)),
            (&two, Some("GPU-bb"), false, Some(1)),
            (&two, Some("GPU-"), false, None),
            (&two, Some(" GPU-aa11 , GPU-bb22"), false, Some(0)),
            (&two, Some(""), true, None),
            (&two, Some("-1"), true, None),
            (&two, Some("2"), true, None),
            (&[], None, false, None),
        ] {
            assert_eq!(choose(uuids, visible, by_bus), expected, "{uuids:?} {visible:?} {by_bus}");
        }
    }

    #[test]
    fn a_machine_without_a_gpu_says_so_at_once() {
        // With one, its record is whole.
        let watch = GpuWatch::start();
        if let Some(facts) = watch.finish() {
            assert!(!facts.gpu.name.is_empty() && facts.gpu.uuid.starts_with("GPU-"), "{facts:?}");
        }
    }
}
