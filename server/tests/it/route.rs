use acta_ledger::{
    evidence::{decision::RouteDecision, pin::Pin},
    log::{digest::Sha256Digest, dsse::Envelope, statement::Statement},
};
use acta_tests::{
    evidence::TestAgent,
    route::{ROUTE, definition, envelope, everything, pin},
};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::support::{Answer, Client, TestApp, many};

pub const BUNDLE: &[u8] = b"a bundle";
pub const CONFIG: &[u8] = b"its configuration";

/// A route that waits for approval, and everybody who has to do with it.
pub struct Stage {
    pub app: TestApp,
    pub agent: TestAgent,
    pub builder: Client,
}

impl Stage {
    pub async fn set(needed: u32) -> Self {
        let app = TestApp::start().await;
        app.account("olga", "approver").await;
        let (agent, builder) = app.agent_of("builder-7", 7, Some("olga")).await;
        let admin = app.person("adam", "admin").await;
        let answer = admin.post("/api/v1/routes", definition(needed).to_string()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        builder.put_blob(BUNDLE).await;
        builder.put_blob(CONFIG).await;
        let answer = builder.post("/api/v1/entries", many(&everything(&agent, BUNDLE, CONFIG))).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        Self { app, agent, builder }
    }

    pub async fn route(&self) -> Value {
        self.builder.get(&format!("/api/v1/routes/{ROUTE}")).await.json()
    }

    async fn status(&self) -> String {
        self.route().await["record"]["validation_status"].as_str().unwrap().to_owned()
    }

    fn decision(&self, kind: &str, key: &str) -> Value {
        json!({
            "decision": kind,
            "bundleDigest": format!("sha256:{}", Sha256Digest::of(BUNDLE)),
            "reasonCode": "other",
            "text": "because of the evidence",
            "holdOwner": "rita",
            "reviewAt": "2099-01-01",
            "seenSize": self.app.size(),
            "key": key,
        })
    }

    pub async fn decide(&self, person: &Client, kind: &str, key: &str) -> Answer {
        person.post(&format!("/api/v1/routes/{ROUTE}/decisions"), self.decision(kind, key).to_string()).await
    }
}

#[tokio::test]
async fn a_second_person_approves_and_a_changed_pin_makes_it_outdated() {
    let stage = Stage::set(1).await;
    let ready = stage.route().await;
    assert_eq!(
        ready["state"]["missing"],
        json!([{"missing": "approvals", "counted": 0, "needed": 1}]),
        "{ready:#}"
    );
    let olga = stage.app.sign_in("olga").await;
    let refused = stage.decide(&olga, "approve", "k1").await;
    assert_eq!((refused.status, refused.code().as_str()), (StatusCode::FORBIDDEN, "refused_by_the_route"));
    assert!(refused.text().contains("involved"), "the owner of the agent may not: {}", refused.text());
    assert_eq!(stage.status().await, "hold");

    let ana = stage.app.person("ana", "approver").await;
    let approved = stage.decide(&ana, "approve", "k1").await;
    assert_eq!(approved.status, StatusCode::CREATED, "{}", approved.text());
    let record = &stage.route().await["record"];
    assert_eq!(
        *record,
        json!({
            "route_name": ROUTE,
            "checkpoint_revision": "0f".repeat(20),
            "bundle_digest": format!("sha256:{}", Sha256Digest::of(BUNDLE)),
            "runtime_target": "native_cpp_task_api_on_nvidia_h200",
            "validation_status": "pass",
            "canary_status": "not_started",
            "rollback_status": "tested",
        })
    );

    let changed = envelope(&stage.agent, Sha256Digest::of(BUNDLE), &pin(Pin::Tensorrt, "1.8.0.1", 20));
    assert_eq!(stage.builder.post("/api/v1/entries", changed).await.status, StatusCode::CREATED);
    let outdated = stage.route().await;
    assert_eq!(outdated["record"]["validation_status"], "hold");
    assert!(
        outdated["state"]["missing"].to_string().contains("outdated"),
        "{:#}",
        outdated["state"]["missing"]
    );
}

#[tokio::test]
async fn an_approval_after_a_hold_needs_a_lift() {
    let stage = Stage::set(1).await;
    let (ana, rita) = (stage.app.person("ana", "approver").await, stage.app.person("rita", "reviewer").await);
    assert_eq!(stage.decide(&ana, "approve", "k1").await.status, StatusCode::CREATED);
    assert_eq!(stage.status().await, "pass");
    assert_eq!(stage.decide(&rita, "hold", "k1").await.status, StatusCode::CREATED);
    assert_eq!(stage.status().await, "hold");
    let refused = stage.decide(&ana, "approve", "k2").await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.text());
    let refused = stage.decide(&rita, "lift_hold", "k2").await;
    assert_eq!((refused.status, refused.code().as_str()), (StatusCode::FORBIDDEN, "not_allowed"));
    assert_eq!(stage.decide(&ana, "lift_hold", "k3").await.status, StatusCode::CREATED);
    let again = stage.decide(&ana, "approve", "k4").await;
    assert_eq!(again.status, StatusCode::CREATED, "{}", again.text());
    assert_eq!(stage.status().await, "pass");
}

#[tokio::test]
async fn a_double_submit_decides_once_and_a_stale_page_is_told() {
    let stage = Stage::set(2).await;
    let (ana, eva) = (stage.app.person("ana", "approver").await, stage.app.person("eva", "approver").await);
    let stale = stage.decision("approve", "stale").to_string();
    let path = format!("/api/v1/routes/{ROUTE}/decisions");
    let body = stage.decision("approve", "same").to_string();
    let (first, second) = tokio::join!(ana.post(&path, body.clone()), ana.post(&path, body.clone()));
    let third = ana.post(&path, body).await;
    let entries: Vec<_> = [&first, &second, &third]
        .iter()
        .filter(|it| it.status == StatusCode::CREATED)
        .map(|it| it.json()["entry"].clone())
        .collect();
    assert!(!entries.is_empty() && entries.iter().all(|entry| *entry == entries[0]), "{entries:?}");
    assert_eq!(stage.status().await, "hold", "one of two persons");
    let told = eva.post(&path, stale).await;
    assert_eq!(
        (told.status, told.code().as_str()),
        (StatusCode::CONFLICT, "route_changed"),
        "{}",
        told.text()
    );
    assert_eq!(stage.decide(&eva, "approve", "k").await.status, StatusCode::CREATED);
    assert_eq!(stage.status().await, "pass");
    let again = stage.decide(&ana, "approve", "another").await;
    assert_eq!(stage.route().await["state"]["votes"].as_array().unwrap().len(), 2, "{}", again.text());
}

/// Two persons press approve and hold in the same moment: both are logged, whatever came first, and there is one final
/// state.
#[tokio::test]
async fn approve_and_hold_at_once_end_in_one_state() {
    for round in 0..5 {
        let stage = Stage::set(1).await;
        let (ana, rita) =
            (stage.app.person("ana", "approver").await, stage.app.person("rita", "reviewer").await);
        let path = format!("/api/v1/routes/{ROUTE}/decisions");
        // Both have looked before either presses; in one round the hold is certainly first.
        let (yes, no) = (stage.decision("approve", "k").to_string(), stage.decision("hold", "k").to_string());
        let (approve, hold) = if round == 0 {
            let hold = rita.post(&path, no).await;
            (ana.post(&path, yes).await, hold)
        } else {
            tokio::join!(ana.post(&path, yes), rita.post(&path, no))
        };
        assert_eq!(hold.status, StatusCode::CREATED, "{round}: {}", hold.text());
        assert_eq!(approve.status, StatusCode::CREATED, "{round}: {}", approve.text());
        let route = stage.route().await;
        assert_eq!(route["record"]["validation_status"], "hold", "{round}: {route:#}");
    }
}

#[tokio::test]
async fn an_approval_that_is_sent_again_after_a_hold_is_refused() {
    let stage = Stage::set(1).await;
    let (ana, rita) = (stage.app.person("ana", "approver").await, stage.app.person("rita", "reviewer").await);
    let path = format!("/api/v1/routes/{ROUTE}/decisions");
    let stale = stage.decision("approve", "stale").to_string();
    assert_eq!(stage.decide(&rita, "hold", "k").await.status, StatusCode::CREATED);
    // Only a moment later it has crossed with the hold; then its author could have known.
    tokio::time::sleep(std::time::Duration::from_millis(5_100)).await;
    let late = ana.post(&path, stale).await;
    assert_eq!((late.status, late.code().as_str()), (StatusCode::CONFLICT, "route_changed"));
    assert_eq!(stage.status().await, "hold");
}

#[tokio::test]
async fn whoever_denies_is_not_sent_back_for_having_seen_less() {
    let stage = Stage::set(1).await;
    let (ana, rita) = (stage.app.person("ana", "approver").await, stage.app.person("rita", "reviewer").await);
    let path = format!("/api/v1/routes/{ROUTE}/decisions");
    let (seen, stale) = (stage.app.state().log.head().head, stage.decision("hold", "stale").to_string());
    assert_eq!(stage.decide(&ana, "approve", "k").await.status, StatusCode::CREATED);
    let held = rita.post(&path, stale).await;
    assert_eq!(held.status, StatusCode::CREATED, "{}", held.text());
    assert_eq!(stage.status().await, "hold");
    // It says what was seen, not what there was.
    let record = rita.get(&format!("/api/v1/entries/{}", held.json()["entry"])).await.text();
    let statement = Statement::from_envelope(&Envelope::parse(record.as_bytes()).unwrap()).unwrap();
    let decision: RouteDecision = statement.predicate().unwrap();
    assert_eq!((decision.seen.size, decision.seen.root), (seen.size, seen.root));
}

#[tokio::test]
async fn what_is_missing_is_said_before_anything_is_signed() {
    let stage = Stage::set(1).await;
    let rita = stage.app.person("rita", "reviewer").await;
    let path = format!("/api/v1/routes/{ROUTE}/decisions");
    let before = stage.app.size();
    let edited = |field: &str, value: Value| {
        let mut body = stage.decision("hold", "k");
        body[field] = value;
        body.to_string()
    };
    for (field, value, status, code) in [
        ("text", json!("  "), 422, "incomplete"),
        ("reasonCode", json!(null), 422, "incomplete"),
        ("holdOwner", json!(null), 422, "incomplete"),
        ("reviewAt", json!("tomorrow"), 400, "bad_time"),
        ("reviewAt", json!("2020-01-01"), 422, "incomplete"),
        ("text", json!("x".repeat(5000)), 422, "text_too_long"),
        ("bundleDigest", json!("0".repeat(64)), 422, "not_on_route"),
        ("bundleDigest", json!("zz"), 400, "bad_digest"),
        ("seenSize", json!(10_000), 400, "seen_future"),
        ("key", json!(""), 400, "bad_key"),
        ("decision", json!("approve"), 403, "not_allowed"),
    ] {
        let answer = rita.post(&path, edited(field, value)).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (status, code),
            "{field}: {}",
            answer.text()
        );
    }
    assert_eq!(stage.app.size(), before);
    assert_eq!(stage.decide(&rita, "hold", "k").await.status, StatusCode::CREATED, "the key is still free");
    let unknown = stage.builder.get("/api/v1/routes/nothing").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_order_needs_a_retained_bundle_and_a_fresh_password() {
    let stage = Stage::set(1).await;
    let ana = stage.app.person("ana", "approver").await;
    let path = format!("/api/v1/routes/{ROUTE}/orders");
    let order = |to: Sha256Digest, key: &str| {
        json!({"action": "drill", "to": to, "reasonCode": "rollback", "text": "try it", "key": key})
            .to_string()
    };
    let refused = ana.post(&path, order(Sha256Digest::of(b"another"), "k1")).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (422, "not_retained"));
    let given = ana.post(&path, order(Sha256Digest::of(BUNDLE), "k2")).await;
    assert_eq!(given.status, StatusCode::CREATED, "{}", given.text());
    let open = stage.builder.get(&format!("/api/v1/routes/{ROUTE}/open-orders")).await.json();
    assert_eq!(open[0]["order"]["action"], "drill");
    assert_eq!(open[0]["order"]["by"]["account"], "ana");

    sqlx::query("update session set authenticated_at = 0")
        .execute(&stage.app.state().database.write)
        .await
        .unwrap();
    let stale = ana.post(&path, order(Sha256Digest::of(BUNDLE), "k3")).await;
    assert_eq!((stale.status, stale.code().as_str()), (StatusCode::FORBIDDEN, "step_up_needed"));
    let answer = ana.get(&format!("/api/v1/routes/{ROUTE}/open-orders")).await;
    assert_eq!(answer.status, StatusCode::FORBIDDEN, "orders are for agents");
}

#[tokio::test]
async fn a_policy_that_makes_no_sense_is_refused_by_field() {
    let app = TestApp::start().await;
    let admin = app.person("adam", "admin").await;
    let refused = async |body: Value, status: u16| {
        let answer = admin.post("/api/v1/routes", body.to_string()).await;
        assert_eq!(answer.status.as_u16(), status, "{}", answer.text());
        answer.text()
    };
    let with = |path: &[&str], value: Value| {
        let mut body = definition(1);
        let last = path.iter().fold(&mut body, |at, key| &mut at[*key]);
        *last = value;
        body
    };
    assert!(
        refused(with(&["policy", "approvals", "needed"], json!(0)), 422).await.contains("approvals.needed")
    );
    assert!(refused(with(&["policy", "colour"], json!("red")), 422).await.contains("colour"));
    assert!(refused(with(&["route"], json!("Not A Name")), 422).await.contains("lower-case"));
    refused(with(&["extra"], json!(1)), 422).await;
    assert_eq!(app.size(), 0);
    let rita = app.person("rita", "reviewer").await;
    assert_eq!(rita.post("/api/v1/routes", definition(1).to_string()).await.status, StatusCode::FORBIDDEN);
}

/// The page's form: a wrong password goes back to the review page with what was typed, the right one decides once.
#[tokio::test]
async fn the_form_keeps_what_was_typed_and_decides_once() {
    let stage = Stage::set(1).await;
    let ana = stage.app.person("ana", "approver").await;
    sqlx::query("update session set authenticated_at = 0")
        .execute(&stage.app.state().database.write)
        .await
        .unwrap();
    let anas = ana.form_token().await;
    let form = |password: &str| {
        format!(
            "kind=reject&bundle={}&reason_code=licence&text=not+clear%0Ayet&seen_size={}&key=k1&password={password}&form_token={anas}",
            Sha256Digest::of(BUNDLE),
            stage.app.size(),
        )
    };
    let path = format!("/routes/{ROUTE}/decisions");
    for (password, code) in [("", "step_up_needed"), ("guess", "wrong_password")] {
        let answer = ana.form(&path, &form(password)).await;
        let location = answer.header("location");
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
        assert!(
            location.starts_with(&format!("/routes/{ROUTE}/decide?error={code}&kind=reject&")),
            "{location}"
        );
        assert!(location.contains("text=not%20clear%0Ayet") && !location.contains("guess"), "{location}");
        assert!(!location.contains(&anas), "{location}");
    }
    let before = stage.app.size();
    let done = ana.form(&path, &form(crate::support::PASSWORD)).await;
    assert_eq!(done.header("location"), format!("/routes/{ROUTE}/done/{before}"), "{}", done.text());
    let again = ana.form(&path, &form("")).await;
    assert_eq!(
        again.header("location"),
        format!("/routes/{ROUTE}/done/{before}"),
        "sent twice, decided once"
    );
    assert_eq!((stage.app.size(), stage.status().await.as_str()), (before + 1, "reject"));

    let stale = ana.form(&path, &form("").replace(&anas, "another")).await;
    assert_eq!((stale.status, stale.code().as_str()), (StatusCode::FORBIDDEN, "stale_form"));
    let rita = stage.app.person("rita", "reviewer").await;
    let token = rita.form_token().await;
    let refused = rita.form(&path, &form("").replace(&anas, &token)).await;
    assert!(refused.header("location").contains("error=not_allowed"), "{}", refused.header("location"));
}

#[tokio::test]
async fn a_persons_token_sets_routes_up_and_decides_nothing() {
    let stage = Stage::set(1).await;
    let secret = stage.app.api_token("adam", "read define_routes").await;
    let program = stage.app.program(&secret);
    assert_eq!(program.get("/api/v1/routes").await.status, StatusCode::OK);
    assert_eq!(program.post("/api/v1/routes", definition(2).to_string()).await.status, StatusCode::CREATED);
    let refused = stage.decide(&program, "approve", "k").await;
    assert_eq!((refused.status, refused.code().as_str()), (StatusCode::FORBIDDEN, "not_allowed"));

    let adam = stage.app.sign_in("adam").await;
    let token = adam.form_token().await;
    let gone = adam.form("/account/tokens/revoke", &format!("id={}&form_token={token}", secret.hash())).await;
    assert_eq!(gone.header("location"), "/account", "{}", gone.text());
    assert_eq!(program.get("/api/v1/routes").await.status, StatusCode::UNAUTHORIZED);
    let rita = stage.app.person("rita", "reviewer").await;
    let token = rita.form_token().await;
    let others =
        rita.form("/account/tokens/revoke", &format!("id={}&form_token={token}", secret.hash())).await;
    assert_eq!(others.status, StatusCode::NOT_FOUND);
}
