//! `acta-server doctor`

use std::process::ExitCode;

use acta_server::{
    config::DataConfig,
    doctor::{Depth, Health, examine},
};
use clap::Args;

use super::progress;

const EXAMPLES: &str = "\
Checks modes, keys, SQLite's pages, schema, every entry's leaf hash, tree heads, tiles, anchor, blobs and
free space. Each line says ok, or what is wrong and what to do.

Examples:
  acta-server doctor
  acta-server --data-dir /restored doctor --deep --json

Exit codes: 0 all is well, 1 something is wrong.";

/// Checks the folder without changing anything: beside a running server, or a restored copy.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Doctor {
    /// Also checks indexes, the digest of every blob and every signature, and replays the log to compare the
    /// projections (in a temporary copy, which needs as much space as the database).
    #[arg(long)]
    deep: bool,
    /// Prints the findings as JSON.
    #[arg(long)]
    json: bool,
}

impl Doctor {
    /// Runs the command.
    pub async fn run(&self, data: &DataConfig) -> anyhow::Result<ExitCode> {
        let findings = examine(data, Depth { deep: self.deep }, &mut progress()).await?;
        if self.json {
            println!("{}", serde_json::to_string(&findings)?);
        } else {
            findings.iter().for_each(|finding| println!("{finding}"));
        }
        let wrong = findings.iter().any(|finding| finding.health == Health::Wrong);
        Ok(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
