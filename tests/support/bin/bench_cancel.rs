//! Measures the way of a cancel from the click in the portal to the step that answers "stop", over real builds: server,
//! agent and TensorRT-RTX are the programs themselves, all on this machine and so on one monotonic clock.
//!
//! The library makes its steps in one burst and is silent for the rest of a build, so that a click between two of its
//! steps is rare. Two kinds of builds are measured therefore:
//!
//! - **dense**: a C++ builder under `acta run`, whose monitor is `acta_monitor.hpp` and takes a millisecond before each
//!   step. The library's thousand steps "Cloning network graph" are then a second of steps close together, and a click falls
//!   among them. `ACTA_BENCH_CANCELS` says how many (100).
//! - **acta build**: the agent's own worker, the library as fast as it is. `ACTA_BENCH_BUILDS` says how many (20).
//!
//! Two numbers a cancel. The **way to the flag**: from just before the request is sent until the builder's flag is set.
//! The **excess**: from the first step that completed after the click until the step that answered. It is what the way
//! from the portal has cost on top of the library's own wait; where the flag was set before that step, it is 0. For dense
//! builds also the time between two steps around the click is told, which bounds how much of the way a wait can hide.

use std::{
    fs,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

use acta_ledger::judge::percentile::{SampleError, Samples};
use acta_tests::{
    onnx,
    portal::Person,
    process::{Agent, Ended, Server},
    tensorrt,
};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;

/// The excess may have this p99 at most, in milliseconds.
const LIMIT_MS: f64 = 10.0;

/// How long a dense builder takes before each step, in microseconds.
const STEP_US: &str = "1000";

/// How far from the click steps count as around it.
const AROUND_NS: u64 = 100_000_000;

/// How long a build may take until its steps begin.
const PATIENCE: Duration = Duration::from_secs(120);

/// Who builds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Builder {
    /// A C++ program whose steps lie close together.
    Dense,
    /// `acta build`.
    Worker,
}

/// What a cancel came to, in milliseconds.
struct Cancel {
    way: f64,
    /// The part of the way that the request spent in the server.
    held: f64,
    excess: f64,
    /// The times between steps around the click.
    intervals: Vec<f64>,
}

struct Bench {
    agent: Agent,
    rita: Person,
    program: String,
    model: String,
    libraries: String,
}

fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// A moment of a live state.
fn moment(value: &Value) -> Option<u64> {
    value.as_str()?.parse().ok()
}

fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

impl Bench {
    fn new(server: &Server) -> Self {
        let agent = Agent::enrolled(server, "bench");
        let rita = Person::sign_in(server, "rita", "reviewer");
        let model = agent.file("chain.onnx", &onnx::chain(300, 64));
        let program = agent.home().join("builder");
        let room = tensorrt::workspace().join("ingest");
        let clients = room.join("clients/cpp");
        let options = ["-O2", "-I", clients.to_str().expect("UTF-8")];
        tensorrt::compile(&room.join("tests/clients/build.cpp"), &program, &options);
        let text = |path: std::path::PathBuf| path.to_str().expect("UTF-8").to_owned();
        Self { agent, rita, program: text(program), model, libraries: text(tensorrt::libraries()) }
    }

    fn command(&self, builder: Builder, plan: &str, evidence: &str) -> Command {
        match builder {
            Builder::Dense => {
                let words = ["run", "--json", "--evidence-dir", evidence, "--", &self.program];
                let mut command = self.agent.command(&words);
                command.args([&self.model, plan, &self.libraries]).env("ACTA_TEST_STEP_US", STEP_US);
                command
            }
            Builder::Worker => {
                self.agent.command(&["build", &self.model, "-o", plan, "--json", "--evidence-dir", evidence])
            }
        }
    }

    /// The run of the build that began after `before`, once its steps have begun; none where they never do.
    fn run_since(&self, builder: Builder, before: u64) -> Option<String> {
        let begun = Instant::now();
        let steps_begin = |state: &Value| match builder {
            Builder::Dense => state["callbacks"].as_u64().is_some_and(|callbacks| callbacks > 20),
            Builder::Worker => state["phases"].as_array().is_some_and(|phases| phases.len() > 2),
        };
        while begun.elapsed() < PATIENCE {
            let listed = self.rita.get("/api/v1/live").unwrap_or_default();
            let mine = |view: &&Value| {
                let state = &view["state"];
                moment(&state["started"]).is_some_and(|at| at >= before) && steps_begin(state)
            };
            if let Some(view) = listed["builds"].as_array().into_iter().flatten().find(mine) {
                return view["build"]["run"].as_str().map(str::to_owned);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }

    /// Cancels a build; none where it was over before.
    fn measure(&self, builder: Builder, number: usize) -> Option<Cancel> {
        let (plan, evidence) = (self.agent.home().join("b.plan"), self.agent.home().join("evidence"));
        let [plan, folder] = [&plan, &evidence].map(|path| path.to_str().expect("UTF-8"));
        let before = monotonic_ns();
        let child = self.command(builder, plan, folder).spawn().expect("acta starts");
        let Some(run) = self.run_since(builder, before) else {
            child.wait_with_output().expect("acta ends");
            return None;
        };
        // Each click at another place of the build.
        std::thread::sleep(Duration::from_millis((number * 37 % 200) as u64));
        let click = monotonic_ns();
        self.rita.cancel(&run, "bench");
        let ended: Ended = child.wait_with_output().expect("acta ends").into();
        let view = self.rita.get(&format!("/api/v1/live/{run}"))?;
        let (state, cancel) = (&view["state"], &view["state"]["cancel"]);
        let began = moment(&state["buildBegan"])?;
        let (delivered, acknowledged) = (moment(&cancel["delivered"])?, moment(&cancel["acknowledged"])?);
        assert_eq!(ended.code(), 4, "{}", ended.stderr);
        let events = fs::read_to_string(evidence.join("events.ndjson")).expect("the events were written");
        let events = events.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let steps: Vec<u64> = events
            .filter(|event| event["event"] == "step")
            .filter_map(|event| Some(began + moment(&event["at"])?))
            .collect();
        let next = *steps.iter().find(|at| **at >= click)?;
        let around: Vec<u64> = steps.into_iter().filter(|at| at.abs_diff(click) < AROUND_NS).collect();
        Some(Cancel {
            way: ms(delivered.saturating_sub(click)),
            held: ended.json()["predicate"]["cancel"]["request"]["heldMs"]
                .as_f64()
                .expect("it came from there"),
            excess: ms(acknowledged.saturating_sub(next)),
            intervals: around.windows(2).map(|pair| ms(pair[1] - pair[0])).collect(),
        })
    }

    /// Cancels as many builds as wanted; gives the highest percentile of the excess that there are samples for.
    fn round(&self, builder: Builder, wanted: usize) -> f64 {
        let (mut cancels, mut late, begun) = (Vec::new(), 0, Instant::now());
        while cancels.len() < wanted && late <= wanted {
            match self.measure(builder, cancels.len() + late) {
                Some(cancel) => cancels.push(cancel),
                None => late += 1,
            }
        }
        let name = if builder == Builder::Dense { "dense" } else { "acta build" };
        println!(
            "{name}: {} cancels in {:.0} s; {late} builds were over before the click was answered",
            cancels.len(),
            begun.elapsed().as_secs_f64()
        );
        let all = |of: fn(&Cancel) -> f64| cancels.iter().map(of).collect::<Vec<f64>>();
        if builder == Builder::Dense {
            let intervals: Vec<f64> = cancels.iter().flat_map(|cancel| cancel.intervals.clone()).collect();
            tell("between two steps around the click", &intervals);
        }
        tell("click to the builder's flag", &all(|cancel| cancel.way));
        tell("of it inside the server", &all(|cancel| cancel.held));
        tell("excess over the next step", &all(|cancel| cancel.excess))
    }
}

fn wanted(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn main() -> ExitCode {
    let server = Server::start(&[]);
    let bench = Bench::new(&server);
    let dense = bench.round(Builder::Dense, wanted("ACTA_BENCH_CANCELS", 100));
    bench.round(Builder::Worker, wanted("ACTA_BENCH_BUILDS", 20));
    let holds = dense <= LIMIT_MS;
    let verdict = if holds { "holds" } else { "DOES NOT HOLD" };
    println!("p99 of the excess of dense builds: {dense:.2} ms, at most {LIMIT_MS} ms wanted: {verdict}");
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Tells the percentiles, and gives the highest that there are samples for.
fn tell(what: &str, values: &[f64]) -> f64 {
    let samples = match Samples::new(values) {
        Ok(samples) => samples,
        Err(SampleError::AllZero) => {
            println!("  {what}, ms: 0 for each of {}", values.len());
            return 0.0;
        }
        Err(error) => {
            println!("  {what}: {error}");
            return f64::INFINITY;
        }
    };
    let [p50, p95, p99] = [500, 950, 990].map(|per_mille| samples.percentile(per_mille).value());
    let word = |value: Option<f64>| value.map_or_else(|| "too few".to_owned(), |value| format!("{value:.2}"));
    println!(
        "  {what}, ms: p50 {}, p95 {}, p99 {}, longest {:.2}",
        word(p50),
        word(p95),
        word(p99),
        samples.max()
    );
    p99.unwrap_or_else(|| samples.max())
}
