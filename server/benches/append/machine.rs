//! What the machine can do by itself: syncs of a disk, checks of signatures.

use std::{fs::File, os::unix::fs::FileExt as _, path::Path, time::Instant};

use acta_ledger::{
    evidence::build::BuildSummary,
    log::dsse::{Envelope, pae},
};
use acta_tests::evidence::TestAgent;

use crate::Round;

/// 1,000 writes of 4 KB one after another, each synced.
pub fn syncs(folder: &Path) -> Round {
    let file = File::create(folder.join("sync")).expect("a file");
    let begun = Instant::now();
    let waits: Vec<f64> = (0..1000u64)
        .map(|number| {
            let begun = Instant::now();
            file.write_all_at(&[7; 4096], number * 4096).expect("a write");
            file.sync_data().expect("a sync");
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    Round { rate: 1000.0 / begun.elapsed().as_secs_f64(), waits }
}

/// Strict checks of these envelopes' signatures a second, on all cores at once.
pub fn signatures(agent: &TestAgent, envelopes: &[(Vec<u8>, BuildSummary)]) -> f64 {
    let sample: Vec<(Vec<u8>, Vec<u8>)> = envelopes
        .iter()
        .take(2000)
        .map(|(envelope, _)| Envelope::parse(envelope).expect("an envelope"))
        .map(|envelope| (pae(&envelope.payload_type, &envelope.payload), envelope.signatures[0].sig.clone()))
        .collect();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (key, begun) = (agent.public(), Instant::now());
    let checked: usize = std::thread::scope(|scope| {
        let check = || {
            let mut checked = 0;
            while begun.elapsed().as_secs_f64() < 1.0 {
                for (message, signature) in sample.iter().cycle().skip(checked % sample.len()).take(100) {
                    assert!(key.verify(message, signature));
                }
                checked += 100;
            }
            checked
        };
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(check)).collect();
        threads.into_iter().map(|thread| thread.join().expect("checks end")).sum()
    });
    checked as f64 / begun.elapsed().as_secs_f64()
}

/// Processor seconds that a process has used so far.
pub fn cpu_seconds(process: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The fields behind the command in parentheses; the 12th and 13th of them are user and system time in ticks of 10 ms.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |field: usize| fields.get(field).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}
