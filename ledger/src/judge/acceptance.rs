//! The verdicts of the Stuck-Build Acceptance Test, from what a scenario's runs left on record.
//!
//! Everything comes from the evidence itself: the signed summaries, and the bytes of the blobs that they name. A run that
//! the scenario made and whose evidence is not at hand makes every verdict `not_run`: leaving something out never turns
//! "no" or "unknown" into "yes".

mod cleanup;
mod fault;
mod replay;
mod retry;

use uuid::Uuid;

use crate::{
    evidence::{
        acceptance::{
            Criterion, CriterionRecord, FolderListing, MAX_SENTENCE_BYTES, Role, Scenario, ScenarioRun,
            Verdict,
        },
        build::{BuildSummary, BuilderKind, Outcome},
        code,
        phase_tree::PhaseTree,
    },
    log::digest::Sha256Digest,
};

/// What is at hand of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct AttemptEvidence {
    /// The signed summary.
    pub summary: BuildSummary,
    /// The bytes of its phase tree.
    pub tree: Option<Vec<u8>>,
    /// The bytes of its event log.
    pub events: Option<Vec<u8>>,
    /// The bytes of the folder listing.
    pub listing: Vec<u8>,
}

/// What is known of a scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScenarioFacts {
    /// Every run that it made, in order.
    pub runs: Vec<ScenarioRun>,
    /// The evidence that is at hand, in any order.
    pub evidence: Vec<AttemptEvidence>,
}

/// A run whose evidence was read and is what it is said to be.
struct Attempt<'a> {
    role: Role,
    summary: &'a BuildSummary,
    tree: Option<(PhaseTree, &'a [u8])>,
    listing: FolderListing,
}

impl Attempt<'_> {
    fn id(&self) -> Uuid {
        self.summary.run.id
    }

    /// A run's name in a sentence: the end of its id, in which ids of one minute differ.
    fn name(&self) -> String {
        let id = self.id().simple().to_string();
        format!("run …{}", &id[24..])
    }

    fn is_cancelled(&self) -> bool {
        self.summary.outcome == Outcome::Cancelled
    }
}

/// A verdict with its reason.
struct Finding {
    verdict: Verdict,
    reason: &'static str,
    sentence: String,
    evidence: Vec<Uuid>,
}

impl Finding {
    fn new(verdict: Verdict, reason: &'static str, sentence: impl Into<String>) -> Self {
        Self { verdict, reason, sentence: sentence.into(), evidence: Vec::new() }
    }

    fn pass(reason: &'static str, sentence: impl Into<String>) -> Self {
        Self::new(Verdict::Pass, reason, sentence)
    }

    fn fail(reason: &'static str, sentence: impl Into<String>) -> Self {
        Self::new(Verdict::Fail, reason, sentence)
    }

    fn not_run(reason: &'static str, sentence: impl Into<String>) -> Self {
        Self::new(Verdict::NotRun, reason, sentence)
    }

    fn on<'a>(mut self, attempts: impl IntoIterator<Item = &'a Attempt<'a>>) -> Self {
        self.evidence = attempts.into_iter().map(Attempt::id).collect();
        self
    }
}

/// Judges the eight criteria.
pub fn judge(scenario: Scenario, facts: &ScenarioFacts) -> Vec<CriterionRecord> {
    let read = read(facts);
    let record = |criterion, finding: Finding| {
        let mut sentence = finding.sentence;
        let mut end = sentence.len().min(MAX_SENTENCE_BYTES);
        while !sentence.is_char_boundary(end) {
            end -= 1;
        }
        sentence.truncate(end);
        let place = |id: &Uuid| u8::try_from(facts.runs.iter().position(|run| run.run == *id)?).ok();
        let evidence = finding.evidence.iter().filter_map(place).collect();
        let (verdict, reason) = (finding.verdict, finding.reason.to_owned());
        CriterionRecord { criterion, verdict, reason, sentence, evidence }
    };
    let one = |criterion| match &read {
        Err((reason, sentence)) => Finding::not_run(reason, sentence.clone()),
        Ok(attempts) => Judge { scenario, attempts }.criterion(criterion),
    };
    Criterion::ALL.into_iter().map(|criterion| record(criterion, one(criterion))).collect()
}

/// Reads the evidence of every run; one that is missing, or that is not what it is said to be, leaves nothing to judge.
fn read(facts: &ScenarioFacts) -> Result<Vec<Attempt<'_>>, (&'static str, String)> {
    let mut attempts: Vec<Attempt<'_>> = Vec::with_capacity(facts.runs.len());
    for run in &facts.runs {
        let missing = |what: &str| ("evidence_missing", format!("{what} of run {} is not at hand", run.run));
        let found = facts.evidence.iter().find(|evidence| evidence.summary.run.id == run.run);
        let found = found.ok_or_else(|| missing("the summary"))?;
        let summary = &found.summary;
        if summary.outcome != run.outcome {
            return Err(missing("a summary with that outcome"));
        }
        if matches!(summary.builder, BuilderKind::Simulated | BuilderKind::External) {
            let builder = code(&summary.builder);
            return Err(("not_a_library", format!("run {} was built by: {builder}", run.run)));
        }
        if Sha256Digest::of(&found.listing) != run.listing {
            return Err(missing("the folder listing"));
        }
        let listing: FolderListing =
            serde_json::from_slice(&found.listing).map_err(|_| missing("a readable folder listing"))?;
        if listing.run != run.run {
            return Err(missing("the folder listing"));
        }
        let tree = match (&summary.phase_tree, &summary.events) {
            (None, _) => None,
            (Some(tree), events) => {
                let bytes = found.tree.as_deref().filter(|bytes| Sha256Digest::of(bytes) == tree.digest);
                let bytes = bytes.ok_or_else(|| missing("the phase tree"))?;
                let tree = serde_json::from_slice(bytes).map_err(|_| missing("a readable phase tree"))?;
                let named = events.as_ref().map(|events| events.digest);
                let events = found.events.as_deref().filter(|bytes| Some(Sha256Digest::of(bytes)) == named);
                Some((tree, events.ok_or_else(|| missing("the event log"))?))
            }
        };
        attempts.push(Attempt { role: run.role, summary, tree, listing });
    }
    Ok(attempts)
}

struct Judge<'a> {
    scenario: Scenario,
    attempts: &'a [Attempt<'a>],
}

impl<'a> Judge<'a> {
    fn criterion(&self, criterion: Criterion) -> Finding {
        if self.attempts.is_empty() {
            return Finding::not_run("no_run", "the scenario made no run");
        }
        // Whether the configuration builds at all is asked first; the rest only where the fault is on record.
        if criterion != Criterion::Baseline
            && let Some(missing) = fault::missing(self.scenario, self)
        {
            return Finding::not_run("fault_not_shown", missing);
        }
        match criterion {
            Criterion::Baseline => self.baseline(),
            Criterion::Observable => self.observable(),
            Criterion::Interruptible => self.interruptible(),
            Criterion::Measured => self.measured(),
            Criterion::Cleaned => cleanup::files(self),
            Criterion::CacheSafe => cleanup::caches(self),
            Criterion::Retryable => retry::retryable(self),
            Criterion::Separated => retry::separated(self),
        }
    }

    fn all(&self, role: Role) -> impl Iterator<Item = &'a Attempt<'a>> {
        self.attempts.iter().filter(move |attempt| attempt.role == role)
    }

    fn one(&self, role: Role) -> Option<&'a Attempt<'a>> {
        self.all(role).last()
    }

    /// The last attempt that was cancelled: the one that is retried.
    fn cancelled(&self) -> Option<&'a Attempt<'a>> {
        self.all(Role::Faulted).filter(|attempt| attempt.is_cancelled()).last()
    }

    fn baseline(&self) -> Finding {
        let Some(baseline) = self.one(Role::Baseline) else {
            return Finding::not_run("no_baseline", "no uncancelled build of this configuration was made");
        };
        let summary = baseline.summary;
        if summary.outcome != Outcome::Completed || summary.cancel.is_some() {
            let outcome = code(&summary.outcome);
            let why = summary.failure.as_ref().map_or_else(String::new, |it| format!(": {}", it.message));
            return Finding::fail("not_completed", format!("the baseline ended as {outcome}{why}"))
                .on([baseline]);
        }
        if let Some(fact) = missing_fact(summary) {
            return Finding::fail("fact_missing", format!("the baseline does not record {fact}"))
                .on([baseline]);
        }
        let other = |it: &&Attempt<'_>| it.summary.build_config_hash != summary.build_config_hash;
        if let Some(other) = self.all(Role::Faulted).find(other) {
            let sentence = format!("{} has another buildConfigHash than the baseline", other.name());
            return Finding::fail("other_configuration", sentence).on([baseline, other]);
        }
        let sentence = format!("completed in {:.0} ms, with every baseline fact", summary.duration_ms.total);
        Finding::pass("on_record", sentence).on([baseline])
    }

    fn observable(&self) -> Finding {
        for attempt in self.attempts {
            let Some((tree, events)) = &attempt.tree else {
                if stopped_before_the_call(attempt) {
                    continue;
                }
                return Finding::fail("no_tree", format!("{} has no phase tree", attempt.name()))
                    .on([attempt]);
            };
            if let Err((reason, what)) = replay::check(attempt.id(), tree, events) {
                return Finding::fail(reason, format!("{}: {what}", attempt.name())).on([attempt]);
            }
        }
        let observed = |attempt: &&Attempt<'_>| attempt.tree.is_some();
        let cancelled = self.all(Role::Faulted).filter(observed).count();
        if cancelled == 0 || self.all(Role::Baseline).filter(observed).count() == 0 {
            return Finding::not_run(
                "nothing_observed",
                "no build call of a baseline and of a cancelled build",
            );
        }
        let trees = self.attempts.iter().filter_map(|attempt| attempt.tree.as_ref());
        let (n, phases) = trees.fold((0, 0), |(n, phases), (tree, _)| (n + 1, phases + tree.phases.len()));
        let sentence = format!("{n} trees, {phases} phases: rebuilt from their event logs, none lost");
        Finding::pass("rebuilt", sentence).on(self.attempts)
    }

    fn interruptible(&self) -> Finding {
        let wanted = self.scenario.required_source();
        let Some(first) = self.all(Role::Faulted).next() else {
            return Finding::not_run("no_cancel", "no build was asked to stop");
        };
        let foreign = self.all(Role::Faulted).find(|it| it.summary.cancel_source != wanted);
        if let Some(attempt) = foreign {
            let (found, wanted) = (code(&attempt.summary.cancel_source), code(&wanted));
            let sentence = format!("{} was stopped by {found}, not by {wanted}", attempt.name());
            return Finding::fail("other_source", sentence).on([attempt]);
        }
        let answered = |attempt: &&Attempt<'_>| {
            let stopped =
                |(tree, _): &(PhaseTree, &[u8])| tree.phases.iter().any(|phase| phase.answered_stop);
            let cancel = attempt.summary.cancel.as_ref();
            attempt.is_cancelled()
                && cancel.is_some_and(|cancel| cancel.source == wanted && cancel.acknowledged_at.is_some())
                && attempt.tree.as_ref().is_some_and(stopped)
        };
        match self.all(Role::Faulted).filter(answered).last() {
            Some(attempt) => {
                let cancel = attempt.summary.cancel.as_ref();
                let portal = cancel.is_some_and(|cancel| cancel.request.is_some());
                let way = if portal { " over the portal" } else { "" };
                let sentence = format!("{} reached the builder{way}, and a step answered it", code(&wanted));
                Finding::pass("answered", sentence).on([attempt])
            }
            None => {
                let n = self.all(Role::Faulted).count();
                let sentence =
                    format!("{} was asked {n} times, and no step answered with a stop", code(&wanted));
                Finding::fail("never_answered", sentence).on([first])
            }
        }
    }

    fn measured(&self) -> Finding {
        let (mut measured, mut censored) = (Vec::new(), 0);
        for attempt in self.all(Role::Faulted) {
            let fail = |reason, what: &str| {
                Finding::fail(reason, format!("{}: {what}", attempt.name())).on([attempt])
            };
            let Some(cancel) = &attempt.summary.cancel else {
                return fail("no_cancel_record", "no cancel is on record");
            };
            match (cancel.request_to_ack_ms, cancel.ack_to_cleanup_ms, cancel.censored_after_ms) {
                (Some(ack), Some(cleanup), None) if ack >= 0.0 && cleanup >= 0.0 => {
                    if attempt.summary.cancel_latency_ms != Some(ack) {
                        return fail("latency_differs", "cancelLatencyMs is not what the cancel record says");
                    }
                    measured.push((ack, cleanup));
                }
                (None, None, Some(after)) if after > 0.0 => censored += 1,
                _ => return fail("not_measured", "neither measured nor counted as censored"),
            }
        }
        let faulted = || self.all(Role::Faulted);
        match (measured.last(), censored) {
            (None, 0) => Finding::not_run("no_cancel", "no build was asked to stop"),
            (None, n) => {
                Finding::not_run("only_censored", format!("{n} cancels, all of them censored")).on(faulted())
            }
            (Some((ack, cleanup)), censored) => {
                let n = measured.len();
                let sentence = format!(
                    "request to acknowledgement {ack:.1} ms, to cleanup {cleanup:.1} ms more; {n} measured, \
                     {censored} censored"
                );
                Finding::pass("measured", sentence).on(faulted())
            }
        }
    }
}

/// The request was obeyed before the build call began.
fn stopped_before_the_call(attempt: &Attempt<'_>) -> bool {
    let before = attempt.summary.cancel.as_ref().is_some_and(|it| it.requested_offset_ns.is_none());
    attempt.is_cancelled() && before
}

/// The first fact that a baseline has to record and this one does not.
fn missing_fact(summary: &BuildSummary) -> Option<&'static str> {
    let library = summary.library.as_ref();
    let tree = summary.phase_tree.as_ref();
    [
        ("tensorrtVersion", library.is_some_and(|it| it.version.to_string() == summary.tensorrt_version)),
        ("gpuSku", !summary.gpu_sku.is_empty()),
        ("host", !summary.host.os.is_empty() && !summary.host.kernel.is_empty() && summary.host.cpus > 0),
        ("network.layers", summary.network.layers.is_some()),
        ("network.inputs", !summary.network.inputs.is_empty() && !summary.network.outputs.is_empty()),
        ("commandLine", !summary.command_line.is_empty()),
        ("durationMs.build", summary.duration_ms.build.is_some_and(|ms| ms > 0.0)),
        ("durationMs.serialize", summary.duration_ms.serialize.is_some()),
        ("phaseTree", tree.is_some_and(|it| it.phases > 0 && it.longest_silence_ms > 0.0)),
        ("events", summary.events.is_some()),
        ("log", summary.log.is_some()),
        ("resources", summary.resources.peak_rss_bytes.is_some() && summary.resources.cpu_ms.is_some()),
        ("artifacts", summary.plan().is_some_and(|plan| plan.bytes > 0 && plan.digest.is_some())),
        ("timingCache.reasons", !summary.timing_cache.reasons.is_empty()),
    ]
    .into_iter()
    .find_map(|(fact, there)| (!there).then_some(fact))
}

#[cfg(test)]
mod tests;
