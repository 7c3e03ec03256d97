//! A reader of the format with its rules of nesting, written from the format's description alone: what it reads must be
//! the phases of our table, with the same durations.

use std::collections::BTreeMap;

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::evidence::{
    cancel::{CancelSource, CancelState},
    phase_tree::{Activity, PHASE_TREE_SCHEMA, Phase, PhaseState, counters::Counters},
};

/// A complete event as a viewer takes it, times in nanoseconds.
#[derive(Debug)]
struct Slice {
    id: u64,
    from: u64,
    to: u64,
}

/// Reads a trace, and refuses one whose events on a track overlap without lying inside each other. Gives each slice's
/// duration and the slice that it lies in, by the phase's id.
fn read(text: &str) -> Result<BTreeMap<u64, (u64, Option<u64>)>, String> {
    let trace: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let ns = |value: &Value| (value.as_f64().expect("a number") * 1e3).round() as u64;
    let mut tracks: BTreeMap<(u64, u64), Vec<Slice>> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().expect("events") {
        let field = |name: &str| event[name].as_u64().unwrap_or_else(|| panic!("{name}: {event}"));
        match event["ph"].as_str().expect("a kind") {
            "X" => {
                let (from, long) = (ns(&event["ts"]), ns(&event["dur"]));
                let id = event["args"]["id"].as_u64().expect("an id");
                tracks.entry((field("pid"), field("tid"))).or_default().push(Slice {
                    id,
                    from,
                    to: from + long,
                });
            }
            "i" | "C" => assert!(event["ts"].as_f64().is_some_and(|at| at >= 0.0), "{event}"),
            "M" => assert!(event["args"]["name"].is_string(), "{event}"),
            other => return Err(format!("an event of kind {other:?}")),
        }
    }
    let mut slices = BTreeMap::new();
    for mut track in tracks.into_values() {
        // Of those that begin together, the longest is the outermost.
        track.sort_by_key(|slice| (slice.from, std::cmp::Reverse(slice.to)));
        let mut open: Vec<Slice> = Vec::new();
        for slice in track {
            while open.last().is_some_and(|above| above.to <= slice.from) {
                open.pop();
            }
            if let Some(above) = open.last().filter(|above| slice.to > above.to) {
                return Err(format!("{slice:?} begins inside {above:?} and ends behind it"));
            }
            slices.insert(slice.id, (slice.to - slice.from, open.last().map(|above| above.id)));
            open.push(slice);
        }
    }
    Ok(slices)
}

fn phase(id: u32, parent: Option<u32>, from: u64, to: Option<u64>) -> Phase {
    Phase {
        id,
        parent,
        name: format!("phase {id}"),
        name_digest: None,
        occurrence: 0,
        steps_announced: 1,
        steps_completed: 1,
        step_offsets: Vec::new(),
        started: Count64(from),
        finished: to.map(Count64),
        longest_silence: Count64(0),
        thread: 0,
        state: if to.is_some() { PhaseState::Finished } else { PhaseState::Interrupted },
        cancel_at_start: CancelState::None,
        cancel_at_end: CancelState::None,
        answered_stop: false,
    }
}

fn tree(duration: u64, phases: Vec<Phase>) -> PhaseTree {
    PhaseTree {
        schema: PHASE_TREE_SCHEMA.to_owned(),
        build_id: Uuid::from_u128(7),
        duration: Count64(duration),
        callbacks: 0,
        lost_events: 0,
        orphan_events: 0,
        phases_not_kept: 0,
        silence: None,
        activity: Activity { bin: Count64(1), counts: Vec::new() },
        counters: None,
        phases,
    }
}

#[test]
fn phases_that_overlap_stand_on_tracks_of_their_own() {
    let phases = vec![
        phase(0, None, 0, Some(9_000_000_001)),
        phase(1, Some(0), 1_000, Some(5_000)),
        phase(2, Some(0), 3_000, Some(7_000)),
        phase(3, Some(2), 3_500, Some(4_000)),
        phase(4, Some(0), 7_000, None),
        phase(5, Some(1), 4_000, Some(6_000)),
    ];
    let tree = tree(9_000_000_001, phases);
    assert_eq!(tracks(&tree), [0, 0, 1, 1, 0, 2]);
    let slices = read(&chrome_trace("run 7", &tree, None)).unwrap();
    for phase in &tree.phases {
        assert_eq!(slices[&u64::from(phase.id)].0, phase.duration_ns(tree.duration.0), "{}", phase.id);
    }
    assert_eq!(slices[&3].1, Some(2));
    assert_eq!((slices[&2].1, slices[&5].1), (None, None));
}

#[test]
fn the_reader_refuses_what_a_viewer_would_show_wrongly() {
    let event = |id: u32, ts: u32, dur: u32| json!({ "ph": "X", "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": { "id": id } });
    let trace = |events: [Value; 2]| json!({ "traceEvents": events }).to_string();
    assert!(read(&trace([event(0, 0, 5), event(1, 3, 5)])).unwrap_err().contains("begins inside"));
    assert!(read(&trace([event(0, 0, 5), event(1, 3, 2)])).is_ok());
    assert!(read(&trace([event(0, 0, 5), event(1, 5, 2)])).is_ok());
}

#[test]
fn a_cancel_and_what_was_used_stand_beside_the_phases() {
    let mut tree = tree(10_000_000, vec![phase(0, None, 0, None)]);
    let sample = CounterSample {
        at: Count64(1_500),
        rss_bytes: Some(Count64(4_096)),
        gpu_utilization_percent: Some(97),
        ..CounterSample::default()
    };
    tree.counters = Some(Counters { interval: Count64(1), samples: vec![sample] });
    let at = "2026-11-29T20:00:01Z".parse().unwrap();
    let cancel = CancelRecord {
        source: CancelSource::CtrlC,
        reason: None,
        who: None,
        requested_at: at,
        delivered_at: Some(at),
        acknowledged_at: Some(at),
        returned_at: None,
        cleaned_at: None,
        request_to_delivery_ms: Some(0.5),
        request_to_ack_ms: Some(2.0),
        ack_to_return_ms: None,
        ack_to_cleanup_ms: None,
        censored_after_ms: None,
        requested_offset_ns: Some(Count64(3_000_000)),
        acknowledged_offset_ns: Some(Count64(5_000_000)),
        returned_offset_ns: None,
        cleaned_offset_ns: None,
        open_at_request: vec![0],
        escalation: None,
        open_at_acknowledgement: Vec::new(),
        phase_at_request: None,
        deferrals: Vec::new(),
        request: None,
    };
    let text = chrome_trace("run 7", &tree, Some(&cancel));
    read(&text).unwrap();
    let trace: Value = serde_json::from_str(&text).unwrap();
    let of = |kind: &str| {
        let events = trace["traceEvents"].as_array().unwrap().iter().filter(|it| it["ph"] == kind);
        events
            .map(|it| (it["name"].as_str().unwrap().to_owned(), it["ts"].as_f64().unwrap()))
            .collect::<Vec<_>>()
    };
    let at = |name: &str, us: f64| (name.to_owned(), us);
    assert_eq!(
        of("i"),
        [
            at("cancel requested", 3_000.0),
            at("cancel delivered", 3_500.0),
            at("cancel acknowledged", 5_000.0)
        ]
    );
    assert_eq!(of("C"), [at("resident memory", 1.5), at("GPU utilization", 1.5)]);
    assert_eq!(trace["otherData"]["durationNs"], "10000000");
}

prop_compose! {
    /// Phases in any overlap, each within its parent or not, some never finished.
    fn any_tree()(
        raw in prop::collection::vec((any::<prop::sample::Index>(), 0..400_u64, 0..400_u64, 0..10_u8), 0..40),
    ) -> PhaseTree {
        let mut starts: Vec<u64> = raw.iter().map(|it| it.1).collect();
        starts.sort_unstable();
        let phases = raw.iter().zip(starts).enumerate().map(|(id, ((parent, _, long, kind), from))| {
            let parent = (id > 0 && *kind > 1).then(|| parent.index(id) as u32);
            phase(id as u32, parent, from, (*kind != 9).then_some(from + long))
        });
        tree(1_000, phases.collect())
    }
}

proptest! {
    #[test]
    fn any_phases_nest_on_their_tracks_and_keep_their_durations(tree in any_tree()) {
        let slices = read(&chrome_trace("run", &tree, None)).map_err(TestCaseError::fail)?;
        prop_assert_eq!(slices.len(), tree.phases.len());
        for phase in &tree.phases {
            let (duration, inside) = slices[&u64::from(phase.id)];
            prop_assert_eq!(duration, phase.duration_ns(tree.duration.0));
            // A viewer shows what lies inside as a part: only an ancestor may stand above.
            let mut above = Vec::new();
            let mut at = phase.parent;
            while let Some(id) = at {
                above.push(u64::from(id));
                at = tree.phases[id as usize].parent;
            }
            prop_assert!(inside.is_none_or(|inside| above.contains(&inside)), "{:?} in {:?}", phase, inside);
        }
    }
}
