//! Accounts and tokens, kept by admins: what is done, who may do it, and that it leaves a line.

use acta_ledger::log::{
    digest::Sha256Digest,
    statement::{Statement, Subject},
};
use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::support::{Answer, Client, PASSWORD, TestApp};

const CHANGES: &str = "/api/v1/accounts/changes";

async fn change(client: &Client, body: Value) -> Answer {
    client.post(CHANGES, body.to_string()).await
}

async fn done(client: &Client, body: Value) -> Value {
    let answer = change(client, body).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
    answer.json()
}

async fn events(client: &Client) -> Vec<(String, String, String)> {
    let listed = client.get("/api/v1/accounts").await.json();
    let text = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
    let row = |event: &Value| (text(event, "by"), text(event, "change"), text(event, "subject"));
    listed["events"].as_array().unwrap().iter().map(row).collect()
}

#[tokio::test]
async fn an_admin_keeps_accounts_and_each_change_leaves_a_line() {
    let app = TestApp::start().await;
    let adam = app.person("adam", "admin").await;
    done(&adam, json!({"change": "add", "account": "eva", "role": "reviewer", "password": PASSWORD})).await;
    let eva = app.sign_in("eva").await;
    assert_eq!(eva.get("/api/v1/runs").await.status, StatusCode::OK);
    let taken = json!({"change": "add", "account": "eva", "role": "admin", "password": PASSWORD});
    assert_eq!(change(&adam, taken).await.code(), "account_exists");

    done(&adam, json!({"change": "set_role", "account": "eva", "role": "approver"})).await;
    assert_eq!(
        eva.get("/api/v1/runs").await.status,
        StatusCode::UNAUTHORIZED,
        "a session of another role ends"
    );
    let eva = app.sign_in("eva").await;
    let token = done(
        &adam,
        json!({"change": "issue_token", "account": "eva", "label": "ci", "scopes": ["read"], "days": 30}),
    )
    .await;
    let program = app
        .anonymous()
        .with(axum::http::header::AUTHORIZATION, format!("Bearer {}", token["token"].as_str().unwrap()));
    assert_eq!(program.get("/api/v1/runs").await.status, StatusCode::OK);

    done(&adam, json!({"change": "disable", "account": "eva"})).await;
    assert_eq!(eva.get("/api/v1/runs").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(program.get("/api/v1/runs").await.status, StatusCode::UNAUTHORIZED);
    let refused = app.anonymous().form("/sign-in", &format!("name=eva&password={PASSWORD}")).await;
    assert!(refused.header("location").contains("error=credentials"), "{}", refused.header("location"));
    done(&adam, json!({"change": "enable", "account": "eva"})).await;
    assert_eq!(program.get("/api/v1/runs").await.status, StatusCode::OK, "the token works again");
    let eva = app.sign_in("eva").await;
    done(&adam, json!({"change": "end_sessions", "account": "eva"})).await;
    assert_eq!(eva.get("/api/v1/runs").await.status, StatusCode::UNAUTHORIZED);

    let listed = adam.get("/api/v1/accounts").await.json();
    let id = listed["tokens"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(listed["tokens"][0]["scopes"], "read");
    done(&adam, json!({"change": "revoke_token", "id": id})).await;
    assert_eq!(program.get("/api/v1/runs").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(change(&adam, json!({"change": "revoke_token", "id": id})).await.code(), "no_such_token");

    let said: Vec<String> = events(&adam).await.into_iter().rev().map(|(_, change, _)| change).collect();
    assert_eq!(
        said,
        ["add", "set_role", "issue_token", "disable", "enable", "end_sessions", "revoke_token"],
        "what was refused leaves no line"
    );
    let write = &app.state().database.write;
    assert!(sqlx::query("update account_event set by = 'eva'").execute(write).await.is_err());
    assert!(sqlx::query("delete from account_event").execute(write).await.is_err());
}

#[tokio::test]
async fn an_agent_is_enrolled_with_a_token_of_the_portal_and_its_scopes() {
    let app = TestApp::start().await;
    let adam = app.person("adam", "admin").await;
    app.account("olga", "approver").await;
    let issue = |agent: &str, scopes: &[&str]| json!({"change": "issue_enrolment", "agent": agent, "owner": "olga", "scopes": scopes, "hours": 2});
    let token = done(&adam, issue("builder-7", &["push"])).await["token"].as_str().unwrap().to_owned();
    let agent = acta_tests::evidence::TestAgent::new(7);
    let enrolled = app.anonymous().post("/api/v1/agents", agent.enrolment(&token).to_string()).await;
    assert_eq!(enrolled.status, StatusCode::CREATED, "{}", enrolled.text());
    let api_token = enrolled.json()["apiToken"].as_str().unwrap().to_owned();
    let builder = app.anonymous().with(axum::http::header::AUTHORIZATION, format!("Bearer {api_token}"));
    assert_eq!(builder.put_blob(b"x").await.status, StatusCode::CREATED);
    let orders = builder.get("/api/v1/routes/mini/open-orders").await;
    assert_eq!((orders.status, orders.code().as_str()), (StatusCode::FORBIDDEN, "not_allowed"));
    // What came of an order is for whoever may take orders to say.
    let digest = Sha256Digest::of(b"x");
    let result = acta_tests::route::drilled(digest, digest, 0);
    let statement = Statement::new(vec![Subject::new("demo.bundle", digest)], &result).unwrap();
    let envelope = statement.sign(&agent.key).unwrap().to_canonical_json();
    let told = builder.post("/api/v1/entries", String::from_utf8(envelope).unwrap()).await;
    assert_eq!((told.status, told.code().as_str()), (StatusCode::FORBIDDEN, "not_allowed"));
    assert_eq!(told.json()["field"], "envelopes[0].predicateType");
    let listed = adam.get("/api/v1/accounts").await.json();
    assert_eq!((&listed["agentTokens"][0]["scopes"], &listed["enrolments"]), (&json!("push"), &json!([])));

    done(&adam, issue("builder-8", &["push", "orders"])).await;
    let open = adam.get("/api/v1/accounts").await.json()["enrolments"][0]["id"].clone();
    done(&adam, json!({"change": "revoke_enrolment", "id": open})).await;
    assert_eq!(adam.get("/api/v1/accounts").await.json()["enrolments"], json!([]));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_field() {
    let app = TestApp::start().await;
    let adam = app.person("adam", "admin").await;
    app.account("eva", "reviewer").await;
    let token = |change: Value| {
        let mut body =
            json!({"change": "issue_token", "account": "eva", "label": "ci", "scopes": ["read"], "days": 30});
        change.as_object().unwrap().iter().for_each(|(key, value)| body[key] = value.clone());
        body
    };
    for (body, status, code) in [
        (
            json!({"change": "add", "account": "Eva", "role": "reviewer", "password": PASSWORD}),
            422,
            "malformed_name",
        ),
        (
            json!({"change": "add", "account": "a", "role": "reviewer", "password": "short"}),
            422,
            "malformed_password",
        ),
        (json!({"change": "set_role", "account": "nobody", "role": "reviewer"}), 422, "no_such_account"),
        (json!({"change": "set_role", "account": "adam", "role": "approver"}), 403, "own_account"),
        (json!({"change": "disable", "account": "adam"}), 403, "own_account"),
        (token(json!({"account": "adam"})), 403, "own_account"),
        (token(json!({"days": 0})), 422, "bad_duration"),
        (token(json!({"days": 367})), 422, "bad_duration"),
        (token(json!({"scopes": []})), 422, "bad_scopes"),
        (token(json!({"scopes": ["push"]})), 422, "bad_scopes"),
        (token(json!({"label": " "})), 422, "malformed_label"),
        (token(json!({"extra": 1})), 422, "malformed_body"),
        (
            json!({"change": "issue_enrolment", "agent": "portal", "scopes": ["push"], "hours": 1}),
            422,
            "malformed_name",
        ),
        (
            json!({"change": "issue_enrolment", "agent": "a", "owner": "nobody", "scopes": ["push"], "hours": 1}),
            422,
            "no_such_account",
        ),
        (
            json!({"change": "issue_enrolment", "agent": "a", "scopes": ["read"], "hours": 1}),
            422,
            "bad_scopes",
        ),
        (json!({"change": "revoke_token", "id": "0".repeat(64)}), 422, "no_such_token"),
    ] {
        let answer = change(&adam, body.clone()).await;
        assert_eq!(
            (answer.status.as_u16(), answer.code().as_str()),
            (status, code),
            "{body}: {}",
            answer.text()
        );
        assert!(!answer.text().contains(PASSWORD), "{body}");
    }
    assert_eq!(events(&adam).await, []);
}

/// Who may see and do it, through the API and through the form: the same answer from the same table.
#[tokio::test]
async fn only_an_admin_changes_and_an_auditor_reads() {
    let app = TestApp::start().await;
    let add = json!({"change": "add", "account": "new", "role": "reviewer", "password": PASSWORD});
    for (role, reads, changes) in [
        ("builder", false, false),
        ("reviewer", false, false),
        ("approver", false, false),
        ("auditor", true, false),
        ("admin", true, true),
    ] {
        let person = app.person(role, role).await;
        let expected = |may| if may { StatusCode::OK } else { StatusCode::FORBIDDEN };
        assert_eq!(person.get("/api/v1/accounts").await.status, expected(reads), "{role}");
        for page in ["/people", "/people/accounts/builder"] {
            let shown = person.get(page).await;
            assert_eq!(shown.status == StatusCode::OK, reads, "{role} {page}");
            assert_eq!(shown.text().contains("action=\"/people/changes\""), changes, "{role} {page}");
        }
        let token = person.form_token().await;
        let form = format!("change=disable&account=nobody&key=k&form_token={token}");
        let answer = person.form("/people/changes", &form).await;
        let code = if changes { "no_such_account" } else { "not_allowed" };
        assert!(
            answer.header("location").starts_with(&format!("/people?error={code}&")),
            "{role}: {}",
            answer.header("location")
        );
        assert_eq!(change(&person, add.clone()).await.status == StatusCode::CREATED, changes, "{role}");
    }
    assert_eq!(
        app.person("ada", "admin").await.get("/people/accounts/nobody").await.status,
        StatusCode::NOT_FOUND
    );
    let secret = app.api_token("admin", "read define_routes").await;
    assert_eq!(change(&app.program(&secret), add).await.code(), "not_allowed", "nobody sits at its keyboard");
}

#[tokio::test]
async fn the_form_shows_a_token_once_and_issues_it_once() {
    let app = TestApp::start().await;
    let adam = app.person("adam", "admin").await;
    app.account("eva", "reviewer").await;
    let token = adam.form_token().await;
    let form = format!(
        "change=issue_token&account=eva&back=eva&label=ci&days=30&scopes=read&key=k1&form_token={token}"
    );
    let issued = adam.form("/people/changes", &form).await;
    let place = issued.header("location").to_owned();
    assert!(place.starts_with("/people/done/"), "{place}");
    let again = adam.form("/people/changes", &form).await;
    assert_eq!(again.header("location"), place, "sent twice, issued once");
    assert_eq!(adam.get("/api/v1/accounts").await.json()["tokens"].as_array().unwrap().len(), 1);
    let iva = app.person("iva", "admin").await;
    assert!(!iva.get(&place).await.text().contains("acta_api_"), "not to another admin");
    let shown = adam.get(&place).await;
    assert!(shown.text().contains("acta_api_"), "{}", shown.text());
    assert_eq!(shown.header("cache-control"), "no-store");
    assert!(!adam.get(&place).await.text().contains("acta_api_"), "and not a second time");

    // A refusal keeps what was typed but secrets.
    let wrong =
        format!("change=add&account=Eva&role=reviewer&new_password=a-long-secret&key=k2&form_token={token}");
    let refused = adam.form("/people/changes", &wrong).await;
    let place = refused.header("location");
    assert!(place.starts_with("/people?error=malformed_name&") && place.contains("account=Eva"), "{place}");
    assert!(!place.contains("a-long-secret") && !place.contains(&token), "{place}");
    let page = adam.get(place).await.text();
    assert!(page.contains("role=\"alert\"") && page.contains("value=\"Eva\""));
    let stale = adam.form("/people/changes", &form.replace(&token, "another")).await;
    assert_eq!((stale.status, stale.code().as_str()), (StatusCode::FORBIDDEN, "stale_form"));

    sqlx::query("update session set authenticated_at = 0")
        .execute(&app.state().database.write)
        .await
        .unwrap();
    let old = form.replace("key=k1", "key=k3");
    let asked = adam.form("/people/changes", &old).await;
    assert!(
        asked.header("location").starts_with("/people/accounts/eva?error=step_up_needed"),
        "{}",
        asked.header("location")
    );
    assert!(adam.get("/people/accounts/eva").await.text().contains("name=\"password\""));
    let wrong = adam.form("/people/changes", &format!("{old}&password=guess")).await;
    assert!(wrong.header("location").contains("error=wrong_password"), "{}", wrong.header("location"));
    let right = adam.form("/people/changes", &format!("{old}&password={PASSWORD}")).await;
    assert!(right.header("location").starts_with("/people/done/"), "{}", right.header("location"));
}
