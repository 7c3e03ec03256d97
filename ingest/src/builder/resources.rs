//! What a process uses, as `/proc` tells it.

use std::fs;

use acta_ledger::evidence::build::Resources;

/// One look at a process.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// The highest resident memory so far, in bytes.
    pub peak_rss_bytes: Option<u64>,
    /// Processor time, user and system together, in milliseconds.
    pub cpu_ms: Option<f64>,
    /// Threads now.
    pub threads: Option<u32>,
}

/// Looks at a process; none if it is gone.
pub fn read(pid: u32) -> Option<Usage> {
    read_folder(&format!("/proc/{pid}"))
}

/// Looks at this process.
pub fn read_own() -> Option<Usage> {
    read_folder("/proc/self")
}

fn read_folder(folder: &str) -> Option<Usage> {
    let status = fs::read_to_string(format!("{folder}/status")).ok()?;
    let stat = fs::read_to_string(format!("{folder}/stat")).ok()?;
    Some(parse(&status, &stat, rustix::param::clock_ticks_per_second()))
}

fn parse(status: &str, stat: &str, ticks_per_second: u64) -> Usage {
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    // The process's name stands in parentheses and may hold anything, spaces and parentheses too.
    let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = |index: usize| after_name.split_whitespace().nth(index)?.parse::<u64>().ok();
    // utime and stime are fields 14 and 15, the first after the name is field 3.
    let used = ticks(11).zip(ticks(12)).map(|(user, system)| user + system);
    #[expect(clippy::cast_precision_loss, reason = "processor time in ticks is far below 2^53")]
    let cpu_ms = used.map(|ticks| ticks as f64 * 1000.0 / ticks_per_second.max(1) as f64);
    Usage {
        peak_rss_bytes: field("VmHWM").map(|kib| kib * 1024),
        cpu_ms,
        threads: field("Threads").and_then(|threads| u32::try_from(threads).ok()),
    }
}

/// Keeps the highest of everything that was seen.
pub fn note(peak: &mut Resources, seen: Usage) {
    peak.peak_rss_bytes = peak.peak_rss_bytes.max(seen.peak_rss_bytes);
    peak.peak_threads = peak.peak_threads.max(seen.threads);
    if seen.cpu_ms > peak.cpu_ms {
        peak.cpu_ms = seen.cpu_ms;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_cannot_confuse_the_numbers() {
        let stat = "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 3 0 0";
        let status = "Name:\ta) b (c\nVmHWM:\t  2048 kB\nThreads:\t3\n";
        let usage = parse(status, stat, 100);
        assert_eq!(usage, Usage { peak_rss_bytes: Some(2 << 20), cpu_ms: Some(2000.0), threads: Some(3) });
        assert_eq!(parse("", "", 100), Usage::default());
    }

    #[test]
    fn this_process_can_be_looked_at() {
        let usage = read_own().unwrap();
        assert!(usage.peak_rss_bytes.unwrap() > 0 && usage.threads.unwrap() > 0);
        assert_eq!(read(u32::MAX), None);
        let mut peak = Resources::default();
        note(&mut peak, Usage { cpu_ms: Some(2.0), ..Usage::default() });
        note(&mut peak, Usage { cpu_ms: Some(1.0), threads: Some(2), ..Usage::default() });
        assert_eq!((peak.cpu_ms, peak.peak_threads), (Some(2.0), Some(2)));
    }
}
