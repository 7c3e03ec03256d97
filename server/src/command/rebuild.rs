//! `acta-server rebuild`

use acta_server::{config::DataConfig, projection::rebuild::rebuild, startup::Ground};
use anyhow::Context as _;
use clap::Args;
use serde_json::json;

use super::progress;

const EXAMPLES: &str = "\
Fails, naming the entry, if its bytes, leaf hash, signature or the signed root do not fit. Nothing is
changed then.

Examples:
  acta-server rebuild
  acta-server --data-dir /srv/acta rebuild --json";

/// Checks every entry and replays the log into the projections. Stop the server first.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Rebuild {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Rebuild {
    /// Runs the command.
    pub async fn run(&self, data: &DataConfig) -> anyhow::Result<()> {
        let ground = Ground::open(data).await?;
        let mut shown = progress();
        let rebuilt =
            rebuild(&ground.database, &ground.keys.trust(), |done, all| shown("entries", done, all))
                .await
                .context("nothing was rebuilt")?;
        if self.json {
            println!("{}", json!({ "entries": rebuilt.entries, "root": rebuilt.root }));
        } else {
            println!("{} entries checked and replayed, root {}", rebuilt.entries, rebuilt.root);
        }
        ground.database.close().await;
        Ok(())
    }
}
