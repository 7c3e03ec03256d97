//! `acta route observe`

use std::path::PathBuf;

use acta_ledger::{
    evidence::{
        gate::FactClass,
        pin::{PinChange, PinObservation, Pins},
    },
    log::{
        digest::Sha256Digest,
        statement::{Statement, Subject},
    },
};
use clap::Args;
use serde_json::json;

use crate::{
    chain::{self, Sealed},
    clock,
    command::push::{Pushed, push_now},
    error::{CliError, Exit, Result},
    gate::{UNCHAINED, release::canary, route_name},
    home::Home,
    import::environment::{Environment, Known, Source},
    route,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Run it beside the runtime after an update. Each pinned fact that is another there than on the route is put
on record; the approvals that rested on it are outdated from then on. What the machine does not say of
itself (TensorRT, CUDA) stands in --environment. Facts that the route does not pin are left aside.

Exit codes: 0 on record, or nothing has changed; 6 on record here and not yet pushed.

Examples:
  acta route observe tiny-qwen2
  acta route observe tiny-qwen2 --environment runtime.toml --json | jq .changes";

/// Puts pinned facts on record that are others beside the runtime.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Observe {
    /// The route's name.
    #[arg(value_name = "NAME")]
    pub name: String,

    /// What this machine does not say of itself (TOML or JSON: gpu, driver, cuda, tensorrt, modelConnect).
    #[arg(long, value_name = "FILE")]
    pub environment: Option<PathBuf>,

    /// Leaves the evidence in the outbox.
    #[arg(long)]
    pub no_push: bool,

    /// Prints one JSON object: changes (pin, before, after) and whether they were pushed.
    #[arg(long)]
    pub json: bool,
}

impl Observe {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let route = route_name(&self.name)?;
        let facts = ServerFacts::require(home)?;
        let stated = self.environment.as_deref().map(Environment::read).transpose()?;
        let machine = Environment::of_this_machine();
        let mut known = Known::default();
        known.add(&machine, Source::ThisMachine)?;
        if let Some(stated) = &stated {
            known.add(stated, Source::Person)?;
        }
        let definition = route::definition(home, &route, ui).ok_or_else(|| {
            CliError::failure("what the route pins is not known")
                .field("NAME")
                .found(&route)
                .help("nothing was signed; `acta route show` says whether the server knows the route")
        })?;
        let gpu = known.get("gpu").map(str::to_owned);
        canary::check_target(&definition.runtime_target, &Environment { gpu, ..Environment::default() })?;

        let changes = changed(&definition.policy.pins, &known.pins());
        let measured = machine.pins();
        let sealed = changes
            .iter()
            .map(|change| sign(home, &route, change, measured.get(change.pin).is_some()))
            .collect::<Result<Vec<_>>>()?;
        let pushed = match sealed.last().filter(|_| !self.no_push) {
            None => Pushed::NotAsked,
            // One push takes all that wait, in order: the last one's place tells.
            Some(last) => push_now(home, facts, last, ui),
        };
        if self.json {
            let pushed = matches!(pushed, Pushed::At(_));
            ui.result(&json!({ "route": route, "changes": changes, "pushed": pushed }).to_string());
        } else if changes.is_empty() {
            ui.result("nothing that the route pins has changed");
        } else {
            let lines: Vec<String> = changes.iter().map(ToString::to_string).collect();
            ui.result(&lines.join("\n"));
        }
        Ok(if matches!(pushed, Pushed::Waits) { Exit::NotPushed } else { Exit::Completed })
    }
}

/// The pinned facts that are known and are others.
fn changed(pinned: &Pins, known: &Pins) -> Vec<PinChange> {
    let both = |change: &PinChange| change.before.is_some() && change.after.is_some();
    pinned.changes(known).into_iter().filter(both).collect()
}

/// Signs that a pin has another value now.
fn sign(home: &Home, route: &str, change: &PinChange, measured: bool) -> Result<Sealed> {
    chain::signing_key(home)?;
    let mut observation = PinObservation {
        route: route.to_owned(),
        pin: change.pin,
        value: change.after.clone().unwrap_or_default(),
        class: if measured { FactClass::Measured } else { FactClass::StatedByPerson },
        at: clock::now(),
        chain: UNCHAINED,
    };
    chain::seal(home, None, Vec::new(), |link| {
        observation.chain = link;
        let subject = Subject::new(route, Sha256Digest::of(route.as_bytes()));
        Statement::new(vec![subject], &observation).map_err(|error| {
            CliError::failure("the observation cannot be written as canonical JSON").found(error.to_string())
        })
    })
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::pin::Pin;

    use super::*;

    #[test]
    fn only_a_pinned_fact_that_is_known_can_have_changed() {
        let pins = |list: &[(Pin, &str)]| {
            Pins(list.iter().map(|(pin, value)| (*pin, (*value).to_owned())).collect())
        };
        let pinned = pins(&[(Pin::Tensorrt, "1.7"), (Pin::Driver, "580.1"), (Pin::Recipe, "a")]);
        let known = pins(&[(Pin::Tensorrt, "1.8"), (Pin::Driver, "580.1"), (Pin::Cuda, "13.0")]);
        let said: Vec<String> = changed(&pinned, &known).iter().map(ToString::to_string).collect();
        assert_eq!(said, ["tensorrt: 1.7 -> 1.8"]);
        assert!(changed(&Pins::default(), &known).is_empty());
    }
}
