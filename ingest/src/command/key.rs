//! `acta key`

use acta_ledger::log::key::PublicKey;
use clap::{Args, Subcommand};
use serde_json::json;

use super::push::tell;
use crate::{
    client::Client,
    error::{CliError, Exit, Result},
    home::Home,
    key, push, rotation,
    server::ServerFacts,
    ui::Ui,
};

const EXAMPLES: &str = "\
A rotation is signed by the old key and by the new one, and stands in the log: what the old key signed
before it stays valid, what comes after it must be signed by the new one. Statements that wait are pushed
first. If the server's answer is lost, the rotation is under way: what is signed meanwhile is signed by the
new key, and the next `acta push` or `acta key rotate` completes it. A key that was lost or stolen is
revoked by an admin, and the agent enrolled anew.

Examples:
  acta key show
  acta key rotate
  acta key rotate --json

Exit code 0 when the new key is this agent's, 6 if the server could not be asked or refused.";

/// Shows the agent's key, or replaces it by a new one.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum KeyCommand {
    /// Shows the key, and whether a rotation is under way.
    #[command(after_help = EXAMPLES)]
    Show(Show),
    /// Replaces the key by a new one, on record in the log.
    #[command(after_help = EXAMPLES)]
    Rotate(Rotate),
}

/// Shows.
#[derive(Debug, Args)]
pub struct Show {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Rotates.
#[derive(Debug, Args)]
pub struct Rotate {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl KeyCommand {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        match self {
            Self::Show(command) => command.run(home, ui),
            Self::Rotate(command) => command.run(home, ui),
        }
    }

    /// Whether it prints one JSON object.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Show(command) => command.json,
            Self::Rotate(command) => command.json,
        }
    }
}

impl Show {
    fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let public = PublicKey::of(&key::load(home)?);
        let next = rotation::pending(home)?.map(|pending| PublicKey::of(&pending.signing));
        let next = next.filter(|next| *next != public);
        let facts = ServerFacts::load(home)?;
        let retired =
            rotation::own_keys(home)?.into_iter().filter(|own| *own != public && Some(*own) != next);
        let retired: Vec<PublicKey> = retired.collect();
        if self.json {
            let object = json!({
                "keyId": public.id(),
                "publicKey": public,
                "keyFile": home.key().display().to_string(),
                "agent": facts.as_ref().map(|facts| &facts.agent),
                "server": facts.as_ref().map(|facts| &facts.url),
                "rotatingTo": next.map(|next| next.id()),
                "retired": retired.iter().map(PublicKey::id).collect::<Vec<_>>(),
            });
            ui.result(&object.to_string());
            return Ok(Exit::Completed);
        }
        ui.result(&format!("key id      {}\npublic key  {}", public.id(), public.to_base64()));
        ui.result(&format!("kept in     {}", home.key().display()));
        if let Some(facts) = facts {
            ui.result(&format!("agent       {} at {}", facts.agent, facts.url));
        }
        for key in retired {
            ui.result(&format!("retired     {}", key.id()));
        }
        if let Some(next) = next {
            ui.result(&format!("rotating    to {}", next.id()));
            ui.notice("a rotation is under way: `acta push` or `acta key rotate` completes it");
        }
        Ok(Exit::Completed)
    }
}

impl Rotate {
    fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        let facts = ServerFacts::require(home)?;
        let before = PublicKey::of(&key::load(home)?);
        // Also completes a rotation that was under way: then that was the one.
        let drained = push::drain(home, &facts)?;
        tell(&drained, ui);
        if let Some(error) = drained.stopped {
            return Err(error.exit(Exit::NotPushed));
        }
        let receipt = match drained.rotated {
            Some(receipt) => receipt,
            None => {
                let _lock = home.lock_push()?;
                rotation::begin(home, &facts)?;
                let client = Client::new(&facts.url, Some(&facts.api_token));
                rotation::complete(home, &client, &facts)?
                    .ok_or_else(|| CliError::failure("the rotation was completed by another process"))?
            }
        };
        let now = PublicKey::of(&key::load(home)?);
        if self.json {
            let object = json!({ "entryIndex": receipt.index, "keyId": now.id(), "previous": before.id() });
            ui.result(&object.to_string());
        } else {
            ui.result(&format!(
                "entry       {}\nnew key     {}\nreplaces    {}",
                receipt.index,
                now.id(),
                before.id()
            ));
        }
        Ok(Exit::Completed)
    }
}
