//! What must hold for the evidence's formats: what a page shows of any bytes has nothing to fear from them.

use acta_ledger::{
    evidence::{
        bundle::{MAX_KEPT, Verdict, diff, inspect},
        cancel::CancelState,
        event::EventKind,
        phase_tree::{
            PhaseTree,
            assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind, RawName},
        },
    },
    judge::own_time,
    live::{FromAgent, ToAgent},
};
use uuid::Uuid;

use super::Read;

/// The bundle reader: a verdict and its errors agree, and no section lies outside the file.
///
/// # Panics
///
/// Where that does not hold.
pub fn bundle(data: &[u8]) -> Read {
    let it = inspect(data, data.len() as u64).expect("a slice does not fail");
    assert_eq!(it.verdict == Verdict::Valid, it.errors.is_empty());
    assert!(it.errors.len() <= MAX_KEPT && it.findings.len() <= MAX_KEPT);
    let payload = it.payload_bytes.map_or(0, |bytes| bytes.0);
    for section in it.sections.iter().filter(|section| section.digest.is_some()) {
        let (offset, bytes) = (section.offset.expect("a place").0, section.bytes.expect("a length").0);
        assert!(offset.checked_add(bytes).is_some_and(|end| end <= payload), "{section:?}");
    }
    let same = diff(&it, &it);
    assert!(same.same, "a bundle does not differ from itself");
    Read::accepted(it.verdict == Verdict::Valid)
}

/// Messages of the live channel, in both directions: read, written and read again they are the same, and what passes
/// the check is bounded.
pub fn live_message(data: &[u8]) -> Read {
    if let Ok(message) = serde_json::from_slice::<ToAgent>(data) {
        let again = serde_json::to_vec(&message).expect("JSON");
        assert_eq!(serde_json::from_slice::<ToAgent>(&again).expect("what was written can be read"), message);
        return Read::Accepted;
    }
    let Ok(message) = serde_json::from_slice::<FromAgent>(data) else { return Read::Refused };
    let again = serde_json::to_vec(&message).expect("JSON");
    assert_eq!(serde_json::from_slice::<FromAgent>(&again).expect("what was written can be read"), message);
    let sound = match &message {
        FromAgent::Build(build) => build.check().is_ok(),
        FromAgent::State(state) => state.check().is_ok(),
    };
    if let (true, FromAgent::State(state)) = (sound, &message) {
        assert!(state.open_phases().all(|phase| phase.finished.is_none()));
        assert!(state.silence().is_none_or(|silence| silence <= state.now.0));
        assert!(state.phases.iter().all(|phase| phase.parent.is_none_or(|parent| parent < phase.id)));
    }
    Read::accepted(sound)
}

/// What pages do with a tree.
fn look_at(tree: &PhaseTree) {
    let mut walked = tree.walk();
    assert_eq!(walked.len(), tree.phases.len(), "the walk comes by every phase");
    walked.sort_unstable();
    assert!(walked.iter().enumerate().all(|(at, &id)| id as usize == at), "and by each once");
    for phase in tree.phases.iter().take(64) {
        assert_eq!(tree.path(phase.id).len(), tree.depth(phase.id) + 1);
        assert!(tree.share(phase).is_finite());
    }
    let own = own_time::own_times(tree);
    assert_eq!(own.len(), tree.phases.len());
}

/// Phase trees as blobs: what is well formed can be shown, and keeps its form.
pub fn phase_tree(data: &[u8]) -> Read {
    let Ok(tree) = serde_json::from_slice::<PhaseTree>(data) else { return Read::Refused };
    let again = serde_json::to_vec(&tree).expect("JSON");
    assert_eq!(serde_json::from_slice::<PhaseTree>(&again).expect("what was written can be read"), tree);
    if tree.is_well_formed() {
        look_at(&tree);
    }
    Read::accepted(tree.is_well_formed())
}

/// Callbacks in any order make a well-formed tree that accounts for each of them.
///
/// Each four bytes are a callback: its kind, its name, its parent's name, how much later it comes.
pub fn callbacks(data: &[u8]) -> Read {
    const NAMES: [&[u8]; 6] = [b"a", b"b", b"layer \xff", b"", b"\xf0\x9f\x9a\x80", b"a/b"];
    let name = |byte: u8| RawName::from(NAMES[usize::from(byte) % NAMES.len()]);
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let (mut at, mut starts, mut orphans) = (0_u64, 0_u64, 0_u64);
    for event in data.chunks_exact(4).take(4096) {
        at = at.wrapping_add(u64::from(event[3]) << (event[3] % 40));
        let parent = (event[2] < 0xc0).then(|| name(event[2]));
        let kind = match event[0] % 4 {
            0 | 1 => RawKind::Start { parent, steps: i64::from(event[2]) - 1 },
            2 => RawKind::Step { step: i64::from(event[2]), answered_stop: event[2] == 7 },
            _ => RawKind::Finish,
        };
        let thread = u32::from(event[0] >> 6);
        let event = RawEvent { at, thread, name: name(event[1]), kind, cancel: CancelState::None };
        let said = builder.record(event);
        starts += u64::from(said.event == EventKind::Start);
        orphans += u64::from(said.event != EventKind::Start && said.phase_id.is_none());
    }
    let callbacks = builder.callbacks();
    let snapshot = builder.snapshot(at);
    let tree = builder.finish(at, Ending::Crashed);
    for tree in [&snapshot, &tree] {
        assert!(tree.is_well_formed());
        assert_eq!(tree.phases.len() as u64 + tree.phases_not_kept, starts);
        assert_eq!(tree.callbacks, callbacks);
        // A beginning under an unknown parent is an orphan, too.
        assert!((orphans..=callbacks).contains(&tree.orphan_events));
        assert_eq!(tree.activity.counts.iter().map(|&count| u64::from(count)).sum::<u64>(), callbacks);
        assert!(tree.phases.iter().all(|phase| phase.longest_silence.0 <= tree.duration.0));
        look_at(tree);
    }
    assert_eq!(phase_tree(&serde_json::to_vec(&tree).expect("JSON")), Read::Accepted);
    Read::Accepted
}
