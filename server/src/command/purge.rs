//! `acta-server purge`

use acta_ledger::log::digest::Sha256Digest;
use acta_server::{
    account::COMMAND_LINE,
    config::DataConfig,
    purge::{Wanted, purge},
};
use clap::Args;

use super::{alone, said};

const EXAMPLES: &str = "\
Nothing that is live, approved, held, ordered, the way back of what is served, or retained until a later day
is removed; what stays and why is said. The log says first what goes, and no entry ever goes. While the
server runs, an admin does the same: POST /api/v1/purges.

Examples:
  acta-server purge --dry-run
  acta-server purge --bundle 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 --json

Exit codes: 0 done, 1 a bundle that was named is still needed, or it failed.";

/// Removes the bytes of retained bundles that no route needs any more. Stop the server first.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Purge {
    /// Only this bundle (64 hexadecimal digits).
    #[arg(long, value_name = "DIGEST")]
    bundle: Option<Sha256Digest>,
    /// Says what would go, and changes nothing.
    #[arg(long)]
    dry_run: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Purge {
    /// Runs the command.
    pub async fn run(&self, data: &DataConfig) -> anyhow::Result<()> {
        let wanted = Wanted { bundle: self.bundle, by: COMMAND_LINE, dry_run: self.dry_run };
        let done = alone(data, async |state| purge(state, wanted).await.map_err(said)).await?;
        if self.json {
            println!("{}", serde_json::to_string(&done)?);
            return Ok(());
        }
        let verb = if self.dry_run { "would go" } else { "purged" };
        for it in &done.purged {
            let entry = it.entry.map_or_else(String::new, |entry| format!(", entry {entry}"));
            println!("{verb}\tsha256:{}\t{}\t{} bytes{entry}", it.bundle, it.route, it.bytes);
        }
        for it in &done.kept {
            let because: Vec<String> =
                it.because.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
            println!("kept\tsha256:{}\t{}\t{}", it.bundle, it.route, because.join(" "));
        }
        if done.purged.is_empty() {
            println!("nothing {verb}");
        }
        Ok(())
    }
}
