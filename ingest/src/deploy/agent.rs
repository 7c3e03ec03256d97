//! Carries orders out, one at a time: asks [`next`] what to do, does it, writes it down.

use std::{collections::BTreeMap, io, path::PathBuf, time::Duration};

use acta_ledger::evidence::rollback::{OrderAction, RollbackFailure, RollbackOrder, RollbackStep};

use super::{
    journal::{Journal, Outcome, Task},
    order::{Listed, Named, Next, Seen, choose, is_superseded, next, why_not},
    portal::Portal,
    report::Reporter,
    stop::Stop,
    switch::{self, LINK, Link, digest_of},
    target::{OpenError, Target, Trouble},
    work::{Worker, place_of},
};
use crate::{
    clock, crash,
    error::{CliError, Exit, Result},
    ui::Ui,
};

const SUPERSEDED: &str = "a newer order came before this one was begun";

/// What the agent is told when it is started.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The route.
    pub route: String,
    /// The target.
    pub target: PathBuf,
    /// The folder that drills' scratch folders are made in; none is the target.
    pub scratch: Option<PathBuf>,
    /// The health command.
    pub health: Option<String>,
    /// How long it may take.
    pub health_timeout: Duration,
}

/// What a round came to.
#[derive(Debug, Default)]
pub struct Round {
    /// How many orders ended with a verified bundle.
    pub verified: usize,
    /// How many were refused or failed.
    pub failed: usize,
    /// Why something still waits.
    pub waits: Option<CliError>,
}

/// The agent beside the runtime.
pub struct DeployAgent<P> {
    setup: Setup,
    portal: P,
    reporter: Reporter,
    stop: Stop,
    ui: Ui,
    held: Option<Held>,
    /// The orders that are listed, as they stand in the log.
    known: BTreeMap<u64, RollbackOrder>,
    /// Entries that are listed as orders and are none, with what was said of them.
    bad: BTreeMap<u64, String>,
}

/// A target that is worked on.
pub struct Held {
    /// The target.
    pub target: Target,
    /// Its journal.
    pub journal: Journal,
    /// The version that this process read and found whole, with the order that it was for.
    pub verified: Option<(u64, String)>,
}

impl<P: Portal> DeployAgent<P> {
    /// Prepares; does nothing yet.
    pub fn new(setup: Setup, portal: P, reporter: Reporter, stop: Stop, ui: Ui) -> Self {
        Self { setup, portal, reporter, stop, ui, held: None, known: BTreeMap::new(), bad: BTreeMap::new() }
    }

    /// Ends the pushing.
    pub fn finish(self) {
        self.reporter.finish();
    }

    /// Ends what was begun, then carries out what is listed, until nothing is left to do now.
    pub fn round(&mut self) -> Result<Round> {
        let mut round = Round::default();
        self.reporter.wake();
        // What was begun is ended, also where nothing new can be learned.
        let open = self.listed().unwrap_or_else(|error| {
            round.waits = Some(error);
            Vec::new()
        });
        if self.held.as_ref().is_some_and(|held| !held.target.is_there()) {
            self.held = None;
        }
        if self.held.is_none() {
            match Target::open(&self.setup.target) {
                Ok(target) => self.held = Some(self.take(target)?),
                Err(OpenError::Held) => {
                    return Err(CliError::failure("another agent works on this target")
                        .field("--target")
                        .found(self.setup.target.display().to_string()));
                }
                Err(OpenError::Trouble(trouble)) => {
                    self.refuse_all(&open, &trouble, &mut round)?;
                    return Ok(round);
                }
            }
        }
        while !self.stop.asked() {
            let Some(held) = &self.held else { break };
            if held.journal.task.is_none() && !self.begin(&open, &mut round)? {
                break;
            }
            match self.work(&open)? {
                Worked::Ended(RollbackStep::Verified) => round.verified += 1,
                Worked::Ended(_) => round.failed += 1,
                Worked::Settled => {}
                Worked::Waits(error) => {
                    round.waits = Some(error);
                    break;
                }
            }
        }
        Ok(round)
    }

    /// Reads the journal; the steps that were signed before a kill are taken from the statements themselves.
    fn take(&self, target: Target) -> Result<Held> {
        let mut journal = Journal::load(target.folder())?.unwrap_or_default();
        if let Some(task) = &mut journal.task {
            heed(task, self.reporter.signed(task.order.order)?);
        }
        Ok(Held { target, journal, verified: None })
    }

    /// Asks what is listed, and reads each order from the log: only what the portal signed counts.
    fn listed(&mut self) -> Result<Vec<Listed>> {
        let open = self.portal.open_orders(&self.setup.route)?;
        self.known.retain(|entry, _| open.iter().any(|listed| listed.entry == *entry));
        for listed in open {
            let entry = listed.entry;
            if self.known.contains_key(&entry) {
                continue;
            }
            let wrong = match self.portal.order(entry) {
                Ok(order) => match why_not(&listed, &self.setup.route, &order) {
                    Some(why) => format!("entry {entry} {why}: it is not carried out"),
                    None => {
                        self.known.insert(entry, order);
                        continue;
                    }
                },
                // Which order is the newest is known only when all are.
                Err(error) if error.exit == Exit::NotPushed => return Err(error),
                Err(error) => error.to_string(),
            };
            // It is looked at again each time, and said once.
            if self.bad.get(&entry) != Some(&wrong) {
                self.ui.warning(&wrong);
                self.bad.insert(entry, wrong);
            }
        }
        let named = |order: &RollbackOrder| Named { order: order.order, action: order.action };
        Ok(self.known.iter().map(|(entry, order)| Listed { entry: *entry, order: named(order) }).collect())
    }

    /// Refuses everything that is listed: there is no target to do it on.
    fn refuse_all(&mut self, open: &[Listed], trouble: &Trouble, round: &mut Round) -> Result<()> {
        let live = switch::read(&self.setup.target).ok();
        let live = live.as_ref().and_then(Link::version).and_then(digest_of);
        for (_, order) in self.known.iter().filter(|(entry, _)| open.iter().any(|it| it.entry == **entry)) {
            let signed = self.reporter.signed(order.order)?;
            if signed.iter().any(|step| step.is_last()) {
                continue;
            }
            // What was begun is ended where it was begun, once that target is back.
            if signed.contains(&RollbackStep::Acknowledged) {
                round.waits = Some(CliError::failure(trouble.text.clone()).field("--target"));
                continue;
            }
            self.reporter.refusal(order, trouble.failure, &trouble.text, live)?;
            round.failed += 1;
        }
        Ok(())
    }

    /// Takes the next order; false where there is none.
    fn begin(&mut self, open: &[Listed], round: &mut Round) -> Result<bool> {
        let Some(held) = &mut self.held else { return Ok(false) };
        let folder = held.target.folder().to_owned();
        while let Some((listed, superseded)) = choose(open, &held.journal) {
            let Some(order) = self.known.get(&listed.entry) else { return Ok(false) };
            let mut task = draft(listed.entry, order, superseded, switch::read(&folder));
            heed(&mut task, self.reporter.signed(order.order)?);
            if !superseded && order.action != OrderAction::Drill {
                held.journal.newest = held.journal.newest.max(Some(listed.entry));
            }
            held.journal.task = Some(task);
            let Err(error) = held.journal.save(&folder) else {
                crash::point("task written")?;
                return Ok(true);
            };
            // Nothing was done: it is refused without a journal, and its statement says so to the next start.
            let trouble = Trouble::io("write the journal in", &folder, &error);
            let Some(task) = held.journal.task.take() else { return Ok(false) };
            held.journal.settle(order.order);
            if !task.reported.iter().any(|step| step.is_last()) {
                let live = task.previous.as_deref().and_then(digest_of);
                self.reporter.refusal(order, trouble.failure, &trouble.text, live)?;
                round.failed += 1;
            }
        }
        Ok(false)
    }

    /// Does what is next until the order is ended, or has to wait.
    fn work(&mut self, open: &[Listed]) -> Result<Worked> {
        loop {
            let Some(held) = &mut self.held else { return Ok(Worked::Settled) };
            let Some(task) = &held.journal.task else { return Ok(Worked::Settled) };
            if self.stop.asked() {
                return Ok(Worked::Waits(CliError::failure(
                    "this agent was asked to stop; the next start goes on",
                )));
            }
            let target = held.target.folder().to_owned();
            let place = place_of(&self.setup, &target, task);
            let link =
                switch::read(&place).map_err(|error| CliError::io("read the link in", &place, &error))?;
            let seen = Seen {
                live: link.version(),
                verified: held
                    .verified
                    .as_ref()
                    .is_some_and(|(entry, name)| *entry == task.entry && Some(name) == task.version.as_ref()),
                superseded: is_superseded(task, open, &held.journal),
                scratch: task.order.action == OrderAction::Drill && place.exists(),
            };
            let step = next(task, seen);
            let mut worker = Worker { place: &place, target: &target, held, setup: &self.setup };
            match step {
                Next::Report(step) => worker.report(step, &self.reporter)?,
                Next::Supersede => worker.end(|task| {
                    task.fail(RollbackFailure::Superseded, SUPERSEDED.to_owned());
                })?,
                Next::Prepare => {
                    if let Some(later) = worker.prepare(seen.live, &self.portal, &self.stop)? {
                        return Ok(Worked::Waits(later));
                    }
                }
                Next::Switch => worker.switch()?,
                Next::CheckHealth => {
                    if !worker.check_health(&self.stop)? {
                        continue;
                    }
                }
                Next::GoBack => worker.go_back()?,
                Next::CleanUp => worker.clean_up()?,
                Next::Close => {
                    let step = worker.close()?;
                    return Ok(step.map_or(Worked::Settled, Worked::Ended));
                }
            }
        }
    }
}

/// A task as it begins, with what speaks against it from the start.
fn draft(entry: u64, order: &RollbackOrder, superseded: bool, link: io::Result<Link>) -> Task {
    let is_drill = order.action == OrderAction::Drill;
    let previous = link.as_ref().ok().and_then(Link::version).filter(|_| !is_drill).map(str::to_owned);
    let mut task = Task::new(entry, order.clone(), clock::now(), previous);
    match link {
        _ if superseded => task.fail(RollbackFailure::Superseded, SUPERSEDED.to_owned()),
        Ok(Link::Foreign(found)) => {
            let text = format!("`{LINK}` in the target is not this agent's: it is {found}");
            task.fail(RollbackFailure::Other, text);
        }
        Err(error) => task.fail(RollbackFailure::Other, format!("`{LINK}` cannot be read: {error}")),
        Ok(_) => {}
    }
    task
}

/// Takes the steps that this agent signed already into the task: nothing is said twice, and what was ended (on a target
/// that was lost, or while it was away) is not done again.
fn heed(task: &mut Task, signed: Vec<RollbackStep>) {
    for step in signed {
        if !task.has_told(step) {
            task.reported.push(step);
        }
    }
    let last = task.reported.iter().copied().find(|step| step.is_last());
    if let Some(step) = last.filter(|step| task.outcome.as_ref().is_none_or(|outcome| outcome.step != *step))
    {
        task.outcome = Some(Outcome { step, failure: None, text: String::new() });
    }
}

/// What became of a task in this round.
enum Worked {
    /// It is ended.
    Ended(RollbackStep),
    /// There was nothing to do.
    Settled,
    /// It has to wait.
    Waits(CliError),
}
