//! Every target: its seeds are accepted, and what must hold for its parser holds for mutations of them.
//!
//! `ACTA_FUZZ_EXECUTIONS` asks for more executions of each.

use std::{fs, panic, path::Path, thread};

use acta_tests::fuzz::{Random, Read, TARGETS, Target, mutate};

/// What happened to the mutations of one target.
struct Count {
    accepted: u64,
    refused: u64,
}

/// Gives the target an input; where something does not hold, the input is kept and named.
fn ask(target: &Target, input: &[u8]) -> Read {
    panic::catch_unwind(|| (target.check)(input)).unwrap_or_else(|why| {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
        fs::write(&path, input).unwrap();
        eprintln!("target {}, input {}", target.name, path.display());
        panic::resume_unwind(why)
    })
}

fn fuzz(target: &Target, executions: u64) -> Count {
    let seeds = (target.seeds)();
    for (number, seed) in seeds.iter().enumerate() {
        let read = ask(target, seed);
        assert!(
            read == Read::Accepted || target.name == "bundle",
            "{}: seed {number} is refused",
            target.name
        );
    }
    let mut random = Random(0x00ac_7a01);
    let mut count = Count { accepted: 0, refused: 0 };
    for _ in 0..executions {
        let mut input = seeds[random.below(seeds.len())].clone();
        let other = random.below(seeds.len());
        mutate(&mut random, &mut input, &seeds[other]);
        match ask(target, &input) {
            Read::Accepted => count.accepted += 1,
            Read::Refused => count.refused += 1,
        }
    }
    count
}

#[test]
fn what_must_hold_holds_for_mutations_of_good_inputs() {
    let asked = std::env::var("ACTA_FUZZ_EXECUTIONS").ok().and_then(|text| text.parse().ok());
    let executions: u64 = asked.unwrap_or(2_000);
    let counts = thread::scope(|scope| {
        let spawned = TARGETS.iter().map(|target| (target, scope.spawn(move || fuzz(target, executions))));
        let spawned: Vec<_> = spawned.collect();
        spawned.into_iter().map(|(target, thread)| (target.name, thread.join())).collect::<Vec<_>>()
    });
    for (name, count) in counts {
        let count = count.unwrap_or_else(|_| panic!("target {name}: see above"));
        println!("{name}: {} accepted, {} refused", count.accepted, count.refused);
        // Any callbacks make a tree; everything else can be wrong.
        assert!(count.refused > 0 || name == "callbacks", "{name}: no mutation is refused");
        assert!(count.accepted > 0, "{name}: no mutation gets through, so nothing was checked");
    }
}
