//! `acta deploy-agent`

use std::{path::PathBuf, time::Duration};

use clap::Args;

use crate::{
    builder::request::parse_duration,
    deploy::{
        agent::{self, Setup},
        portal::Server,
        report::Reporter,
        stop::Stop,
    },
    error::{CliError, Exit, Result},
    gate::route_name,
    home::Home,
    import::environment::{Environment, Known, Source},
    outbox::{Outbox, Shelf},
    route,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Asks the server for the route's orders (deploy, rollback, drill), each verified as an entry of the log that
the portal signed. It fetches the retained bundle and its runtime configuration into versions/<digest>/,
verifies both, switches the one link `current`, runs the health command, and goes back if that fails. Every
step is signed and pushed; the server is not needed once both are fetched. A drill does the same in a
scratch folder and never touches `current`. Killed at any moment, the next start finishes what was begun or
undoes it. `current` must be this agent's alone.

The health command is run by /bin/sh with ACTA_TARGET, ACTA_BUNDLE, ACTA_RUNTIME_CONFIG, ACTA_BUNDLE_DIGEST,
ACTA_ORDER and ACTA_ACTION in its environment; it says 0 for well. What does not end in time is killed with
its process group.

With --once: 0 all orders ended with a verified bundle (or there was none), 1 one was refused or failed, 6
something waits for the server.

Examples:
  acta deploy-agent --route tiny-qwen2 --target /srv/model \\
      --runtime-target native_cpp_task_api_on_nvidia_h200 \\
    --health 'curl -fsS http://127.0.0.1:8000/health' --health-timeout 30s
  acta deploy-agent --route tiny-qwen2 --target /srv/model \\
      --runtime-target native_cpp_task_api_on_nvidia_h200 --once";

/// Takes a route's orders beside the runtime.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DeployAgent {
    /// The route.
    #[arg(long, value_name = "ROUTE")]
    pub route: String,

    /// The folder that the runtime serves from.
    #[arg(long, value_name = "DIR")]
    pub target: PathBuf,

    /// Where this is, as the route names it: <interface>_on_<gpu>.
    #[arg(long, value_name = "NAME")]
    pub runtime_target: String,

    /// The command that says whether the runtime is well.
    #[arg(long, value_name = "CMD")]
    pub health: Option<String>,

    /// How long the command may take.
    #[arg(long, value_name = "DURATION", default_value = "60s")]
    pub health_timeout: String,

    /// How often the server is asked.
    #[arg(long, value_name = "DURATION", default_value = "5s")]
    pub poll: String,

    /// The folder in which drills are made; none is the target. Each has a folder of its own there, which goes away.
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,

    /// What this machine does not say of itself (TOML or JSON: gpu, driver, cuda, tensorrt).
    #[arg(long, value_name = "FILE")]
    pub environment: Option<PathBuf>,

    /// Does what there is to do now, and ends.
    #[arg(long)]
    pub once: bool,
}

impl DeployAgent {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let route = route_name(&self.route)?;
        let health_timeout = duration("--health-timeout", &self.health_timeout)?;
        let poll = duration("--poll", &self.poll)?;
        if self.health.as_deref().is_some_and(|command| command.trim().is_empty()) {
            return Err(CliError::usage("the health command is empty").field("--health"));
        }
        let facts = ServerFacts::require(home)?;
        let mut machine = Known::default();
        machine.add(&Environment::of_this_machine(), Source::ThisMachine)?;
        if let Some(path) = &self.environment {
            machine.add(&Environment::read(path)?, Source::Person)?;
        }
        if let Some(definition) = route::definition(home, &route, ui)
            && definition.runtime_target != self.runtime_target
        {
            return Err(CliError::usage("the route is for another runtime target")
                .field("--runtime-target")
                .found(&self.runtime_target)
                .expected(definition.runtime_target));
        }
        if self.health.is_none() {
            ui.warning("no --health command: a drill without one does not count as a tested way back");
        }
        let absolute =
            |path: &PathBuf| std::path::absolute(path).map_err(|error| CliError::io("resolve", path, &error));
        let setup = Setup {
            route,
            target: absolute(&self.target)?,
            scratch: self.scratch.as_ref().map(absolute).transpose()?,
            health: self.health.clone(),
            health_timeout,
        };
        let stop = Stop::on_signals()?;
        let reporter = Reporter::new(home, self.runtime_target.clone(), machine.pins(), ui)?;
        let reporter = reporter.push_to(facts.clone());
        let mut agent = agent::DeployAgent::new(setup, Server::new(facts), reporter, stop.clone(), ui);
        if self.once {
            let round = agent.round();
            agent.finish();
            let round = round?;
            if let Some(error) = &round.waits {
                ui.warning(&error.to_string());
            }
            let waits = round.waits.is_some() || !Outbox::new(home).names(Shelf::Waiting)?.is_empty();
            return Ok(match (waits, round.failed) {
                (true, _) => Exit::NotPushed,
                (false, 0) => Exit::Completed,
                (false, _) => Exit::Failure,
            });
        }
        serve(&mut agent, poll, &stop, ui)
    }
}

/// Asks again and again, until somebody asks it to stop. What goes on being wrong is said once.
fn serve(agent: &mut agent::DeployAgent<Server>, poll: Duration, stop: &Stop, ui: Ui) -> Result<Exit> {
    let mut told = None;
    let mut begun = false;
    while !stop.asked() {
        let wrong = match agent.round() {
            Ok(round) => round.waits.map(|error| error.to_string()),
            // Whoever starts it should see at once that it cannot begin.
            Err(error) if !begun => return Err(error),
            Err(error) => Some(error.to_string()),
        };
        begun = true;
        if wrong != told
            && let Some(wrong) = &wrong
        {
            ui.warning(wrong);
        }
        told = wrong;
        stop.sleep(poll);
    }
    Ok(Exit::Completed)
}

fn duration(field: &str, text: &str) -> Result<Duration> {
    parse_duration(text).map_err(|error| error.field(field))
}
