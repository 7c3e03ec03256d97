use crate::support::TestApp;

/// What is said to stand in a path stands in it, and the other way round.
#[tokio::test]
async fn the_parameters_of_a_path_are_those_that_it_names() {
    let app = TestApp::start().await;
    let document = app.anonymous().get("/api/v1/openapi.json").await.json();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let said = operation["parameters"].as_array().into_iter().flatten();
            let said = said.filter(|parameter| parameter["in"] == "path");
            let mut said: Vec<&str> = said.map(|parameter| parameter["name"].as_str().unwrap()).collect();
            let mut named: Vec<&str> = path
                .split('{')
                .skip(1)
                .map(|rest| rest.split('}').next().unwrap().trim_start_matches('*'))
                .collect();
            said.sort_unstable();
            named.sort_unstable();
            assert_eq!(said, named, "{method} {path}");
        }
    }
}

/// Any change of the API shows in review as a change of this document.
#[tokio::test]
async fn the_document_is_the_one_that_was_reviewed() {
    let app = TestApp::start().await;
    let mut document = app.anonymous().get("/api/v1/openapi.json").await.json();
    document["info"]["version"] = serde_json::Value::Null;
    insta::assert_json_snapshot!("openapi", document);
}
