//! The projections: a copy is replayed from the log, with every signature checked, and compared with what is there.

use acta_ledger::log::verification::Trust;
use anyhow::Context as _;
use sqlx::SqlitePool;

use super::{Finding, named};
use crate::{
    db::{self, Database},
    projection::{compare, rebuild::rebuild},
};

pub(super) async fn check(
    pool: &SqlitePool,
    trust: &Trust,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<Finding> {
    let scratch = tempfile::tempdir().context("cannot make a folder for the copy")?;
    let [live, replayed] = ["live.db", "replayed.db"].map(|name| scratch.path().join(name));
    // The live tables move on meanwhile: both sides come from one moment.
    db::copy_into(pool, &live).await?;
    tokio::fs::copy(&live, &replayed).await?;
    let copy = Database::open(&replayed).await?;
    let rebuilt = rebuild(&copy, trust, |done, all| progress("replay", done, all)).await;
    copy.close().await;
    let advice = "stop the server and run acta-server rebuild";
    let rebuilt = match rebuilt {
        Ok(rebuilt) => rebuilt,
        Err(error) => {
            return Ok(Finding::wrong("projections", format!("{error:#}"), "restore the newest backup"));
        }
    };
    let differing = compare::differing(&live, &replayed).await?;
    Ok(match differing.is_empty() {
        true => Finding::ok(
            "projections",
            format!("{} entries, their signatures checked, replay to the same rows", rebuilt.entries),
        ),
        false => Finding::wrong("projections", named(&differing), advice),
    })
}
