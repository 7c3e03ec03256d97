//! Evidence packs across processes: made from a server, verified where there is neither server nor network.

use std::{path::Path, process::Command, time::Duration};

use acta_tests::{
    onnx,
    process::{Agent, Ended, Server, program, signal},
};

/// Runs `acta` in a network namespace without any interface where the kernel lets us make one; elsewhere with proxies
/// that lead nowhere. The home is empty: no pins, nothing that could help.
fn offline(arguments: &[&str]) -> Ended {
    let home = tempfile::tempdir().expect("a folder");
    let acta = program("acta");
    let isolated = ["unshare", "--map-root-user", "--net", "--"];
    let can = Command::new(isolated[0]).args(&isolated[1..]).arg("true").output();
    let mut command = if can.is_ok_and(|tried| tried.status.success()) {
        let mut command = Command::new(isolated[0]);
        command.args(&isolated[1..]).arg(acta);
        command
    } else {
        Command::new(acta)
    };
    for proxy in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(proxy, "http://127.0.0.1:9");
    }
    command.env("ACTA_HOME", home.path()).args(arguments).output().expect("acta starts").into()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[test]
fn a_pack_of_a_cancelled_build_verifies_without_server_and_network() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let model = agent.file("deep.onnx", &onnx::residual(60, 48));
    let plan = text(&agent.home().join("deep.plan"));
    // The library ignores a request that comes after its last step: then it is asked earlier.
    let cancelled = [700, 400, 200, 100].into_iter().find_map(|ms| {
        let child = agent.command(&["build", &model, "-o", &plan, "--json"]).spawn().expect("acta starts");
        std::thread::sleep(Duration::from_millis(ms));
        signal(&child, "INT");
        let ended: Ended = child.wait_with_output().expect("acta ends").into();
        (ended.code() == 4).then(|| ended.json())
    });
    let cancelled = cancelled.expect("one of the builds stopped");
    let run = cancelled["predicate"]["run"]["id"].as_str().expect("a run has an id").to_owned();
    let keys = server.get("/api/v1/keys");
    let (log, portal) = (keys["logKey"].as_str().expect("a key"), keys["portalKey"].as_str().expect("a key"));
    let head = agent.home().join("head-before");
    let url = server.url();
    let fetch = |path: &str, to: &Path| {
        let fetched = Command::new("curl").args(["-sf", &format!("{url}{path}"), "-o"]).arg(to).status();
        assert!(fetched.expect("curl starts").success(), "{path}");
    };
    fetch("/log/tree-head", &head);
    let (proof, record) = (agent.home().join("e.tlog-proof"), agent.home().join("e.json"));
    fetch("/api/v1/entries/0/proof", &proof);
    fetch("/api/v1/entries/0", &record);
    agent.ok(&["build", &agent.file("gemm.onnx", &onnx::gemm()), "-o", &plan]);

    let pack = text(&agent.home().join("run.acta"));
    let packed = agent.ok(&["pack", "--run", &run, "-o", &pack, "--tree-head", &text(&head), "--json"]);
    assert_eq!((&packed.json()["holds"], &packed.json()["keysFrom"]), (&true.into(), &"pinned".into()));
    server.stop();

    let by_keys = ["verify", &pack, "--log-key", log, "--portal-key", portal, "--tree-head", &text(&head)];
    let verified = offline(&[&by_keys[..], &["--json"]].concat());
    assert_eq!(verified.code(), 0, "{}{}", verified.stdout, verified.stderr);
    let report = verified.json();
    assert_eq!(report["keysFrom"], "flags");
    let signers: Vec<&str> = report["report"]["entries"]
        .as_array()
        .expect("entries")
        .iter()
        .map(|entry| entry["signer"]["name"].as_str().expect("a signer"))
        .collect();
    assert_eq!(signers, ["portal", "builder-7"]);
    assert!(report["report"]["blobs"].as_u64() >= Some(3), "phase tree, events, log: {report:#}");
    // Without keys the pack is taken at its own word, loudly.
    let claimed = offline(&["verify", &pack]);
    assert_eq!(claimed.code(), 0, "{}", claimed.stderr);
    assert!(claimed.stderr.contains("the pack's own word"), "{}", claimed.stderr);
    let proved = offline(&[
        "verify",
        &text(&proof),
        "--record",
        &text(&record),
        "--log-key",
        log,
        "--portal-key",
        portal,
    ]);
    assert_eq!(proved.code(), 0, "{}", proved.stderr);
    assert_eq!(offline(&["verify", &text(&proof), "--log-key", log, "--portal-key", portal]).code(), 2);

    // A changed byte anywhere is named and ends with 1.
    let good = std::fs::read(&pack).expect("the pack");
    let damaged = text(&agent.home().join("damaged.acta"));
    for at in (0..good.len()).step_by(good.len() / 12) {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::write(&damaged, bad).expect("a file");
        let refused = offline(&["verify", &damaged, "--log-key", log, "--portal-key", portal]);
        assert_eq!(refused.code(), 1, "byte {at}: {}", refused.stdout);
        assert!(refused.stderr.contains("error:"), "{}", refused.stderr);
    }
    // Another log's tree head is no proof of anything, and a missing file is a wrong command line.
    let stranger = agent.file("stranger", b"not a note");
    assert_eq!(offline(&["verify", &pack, "--tree-head", &stranger]).code(), 1);
    assert_eq!(offline(&["verify", "nowhere.acta"]).code(), 2);
}

#[test]
fn what_cannot_be_packed_leaves_no_file() {
    let server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let out = agent.home().join("x.acta");
    for (arguments, code) in [
        (vec!["pack", "--run", "99"], 1),
        (vec!["pack", "--route", "nowhere"], 1),
        (vec!["pack", "--route", "a&b"], 2),
        (vec!["pack", "--bundle", "sha256:zz"], 1),
        (vec!["pack"], 2),
        (vec!["pack", "--run", "1", "--route", "x"], 2),
    ] {
        let path = text(&out);
        let ended = agent.run(&[&arguments[..], &["-o", &path]].concat());
        assert_eq!(ended.code(), code, "{arguments:?}: {}", ended.stderr);
        assert!(!out.exists(), "{arguments:?}");
    }
}
