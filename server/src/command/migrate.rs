//! `acta-server migrate`

use acta_server::{config::DataConfig, startup::Ground, store::schema};
use clap::Args;
use serde_json::json;

const EXAMPLES: &str = "\
A server does this at its start; this command is for whoever wants it done before.

Examples:
  acta-server migrate
  acta-server --data-dir /srv/acta migrate --json";

/// Makes the database or brings its schema up to date.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Migrate {
    /// Prints JSON: the number of the newest migration.
    #[arg(long)]
    json: bool,
}

impl Migrate {
    /// Runs the command.
    pub async fn run(&self, data: &DataConfig) -> anyhow::Result<()> {
        let ground = Ground::open_beside(data).await?;
        if self.json {
            let applied = schema::applied(&ground.database.read).await?;
            println!("{}", json!({ "schema": applied.iter().map(|(version, _)| version).max() }));
        }
        ground.database.close().await;
        Ok(())
    }
}
