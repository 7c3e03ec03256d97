//! What every watched build does before and after it is watched: key, run, signals; then tree, signature, outbox,
//! push.

mod signed;

use std::{cell::Cell, fs, path::PathBuf};

use acta_ledger::{
    evidence::{
        build::{Outcome, Purpose, RunRef},
        cancel::NoCancelWindow,
        phase_tree::{PHASE_TREE_MEDIA_TYPE, PhaseTree, assemble::Ending},
    },
    judge::{outcome, window},
    live::{LiveBuild, LiveEnd, MAX_TEXT_BYTES, PROTOCOL, cut},
    log::{digest::Sha256Digest, statement::Statement},
};
use clap::Args;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::{
    blob::BlobStore,
    builder::{
        cancel::Cancel,
        host,
        keeper::Keeper,
        kind::KindWatch,
        process::{Intent, Launch},
        progress::Progress,
        request,
        source::{self, Inbox, Limit, Requests},
        stop::StopWatch,
        summary::{self, Context, Findings},
        supervisor::{self, Assignment, Watched},
        verdict::Judge,
    },
    chain,
    clock::{self, Epoch},
    command::push::{Pushed, push_now, runtime},
    error::{CliError, Exit, Result},
    history,
    home::Home,
    job::Job,
    journal::{Eyes, Journal, JournalNote, OnPartial},
    live::Live,
    orphans,
    runs::{self, RunNote},
    server::ServerFacts,
    ui::Ui,
    way_back,
};

pub use signed::Signed;

// No doc comment here: clap would show it as the command's own.
#[derive(Debug, Default, Args)]
pub struct AttemptArgs {
    /// The route that it is made for.
    #[arg(long, value_name = "ROUTE")]
    pub route: Option<String>,

    /// Cancels when this much time is over: 90s, 10m, 1h30m.
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<String>,

    /// Cancels at this moment, like 2026-11-30T06:00:00Z; with --timeout, whichever comes first.
    #[arg(long, value_name = "MOMENT")]
    pub deadline: Option<String>,

    /// How long the stop of a service may take, from SIGTERM to the end of everything; else systemd is asked.
    ///
    /// A builder that has not stopped shortly before is killed, and recorded as killed by policy.
    #[arg(long, value_name = "TIME")]
    pub stop_deadline: Option<String>,

    /// What the engine is for: production or trial.
    ///
    /// While no other engine for the same purpose is known and found, a cancel of a build for production waits until its
    /// engine stands.
    #[arg(long, value_name = "PURPOSE", env = "ACTA_PURPOSE", value_parser = parse_purpose)]
    pub purpose: Option<Purpose>,

    /// The run that this one repeats.
    #[arg(long, value_name = "RUN")]
    pub retry_of: Option<String>,

    /// Also writes summary, phase tree, events, snapshots and envelope into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub evidence_dir: Option<PathBuf>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: predicate, envelopeDigest and, if pushed, entryIndex.
    #[arg(long)]
    pub json: bool,
}

/// An attempt, from its begin to its entry.
pub struct Attempt<'a> {
    /// Which run and attempt.
    pub run: RunRef,
    /// Where its blobs are stored.
    pub blobs: BlobStore,
    args: &'a AttemptArgs,
    home: &'a Home,
    ui: Ui,
    facts: Option<ServerFacts>,
    began_ns: u64,
    epoch: Epoch,
    limits: Vec<Limit>,
    stop: Cell<StopWatch>,
    /// A cancel waits until the engine stands.
    holds_for_production: bool,
    /// Where the supervisor notes what it sees, and what was ordered, once there is a journal.
    eyes: Option<Eyes>,
    job: Option<Job>,
    kind: KindWatch,
    /// What the portal shows meanwhile.
    live: Cell<Live>,
    /// Who hears requests once the builder is gone.
    keeper: Cell<Option<Keeper>>,
    /// Somebody asked to stop while the evidence was written: nothing but the push is left.
    is_over: Cell<bool>,
}

/// Listens to the signals: from its begin on a signal cancels, and leaves nothing behind.
pub struct Listening {
    runtime: Runtime,
    requests: Requests,
    inbox: Inbox,
}

impl Listening {
    /// Where a cancel may be asked for, beside the signals.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }
}

impl AttemptArgs {
    /// Checks the options, and finds key, server and number of the attempt.
    pub fn begin<'a>(&'a self, id: Uuid, home: &'a Home, ui: Ui) -> Result<Attempt<'a>> {
        let (began_ns, epoch) = (clock::monotonic_ns(), Epoch::now());
        let timeout = self.timeout.as_deref().map(Limit::timeout).transpose()?;
        let deadline =
            self.deadline.as_deref().map(|text| Limit::deadline(text, clock::now())).transpose()?;
        let limits = timeout.into_iter().chain(deadline).collect();
        let stop = Cell::new(StopWatch::begin(self.stop_deadline.as_deref())?);
        home.create()?;
        chain::signing_key(home)?;
        orphans::recover(home, ui)?;
        let facts = ServerFacts::load(home)?;
        let run = self.run_ref(id, home, facts.as_ref(), ui)?;
        let blobs = BlobStore::new(home.blobs());
        Ok(Attempt {
            run,
            blobs,
            args: self,
            home,
            ui,
            facts,
            began_ns,
            epoch,
            limits,
            stop,
            holds_for_production: false,
            eyes: None,
            job: None,
            kind: KindWatch::default(),
            live: Cell::default(),
            keeper: Cell::default(),
            is_over: Cell::default(),
        })
    }

    fn run_ref(&self, id: Uuid, home: &Home, facts: Option<&ServerFacts>, ui: Ui) -> Result<RunRef> {
        let route = self.route.as_deref().map(request::parse_route).transpose()?;
        let retry_of = self.retry_of.as_deref().map(runs::parse_run).transpose()?;
        let attempt = match retry_of {
            Some(run) => runs::attempt_after(home, facts, run, ui)?,
            None => 1,
        };
        Ok(RunRef { id, route, attempt, retry_of })
    }
}

impl Listening {
    /// Begins something that goes on until the builder's end.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }
}

impl Attempt<'_> {
    /// Begins to listen to signals. What is checked before has left nothing to clean.
    pub fn listen(&self) -> Result<Listening> {
        if let Some(folder) = &self.args.evidence_dir {
            fs::create_dir_all(folder).map_err(|error| {
                CliError::io("create", folder, &error).field("--evidence-dir").exit(Exit::Usage)
            })?;
        }
        let runtime = runtime()?;
        let (requests, inbox) = source::channel();
        runtime.block_on(async { source::signals(&requests) })?;
        self.ui.notice(&format!("acta: run {}", self.run.id));
        Ok(Listening { runtime, requests, inbox })
    }

    /// Looks whether production could go back to another engine than the one that is to stand here; says so where not.
    pub fn look_for_a_way_back(&mut self, outputs: &[PathBuf]) -> Result<()> {
        let purpose = self.args.purpose;
        if purpose != Some(Purpose::Production) {
            return Ok(());
        }
        let known = way_back::look(self.home, self.run.route.as_deref(), outputs)?;
        self.holds_for_production = !window::has_way_back(purpose, &known);
        if self.holds_for_production {
            self.ui.notice(
                "acta: for production, and no other engine for it is known and found: a cancel waits until this one stands",
            );
        }
        Ok(())
    }

    /// Puts on disk what this run would leave behind, before it makes anything.
    pub fn journal(&mut self, job: Job, on_partial: OnPartial) -> Result<Journal> {
        let began = (self.epoch.at(self.began_ns), self.began_ns);
        let note = JournalNote::new(self.run.clone(), job.clone(), on_partial, self.args.purpose, began);
        let journal = Journal::begin(self.home, note)?;
        self.kind = KindWatch::new(Some(job.clone()));
        (self.eyes, self.job) = (Some(journal.eyes()), Some(job));
        Ok(journal)
    }

    /// Watches a builder to its end, and waits for what is done beside it.
    pub fn watch<T>(
        &self,
        listening: Listening,
        launch: Launch,
        progress: Progress,
        beside: impl Future<Output = Result<T>>,
    ) -> Result<(Watched, T)> {
        let Listening { runtime, requests, mut inbox } = listening;
        let mut live = self.start_live(&launch, &requests);
        let done = runtime.block_on(async {
            for limit in &self.limits {
                source::deadline(&requests, limit);
            }
            let watching = supervisor::watch(Assignment {
                run: self.run.id,
                launch,
                inbox: &mut inbox,
                blobs: &self.blobs,
                progress,
                eyes: self
                    .eyes
                    .clone()
                    .map(|eyes| (eyes, Judge::new(self.home.clone(), self.run.id, self.kind.clone()))),
                live: &mut live,
                stop: self.stop.take(),
                holds_for_production: self.holds_for_production,
            });
            let (watched, beside) = tokio::join!(watching, beside);
            Ok((watched?, beside?))
        });
        if let Ok((watched, _)) = &done {
            let asked = watched.record.cancel.is_some();
            let keeper = Keeper::start(runtime, inbox, asked, live.amender(), self.ui);
            self.keeper.set(Some(keeper));
        }
        self.live.set(live);
        done
    }

    /// Tells the server of the build while it runs; whoever keeps the evidence here tells nobody.
    fn start_live(&self, launch: &Launch, requests: &Requests) -> Live {
        let Some(facts) = self.facts.as_ref().filter(|_| !self.args.no_push) else { return Live::default() };
        let bounded = |text: &str| cut(text, MAX_TEXT_BYTES).to_owned();
        let Intent { model, settings } = launch.intent();
        let build = LiveBuild {
            protocol: PROTOCOL,
            run: self.run.id,
            route: self.run.route.clone(),
            attempt: self.run.attempt,
            retry_of: self.run.retry_of,
            model: bounded(&model),
            settings: settings.into_iter().map(|(name, value)| (name, bounded(&value))).collect(),
            started_at: self.epoch.at(self.began_ns),
        };
        Live::start(facts, build, self.began_ns, self.kind.clone(), requests.clone())
    }

    /// Ends the tree, judges, signs and stores. `cleaned_ns` is when cleaning up had ended.
    pub fn sign(
        &self,
        mut watched: Watched,
        cleaned_ns: u64,
        findings: impl FnOnce(&Watched) -> Findings,
    ) -> Result<Signed> {
        let (live, keeper) = (self.live.take(), self.keeper.take());
        live.cleaned(cleaned_ns);
        let windows = &mut watched.record.windows;
        windows.close(NoCancelWindow::Cleanup, cleaned_ns);
        windows.open(NoCancelWindow::EvidenceAtRisk, cleaned_ns);
        if let Some(keeper) = &keeper {
            keeper.turn(NoCancelWindow::EvidenceAtRisk);
        }
        watched.close(&self.blobs).map_err(|error| disk(&error))?;
        let tree = finish_tree(&watched);
        let tree_blob = match &tree {
            None => None,
            Some(tree) => {
                let bytes = serde_json::to_vec(tree).map_err(|error| disk(&error.into()))?;
                Some(self.blobs.put(&bytes, PHASE_TREE_MEDIA_TYPE).map_err(|error| disk(&error))?)
            }
        };
        let mut context = Context {
            run: self.run.clone(),
            epoch: self.epoch,
            began_ns: self.began_ns,
            cleaned_ns,
            now_ns: cleaned_ns,
            host: host::record(watched.gpu.as_ref()),
            gpu: watched.gpu.as_ref().map(|facts| facts.gpu.clone()),
            tree: tree.as_ref().zip(tree_blob.as_ref()).map(|(tree, blob)| (tree, blob.digest, blob.bytes)),
            purpose: self.args.purpose,
            command_digest: self
                .job
                .as_ref()
                .and_then(|job| job.command_digest(&std::env::current_dir().unwrap_or_default())),
            command_line: std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect(),
            who: std::env::var("USER").ok().filter(|user| !user.is_empty()),
        };
        let names: Vec<Sha256Digest> = tree_blob
            .iter()
            .map(|blob| blob.digest)
            .chain(watched.blobs.events.iter().chain(&watched.blobs.log).map(|blob| blob.digest))
            .collect();
        let mut findings = findings(&watched);
        let (mut signed, mut stopped_twice) = (None, false);
        let write = |link| {
            if let Some(request) = keeper.as_ref().and_then(Keeper::take) {
                watched.record.request(Cancel::of(&request));
                findings.outcome = outcome::asked_late(findings.outcome);
            }
            context.now_ns = clock::monotonic_ns();
            let mut summary = summary::summarize(&watched, findings.clone(), &context, link);
            stopped_twice = history::decide(self.home, &mut summary, tree.as_ref());
            let statement = Statement::new(summary::subjects(&summary), &summary).map_err(|error| {
                CliError::failure("the summary cannot be written as canonical JSON").found(error.to_string())
            })?;
            signed = Some(summary);
            Ok(statement)
        };
        let is_stale = || keeper.as_ref().is_some_and(Keeper::is_stale);
        let sealed = chain::seal_fresh(self.home, Some(self.run.id), names, write, is_stale)?;
        self.is_over.set(keeper.is_some_and(Keeper::end));
        let summary = signed.ok_or_else(|| CliError::failure("nothing was signed"))?;
        RunNote::of(&summary, sealed.digest).with_job(self.job.as_ref()).save(self.home)?;
        live.ended(LiveEnd { outcome: summary.outcome, entry: sealed.digest });
        self.live.set(live);
        let snapshots = [watched.record.at_request.take(), watched.record.at_acknowledgement.take()];
        Ok(Signed { summary, sealed, tree, snapshots, stopped_twice })
    }

    /// Tells how it ended, writes the files, pushes, prints, and says with which code the program ends.
    pub fn conclude(self, signed: &Signed) -> Result<Exit> {
        let (json, ui) = (self.args.json, self.ui);
        let (exit, object) = self.finish(signed)?;
        if json {
            ui.result(&object.to_string());
        }
        Ok(exit)
    }

    /// The same without printing: what `--json` prints comes back.
    pub fn finish(self, signed: &Signed) -> Result<(Exit, Value)> {
        let live = self.live.take();
        let Self { args, home, ui, .. } = self;
        signed.tell(ui);
        if let Some(folder) = &args.evidence_dir {
            signed.write_files(folder, &self.blobs)?;
        }
        let index = match self.facts.filter(|_| !args.no_push) {
            None => Pushed::NotAsked,
            Some(_) if self.is_over.get() => {
                ui.notice(
                    "acta: the cancel is delivered: nothing is pushed, the evidence waits for `acta push`",
                );
                Pushed::Waits
            }
            Some(facts) => push_now(home, facts, &signed.sealed, ui),
        };
        live.close();
        let mut object = json!({
            "predicate": signed.summary,
            "envelopeDigest": signed.sealed.digest,
        });
        if let Pushed::At(index) = index {
            object["entryIndex"] = json!(index);
        }
        let exit = match (signed.summary.outcome, index) {
            (Outcome::Completed | Outcome::CancelRequestedButCompleted, Pushed::Waits) => Exit::NotPushed,
            (Outcome::Completed | Outcome::CancelRequestedButCompleted, _) => Exit::Completed,
            (Outcome::Failed, _) => Exit::BuildFailed,
            (Outcome::Cancelled, _) => Exit::Cancelled,
            (Outcome::Crashed | Outcome::Killed, _) => Exit::Crashed,
        };
        Ok((exit, object))
    }
}

/// Reads what an engine is for.
pub fn parse_purpose(text: &str) -> Result<Purpose, String> {
    match text {
        "production" => Ok(Purpose::Production),
        "trial" => Ok(Purpose::Trial),
        _ => Err("expected production or trial".to_owned()),
    }
}

/// The evidence cannot be written.
pub fn disk(error: &std::io::Error) -> CliError {
    CliError::failure("the evidence cannot be written to disk").found(error.to_string())
}

/// Ends the phase tree; none if no phase ever began.
pub fn finish_tree(watched: &Watched) -> Option<PhaseTree> {
    let record = &watched.record;
    let began = record.times.build_began?;
    if record.tree.callbacks() == 0 {
        return None;
    }
    let (end, ending) = match record.times.build_returned {
        Some(returned) => (returned, Ending::Returned),
        // A command may end as it should and have said nothing of its build call's return.
        None if !watched.is_worker
            && !watched.killed
            && watched.status.is_some_and(|status| status.code().is_some()) =>
        {
            (watched.ended_ns, Ending::Returned)
        }
        None => (watched.ended_ns, Ending::Crashed),
    };
    let duration = end.saturating_sub(began);
    let counters = watched.counters.clone().until(duration);
    Some(PhaseTree { counters, ..record.tree.clone().finish(duration, ending) })
}
