//! `acta audit`

use std::path::PathBuf;

use acta_ledger::{
    judge::{
        audit::{Finding, Verdict, tree::RootVerdict},
        log_key::LogKeys,
    },
    log::verification::{Trust, log_keys},
};
use clap::Args;

use crate::{
    audit::{
        heads::{Compared, Signed, Tiles, compare},
        pipeline::Spread,
        report::{Report, Screen},
        run::{Ended, run},
        source::Source,
        state::{Progress, Running, State, StateFile},
    },
    client::Client,
    error::{CliError, Exit, Result},
    home::Home,
    server::ServerFacts,
    trust::{KeyFlags, Source as KeySource},
    ui::Ui,
};

const EXAMPLES: &str = "\
Nothing that the log shows is believed. Read are its tree head, its tiles and its bundles of entries, by the
endpoints that every tiled log has, and the blobs that they name; no account is needed where everybody may
read.

Without --deep, what came since the last audit is checked: that the log only grew, and every new entry (leaf
hash, statement, signature by a key valid at that index, chain). With --deep every entry, tile and blob is
checked again, and what the server says of each route is compared with what its entries come to; it goes on
where it was if it was stopped. --state is what makes an audit strong: it remembers the keys, the tree heads
and how far everything is checked. Without it every audit begins at the first entry, and a log that was
rewritten as a whole cannot be told from a sound one.

Findings: truncated, forked, wrong root, damaged leaf, damaged tile, missing tile, bad signature, key not
valid, missing blob, damaged blob, chain gap, chain fork, other log, other record; each names its index,
digest or route.

Exit code 0 if all is well, 1 if something was found or the audit could not be finished, 2 if the log signed
two tree heads that cannot both be (both are printed, and kept beside the state); a wrong command line is 2
as well, as everywhere.

Examples:
  acta audit --server https://acta.example --state acta.audit.json
  acta audit --server https://acta.example --state acta.audit.json --deep
  acta audit --server https://acta.example --tree-head seen-by-a-colleague.note --json";

/// Audits a log: that it only grows, and that everything in it is what was signed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Audit {
    /// The server's address; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    /// What is remembered between audits; made at the first one.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// Checks every entry, tile and blob again, not only what is new.
    #[arg(long)]
    pub deep: bool,

    /// A tree head of this log that somebody else was shown, to be compared; may be given several times.
    #[arg(long, value_name = "FILE")]
    pub tree_head: Vec<PathBuf>,

    /// How many tiles are worked on at once; none is two for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,

    #[command(flatten)]
    keys: KeyFlags,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Audit {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let facts = if home.server().exists() { ServerFacts::load(home)? } else { None };
        let (url, facts) = ServerFacts::addressed(self.server.as_deref(), facts)?;
        let client = Client::new(&url, self.keys.token(facts.as_ref()));
        let file = self.state.as_deref().map(StateFile::open).transpose()?;
        let state = file.as_ref().map(StateFile::load).transpose()?.flatten();
        let pinned = state.as_ref().map(|state| (state.log_key.as_str(), state.portal_key));
        let (trust, keys) = self.keys.resolve(pinned, facts.as_ref(), &client)?;
        let state = state.unwrap_or_else(|| State::new(trust.log.to_string(), trust.portal));
        let source = Source::new(client);
        let checked = state.checked.as_ref().map(|progress| progress.log_keys().clone());
        let log = checked.unwrap_or_else(|| LogKeys::new(trust.log.clone()));
        let (shown, log) = believe(&source, &trust, log, &url)?;
        let mut session = Session { source, trust, log, file, state, shown, deep: self.deep };
        let report = session.audit(&self.others(&session.log)?, self.spread(), Screen::new(ui))?;
        report.show(keys, self.json, ui);
        if keys == KeySource::Server {
            ui.warning(
                "the keys are the server's own word: this proves that the log agrees with itself, not whose log it \
                 is.\n  what to do: give --log-key and --portal-key from another source; --state pins them",
            );
        }
        Ok(match report.verdict() {
            Verdict::Clean => Exit::Completed,
            Verdict::Findings => Exit::Failure,
            Verdict::Forked => Exit::FORKED,
        })
    }

    fn spread(&self) -> Spread {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        // Half of them may wait for the server, and all cores are busy.
        let workers = self.jobs.map_or_else(|| 2 * cores(), usize::from);
        Spread { workers, window: 2 * workers as u64 }
    }

    /// The tree heads that others were shown.
    fn others(&self, log: &LogKeys) -> Result<Vec<Signed>> {
        let one = |path: &PathBuf| {
            let note = std::fs::read_to_string(path);
            let note = note
                .map_err(|error| CliError::io("read", path, &error).field("--tree-head").exit(Exit::Usage))?;
            open(note, log, &path.display().to_string())
        };
        self.tree_head.iter().map(one).collect()
    }
}

/// An audit with everything that it needs.
struct Session {
    source: Source,
    trust: Trust,
    /// The log's keys, as far as its hand-overs are known.
    log: LogKeys,
    file: Option<StateFile>,
    state: State,
    shown: Signed,
    deep: bool,
}

impl Session {
    fn audit(&mut self, others: &[Signed], spread: Spread, mut screen: Screen) -> Result<Report> {
        let compared = self.compare(others)?;
        if let Some((earlier, later)) = &compared.fork {
            let kept = self.keep_evidence([earlier, later])?;
            return Ok(Report::forked(&self.shown.head, compared.findings, kept));
        }
        compared.findings.iter().for_each(|finding| screen.say(finding));
        let running = self.begin();
        screen.start(running.progress.size, self.shown.head.size);
        let (file, state) = (&self.file, &self.state);
        let mut watcher = screen.watching(|running: &Running| match file {
            Some(file) => file.save(&state.on_the_way(running)),
            None => Ok(()),
        });
        let mut ended = run(&self.source, &self.shown.head, running, spread, &mut watcher)?;
        if compared.unproven && ended.root == RootVerdict::Proven {
            self.name_old_tiles(&mut ended, &screen)?;
        }
        ended.running.findings.splice(0..0, compared.findings);
        self.remember(&ended)?;
        Ok(Report::ended(&self.shown.head, ended, screen))
    }

    /// Compares the tree head that is shown with the largest remembered one that it may go on from, with those of
    /// others, and with the largest of all: what was compared before agrees with those.
    fn compare(&self, others: &[Signed]) -> Result<Compared> {
        let size = self.shown.head.size;
        let open = |(_, note): (&u64, &String)| open(note.clone(), &self.log, "--state");
        let before = self.state.tree_heads.range(..=size).next_back().map(open).transpose()?;
        let largest =
            self.state.tree_heads.range(size.saturating_add(1)..).next_back().map(open).transpose()?;
        let all: Vec<&Signed> = before.iter().chain(&largest).chain(others).collect();
        compare(&mut Tiles::new(&self.source, size), &self.shown, all)
    }

    /// Where this audit begins: an interrupted one of its kind, what is checked already, or the first entry.
    fn begin(&mut self) -> Running {
        let (deep, size) = (self.deep, self.shown.head.size);
        let fits = |progress: &Progress| progress.size <= size;
        let interrupted = self.state.running.take().filter(|it| it.deep == deep && fits(&it.progress));
        interrupted.unwrap_or_else(|| {
            let checked = self.state.checked.clone().filter(|progress| !deep && fits(progress));
            let progress = checked.unwrap_or_else(|| Progress::start(&self.trust));
            Running::begin(deep, progress)
        })
    }

    /// The new entries lead to the signed root although the old tiles do not: then those are what is wrong.
    fn name_old_tiles(&self, ended: &mut Ended, screen: &Screen) -> Result<()> {
        let known = self.state.checked.as_ref().filter(|_| !self.deep).and_then(Progress::frontier);
        if let Some(known) = known {
            let named = Tiles::new(&self.source, self.shown.head.size).against(&known)?;
            named.iter().for_each(|finding| screen.say(finding));
            ended.running.findings.extend(named);
        }
        Ok(())
    }

    /// Remembers the tree head, and how far everything is checked. After findings the next audit begins where this one
    /// did, so that damage is reported until it is gone; a gap alone is remembered with the chains.
    fn remember(&mut self, ended: &Ended) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        self.state.remember(self.shown.head.size, &self.shown.note);
        let only_gaps = ended.running.findings.iter().all(|it| matches!(it, Finding::ChainGap { .. }));
        if only_gaps && ended.root == RootVerdict::Proven {
            self.state.checked = Some(ended.running.progress.clone());
        }
        self.state.running = None;
        file.save(&self.state)
    }

    fn keep_evidence(&self, fork: [&Signed; 2]) -> Result<Vec<PathBuf>> {
        let Some(file) = &self.file else { return Ok(Vec::new()) };
        let keep = |signed: &&Signed| file.keep_evidence(signed.head.size, &signed.head.root, &signed.note);
        fork.iter().map(keep).collect()
    }
}

/// The tree head that the log shows. One that the known keys did not sign may be by a later key: then the log is asked how
/// its key was handed on, and what it answers counts only as far as each hand-over is proved from the trusted key on.
fn believe(source: &Source, trust: &Trust, log: LogKeys, url: &str) -> Result<(Signed, LogKeys)> {
    let note = source.tree_head()?;
    let unknown = match open(note.clone(), &log, url) {
        Ok(shown) => return Ok((shown, log)),
        Err(error) => error,
    };
    let Ok(hand_overs) = source.hand_overs() else { return Err(unknown) };
    let Ok(log) = log_keys(trust, &hand_overs) else { return Err(unknown) };
    Ok((open(note, &log, url)?, log))
}

fn open(note: String, log: &LogKeys, from: &str) -> Result<Signed> {
    let head = log.open(&note).map_err(|error| {
        CliError::failure("the tree head cannot be believed")
            .field(from)
            .found(error.to_string())
            .expected(format!("a note that is signed by {}", log.newest().key))
    })?;
    Ok(Signed { head, note })
}
