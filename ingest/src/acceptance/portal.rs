//! The portal as a program asks it to stop a build: with a person's token that is good for this alone.

use std::{path::Path, thread, time::Duration};

use uuid::Uuid;

use super::show::Show;
use crate::{
    client::Client,
    error::{CliError, Result},
    key::{SecretError, read_secret},
    server::ServerFacts,
};

/// The option that names the token's file.
const FIELD: &str = "--cancel-token";

/// What `acta build` says first.
const RUN: &str = "acta: run ";

/// A build that has just begun is known to the portal a moment later.
const TRIES: u32 = 20;

/// How long it is waited between two tries.
const WAIT: Duration = Duration::from_millis(10);

/// A portal that can be asked.
pub struct Portal(Client);

impl Portal {
    /// Reads the token. Without one, or without an answer of the server, builds are stopped from this process, and the
    /// view says so; the evidence of a cancel that came over the portal names its request.
    pub fn find(token: Option<&Path>, facts: Option<&ServerFacts>, show: &Show) -> Result<Option<Self>> {
        let Some(path) = token else { return Ok(None) };
        let facts = facts.ok_or_else(|| {
            CliError::usage("a token is named, and this agent is not enrolled with a server")
                .field(FIELD)
                .help("acta enrol --server URL --token TOKEN, or leave the option out")
        })?;
        let text = match read_secret(path) {
            Ok(text) => text,
            Err(SecretError::Missing) => {
                return Err(CliError::usage("there is no such file")
                    .field(FIELD)
                    .found(path.display().to_string())
                    .expected("a file with a reviewer's token of the scope cancel"));
            }
            Err(SecretError::Other(error)) => return Err(error),
        };
        let client = Client::new(&facts.url, Some(text.trim()));
        match client.keys() {
            Ok(_) => Ok(Some(Self(client))),
            Err(error) => {
                show.say(&format!("acta: {error}: programmatic_cancel is asked in this process"));
                Ok(None)
            }
        }
    }

    /// Asks for the build that said this of itself to stop; false if it was over before.
    pub fn stop(&self, said: &str) -> Result<bool> {
        let run = run_of(said)
            .ok_or_else(|| CliError::failure("the build did not say its run's id").found(said.to_owned()))?;
        for _ in 1..TRIES {
            match self.0.cancel(run, "acceptance test: a program asks over the portal") {
                Ok(()) => return Ok(true),
                Err(error) if error.status() == Some(409) => return Ok(false),
                Err(error) if error.status() == Some(404) => thread::sleep(WAIT),
                Err(error) if matches!(error.status(), Some(401 | 403)) => {
                    return Err(CliError::usage("the portal takes no request to stop with this token")
                        .field(FIELD)
                        .found(error.to_string())
                        .expected(
                            "a token of a reviewer or an approver, of the scope cancel, that is valid",
                        ));
                }
                Err(error) => return Err(error.explain("the request to stop", self.0.base())),
            }
        }
        Err(CliError::failure("the portal does not know of the build")
            .found(run.to_string())
            .help("the agent tells it over a WebSocket: does the proxy before the server let it through?"))
    }
}

/// The run's id, out of what the build said.
fn run_of(said: &str) -> Option<Uuid> {
    said.lines().find_map(|line| line.strip_prefix(RUN)?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_found_among_what_was_said() {
        let run = Uuid::now_v7();
        let said = format!("acta: 0.0 s starting\nacta: run {run}\nacta: building: a\n");
        assert_eq!(run_of(&said), Some(run));
        assert_eq!(run_of("acta: run away\n"), None);
    }
}
