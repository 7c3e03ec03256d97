//! The phase tree over callbacks that were recorded from real builds (where that data is at hand).

use std::{fs, path::PathBuf};

use acta_ledger::evidence::{
    cancel::CancelState,
    phase_tree::{
        PhaseState, PhaseTree,
        assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    },
};
use serde_json::Value;
use uuid::Uuid;

/// The folder beside the project, or the one that `ACTA_SHARED` names; none on a machine without it.
fn recordings() -> Option<PathBuf> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared"));
    let shared = std::env::var_os("ACTA_SHARED").map_or_else(beside, PathBuf::from);
    let folder = shared.join("data/onnx/events");
    if !folder.is_dir() {
        println!("no recorded events at {}: nothing to look at", folder.display());
        return None;
    }
    Some(folder)
}

fn replay(text: &str) -> PhaseTree {
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let mut last = 0;
    for line in text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON")) {
        let Some(event) = line["ev"].as_str().filter(|event| ["start", "step", "finish"].contains(event))
        else {
            continue;
        };
        last = (line["t"].as_f64().expect("a time") * 1e9) as u64;
        let kind = match event {
            "start" => RawKind::Start {
                parent: line["parent"].as_str().map(Into::into),
                steps: line["steps"].as_i64().expect("steps"),
            },
            "step" => RawKind::Step {
                step: line["step"].as_i64().expect("a step"),
                answered_stop: line["returned"] == Value::Bool(false),
            },
            _ => RawKind::Finish,
        };
        let name = line["name"].as_str().expect("a name").into();
        builder.record(RawEvent { at: last, thread: 0, name, kind, cancel: CancelState::None });
    }
    builder.finish(last, Ending::Returned)
}

#[test]
fn every_recording_becomes_a_tree_without_orphans() {
    let Some(folder) = recordings() else { return };
    let mut seen = 0;
    for file in fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()) {
        let tree = replay(&fs::read_to_string(&file).expect("text"));
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(tree.is_well_formed(), "{name}");
        assert_eq!((tree.orphan_events, tree.lost_events), (0, 0), "{name}");
        assert_eq!(tree.phases[0].name, "Building engine", "{name}");
        assert!(tree.phases.iter().skip(1).all(|phase| phase.parent.is_some()), "{name}: one root");
        assert!(
            tree.phases
                .iter()
                .all(|phase| matches!(phase.state, PhaseState::Finished | PhaseState::FinishedEarly)),
            "{name}: every open phase is closed, also by a cancel"
        );
        seen += 1;
    }
    assert!(seen >= 7, "only {seen} recordings");
}

#[test]
fn the_recorded_silent_cancel_is_told_as_it_was() {
    let Some(folder) = recordings() else { return };
    let text = fs::read_to_string(folder.join("cancel-slow-residual300.jsonl")).expect("text");
    let tree = replay(&text);
    let silence = tree.silence.expect("a silence");
    assert!((5.0..5.3).contains(&(silence.length_ns() as f64 / 1e9)), "{silence:?}");
    let phase = &tree.phases[silence.phase.expect("a phase") as usize];
    assert_eq!(phase.name, "Determining refit engines");
    assert!(phase.answered_stop);
    assert_eq!(tree.phases.len(), 12);
}
