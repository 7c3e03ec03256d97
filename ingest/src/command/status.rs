//! `acta status`

use acta_ledger::log::key::PublicKey;
use clap::Args;
use serde_json::json;

use super::enrol::public_facts;
use crate::{
    chain,
    error::{Exit, Result},
    home::Home,
    journal::{self, Found},
    key, orphans,
    outbox::{Outbox, Shelf},
    pins,
    quarantine::Quarantine,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
Asks nobody: it shows what this agent knows. A run that lost its supervisor is cleaned up and signed as
crashed.

Examples:
  acta status
  acta status --json | jq .waiting";

/// Shows the agent, its server and its outbox.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Status {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Status {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let root = home.root().display().to_string();
        if !home.root().exists() {
            if self.json {
                ui.result(&json!({ "home": root, "key": null, "server": null }).to_string());
            } else {
                ui.result(&format!("home        {root} (not there yet)"));
                ui.notice("next: acta init");
            }
            return Ok(Exit::Completed);
        }
        home.create()?;
        let public = if key::exists(home) { Some(PublicKey::of(&key::load(home)?)) } else { None };
        let recovered = match &public {
            Some(_) => orphans::recover(home, ui)?,
            None => Vec::new(),
        };
        let running: Vec<_> = journal::look(home)?
            .into_iter()
            .filter_map(|found| match found {
                Found::Running(running) => Some(running.0.run.id),
                _ => None,
            })
            .collect();
        let quarantined = Quarantine::new(home).list()?.len();
        let facts = ServerFacts::load(home)?;
        let outbox = Outbox::new(home);
        let count = |shelf| outbox.names(shelf).map(|names| names.len());
        let (waiting, sent, refused) = (count(Shelf::Waiting)?, count(Shelf::Sent)?, count(Shelf::Refused)?);
        let head = chain::head(home)?;
        let tree_head = match &facts {
            Some(facts) => {
                let note = std::fs::read_to_string(home.tree_head()).ok();
                let trust = facts.trust()?;
                note.and_then(|note| pins::open_known(home, &trust, &note).ok())
            }
            None => None,
        };
        if self.json {
            let object = json!({
                "home": root,
                "key": public.map(|public| json!({ "keyId": public.id(), "publicKey": public })),
                "server": facts.as_ref().map(public_facts),
                "chain": head,
                "waiting": waiting,
                "sent": sent,
                "refused": refused,
                "running": running,
                "recovered": recovered,
                "quarantined": quarantined,
                "treeHead": tree_head.map(|head| json!({ "size": head.size, "root": head.root })),
            });
            ui.result(&object.to_string());
            return Ok(Exit::Completed);
        }
        let key = public.map_or_else(|| "none (run acta init)".to_owned(), |key| key.id().to_string());
        let server = facts.as_ref().map_or_else(
            || "none (run acta enrol)".to_owned(),
            |facts| format!("{} as {}", facts.url, facts.agent),
        );
        let chain = head.map_or_else(
            || "nothing signed yet".to_owned(),
            |head| format!("statement {}, entry {}", head.sequence, head.digest.short()),
        );
        let tree = tree_head.map_or_else(
            || "none seen yet".to_owned(),
            |head| format!("{} entries, root {}", head.size, head.root.short()),
        );
        ui.result(&format!(
            "home        {root}\nkey id      {key}\nserver      {server}\nchain       {chain}\n\
             outbox      {waiting} waiting, {sent} sent, {refused} refused\ntree head   {tree}"
        ));
        for run in running {
            ui.result(&format!("running     {run}"));
        }
        if quarantined > 0 {
            ui.result(&format!("quarantine  {quarantined} set apart (acta quarantine list)"));
        }
        if let Some(facts) = facts {
            ui.result(&format!(
                "log key     {}\nportal key  {}",
                facts.log_key,
                facts.portal_key.to_base64()
            ));
        }
        Ok(Exit::Completed)
    }
}
