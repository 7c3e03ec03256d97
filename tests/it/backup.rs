//! Backups taken while the server serves, what becomes of them, and what is refused.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::atomic::{AtomicBool, Ordering},
};

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{
    append::Pusher,
    evidence::{TestAgent, phase_tree, summary},
    process::{Server, program},
};
use serde_json::Value;

/// `acta-server` on a folder that is no running server's.
fn on(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program("acta-server"));
    command.arg("--data-dir").arg(folder).args(arguments).env("ACTA_LOG", "warn");
    command.output().expect("acta-server starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn backup(server: &Server, target: &Path, flags: &[&str]) -> Value {
    let target = target.to_str().expect("UTF-8");
    let output = server.run(&[&["backup", target, "--json"], flags].concat(), "");
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Pushes runs, each with a blob of its own, while something else happens.
fn under_load<T>(
    server: &Server,
    agent: &TestAgent,
    pusher: &Pusher,
    from: u128,
    work: impl FnOnce() -> T,
) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut number = from;
            while !done.load(Ordering::Relaxed) {
                push_one(server, agent, pusher, number);
                number += 1;
            }
        });
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

fn push_one(server: &Server, agent: &TestAgent, pusher: &Pusher, number: u128) {
    let mut said = summary(number);
    let (tree, named) = phase_tree(said.run.id);
    said.phase_tree = Some(named);
    pusher.blob(&server.url(), &tree).expect("the blob is taken");
    pusher.push(&server.url(), &agent.envelope(&said)).expect("the entry is taken");
}

fn blobs_of(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(folder.join("blobs/sha256")).expect("blobs") {
        found.extend(
            fs::read_dir(folder.expect("a folder").path())
                .expect("a folder")
                .map(|file| file.expect("a file").path()),
        );
    }
    found
}

/// A server and an agent that may push.
fn loaded() -> (Server, TestAgent, Pusher) {
    let server = Server::start(&["--public-read"]);
    let agent = TestAgent::new(3);
    let pusher = Pusher::enrol(&server, &agent, "loader");
    (server, agent, pusher)
}

#[test]
fn a_backup_under_load_verifies_and_the_next_one_takes_only_new_blobs() {
    let (mut server, agent, pusher) = loaded();
    push_one(&server, &agent, &pusher, 1);
    let place = tempfile::tempdir().expect("a folder");
    let target = place.path().join("backup");
    let (first, second) = under_load(&server, &agent, &pusher, 100, || {
        let first = backup(&server, &target, &[]);
        std::thread::sleep(std::time::Duration::from_millis(300));
        (first, backup(&server, &target, &["--copy"]))
    });
    let size = |done: &Value| done["manifest"]["size"].as_u64().expect("a size");
    assert!(size(&second) > size(&first), "the log grew: {first} {second}");
    assert!(first["linked"].as_u64() > Some(0) && first["copied"] == 0, "{first}");
    assert!(second["copied"].as_u64() > Some(0) && second["linked"] == 0, "{second}");
    assert!(!target.join("keys").exists() && !target.join("anchor").exists());

    let doctor = on(&target, &["doctor", "--deep", "--json"]);
    assert!(doctor.status.success(), "{}", text(&doctor.stdout));
    let findings: Value = serde_json::from_slice(&doctor.stdout).expect("JSON");
    let health = |check: &str| {
        let findings = findings.as_array().expect("a list");
        findings.iter().find(|finding| finding["check"] == check).expect("checked")["health"].clone()
    };
    assert_eq!(
        (health("keys"), health("anchor"), health("entries")),
        ("note".into(), "note".into(), "ok".into())
    );

    // Beside the server's own anchor it is behind, and both sizes are named.
    push_one(&server, &agent, &pusher, 9_999_999);
    let anchor = server.data_dir().join("anchor");
    let behind = on(&target, &["--anchor", anchor.to_str().expect("UTF-8"), "doctor"]);
    assert!(!behind.status.success());
    let now = server.get("/api/v1/runs")["total"].as_u64().expect("a number") + 1;
    let said = format!("holds {} entries, the anchor covers {now}", size(&second));
    assert!(text(&behind.stdout).contains(&said), "{said}: {}", text(&behind.stdout));

    // Without an anchor it does not serve, with the lost server's anchor neither: it is behind.
    let keys = Command::new("cp").arg("-a").arg(server.data_dir().join("keys")).arg(&target).status();
    assert!(keys.expect("cp runs").success());
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let refused = on(&target, &serve);
    assert!(text(&refused.stderr).contains("is a restored backup of"), "{}", text(&refused.stderr));
    server.stop();
    fs::copy(&anchor, target.join("anchor")).expect("copied");
    let refused = on(&target, &serve);
    assert!(text(&refused.stderr).contains(&said), "{}", text(&refused.stderr));
}

#[test]
fn a_restored_backup_that_is_the_newest_goes_on() {
    let (mut server, agent, pusher) = loaded();
    push_one(&server, &agent, &pusher, 1);
    let place = tempfile::tempdir().expect("a folder");
    let target = place.path().join("backup");
    let done = backup(&server, &target, &["--with-keys"]);
    assert_eq!((&done["manifest"]["size"], &done["withKeys"]), (&2.into(), &true.into()));
    server.stop();
    let data = server.data_dir();
    fs::rename(&data, place.path().join("lost")).expect("moved");
    fs::rename(&target, &data).expect("moved");
    fs::copy(place.path().join("lost/anchor"), data.join("anchor")).expect("copied");
    assert!(server.run(&["doctor", "--deep"], "").status.success());
    server.restart();
    push_one(&server, &agent, &pusher, 2);
    assert_eq!(server.get("/api/v1/runs")["total"], 2);
    assert!(server.run(&["doctor", "--deep"], "").status.success());
}

#[test]
fn what_cannot_be_backed_up_is_refused_and_the_earlier_backup_stays() {
    let (mut server, agent, pusher) = loaded();
    push_one(&server, &agent, &pusher, 1);
    let place = tempfile::tempdir().expect("a folder");
    let target = place.path().join("backup");
    let first = backup(&server, &target, &["--copy"]);
    let own = server.run(&["backup", server.data_dir().to_str().expect("UTF-8")], "");
    assert!(text(&own.stderr).contains("is the server's own folder"), "{}", text(&own.stderr));

    push_one(&server, &agent, &pusher, 2);
    let taken: Vec<_> =
        blobs_of(&target).iter().map(|path| path.file_name().expect("a name").to_owned()).collect();
    let new = blobs_of(&server.data_dir())
        .into_iter()
        .find(|path| !taken.contains(&path.file_name().expect("a name").to_owned()));
    let new = new.expect("a blob that is not in the backup");
    let bytes = fs::read(&new).expect("read");
    let refuse = |expected: &str| {
        let output = server.run(&["backup", target.to_str().expect("UTF-8"), "--copy"], "");
        assert!(!output.status.success());
        assert!(text(&output.stderr).contains(expected), "{expected}: {}", text(&output.stderr));
        let manifest: Value =
            serde_json::from_slice(&fs::read(target.join("backup.json")).expect("read")).expect("JSON");
        assert_eq!(manifest, first["manifest"], "the earlier backup stays");
        assert!(on(&target, &["doctor", "--deep"]).status.success());
    };
    fs::write(&new, b"damaged").expect("written");
    refuse(&format!("is damaged: its bytes have the digest {}", Sha256Digest::of(b"damaged")));
    fs::remove_file(&new).expect("removed");
    refuse("which is not in the store");
    fs::write(&new, bytes).expect("written");
    assert_eq!(backup(&server, &target, &["--copy"])["manifest"]["size"], 3);
    server.stop();
}
