use std::{
    collections::{BTreeSet, HashMap},
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use acta_ledger::log::{digest::Sha256Digest, proof::verify_consistency, tree_head::TreeHead};
use acta_tests::{
    append::Pusher,
    evidence::{TestAgent, summary},
    onnx,
    process::{Agent, Server},
};

/// How often the server is killed, and for how long at least: `make soak` says more of both.
fn soak() -> (u64, Duration) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    (number("ACTA_SOAK").unwrap_or(10), Duration::from_secs(number("ACTA_SOAK_SECONDS").unwrap_or(0)))
}

/// Entries that are read back one by one; of a long run every so-manieth, as the tree heads cover the others.
const READ_BACK: usize = 20_000;

/// Eight clients push while the server is killed and started again: what was acknowledged is there, at its index, once;
/// and no tree head that went out is ever contradicted.
#[test]
fn kill_9_under_load_loses_nothing_that_was_acknowledged() {
    let mut server = Server::start(&["--public-read"]);
    let agent = TestAgent::new(3);
    let pusher = Pusher::enrol(&server, &agent, "loader");
    let (url, next, done) = (server.url(), AtomicU64::new(1), AtomicBool::new(false));
    let acknowledged = Mutex::new(HashMap::new());
    let heads = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let envelope = agent.envelope(&summary(u128::from(number)));
                    let mut tries = 0;
                    // A client does not know whether its entry went in: it offers the same bytes again.
                    while !done.load(Ordering::Relaxed) {
                        tries += 1;
                        if let Some(it) = pusher.push(&url, &envelope) {
                            assert_eq!(it.digest, Sha256Digest::of(&envelope).to_string());
                            acknowledged.lock().unwrap().insert(number, (it.index, it.digest));
                            heads.lock().unwrap().insert(it.tree_head);
                            break;
                        }
                        assert!(tries < 2000, "the server never came back");
                        std::thread::sleep(Duration::from_millis(5));
                    }
                }
            });
        }
        let ((kills, least), begun) = (soak(), Instant::now());
        for round in 0.. {
            if round >= kills && begun.elapsed() >= least {
                eprintln!("killed {round} times in {:.0?}", begun.elapsed());
                break;
            }
            // Another moment each time, the same in each run of the test; a long run lets it work in between.
            std::thread::sleep(Duration::from_millis(60 + round * 37 % 190) + least / 1000);
            server.kill();
            server.restart();
        }
        std::thread::sleep(Duration::from_millis(200));
        done.store(true, Ordering::Relaxed);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 50, "only {} entries went in", acknowledged.len());
    eprintln!("{} entries acknowledged", acknowledged.len());
    for (index, digest) in acknowledged.values().step_by(acknowledged.len().div_ceil(READ_BACK)) {
        let stored = ureq::get(format!("{url}/api/v1/entries/{index}")).call().expect("the entry is there");
        let bytes = stored.into_body().read_to_vec().expect("its bytes");
        assert_eq!(Sha256Digest::of(&bytes).to_string(), *digest);
    }
    let keys = server.get("/api/v1/keys");
    let key = acta_ledger::log::note::VerifierKey::parse(keys["logKey"].as_str().unwrap()).unwrap();
    let newest =
        ureq::get(format!("{url}/log/tree-head")).call().unwrap().into_body().read_to_string().unwrap();
    let newest = TreeHead::open(&newest, &key).unwrap();
    let runs = server.get("/api/v1/runs")["total"].as_u64().unwrap();
    assert_eq!(newest.size, runs + 1, "an entry for each run and one for the key: no duplicates");
    let seen = heads.into_inner().unwrap();
    // Each one begins the newest tree, so of any two the later one holds the earlier one.
    for head in seen.iter().map(|note| TreeHead::open(note, &key).unwrap()) {
        let proof = server.get(&format!("/api/v1/log/consistency?from={}&to={}", head.size, newest.size));
        let proof: Vec<Sha256Digest> = serde_json::from_value(proof["proof"].clone()).unwrap();
        verify_consistency(head.size, &head.root, newest.size, &newest.root, &proof).unwrap();
    }
    let doctor = server.run(&["doctor", "--deep"], "");
    assert!(doctor.status.success(), "{}", String::from_utf8_lossy(&doctor.stdout));
    server.stop();
    let rebuilt = server.run(&["rebuild"], "");
    assert!(rebuilt.status.success(), "{}", String::from_utf8_lossy(&rebuilt.stderr));
}

/// The agent's own outbox: builds while the server is dead, a server that dies during the push, then everything drains.
#[test]
fn the_outbox_drains_once_the_server_is_back() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    server.kill();
    for number in 0..3 {
        let model = agent.file(&format!("net-{number}.onnx"), &onnx::chain(3 + number, 16));
        let plan = agent.home().join(format!("net-{number}.plan"));
        let built = agent.run(&["build", &model, "-o", &plan.to_string_lossy(), "--json"]);
        assert_eq!(built.code(), 6, "stored, not pushed: {}", built.stderr);
        assert!(built.json()["entryIndex"].is_null() && plan.exists());
    }
    assert_eq!(agent.run(&["push"]).code(), 6);
    server.restart();
    let child = agent.command(&["push"]).spawn().expect("acta starts");
    std::thread::sleep(Duration::from_millis(25));
    server.kill();
    child.wait_with_output().expect("acta ends");
    server.restart();
    agent.ok(&["push"]);
    agent.ok(&["push"]);
    let runs = server.get("/api/v1/runs");
    assert_eq!(runs["total"], 3);
    assert_eq!(server.get("/api/v1/runs?sort=started")["runs"].as_array().map(Vec::len), Some(3));
    let status = agent.ok(&["status", "--json"]).json();
    assert_eq!(status["waiting"], 0, "{status}");
}
