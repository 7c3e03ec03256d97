//! Carries orders out, one at a time: asks [`next`] what to do, does it, writes it down.

use std::{collections::HashSet, io, path::PathBuf, time::Duration};

use acta_ledger::evidence::rollback::{OrderAction, RollbackFailure, RollbackOrder, RollbackStep};

use super::{
    journal::{Journal, Outcome, Task},
    order::{Listed, Next, Seen, choose, is_superseded, next},
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
    /// Entries that are listed as orders and are none.
    bad: HashSet<u64>,
}

/// A target that is worked on.
pub struct Held {
    /// The target.
    pub target: Target,
    /// Its journal.
    pub journal: Journal,
    /// Whether there was a journal: without one, only the agent's own statements tell what was done.
    remembers: bool,
    /// The version that this process read and found whole, with the order that it was for.
    pub verified: Option<(u64, String)>,
}

impl<P: Portal> DeployAgent<P> {
    /// Prepares; does nothing yet.
    pub fn new(setup: Setup, portal: P, reporter: Reporter, stop: Stop, ui: Ui) -> Self {
        Self { setup, portal, reporter, stop, ui, held: None, bad: HashSet::new() }
    }

    /// Ends the pushing.
    pub fn finish(self) {
        self.reporter.finish();
    }

    /// Ends what was begun, then carries out what is listed, until nothing is left to do now.
    pub fn round(&mut self) -> Result<Round> {
        let mut round = Round::default();
        self.reporter.wake();
        let open = self.portal.open_orders(&self.setup.route);
        let open = open.unwrap_or_else(|error| {
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
        let journal = Journal::load(target.folder())?;
        let remembers = journal.is_some();
        let mut journal = journal.unwrap_or_default();
        if let Some(task) = &mut journal.task {
            for step in self.reporter.signed(task.order.order)? {
                if !task.has_told(step) {
                    task.reported.push(step);
                }
            }
        }
        Ok(Held { target, journal, remembers, verified: None })
    }

    /// Refuses everything that is listed: there is no target to do it on.
    fn refuse_all(&mut self, open: &[Listed], trouble: &Trouble, round: &mut Round) -> Result<()> {
        let live = switch::read(&self.setup.target).ok();
        let live = live.as_ref().and_then(Link::version).and_then(digest_of);
        for listed in open {
            if self.bad.contains(&listed.entry) {
                continue;
            }
            let signed = self.reporter.signed(listed.order.order)?;
            if signed.iter().any(|step| step.is_last()) {
                continue;
            }
            // What was begun is ended where it was begun, once that target is back.
            if signed.contains(&RollbackStep::Acknowledged) {
                round.waits = Some(CliError::failure(trouble.text.clone()).field("--target"));
                continue;
            }
            let Some(order) = self.read(listed, round) else { continue };
            self.reporter.refusal(&order, trouble.failure, &trouble.text, live)?;
            round.failed += 1;
        }
        Ok(())
    }

    /// Reads an order from the log; says why, where it is none.
    fn read(&mut self, listed: &Listed, round: &mut Round) -> Option<RollbackOrder> {
        let entry = listed.entry;
        match self.portal.order(entry) {
            Ok(order) if order.order == listed.order.order && order.route == self.setup.route => Some(order),
            Ok(order) => {
                self.ui.warning(&format!(
                    "entry {entry} is listed as an order for {} and is one for {}: it is not carried out",
                    self.setup.route, order.route
                ));
                self.bad.insert(entry);
                None
            }
            Err(error) if error.exit == Exit::NotPushed => {
                round.waits = Some(error);
                None
            }
            Err(error) => {
                self.ui.warning(&error.to_string());
                self.bad.insert(entry);
                None
            }
        }
    }

    /// Takes the next order; false where there is none.
    fn begin(&mut self, open: &[Listed], round: &mut Round) -> Result<bool> {
        loop {
            let open: Vec<Listed> =
                open.iter().filter(|listed| !self.bad.contains(&listed.entry)).cloned().collect();
            let Some(held) = &self.held else { return Ok(false) };
            let remembers = held.remembers;
            let Some((listed, superseded)) = choose(&open, &held.journal) else { return Ok(false) };
            let Some(order) = self.read(listed, round) else {
                if self.bad.contains(&listed.entry) {
                    continue;
                }
                return Ok(false);
            };
            let signed = if remembers { Vec::new() } else { self.reporter.signed(order.order)? };
            let Some(held) = &mut self.held else { return Ok(false) };
            let folder = held.target.folder().to_owned();
            let task = draft(listed.entry, order, superseded, signed, switch::read(&folder));
            if !superseded && task.order.action != OrderAction::Drill {
                held.journal.newest = held.journal.newest.max(Some(listed.entry));
            }
            held.journal.task = Some(task);
            let Err(error) = held.journal.save(&folder) else {
                crash::point("task written")?;
                return Ok(true);
            };
            // Nothing was done: it is refused without a journal, and remembered for as long as this process lives.
            let trouble = Trouble::io("write the journal in", &folder, &error);
            let Some(task) = held.journal.task.take() else { return Ok(false) };
            held.journal.settle(task.order.order);
            if !task.reported.iter().any(|step| step.is_last()) {
                let live = task.previous.as_deref().and_then(digest_of);
                self.reporter.refusal(&task.order, trouble.failure, &trouble.text, live)?;
                round.failed += 1;
            }
        }
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
                    task.fail(
                        RollbackFailure::Superseded,
                        "a newer order came before this one was begun".to_owned(),
                    );
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
fn draft(
    entry: u64,
    order: RollbackOrder,
    superseded: bool,
    signed: Vec<RollbackStep>,
    link: io::Result<Link>,
) -> Task {
    let is_drill = order.action == OrderAction::Drill;
    let previous = link.as_ref().ok().and_then(Link::version).filter(|_| !is_drill).map(str::to_owned);
    let mut task = Task::new(entry, order, clock::now(), previous);
    task.reported = signed;
    if let Some(last) = task.reported.iter().copied().find(|step| step.is_last()) {
        // This agent ended it, and the journal of that is lost: nothing is done twice.
        task.outcome = Some(Outcome { step: last, failure: None, text: String::new() });
        task.undone = true;
    } else if superseded {
        task.fail(RollbackFailure::Superseded, "a newer order came before this one was begun".to_owned());
    } else {
        match link {
            Ok(Link::Foreign(found)) => {
                let text = format!("`{LINK}` in the target is not this agent's: it is {found}");
                task.fail(RollbackFailure::Other, text);
            }
            Err(error) => task.fail(RollbackFailure::Other, format!("`{LINK}` cannot be read: {error}")),
            Ok(_) => {}
        }
    }
    task
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
