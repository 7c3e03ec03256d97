//! The steps themselves, each written down before the next one is asked for.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use acta_ledger::{
    evidence::{
        code,
        number::ms,
        rollback::{OrderAction, RollbackFailure, RollbackStep},
    },
    log::digest::Sha256Digest,
};

use super::{
    agent::{Held, Setup},
    health::{self, Checked, Verdict},
    journal::{Outcome, Task},
    portal::Portal,
    report::Reporter,
    stop::Stop,
    switch::{self, LINK, digest_of},
    target::{BUNDLE, CONFIG, Stopped, Trouble, VERSIONS, Wanted, prepare},
};
use crate::{
    blob, clock, crash,
    error::{CliError, Result},
};

/// The folder in which a task is done: the target, or a drill's scratch folder.
pub fn place_of(setup: &Setup, target: &Path, task: &Task) -> PathBuf {
    match task.order.action {
        OrderAction::Drill => {
            setup.scratch.as_deref().unwrap_or(target).join(format!("drill-{}", task.order.order))
        }
        OrderAction::Deploy | OrderAction::Rollback => target.to_owned(),
    }
}

/// One step on one task.
pub struct Worker<'a> {
    /// Where it is done.
    pub place: &'a Path,
    /// The target, which has the journal.
    pub target: &'a Path,
    /// What is known of the target.
    pub held: &'a mut Held,
    /// What the agent was told.
    pub setup: &'a Setup,
}

impl Worker<'_> {
    /// Changes the task and writes the journal.
    pub fn end(&mut self, change: impl FnOnce(&mut Task)) -> Result<()> {
        if let Some(task) = &mut self.held.journal.task {
            change(task);
        }
        let saved = self.held.journal.save(self.target);
        saved.map_err(|error| CliError::io("write the journal in", self.target, &error))
    }

    fn task(&self) -> Result<&Task> {
        self.held.journal.task.as_ref().ok_or_else(|| CliError::failure("no order is being carried out"))
    }

    /// Signs the step and notes that it is signed.
    pub fn report(&mut self, step: RollbackStep, reporter: &Reporter) -> Result<()> {
        let link = switch::read(self.target)
            .map_err(|error| CliError::io("read the link in", self.target, &error))?;
        reporter.step(self.task()?, step, link.version().and_then(digest_of))?;
        crash::point(signed_point(step))?;
        self.end(|task| task.reported.push(step))
    }

    /// Sees that the version stands there; gives why it has to wait, if it has to.
    pub fn prepare(
        &mut self,
        live: Option<&str>,
        portal: &dyn Portal,
        stop: &Stop,
    ) -> Result<Option<CliError>> {
        let order = &self.task()?.order;
        let wanted = Wanted { bundle: order.to, config: order.runtime_config };
        let begun = clock::monotonic_ns();
        let prepared = match fs::create_dir_all(self.place) {
            Ok(()) => prepare(self.place, wanted, live, portal, stop),
            Err(error) => Err(Stopped::Trouble(Box::new(Trouble::io("make", self.place, &error)))),
        };
        let prepare_ms = ms(clock::monotonic_ns().saturating_sub(begun));
        match prepared {
            Ok(name) => {
                crash::point("version in place")?;
                self.held.verified = Some((self.task()?.entry, name.clone()));
                self.end(|task| {
                    task.version = Some(name);
                    task.measured_bundle = Some(wanted.bundle);
                    task.measured_config = Some(wanted.config);
                    task.prepare_ms.get_or_insert(prepare_ms);
                })?;
                Ok(None)
            }
            Err(Stopped::Trouble(trouble)) => {
                self.end(|task| {
                    task.measured_bundle = trouble.bundle;
                    task.measured_config = trouble.config;
                    task.fail(trouble.failure, trouble.text);
                })?;
                Ok(None)
            }
            Err(Stopped::Later(error)) => Ok(Some(error)),
        }
    }

    /// Makes the version live.
    pub fn switch(&mut self) -> Result<()> {
        let version = self.task()?.version.clone();
        let begun = clock::monotonic_ns();
        let switched = switch::point(self.place, version.as_deref());
        crash::point("link switched")?;
        let switch_ms = ms(clock::monotonic_ns().saturating_sub(begun));
        self.end(|task| match switched {
            Ok(()) => task.switch_ms = Some(switch_ms),
            Err(error) => {
                let trouble =
                    Trouble::io("switch the link to a version in", &PathBuf::from(VERSIONS), &error);
                task.fail(trouble.failure, trouble.text);
            }
        })
    }

    /// Runs the health command; false where this agent was asked to stop meanwhile.
    pub fn check_health(&mut self, stop: &Stop) -> Result<bool> {
        let Some(command) = self.setup.health.as_deref() else {
            let text = "no health command is set: the digests were verified, the runtime was not asked";
            let outcome = Outcome { step: RollbackStep::Verified, failure: None, text: text.to_owned() };
            self.end(|task| task.outcome = Some(outcome))?;
            return Ok(true);
        };
        let order = &self.task()?.order;
        let current = self.place.join(LINK);
        let variables = [
            ("ACTA_TARGET", self.place.as_os_str().to_owned()),
            ("ACTA_BUNDLE", current.join(BUNDLE).into_os_string()),
            ("ACTA_RUNTIME_CONFIG", current.join(CONFIG).into_os_string()),
            ("ACTA_BUNDLE_DIGEST", OsString::from(order.to.to_string())),
            ("ACTA_ORDER", OsString::from(order.order.to_string())),
            ("ACTA_ACTION", OsString::from(code(&order.action))),
        ];
        let timeout = self.setup.health_timeout;
        let (result, failure, text) = match health::run(command, &variables, timeout, stop) {
            Ok(Checked { verdict: Verdict::Stopped, .. }) => return Ok(false),
            Ok(checked) => {
                let (failure, text) = judge(&checked, timeout);
                (Some(checked.result), failure, text)
            }
            Err(error) => {
                (None, Some(RollbackFailure::Unhealthy), format!("the health command did not start: {error}"))
            }
        };
        self.end(|task| {
            task.health = result;
            match failure {
                Some(failure) => task.fail(failure, text),
                None => task.outcome = Some(Outcome { step: RollbackStep::Verified, failure: None, text }),
            }
        })?;
        crash::point("health written")?;
        Ok(true)
    }

    /// Makes live what was live before, and reads it.
    pub fn go_back(&mut self) -> Result<()> {
        let previous = self.task()?.previous.clone();
        let done = switch::point(self.place, previous.as_deref());
        crash::point("link went back")?;
        let said = match (&done, &previous) {
            (Err(error), _) => format!("going back was not possible: {error}"),
            (Ok(()), None) => "nothing was live before, nothing is now".to_owned(),
            (Ok(()), Some(version)) => went_back_to(self.place, version),
        };
        self.end(|task| {
            task.undone = true;
            if let Some(outcome) = &mut task.outcome {
                outcome.text = format!("{said}; {}", outcome.text);
            }
        })
    }

    /// Removes a drill's scratch folder.
    pub fn clean_up(&mut self) -> Result<()> {
        let removed = fs::remove_dir_all(self.place);
        crash::point("scratch removed")?;
        self.end(|task| {
            task.undone = true;
            if let (Err(error), Some(outcome)) = (removed, &mut task.outcome) {
                outcome.text = format!("{}; the scratch folder stays: {error}", outcome.text);
            }
        })
    }

    /// Forgets the task; gives its last step.
    pub fn close(&mut self) -> Result<Option<RollbackStep>> {
        let task = self.held.journal.task.take();
        self.held.verified = None;
        if let Some(task) = &task {
            self.held.journal.settle(task.order.order);
        }
        self.end(|_| {})?;
        crash::point("task closed")?;
        Ok(task.and_then(|task| task.outcome).map(|outcome| outcome.step))
    }
}

/// What the health command's end means for the order.
fn judge(checked: &Checked, timeout: Duration) -> (Option<RollbackFailure>, String) {
    let said = if checked.said.is_empty() { String::new() } else { format!(": {}", checked.said) };
    match (checked.verdict, checked.result.exit_code) {
        (Verdict::Well, _) => (None, format!("the health command found it well{said}")),
        (Verdict::TimedOut | Verdict::Stopped, _) => (
            Some(RollbackFailure::HealthTimeout),
            format!("the health command did not end within {timeout:?} and was killed{said}"),
        ),
        (Verdict::Unwell, Some(exit)) => {
            (Some(RollbackFailure::Unhealthy), format!("the health command ended with {exit}{said}"))
        }
        (Verdict::Unwell, None) => {
            (Some(RollbackFailure::Unhealthy), format!("the health command was ended by a signal{said}"))
        }
    }
}

/// What is live again, as it is read now.
fn went_back_to(place: &Path, version: &str) -> String {
    let wanted = digest_of(version);
    let measured: io::Result<(Sha256Digest, u64)> =
        blob::digest_file(&place.join(VERSIONS).join(version).join(BUNDLE));
    match measured {
        Ok((digest, _)) if Some(digest) == wanted => {
            format!("went back to {}, read and found whole", digest.short())
        }
        Ok((digest, _)) => {
            format!("went back to {version}, which is DAMAGED: its bundle now has the digest sha256:{digest}")
        }
        Err(error) => format!("went back to {version}, which cannot be read: {error}"),
    }
}

/// The point after a step is signed and before the journal says so.
fn signed_point(step: RollbackStep) -> &'static str {
    match step {
        RollbackStep::Requested => "requested signed",
        RollbackStep::Acknowledged => "acknowledged signed",
        RollbackStep::Restored => "restored signed",
        RollbackStep::Verified => "verified signed",
        RollbackStep::Refused => "refused signed",
        RollbackStep::Failed => "failed signed",
    }
}
