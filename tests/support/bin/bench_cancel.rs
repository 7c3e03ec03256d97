//! Measures the way of a cancel from the click in the portal to the step that answers "stop", over real builds: server,
//! agent and TensorRT-RTX are the programs themselves, all on this machine and so on one monotonic clock.
//!
//! Two numbers a cancel. The **way to the flag**: from just before the request is sent until the builder's flag is set.
//! The **excess**: from the first step that completed after the click until the step that answered; it is 0 where the
//! flag was set before that step, and it is what the way from the portal has cost on top of the library's own wait.

use std::{fs, process::ExitCode, time::Duration};

use acta_ledger::judge::percentile::{SampleError, Samples};
use acta_tests::{
    onnx,
    portal::Person,
    process::{Agent, Server},
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

/// Cancels that are measured where the command line says nothing else: enough for a p99.
const CANCELS: usize = 100;

/// The excess may have this p99 at most, in milliseconds.
const LIMIT_MS: f64 = 10.0;

fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// A moment of a live state.
fn moment(value: &Value) -> Option<u64> {
    value.as_str()?.parse().ok()
}

/// The way to the flag and the excess in milliseconds; none where the build was over before.
fn measure(agent: &Agent, model: &str, rita: &Person, number: usize) -> Option<[f64; 2]> {
    let (plan, evidence) = (agent.home().join("b.plan"), agent.home().join("evidence"));
    let [plan, folder] = [&plan, &evidence].map(|path| path.to_str().expect("UTF-8"));
    let before = monotonic_ns();
    let child =
        agent.command(&["build", model, "-o", plan, "--json", "--evidence-dir", folder]).spawn().ok()?;
    let building = |view: &Value| view["state"]["phases"].as_array().is_some_and(|phases| phases.len() > 2);
    let run = loop {
        let listed = rita.get("/api/v1/live").unwrap_or_default();
        let mine = |view: &&Value| {
            moment(&view["state"]["started"]).is_some_and(|at| at >= before) && building(view)
        };
        if let Some(view) = listed["builds"].as_array().into_iter().flatten().find(mine) {
            break view["build"]["run"].as_str()?.to_owned();
        }
        if monotonic_ns() - before > 120_000_000_000 {
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    // Each click at another place of the build.
    std::thread::sleep(Duration::from_millis((number * 37 % 200) as u64));
    let click = monotonic_ns();
    rita.cancel(&run, "bench");
    let ended: acta_tests::process::Ended = child.wait_with_output().ok()?.into();
    let view = rita.get(&format!("/api/v1/live/{run}"))?;
    let (state, cancel) = (&view["state"], &view["state"]["cancel"]);
    let began = moment(&state["buildBegan"])?;
    let (delivered, acknowledged) = (moment(&cancel["delivered"])?, moment(&cancel["acknowledged"])?);
    assert_eq!(ended.code(), 4, "{}", ended.stderr);
    let events = fs::read_to_string(evidence.join("events.ndjson")).ok()?;
    let steps = events.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let at = steps
        .filter(|event| event["event"] == "step")
        .filter_map(|event| Some(began + moment(&event["at"])?));
    let next = at.filter(|&at| at >= click).min()?;
    let ms = |ns: u64| ns as f64 / 1e6;
    Some([ms(delivered.saturating_sub(click)), ms(acknowledged.saturating_sub(next))])
}

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(CANCELS);
    let server = Server::start(&[]);
    let agent = Agent::enrolled(&server, "bench");
    let rita = Person::sign_in(&server, "rita", "reviewer");
    let model = agent.file("slow.onnx", &onnx::chain(300, 64));
    let (mut ways, mut excesses, mut late) = (Vec::new(), Vec::new(), 0);
    while ways.len() < wanted && late <= wanted {
        match measure(&agent, &model, &rita, ways.len() + late) {
            Some([way, excess]) => {
                ways.push(way);
                excesses.push(excess);
            }
            None => late += 1,
        }
    }
    println!("{} cancels measured, {late} builds were over before the click was answered", ways.len());
    tell("click to the builder's flag", &ways);
    let p99 = tell("excess over the next step", &excesses);
    if p99 <= LIMIT_MS { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tells the percentiles, and gives the highest that there are samples for.
fn tell(what: &str, values: &[f64]) -> f64 {
    let samples = match Samples::new(values) {
        Ok(samples) => samples,
        Err(SampleError::AllZero) => {
            println!("{what}, ms: 0 for each of {}", values.len());
            return 0.0;
        }
        Err(error) => {
            println!("{what}: {error}");
            return f64::INFINITY;
        }
    };
    let [p50, p95, p99] = [500, 950, 990].map(|per_mille| samples.percentile(per_mille).value());
    let word = |value: Option<f64>| value.map_or_else(|| "too few".to_owned(), |value| format!("{value:.2}"));
    println!(
        "{what}, ms: p50 {}, p95 {}, p99 {}, longest {:.2}",
        word(p50),
        word(p95),
        word(p99),
        samples.max()
    );
    p99.unwrap_or_else(|| samples.max())
}
