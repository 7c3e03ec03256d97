//! Moments in the time zone of the person who looks.

use acta_server::store::account;
use axum::http::StatusCode;

use crate::support::{Client, TestApp};

async fn choose(person: &Client, zone: &str) -> String {
    let token = person.form_token().await;
    let answer = person.form("/account/zone", &format!("zone={zone}&form_token={token}")).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    answer.header("location").to_owned()
}

/// What stands under the moments of a page, by the viewer's own clock.
async fn own_clock(person: &Client, page: &str) -> Vec<String> {
    let answer = person.get(page).await;
    assert_eq!(answer.status, StatusCode::OK, "{page}");
    let text = answer.text();
    assert!(text.contains("<time datetime=\"") && text.contains("\u{a0}UTC</time>"), "{page} has no moment");
    let own = text.split("<span class=\"local\">").skip(1);
    own.map(|rest| rest.split('<').next().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_zone_that_was_chosen_shows_on_the_next_page_and_to_nobody_else() {
    let app = TestApp::start().await;
    app.agent("a", 1).await;
    for role in ["builder", "reviewer", "approver", "auditor", "admin"] {
        let person = app.person(role, role).await;
        assert!(own_clock(&person, "/ledger").await.is_empty(), "{role}");
        assert_eq!(choose(&person, "asia%2Fkolkata").await, "/account");
        let shown = own_clock(&person, "/ledger").await;
        assert!(!shown.is_empty() && shown.iter().all(|it| it.ends_with("\u{a0}UTC+05:30")), "{shown:?}");
        assert!(person.get("/account").await.text().contains("value=\"Asia/Kolkata\""));
    }
    // The account's, not the browser's: it is there after the next sign-in too.
    assert!(!own_clock(&app.sign_in("reviewer").await, "/ledger").await.is_empty());
    let other = app.person("other", "reviewer").await;
    assert!(own_clock(&other, "/ledger").await.is_empty());
    // What programs read is in UTC for everybody.
    let person = app.sign_in("reviewer").await;
    for path in ["/api/v1/entries/0", "/api/v1/exports/entries?format=csv"] {
        let (own, others) = (person.get(path).await, other.get(path).await);
        assert_eq!((own.status, own.text()), (StatusCode::OK, others.text()), "{path}");
    }
    for utc in ["", "UTC", "Etc%2FUTC"] {
        choose(&person, "Europe%2FMadrid").await;
        assert!(!own_clock(&person, "/ledger").await.is_empty());
        assert_eq!(choose(&person, utc).await, "/account");
        assert!(own_clock(&person, "/ledger").await.is_empty(), "{utc}");
    }
}

#[tokio::test]
async fn a_name_of_no_zone_is_refused_and_changes_nothing() {
    let app = TestApp::start().await;
    app.agent("a", 1).await;
    let person = app.person("ada", "reviewer").await;
    choose(&person, "Asia%2FKolkata").await;
    for wrong in ["Mars%2FOlympus", "%2B01%3A00", "Etc%2FUnknown", "%3Cscript%3E"] {
        let back = choose(&person, wrong).await;
        assert!(back.starts_with(&format!("/account?error=unknown_zone&zone={wrong}&")), "{back}");
        let page = person.get(&back).await;
        assert_eq!(page.status, StatusCode::OK);
        let page = page.text();
        assert!(page.contains("aria-describedby=\"zone-error\"") && !page.contains("<script>"), "{wrong}");
        assert!(
            page.contains("Time zone: found “") && page.contains("Expected is a name of the IANA database")
        );
    }
    assert!(own_clock(&person, "/ledger").await[0].ends_with("UTC+05:30"), "the zone from before holds");
}

#[tokio::test]
async fn nobody_chooses_for_somebody_else() {
    let app = TestApp::start().await;
    let (_, agent) = app.agent("a", 1).await;
    let person = app.person("ada", "reviewer").await;
    let zone = "zone=Europe%2FMadrid";
    assert_eq!(app.anonymous().form("/account/zone", zone).await.status, StatusCode::UNAUTHORIZED);
    let program = app.program(&app.api_token("ada", "read").await);
    for nobody in [agent, program] {
        assert_eq!(nobody.form("/account/zone", zone).await.status, StatusCode::FORBIDDEN);
    }
    for stale in ["", "&form_token=wrong"] {
        let answer = person.form("/account/zone", &format!("{zone}{stale}")).await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::FORBIDDEN, "stale_form"), "{stale}");
    }
    assert!(own_clock(&person, "/ledger").await.is_empty());
}

#[tokio::test]
async fn a_zone_that_is_no_longer_known_falls_back_to_utc() {
    let app = TestApp::start().await;
    app.agent("a", 1).await;
    let person = app.person("ada", "reviewer").await;
    account::set_zone(&app.state().database.write, "ada", Some("Europe/Gone")).await.unwrap();
    assert!(own_clock(&person, "/ledger").await.is_empty());
    let page = person.get("/account").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("no longer knows Europe/Gone"));
    choose(&person, "Europe%2FMadrid").await;
    assert!(!person.get("/account").await.text().contains("no longer knows"));
}
