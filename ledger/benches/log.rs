//! What the log's operations cost beside the bare hashing and signature checks that nobody can do without. Read the
//! groups as ratios: both sides run in the same process, one after the other.

use std::hint::black_box;

use acta_ledger::{
    evidence::{
        cancel::CancelState,
        phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    },
    log::{
        dsse::{Envelope, PAYLOAD_TYPE, pae},
        jcs,
        key::{PublicKey, SigningKey, sign},
        merkle::{Frontier, leaf_hash},
    },
};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;
use uuid::Uuid;

fn payload() -> Vec<u8> {
    let facts: Vec<_> =
        (0..40).map(|n| json!({ "name": format!("setting-{n}"), "value": n, "on": n % 2 == 0 })).collect();
    jcs::to_vec(&json!({ "_type": "statement", "predicate": facts })).expect("plain values are canonical")
}

fn append(criterion: &mut Criterion) {
    let leaves: Vec<Vec<u8>> =
        (0..1_000u32).map(|n| [payload(), n.to_be_bytes().to_vec()].concat()).collect();
    let mut group = criterion.benchmark_group("1000 entries");
    group.throughput(Throughput::Elements(1_000));
    group.bench_function("leaf hashes alone", |bencher| {
        bencher.iter(|| {
            for leaf in &leaves {
                black_box(leaf_hash(leaf));
            }
        });
    });
    group.bench_function("leaf hashes and frontier", |bencher| {
        bencher.iter(|| {
            let mut frontier = Frontier::default();
            leaves.iter().for_each(|leaf| frontier.append(leaf_hash(leaf)));
            frontier.root()
        });
    });
    group.finish();
}

fn envelope(criterion: &mut Criterion) {
    let key = SigningKey::from_bytes(&[7; 32]);
    let public = PublicKey::of(&key);
    let payload = payload();
    let message = pae(PAYLOAD_TYPE, &payload);
    let signature = sign(&key, &message);
    let json = Envelope::sign(payload, PAYLOAD_TYPE, &key).to_canonical_json();
    let mut group = criterion.benchmark_group("an envelope");
    group.bench_function("strict signature check alone", |bencher| {
        bencher.iter(|| black_box(public.verify(&message, &signature)));
    });
    group.bench_function("parsed, verified and made canonical", |bencher| {
        bencher.iter(|| {
            let envelope = Envelope::parse(&json).expect("an envelope");
            envelope.verified(&[public], 1).expect("a good signature").0.to_canonical_json()
        });
    });
    group.finish();
}

/// One callback into the tree that the agent keeps, as deep as TensorRT nests.
fn phase_tree(criterion: &mut Criterion) {
    let names =
        ["Building engine", "Building engine from subgraph", "Computing profile costs", "Timing tactics"];
    let open = || {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        for (depth, name) in names.into_iter().enumerate() {
            let parent = depth.checked_sub(1).map(|up| names[up].into());
            let kind = RawKind::Start { parent, steps: 10_000 };
            builder.record(RawEvent { at: 1, thread: 0, name: name.into(), kind, cancel: CancelState::None });
        }
        builder
    };
    let mut group = criterion.benchmark_group("10000 callbacks");
    group.throughput(Throughput::Elements(10_000));
    group.bench_function("assembled", |bencher| {
        let run = |mut builder: PhaseTreeBuilder| {
            for step in 0..10_000 {
                let kind = RawKind::Step { step, answered_stop: false };
                let (at, name) = (2 + step as u64, names[3].into());
                builder.record(RawEvent { at, thread: 0, name, kind, cancel: CancelState::None });
            }
            builder.finish(20_000, Ending::Returned)
        };
        bencher.iter_batched(open, run, BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, append, envelope, phase_tree);
criterion_main!(benches);
