//! What an agent says over the live channel.

use std::collections::BTreeMap;

use acta_ledger::{
    evidence::{cancel::NoCancelWindow, number::Count64},
    live::{LiveBuild, LivePhase, LiveState, LiveUsage, PROTOCOL, Stage},
};
use uuid::Uuid;

/// A build.
///
/// # Panics
///
/// Never: the moment is one.
pub fn build(run: Uuid) -> LiveBuild {
    LiveBuild {
        protocol: PROTOCOL,
        run,
        route: Some("test/live".to_owned()),
        attempt: 1,
        retry_of: None,
        model: "net.onnx".to_owned(),
        settings: BTreeMap::new(),
        started_at: "2026-11-29T20:31:07Z".parse().expect("a moment"),
    }
}

/// A build at a stage: a second after it began, with one open phase once the build call runs.
pub fn state(stage: Stage) -> LiveState {
    let calls = matches!(stage, Stage::Building);
    let phase = LivePhase {
        id: 0,
        parent: None,
        name: "Building engine".to_owned(),
        occurrence: 0,
        steps_announced: 6,
        steps_completed: 2,
        started: Count64(1_000),
        finished: None,
        folded: 0,
    };
    LiveState {
        now: Count64(2_000_000_000),
        started: Count64(1_000_000_000),
        stage,
        builder: None,
        tensorrt_version: None,
        kind: None,
        build_began: calls.then_some(Count64(1_100_000_000)),
        last_callback: calls.then_some(Count64(1_900_000_000)),
        callbacks: u64::from(calls) * 3,
        steps_per_s: None,
        phase_count: u64::from(calls),
        phases: if calls { vec![phase] } else { Vec::new() },
        usage: LiveUsage::default(),
        window: (stage == Stage::Writing).then_some(NoCancelWindow::ArtifactWrite),
        cancel: None,
        end: None,
    }
}
