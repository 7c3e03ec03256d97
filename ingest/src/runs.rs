//! What became of each run: enough to number a retry without asking anybody.

use std::path::{Path, PathBuf};

use acta_ledger::{evidence::build::BuildSummary, log::digest::Sha256Digest};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    client::Client,
    durable,
    error::{CliError, Result},
    home::Home,
    job::Job,
    outbox,
    server::ServerFacts,
    ui::Ui,
};

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunNote {
    /// The run.
    pub run: Uuid,
    /// Its route.
    pub route: Option<String>,
    /// Which attempt.
    pub attempt: u32,
    /// The entry that tells about it.
    pub digest: Sha256Digest,
    /// What was ordered; checked against what is signed before it is used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Ordered>,
}

/// What was ordered, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ordered {
    /// The folder that relative paths start from.
    pub cwd: PathBuf,
    /// What.
    #[serde(flatten)]
    pub job: Job,
}

impl RunNote {
    /// The note of a run whose evidence is signed.
    pub fn of(summary: &BuildSummary, digest: Sha256Digest) -> Self {
        let run = &summary.run;
        Self { run: run.id, route: run.route.clone(), attempt: run.attempt, digest, order: None }
    }

    /// The note with what was ordered.
    pub fn with_job(mut self, job: Option<&Job>) -> Self {
        let cwd = std::env::current_dir().ok();
        self.order = job.cloned().zip(cwd).map(|(job, cwd)| Ordered { cwd, job });
        self
    }

    /// The note with what was ordered by another process, elsewhere.
    pub fn with_job_in(mut self, job: &Job, cwd: &Path) -> Self {
        self.order = Some(Ordered { cwd: cwd.to_owned(), job: job.clone() });
        self
    }

    /// Whether there is a note of the run.
    pub fn exists(home: &Home, run: Uuid) -> bool {
        path(home, run).exists()
    }

    /// The note of a run; none if this agent has none.
    pub fn load(home: &Home, run: Uuid) -> Result<Option<Self>> {
        if Self::exists(home, run) { outbox::read_json(&path(home, run)).map(Some) } else { Ok(None) }
    }

    /// Keeps the note.
    pub fn save(&self, home: &Home) -> Result<()> {
        let path = path(home, self.run);
        durable::write(&path, &outbox::to_json(self)?, 0o600)
            .map_err(|error| CliError::io("write", &path, &error))
    }
}

fn path(home: &Home, run: Uuid) -> PathBuf {
    home.runs().join(format!("{run}.json"))
}

/// Reads the id of a run that is tried again.
pub fn parse_run(text: &str) -> Result<Uuid> {
    parse_run_of("--retry-of", text)
}

/// Reads a run's id.
pub fn parse_run_of(field: &str, text: &str) -> Result<Uuid> {
    text.parse().map_err(|_| {
        CliError::usage("this is no run's id")
            .field(field)
            .found(text)
            .expected("the id that `acta build` printed, like 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f")
    })
}

/// Which attempt a retry of that run is: by this agent's own notes, else by the server's word.
pub fn attempt_after(home: &Home, facts: Option<&ServerFacts>, run: Uuid, ui: Ui) -> Result<u32> {
    let path = path(home, run);
    if path.exists() {
        let note: RunNote = outbox::read_json(&path)?;
        return Ok(note.attempt.saturating_add(1));
    }
    let asked = facts.map(|facts| Client::new(&facts.url, Some(&facts.api_token)).attempt_of(run));
    match asked {
        Some(Ok(Some(attempt))) => Ok(attempt.saturating_add(1)),
        Some(Ok(None)) => {
            ui.warning(&format!(
                "neither this agent nor the server knows the run {run}: counted as attempt 2"
            ));
            Ok(2)
        }
        Some(Err(error)) => {
            ui.warning(&format!("this agent does not know the run {run}, and {error}: counted as attempt 2"));
            Ok(2)
        }
        None => {
            ui.warning(&format!("this agent does not know the run {run}: counted as attempt 2"));
            Ok(2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::Color;

    #[test]
    fn a_retry_is_numbered_by_the_notes() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::locate(Some(folder.path().to_owned())).unwrap();
        home.create().unwrap();
        let run = Uuid::now_v7();
        let note = RunNote { run, route: None, attempt: 3, digest: Sha256Digest::of(b""), order: None };
        note.save(&home).unwrap();
        let ui = Ui::new(true, Color::Never);
        assert_eq!(attempt_after(&home, None, run, ui).unwrap(), 4);
        assert_eq!(attempt_after(&home, None, Uuid::now_v7(), ui).unwrap(), 2);
        assert_eq!(parse_run(&run.to_string()).unwrap(), run);
        assert!(parse_run("last").unwrap_err().to_string().contains("--retry-of"));
    }
}
