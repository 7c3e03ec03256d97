//! A rollback that needs a second person.

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::route::{ROUTE, definition};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::{
    route::{BUNDLE, Stage},
    support::{Answer, Client},
};

/// A route whose policy asks for a second person, and an order that waits for one.
async fn asked() -> (Stage, Client, String) {
    let stage = Stage::set(1).await;
    let adam = stage.app.sign_in("adam").await;
    let mut policy = definition(1);
    policy["policy"]["rollback"] = json!({ "confirmation": "required" });
    assert_eq!(adam.post("/api/v1/routes", policy.to_string()).await.status, StatusCode::CREATED);
    let ana = stage.app.person("ana", "approver").await;
    let order = json!({"action": "rollback", "to": Sha256Digest::of(BUNDLE), "reasonCode": "rollback",
        "text": "it is slow", "key": "k1"});
    let given = ana.post(&format!("/api/v1/routes/{ROUTE}/orders"), order.to_string()).await;
    assert_eq!(given.status, StatusCode::CREATED, "{}", given.text());
    let order = stage.route().await["state"]["awaiting"]["order"].as_str().unwrap().to_owned();
    (stage, ana, order)
}

async fn confirm(person: &Client, order: &str, key: &str) -> Answer {
    let path = format!("/api/v1/routes/{ROUTE}/orders/{order}/confirmation");
    person.post(&path, json!({ "key": key }).to_string()).await
}

async fn open(stage: &Stage) -> Value {
    stage.builder.get(&format!("/api/v1/routes/{ROUTE}/open-orders")).await.json()
}

#[tokio::test]
async fn an_order_is_open_only_when_another_approver_has_confirmed_it() {
    let (stage, ana, order) = asked().await;
    assert_eq!(open(&stage).await, json!([]), "the agent is not told of it before");
    let turn = stage.route().await["state"]["turn"].clone();
    assert_eq!((&turn["turn"], &turn["by"]), (&json!("confirmer"), &json!("ana")));
    let own = confirm(&ana, &order, "k1-own").await;
    assert_eq!((own.status, own.code().as_str()), (StatusCode::FORBIDDEN, "refused_by_the_route"));
    assert!(own.text().contains("same_person"), "{}", own.text());
    let rita = stage.app.person("rita", "reviewer").await;
    assert_eq!(confirm(&rita, &order, "k").await.code(), "not_allowed");
    let adam = stage.app.sign_in("adam").await;
    assert_eq!(confirm(&adam, &order, "k").await.code(), "not_allowed");

    let eva = stage.app.person("eva", "approver").await;
    let before = stage.app.size();
    let confirmed = confirm(&eva, &order, "k").await;
    assert_eq!(confirmed.status, StatusCode::CREATED, "{}", confirmed.text());
    assert_eq!(confirm(&eva, &order, "k").await.json(), confirmed.json(), "sent twice, signed once");
    assert_eq!(stage.app.size(), before + 1);
    let listed = open(&stage).await;
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["order"]["order"], order.as_str());
    assert_eq!(listed[0]["order"]["by"]["account"], "ana");
    assert_eq!(listed[0]["order"]["confirmedBy"]["account"], "eva");
    assert!(confirm(&eva, &order, "another").await.text().contains("nothing_to_confirm"));
    let strange = confirm(&eva, "not-an-id", "k2").await;
    assert_eq!((strange.status.as_u16(), strange.code().as_str()), (400, "bad_order"));
}

#[tokio::test]
async fn the_page_says_who_may_confirm_and_its_form_signs() {
    let (stage, ana, order) = asked().await;
    let page = format!("/routes/{ROUTE}/confirm");
    let own = ana.get(&page).await.text();
    assert!(own.contains("you ordered it yourself") && !own.contains("name=\"order\""), "{own}");
    let eva = stage.app.person("eva", "approver").await;
    let shown = eva.get(&page).await.text();
    assert!(
        shown.contains(&format!("name=\"order\" value=\"{order}\"")) && shown.contains("it is slow"),
        "{shown}"
    );
    assert!(eva.get("/routes").await.text().contains("n approver other than ana"));
    let token = eva.form_token().await;
    sqlx::query("update session set authenticated_at = 0")
        .execute(&stage.app.state().database.write)
        .await
        .unwrap();
    let form = format!("order={order}&key=k&form_token={token}");
    let path = format!("/routes/{ROUTE}/confirmations");
    let asked = eva.form(&path, &form).await;
    assert!(
        asked.header("location").starts_with(&format!("{page}?error=step_up_needed&")),
        "{}",
        asked.header("location")
    );
    let before = stage.app.size();
    let done = eva.form(&path, &format!("{form}&password={}", crate::support::PASSWORD)).await;
    assert_eq!(done.header("location"), format!("/routes/{ROUTE}/done/{before}"), "{}", done.text());
    let result = eva.get(done.header("location")).await;
    assert!(
        result.status == StatusCode::OK && result.text().contains("is confirmed by entry"),
        "{}",
        result.text()
    );
    let nothing = ana.get(&page).await.text();
    assert!(nothing.contains("No order of this route waits"), "{nothing}");
    let stale = eva.form(&path, &form.replace(&token, "another")).await;
    assert_eq!((stale.status, stale.code().as_str()), (StatusCode::FORBIDDEN, "stale_form"));
}

#[tokio::test]
async fn a_request_that_was_lifted_cannot_be_confirmed_later() {
    let (stage, ana, order) = asked().await;
    assert_eq!(stage.decide(&ana, "lift_hold", "lift").await.status, StatusCode::CREATED);
    let eva = stage.app.person("eva", "approver").await;
    assert!(confirm(&eva, &order, "k").await.text().contains("nothing_to_confirm"));
    assert_eq!(open(&stage).await, json!([]));
}
