//! What is still missing on a route, gate by gate.
//!
//! The server's word is the log's. Without a server only this agent's own records can be held to the rules: who set up
//! the route, who decided and whether there is a way back is then not known, and it is said.

use acta_ledger::{
    evidence::{
        code,
        gate::{Gate, GateRecord, GateState},
        pin::Pins,
    },
    judge::{
        gate::{GateContext, GateReason, judge},
        route::{GateStanding, Missing},
    },
    log::digest::Sha256Digest,
};
use serde_json::json;

use super::{route_name, words};
use crate::{
    error::{Exit, Result},
    home::Home,
    route::{self, RouteAnswer},
    statements,
    ui::{Ui, visible_line},
};

const EXAMPLES: &str = "\
Exit code 0 if nothing is missing, 7 if something is.

Examples:
  acta gate plan --route tiny-qwen2
  acta gate plan --route tiny-qwen2 --json | jq '.gates[] | select(.state != \"satisfied\")'";

/// What the command takes.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The route.
    #[arg(long, value_name = "ROUTE")]
    pub route: String,

    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &Args, home: &Home, ui: Ui) -> Result<Exit> {
    let route = route_name(&args.route)?;
    match route::ask(home, &route) {
        Ok(Some(answer)) => Ok(from_log(args, &answer, ui)),
        Ok(None) => {
            ui.warning(
                "the server does not know the route, or there is none: only this agent's records are shown",
            );
            from_here(args, &route, home, ui)
        }
        Err(error) => {
            ui.warning(&format!("{error}: only this agent's records are shown"));
            from_here(args, &route, home, ui)
        }
    }
}

/// What the log says.
fn from_log(args: &Args, answer: &RouteAnswer, ui: Ui) -> Exit {
    let state = &answer.state;
    if args.json {
        let object = json!({
            "source": "log",
            "record": answer.record,
            "gates": state.gates,
            "missing": state.missing,
            "outdated": state.outdated,
            "turn": state.turn,
        });
        ui.result(&object.to_string());
    } else {
        let mut lines = vec![format!("route {}", visible_line(&answer.record.route_name))];
        for GateStanding { gate, state, reasons, .. } in &state.gates {
            lines.extend(gate_lines(*gate, *state, reasons, ui));
        }
        let other = state.missing.iter().filter(|missing| !matches!(missing, Missing::Gate { .. }));
        lines.extend(other.map(|missing| format!("missing  {}", missing_words(missing))));
        if state.missing.is_empty() {
            lines.push("nothing is missing".to_owned());
        }
        ui.result(&lines.join("\n"));
    }
    if state.missing.is_empty() { Exit::Completed } else { Exit::NotSatisfied }
}

/// What this agent signed, held to the rules.
fn from_here(args: &Args, route: &str, home: &Home, ui: Ui) -> Result<Exit> {
    let standings = own_gates(home, route)?;
    if args.json {
        let gates: Vec<_> = standings
            .iter()
            .map(|(gate, state, reasons)| json!({ "gate": gate, "state": state, "reasons": reasons }))
            .collect();
        ui.result(&json!({ "source": "agent", "route": route, "gates": gates }).to_string());
    } else {
        let mut lines = vec![format!("route {route}, by this agent's own records")];
        for (gate, state, reasons) in &standings {
            lines.extend(gate_lines(*gate, *state, reasons, ui));
        }
        lines.push("not known here: how the route is set up, decisions, canary, way back".to_owned());
        ui.result(&lines.join("\n"));
    }
    // Decisions and the way back are always missing here.
    Ok(Exit::NotSatisfied)
}

type Standing = (Gate, GateState, Vec<GateReason>);

/// The newest record of each gate, judged in order; those of gates 3 to 5 must speak of one bundle.
fn own_gates(home: &Home, route: &str) -> Result<Vec<Standing>> {
    let newest = |gate: Gate, about: Option<Sha256Digest>| {
        statements::newest_own(home, |record: &GateRecord| {
            record.route == route && record.gate == gate && about.is_none_or(|it| record.bundle == Some(it))
        })
    };
    let bundle = newest(Gate::Bundle, None)?.and_then(|record| record.bundle);
    let mut standings: Vec<Standing> = Vec::new();
    let mut open: Vec<(Gate, u64)> = Vec::new();
    for gate in Gate::ALL {
        let record = newest(gate, bundle.filter(|_| gate >= Gate::Bundle))?;
        let context = GateContext {
            runtime_target: record.as_ref().and_then(|it| it.runtime_target.as_deref()).unwrap_or_default(),
            pins: &Pins::default(),
            before_open_since: gate
                .after()
                .and_then(|before| open.iter().find(|(gate, _)| *gate == before).map(|(_, since)| *since)),
        };
        let judgement = judge(gate, record.as_ref().map(|record| (record.chain.sequence, record)), &context);
        if let Some(record) = record.filter(|_| judgement.state.is_open()) {
            open.push((gate, record.chain.sequence));
        }
        standings.push((gate, judgement.state, judgement.reasons));
    }
    Ok(standings)
}

fn gate_lines(gate: Gate, state: GateState, reasons: &[GateReason], ui: Ui) -> Vec<String> {
    let name = match gate {
        Gate::Source => "source and checkpoint",
        Gate::Build => "build environment and recipe",
        Gate::Bundle => "bundle and manifest",
        Gate::Parity => "parity",
        Gate::Release => "release, canary, rollback",
    };
    let color = if state.is_open() { 32 } else { 33 };
    let state = ui.paint(&code(&state).replace('_', " "), color);
    let mut lines = vec![format!("gate {gate}  {name}: {state}")];
    lines.extend(reasons.iter().map(|reason| format!("        {}", words(reason))));
    lines
}

/// What is missing beside the gates, in words.
fn missing_words(missing: &Missing) -> String {
    match missing {
        Missing::Gap { from, to } => format!("entries {from} to {to} were not examined"),
        Missing::Contradiction { index } => {
            format!("two entries claim index {index}, or it lies outside the log")
        }
        Missing::Definition => "the route is not set up: acta route new".to_owned(),
        Missing::Bundle => "no bundle is on record: acta gate 3".to_owned(),
        Missing::Gate { gate, state } => format!("gate {gate} is {}", code(state).replace('_', " ")),
        Missing::CanaryPlan => "a plan for the canary".to_owned(),
        Missing::CanaryFailed { index } => format!("the canary failed (entry {index})"),
        Missing::WayBack { lack } => {
            let lack = serde_json::to_value(lack).unwrap_or_default();
            let lack =
                lack.as_str().or(lack["lack"].as_str()).unwrap_or("it is not known to work").to_owned();
            format!("the way back: {}", lack.replace('_', " "))
        }
        Missing::Hold { index, .. } => format!("a hold stands (entry {index})"),
        Missing::Rejected { index } => format!("it was rejected (entry {index})"),
        Missing::Approvals { counted, needed } => format!("approvals: {counted} of {needed}"),
    }
}
