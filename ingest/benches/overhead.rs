//! What watching costs: the same network built by `acta build` and by a bare C++ program without a monitor, alternating in
//! one run, and what a callback costs. Builds take seconds each, so it alternates by itself and prints medians; read the
//! ratio, not the times. `ACTA_BENCH_PAIRS` says how many pairs (7).

use std::{fs, path::Path, process::Command};

use acta_tests::{onnx, tensorrt};
use serde_json::Value;

fn output_of(command: &mut Command) -> String {
    let output = command.output().expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    // `cargo test --benches` and the like only ask whether it is there.
    if !std::env::args().any(|word| word == "--bench") {
        return;
    }
    let pairs: usize = std::env::var("ACTA_BENCH_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(7);
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let (model, bare) = (at("model.onnx"), at("bare"));
    fs::write(&model, onnx::chain(900, 64)).expect("the model is written");
    tensorrt::compile(&Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/bare.cpp"), &bare, &["-O2"]);
    let acta = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_acta"));
        command
            .env("ACTA_HOME", at("home"))
            .env("ACTA_TENSORRT_LIB_DIR", tensorrt::libraries())
            .arg("--quiet");
        command
    };
    output_of(acta().arg("init"));
    let cost = output_of(acta().arg("__callback-cost"));
    let (mut watched, mut alone, mut ratios, mut callbacks) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for pair in 0..pairs {
        let build_acta = || {
            let printed =
                output_of(acta().args(["build", "--json"]).arg(&model).arg("-o").arg(at("acta.plan")));
            let printed: Value = serde_json::from_str(&printed).expect("JSON");
            let predicate = &printed["predicate"];
            let part = |name: &str| predicate["durationMs"][name].as_f64().expect("a measured part");
            (part("build") + part("serialize"), predicate["phaseTree"]["callbacks"].as_u64().unwrap_or(0))
        };
        let build_bare = || {
            let printed =
                output_of(Command::new(&bare).arg(&model).arg(at("bare.plan")).arg(tensorrt::libraries()));
            printed.trim().parse::<f64>().expect("nanoseconds") / 1e6
        };
        // Which one is first alternates too: a machine that warms up or cools down favours neither.
        let ((with, calls), without) = if pair % 2 == 0 {
            let with = build_acta();
            (with, build_bare())
        } else {
            let without = build_bare();
            (build_acta(), without)
        };
        callbacks = calls;
        watched.push(with);
        alone.push(without);
        ratios.push(with / without);
        println!(
            "pair {}: watched {with:.0} ms, bare {without:.0} ms, ratio {:.4}",
            pair + 1,
            with / without
        );
    }
    let same = fs::read(at("acta.plan")).ok() == fs::read(at("bare.plan")).ok();
    println!(
        "{callbacks} callbacks; medians: watched {:.0} ms, bare {:.0} ms, ratio of the medians {:.4}, median of the ratios {:.4}",
        median(&mut watched),
        median(&mut alone),
        median(&mut watched) / median(&mut alone),
        median(&mut ratios)
    );
    println!("the plans' bytes are {}", if same { "identical" } else { "DIFFERENT" });
    println!("a callback: {}", cost.trim());
    assert!(same, "watching must not change what is built");
}
