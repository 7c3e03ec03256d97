//! Bounds that hold for any tree: nothing outside the picture, no odd number, no size without end.

use acta_ledger::evidence::{
    cancel::{CancelRecord, CancelSource, CancelState},
    number::Count64,
    phase_tree::{
        PhaseTree,
        assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    },
};
use uuid::Uuid;

use super::{
    canvas::{FULL, SLIM},
    lanes::{depths, layout},
    scale::Scale,
    timeline,
};
use crate::i18n::Lang;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

/// A build of so many phases, nested at random up to `deep`, with silences now and then.
fn build(phases: usize, deep: usize, threads: u64, seed: u64) -> PhaseTree {
    let mut random = Random(seed);
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let mut open: Vec<String> = Vec::new();
    let (mut at, mut begun) = (1_000_u64, 0);
    while begun < phases {
        at += if random.below(500) == 0 { 2_000_000_000 } else { random.below(20_000_000) };
        let thread = random.below(threads) as u32;
        let deeper = open.len() < deep && (open.is_empty() || random.below(5) < 3);
        let parent = open.last().cloned();
        let (name, kind) = if deeper {
            let name = format!("phase {begun} of <a & b> \"quoted\"");
            open.push(name.clone());
            begun += 1;
            let parent = parent.as_deref().map(Into::into);
            (name, RawKind::Start { parent, steps: random.below(9) as i64 })
        } else {
            // Several threads may end phases in any order.
            let which = if threads > 1 { random.below(open.len() as u64) as usize } else { open.len() - 1 };
            (open.remove(which), RawKind::Finish)
        };
        builder.record(RawEvent { at, thread, name: name.as_str().into(), kind, cancel: CancelState::None });
    }
    builder.finish(at + 1_000_000, Ending::Returned)
}

fn cancel(requested: u64, acknowledged: Option<u64>, returned: u64) -> CancelRecord {
    CancelRecord {
        source: CancelSource::Api,
        reason: None,
        who: None,
        requested_at: "2026-11-29T20:31:07.300Z".parse().unwrap(),
        delivered_at: None,
        acknowledged_at: None,
        returned_at: None,
        cleaned_at: None,
        request_to_delivery_ms: None,
        request_to_ack_ms: acknowledged.map(|at| (at.saturating_sub(requested)) as f64 / 1e6),
        ack_to_return_ms: None,
        ack_to_cleanup_ms: None,
        censored_after_ms: acknowledged.is_none().then_some(37_000.0),
        requested_offset_ns: Some(Count64(requested)),
        acknowledged_offset_ns: acknowledged.map(Count64),
        returned_offset_ns: Some(Count64(returned)),
        cleaned_offset_ns: None,
        open_at_request: Vec::new(),
        open_at_acknowledgement: Vec::new(),
        phase_at_request: None,
        deferrals: Vec::new(),
        escalation: None,
        request: None,
    }
}

/// Every number in the markup's geometry, with the picture's width and height.
fn check(markup: &str) {
    assert!(!markup.contains("NaN") && !markup.contains("inf"), "an odd number in {markup}");
    assert!(!markup.contains("style=") && !markup.contains("<script"), "{markup}");
    for svg in markup.split("<svg ").skip(1) {
        let view: Vec<f64> = svg
            .split_once("viewBox=\"0 0 ")
            .and_then(|(_, rest)| rest.split_once('"'))
            .map(|(size, _)| size.split(' ').map(|n| n.parse().unwrap()).collect())
            .unwrap();
        let (width, height) = (view[0], view[1]);
        assert!(svg.len() < 60_000, "{} bytes", svg.len());
        for rect in svg.split("<rect class=\"").skip(1).filter(|rect| rect.contains(" x=\"")) {
            let value = |name: &str| -> f64 {
                let (_, rest) = rect.split_once(&format!(" {name}=\"")).unwrap();
                rest.split('"').next().unwrap().parse().unwrap()
            };
            let (x, y, w, h) = (value("x"), value("y"), value("width"), value("height"));
            assert!(w >= 0.0 && h >= 0.0, "{rect:.120}");
            let plate = rect.starts_with("plate");
            assert!(plate || (x >= -0.1 && x + w <= width + 0.2), "{rect:.120} in {width}");
            assert!(y >= -0.1 && y + h <= height + 0.2, "{rect:.120} in {height}");
        }
    }
}

#[test]
fn twelve_thousand_phases_fit() {
    let tree = build(12_000, 6, 1, 1);
    assert_eq!(tree.phases.len(), 12_000);
    let markup = timeline(&tree, None, "deep", |_| true, Lang::En);
    check(&markup);
    assert!(markup.len() < 60_000, "{} bytes in both sizes", markup.len());
}

#[test]
fn no_tree_leaves_its_picture() {
    for (seed, (phases, deep, threads)) in [
        (0, 1, 1),
        (1, 1, 1),
        (3, 3, 1),
        (12, 5, 1),
        (400, 12, 3),
        (3_000, 8, 4),
        (20_000, 300, 1),
        (20_000, 8, 8),
    ]
    .into_iter()
    .enumerate()
    {
        let tree = build(phases, deep, threads, seed as u64);
        let end = tree.duration.0;
        for cancel in [
            None,
            Some(cancel(end / 3, Some(end / 2), end)),
            Some(cancel(end, Some(end), end)),
            Some(cancel(0, None, end)),
            Some(cancel(u64::MAX, Some(0), 1)),
        ] {
            for lang in Lang::ALL {
                check(&timeline(&tree, cancel.as_ref(), "net <x>", |_| true, lang));
            }
        }
    }
}

#[test]
fn records_that_contradict_themselves_do_no_harm() {
    let mut tree = build(200, 5, 1, 7);
    tree.duration = Count64(0);
    check(&timeline(&tree, None, "", |_| false, Lang::En));
    tree.duration = Count64(u64::MAX);
    tree.phases[3].started = Count64(u64::MAX);
    tree.phases[4].parent = Some(100);
    tree.phases[5].finished = Some(Count64(0));
    tree.phases[6].steps_announced = i64::MIN;
    tree.activity.bin = Count64(0);
    check(&timeline(&tree, None, "", |_| true, Lang::Es));
}

#[test]
fn phases_of_several_threads_stand_beside_each_other() {
    let mut tree = build(3, 1, 1, 5);
    for phase in &mut tree.phases {
        (phase.parent, phase.started, phase.finished) = (None, Count64(1_000), Some(Count64(900_000_000)));
    }
    tree.duration = Count64(1_000_000_000);
    let scale = Scale::new(0, tree.duration.0, FULL.left, FULL.right);
    let lanes = layout(&tree, &depths(&tree), &scale, &[], FULL.bounds);
    assert_eq!((lanes.bars.len(), lanes.count, lanes.merged), (3, 3, 0));
    let slim = layout(&tree, &depths(&tree), &scale, &[], super::lanes::Bounds { bars: 0, ..SLIM.bounds });
    assert_eq!((slim.bars.len(), slim.merged), (0, 3));
}

#[test]
fn foreign_names_are_only_text() {
    let mut tree = build(3, 2, 1, 5);
    tree.phases[0].name = "</text><script>alert(1)</script>\u{202e}".to_owned();
    let markup = timeline(&tree, None, "\"><script>", |_| true, Lang::En);
    assert!(markup.contains("&lt;script&gt;") && !markup.contains("<script") && !markup.contains('\u{202e}'));
}
