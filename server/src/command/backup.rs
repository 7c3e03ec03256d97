//! `acta-server backup`

use acta_server::{
    backup::{Options, backup},
    config::DataConfig,
};
use clap::Args;

use super::progress;

const EXAMPLES: &str = "\
The database is copied as it is at one moment; then the blobs that are not in the folder yet. At the end the
copy is checked from its bytes: every leaf hash, tile and tree head, and that every blob is there. Until
then an earlier backup in the folder stays as it was.

A backup holds no anchor and, without --with-keys, no private keys. To restore: copy the folder to the new
data folder, put keys/ and the lost server's anchor beside it, run acta-server doctor there, start. A copy
that is behind the anchor is not written on.

Examples:
  acta-server --data-dir /srv/acta backup /mnt/other-disk/acta
  acta-server --data-dir /mnt/other-disk/acta doctor --deep

Exit codes: 0 done and verified, 1 failed (the message says why).";

/// Copies database and blobs into a folder while the server serves, and verifies the copy.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Backup {
    #[command(flatten)]
    options: Options,
    /// Prints what was done as JSON.
    #[arg(long)]
    json: bool,
}

impl Backup {
    /// Runs the command.
    pub async fn run(&self, data: &DataConfig) -> anyhow::Result<()> {
        let done = backup(data, &self.options, &mut progress()).await?;
        if self.json {
            println!("{}", serde_json::to_string(&done)?);
            return Ok(());
        }
        let (manifest, target) = (&done.manifest, self.options.target.display());
        println!(
            "{target}: {} entries, root {}, {} blobs; verified",
            manifest.size, manifest.root, manifest.blobs
        );
        println!("{} blobs copied, {} linked, the others were there", done.copied, done.linked);
        if done.with_keys {
            println!("the private keys are in it: whoever has it can sign as this server");
        }
        Ok(())
    }
}
