//! A server for one test, and clients that show who they are.

use std::net::{Ipv4Addr, SocketAddr};

use acta_ledger::log::{digest::Sha256Digest, verification::Trust};
use acta_server::{
    config::{DataConfig, ServeConfig},
    http::router::router,
    secret::Secret,
    startup::{AppState, Application},
    store::{account, token},
};
use acta_tests::evidence::TestAgent;
use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tower::ServiceExt as _;

/// The password of every test account.
pub const PASSWORD: &str = "correct horse battery";

/// A server on a folder that goes away with it.
pub struct TestApp {
    pub folder: TempDir,
    pub application: Application,
}

/// An answer, read whole.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// Whoever asks: with a cookie, a token, or nothing.
#[derive(Clone)]
pub struct Client {
    router: Router,
    headers: Vec<(header::HeaderName, String)>,
}

impl Client {
    pub fn with(&self, name: header::HeaderName, value: impl Into<String>) -> Self {
        let mut client = self.clone();
        client.headers.push((name, value.into()));
        client
    }

    /// What this client sends in a header.
    pub fn header(&self, name: header::HeaderName) -> String {
        self.headers.iter().find(|(is, _)| *is == name).map(|(_, value)| value.clone()).unwrap_or_default()
    }

    pub async fn send(&self, method: Method, path: &str, kind: &str, body: impl Into<Body>) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, kind);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut request = request.body(body.into()).unwrap();
        request.extensions_mut().insert(ConnectInfo(SocketAddr::from((Ipv4Addr::LOCALHOST, 4711))));
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, "text/plain", Body::empty()).await
    }

    pub async fn post(&self, path: &str, body: impl Into<Vec<u8>>) -> Answer {
        self.send(Method::POST, path, "application/json", body.into()).await
    }

    pub async fn form(&self, path: &str, body: &str) -> Answer {
        self.send(Method::POST, path, "application/x-www-form-urlencoded", body.to_owned()).await
    }

    /// The token that the forms of this person's pages carry.
    pub async fn form_token(&self) -> String {
        let page = self.get("/ledger").await.text();
        let after = page.split("name=\"form_token\" value=\"").nth(1).unwrap();
        after.split('"').next().unwrap().to_owned()
    }

    pub async fn put_blob(&self, bytes: &[u8]) -> Answer {
        let path = format!("/api/v1/blobs/sha256/{}", Sha256Digest::of(bytes));
        self.send(Method::PUT, &path, "application/octet-stream", bytes.to_vec()).await
    }
}

impl TestApp {
    pub async fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), false).await
    }

    pub async fn start_public() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), true).await
    }

    pub async fn start_in(folder: TempDir, public_read: bool) -> Self {
        let application = Self::build(&folder, public_read).await.unwrap();
        Self { folder, application }
    }

    pub async fn build(folder: &TempDir, public_read: bool) -> anyhow::Result<Application> {
        let serve = ServeConfig {
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            public_read,
            site_dir: folder.path().join("site"),
            ..ServeConfig::nowhere()
        };
        Application::build(&data(folder), &serve).await
    }

    /// Stops in order and leaves the folder.
    pub async fn stop(self) -> TempDir {
        self.application.run(async {}).await.unwrap();
        self.folder
    }

    pub fn state(&self) -> &AppState {
        self.application.state()
    }

    pub fn trust(&self) -> Trust {
        self.state().trust.clone()
    }

    pub fn size(&self) -> u64 {
        self.state().log.head().head.size
    }

    pub fn anonymous(&self) -> Client {
        Client { router: router(self.state().clone()), headers: Vec::new() }
    }

    pub async fn enrolment_token(&self, agent: &str) -> String {
        self.enrolment_token_of(agent, None).await
    }

    async fn enrolment_token_of(&self, agent: &str, owner: Option<&str>) -> String {
        let token = Secret::draw("acta_enrol_").unwrap();
        let write = &self.state().database.write;
        let issued = token::EnrolmentToken {
            agent: agent.to_owned(),
            issued_by: "test".to_owned(),
            owner: owner.map(str::to_owned),
            scopes: "push orders".to_owned(),
            expires_at: i64::MAX,
            used_by: None,
        };
        let mut write = write.acquire().await.unwrap();
        token::insert_enrolment(&mut write, &token.hash(), &issued, 0).await.unwrap();
        token.reveal().to_owned()
    }

    /// An enrolled agent with its token.
    pub async fn agent(&self, name: &str, seed: u8) -> (TestAgent, Client) {
        self.agent_of(name, seed, None).await
    }

    /// An enrolled agent that an account owns.
    pub async fn agent_of(&self, name: &str, seed: u8, owner: Option<&str>) -> (TestAgent, Client) {
        let agent = TestAgent::new(seed);
        let body = agent.enrolment(&self.enrolment_token_of(name, owner).await);
        let answer = self.anonymous().post("/api/v1/agents", body.to_string()).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text());
        let token = answer.json()["apiToken"].as_str().unwrap().to_owned();
        (agent, self.anonymous().with(header::AUTHORIZATION, format!("Bearer {token}")))
    }

    pub async fn account(&self, name: &str, role: &str) {
        let password_hash = acta_server::auth::password::hash_now(PASSWORD).unwrap();
        let account = account::Account {
            name: name.to_owned(),
            role: role.to_owned(),
            password_hash,
            created_at: 0,
            disabled_at: None,
        };
        let mut write = self.state().database.write.acquire().await.unwrap();
        assert!(account::insert(&mut write, &account).await.unwrap());
    }

    /// A signed-in person.
    pub async fn person(&self, name: &str, role: &str) -> Client {
        self.account(name, role).await;
        self.sign_in(name).await
    }

    /// A token of a person's programs.
    pub async fn api_token(&self, account: &str, scopes: &str) -> Secret {
        let secret = Secret::draw("acta_api_").unwrap();
        let issued = token::NewToken {
            kind: token::Kind::Account,
            holder: account,
            label: "ci",
            scopes,
            expires_at: i64::MAX,
        };
        let mut write = self.state().database.write.acquire().await.unwrap();
        token::insert(&mut write, &secret.hash(), &issued, 0).await.unwrap();
        secret
    }

    /// A program that shows a token.
    pub fn program(&self, secret: &Secret) -> Client {
        self.anonymous().with(header::AUTHORIZATION, format!("Bearer {}", secret.reveal()))
    }

    /// A person with an account, signed in.
    pub async fn sign_in(&self, name: &str) -> Client {
        let answer = self.anonymous().form("/sign-in", &format!("name={name}&password={PASSWORD}")).await;
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
        self.anonymous().with(header::COOKIE, answer.header("set-cookie").split(';').next().unwrap())
    }
}

pub fn data(folder: &TempDir) -> DataConfig {
    DataConfig { data_dir: folder.path().to_owned(), origin: "acta.test/log".to_owned(), anchor: None }
}

/// `{"envelopes": [...]}` of envelopes as JSON bytes.
pub fn many(envelopes: &[Vec<u8>]) -> String {
    let envelopes: Vec<Value> =
        envelopes.iter().map(|bytes| serde_json::from_slice(bytes).unwrap()).collect();
    json!({ "envelopes": envelopes }).to_string()
}
