use proptest::prelude::*;

use super::{fold::Fold, *};
use crate::evidence::{
    cancel::CancelState,
    phase_tree::assemble::{PhaseTreeBuilder, RawEvent, RawKind},
};

/// A state at a stage.
pub fn state(stage: Stage) -> LiveState {
    LiveState {
        now: Count64(2_000_000_000),
        started: Count64(1_000_000_000),
        stage,
        builder: None,
        tensorrt_version: None,
        kind: None,
        build_began: None,
        last_callback: None,
        callbacks: 0,
        steps_per_s: None,
        phase_count: 0,
        phases: Vec::new(),
        usage: LiveUsage::default(),
        window: (stage == Stage::Writing).then_some(NoCancelWindow::ArtifactWrite),
        cancel: None,
        end: None,
    }
}

fn phase(id: u32, parent: Option<u32>) -> LivePhase {
    LivePhase {
        id,
        parent,
        name: "p".to_owned(),
        occurrence: 0,
        steps_announced: 1,
        steps_completed: 0,
        started: Count64(5),
        finished: None,
        folded: 0,
    }
}

#[test]
fn a_state_that_could_confuse_a_page_is_refused() {
    let with = |change: &dyn Fn(&mut LiveState)| {
        let mut state = state(Stage::Building);
        state.phases = vec![phase(0, None), phase(3, Some(0))];
        change(&mut state);
        state.check()
    };
    assert_eq!(with(&|_| {}), Ok(()));
    let changes: [&dyn Fn(&mut LiveState); 8] = [
        &|state| {
            let key = BaselineKey::of(&crate::judge::advice::tests::summary(Outcome::Completed));
            state.kind = Some(BaselineKey { gpu_sku: "g".repeat(MAX_TEXT_BYTES + 1), ..key });
        },
        &|state| state.phases[1].parent = Some(3),
        &|state| state.phases[1].id = 0,
        &|state| state.phases[0].finished = Some(Count64(4)),
        &|state| state.phases[0].name = "n".repeat(MAX_NAME_BYTES + 1),
        &|state| state.phases = (0..=MAX_PHASES as u32).map(|id| phase(id, None)).collect(),
        &|state| state.steps_per_s = Some(f64::NAN),
        &|state| state.tensorrt_version = Some("g".repeat(MAX_TEXT_BYTES + 1)),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let refused = with(change).unwrap_err();
        assert!(refused.to_string().contains("expected"), "{number}");
    }
}

#[test]
fn a_build_of_another_protocol_is_refused() {
    let build = LiveBuild {
        protocol: PROTOCOL,
        run: Uuid::nil(),
        route: None,
        attempt: 1,
        retry_of: None,
        model: "m.onnx".to_owned(),
        settings: BTreeMap::new(),
        started_at: Timestamp::from_unix_ms(0).unwrap(),
    };
    assert_eq!(build.check(), Ok(()));
    assert_eq!(LiveBuild { protocol: 2, ..build.clone() }.check().unwrap_err().field, "protocol");
    let settings = (0..=MAX_SETTINGS).map(|n| (n.to_string(), String::new())).collect();
    assert_eq!(LiveBuild { settings, ..build }.check().unwrap_err().field, "settings");
}

fn event<'a>(at: u64, name: &'a str, kind: RawKind<'a>) -> RawEvent<'a> {
    RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None }
}

fn start<'a>(at: u64, name: &'a str, parent: Option<&'a str>) -> RawEvent<'a> {
    event(at, name, RawKind::Start { parent: parent.map(Into::into), steps: 2 })
}

#[test]
fn of_ten_thousand_phases_the_open_and_the_longest_are_shown_and_the_others_counted() {
    let mut tree = PhaseTreeBuilder::new(Uuid::nil());
    let mut fold = Fold::default();
    tree.record(start(0, "root", None));
    let mut at = 1;
    for round in 0..10_000_u64 {
        let length = if round % 1_000 == 7 { 500 } else { 1 };
        tree.record(start(at, "leaf", Some("root")));
        at += length;
        tree.record(event(at, "leaf", RawKind::Finish));
        if round % 37 == 0 {
            fold.look(&tree);
        }
    }
    tree.record(start(at, "now", Some("root")));
    let shown = fold.look(&tree);
    assert!(shown.len() <= MAX_PHASES);
    let long = shown.iter().filter(|phase| phase.finished.is_some_and(|end| end.0 - phase.started.0 == 500));
    assert_eq!(long.count(), 10);
    assert_eq!(shown[0].folded as usize, 10_001 - (shown.len() - 1));
    assert_eq!(shown.last().unwrap().name, "now");
}

#[test]
fn a_phase_that_ends_between_two_looks_is_shown_as_ended() {
    let (mut tree, mut fold) = (PhaseTreeBuilder::new(Uuid::nil()), Fold::default());
    tree.record(start(0, "root", None));
    tree.record(start(1, "inner", Some("root")));
    assert_eq!(fold.look(&tree).iter().filter(|phase| phase.finished.is_none()).count(), 2);
    tree.record(event(2, "inner", RawKind::Step { step: 0, answered_stop: false }));
    tree.record(event(9, "inner", RawKind::Finish));
    let shown = fold.look(&tree);
    assert_eq!((shown[1].finished, shown[1].steps_completed), (Some(Count64(9)), 1));
    assert_eq!(fold.look(&tree), shown, "nothing has changed");
}

proptest! {
    /// Whatever a tree looks like and whenever it is looked at: every state is sound, and all phases are accounted for.
    #[test]
    fn every_look_is_sound(script in prop::collection::vec((0_u8..3, any::<bool>(), 0_u64..50), 1..600)) {
        let (mut tree, mut fold) = (PhaseTreeBuilder::new(Uuid::nil()), Fold::default());
        let (mut open, mut at, mut next) = (Vec::<String>::new(), 0, 0);
        for (what, look, pause) in script {
            at += pause;
            match what {
                0 | 1 if what == 0 || open.is_empty() => {
                    let name = format!("p{next}");
                    next += 1;
                    tree.record(start(at, &name, open.last().map(String::as_str)));
                    open.push(name);
                }
                _ => {
                    if let Some(name) = open.pop() {
                        tree.record(event(at, &name, RawKind::Finish));
                    }
                }
            }
            if look {
                let mut state = state(Stage::Building);
                state.phases = fold.look(&tree);
                prop_assert_eq!(state.check(), Ok(()));
                let ids: Vec<u32> = state.phases.iter().map(|phase| phase.id).collect();
                let folded: usize = state.phases.iter().map(|phase| phase.folded as usize).sum();
                let hidden: Vec<&_> = tree.phases().iter().filter(|phase| !ids.contains(&phase.id)).collect();
                let under_shown = hidden.iter().filter(|phase| phase.parent.is_some_and(|up| ids.contains(&up)));
                prop_assert_eq!(folded, under_shown.count());
            }
        }
    }
}
