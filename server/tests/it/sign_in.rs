use axum::http::{HeaderName, StatusCode, header};

use crate::support::{PASSWORD, TestApp};

#[tokio::test]
async fn the_right_password_opens_a_session_and_signing_out_ends_it() {
    let app = TestApp::start().await;
    let person = app.person("ada", "reviewer").await;
    let page = person.get("/ledger").await;
    assert_eq!(page.status, StatusCode::OK);
    let text = page.text();
    assert!(text.contains("ada"));
    let token =
        text.split("name=\"form_token\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(token.len(), 64);

    let stale = person.form("/sign-out", "form_token=wrong").await;
    assert_eq!((stale.status, stale.code().as_str()), (StatusCode::FORBIDDEN, "stale_form"));
    assert_eq!(person.get("/ledger").await.status, StatusCode::OK);
    let out = person.form("/sign-out", &format!("form_token={token}&next=/ledger")).await;
    assert_eq!((out.status, out.header("location")), (StatusCode::SEE_OTHER, "/ledger"));
    assert_eq!(person.get("/ledger").await.status, StatusCode::SEE_OTHER, "the cookie is worthless now");
}

#[tokio::test]
async fn the_cookie_cannot_be_read_or_sent_from_elsewhere() {
    let app = TestApp::start().await;
    app.account("ada", "auditor").await;
    let answer =
        app.anonymous().form("/sign-in", &format!("name=ada&password={PASSWORD}&next=%2Fruns%2F1")).await;
    assert_eq!(answer.header("location"), "/runs/1");
    let cookie = answer.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    for next in ["https%3A%2F%2Fevil.example", "%2F%2Fevil.example", "javascript%3Aalert(1)"] {
        let answer =
            app.anonymous().form("/sign-in", &format!("name=ada&password={PASSWORD}&next={next}")).await;
        assert_eq!(answer.header("location"), "/", "{next}");
    }
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_look_alike() {
    let app = TestApp::start().await;
    app.account("ada", "reviewer").await;
    for name in ["ada", "nobody"] {
        let answer =
            app.anonymous().form("/sign-in", &format!("name={name}&password=wrong&next=%2Fledger")).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER);
        assert_eq!(
            answer.header("location"),
            format!("/sign-in?error=credentials&name={name}&next=%2Fledger")
        );
        assert!(answer.headers.get(header::SET_COOKIE).is_none());
    }
    let page = app.anonymous().get("/sign-in?error=credentials&name=ada").await.text();
    assert!(page.contains("value=\"ada\""), "the name need not be typed again");
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let app = TestApp::start().await;
    app.account("ada", "reviewer").await;
    let mut last = String::new();
    for _ in 0..11 {
        last =
            app.anonymous().form("/sign-in", "name=ada&password=guess").await.header("location").to_owned();
    }
    assert!(last.contains("error=rate"), "{last}");
}

#[tokio::test]
async fn a_form_of_another_site_is_refused() {
    let app = TestApp::start().await;
    let person = app.person("ada", "reviewer").await;
    let foreign = person.with(HeaderName::from_static("sec-fetch-site"), "cross-site");
    for path in ["/sign-out", "/preferences", "/sign-in"] {
        let answer = foreign.form(path, "").await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::FORBIDDEN, "cross_site"), "{path}");
    }
}

#[tokio::test]
async fn language_and_theme_are_kept_in_cookies() {
    let app = TestApp::start().await;
    let answer = app.anonymous().form("/preferences", "lang=es&theme=dark&next=%2Fsign-in%3Flang%3Den").await;
    assert_eq!(answer.header("location"), "/sign-in");
    let cookies: Vec<_> =
        answer.headers.get_all(header::SET_COOKIE).iter().map(|c| c.to_str().unwrap()).collect();
    assert!(cookies[0].starts_with("lang=es") && cookies[1].starts_with("theme=dark"), "{cookies:?}");
    let page = app.anonymous().with(header::COOKIE, "lang=es; theme=dark").get("/sign-in").await.text();
    assert!(page.contains("lang=\"es\"") && page.contains("data-theme=\"dark\""), "{}", &page[..300]);
}
