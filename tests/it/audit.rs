use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use acta_ledger::{evidence::chain::ChainLink, log::digest::Sha256Digest};
use acta_tests::{
    append::Pusher,
    evidence::{TestAgent, summary},
    portal::Person,
    process::{Agent, Ended, Server, signal},
    relay::Relay,
    route, seed,
};
use serde_json::Value;

/// A server whose log holds so many runs of two agents, behind their two enrolments.
fn log_of(runs: u64) -> Server {
    let server = Server::start(&["--public-read"]);
    let tokens = ["one", "two"].map(|name| server.token(name));
    seed::push(&server.url(), &tokens, runs, &|_| {});
    server
}

/// Runs a script over the database of a server that is stopped meanwhile: `database` is open, triggers are gone.
fn edit(server: &mut Server, script: &str) {
    server.stop();
    edit_beside(server, script);
    server.restart();
}

/// Runs a script over the database of a server that goes on meanwhile.
fn edit_beside(server: &Server, script: &str) {
    let script = format!(
        "import sqlite3, sys\n\
         database = sqlite3.connect(sys.argv[1])\n\
         for (name,) in database.execute(\"select name from sqlite_master where type = 'trigger'\").fetchall():\n\
         \x20   database.execute('drop trigger ' + name)\n\
         def flip(table, column, where, byte):\n\
         \x20   value = bytearray(database.execute(f'select {{column}} from {{table}} where {{where}}').fetchone()[0])\n\
         \x20   value[byte] ^= 1\n\
         \x20   database.execute(f'update {{table}} set {{column}} = ? where {{where}}', (bytes(value),))\n\
         {script}\n\
         database.commit()\n"
    );
    let edited =
        Command::new("python3").arg("-c").arg(script).arg(server.data_dir().join("acta.db")).output();
    let edited = edited.expect("python3 runs");
    assert!(edited.status.success(), "{}", String::from_utf8_lossy(&edited.stderr));
}

struct Auditor {
    agent: Agent,
    state: String,
}

impl Auditor {
    fn new() -> Self {
        let agent = Agent::init();
        let state = agent.home().join("audit.json").to_string_lossy().into_owned();
        Self { agent, state }
    }

    fn audit(&self, server: &Server, flags: &[&str]) -> Ended {
        let url = server.url();
        let arguments = [&["audit", "--server", &url, "--state", &self.state, "--json"], flags].concat();
        self.agent.run(&arguments)
    }

    /// Audits a log that must be clean, and gives how many entries were checked.
    fn clean(&self, server: &Server, flags: &[&str]) -> u64 {
        let ended = self.audit(server, flags);
        assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
        assert_eq!(ended.json()["verdict"], "clean");
        ended.json()["checked"].as_u64().expect("a number")
    }

    /// Audits a log that must not be clean, and gives the findings as they are printed on the way.
    fn findings(&self, server: &Server, flags: &[&str]) -> (Vec<String>, Value) {
        let ended = self.audit(server, flags);
        assert_eq!(ended.code(), 1, "{}{}", ended.stdout, ended.stderr);
        let said = ended.stderr.lines().filter(|line| !line.starts_with("warning") && line.contains(": "));
        (said.map(str::to_owned).collect(), ended.json()["findings"].clone())
    }
}

impl Auditor {
    /// Begins a deep audit and kills it behind its first note of how far it is; where that was, if it was met before its
    /// end. It is made to pause, so that a note is due when it goes on.
    fn killed_on_its_way(&self, server: &Server, after_ms: u64) -> Option<u64> {
        let url = server.url();
        let arguments = ["audit", "--server", &url, "--state", &self.state, "--deep", "--jobs", "1"];
        let mut child = self.agent.command(&arguments).spawn().expect("acta starts");
        thread::sleep(Duration::from_millis(after_ms));
        signal(&child, "STOP");
        thread::sleep(Duration::from_millis(2_100));
        signal(&child, "CONT");
        let noted = loop {
            let state = fs::read(&self.state).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
            let noted = state.and_then(|state: Value| state["running"]["progress"]["size"].as_u64());
            if noted.is_some() || child.try_wait().expect("a child").is_some() {
                break noted;
            }
            thread::sleep(Duration::from_millis(1));
        };
        // It may have ended meanwhile; what it noted last is what counts.
        let _ = child.kill();
        child.wait().expect("it is gone");
        let state: Value = serde_json::from_slice(&fs::read(&self.state).ok()?).expect("a state");
        noted.and(state["running"]["progress"]["size"].as_u64())
    }
}

fn kinds(findings: &Value) -> Vec<&str> {
    let all = findings.as_array().expect("a list");
    all.iter().map(|finding| finding["finding"].as_str().expect("a name")).collect()
}

fn blob_path(server: &Server) -> PathBuf {
    fn first_file(folder: &Path) -> Option<PathBuf> {
        let mut entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().find_map(|path| if path.is_dir() { first_file(path) } else { Some(path.clone()) })
    }
    first_file(&server.data_dir().join("blobs")).expect("a blob")
}

/// An empty log, one that grows, an audit that only looks at what is new, and one that looks at everything again.
#[test]
fn a_sound_log_is_clean_as_it_grows() {
    let server = Server::start(&["--public-read"]);
    let auditor = Auditor::new();
    assert_eq!(auditor.clean(&server, &[]), 0, "an empty log");
    let tokens = ["one", "two"].map(|name| server.token(name));
    seed::push(&server.url(), &tokens[..1], 300, &|_| {});
    assert_eq!(auditor.clean(&server, &[]), 301);
    assert_eq!(auditor.clean(&server, &[]), 0, "nothing is new");
    seed::push(&server.url(), &tokens[1..], 400, &|_| {});
    assert_eq!(auditor.clean(&server, &[]), 401);
    assert_eq!(auditor.clean(&server, &["--deep"]), 702);
}

/// One bit in each of the places that a log is kept in.
#[test]
fn a_flipped_bit_is_named_wherever_it_is() {
    let mut server = log_of(700);
    let auditor = Auditor::new();
    assert_eq!(auditor.clean(&server, &["--deep"]), 702);

    edit(&mut server, "flip('entry', 'record', 'idx = 300', 900)");
    let (said, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&findings), ["damaged_leaf"], "{said:?}");
    assert_eq!(findings[0]["index"], 300);
    assert!(said.iter().any(|line| line.starts_with("damaged leaf: entry 300:")), "{said:?}");
    assert_eq!(
        auditor.clean(&server, &[]),
        0,
        "what was checked before is not looked at again without --deep"
    );
    edit(&mut server, "flip('entry', 'record', 'idx = 300', 900)");

    // The stored leaf hash of an entry in the last tile, which is cut on reading.
    edit(&mut server, "flip('entry', 'leaf_hash', 'idx = 600', 7)");
    let (said, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&findings), ["damaged_tile"], "{said:?}");
    assert_eq!(
        (&findings[0]["level"], &findings[0]["tile"], &findings[0]["position"]),
        (&0.into(), &2.into(), &88.into())
    );
    edit(&mut server, "flip('entry', 'leaf_hash', 'idx = 600', 7)");

    edit(&mut server, "flip('tile', 'hashes', 'level = 0 and idx = 1', 32 * 9)");
    let (_, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&findings), ["damaged_tile"]);
    assert_eq!((&findings[0]["tile"], &findings[0]["position"]), (&1.into(), &9.into()));
    edit(&mut server, "flip('tile', 'hashes', 'level = 0 and idx = 1', 32 * 9)");

    // The hash one level up.
    edit(&mut server, "flip('tile', 'root', 'level = 0 and idx = 1', 0)");
    let (_, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&findings), ["damaged_tile"]);
    assert_eq!(
        (&findings[0]["level"], &findings[0]["tile"], &findings[0]["position"]),
        (&1.into(), &0.into(), &1.into())
    );
    edit(&mut server, "flip('tile', 'root', 'level = 0 and idx = 1', 0)");

    let blob = blob_path(&server);
    let mut bytes = fs::read(&blob).unwrap();
    bytes[10] ^= 1;
    fs::write(&blob, &bytes).unwrap();
    let (_, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&findings), ["damaged_blob"]);
    assert_eq!(findings[0]["found"], Sha256Digest::of(&bytes).to_string());
    fs::remove_file(&blob).unwrap();
    let (_, gone) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&gone), ["missing_blob"]);
    assert_eq!(gone[0]["digest"], findings[0]["digest"]);
    bytes[10] ^= 1;
    fs::write(&blob, &bytes).unwrap();
    assert_eq!(auditor.clean(&server, &["--deep"]), 702);
}

/// Reading many blobs at once is a short way: where it is closed, each is read by itself, and nobody asks twice.
#[test]
fn an_audit_reads_blobs_one_by_one_where_many_at_once_are_refused() {
    let server = log_of(100);
    for status in [None, Some(404), Some(414), Some(403), Some(501)] {
        let (relay, auditor) = (Relay::to(&server.url(), "?digests=", status), Auditor::new());
        let flags = ["audit", "--server", relay.url(), "--state", &auditor.state, "--deep", "--json"];
        let said = auditor.agent.ok(&flags).json();
        assert_eq!((&said["verdict"], &said["blobs"]), (&"clean".into(), &4.into()), "{status:?}: {said}");
        assert_eq!(relay.met(), 1, "{status:?}");
    }
}

/// Retained and purged in one tile. A configuration that another bundle still needs is missed all the same.
#[test]
fn what_was_purged_on_purpose_is_not_missed_and_what_others_need_is() {
    let mut server = Server::start(&["--public-read"]);
    let (agent, url) = (TestAgent::new(3), server.url());
    let builder = Pusher::enrol(&server, &agent, "builder");
    Person::sign_in(&server, "adam", "admin").post("/api/v1/routes", &route::definition(1));
    let config: &[u8] = b"the configuration of both";
    let bundles = [(&b"old"[..], "2020-01-01T00:00:00Z"), (b"new", "2999-01-01T00:00:00Z")];
    let mut before = None;
    for (sequence, (bundle, until)) in (1..).zip(bundles) {
        for bytes in [bundle, config] {
            builder.blob(&url, bytes).expect("stored");
        }
        let mut record = route::retained(bundle, config, sequence);
        record.retained_until = Some(until.parse().unwrap());
        record.chain = Some(ChainLink::new(sequence, before));
        let envelope = route::envelope(&agent, Sha256Digest::of(bundle), &record);
        before = Some(Sha256Digest::of(&envelope));
        builder.push(&url, &envelope).expect("taken");
    }
    let auditor = Auditor::new();
    server.stop();
    let purged = server.run(&["purge", "--json"], "");
    let said = String::from_utf8_lossy(&purged.stdout);
    assert!(said.contains("\"entry\":4"), "{said}");
    server.restart();
    assert_eq!(auditor.clean(&server, &[]), 5);
    let hex = Sha256Digest::of(config).to_string();
    fs::remove_file(server.data_dir().join(format!("blobs/sha256/{}/{hex}", &hex[..2]))).unwrap();
    let (_, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!((kinds(&findings), &findings[0]["index"]), (vec!["missing_blob"], &3.into()));
}

/// Several at once, and an entry that is gone with its whole row.
#[test]
fn what_is_missing_is_named() {
    let mut server = log_of(700);
    let auditor = Auditor::new();
    edit(
        &mut server,
        "database.execute('delete from entry where idx = 300')\nflip('entry', 'record', 'idx = 20', 900)",
    );
    let (_, findings) = auditor.findings(&server, &["--deep"]);
    let kinds = kinds(&findings);
    assert!(kinds.contains(&"damaged_leaf") && kinds.contains(&"missing_tile"), "{findings}");
}

/// A row of the hash tiles is gone: the log does not make it up again, says so to whoever watches it, and the audit names
/// the tile.
#[test]
fn a_tile_that_is_gone_is_not_found_and_named() {
    let server = log_of(700);
    let auditor = Auditor::new();
    assert_eq!(auditor.clean(&server, &[]), 702);
    edit_beside(&server, "database.execute('delete from tile where level = 0 and idx = 1')");
    let tile = |path: &str| {
        let config = ureq::Agent::config_builder().http_status_as_error(false).build();
        let answer = config.new_agent().get(format!("{}/log/tile/{path}", server.url())).call();
        answer.expect("an answer").status().as_u16()
    };
    assert_eq!(
        [tile("0/000"), tile("0/001"), tile("entries/001"), tile("0/002.p/190")],
        [200, 404, 200, 200]
    );
    let (said, findings) = auditor.findings(&server, &["--deep"]);
    assert_eq!(kinds(&findings), ["missing_tile", "missing_tile"], "{said:?}");
    // The hash one level up is made of the row as well.
    let places: Vec<_> = findings.as_array().unwrap().iter().map(|it| (&it["level"], &it["tile"])).collect();
    assert_eq!(places, [(&1.into(), &0.into()), (&0.into(), &1.into())]);
}

/// Only what is new is read, and still it comes out that something old was changed: the proof that the log only grew does
/// not hold any more.
#[test]
fn an_audit_of_what_is_new_names_an_old_tile_that_was_damaged() {
    let mut server = log_of(700);
    let auditor = Auditor::new();
    assert_eq!(auditor.clean(&server, &[]), 702);
    edit(&mut server, "flip('tile', 'root', 'level = 0 and idx = 0', 0)");
    seed::push(&server.url(), &[server.token("three")], 100, &|_| {});
    let (said, findings) = auditor.findings(&server, &[]);
    assert_eq!(kinds(&findings), ["damaged_tile"], "{said:?}");
    assert_eq!(
        (&findings[0]["level"], &findings[0]["tile"], &findings[0]["position"]),
        (&1.into(), &0.into(), &0.into())
    );
    edit(&mut server, "flip('tile', 'root', 'level = 0 and idx = 0', 0)");
    assert_eq!(
        auditor.clean(&server, &[]),
        101,
        "what was found once is not held against a log that was mended"
    );
}

/// Killed in the middle, an audit goes on from where it was, and finds what one that was left alone finds.
#[test]
fn a_deep_audit_that_is_killed_goes_on_where_it_was() {
    let mut server = log_of(6_000);
    edit(&mut server, "flip('entry', 'record', 'idx = 20', 900)\nflip('entry', 'record', 'idx = 5990', 900)");
    let (whole, interrupted) = (Auditor::new(), Auditor::new());
    let (_, expected) = whole.findings(&server, &["--deep"]);
    assert_eq!(kinds(&expected), ["damaged_leaf", "damaged_leaf"]);
    let stopped_at = (1..20).find_map(|tenths| interrupted.killed_on_its_way(&server, tenths * 100));
    let stopped_at = stopped_at.expect("no audit was met on its way");
    assert!(stopped_at > 20, "the first damage was found before");
    let ended = interrupted.audit(&server, &["--deep"]);
    assert_eq!(ended.code(), 1, "{}{}", ended.stdout, ended.stderr);
    let report = ended.json();
    assert_eq!(report["findings"], expected);
    assert_eq!(report["checked"].as_u64(), Some(6_002 - stopped_at), "{report}");
}

/// The entries are sound, and what the server makes of them is not: its projection has lost some.
#[test]
fn a_routes_record_that_is_not_what_its_entries_come_to_is_named() {
    let server = Server::start(&["--public-read"]);
    let (agent, auditor) = (TestAgent::new(5), Auditor::new());
    let pusher = Pusher::enrol(&server, &agent, "builder-7");
    let (bundle, config) = (b"a bundle", b"its configuration");
    for blob in [&bundle[..], config] {
        assert!(pusher.blob(&server.url(), blob).expect("an answer").is_success());
    }
    for envelope in route::everything(&agent, bundle, config) {
        pusher.push(&server.url(), &envelope).expect("taken");
    }
    // These statements name none before them, which an audit finds as well.
    let records = |findings: &Value| {
        let all = findings.as_array().expect("a list").iter();
        all.filter(|finding| finding["finding"] == "other_record").cloned().collect::<Vec<_>>()
    };
    let ended = auditor.audit(&server, &["--deep"]);
    assert_eq!(ended.json()["routes"]["compared"], 1, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(records(&ended.json()["findings"]), [] as [Value; 0]);

    edit_beside(&server, "database.execute('delete from route_event where idx > 1')");
    let (_, findings) = auditor.findings(&server, &["--deep"]);
    let [other] = &records(&findings)[..] else { panic!("{findings}") };
    let record =
        |text: &Value| serde_json::from_str::<Value>(text.as_str().expect("a record")).expect("JSON");
    assert_eq!(other["route"], route::ROUTE);
    let (found, expected) = (record(&other["found"]), record(&other["expected"]));
    assert!(found["bundle_digest"].is_null(), "{found}");
    assert_eq!(expected["bundle_digest"], format!("sha256:{}", Sha256Digest::of(bundle)));

    edit_beside(&server, "database.execute('delete from route_event')");
    let (said, findings) = auditor.findings(&server, &["--deep"]);
    let [other] = &records(&findings)[..] else { panic!("{findings}") };
    assert!(other["found"].is_null(), "{other}");
    assert!(said.iter().any(|line| line.contains("the server does not know it")), "{said:?}");
}

/// An agent keeps a statement back: the next one shows that it is missing, until it comes.
#[test]
fn a_withheld_statement_is_a_gap_until_it_comes() {
    let server = Server::start(&["--public-read"]);
    let (agent, auditor) = (TestAgent::new(5), Auditor::new());
    let pusher = Pusher::enrol(&server, &agent, "builder-7");
    let mut previous = None;
    let statements: Vec<Vec<u8>> = (1..=3)
        .map(|sequence| {
            let mut said = summary(u128::from(sequence));
            said.chain = ChainLink::new(sequence, previous).in_log("acta.localhost/log");
            let envelope = agent.envelope(&said);
            previous = Some(Sha256Digest::of(&envelope));
            envelope
        })
        .collect();
    for withheld in [&statements[0], &statements[2]] {
        pusher.push(&server.url(), withheld).expect("taken");
    }
    for flags in [&[][..], &["--deep"]] {
        let (said, findings) = auditor.findings(&server, flags);
        assert_eq!(kinds(&findings), ["chain_gap"], "{said:?}");
        assert_eq!(
            (&findings[0]["agent"], &findings[0]["first"], &findings[0]["last"], &findings[0]["index"]),
            (&"builder-7".into(), &2.into(), &2.into(), &2.into())
        );
    }
    pusher.push(&server.url(), &statements[1]).expect("taken late");
    assert_eq!(auditor.clean(&server, &[]), 1);
    assert_eq!(auditor.clean(&server, &["--deep"]), 4);
}

/// The copy of the database is older than what the auditor has seen.
#[test]
fn a_log_that_was_set_back_is_truncated() {
    let mut server = log_of(300);
    let auditor = Auditor::new();
    let copy = auditor.agent.home().join("copy.db");
    server.stop();
    fs::copy(server.data_dir().join("acta.db"), &copy).unwrap();
    server.restart();
    seed::push(&server.url(), &[server.token("three")], 10, &|_| {});
    assert_eq!(auditor.clean(&server, &[]), 313);
    server.stop();
    put_database(&server, &copy);
    server.restart();
    for flags in [&[][..], &["--deep"]] {
        let (said, findings) = auditor.findings(&server, flags);
        assert_eq!(kinds(&findings), ["truncated"], "{said:?}");
        assert_eq!((findings[0]["signed"].as_u64(), findings[0]["shown"].as_u64()), (Some(313), Some(302)));
    }
}

/// After the log was set back it goes on with other entries, by the same keys: two histories.
#[test]
fn a_forked_log_is_proven_by_both_signed_notes() {
    let mut server = log_of(300);
    let (auditor, other) = (Auditor::new(), Auditor::new());
    let copy = auditor.agent.home().join("copy.db");
    server.stop();
    fs::copy(server.data_dir().join("acta.db"), &copy).unwrap();
    server.restart();
    seed::push(&server.url(), &[server.token("three")], 10, &|_| {});
    assert_eq!(auditor.clean(&server, &[]), 313);
    let seen = ureq::get(format!("{}/log/tree-head", server.url())).call().unwrap();
    let seen = other.agent.file("seen.note", &seen.into_body().read_to_vec().unwrap());
    server.stop();
    put_database(&server, &copy);
    server.restart();
    seed::push(&server.url(), &[server.token("four")], 20, &|_| {});

    let forked = auditor.audit(&server, &[]);
    assert_eq!(forked.code(), 2, "{}{}", forked.stdout, forked.stderr);
    let object = forked.json();
    assert_eq!((&object["verdict"], kinds(&object["findings"])), (&"forked".into(), vec!["forked"]));
    let kept: Vec<String> = object["evidence"]
        .as_array()
        .expect("both are kept")
        .iter()
        .map(|path| fs::read_to_string(path.as_str().expect("a path")).expect("a note"))
        .collect();
    let named = [&object["findings"][0]["earlier"], &object["findings"][0]["later"]];
    assert_eq!(kept, named.map(|note| note.as_str().expect("a note").to_owned()));
    assert!(kept[0].contains("\n313\n") && kept[1].contains("\n323\n"), "{kept:?}");

    // Whoever has seen nothing finds nothing, but for the tree head that somebody else was shown.
    assert_eq!(other.clean(&server, &["--deep"]), 323);
    let compared = other.audit(&server, &["--tree-head", &seen]);
    assert_eq!(compared.code(), 2, "{}{}", compared.stdout, compared.stderr);
    let url = server.url();
    let said = other.agent.run(&["audit", "--server", &url, "--tree-head", &seen]);
    assert_eq!(said.code(), 2);
    assert!(said.stdout.contains(&kept[0]) && said.stdout.contains(&kept[1]), "{}", said.stdout);
}

fn put_database(server: &Server, copy: &Path) {
    let database = server.data_dir().join("acta.db");
    for beside in ["-wal", "-shm"] {
        fs::remove_file(format!("{}{beside}", database.display())).ok();
    }
    // Whatever else remembers the larger tree on the server's side is set back with it.
    fs::remove_file(server.data_dir().join("anchor")).ok();
    fs::copy(copy, database).expect("the copy put back");
}
