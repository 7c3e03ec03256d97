//! `acta-server doctor`: whether a data folder is well, checked without changing anything, beside a server that runs or on
//! a copy that was restored.
//!
//! Each check says `ok`, or what is wrong and what to do. Everything rests on the bytes: leaf hashes are computed again
//! from the entries, tree heads and tiles from the leaf hashes, and what must be in the blob store from what the entries
//! say.

mod blob;
mod database;
mod folder;
mod log;
mod projection;

use std::fmt;

use acta_ledger::log::verification::Trust;
use serde::Serialize;

pub(crate) use self::blob::digest_of;
pub use self::log::{LogFacts, walk};
use crate::{anchor::Unopened, backup, config::DataConfig, db, keys::Keys};

/// What a check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// All is well.
    Ok,
    /// Nothing is wrong, and one should know it.
    Note,
    /// Something is wrong.
    Wrong,
}

/// A line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// What was checked.
    pub check: &'static str,
    /// What came out.
    pub health: Health,
    /// In words, with what was found and what was expected.
    pub detail: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
}

impl Finding {
    /// All is well.
    pub fn ok(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, health: Health::Ok, detail: detail.into(), advice: None }
    }

    /// Nothing is wrong.
    pub fn note(check: &'static str, detail: impl Into<String>) -> Self {
        Self { check, health: Health::Note, detail: detail.into(), advice: None }
    }

    /// Something is wrong, and this is to be done.
    pub fn wrong(check: &'static str, detail: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { check, health: Health::Wrong, detail: detail.into(), advice: Some(advice.into()) }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let health = match self.health {
            Health::Ok => "ok",
            Health::Note => "note",
            Health::Wrong => "WRONG",
        };
        write!(f, "{health:<6} {:<12} {}", self.check, self.detail)?;
        match &self.advice {
            Some(advice) => write!(f, "\n{:20}{advice}", ""),
            None => Ok(()),
        }
    }
}

/// How thoroughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Depth {
    /// Also every page of the database, the digest of every blob, every signature, and the projections against a replay.
    pub deep: bool,
}

/// Findings about one thing are named up to this number; then they are counted.
const NAMED: usize = 10;

/// Checks the folder. What one check needs and another found missing is not checked, and the other says so.
pub async fn examine(
    data: &DataConfig,
    depth: Depth,
    progress: &mut dyn FnMut(&str, u64, u64),
) -> anyhow::Result<Vec<Finding>> {
    let mut findings = folder::check(data)?;
    let trust = trust(data, &mut findings);
    let path = data.database();
    if !path.is_file() {
        findings.push(Finding::wrong(
            "database",
            format!("there is no database {}", path.display()),
            "name the right folder with --data-dir, or restore a backup into it",
        ));
        return Ok(findings);
    }
    let pool = match db::open_to_read(&path).await {
        Ok(pool) => pool,
        Err(error) => {
            findings.push(Finding::wrong(
                "database",
                format!("the database cannot be read: {error:#}"),
                "restore the newest backup; the anchor says whether entries are lost",
            ));
            return Ok(findings);
        }
    };
    findings.extend(database::check(&pool, depth).await?);
    let schema_is =
        |health: Health| findings.iter().any(|finding| finding.check == "schema" && finding.health == health);
    let is_earlier = schema_is(Health::Note);
    if schema_is(Health::Wrong) {
        pool.close().await;
        return Ok(findings);
    }
    // Before the log is read: beside a server that takes entries, an anchor that is read later may be ahead of what was seen.
    let unopened = Unopened::take(&data.anchor());
    let sizes = unopened.as_ref().ok().and_then(Option::as_ref).map(Unopened::sizes).unwrap_or_default();
    let (facts, found) = log::check(&pool, trust.as_ref(), &sizes, progress).await?;
    findings.extend(found);
    if let Some(keyring) = &facts.keyring {
        findings.push(log::check_anchor(data, unopened, keyring, &facts));
    }
    findings.extend(blob::check(data, &facts, depth, progress).await?);
    if let (true, Some(trust)) = (depth.deep, &trust) {
        findings.push(match is_earlier {
            true => Finding::note(
                "projections",
                "not compared: they are an earlier version's, and the next start makes them anew from the log",
            ),
            false => projection::check(&pool, trust, progress).await?,
        });
    }
    findings.push(folder::check_space(data)?);
    pool.close().await;
    Ok(findings)
}

/// The keys to check by: the folder's own, or of a copy without keys what the backup wrote down.
fn trust(data: &DataConfig, findings: &mut Vec<Finding>) -> Option<Trust> {
    if Keys::are_in(&data.keys()) {
        return match Keys::read(&data.keys(), &data.origin) {
            Ok(keys) => {
                findings.push(Finding::ok("keys", "both keys are there, readable by their owner alone"));
                Some(keys.trust())
            }
            Err(error) => {
                findings.push(Finding::wrong(
                    "keys",
                    format!("{error:#}"),
                    "the server does not start with such keys; put the right ones there with mode 0600",
                ));
                None
            }
        };
    }
    match backup::Manifest::read(&data.data_dir) {
        Ok(Some(manifest)) => match manifest.trust() {
            Ok(trust) => {
                let said = "no private keys: a backup's copy, checked by the public keys that it names; to serve from it, \
                            put the folder keys/ beside it";
                findings.push(Finding::note("keys", said));
                Some(trust)
            }
            Err(error) => {
                findings.push(Finding::wrong("keys", format!("{error:#}"), "take another backup"));
                None
            }
        },
        Ok(None) => {
            let said = format!("there are no keys in {}", data.keys().display());
            findings.push(Finding::wrong("keys", said, "restore the folder keys/ from where it is kept"));
            None
        }
        Err(error) => {
            findings.push(Finding::wrong("keys", format!("{error:#}"), "take another backup"));
            None
        }
    }
}

/// Names the first of many and counts the rest.
fn named(all: &[String]) -> String {
    let more = all.len().saturating_sub(NAMED);
    let mut text = all.iter().take(NAMED).cloned().collect::<Vec<_>>().join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    text
}
