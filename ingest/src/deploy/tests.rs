//! The agent on real folders with a server in memory, killed at each point.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
    time::Duration,
};

use acta_ledger::{
    evidence::{
        pin::Pins,
        rollback::{
            OrderAction, RollbackFailure, RollbackResult,
            RollbackStep::{self, Acknowledged, Failed, Refused, Requested, Restored, Verified},
        },
    },
    log::digest::Sha256Digest,
};
use tempfile::TempDir;

use super::{
    agent::{DeployAgent, Round, Setup},
    journal::Journal,
    portal::{
        Portal,
        testing::{CONFIG, Shelf, order},
    },
    report::Reporter,
    stop::Stop,
    switch::{self, LINK, digest_of},
    target::{BUNDLE, VERSIONS},
};
use crate::{
    crash,
    error::Result,
    home::Home,
    key, statements,
    ui::{Color, Ui},
};

const A: &[u8] = b"bundle A";
const B: &[u8] = b"bundle B";

/// A target, an agent's home and a server.
struct Bench {
    folder: TempDir,
    home: Home,
    shelf: Shelf,
    health: Option<&'static str>,
}

impl Bench {
    fn new(health: &'static str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().join("home"))).unwrap();
        home.create().unwrap();
        key::create(&home).unwrap();
        fs::create_dir(folder.path().join("target")).unwrap();
        Self { folder, home, shelf: Shelf::new(&[A, B, CONFIG]), health: Some(health) }
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// An order's entry is its number.
    fn orders(&self, number: u64, action: OrderAction, bundle: &[u8]) {
        self.shelf.orders.borrow_mut().insert(number, order(number.into(), action, bundle));
    }

    /// A process that does what there is to do.
    fn round(&self) -> Result<Round> {
        let ui = Ui::new(true, Color::Never);
        let reporter = Reporter::new(&self.home, "native_on_gpu".to_owned(), Pins::default(), ui)?;
        let setup = Setup {
            route: "mini".to_owned(),
            target: self.target(),
            scratch: None,
            health: self.health.map(str::to_owned),
            health_timeout: Duration::from_millis(500),
        };
        DeployAgent::new(setup, Borrowed(&self.shelf), reporter, Stop::default(), ui).round()
    }

    fn live(&self) -> Option<Sha256Digest> {
        let link = switch::read(&self.target()).unwrap();
        let version = link.version()?;
        let bytes = fs::read(self.target().join(LINK).join(BUNDLE)).unwrap();
        assert_eq!(digest_of(version), Some(Sha256Digest::of(&bytes)), "what is live is whole");
        Some(Sha256Digest::of(&bytes))
    }

    /// What was signed about an order.
    fn results(&self, number: u64) -> Vec<RollbackResult> {
        let mut results = Vec::new();
        statements::newest_own(&self.home, |result: &RollbackResult| {
            if result.order == uuid::Uuid::from_u128(number.into()) {
                results.push(result.clone());
            }
            false
        })
        .unwrap();
        results.reverse();
        results
    }

    fn steps(&self, number: u64) -> Vec<RollbackStep> {
        self.results(number).iter().map(|result| result.step).collect()
    }

    fn task(&self) -> bool {
        Journal::load(&self.target()).unwrap().unwrap().task.is_some()
    }
}

struct Borrowed<'a>(&'a Shelf);

impl Portal for Borrowed<'_> {
    fn open_orders(&self, route: &str) -> Result<Vec<super::order::Listed>> {
        self.0.open_orders(route)
    }
    fn order(&self, entry: u64) -> Result<acta_ledger::evidence::rollback::RollbackOrder> {
        self.0.order(entry)
    }
    fn blob(&self, digest: &Sha256Digest) -> Result<Option<super::portal::Incoming>> {
        self.0.blob(digest)
    }
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn an_order_is_carried_out_once_step_by_step() {
    let bench = Bench::new("test \"$(cat $ACTA_BUNDLE)\" = 'bundle A' && test -f $ACTA_RUNTIME_CONFIG");
    bench.orders(1, OrderAction::Deploy, A);
    let round = bench.round().unwrap();
    assert_eq!((round.verified, round.failed), (1, 0));
    let results = bench.results(1);
    assert_eq!(bench.steps(1), [Requested, Acknowledged, Restored, Verified]);
    let a = Some(Sha256Digest::of(A));
    assert_eq!(results.iter().map(|it| it.live).collect::<Vec<_>>(), [None, None, a, a]);
    let last = &results[3];
    assert_eq!((last.measured_bundle, last.measured_config), (a, Some(Sha256Digest::of(CONFIG))));
    assert_eq!(last.health.as_ref().unwrap().exit_code, Some(0));
    assert!(last.since_order_ms.unwrap() > 0.0 && last.failure.is_none());
    // The server still lists it, because nothing was pushed.
    let again = bench.round().unwrap();
    assert_eq!((again.verified, again.failed, bench.steps(1).len()), (0, 0, 4));
    fs::remove_file(bench.target().join("journal.json")).unwrap();
    bench.round().unwrap();
    assert_eq!(bench.steps(1).len(), 4, "without the journal the statements tell");
}

#[test]
fn an_unwell_bundle_goes_back_to_what_was_live() {
    for (health, failure) in [
        ("echo bad; grep -q A $ACTA_BUNDLE", RollbackFailure::Unhealthy),
        ("grep -q A $ACTA_BUNDLE || sleep 60", RollbackFailure::HealthTimeout),
    ] {
        let bench = Bench::new(health);
        bench.orders(1, OrderAction::Deploy, B);
        assert_eq!(bench.round().unwrap().failed, 1);
        assert_eq!((bench.live(), bench.results(1)[3].live), (None, None), "nothing was live before");
        bench.orders(2, OrderAction::Deploy, A);
        bench.round().unwrap();
        bench.orders(3, OrderAction::Deploy, B);
        assert_eq!(bench.round().unwrap().failed, 1);
        assert_eq!(bench.steps(3), [Requested, Acknowledged, Restored, Failed]);
        let last = bench.results(3).pop().unwrap();
        assert_eq!((last.failure, last.live), (Some(failure), Some(Sha256Digest::of(A))));
        assert!(last.text.as_deref().unwrap().starts_with("went back to"), "{:?}", last.text);
        assert_eq!(bench.live(), last.live);
    }
}

/// Kills the agent at each point of a good order, of one that goes back, of a drill and of a refusal. The next start
/// ends each as if nothing had been, and no step is signed twice.
#[test]
fn a_death_at_any_point_is_finished_or_undone() {
    let points = [
        "task written",
        "requested signed",
        "version in place",
        "acknowledged signed",
        "link switched",
        "restored signed",
        "health written",
        "verified signed",
        "link went back",
        "failed signed",
        "refused signed",
        "scratch removed",
        "task closed",
        "statement signed",
        "item written",
    ];
    let mut deaths = 0;
    for (health, action, bundle, last) in [
        ("true", OrderAction::Rollback, B, Verified),
        ("! grep -q B $ACTA_BUNDLE", OrderAction::Rollback, B, Failed),
        ("true", OrderAction::Drill, B, Verified),
        ("! grep -q B $ACTA_BUNDLE", OrderAction::Drill, B, Failed),
        ("true", OrderAction::Deploy, &b"never kept"[..], Refused),
    ] {
        for point in points {
            let bench = Bench::new(health);
            bench.orders(1, OrderAction::Deploy, A);
            bench.round().unwrap();
            bench.orders(2, action, bundle);
            let died = crash::at(point, || bench.round().is_err());
            deaths += u32::from(died);
            assert!(bench.live().is_some(), "{point}");
            bench.round().unwrap();
            let steps = bench.steps(2);
            let expected: &[RollbackStep] = match last {
                Refused => &[Requested, Refused],
                last => &[Requested, Acknowledged, Restored, last],
            };
            assert_eq!(steps, expected, "{action:?}, killed at {point}");
            let live = if action != OrderAction::Drill && last == Verified { B } else { A };
            assert_eq!(bench.live(), Some(Sha256Digest::of(live)), "{action:?}, killed at {point}");
            assert!(!bench.task(), "{point}");
            let left: Vec<_> = fs::read_dir(bench.target())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| !matches!(&**name, LINK | VERSIONS | "journal.json" | ".acta-lock"))
                .collect();
            assert!(left.is_empty(), "{point}: {left:?}");
        }
    }
    assert!(deaths >= 40, "the agent died only {deaths} times");
}

#[test]
fn a_drill_leaves_no_trace_but_its_evidence() {
    let bench = Bench::new("true");
    bench.orders(1, OrderAction::Deploy, A);
    bench.round().unwrap();
    let inode = || fs::symlink_metadata(bench.target().join(LINK)).unwrap().ino();
    let before = inode();
    bench.orders(2, OrderAction::Drill, B);
    bench.round().unwrap();
    assert_eq!(bench.steps(2), [Requested, Acknowledged, Restored, Verified]);
    assert_eq!(inode(), before, "the link was not touched");
    assert_eq!(count(&bench.target().join(VERSIONS)), 1);
    let last = bench.results(2).pop().unwrap();
    assert_eq!((last.live, last.measured_bundle), (Some(Sha256Digest::of(A)), Some(Sha256Digest::of(B))));
}

#[test]
fn older_orders_are_refused_and_the_newest_is_done() {
    let bench = Bench::new("true");
    bench.orders(1, OrderAction::Deploy, A);
    bench.orders(2, OrderAction::Drill, A);
    bench.orders(3, OrderAction::Deploy, B);
    let round = bench.round().unwrap();
    assert_eq!((round.verified, round.failed), (2, 1));
    assert_eq!(bench.live(), Some(Sha256Digest::of(B)));
    let refused = bench.results(1).pop().unwrap();
    assert_eq!((refused.step, refused.failure), (Refused, Some(RollbackFailure::Superseded)));
    assert_eq!(bench.steps(2).last(), Some(&Verified));
}

#[test]
fn an_order_that_needs_a_second_person_waits_for_one() {
    let bench = Bench::new("true");
    bench.orders(1, OrderAction::Deploy, A);
    assert_eq!(bench.round().unwrap().verified, 1);
    let mut asked = order(2, OrderAction::Rollback, B);
    asked.needs_confirmation = true;
    bench.shelf.orders.borrow_mut().insert(2, asked.clone());
    let round = bench.round().unwrap();
    // Neither done nor refused, whatever the server lists: a refusal would end it before anybody can confirm it.
    assert_eq!((round.verified, round.failed), (0, 0));
    assert_eq!((bench.live(), bench.steps(2)), (Some(Sha256Digest::of(A)), vec![]));
    let mut second = asked.by.clone();
    (second.account, second.stepped_up_at) = ("eva".to_owned(), Some(asked.at));
    asked.confirmed_by = Some(second);
    bench.shelf.orders.borrow_mut().insert(3, asked);
    assert_eq!(bench.round().unwrap().verified, 1);
    assert_eq!(bench.live(), Some(Sha256Digest::of(B)));
    assert_eq!(bench.steps(2), [Requested, Acknowledged, Restored, Verified]);
    assert_eq!(bench.round().unwrap().verified, 0, "once");
}

#[test]
fn what_cannot_be_done_is_refused_and_changes_nothing() {
    let bench = Bench::new("true");
    bench.orders(1, OrderAction::Deploy, A);
    bench.round().unwrap();
    bench.shelf.blobs.borrow_mut().insert(Sha256Digest::of(B), b"other bytes".to_vec());
    bench.orders(2, OrderAction::Rollback, B);
    bench.round().unwrap();
    let refused = bench.results(2).pop().unwrap();
    assert_eq!((refused.step, refused.failure), (Refused, Some(RollbackFailure::Damaged)));
    assert_eq!(refused.measured_bundle, Some(Sha256Digest::of(b"other bytes")));
    assert_eq!((refused.live, bench.live()), (Some(Sha256Digest::of(A)), Some(Sha256Digest::of(A))));
    // A link that somebody else made is left alone.
    fs::remove_file(bench.target().join(LINK)).unwrap();
    symlink("/srv/other", bench.target().join(LINK)).unwrap();
    bench.orders(3, OrderAction::Rollback, A);
    bench.round().unwrap();
    let refused = bench.results(3).pop().unwrap();
    assert_eq!((refused.step, refused.failure), (Refused, Some(RollbackFailure::Other)));
    assert_eq!(fs::read_link(bench.target().join(LINK)).unwrap(), Path::new("/srv/other"));
    // A target that is away refuses, once.
    fs::rename(bench.target(), bench.folder.path().join("away")).unwrap();
    bench.orders(4, OrderAction::Rollback, A);
    for _ in 0..2 {
        bench.round().unwrap();
    }
    assert_eq!(bench.steps(4), [Refused]);
    assert_eq!(bench.results(4)[0].failure, Some(RollbackFailure::TargetMissing));
    assert_eq!(bench.steps(3).len(), 1, "what is ended stays ended");
    fs::rename(bench.folder.path().join("away"), bench.target()).unwrap();
    bench.round().unwrap();
    assert_eq!(bench.steps(4), [Refused], "also when the target is back");
}
