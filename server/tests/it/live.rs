//! The live channel over a real WebSocket: what an agent says is seen, what a person asks reaches it.

use std::{net::SocketAddr, time::Duration};

use acta_ledger::{
    evidence::{build::Outcome, cancel_request::CancelRequest},
    live::{FromAgent, LiveEnd, LiveState, Stage, ToAgent},
    log::{digest::Sha256Digest, dsse::Envelope, statement::Statement},
};
use acta_server::http::router::router;
use acta_tests::{evidence::summary, live};
use axum::{
    body::Body,
    http::{Method, Request, StatusCode, header},
};
use futures::{SinkExt as _, StreamExt as _};
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest as _},
};
use tower::ServiceExt as _;
use uuid::Uuid;

use crate::support::{Client, TestApp};

/// Nothing that is awaited here takes longer.
const SOON: Duration = Duration::from_secs(10);

/// An agent's end of the channel.
struct Channel(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Channel {
    async fn open(address: SocketAddr, token: &str) -> Self {
        let mut request = format!("ws://{address}/api/v1/live/channel").into_client_request().unwrap();
        request.headers_mut().insert(header::AUTHORIZATION, token.parse().unwrap());
        Self(connect_async(request).await.unwrap().0)
    }

    async fn say(&mut self, word: &FromAgent) {
        self.0.send(Message::text(serde_json::to_string(word).unwrap())).await.unwrap();
    }

    async fn begin(&mut self, run: Uuid) {
        self.say(&FromAgent::Build(Box::new(live::build(run)))).await;
    }

    async fn state(&mut self, state: LiveState) {
        self.say(&FromAgent::State(Box::new(state))).await;
    }

    /// The next order.
    async fn order(&mut self) -> ToAgent {
        let message = timeout(SOON, self.0.next()).await.expect("an order comes").unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    }

    /// Why the server closed it.
    async fn closed(&mut self) -> String {
        loop {
            match timeout(SOON, self.0.next()).await.expect("the channel is closed") {
                Some(Ok(Message::Close(Some(frame)))) => return frame.reason.to_string(),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return String::new(),
            }
        }
    }
}

/// A server that runs as it does for its users, and can be stopped.
struct Served {
    address: SocketAddr,
    folder: tempfile::TempDir,
    stop: tokio::sync::oneshot::Sender<()>,
    serving: tokio::task::JoinHandle<anyhow::Result<()>>,
}

impl Served {
    fn start(app: TestApp) -> Self {
        let TestApp { folder, application } = app;
        let (address, (stop, stopped)) = (application.address, tokio::sync::oneshot::channel());
        let serving = tokio::spawn(application.run(async {
            let _ = stopped.await;
        }));
        Self { address, folder, stop, serving }
    }

    /// Stops it in order, and leaves the folder. Whoever holds its state must be gone.
    async fn stop(self) -> tempfile::TempDir {
        self.stop.send(()).unwrap();
        timeout(SOON, self.serving).await.expect("it stops").unwrap().unwrap();
        self.folder
    }
}

async fn listen(app: &TestApp) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let service = router(app.state().clone()).into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    address
}

/// An enrolled agent's token, as it stands in a header.
async fn agent_token(app: &TestApp, name: &str, seed: u8) -> String {
    let agent = acta_tests::evidence::TestAgent::new(seed);
    let body = agent.enrolment(&app.enrolment_token(name).await);
    let answer = app.anonymous().post("/api/v1/agents", body.to_string()).await;
    format!("Bearer {}", answer.json()["apiToken"].as_str().unwrap())
}

/// Waits until a build is seen like this.
async fn seen(client: &Client, run: Uuid, wanted: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..500 {
        let answer = client.get(&format!("/api/v1/live/{run}")).await;
        if answer.status == StatusCode::OK && wanted(&answer.json()) {
            return answer.json();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the build is never seen like that: {}", client.get(&format!("/api/v1/live/{run}")).await.text());
}

fn stage(wanted: &'static str) -> impl Fn(&Value) -> bool {
    move |view| view["state"]["stage"] == wanted
}

/// A watched build in its build call.
async fn building(app: &TestApp) -> (Channel, Uuid, SocketAddr, String) {
    let (address, token, run) = (listen(app).await, agent_token(app, "a", 1).await, Uuid::now_v7());
    let mut channel = Channel::open(address, &token).await;
    channel.begin(run).await;
    channel.state(live::state(Stage::Building)).await;
    let reader = app.anonymous().with(header::AUTHORIZATION, token.clone());
    seen(&reader, run, stage("building")).await;
    (channel, run, address, token)
}

#[tokio::test]
async fn what_an_agent_says_is_seen_by_several_viewers() {
    let app = TestApp::start().await;
    let (mut channel, run, ..) = building(&app).await;
    let people = [app.person("rita", "reviewer").await, app.person("adam", "auditor").await];
    for person in &people {
        let listed = person.get("/api/v1/live").await.json();
        assert_eq!(listed["builds"][0]["build"]["run"], run.to_string());
        assert_eq!(listed["builds"][0]["standing"], "running");
    }
    let may = |view: &Value| view["mayCancel"].clone();
    assert_eq!(may(&people[0].get(&format!("/api/v1/live/{run}")).await.json()), true);
    assert_eq!(may(&people[1].get(&format!("/api/v1/live/{run}")).await.json()), false);
    channel.state(live::state(Stage::Writing)).await;
    let view = seen(&people[0], run, stage("writing")).await;
    assert_eq!(view["way"], json!({ "after": "artifact_write" }));
    let page = people[0].get(&format!("/runs/{run}/live")).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text().contains("the plan is written"), "a window is shown");
    assert!(people[0].get("/live?lang=es").await.text().contains("en marcha"));
    assert_eq!(people[0].get(&format!("/runs/{run}")).await.header("location"), format!("/runs/{run}/live"));
}

/// One event of a stream: its id, its name, its data.
async fn event(body: &mut Body) -> (String, String, Value) {
    let mut text = String::new();
    loop {
        let frame =
            timeout(SOON, body.frame()).await.expect("an event comes").expect("the stream goes on").unwrap();
        text.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
        if let Some((event, _)) = text.split_once("\n\n") {
            let field = |name: &str| {
                let line = event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
                line.unwrap_or_default().to_owned()
            };
            if !field("data").is_empty() {
                return (field("id"), field("event"), serde_json::from_str(&field("data")).unwrap());
            }
            text.clear();
        }
    }
}

async fn stream(app: &TestApp, token: &str, path: &str, last: Option<&str>) -> Body {
    let mut request = Request::get(path).header(header::AUTHORIZATION, token);
    if let Some(last) = last {
        request = request.header("last-event-id", last);
    }
    let response = router(app.state().clone()).oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
    response.into_body()
}

#[tokio::test]
async fn a_stream_goes_on_after_the_event_that_was_seen_last() {
    let app = TestApp::start().await;
    let (mut channel, run, _, token) = building(&app).await;
    let path = format!("/api/v1/live/{run}/events");
    let mut first = stream(&app, &token, &path, None).await;
    let (id, name, data) = event(&mut first).await;
    assert_eq!((name.as_str(), &data["state"]["stage"]), ("state", &json!("building")));
    let mut again = stream(&app, &token, &path, Some(&id)).await;
    channel.state(live::state(Stage::Serializing)).await;
    let (newer, _, data) = event(&mut again).await;
    assert_ne!(newer, id, "what was seen does not come again");
    assert_eq!(data["state"]["stage"], "serializing");
    let mut page = stream(&app, &token, &format!("{path}?view=page&lang=es"), None).await;
    let (_, name, data) = event(&mut page).await;
    assert_eq!(name, "page");
    assert!(data["parts"][0]["html"].as_str().unwrap().contains("serializa el plan"), "{data}");
    let reader = app.anonymous().with(header::AUTHORIZATION, token);
    let wrong = reader.get(&format!("{path}?view=picture")).await;
    assert_eq!((wrong.status, wrong.code().as_str()), (StatusCode::BAD_REQUEST, "bad_view"));
    assert_eq!(
        reader.get(&format!("/api/v1/live/{}/events", Uuid::nil())).await.status,
        StatusCode::NOT_FOUND
    );
}

async fn cancel(client: &Client, run: Uuid, reason: &str) -> crate::support::Answer {
    client.post(&format!("/api/v1/live/{run}/cancel"), json!({ "reason": reason }).to_string()).await
}

#[tokio::test]
async fn a_reviewers_request_reaches_the_agent_signed_and_stands_in_the_log() {
    let app = TestApp::start().await;
    let (mut channel, run, ..) = building(&app).await;
    let rita = app.person("rita", "reviewer").await;
    let size = app.size();
    let answer = cancel(&rita, run, "  the wrong calibration data ").await;
    assert_eq!((answer.status, &answer.json()["way"]), (StatusCode::ACCEPTED, &json!("now")));
    assert_eq!((answer.json()["entry"].as_u64(), app.size()), (Some(size), size + 1));

    let ToAgent::Cancel(order) = channel.order().await;
    assert!(order.held.0 < 5_000_000_000, "{}", order.held.0);
    let envelope = Envelope::parse(order.envelope.to_string().as_bytes()).unwrap();
    let (envelope, _) = envelope.verified(&[app.trust().portal], 1).unwrap();
    let request: CancelRequest = Statement::from_envelope(&envelope).unwrap().predicate().unwrap();
    assert_eq!((request.run, request.agent.as_str()), (run, "a"));
    assert_eq!(
        (request.reason.as_str(), request.by.account.as_str()),
        ("the wrong calibration data", "rita")
    );
    let logged = app.state().reader.entry(size).await.unwrap().unwrap();
    assert_eq!(Sha256Digest::of(&envelope.to_canonical_json()), logged.digest);

    let again = cancel(&rita, run, "again").await;
    assert_eq!(again.json()["request"], answer.json()["request"], "the first request counts");
    assert_eq!((again.json()["way"].as_str(), app.size()), (Some("again"), size + 1));
    let page = rita.get(&format!("/runs/{run}/live")).await.text();
    assert!(page.contains("rita") && page.contains("the wrong calibration data"), "{page}");
}

#[tokio::test]
async fn only_reviewers_and_approvers_may_ask() {
    let app = TestApp::start_public().await;
    let (_channel, run, _, token) = building(&app).await;
    let agent = app.anonymous().with(header::AUTHORIZATION, token);
    for client in [agent, app.person("adam", "auditor").await, app.person("root", "admin").await] {
        let answer = cancel(&client, run, "why not").await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::FORBIDDEN, "not_allowed"));
    }
    assert_eq!(cancel(&app.anonymous(), run, "why not").await.status, StatusCode::UNAUTHORIZED);
    let olga = app.person("olga", "approver").await;
    for (reason, code) in [("  ", "missing_reason"), (&*"r".repeat(501), "text_too_long")] {
        let answer = cancel(&olga, run, reason).await;
        assert_eq!((answer.status, answer.code().as_str()), (StatusCode::UNPROCESSABLE_ENTITY, code));
    }
    assert_eq!(cancel(&olga, Uuid::nil(), "x").await.status, StatusCode::NOT_FOUND);
    assert_eq!(cancel(&olga, run, "x").await.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn the_form_is_reviewed_posted_once_and_leads_back() {
    let app = TestApp::start().await;
    let (mut channel, run, ..) = building(&app).await;
    let rita = app.person("rita", "reviewer").await;
    let place = format!("/runs/{run}/cancel");
    let review = rita.get(&format!("{place}?reason=too%20slow")).await.text();
    let token = review.split("name=\"form_token\" value=\"").nth(2).unwrap().split('"').next().unwrap();
    assert!(review.contains("value=\"too slow\""), "{review}");
    let stale = rita.form(&place, "reason=x&form_token=another").await;
    assert_eq!((stale.status, stale.code().as_str()), (StatusCode::FORBIDDEN, "stale_form"));
    let empty = rita.form(&place, &format!("reason=&form_token={token}")).await;
    assert_eq!(empty.status, StatusCode::SEE_OTHER);
    let back = empty.header("location").to_owned();
    assert!(back.starts_with(&format!("{place}?error=missing_reason")), "{back}");
    assert!(rita.get(&back).await.text().contains("A cancel needs a reason"));
    for _ in 0..2 {
        let sent = rita.form(&place, &format!("reason=too%20slow&form_token={token}")).await;
        assert_eq!(
            (sent.status, sent.header("location")),
            (StatusCode::SEE_OTHER, &*format!("/runs/{run}/live"))
        );
    }
    channel.order().await;
    let adam = app.person("adam", "auditor").await;
    assert!(adam.get(&place).await.text().contains("Only a reviewer or an approver"));
    let cross = rita.with(header::HeaderName::from_static("sec-fetch-site"), "cross-site");
    assert_eq!(cross.form(&place, "reason=x").await.code(), "cross_site");
}

#[tokio::test]
async fn a_request_waits_for_an_agent_that_is_away_and_for_a_server_that_starts_again() {
    let app = TestApp::start().await;
    let (token, run) = (agent_token(&app, "a", 1).await, Uuid::now_v7());
    let rita = app.person("rita", "reviewer").await;
    let served = Served::start(app);
    let mut channel = Channel::open(served.address, &token).await;
    channel.begin(run).await;
    seen(&rita, run, |view| view["standing"] == "running").await;
    drop(channel);
    assert_eq!(cancel(&rita, run, "stop").await.status, StatusCode::ACCEPTED);
    let mut channel = Channel::open(served.address, &token).await;
    channel.begin(run).await;
    let ToAgent::Cancel(first) = channel.order().await;
    drop((channel, rita));

    let restarted = TestApp::start_in(served.stop().await, false).await;
    let mut channel = Channel::open(listen(&restarted).await, &token).await;
    channel.begin(run).await;
    let ToAgent::Cancel(second) = channel.order().await;
    assert_eq!(second.envelope, first.envelope, "the request stands in the log");
    let rita = restarted.sign_in("rita").await;
    assert_eq!(cancel(&rita, run, "stop").await.json()["way"], "again");
}

#[tokio::test]
async fn what_no_agent_says_closes_the_channel_with_the_reason() {
    let app = TestApp::start().await;
    let (address, token, run) = (listen(&app).await, agent_token(&app, "a", 1).await, Uuid::now_v7());
    let build = |run| FromAgent::Build(Box::new(live::build(run)));
    let state = |stage| FromAgent::State(Box::new(live::state(stage)));
    let mut bad = live::state(Stage::Building);
    bad.phases[0].parent = Some(7);
    let old = acta_ledger::live::LiveBuild { protocol: 9, ..live::build(run) };
    for (words, reason) in [
        (vec![state(Stage::Building)], "says which build"),
        (vec![FromAgent::Build(Box::new(old))], "protocol: found 9"),
        (vec![build(run), build(run)], "about one build"),
        (vec![build(run), FromAgent::State(Box::new(bad))], "phases: found phase 0"),
    ] {
        let mut channel = Channel::open(address, &token).await;
        for word in &words {
            channel.say(word).await;
        }
        let said = channel.closed().await;
        assert!(said.contains(reason), "{said}");
    }
    let mut channel = Channel::open(address, &token).await;
    channel.0.send(Message::text("[")).await.unwrap();
    assert!(channel.closed().await.contains("EOF"));
    let mut channel = Channel::open(address, &token).await;
    // The connection may be gone before all of it was sent.
    let _ = channel.0.send(Message::text("x".repeat(acta_ledger::live::MAX_MESSAGE_BYTES + 1))).await;
    channel.closed().await;
    let other = agent_token(&app, "b", 2).await;
    let mut thief = Channel::open(address, &other).await;
    thief.begin(run).await;
    assert!(thief.closed().await.contains("another agent"));
}

#[tokio::test]
async fn a_newer_connection_of_the_same_build_takes_over() {
    let app = TestApp::start().await;
    let (mut old, run, address, token) = building(&app).await;
    let mut new = Channel::open(address, &token).await;
    new.begin(run).await;
    old.closed().await;
    new.state(live::state(Stage::Serializing)).await;
    let reader = app.anonymous().with(header::AUTHORIZATION, token);
    seen(&reader, run, stage("serializing")).await;
}

#[tokio::test]
async fn a_build_that_has_ended_leads_to_the_signed_run() {
    let app = TestApp::start().await;
    let (agent, client) = app.agent("a", 1).await;
    let address = listen(&app).await;
    let statement = summary(1);
    let envelope = agent.envelope(&statement);
    let run = statement.run.id;
    let token = client.header(header::AUTHORIZATION);
    let mut channel = Channel::open(address, &token).await;
    channel.begin(run).await;
    let end = LiveEnd { outcome: Outcome::Completed, entry: Sha256Digest::of(&envelope) };
    channel.state(LiveState { end: Some(end), ..live::state(Stage::Ended) }).await;
    let view = seen(&client, run, stage("ended")).await;
    assert_eq!((view["standing"].as_str(), &view["logged"]), (Some("ended"), &Value::Null));
    assert_eq!(client.post("/api/v1/entries", envelope).await.status, StatusCode::CREATED);
    let view = seen(&client, run, |view| !view["logged"].is_null()).await;
    assert_eq!((view["way"].as_str(), view["logged"]["number"].as_u64()), (Some("too_late"), Some(1)));
    let rita = app.person("rita", "reviewer").await;
    assert!(rita.get(&format!("/runs/{run}/live")).await.text().contains("Open the signed run"));
    assert_eq!(cancel(&rita, run, "late").await.code(), "too_late");
    // A stream of what is over says so and ends.
    let mut over = stream(&app, &token, &format!("/api/v1/live/{run}/events?view=page"), None).await;
    assert_eq!(event(&mut over).await.2["over"], true);
    assert!(timeout(SOON, over.frame()).await.unwrap().is_none());
    let mut late = Channel::open(address, &token).await;
    late.begin(run).await;
    assert!(late.closed().await.contains("has ended and is signed"));
}

#[tokio::test]
async fn a_server_stops_although_channels_and_streams_are_open() {
    let app = TestApp::start().await;
    let token = agent_token(&app, "a", 1).await;
    let live_hub = app.state().live.clone();
    let served = Served::start(app);
    let (mut channel, run) = (Channel::open(served.address, &token).await, Uuid::now_v7());
    channel.begin(run).await;
    channel.state(live::state(Stage::Building)).await;
    while live_hub.find(run).is_none_or(|live| live.state.is_none()) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut viewer = TcpStream::connect(served.address).await.unwrap();
    let request = format!(
        "{} /api/v1/live/{run}/events HTTP/1.1\r\nhost: x\r\nauthorization: {token}\r\n\r\n",
        Method::GET
    );
    tokio::io::AsyncWriteExt::write_all(&mut viewer, request.as_bytes()).await.unwrap();
    let mut first = [0; 64];
    tokio::io::AsyncReadExt::read_exact(&mut viewer, &mut first).await.unwrap();
    served.stop().await;
    assert!(channel.closed().await.contains("connect again"));
}
