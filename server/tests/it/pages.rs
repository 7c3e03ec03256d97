use acta_tests::evidence::{phase_tree, summary};
use axum::http::{StatusCode, header};

use crate::support::TestApp;

async fn app_with_a_run() -> TestApp {
    let app = TestApp::start_public().await;
    let (agent, client) = app.agent("builder-7", 7).await;
    let mut said = summary(1);
    let (tree, named) = phase_tree(said.run.id);
    said.phase_tree = Some(named);
    said.network.source = "models/<script>alert(1)</script>.onnx".to_owned();
    client.put_blob(&tree).await;
    assert_eq!(client.post("/api/v1/entries", agent.envelope(&said)).await.status, StatusCode::CREATED);
    app
}

#[tokio::test]
async fn every_page_answers_in_both_languages_with_its_headers() {
    let app = app_with_a_run().await;
    for path in [
        "/",
        "/runs?outcome=completed",
        "/runs/1",
        "/entries/0",
        "/entries/1",
        "/acceptance",
        "/compare",
        "/cancels",
        "/caches",
        "/ledger",
        "/help",
        "/help/auditors",
        "/sign-in",
    ] {
        for lang in ["en", "es"] {
            let page = app.anonymous().with(header::ACCEPT_LANGUAGE, lang).get(path).await;
            assert_eq!(page.status, StatusCode::OK, "{path}: {}", page.text());
            let text = page.text();
            assert!(text.contains(&format!("<html lang=\"{lang}\"")), "{path} {lang}");
            assert!(text.contains("<h1"), "{path}");
            assert!(!text.contains("<script>alert"), "{path}");
            assert!(!text.contains(" style=\""), "{path}");
            assert!(page.header("content-security-policy").contains("frame-ancestors 'none'"));
            assert_eq!(page.header("cache-control"), "no-store");
            assert_eq!(page.header("x-content-type-options"), "nosniff");
        }
    }
}

#[tokio::test]
async fn the_run_page_shows_phases_and_the_servers_word() {
    let app = app_with_a_run().await;
    let page = app.anonymous().get("/runs/1").await.text();
    for part in ["Building engine", "Optimizing graph", "<svg", "acta verify"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(page.contains("/entries/1"));
}

#[tokio::test]
async fn what_is_not_there_is_a_page_that_says_so() {
    let app = app_with_a_run().await;
    for (path, status) in [
        ("/runs/99", 404),
        ("/entries/99", 404),
        ("/nowhere", 404),
        ("/runs?sort=name", 400),
        ("/runs?after=0", 400),
        ("/runs?after=77", 400),
        ("/runs?q=colour:red", 400),
    ] {
        let page = app.anonymous().get(path).await;
        assert_eq!(page.status.as_u16(), status, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        assert!(page.text().contains("<h1"), "{path}");
    }
}

#[tokio::test]
async fn style_sheets_are_found_under_their_digest() {
    let app = app_with_a_run().await;
    let page = app.anonymous().get("/sign-in").await.text();
    let urls: Vec<&str> = page.split('"').filter(|part| part.starts_with("/assets/")).collect();
    assert!(urls.len() >= 2, "{urls:?}");
    for url in urls {
        let sheet = app.anonymous().get(url).await;
        assert_eq!(
            (sheet.status, sheet.header("content-type")),
            (StatusCode::OK, "text/css; charset=utf-8"),
            "{url}"
        );
        assert!(sheet.header("cache-control").contains("immutable"));
    }
    assert_eq!(app.anonymous().get("/assets/..%2fCargo.toml").await.status, StatusCode::NOT_FOUND);
}
