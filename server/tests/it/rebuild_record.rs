//! Rebuilds of runs: what intake takes, what counts, and where it is seen.

use acta_ledger::{
    evidence::{
        artifact::{Artifact, ArtifactKind, Disposition},
        build::{BuildSummary, BuilderKind},
        chain::ChainLink,
        rebuild::{RebuildRecord, RebuiltRun, Verdict},
    },
    judge::rebuild::judge,
    log::{digest::Sha256Digest, pack::check::unpack, statement::Statement},
};
use acta_tests::evidence::{TestAgent, summary};
use axum::http::StatusCode;
use serde_json::json;

use crate::support::{Answer, Client, TestApp};

/// A run of TensorRT-RTX that a number stands for, of one model, with this plan.
fn run(number: u128, plan: &[u8]) -> BuildSummary {
    let mut said = summary(number);
    said.builder = BuilderKind::TensorrtRtx;
    said.network.digest = Sha256Digest::of(b"model");
    said.artifacts.push(Artifact {
        name: "net.plan".to_owned(),
        kind: ArtifactKind::Plan,
        bytes: plan.len() as u64,
        digest: Some(Sha256Digest::of(plan)),
        disposition: Disposition::Kept,
        media_type: None,
        digest_before: None,
    });
    said
}

fn record(
    original: &BuildSummary,
    entry: Sha256Digest,
    rebuilt: Option<(&BuildSummary, Sha256Digest)>,
) -> RebuildRecord {
    let judged = judge(original, rebuilt.map_or(original, |(summary, _)| summary));
    RebuildRecord {
        run: original.run.id,
        entry,
        plan: original.plan().and_then(|plan| plan.digest),
        rebuilt: rebuilt.map(|(summary, entry)| RebuiltRun { run: summary.run.id, entry }),
        verdict: judged.verdict,
        obstacle: judged.obstacle,
        differing: judged.differing,
        plans: judged.plans,
        at: original.finished_at,
        chain: ChainLink::new(2, None),
    }
}

async fn say(agent: &TestAgent, client: &Client, record: &RebuildRecord) -> Answer {
    let statement = Statement::new(record.subjects(), record).unwrap();
    client.post("/api/v1/entries", statement.sign(&agent.key).unwrap().to_canonical_json()).await
}

async fn push(agent: &TestAgent, client: &Client, summary: &BuildSummary) -> Sha256Digest {
    let answer = client.post("/api/v1/entries", agent.envelope(summary)).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    answer.json()["entries"][0]["digest"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn rebuilds_count_by_their_evidence_and_are_seen_on_the_run_in_packs_and_by_search() {
    let app = TestApp::start_public().await;
    let (builder, builders) = app.agent("builder-7", 1).await;
    let (lab, labs) = app.agent_of("lab", 2, Some("ada")).await;
    let (original, again, other) = (run(1, b"plan"), run(2, b"plan"), run(3, b"other"));
    let entry = push(&builder, &builders, &original).await;
    let again_entry = push(&lab, &labs, &again).await;

    let nobody = app.anonymous();
    let standing = async || nobody.get("/api/v1/runs/1/rebuilds").await.json()["standing"].clone();
    let empty = standing().await;
    assert_eq!((&empty["reproduced"], &empty["rebuilds"]), (&json!(0), &json!([])));
    assert!(nobody.get("/runs/1").await.text().contains("Nobody has built it again yet."));

    let good = record(&original, entry, Some((&again, again_entry)));
    assert_eq!(say(&lab, &labs, &good).await.status, StatusCode::CREATED);
    let stood = standing().await;
    assert_eq!(
        (&stood["reproduced"], &stood["agents"], &stood["owners"]),
        (&json!(1), &json!(["lab"]), &json!(["ada"]))
    );
    assert!(nobody.get("/runs/1").await.text().contains("The plan was reproduced once"));
    let of_rebuild = nobody.get("/api/v1/runs/2/rebuilds").await.json();
    assert_eq!(of_rebuild["rebuildOf"], json!([original.run.id]));
    assert!(nobody.get("/runs/2").await.text().contains("This run was made to rebuild"));

    // The run's own agent takes the other's summary for its own, and says that nothing differs where something does.
    let stolen = RebuildRecord { chain: ChainLink::new(3, None), ..good.clone() };
    assert_eq!(say(&builder, &builders, &stolen).await.status, StatusCode::CREATED);
    let early = record(&original, entry, Some((&other, Sha256Digest::of(&lab.envelope(&other)))));
    assert_eq!(
        (early.verdict, say(&lab, &labs, &early).await.status),
        (Verdict::NotReproduced, StatusCode::CREATED)
    );
    let stood = standing().await;
    let support = |at: usize| stood["rebuilds"][at]["support"].clone();
    assert_eq!(
        (support(0), support(1), support(2)),
        (json!("holds"), json!("not_its_own"), json!("not_logged"))
    );
    assert_eq!(
        (&stood["reproduced"], &stood["notReproduced"], &stood["unsupported"]),
        (&json!(1), &json!(0), &json!(2))
    );
    // The summary comes later, and now the statement counts.
    push(&lab, &labs, &other).await;
    assert_eq!(standing().await["notReproduced"], 1);

    let pack = nobody.get(&format!("/api/v1/packs?run={}&blobs=none", original.run.id)).await;
    assert_eq!(pack.status, StatusCode::OK, "{}", pack.text());
    let report = unpack(&pack.body[..], |_| {}).unwrap().check(&app.trust(), &[]);
    assert!(report.holds(), "{:?}", report.findings);
    let why: Vec<String> = report.entries.iter().map(|it| acta_ledger::evidence::code(&it.why)).collect();
    assert_eq!(
        why.iter().filter(|why| *why == "rebuild").count(),
        5,
        "two summaries, three statements: {why:?}"
    );
    let found = nobody.get(&format!("/api/v1/search?q={}", Sha256Digest::of(b"plan"))).await.text();
    assert!(found.contains("urn:acta:rebuild:v1"), "{found}");
    let refused = nobody.get("/api/v1/runs/99/rebuilds").await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_rebuild_whose_fields_contradict_its_verdict_is_refused_and_so_is_a_person() {
    let app = TestApp::start().await;
    let (lab, labs) = app.agent("lab", 2).await;
    let (original, again) = (run(1, b"plan"), run(2, b"plan"));
    let entry = push(&lab, &labs, &original).await;
    let good = record(&original, entry, Some((&again, Sha256Digest::of(b"again"))));
    let future = good.at.plus_ms(200 * 24 * 3_600_000).unwrap();
    for (wrong, code, words) in [
        (RebuildRecord { plan: None, ..good.clone() }, "malformed_predicate", "plan"),
        (RebuildRecord { rebuilt: None, ..good.clone() }, "malformed_predicate", "rebuilt"),
        (
            RebuildRecord { verdict: Verdict::NotComparable, ..good.clone() },
            "malformed_predicate",
            "obstacle",
        ),
        (RebuildRecord { at: future, ..good.clone() }, "clock_skew", "predicate.at"),
    ] {
        let answer = say(&lab, &labs, &wrong).await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, code));
        assert!(answer.text().contains(words), "{}", answer.text());
    }
    let size = app.size();
    let person = app.person("ana", "approver").await;
    assert_eq!(say(&lab, &person, &good).await.status, StatusCode::FORBIDDEN);
    assert_eq!(say(&lab, &app.anonymous(), &good).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(app.size(), size);
}
