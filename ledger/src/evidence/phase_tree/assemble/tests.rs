use proptest::prelude::*;

use super::*;

struct Script {
    builder: PhaseTreeBuilder,
    now: u64,
}

impl Script {
    fn new() -> Self {
        Self { builder: PhaseTreeBuilder::new(Uuid::nil()), now: 0 }
    }

    fn event(&mut self, wait: u64, thread: u32, name: &str, kind: RawKind<'_>) -> ProgressEvent {
        self.now += wait;
        self.builder.record(RawEvent {
            at: self.now,
            thread,
            name: name.into(),
            kind,
            cancel: CancelState::None,
        })
    }

    fn start(&mut self, wait: u64, name: &str, parent: Option<&str>, steps: i64) -> ProgressEvent {
        self.event(wait, 0, name, RawKind::Start { parent: parent.map(Into::into), steps })
    }

    fn step(&mut self, wait: u64, name: &str, step: i64) -> ProgressEvent {
        self.event(wait, 0, name, RawKind::Step { step, answered_stop: false })
    }

    fn finish(&mut self, wait: u64, name: &str) -> ProgressEvent {
        self.event(wait, 0, name, RawKind::Finish)
    }
}

#[test]
fn the_same_name_twice_gives_two_instances() {
    let mut script = Script::new();
    script.start(10, "Building engine", None, 6);
    for _ in 0..2 {
        script.start(1, "Timing tactics", Some("Building engine"), 3);
        script.step(5, "Timing tactics", 0);
        script.finish(1, "Timing tactics");
    }
    script.step(100, "Building engine", 0);
    let line = script.finish(1, "Building engine");
    assert_eq!((line.phase_id, line.parent_id, line.at), (Some(0), None, Count64(125)));
    let tree = script.builder.finish(200, Ending::Returned);

    assert!(tree.is_well_formed());
    let facts: Vec<_> =
        tree.phases.iter().map(|p| (p.parent, p.occurrence, p.steps_completed, p.state)).collect();
    assert_eq!(
        facts,
        [
            (None, 0, 1, PhaseState::FinishedEarly),
            (Some(0), 0, 1, PhaseState::FinishedEarly),
            (Some(0), 1, 1, PhaseState::FinishedEarly),
        ]
    );
    assert_eq!(tree.path(2), ["Building engine", "Timing tactics"]);
    assert_eq!((tree.depth(2), tree.walk()), (1, vec![0, 1, 2]));
    let silence = tree.silence.unwrap();
    assert_eq!((silence.from.0, silence.to.0, silence.phase), (24, 124, Some(0)));
    assert_eq!(tree.phases[0].longest_silence, Count64(100));
    assert_eq!(tree.phases[1].longest_silence, Count64(5));
    assert_eq!((tree.callbacks, tree.orphan_events, tree.duration), (9, 0, Count64(200)));
    assert!((tree.share(&tree.phases[0]) - 0.575).abs() < 1e-9);
}

#[test]
fn a_tail_without_callbacks_is_a_silence_of_no_phase() {
    let mut script = Script::new();
    script.start(1, "a", None, 1);
    script.step(1, "a", 0);
    script.finish(1, "a");
    let tree = script.builder.finish(1000, Ending::Returned);
    assert_eq!(tree.phases[0].state, PhaseState::Finished);
    assert_eq!(tree.silence.unwrap(), Silence { from: Count64(3), to: Count64(1000), phase: None });
}

#[test]
fn parallel_phases_of_one_name_are_kept_apart_by_thread() {
    let mut script = Script::new();
    script.start(1, "root", None, 2);
    for thread in [1, 2] {
        script.event(1, thread, "tactic", RawKind::Start { parent: Some("root".into()), steps: 1 });
    }
    script.event(1, 1, "tactic", RawKind::Step { step: 0, answered_stop: true });
    script.event(1, 1, "tactic", RawKind::Finish);
    assert_eq!(script.builder.open_ids(), [0, 2]);
    let snapshot = script.builder.snapshot(50);
    assert_eq!(snapshot.phases[2].state, PhaseState::Running);
    let tree = script.builder.finish(60, Ending::Crashed);
    assert!(tree.phases[1].answered_stop && !tree.phases[2].answered_stop);
    assert_eq!(tree.phases[2].state, PhaseState::OpenAtCrash);
    assert_eq!(tree.phases[2].occurrence, 1);
}

#[test]
fn events_without_a_phase_are_counted_and_kept() {
    let mut script = Script::new();
    assert_eq!(script.step(1, "ghost", 0).phase_id, None);
    assert_eq!(script.finish(1, "ghost").display_name, "ghost");
    assert_eq!(script.start(1, "orphan", Some("ghost"), 1).parent_id, None);
    script.builder.add_lost(3);
    let tree = script.builder.finish(9, Ending::Returned);
    assert_eq!((tree.orphan_events, tree.lost_events, tree.phases.len()), (3, 3, 1));
    assert_eq!(tree.phases[0].state, PhaseState::Interrupted);
}

#[test]
fn names_are_bounded_and_their_whole_is_known_by_digest() {
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let long = "é".repeat(5000);
    let raw = [b'a', 0xff, b'\n'];
    for name in [long.as_bytes(), &raw] {
        let kind = RawKind::Start { parent: None, steps: 1 };
        builder.record(RawEvent { at: 1, thread: 0, name: name.into(), kind, cancel: CancelState::None });
    }
    let tree = builder.finish(2, Ending::Returned);
    assert_eq!(tree.phases[0].name, "é".repeat(MAX_NAME_BYTES / 2));
    assert_eq!(tree.phases[0].name_digest, Some(Sha256Digest::of(long.as_bytes())));
    assert_eq!(tree.phases[1].name, "a\u{fffd}\u{fffd}");
    assert_eq!(tree.phases[1].name_digest, Some(Sha256Digest::of(&raw)));
}

#[test]
fn steps_and_activity_stay_bounded_in_a_long_build() {
    let mut script = Script::new();
    script.start(0, "long", None, 100_000);
    for step in 0..100_000 {
        script.step(1_000_000, "long", step);
    }
    let tree = script.builder.finish(script.now, Ending::Returned);
    assert_eq!(tree.phases[0].step_offsets.len(), MAX_STEP_OFFSETS);
    assert_eq!(tree.phases[0].steps_completed, 100_000);
    assert!(tree.activity.counts.len() <= MAX_BINS);
    assert_eq!(tree.activity.counts.iter().map(|&n| u64::from(n)).sum::<u64>(), tree.callbacks);
}

proptest! {
    /// Whatever order of callbacks comes in, the tree is well formed and accounts for every one of them.
    #[test]
    fn any_callbacks_give_a_well_formed_tree(
        calls in prop::collection::vec((0u8..4, 0u8..4, 0u8..3, 0u64..50, 0u32..3), 0..200)
    ) {
        let names = ["a", "b", "c", "d"];
        let mut script = Script::new();
        let mut moments = vec![0];
        for (name, parent, kind, wait, thread) in calls.iter().copied() {
            let parent = (parent != name).then(|| names[parent as usize].into());
            let kind = match kind {
                0 => RawKind::Start { parent, steps: 2 },
                1 => RawKind::Step { step: 0, answered_stop: false },
                _ => RawKind::Finish,
            };
            script.event(wait, thread, names[name as usize], kind);
            moments.push(script.now);
        }
        let tree = script.builder.finish(script.now, Ending::Returned);
        prop_assert!(tree.is_well_formed());
        prop_assert_eq!(tree.callbacks, calls.len() as u64);
        for phase in &tree.phases {
            let end = phase.finished.map_or(script.now, |at| at.0);
            let gaps = moments.windows(2).filter(|pair| pair[1] > phase.started.0 && pair[1] <= end);
            let longest = gaps.map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
            prop_assert_eq!(phase.longest_silence.0, longest, "{:?}", phase);
        }
        let mut walked = tree.walk();
        walked.sort_unstable();
        prop_assert_eq!(walked, (0..tree.phases.len() as u32).collect::<Vec<_>>());
        let json = serde_json::to_vec(&tree).unwrap();
        prop_assert_eq!(serde_json::from_slice::<PhaseTree>(&json).unwrap(), tree);
    }
}
