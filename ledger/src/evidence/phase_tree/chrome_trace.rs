//! A phase tree as a Chrome trace (Trace Event Format, JSON object form), which Perfetto and `chrome://tracing` open.
//!
//! Phases become complete events (`X`). On one track of the format, events must lie inside each other, and a viewer shows
//! an inner one as a part of the outer; phases of TensorRT overlap. So a phase gets the track of its parent where nothing
//! else is open there when it begins and it ends within, and a track of its own otherwise. The steps of a cancel are
//! instants (`i`) over the whole process, what the builder used are counters (`C`). Times are microseconds since the build
//! call, with three digits behind the point, so no nanosecond is lost.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{PhaseTree, counters::CounterSample};
use crate::evidence::{cancel::CancelRecord, code, number::Count64};

/// The process that everything stands under: a trace holds one run.
const PROCESS: u32 = 1;

/// The format's media type.
pub const CHROME_TRACE_MEDIA_TYPE: &str = "application/json";

/// An open phase on a track.
struct Open {
    phase: u32,
    end: u64,
}

/// The track of each phase, by id, counted from 0. On a track, phases lie inside their ancestors or beside each other.
pub fn tracks(tree: &PhaseTree) -> Vec<u32> {
    let mut open: Vec<Vec<Open>> = Vec::new();
    let mut tracks = vec![0; tree.phases.len()];
    // Ids are in the order of beginning, as far as the agent heard; the format's rule is about time.
    let mut order: Vec<u32> = (0..tree.phases.len() as u32).collect();
    let begun = |id: u32| tree.phases[id as usize].started.0;
    let end = |id: u32| begun(id).saturating_add(tree.phases[id as usize].duration_ns(tree.duration.0));
    order.sort_by_key(|&id| (begun(id), std::cmp::Reverse(end(id)), id));
    for id in order {
        let parent = tree.phases[id as usize].parent;
        let fits = |track: &mut Vec<Open>| {
            track.retain(|it| it.end > begun(id) || (it.end == begun(id) && Some(it.phase) == parent));
            track.last().is_none_or(|above| Some(above.phase) == parent && end(id) <= above.end)
        };
        let preferred = parent.map(|parent| tracks[parent as usize] as usize);
        let free = preferred.filter(|&track| open.get_mut(track).is_some_and(fits)).or_else(|| {
            // Where it cannot lie inside its parent, it takes the first track on which nothing is open.
            open.iter_mut().position(|track| {
                track.retain(|it| it.end > begun(id));
                track.is_empty()
            })
        });
        let track = free.unwrap_or_else(|| {
            open.push(Vec::new());
            open.len() - 1
        });
        open[track].push(Open { phase: id, end: end(id) });
        tracks[id as usize] = track as u32;
    }
    tracks
}

/// Nanoseconds as the format's microseconds.
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// What each phase says of itself in a viewer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhaseArgs<'a> {
    id: u32,
    parent: Option<u32>,
    occurrence: u32,
    state: String,
    steps_announced: i64,
    steps_completed: u64,
    thread: u32,
    longest_silence_ns: Count64,
    name_digest: Option<&'a crate::log::digest::Sha256Digest>,
}

/// The trace of a run, as JSON. `title` names the process in the viewer.
pub fn chrome_trace(title: &str, tree: &PhaseTree, cancel: Option<&CancelRecord>) -> String {
    let tracks = tracks(tree);
    let mut events = vec![named("process_name", 0, title)];
    let count = tracks.iter().max().map_or(0, |last| last + 1);
    events.extend((0..count).map(|track| named("thread_name", track + 1, &format!("phases {}", track + 1))));
    for (phase, track) in tree.phases.iter().zip(&tracks) {
        let args = PhaseArgs {
            id: phase.id,
            parent: phase.parent,
            occurrence: phase.occurrence,
            state: code(&phase.state),
            steps_announced: phase.steps_announced,
            steps_completed: phase.steps_completed,
            thread: phase.thread,
            longest_silence_ns: phase.longest_silence,
            name_digest: phase.name_digest.as_ref(),
        };
        events.push(json!({
            "name": phase.name, "cat": "phase", "ph": "X", "pid": PROCESS, "tid": track + 1,
            "ts": us(phase.started.0), "dur": us(phase.duration_ns(tree.duration.0)), "args": args,
        }));
    }
    events.extend(cancel.into_iter().flat_map(steps));
    let samples = tree.counters.iter().flat_map(|counters| &counters.samples);
    events.extend(samples.flat_map(counters));
    json!({
        "displayTimeUnit": "ms",
        "otherData": { "run": tree.build_id, "durationNs": tree.duration, "source": "acta" },
        "traceEvents": events,
    })
    .to_string()
}

/// The name of the process or of a track.
fn named(what: &str, track: u32, name: &str) -> Value {
    json!({ "name": what, "ph": "M", "pid": PROCESS, "tid": track, "args": { "name": name } })
}

/// The moments of a cancel that lie on the build call's clock.
fn steps(cancel: &CancelRecord) -> Vec<Value> {
    let requested = cancel.requested_offset_ns;
    let delivered = requested
        .zip(cancel.request_to_delivery_ms)
        .map(|(at, ms)| Count64(at.0.saturating_add((ms * 1e6) as u64)));
    let moments = [
        ("cancel requested", requested),
        ("cancel delivered", delivered),
        ("cancel acknowledged", cancel.acknowledged_offset_ns),
        ("build call returned", cancel.returned_offset_ns),
        ("cleaned up", cancel.cleaned_offset_ns),
    ];
    let instant = |(name, at): (&str, Option<Count64>)| {
        Some(json!({
            "name": name, "cat": "cancel", "ph": "i", "s": "p", "pid": PROCESS, "tid": 0, "ts": us(at?.0),
            "args": { "source": code(&cancel.source) },
        }))
    };
    moments.into_iter().filter_map(instant).collect()
}

/// What the builder used at a moment: a counter for each quantity that was read.
fn counters(sample: &CounterSample) -> Vec<Value> {
    let quantities = [
        ("resident memory", "bytes", sample.rss_bytes.map(|bytes| bytes.0)),
        ("GPU memory", "bytes", sample.gpu_memory_bytes.map(|bytes| bytes.0)),
        ("GPU utilization", "percent", sample.gpu_utilization_percent.map(u64::from)),
        ("threads", "count", sample.threads.map(u64::from)),
    ];
    let counter = |(name, unit, value): (&str, &str, Option<u64>)| {
        let args: Map<String, Value> = [(unit.to_owned(), value?.into())].into_iter().collect();
        Some(
            json!({ "name": name, "ph": "C", "pid": PROCESS, "tid": 0, "ts": us(sample.at.0), "args": args }),
        )
    };
    quantities.into_iter().filter_map(counter).collect()
}

#[cfg(test)]
mod tests;
