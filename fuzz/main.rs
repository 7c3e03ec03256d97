//! A fuzz target of `acta-tests` under libFuzzer, which is led by coverage. `scripts/fuzz` builds and runs it.
//!
//! `ACTA_FUZZ_TARGET` names the target; `ACTA_FUZZ_SEEDS` names a folder that its seeds are written into.
#![no_main]

use std::{env, fs, path::Path, process, sync::OnceLock};

use acta_tests::fuzz::{TARGETS, Target, target};
use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<&Target> = OnceLock::new();

fn choose() -> &'static Target {
    let name = env::var("ACTA_FUZZ_TARGET").unwrap_or_default();
    let Some(target) = target(&name) else {
        let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("ACTA_FUZZ_TARGET is {name:?}, expected one of {}", names.join(", "));
        process::exit(2);
    };
    if let Some(folder) = env::var_os("ACTA_FUZZ_SEEDS") {
        for (number, seed) in (target.seeds)().iter().enumerate() {
            let path = Path::new(&folder).join(format!("seed-{number}"));
            if let Err(error) = fs::write(&path, seed) {
                eprintln!("{}: {error}", path.display());
                process::exit(2);
            }
        }
    }
    target
}

fuzz_target!(init: { TARGET.get_or_init(choose); }, |data: &[u8]| {
    (TARGET.get_or_init(choose).check)(data);
});
