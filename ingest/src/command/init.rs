//! `acta init`

use clap::Args;
use serde_json::json;

use crate::{
    error::{Exit, Result},
    home::Home,
    key,
    ui::Ui,
};

const EXAMPLES: &str = "\
The key is Ed25519 in PKCS#8 PEM, mode 0600; a wider mode is refused wherever the key is read. It is made
once: the agent's statements form one chain under it.

Examples:
  acta init
  acta --home /var/lib/acta init";

/// Makes the agent's key.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Init {
    /// Prints one JSON object.
    #[arg(long)]
    pub json: bool,
}

impl Init {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        let public = key::create(home)?;
        if self.json {
            let path = home.key().display().to_string();
            ui.result(&json!({ "keyId": public.id(), "publicKey": public, "keyFile": path }).to_string());
        } else {
            ui.result(&format!(
                "key id      {}\npublic key  {}\nkept in     {}",
                public.id(),
                public.to_base64(),
                home.key().display()
            ));
            ui.notice(
                "next: ask an administrator for a token and run `acta enrol`, or build without a server",
            );
        }
        Ok(Exit::Completed)
    }
}
