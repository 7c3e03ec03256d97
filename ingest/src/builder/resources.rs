//! What a process uses, as `/proc` tells it.

use std::fs;

use acta_ledger::evidence::{build::Resources, number::Count64, phase_tree::counters::CounterSample};

use super::gpu::GpuUsage;

/// One look at a process.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// The highest resident memory so far, in bytes.
    pub peak_rss_bytes: Option<u64>,
    /// Resident memory now, in bytes.
    pub rss_bytes: Option<u64>,
    /// Processor time, user and system together, in milliseconds.
    pub cpu_ms: Option<f64>,
    /// Threads now.
    pub threads: Option<u32>,
    /// Bytes written to storage so far.
    pub written_bytes: Option<u64>,
}

/// Looks at a process; none if it is gone.
pub fn read(pid: u32) -> Option<Usage> {
    read_folder(&format!("/proc/{pid}"))
}

/// The processor time of everything that this process started and that has ended.
pub fn read_ended() -> Option<Usage> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let cpu_ms = cpu_ms(&stat, 13..15, rustix::param::clock_ticks_per_second());
    Some(Usage { cpu_ms, ..Usage::default() })
}

/// How many processes of a tree are looked at.
const MAX_PROCESSES: usize = 1024;

/// Looks at a process and all that it started: memory and threads together, processor time with that of ended children.
pub fn read_tree(root: u32) -> Option<Usage> {
    let mut tree = read(root)?;
    let mut waiting = children(root);
    for _ in 0..MAX_PROCESSES {
        let Some(pid) = waiting.pop() else { break };
        // One that ended meanwhile is in its parent's account.
        let Some(usage) = read(pid) else { continue };
        tree.rss_bytes = tree.rss_bytes.zip(usage.rss_bytes).map(|(one, other)| one + other);
        tree.written_bytes = tree.written_bytes.zip(usage.written_bytes).map(|(one, other)| one + other);
        tree.peak_rss_bytes = tree.peak_rss_bytes.max(usage.peak_rss_bytes);
        tree.cpu_ms = tree.cpu_ms.zip(usage.cpu_ms).map(|(one, other)| one + other);
        tree.threads = tree.threads.zip(usage.threads).map(|(one, other)| one.saturating_add(other));
        waiting.extend(children(pid));
    }
    // Several at once may hold more than any of them at its own peak.
    tree.peak_rss_bytes = tree.peak_rss_bytes.max(tree.rss_bytes);
    Some(tree)
}

/// What each of its threads started.
fn children(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Looks at this process.
pub fn read_own() -> Option<Usage> {
    read_folder("/proc/self")
}

fn read_folder(folder: &str) -> Option<Usage> {
    let status = fs::read_to_string(format!("{folder}/status")).ok()?;
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    // Only the process's owner may read it.
    let io = fs::read_to_string(format!("{folder}/io")).unwrap_or_default();
    Some(parse(&status, &stat, &io, rustix::param::clock_ticks_per_second()))
}

fn parse(status: &str, stat: &str, io: &str, ticks_per_second: u64) -> Usage {
    let number = |text: &str, name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    let field = |name: &str| number(status, name);
    // Its own time, and that of its ended children.
    let cpu_ms = cpu_ms(stat, 11..15, ticks_per_second);
    Usage {
        peak_rss_bytes: field("VmHWM").map(|kib| kib * 1024),
        rss_bytes: field("VmRSS").map(|kib| kib * 1024),
        cpu_ms,
        threads: field("Threads").and_then(|threads| u32::try_from(threads).ok()),
        written_bytes: number(io, "write_bytes"),
    }
}

/// The sum of some of the times in a `stat` file, counted after the process's name: utime, stime, cutime and cstime are
/// fields 14 to 17, and the first one after the name is field 3.
fn cpu_ms(stat: &str, fields: std::ops::Range<usize>, ticks_per_second: u64) -> Option<f64> {
    // The process's name stands in parentheses and may hold anything, spaces and parentheses too.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = |index: usize| after_name.split_whitespace().nth(index)?.parse::<u64>().ok();
    let used = fields.map(ticks).sum::<Option<u64>>()?;
    #[expect(clippy::cast_precision_loss, reason = "processor time in ticks is far below 2^53")]
    Some(used as f64 * 1000.0 / ticks_per_second.max(1) as f64)
}

/// Keeps the highest of everything that was seen.
pub fn note(peak: &mut Resources, seen: Usage) {
    peak.peak_rss_bytes = peak.peak_rss_bytes.max(seen.peak_rss_bytes);
    peak.peak_threads = peak.peak_threads.max(seen.threads);
    peak.written_bytes = peak.written_bytes.max(seen.written_bytes);
    if seen.cpu_ms > peak.cpu_ms {
        peak.cpu_ms = seen.cpu_ms;
    }
}

/// Keeps the highest of what was seen of the GPU.
pub fn note_gpu(peak: &mut Resources, seen: GpuUsage) {
    peak.peak_gpu_memory_bytes = peak.peak_gpu_memory_bytes.max(seen.memory_bytes);
    peak.peak_gpu_utilization_percent = peak.peak_gpu_utilization_percent.max(seen.utilization_percent);
}

/// A look at process and GPU as a sample of the phase tree, `at` nanoseconds after the build call.
pub fn sample(at: u64, process: Usage, gpu: GpuUsage) -> CounterSample {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "processor time is positive and far below 2^53 nanoseconds"
    )]
    let cpu_ns = process.cpu_ms.map(|ms| Count64((ms * 1e6) as u64));
    CounterSample {
        at: Count64(at),
        rss_bytes: process.rss_bytes.map(Count64),
        cpu_ns,
        threads: process.threads,
        written_bytes: process.written_bytes.map(Count64),
        gpu_utilization_percent: gpu.utilization_percent,
        gpu_memory_bytes: gpu.memory_bytes.map(Count64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_cannot_confuse_the_numbers() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 40 7 3 20 0 3 0 0";
        let status = "Name:\ta) b (c\nVmHWM:\t  2048 kB\nVmRSS:\t 1024 kB\nThreads:\t3\n";
        let usage = parse(status, stat, "wchar: 9\nwrite_bytes: 4096\n", 100);
        let expected = Usage {
            peak_rss_bytes: Some(2 << 20),
            rss_bytes: Some(1 << 20),
            cpu_ms: Some(2000.0),
            threads: Some(3),
            written_bytes: Some(4096),
        };
        assert_eq!(usage, expected);
        assert_eq!(parse("", "", "", 100), Usage::default());
        let gpu = GpuUsage { utilization_percent: Some(7), memory_bytes: Some(1) };
        let sample = sample(9, usage, gpu);
        assert_eq!((sample.cpu_ns, sample.gpu_utilization_percent), (Some(Count64(2_000_000_000)), Some(7)));
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let usage = read_own().unwrap();
        assert!(usage.peak_rss_bytes.unwrap() > 0 && usage.threads.unwrap() > 0);
        assert_eq!((read(u32::MAX), read_tree(u32::MAX)), (None, None));
        let mut peak = Resources::default();
        note(&mut peak, Usage { cpu_ms: Some(2.0), ..Usage::default() });
        note(&mut peak, Usage { cpu_ms: Some(1.0), threads: Some(2), ..Usage::default() });
        assert_eq!((peak.cpu_ms, peak.peak_threads), (Some(2.0), Some(2)));
    }

    #[test]
    fn a_tree_is_looked_at_as_a_whole() {
        let mut shell =
            std::process::Command::new("sh").args(["-c", "sleep 60 & sleep 60 & wait"]).spawn().unwrap();
        // A child that has just begun holds next to nothing yet.
        let whole = || {
            let own = read(shell.id())?.peak_rss_bytes;
            read_tree(shell.id()).filter(|tree| tree.threads == Some(3) && tree.peak_rss_bytes > own)
        };
        assert!(std::iter::repeat_with(whole).take(1_000_000).any(|tree| tree.is_some()));
        for child in children(shell.id()).into_iter().chain([shell.id()]) {
            let pid = rustix::process::Pid::from_raw(i32::try_from(child).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        shell.wait().unwrap();
    }
}
