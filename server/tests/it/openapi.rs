use crate::support::TestApp;

/// Any change of the API shows in review as a change of this document.
#[tokio::test]
async fn the_document_is_the_one_that_was_reviewed() {
    let app = TestApp::start().await;
    let mut document = app.anonymous().get("/api/v1/openapi.json").await.json();
    document["info"]["version"] = serde_json::Value::Null;
    insta::assert_json_snapshot!("openapi", document);
}
