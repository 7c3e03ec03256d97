//! Mutations of bundles: byte flips, truncations, splices and edits of lengths, from a fixed seed.
//!
//! Runs 20,000 executions; `ACTA_FUZZ_EXECUTIONS` asks for another number (1,000,000 before a release), and where the
//! corpus is there its small files take part in long runs. Nothing may panic, and memory must stay flat.

use std::{collections::BTreeMap, fs, path::PathBuf};

use acta_ledger::evidence::bundle::{Verdict, diff, inspect};
use acta_tests::fuzz::{Random, target};

/// Numbers that lengths and offsets are replaced by.
const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "-1",
    "1.5",
    "65536",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "true",
    "\"7\"",
];

fn mutate(random: &mut Random, file: &mut Vec<u8>, other: &[u8]) {
    let before = file.len() as u64;
    let kind = random.below(8);
    match kind {
        0 => {
            let at = random.below(file.len());
            if let Some(byte) = file.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            let at = random.below(file.len());
            if let Some(byte) = file.get_mut(at) {
                *byte = random.draw() as u8;
            }
        }
        2 => file.truncate(random.below(file.len() + 1)),
        3 => {
            let (from, to) = (random.below(other.len() + 1), random.below(other.len() + 1));
            let (at, end) = (random.below(file.len() + 1), random.below(file.len() + 1));
            let piece = &other[from.min(to)..from.max(to)];
            file.splice(at.min(end)..at.max(end), piece[..piece.len().min(512)].iter().copied());
        }
        4 if file.len() >= 16 => {
            let length = match random.below(4) {
                0 => random.draw(),
                1 => random.draw() % 4096,
                2 => 1 << random.below(64),
                _ => (file.len() as u64).wrapping_sub(random.draw() % 64),
            };
            file[8..16].copy_from_slice(&length.to_le_bytes());
        }
        // A number of the header becomes another one.
        5 | 6 if file.len() > 16 => {
            let digits: Vec<usize> =
                (16..file.len().min(1 << 12)).filter(|&at| file[at].is_ascii_digit()).collect();
            if let Some(&at) = digits.get(random.below(digits.len())) {
                let end = (at..file.len()).find(|&end| !file[end].is_ascii_digit()).unwrap_or(file.len());
                file.splice(at..end, NUMBERS[random.below(NUMBERS.len())].bytes());
            }
        }
        _ => {
            let at = random.below(file.len() + 1);
            let piece: Vec<u8> =
                (0..random.below(9)).map(|_| b"{}[]:,\"\\ue0\0\xff"[random.below(13)]).collect();
            file.splice(at..at, piece);
        }
    }
    // The header length mostly follows, so that what comes behind it is reached.
    if matches!(kind, 3 | 5..) && file.len() >= 16 && random.below(8) > 0 {
        let grown = (file.len() as u64).wrapping_sub(before);
        let length = u64::from_le_bytes(file[8..16].try_into().expect("eight bytes")).wrapping_add(grown);
        file[8..16].copy_from_slice(&length.to_le_bytes());
    }
}

fn seeds(long: bool) -> Vec<Vec<u8>> {
    let mut seeds = (target("bundle").expect("a target").seeds)();
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared");
    let folder = std::env::var_os("ACTA_SHARED").map_or_else(|| PathBuf::from(beside), PathBuf::from);
    if let Ok(entries) = fs::read_dir(folder.join("data/bundles")).map_err(drop)
        && long
    {
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "bundle")) {
            let bytes = fs::read(path).expect("a file of the corpus");
            // The plans are cut, so that mutations hit the header often.
            seeds.push(bytes[..bytes.len().min(4096)].to_vec());
        }
    }
    seeds
}

/// The most memory that this process ever had, in KiB; none where the system does not say it.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

#[test]
fn no_mutation_makes_the_reader_panic_or_grow() {
    let asked = std::env::var("ACTA_FUZZ_EXECUTIONS").ok().and_then(|text| text.parse().ok());
    let executions: u64 = asked.unwrap_or(20_000);
    let seeds = seeds(executions > 20_000);
    let before = peak_kib();
    let mut random = Random(0x00ac_7a00);
    let mut valid = 0_u64;
    let mut broken = BTreeMap::new();
    let check = target("bundle").expect("a target").check;
    let mut last = inspect(&b""[..], 0).unwrap();
    for _ in 0..executions {
        let mut file = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(4) {
            let other = random.below(seeds.len());
            mutate(&mut random, &mut file, &seeds[other]);
        }
        check(&file);
        let it = inspect(&file[..], file.len() as u64).expect("a slice does not fail");
        valid += u64::from(it.verdict == Verdict::Valid);
        for error in &it.errors {
            *broken.entry(error.rule).or_insert(0_u64) += 1;
        }
        let between = diff(&last, &it);
        assert_eq!(between.same, last.digest == it.digest);
        last = it;
    }
    println!("{executions} executions, {valid} valid; rules broken: {broken:?}");
    assert!(executions < 20_000 || broken.len() > 30, "mutations reach the rules: {broken:?}");
    assert!(valid > 0 && valid < executions, "mutations reach both verdicts: {valid} of {executions}");
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        assert!(after - before < 64 << 10, "memory grew from {before} to {after} KiB");
    }
}
