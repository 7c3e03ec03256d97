//! `acta-server log-key`

use acta_ledger::judge::log_key::{LogKeyLife, LogKeys};
use acta_server::{config::DataConfig, keyring, keys::Keys, startup::Ground};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{alone, said};

const ROTATE_EXAMPLES: &str = "\
The log says so first. Then both keys sign every tree head until the tree has grown by the overlap; after
that the new one signs alone. Whoever pinned the first key goes on believing the log: each hand-over is
proved by a tree head that both signed. Keep log.pem, it names the first key; the private half of a key that
was retired is needed no more.

Example:
  acta-server log-key rotate --overlap 5000 --reason 'yearly rotation'";

/// The log's own key.
#[derive(Subcommand)]
pub enum LogKeyCommand {
    /// Makes a new key and hands the log's key on to it. Stop the server first.
    Rotate(Rotate),
    /// Lists the log's keys and the sizes that each signs. Stop the server first.
    List(List),
}

/// Hands the log's key on.
#[derive(Args)]
#[command(after_help = ROTATE_EXAMPLES)]
pub struct Rotate {
    /// For how many sizes of the tree both keys sign.
    #[arg(long, value_name = "ENTRIES", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..))]
    overlap: u64,
    /// Why; it stands in the log.
    #[arg(long)]
    reason: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// Lists the log's keys.
#[derive(Args)]
#[command(after_help = "Examples:\n  acta-server log-key list\n  acta-server log-key list --json")]
pub struct List {
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl LogKeyCommand {
    /// Runs the command.
    pub async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        match self {
            Self::Rotate(command) => command.run(data).await,
            Self::List(command) => command.run(data).await,
        }
    }
}

impl Rotate {
    /// The new key's file is on disk before the log names it; what an interrupted attempt left is used first.
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        let Self { overlap, reason, json } = self;
        let unused = alone(data, async |state| Ok(state.keys.unused(state.log.keyring().log()).is_some()));
        if !unused.await? {
            let ground = Ground::open(data).await?;
            Keys::make_next(&data.keys())?;
            ground.database.close().await;
        }
        alone(data, async |state| {
            let next = state.keys.unused(state.log.keyring().log()).context("the new key's file is gone")?;
            let entry = keyring::hand_over(state, next, overlap, reason).await.map_err(said)?;
            let keyring = state.log.keyring();
            let lives = lives(keyring.log(), entry);
            if json {
                println!("{}", json!({ "entry": entry, "keys": as_json(lives) }));
                return Ok(());
            }
            println!("handed on by entry {entry}");
            for life in lives {
                let until = life
                    .until
                    .map_or_else(|| "until the next one".to_owned(), |it| format!("below size {it}"));
                println!("{}\tsigns from size {} on, {until}", life.key, life.from);
            }
            Ok(())
        })
        .await
    }
}

/// The keys that sign sizes above one.
fn lives(keys: &LogKeys, above: u64) -> impl Iterator<Item = &LogKeyLife> {
    keys.lives().filter(move |life| life.until.is_none_or(|until| until > above))
}

fn as_json<'a>(lives: impl Iterator<Item = &'a LogKeyLife>) -> Vec<Value> {
    lives.map(|life| json!({ "key": life.key.to_string(), "from": life.from, "until": life.until })).collect()
}

impl List {
    async fn run(self, data: &DataConfig) -> anyhow::Result<()> {
        alone(data, async |state| {
            if self.json {
                println!("{}", Value::from(as_json(state.log.keyring().log().lives())));
                return Ok(());
            }
            for life in state.log.keyring().log().lives() {
                let until = life.until.map_or_else(|| "now".to_owned(), |until| until.to_string());
                println!("{}\t{}\t{until}", life.key, life.from);
            }
            Ok(())
        })
        .await
    }
}
