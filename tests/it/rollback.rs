use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use acta_ledger::{evidence::canary::CanaryPhase, log::digest::Sha256Digest};
use acta_tests::{
    evidence::TestAgent,
    process::{Agent, Server, signal},
    route::{ROUTE, TARGET, canary_plan, definition, envelope, everything_but},
};
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery staple";
const BUNDLES: [&[u8]; 2] = [b"bundle A", b"bundle B, newer and worse"];
const CONFIG: &[u8] = b"its configuration";

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Somebody who asks the server: a person by a cookie, or an agent by a token.
struct Client {
    url: String,
    header: (&'static str, String),
}

impl Client {
    /// Adds an account and signs in by the form, as a browser does.
    fn person(server: &Server, name: &str, role: &str) -> Self {
        let added = server.run(&["user", "add", name, "--role", role, "--password-stdin"], PASSWORD);
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
        let browser: ureq::Agent =
            ureq::Agent::config_builder().max_redirects(0).max_redirects_will_error(false).build().into();
        let form = [("name", name), ("password", PASSWORD)];
        let answer = browser.post(format!("{}/sign-in", server.url())).send_form(form).expect("signed in");
        let cookie = answer.headers()["set-cookie"].to_str().expect("a cookie");
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        Self { url: server.url(), header: ("Cookie", cookie) }
    }

    /// Enrols an agent that only signs what the tests say.
    fn builder(server: &Server, agent: &TestAgent, name: &str) -> Self {
        let anonymous = Self { url: server.url(), header: ("Accept", "*/*".to_owned()) };
        let facts = anonymous.post("/api/v1/agents", &agent.enrolment(&server.token(name)));
        let token = facts["apiToken"].as_str().expect("a token");
        Self { url: server.url(), header: ("Authorization", format!("Bearer {token}")) }
    }

    /// Posts what must be taken.
    fn post(&self, path: &str, body: &Value) -> Value {
        let client: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let (name, value) = &self.header;
        let request = client.post(format!("{}{path}", self.url)).header(*name, value);
        let mut answer = request.content_type("application/json").send(&body.to_string()).expect("an answer");
        let text = answer.body_mut().read_to_string().expect("text");
        assert!(answer.status().is_success(), "{path}: {} {text}", answer.status());
        serde_json::from_str(&text).expect("JSON")
    }

    fn put_blob(&self, bytes: &[u8]) {
        let (name, value) = &self.header;
        let url = format!("{}/api/v1/blobs/sha256/{}", self.url, Sha256Digest::of(bytes));
        ureq::put(url).header(*name, value).send(bytes).expect("the blob is stored");
    }

    fn push(&self, envelopes: &[Vec<u8>]) {
        for envelope in envelopes {
            self.post("/api/v1/entries", &serde_json::from_slice(envelope).expect("JSON"));
        }
    }

    fn approve(&self, server: &Server, bundle: &[u8]) {
        let digest = format!("sha256:{}", Sha256Digest::of(bundle));
        let seen = server.get(&format!("/api/v1/routes/{ROUTE}?bundle={digest}"));
        let decision = json!({
            "decision": "approve", "bundleDigest": digest, "text": "all five gates", "reasonCode": "other",
            "seenSize": seen["logSize"], "key": format!("approve {digest}"),
        });
        self.post(&format!("/api/v1/routes/{ROUTE}/decisions"), &decision);
    }

    fn order(&self, action: &str, bundle: &[u8]) {
        let to = Sha256Digest::of(bundle);
        let order = json!({
            "action": action, "to": to, "reasonCode": "canary", "text": "as agreed", "key": format!("{action} {to}"),
        });
        self.post(&format!("/api/v1/routes/{ROUTE}/orders"), &order);
    }
}

/// The real agent beside the runtime.
fn deploy_agent(agent: &Agent, target: &Path) -> Child {
    let environment = agent.file("environment.json", br#"{"tensorrt":"1.7.1.116","gpu":"NVIDIA H200"}"#);
    let target = target.to_str().expect("UTF-8");
    let mut arguments =
        vec!["deploy-agent", "--route", ROUTE, "--target", target, "--runtime-target", TARGET];
    arguments.extend([
        "--health",
        "test -s \"$ACTA_BUNDLE\" -a -s \"$ACTA_RUNTIME_CONFIG\"",
        "--poll",
        "50ms",
    ]);
    arguments.extend(["--environment", &environment]);
    agent.command(&arguments).stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().expect("acta starts")
}

/// Waits for the last step of the newest order; the steps of the history, as action and step.
fn ended(server: &Server, orders: usize) -> Vec<(String, String)> {
    let begun = Instant::now();
    loop {
        let route = server.get(&format!("/api/v1/routes/{ROUTE}"));
        let history = route["state"]["history"].as_array().expect("a history");
        let steps: Vec<_> = history
            .iter()
            .filter(|item| item["kind"] == "result")
            .map(|item| (item["action"].to_string(), item["step"].as_str().unwrap_or_default().to_owned()))
            .collect();
        let last = |step: &str| matches!(step, "verified" | "failed" | "refused");
        if steps.iter().filter(|(_, step)| last(step)).count() == orders {
            return steps;
        }
        assert!(begun.elapsed() < PATIENCE, "{steps:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn live(server: &Server, at: &str) -> Value {
    server.get(&format!("/api/v1/routes/{ROUTE}/live?at={at}"))
}

/// Now, by the server's own last entry.
fn now(server: &Server) -> String {
    let route = server.get(&format!("/api/v1/routes/{ROUTE}"));
    let history = route["state"]["history"].as_array().expect("a history");
    history.iter().filter_map(|item| item["at"].as_str()).max().expect("a moment").to_owned()
}

/// Ends the looking, also where the test fails.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn a_rollback_brings_back_what_was_live_while_somebody_looks() {
    let server = Server::start(&["--public-read"]);
    let (ana, adam) = (Client::person(&server, "ana", "approver"), Client::person(&server, "adam", "admin"));
    adam.post("/api/v1/routes", &definition(1));
    let runtime = Agent::enrolled(&server, "runtime-1");
    let target: PathBuf = runtime.home().join("target");
    fs::create_dir(&target).expect("a target");
    let mut agent = deploy_agent(&runtime, &target);
    let builders = [11, 12].map(TestAgent::new);
    let clients = ["builder-11", "builder-12"].iter().zip(&builders);
    let clients: Vec<Client> = clients.map(|(name, agent)| Client::builder(&server, agent, name)).collect();
    let gather = |n: usize| {
        clients[n].put_blob(BUNDLES[n]);
        clients[n].put_blob(CONFIG);
        // Drilled it is in truth: not by a test's word, but by the agent.
        clients[n].push(&everything_but(&builders[n], BUNDLES[n], CONFIG, &["drill"]));
    };
    let [a, b] = BUNDLES;
    let digest = |bundle: &[u8]| Sha256Digest::of(bundle).to_string();

    gather(0);
    ana.order("drill", a);
    ended(&server, 1);
    assert!(!target.join("current").exists(), "a drill leaves the target alone");
    let route = server.get(&format!("/api/v1/routes/{ROUTE}"));
    assert_eq!(route["record"]["rollback_status"], "tested", "{:#}", route["state"]["wayBack"]);
    let restore_ms = route["state"]["wayBack"]["drill"]["restoreMs"].as_f64().expect("it was measured");
    ana.approve(&server, a);
    ana.order("deploy", a);
    ended(&server, 2);
    assert_eq!(fs::read(target.join("current/bundle")).expect("live"), a);
    let when_a = now(&server);

    let done = AtomicBool::new(false);
    let looks = std::thread::scope(|scope| {
        let raise = Raise(&done);
        let looks = scope.spawn(|| {
            let mut looks = 0_u32;
            while !done.load(Ordering::Relaxed) {
                let found = fs::read(target.join("current/bundle")).expect("the link is valid at every look");
                assert!(BUNDLES.contains(&&*found), "{found:?}");
                looks += 1;
            }
            looks
        });
        gather(1);
        ana.approve(&server, b);
        ana.order("deploy", b);
        ended(&server, 3);
        assert_eq!(fs::read(target.join("current/bundle")).expect("live"), b);
        drop(raise);
        looks.join().expect("every look found one of the two")
    });
    let when_b = now(&server);

    // The canary fails; the agent is killed in the same moment, and started again.
    let failed = canary_plan(Sha256Digest::of(b), CanaryPhase::Failed, 8);
    clients[1].push(&[envelope(&builders[1], Sha256Digest::of(b), &failed)]);
    let begun = Instant::now();
    ana.order("rollback", a);
    std::thread::sleep(Duration::from_millis(60));
    signal(&agent, "KILL");
    agent.wait().expect("killed");
    let mut agent = deploy_agent(&runtime, &target);
    let steps = ended(&server, 4);
    let took = begun.elapsed();
    let of = |action: &str| {
        let quoted = format!("\"{action}\"");
        let steps = steps.iter().filter(|(of, _)| *of == quoted).map(|(_, step)| step.as_str());
        steps.collect::<Vec<_>>()
    };
    assert_eq!(of("rollback"), ["requested", "acknowledged", "restored", "verified"]);
    assert_eq!(fs::read(target.join("current/bundle")).expect("live"), a);

    for (at, bundle) in [(when_a, a), (when_b, b), (now(&server), a)] {
        let live = live(&server, &at);
        assert_eq!(live["bundle"], digest(bundle), "at {at}: {live:#}");
    }
    assert_eq!(live(&server, "2020-01-01T00:00:00Z")["is"], "nothing");
    let status = runtime.ok(&["rollback", "status", "--route", ROUTE]).stdout;
    assert!(status.contains("rollback ordered") && status.contains("rollback verified"), "{status}");
    assert!(status.contains(&format!("live  sha256:{}", digest(a))), "{status}");
    signal(&agent, "TERM");
    assert!(agent.wait().expect("it ends").success());
    println!("drill restored in {restore_ms} ms; rollback with a kill in {took:?}; {looks} looks");
}
