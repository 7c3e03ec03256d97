//! Finding a run: among those of this agent, else in the log of a server, verified.

use std::io::Read as _;

use acta_ledger::{
    evidence::{build::BuildSummary, phase_tree::PhaseTree},
    judge::baseline::EntryRef,
    log::{digest::Sha256Digest, verification::Trust},
};
use clap::Args;
use uuid::Uuid;

use crate::{
    client::Client,
    command::advise::which,
    error::{CliError, Exit, Result},
    history::{self, MAX_TREE_BYTES},
    home::Home,
    server::ServerFacts,
    statements::{self, Logged, Origin},
    trust::{KeyFlags, Source},
    ui::Ui,
};

/// The options that say where to look.
#[derive(Debug, Args)]
pub struct LookupFlags {
    /// Looks only at this agent's own runs, and asks nobody.
    // Not with the token: one that stands in the environment is given always, and is not used then.
    #[arg(long, conflicts_with_all = ["server", "log_key"])]
    pub local: bool,

    /// Asks this server; none is the one that this agent is enrolled with.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,

    #[command(flatten)]
    keys: KeyFlags,
}

/// A server that is asked, and the keys that its log is believed by.
pub struct Remote {
    /// The server.
    pub client: Client,
    trust: Trust,
}

/// A run that is over, with everything that is known of it.
pub struct Known {
    /// Its summary.
    pub summary: BuildSummary,
    /// The entry of the summary.
    pub entry: EntryRef,
    /// Its phase tree; none where it has none or it is nowhere to be had.
    pub tree: Option<PhaseTree>,
    /// Where it was found.
    pub origin: Origin,
}

impl LookupFlags {
    /// Whether a server is named, so that what this agent knows itself does not count.
    pub fn names_server(&self) -> bool {
        self.server.is_some()
    }

    /// The server to ask; none where nobody is to be asked or there is nobody.
    pub fn client(&self, home: &Home) -> Result<Option<Client>> {
        let facts = ServerFacts::load(home)?;
        if self.local || (self.server.is_none() && facts.is_none()) {
            return Ok(None);
        }
        let (url, facts) = ServerFacts::addressed(self.server.as_deref(), facts)?;
        Ok(Some(Client::new(&url, self.keys.token(facts.as_ref()))))
    }

    /// The server to ask, with the keys that its log is believed by.
    pub fn remote(&self, home: &Home, ui: Ui) -> Result<Option<Remote>> {
        let Some(client) = self.client(home)? else { return Ok(None) };
        let facts = ServerFacts::load(home)?.filter(|facts| facts.url == client.base());
        Remote::of(client, &self.keys, facts.as_ref(), ui).map(Some)
    }
}

/// Finds a run that is over: `last`, an id, or the number that a server gave it.
pub fn find(home: &Home, name: &str, flags: &LookupFlags, ui: Ui) -> Result<Known> {
    let number = name.parse::<u64>().is_ok();
    if !flags.names_server() && !number {
        let run = which(home, name)?;
        if let Some((summary, digest)) = statements::own_summary(home, run)? {
            let entry = EntryRef { run, digest, index: statements::index_of(home, &digest)? };
            let tree = history::tree(home, &summary);
            return Ok(Known { summary, entry, tree, origin: Origin::Here });
        }
    }
    let unknown = |found: &str| {
        CliError::usage("the run is not on record").field("RUN").found(format!("{name}: {found}"))
    };
    let Some(remote) = flags.remote(home, ui)? else {
        return Err(unknown("this agent does not know it, and no server is asked")
            .expected("`last` or the id of a run of this agent")
            .help("acta runs --local lists them; --server URL asks a server"));
    };
    let name = if number { name.to_owned() } else { crate::runs::parse_run_of("RUN", name)?.to_string() };
    let index = remote.client.run_entry(&name).map_err(|error| {
        error.explain("the run cannot be looked up", remote.client.base()).exit(Exit::Failure)
    })?;
    let index = index.ok_or_else(|| unknown("the server does not know it").help("acta runs"))?;
    remote.run(index, &name)
}

impl Remote {
    /// A server whose log is believed by the keys that are given or pinned; by its own word, said so, where there are none.
    pub fn of(client: Client, keys: &KeyFlags, facts: Option<&ServerFacts>, ui: Ui) -> Result<Self> {
        let (trust, source) = keys.resolve(None, facts, &client)?;
        if source == Source::Server {
            ui.warning(&format!(
                "the keys are the word of {} itself: --log-key, --portal-key",
                client.base()
            ));
        }
        Ok(Self { client, trust })
    }

    /// The summary in an entry, verified; `run` is what the server was asked for, where that was an id.
    pub fn summary(&self, index: u64, run: Option<Uuid>) -> Result<Logged<BuildSummary>> {
        let logged = statements::verified::<BuildSummary>(&self.client, &self.trust, index)?;
        let found = logged.predicate.run.id;
        match run.filter(|asked| *asked != found) {
            None => Ok(logged),
            Some(asked) => Err(CliError::failure("the server names the entry of another run")
                .field(format!("entry {index}"))
                .found(found.to_string())
                .expected(asked.to_string())),
        }
    }

    /// The run of an entry, verified; `name` is what was asked for.
    fn run(&self, index: u64, name: &str) -> Result<Known> {
        let logged = self.summary(index, name.parse().ok())?;
        let summary = logged.predicate;
        let entry = EntryRef { run: summary.run.id, digest: logged.digest, index: Some(index) };
        let tree = self.tree(&summary)?;
        Ok(Known { summary, entry, tree, origin: Origin::Log })
    }

    /// The phase tree, if it is there; its bytes are checked against the digest that was signed.
    fn tree(&self, summary: &BuildSummary) -> Result<Option<PhaseTree>> {
        let Some(named) = summary.phase_tree.as_ref().filter(|tree| tree.bytes <= MAX_TREE_BYTES) else {
            return Ok(None);
        };
        let what = "the phase tree cannot be fetched";
        let blob = self.client.blob(&named.digest);
        let blob = blob.map_err(|error| error.explain(what, self.client.base()).exit(Exit::Failure))?;
        let Some((_, reader)) = blob else { return Ok(None) };
        let mut bytes = Vec::new();
        reader
            .take(named.bytes + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| CliError::failure(what).field(self.client.base()).found(error.to_string()))?;
        let found = Sha256Digest::of(&bytes);
        if found != named.digest {
            return Err(CliError::failure("the phase tree is not the one that was signed")
                .field(self.client.base())
                .found(format!("sha256 {found}"))
                .expected(format!("sha256 {}", named.digest)));
        }
        Ok(serde_json::from_slice(&bytes).ok())
    }
}
