use acta_ledger::{
    evidence::agent_key::{AgentKey, AgentKeyAction},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        proof::verify_inclusion,
        statement::{Statement, Subject},
        tree_head::TreeHead,
        verification::{Material, verify},
    },
};
use acta_tests::evidence::{TestAgent, phase_tree, summary};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::support::{Client, TestApp, many};

const ENTRIES: &str = "/api/v1/entries";

fn check_receipt(app: &TestApp, receipt: &Value) {
    let head = TreeHead::open(receipt["treeHead"].as_str().unwrap(), &app.trust().log).unwrap();
    for entry in receipt["entries"].as_array().unwrap() {
        let digest = |value: &Value| value.as_str().unwrap().parse::<Sha256Digest>().unwrap();
        let proof: Vec<_> = entry["inclusion"].as_array().unwrap().iter().map(digest).collect();
        let index = entry["index"].as_u64().unwrap();
        verify_inclusion(&digest(&entry["leafHash"]), index, head.size, &head.root, &proof).unwrap();
    }
}

#[tokio::test]
async fn an_acknowledged_entry_is_there_and_verifies() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("builder-7", 7).await;
    let mut said = summary(1);
    let (tree, named) = phase_tree(said.run.id);
    said.phase_tree = Some(named);
    assert_eq!(client.put_blob(&tree).await.status, StatusCode::CREATED);
    assert_eq!(client.put_blob(&tree).await.status, StatusCode::OK);

    let envelope = agent.envelope(&said);
    let answer = client.post(ENTRIES, envelope.clone()).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    let receipt = answer.json();
    check_receipt(&app, &receipt);
    assert_eq!(receipt["entries"][0]["index"], 1, "entry 0 enrolled the agent");

    let stored = client.get("/api/v1/entries/1").await;
    assert_eq!(stored.body, envelope);
    assert_eq!(stored.header("acta-entry-digest"), Sha256Digest::of(&envelope).to_string());
    let by_digest =
        client.get(&format!("/api/v1/entries/{}/verification", Sha256Digest::of(&envelope))).await;
    let material: Material = serde_json::from_slice(&by_digest.body).unwrap();
    let report = verify(&material, &app.trust());
    assert!(report.all_hold(), "{report:?}");
    assert_eq!(report.signer.unwrap().name, "builder-7");

    let advice = client.get(&format!("/api/v1/runs/{}/advice", said.run.id)).await.json();
    assert_eq!(advice["answers"][0]["reasons"][0]["code"], "run_over");
    assert_eq!(advice["answers"][0]["restsOn"][0]["index"], 1);
    assert_eq!(advice["verdict"]["silence"]["standing"], "too_small");
    assert_eq!(client.get("/api/v1/runs/7/advice").await.status, StatusCode::NOT_FOUND);
    let runs = client.get("/api/v1/runs").await.json();
    assert_eq!((&runs["total"], &runs["runs"][0]["network"]), (&json!(1), &json!("net-1.onnx")));
    let run = client.get(&format!("/api/v1/runs/{}", said.run.id)).await.json();
    assert_eq!(run["summary"]["tensorrtVersion"], "1.7.1.116");
    assert_eq!(client.get("/api/v1/runs/1/phase-tree").await.body, tree);
}

#[tokio::test]
async fn the_same_entry_in_any_dress_has_one_index() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let envelope = agent.envelope(&summary(1));
    let tries = (0..40).map(|_| {
        let (client, envelope) = (client.clone(), envelope.clone());
        tokio::spawn(async move { client.post(ENTRIES, envelope).await })
    });
    let mut created = 0;
    for answer in futures::future::join_all(tries).await {
        let answer = answer.unwrap();
        created += usize::from(answer.status == StatusCode::CREATED);
        assert_eq!(answer.json()["entries"][0]["index"], 1, "{}", answer.text());
        check_receipt(&app, &answer.json());
    }
    assert_eq!((created, app.size()), (1, 2));

    // Another order of members, another hint and a worthless signature make no second entry.
    let mut dressed: Value = serde_json::from_slice(&envelope).unwrap();
    dressed["signatures"][0]["keyid"] = json!("somebody else");
    dressed["signatures"].as_array_mut().unwrap().insert(0, json!({"sig": "AAAA"}));
    dressed["extra"] = json!(true);
    let answer = client.post(ENTRIES, serde_json::to_string_pretty(&dressed).unwrap()).await;
    assert_eq!((answer.status, app.size()), (StatusCode::OK, 2), "{}", answer.text());
}

/// As if the clock had been an hour ahead and was put right: the log's own times never go back.
#[tokio::test]
async fn a_clock_that_steps_back_leaves_the_log_in_order() {
    let app = TestApp::start().await;
    {
        let (agent, client) = app.agent("a", 1).await;
        client.post(ENTRIES, agent.envelope(&summary(1))).await;
    }
    let folder = app.stop().await;
    let ahead = acta_server::clock::now().unix_ms() + 3_600_000;
    let ground = acta_server::startup::Ground::open(&crate::support::data(&folder)).await.unwrap();
    for statement in ["drop trigger entry_refuses_update", "update entry set logged_at = ? where idx = 1"] {
        let query = sqlx::query(sqlx::AssertSqlSafe(statement));
        let query = if statement.contains('?') { query.bind(ahead) } else { query };
        query.execute(&ground.database.write).await.unwrap();
    }
    ground.database.close().await;
    drop(ground);
    let app = TestApp::start_in(folder, true).await;
    let (agent, client) = app.agent("b", 2).await;
    let receipt = client.post(ENTRIES, agent.envelope(&summary(2))).await.json();
    check_receipt(&app, &receipt);
    for index in 2..=3 {
        let entry = app.state().reader.entry(index).await.unwrap().unwrap();
        assert_eq!(entry.logged_at, ahead, "entry {index}");
    }
}

#[tokio::test]
async fn many_envelopes_are_taken_all_or_none() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let batch: Vec<_> = (1..=20).map(|number| agent.envelope(&summary(number))).collect();
    let answer = client.post(ENTRIES, many(&batch)).await;
    assert_eq!(answer.status, StatusCode::CREATED);
    check_receipt(&app, &answer.json());
    assert_eq!(app.size(), 21);

    // Run 3 again with another content, behind a run that would be new.
    let mut changed = summary(3);
    changed.output_path = "other.plan".to_owned();
    let batch = [agent.envelope(&summary(30)), agent.envelope(&changed)];
    let answer = client.post(ENTRIES, many(&batch)).await;
    assert_eq!((answer.status, answer.code().as_str()), (StatusCode::CONFLICT, "conflict"));
    assert_eq!(answer.json()["field"], "envelopes[1]");
    assert_eq!(app.size(), 21, "nothing of the request is logged");
    assert_eq!(client.get("/api/v1/runs").await.json()["total"], 20);
    // What was rolled back left the tree as it was.
    check_receipt(&app, &client.post(ENTRIES, agent.envelope(&summary(31))).await.json());
}

async fn refused(app: &TestApp, client: &Client, body: Vec<u8>, status: u16, code: &str) {
    let before = app.size();
    let answer = client.post(ENTRIES, body).await;
    assert_eq!((answer.status.as_u16(), answer.code().as_str()), (status, code), "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/problem+json");
    assert!(answer.json()["detail"].as_str().is_some_and(|detail| detail.len() > 10));
    assert_eq!(app.size(), before, "nothing is stored: {code}");
}

#[tokio::test]
async fn whatever_is_wrong_is_refused_by_name_and_stores_nothing() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let (other, _) = app.agent("b", 2).await;
    let stranger = TestAgent::new(9);
    let envelope = agent.envelope(&summary(1));
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_slice(&envelope).unwrap();
        edit(&mut value);
        value.to_string().into_bytes()
    };
    let mut missing = summary(1);
    missing.phase_tree = Some(phase_tree(missing.run.id).1);
    let mut long = summary(1);
    long.command_line = vec!["x".repeat(60_000)];
    let mut future = summary(1);
    future.finished_at = "9999-01-01T00:00:00Z".parse().unwrap();
    let mut negative = summary(1);
    negative.duration_ms.total = -1.0;
    let mut foreign = summary(1);
    foreign.framework = "another".to_owned();
    let statement = |statement: &Statement| statement.sign(&agent.key).unwrap().to_canonical_json();
    let key = AgentKey {
        agent: "c".to_owned(),
        public_key: stranger.public(),
        action: AgentKeyAction::Enrolled,
        at: "2026-01-01T00:00:00Z".parse().unwrap(),
        authorized_by: "me".to_owned(),
        owner: None,
        previous: None,
        reason: None,
    };
    let unknown = Statement {
        predicate_type: "https://slsa.dev/provenance/v1".to_owned(),
        ..Statement::new(vec![Subject::new("x", Sha256Digest::of(b""))], &summary(1)).unwrap()
    };
    let halved = Statement {
        predicate: json!({"framework": "x"}),
        ..Statement::new(vec![Subject::new("x", Sha256Digest::of(b""))], &summary(1)).unwrap()
    };
    let about_nothing = Statement::new(Vec::new(), &summary(1)).unwrap();
    let mut elsewhere = summary(1);
    elsewhere.chain = elsewhere.chain.in_log("acta.test/another-log");
    let not_a_statement = Envelope::sign(b"[]".to_vec(), acta_ledger::log::dsse::PAYLOAD_TYPE, &agent.key);
    let other_type = Envelope::sign(b"{}".to_vec(), "text/plain", &agent.key);
    for (body, status, code) in [
        (b"{".to_vec(), 400, "malformed_json"),
        (b"{\"a\":1,\"a\":2}".to_vec(), 400, "malformed_json"),
        (b"\"\\ud800\"".to_vec(), 400, "malformed_json"),
        ([b"[".repeat(10_000), b"]".repeat(10_000)].concat(), 400, "malformed_json"),
        (b"{}".to_vec(), 400, "malformed_envelope"),
        (b"[]".to_vec(), 400, "malformed_envelope"),
        (b"{\"envelopes\":[]}".to_vec(), 400, "malformed_envelope"),
        (b"{\"envelopes\":7}".to_vec(), 400, "malformed_envelope"),
        (edited(&|value| value["payload"] = json!("%%%")), 400, "malformed_envelope"),
        (edited(&|value| value["payload"] = json!("e30=")), 422, "bad_signature"),
        (edited(&|value| value["payloadType"] = json!("x")), 422, "bad_signature"),
        (edited(&|value| value["signatures"] = json!([])), 422, "bad_signature"),
        (stranger.envelope(&summary(1)), 422, "bad_signature"),
        (other.envelope(&summary(1)), 422, "bad_signature"),
        (not_a_statement.to_canonical_json(), 400, "malformed_statement"),
        (other_type.to_canonical_json(), 400, "malformed_statement"),
        (statement(&about_nothing), 400, "malformed_statement"),
        (agent.envelope(&elsewhere), 422, "other_log"),
        (statement(&unknown), 422, "unknown_predicate"),
        (statement(&Statement::new(vec![key.subject()], &key).unwrap()), 422, "not_for_agents"),
        (statement(&halved), 422, "malformed_predicate"),
        (agent.envelope(&foreign), 422, "malformed_predicate"),
        (agent.envelope(&negative), 422, "malformed_predicate"),
        (agent.envelope(&missing), 422, "missing_blob"),
        (agent.envelope(&long), 413, "entry_too_long"),
        (agent.envelope(&future), 422, "clock_skew"),
    ] {
        refused(&app, &client, body, status, code).await;
    }
    let huge = client.post(ENTRIES, vec![b' '; 25 << 20]).await;
    assert_eq!(huge.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(client.post(ENTRIES, envelope).await.status, StatusCode::CREATED, "and it goes on");
    let mut here = summary(2);
    here.chain = here.chain.in_log("acta.test/log");
    assert_eq!(client.post(ENTRIES, agent.envelope(&here)).await.status, StatusCode::CREATED);
}

/// The same judgement as on the agent, by what the log holds: twenty builds make a baseline, two stops a diagnosis.
#[tokio::test]
async fn advice_rests_on_the_runs_in_the_log() {
    use acta_ledger::evidence::{
        artifact::{Artifact, ArtifactKind, Disposition},
        build::Outcome,
    };
    let app = TestApp::start().await;
    let (agent, client) = app.agent("builder-7", 7).await;
    let post = async |number: u128, outcome: Outcome| {
        let mut said = summary(number);
        said.outcome = outcome;
        said.network.source = "net.onnx".to_owned();
        if outcome == Outcome::Completed {
            said.artifacts = vec![Artifact {
                name: "net.plan".to_owned(),
                kind: ArtifactKind::Plan,
                bytes: 4,
                digest: Some(Sha256Digest::of(b"plan")),
                disposition: Disposition::Kept,
                media_type: None,
                digest_before: None,
            }];
        }
        let (tree, named) = phase_tree(said.run.id);
        said.phase_tree = Some(named);
        client.put_blob(&tree).await;
        let answer = client.post(ENTRIES, agent.envelope(&said)).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        client.get(&format!("/api/v1/runs/{}/advice", said.run.id)).await.json()
    };
    for number in 1..=20 {
        post(number, Outcome::Completed).await;
    }
    let first = post(21, Outcome::Failed).await;
    assert_eq!(first["verdict"]["silence"]["n"], 20, "{first}");
    assert_eq!(first["verdict"]["silence"]["standing"], "within");
    assert_eq!((&first["answers"][3]["answer"], &first["diagnosis"]), (&json!("no"), &json!([])));
    let second = post(22, Outcome::Failed).await;
    let go_back = &second["answers"][3];
    assert_eq!(go_back["answer"], "yes", "{second}");
    assert_eq!(go_back["reasons"][0]["code"], "same_phase_twice");
    assert_eq!(go_back["restsOn"].as_array().unwrap().len(), 3, "this run, the one before, the engine");
    assert_eq!(second["diagnosis"].as_array().unwrap().len(), 4);
}
