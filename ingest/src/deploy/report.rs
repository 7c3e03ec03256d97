//! Steps as signed statements, and the thread that pushes them beside the work.

use std::{
    sync::mpsc,
    thread::{self, JoinHandle},
};

use acta_ledger::{
    evidence::{
        pin::Pins,
        rollback::{RollbackFailure, RollbackOrder, RollbackResult, RollbackStep},
    },
    log::{
        digest::Sha256Digest,
        statement::{Statement, Subject},
    },
};
use uuid::Uuid;

use super::journal::{Outcome, Task};
use crate::{
    builder::framing::cut,
    chain, clock,
    command::push::tell,
    error::{CliError, Result},
    gate::UNCHAINED,
    home::Home,
    push,
    server::ServerFacts,
    statements,
    ui::Ui,
};

/// How long a step's text may be.
const MAX_TEXT_BYTES: usize = 1000;

/// Signs what was done, and says it.
pub struct Reporter {
    home: Home,
    runtime_target: String,
    observed: Pins,
    ui: Ui,
    pusher: Option<Pusher>,
}

struct Pusher {
    wake: mpsc::Sender<()>,
    thread: JoinHandle<()>,
}

impl Reporter {
    /// Prepares to sign; the facts of the machine go into each statement.
    pub fn new(home: &Home, runtime_target: String, observed: Pins, ui: Ui) -> Result<Self> {
        chain::signing_key(home)?;
        Ok(Self { home: home.clone(), runtime_target, observed, ui, pusher: None })
    }

    /// Pushes from now on beside the work.
    pub fn push_to(mut self, facts: ServerFacts) -> Self {
        let (wake, woken) = mpsc::channel();
        let (home, ui) = (self.home.clone(), self.ui);
        let thread = thread::spawn(move || push_when_woken(&home, &facts, ui, &woken));
        self.pusher = Some(Pusher { wake, thread });
        self
    }

    /// Offers what waits to the server, beside the work.
    pub fn wake(&self) {
        if let Some(pusher) = &self.pusher {
            pusher.wake.send(()).ok();
        }
    }

    /// Waits until the last push came to its end.
    pub fn finish(self) {
        if let Some(Pusher { wake, thread }) = self.pusher {
            wake.send(()).ok();
            drop(wake);
            thread.join().ok();
        }
    }

    /// Signs a step of a task.
    pub fn step(&self, task: &Task, step: RollbackStep, live: Option<Sha256Digest>) -> Result<()> {
        let outcome = task.outcome.as_ref().filter(|outcome| outcome.step == step);
        let mut result = self.result(&task.order, step, outcome, live);
        if result.text.is_none() && step == RollbackStep::Restored {
            let ms = |ms: Option<f64>| ms.map_or_else(|| "? ms".to_owned(), |ms| format!("{ms:.1} ms"));
            let (prepared, switched) = (ms(task.prepare_ms), ms(task.switch_ms));
            result.text = Some(format!("verified or fetched in {prepared}, switched in {switched}"));
        }
        result.measured_bundle = task.measured_bundle;
        result.measured_config = task.measured_config;
        result.health = task.health.clone();
        self.sign(result)
    }

    /// Signs that an order is refused, where there is no target to keep a journal on.
    pub fn refusal(
        &self,
        order: &RollbackOrder,
        failure: RollbackFailure,
        text: &str,
        live: Option<Sha256Digest>,
    ) -> Result<()> {
        let outcome = Outcome { step: RollbackStep::Refused, failure: Some(failure), text: text.to_owned() };
        self.sign(self.result(order, RollbackStep::Refused, Some(&outcome), live))
    }

    fn result(
        &self,
        order: &RollbackOrder,
        step: RollbackStep,
        outcome: Option<&Outcome>,
        live: Option<Sha256Digest>,
    ) -> RollbackResult {
        let at = clock::now();
        // Two machines' clocks: a span that comes out negative is none.
        let since_order_ms = u32::try_from(at.unix_ms() - order.at.unix_ms()).ok().map(f64::from);
        RollbackResult {
            order: order.order,
            route: order.route.clone(),
            action: order.action,
            to: order.to,
            step,
            failure: outcome.and_then(|outcome| outcome.failure),
            text: outcome.map(|outcome| cut(&outcome.text, MAX_TEXT_BYTES).to_owned()),
            measured_bundle: None,
            measured_config: None,
            live,
            runtime_target: self.runtime_target.clone(),
            observed: self.observed.clone(),
            health: None,
            since_order_ms,
            at,
            chain: UNCHAINED,
        }
    }

    fn sign(&self, mut result: RollbackResult) -> Result<()> {
        chain::seal(&self.home, None, Vec::new(), |link| {
            result.chain = link;
            Statement::new(vec![Subject::new("bundle", result.to)], &result).map_err(|error| {
                CliError::failure("the step cannot be written as canonical JSON").found(error.to_string())
            })
        })?;
        let (action, step) =
            (acta_ledger::evidence::code(&result.action), acta_ledger::evidence::code(&result.step));
        let text = result.text.as_deref().map_or_else(String::new, |text| format!(": {text}"));
        self.ui.result(&format!("{action} of {}  {step}{text}", result.to.short()));
        self.wake();
        Ok(())
    }

    /// The steps of an order that this agent signed already.
    pub fn signed(&self, order: Uuid) -> Result<Vec<RollbackStep>> {
        let mut steps = Vec::new();
        statements::newest_own(&self.home, |result: &RollbackResult| {
            if result.order != order {
                return false;
            }
            steps.push(result.step);
            result.step == RollbackStep::Requested
        })?;
        steps.reverse();
        Ok(steps)
    }
}

fn push_when_woken(home: &Home, facts: &ServerFacts, ui: Ui, woken: &mpsc::Receiver<()>) {
    let mut told = None;
    while woken.recv().is_ok() {
        while woken.try_recv().is_ok() {}
        match push::drain(home, facts) {
            Ok(drained) => {
                let stopped = drained.stopped.as_ref().map(ToString::to_string);
                // A server that is away is said once.
                if !drained.refused.is_empty() || stopped != told {
                    tell(&drained, ui);
                }
                told = stopped;
            }
            Err(error) => ui.warning(&error.to_string()),
        }
    }
}
