//! The agent beside the runtime: real processes, real folders, a tiny server.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use acta_ledger::{
    evidence::{
        decision::ReasonCode,
        person::{Role, SignIn, Signatory},
        rollback::{
            OrderAction, RollbackFailure, RollbackOrder, RollbackResult,
            RollbackStep::{self, Acknowledged, Failed, Refused, Requested, Restored, Verified},
        },
    },
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        statement::{Predicate as _, Statement, Subject},
        timestamp::Timestamp,
    },
};
use acta_tests::process::{Agent, Ended};
use serde_json::json;
use uuid::Uuid;

use crate::fake::{Fake, Mood};

const ROUTE: &str = "mini";
const CONFIG: &[u8] = b"its configuration";
const OPEN: &str = "/api/v1/routes/mini/open-orders";

/// A route with two retained bundles, an agent and a target.
struct Stage {
    fake: Fake,
    agent: Agent,
    target: PathBuf,
    orders: Vec<(u64, RollbackOrder)>,
}

/// The bundle A or B.
fn bundle(name: u8) -> &'static [u8] {
    static BUNDLES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    let make =
        |name: u8| (0..2_000_000_u32).map(|n| name ^ (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    &BUNDLES.get_or_init(|| [b'A', b'B'].map(make))[usize::from(name - b'A')]
}

impl Stage {
    fn new() -> Self {
        let (fake, agent) = (Fake::start(), Agent::init());
        agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
        let target = agent.home().join("target");
        fs::create_dir(&target).unwrap();
        let stage = Self { fake, agent, target, orders: Vec::new() };
        for bytes in [bundle(b'A'), bundle(b'B'), CONFIG] {
            stage.offer(Sha256Digest::of(bytes), bytes);
        }
        stage
    }

    fn offer(&self, digest: Sha256Digest, bytes: &[u8]) {
        let path = format!("/api/v1/blobs/sha256/{digest}");
        self.fake.state.lock().unwrap().offers.insert(path, bytes.to_vec());
    }

    /// Signs an order as the portal and lists what is open; the order's id.
    fn order(&mut self, action: OrderAction, to: &[u8]) -> Uuid {
        let at: Timestamp = "2026-11-29T10:00:00Z".parse().unwrap();
        let order = RollbackOrder {
            order: Uuid::from_u128(self.orders.len() as u128 + 1),
            route: ROUTE.to_owned(),
            action,
            from: None,
            to: Sha256Digest::of(to),
            runtime_config: Sha256Digest::of(CONFIG),
            reason_code: ReasonCode::Canary,
            text: "the canary failed".to_owned(),
            by: Signatory {
                account: "ana".to_owned(),
                roles: vec![Role::Approver],
                signed_in_with: SignIn::Password,
                signed_in_at: at,
                stepped_up_at: None,
            },
            needs_confirmation: false,
            confirmed_by: None,
            at,
        };
        let id = order.order;
        let statement = Statement::new(vec![Subject::new(ROUTE, order.to)], &order).unwrap();
        let entry = self.fake.log(&statement);
        self.orders.push((entry, order));
        self.list();
        id
    }

    /// The steps that the log holds, by order.
    fn results(&self) -> BTreeMap<Uuid, Vec<RollbackResult>> {
        let mut results: BTreeMap<Uuid, Vec<RollbackResult>> = BTreeMap::new();
        for record in &self.fake.state.lock().unwrap().records {
            let statement = Statement::from_envelope(&Envelope::parse(record).unwrap()).unwrap();
            if statement.predicate_type == RollbackResult::TYPE {
                let result: RollbackResult = statement.predicate().unwrap();
                results.entry(result.order).or_default().push(result);
            }
        }
        results
    }

    fn steps(&self, order: Uuid) -> Vec<RollbackStep> {
        self.results().get(&order).into_iter().flatten().map(|result| result.step).collect()
    }

    fn last(&self, order: Uuid) -> RollbackResult {
        self.results()[&order].last().unwrap().clone()
    }

    /// Lists what has no last step yet; how many those are.
    fn list(&self) -> usize {
        let ended = |order: &RollbackOrder| self.steps(order.order).iter().any(|step| step.is_last());
        let open: Vec<_> = self
            .orders
            .iter()
            .filter(|(_, order)| !ended(order))
            .map(|(entry, order)| json!({ "entry": entry, "order": order, "steps": [] }))
            .collect();
        let count = open.len();
        self.fake.state.lock().unwrap().offers.insert(OPEN.to_owned(), json!(open).to_string().into_bytes());
        count
    }

    fn command(&self, health: &str, more: &[&str]) -> Command {
        self.command_on(&self.target, health, more)
    }

    fn command_on(&self, target: &Path, health: &str, more: &[&str]) -> Command {
        let target = target.to_str().unwrap();
        let mut arguments = vec!["deploy-agent", "--route", ROUTE, "--target", target];
        arguments.extend(["--runtime-target", "native_on_gpu", "--health", health, "--poll", "20ms"]);
        arguments.extend(more);
        self.agent.command(&arguments)
    }

    fn once(&self, health: &str, more: &[&str]) -> Ended {
        let ended = self.command(health, &[&["--once"], more].concat()).output().unwrap().into();
        self.list();
        ended
    }

    /// What is live: one of the two, whole.
    fn live(&self) -> u8 {
        live(&self.target)
    }
}

fn live(target: &Path) -> u8 {
    let bytes = fs::read(target.join("current/bundle")).unwrap();
    let name = if bytes == bundle(b'A') { b'A' } else { b'B' };
    assert!(bytes == bundle(name), "what is live is whole");
    name
}

#[test]
fn an_order_is_carried_out_and_every_step_is_in_the_log() {
    let mut stage = Stage::new();
    let id = stage.order(OrderAction::Deploy, bundle(b'A'));
    let ended = stage.once("test -s \"$ACTA_BUNDLE\" && grep -q configuration \"$ACTA_RUNTIME_CONFIG\"", &[]);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(stage.steps(id), [Requested, Acknowledged, Restored, Verified]);
    let last = stage.last(id);
    let a = Sha256Digest::of(bundle(b'A'));
    assert_eq!((last.live, last.measured_bundle), (Some(a), Some(a)));
    assert_eq!(last.measured_config, Some(Sha256Digest::of(CONFIG)));
    assert_eq!((last.runtime_target.as_str(), last.health.unwrap().exit_code), ("native_on_gpu", Some(0)));
    let link = fs::read_link(stage.target.join("current")).unwrap();
    assert_eq!(link, Path::new("versions").join(a.to_string()));
    let asked = |stage: &Stage| {
        let state = stage.fake.state.lock().unwrap();
        state.requests.iter().filter(|request| request.starts_with("GET /api/v1/blobs")).count()
    };
    assert_eq!(asked(&stage), 2);
    // Ordered again, it is there: read, and not fetched.
    let again = stage.order(OrderAction::Rollback, bundle(b'A'));
    assert_eq!(stage.once("true", &[]).code(), 0);
    assert_eq!((stage.last(again).step, asked(&stage)), (Verified, 2));
    assert_eq!(stage.once("true", &[]).code(), 0, "nothing is left to do");
}

#[test]
fn damaged_and_missing_bundles_are_refused_before_anything_changes() {
    let mut stage = Stage::new();
    stage.order(OrderAction::Deploy, bundle(b'A'));
    stage.once("true", &[]);
    let mut damaged = bundle(b'B').to_vec();
    damaged[1_000_000] ^= 1;
    stage.offer(Sha256Digest::of(bundle(b'B')), &damaged);
    let id = stage.order(OrderAction::Rollback, bundle(b'B'));
    let ended = stage.once("true", &[]);
    assert_eq!((ended.code(), stage.steps(id)), (1, vec![Requested, Refused]));
    let last = stage.last(id);
    assert_eq!(last.failure, Some(RollbackFailure::Damaged));
    assert_eq!(last.measured_bundle, Some(Sha256Digest::of(&damaged)));
    let id = stage.order(OrderAction::Rollback, b"never kept");
    assert_eq!(stage.once("true", &[]).code(), 1);
    assert_eq!(stage.last(id).failure, Some(RollbackFailure::NotRetained));
    let config = format!("/api/v1/blobs/sha256/{}", Sha256Digest::of(CONFIG));
    stage.fake.state.lock().unwrap().offers.remove(&config);
    let id = stage.order(OrderAction::Rollback, bundle(b'B'));
    assert_eq!(stage.once("true", &[]).code(), 1);
    assert_eq!(stage.last(id).failure, Some(RollbackFailure::RuntimeConfig));
    assert_eq!(stage.live(), b'A');
    assert_eq!(fs::read_dir(stage.target.join("versions")).unwrap().count(), 1);
}

#[test]
fn an_unwell_or_hanging_runtime_goes_back() {
    let mut stage = Stage::new();
    stage.order(OrderAction::Deploy, bundle(b'A'));
    stage.once("true", &[]);
    let b = Sha256Digest::of(bundle(b'B')).to_string();
    // No other process of the machine sleeps as long.
    let sleep = format!("sleep 600.{}", std::process::id());
    for (health, failure) in [
        (format!("echo not well; test $ACTA_BUNDLE_DIGEST != {b}"), RollbackFailure::Unhealthy),
        (format!("{sleep} & {sleep}"), RollbackFailure::HealthTimeout),
    ] {
        let id = stage.order(OrderAction::Deploy, bundle(b'B'));
        let begun = Instant::now();
        let ended = stage.once(&health, &["--health-timeout", "700ms"]);
        assert!(ended.code() == 1 && begun.elapsed() < Duration::from_secs(30), "{}", ended.stderr);
        assert_eq!(stage.steps(id), [Requested, Acknowledged, Restored, Failed]);
        let last = stage.last(id);
        assert_eq!((last.failure, last.live), (Some(failure), Some(Sha256Digest::of(bundle(b'A')))));
        assert_eq!(stage.live(), b'A');
    }
    let sleepers = Command::new("pgrep").args(["-f", &format!("^{sleep}$")]).output();
    assert!(sleepers.is_ok_and(|found| found.stdout.is_empty()), "nothing of the command is left");
}

#[test]
fn a_target_that_is_missing_or_cannot_be_written_is_said_so() {
    let mut stage = Stage::new();
    let file = PathBuf::from(stage.agent.file("no-folder", b""));
    for (target, failure) in [
        (stage.agent.home().join("missing"), RollbackFailure::TargetMissing),
        (file, RollbackFailure::TargetMissing),
        // Nobody, not even root, makes files there.
        (PathBuf::from("/sys/kernel"), RollbackFailure::TargetReadOnly),
    ] {
        let id = stage.order(OrderAction::Deploy, bundle(b'A'));
        let ended: Ended = stage.command_on(&target, "true", &["--once"]).output().unwrap().into();
        stage.list();
        assert_eq!(ended.code(), 1, "{}{}", ended.stdout, ended.stderr);
        assert_eq!((stage.steps(id), stage.last(id).failure), (vec![Refused], Some(failure)));
    }
    symlink("/srv/other", stage.target.join("current")).unwrap();
    let id = stage.order(OrderAction::Deploy, bundle(b'A'));
    assert_eq!(stage.once("true", &[]).code(), 1);
    assert_eq!(stage.last(id).failure, Some(RollbackFailure::Other));
    assert_eq!(fs::read_link(stage.target.join("current")).unwrap(), Path::new("/srv/other"));
}

/// A file system of its own that is too small. Where nobody may mount, there is nothing to test it on.
#[test]
fn a_full_target_is_refused() {
    let mut stage = Stage::new();
    let id = stage.order(OrderAction::Deploy, bundle(b'A'));
    let inner = stage.command("true", &["--once"]);
    let script = format!("mount -t tmpfs -o size=1m none {} || exit 77; exec \"$@\"", stage.target.display());
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &script, "sh"]).arg(inner.get_program()).args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let Ok(output) = command.output() else { return eprintln!("there is no unshare here") };
    let ended = Ended::from(output);
    if stage.steps(id).is_empty() {
        return eprintln!("no file system can be mounted here: {}", ended.stderr);
    }
    assert_eq!((ended.code(), stage.steps(id)), (1, vec![Requested, Refused]), "{}", ended.stderr);
    assert_eq!(stage.last(id).failure, Some(RollbackFailure::TargetFull));
}

#[test]
fn the_switch_does_not_wait_for_the_log() {
    let mut stage = Stage::new();
    let id = stage.order(OrderAction::Deploy, bundle(b'A'));
    stage.fake.mood(Mood::Busy);
    let ended = stage.once("true", &[]);
    assert_eq!((ended.code(), stage.live()), (6, b'A'), "{}", ended.stderr);
    assert!(stage.steps(id).is_empty());
    assert_eq!(stage.once("true", &[]).code(), 6, "it is not done twice");
    stage.fake.mood(Mood::Good);
    assert_eq!(stage.once("true", &[]).code(), 0);
    assert_eq!(stage.steps(id), [Requested, Acknowledged, Restored, Verified]);
}

#[test]
fn what_the_portal_did_not_sign_is_not_carried_out() {
    let mut stage = Stage::new();
    stage.order(OrderAction::Deploy, bundle(b'A'));
    stage.once("true", &[]);
    // A result of the agent's own, listed as if it were an order; and an order under another id.
    let (entry, order) = stage.orders[0].clone();
    let other = RollbackOrder { order: Uuid::from_u128(99), to: Sha256Digest::of(bundle(b'B')), ..order };
    let listed = [entry + 1, entry].map(|entry| json!({ "entry": entry, "order": other, "steps": [] }));
    stage.fake.state.lock().unwrap().offers.insert(OPEN.to_owned(), json!(listed).to_string().into_bytes());
    let ended: Ended = stage.command("true", &["--once"]).output().unwrap().into();
    assert_eq!((ended.code(), stage.live()), (0, b'A'), "{}", ended.stderr);
    assert!(ended.stderr.contains("warning"), "{}", ended.stderr);
    assert_eq!(stage.results().len(), 1);
}

#[test]
fn one_agent_works_on_a_target() {
    let mut stage = Stage::new();
    stage.order(OrderAction::Deploy, bundle(b'A'));
    let mut first =
        stage.command("sleep 600", &["--health-timeout", "1h"]).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !stage.target.join("current").exists() {
        assert!(begun.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = stage.once("true", &[]);
    assert_eq!(second.code(), 1);
    assert!(second.stderr.contains("another agent works on this target"), "{}", second.stderr);
    acta_tests::process::signal(&first, "TERM");
    assert!(first.wait().unwrap().success(), "asked to stop, it stops and leaves the rest to the next start");
    assert_eq!(stage.once("true", &[]).code(), 0);
    assert_eq!(stage.last(stage.orders[0].1.order).step, Verified);
}

/// Ends the looking, also where the test fails.
struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A and B are ordered in turn while the agent is killed at 50 random moments. At every look the link leads to A or B,
/// whole; every order ends; no step is signed twice.
#[test]
fn kill_9_at_50_moments_leaves_a_or_b_whole() {
    let mut stage = Stage::new();
    stage.order(OrderAction::Deploy, bundle(b'A'));
    let begun = Instant::now();
    assert_eq!(stage.once("sleep 0.02", &[]).code(), 0);
    let mut span = begun.elapsed().as_millis() as u64;
    let (done, target) = (AtomicBool::new(false), stage.target.clone());
    let (mut mid_order, mut mid_switch) = (0, 0);
    std::thread::scope(|scope| {
        let raise = Raise(&done);
        let looks = scope.spawn(|| {
            let mut looks = 0_u32;
            while !done.load(Ordering::Relaxed) {
                live(&target);
                looks += 1;
                std::thread::sleep(Duration::from_millis(1));
            }
            looks
        });
        let mut random = 0x2545_F491_4F6C_DD1D_u64;
        let mut wanted = b'A';
        for _ in 0..50 {
            if stage.list() == 0 {
                wanted ^= b'A' ^ b'B';
                // Half of the time it has to be fetched anew.
                let version =
                    stage.target.join("versions").join(Sha256Digest::of(bundle(wanted)).to_string());
                if random & 8 == 0 && version.exists() {
                    fs::remove_dir_all(version).unwrap();
                }
                stage.order(OrderAction::Deploy, bundle(wanted));
            }
            let mut child =
                stage.command("sleep 0.02", &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            std::thread::sleep(Duration::from_millis(random % (span + span / 4)));
            child.kill().unwrap();
            child.wait().unwrap();
            let journal = fs::read_to_string(stage.target.join("journal.json")).unwrap();
            let within = !journal.contains("\"task\": null");
            mid_order += u32::from(within);
            // How fast the machine is changes: most kills should come within an order.
            span = if within { span + span / 10 } else { span * 4 / 5 }.clamp(20, 5_000);
            mid_switch +=
                u32::from(journal.contains("\"prepareMs\": ") && !journal.contains("\"prepareMs\": null"));
        }
        let ended = stage.once("true", &[]);
        assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
        drop(raise);
        let looks = looks.join().unwrap();
        println!(
            "50 kills, the last within {span} ms: {mid_order} within an order, {mid_switch} of them after it was prepared; \
             {} orders; {looks} looks",
            stage.orders.len()
        );
        assert!(mid_order >= 10 && looks > 100, "{mid_order} {looks}");
        assert_eq!((stage.list(), stage.live()), (0, wanted));
    });
    for (_, order) in &stage.orders {
        assert_eq!(stage.steps(order.order), [Requested, Acknowledged, Restored, Verified]);
    }
}
