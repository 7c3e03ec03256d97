//! What clients said of themselves and of their build, as far as no event or moment holds it.

use acta_ledger::evidence::{artifact::ArtifactKind, build::Language};
use serde::{Deserialize, Serialize};

use crate::builder::protocol::{ConfigFacts, LogSeverity};

/// How many files clients may name.
const MAX_ARTIFACTS: usize = 256;

/// What was said. The first word on each counts; a command may hold several clients.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Told {
    /// How many clients said hello.
    pub clients: u64,
    /// The surface that the first of them calls.
    pub language: Option<Language>,
    /// Its name and version.
    pub client: Option<String>,
    /// How its builder is set up.
    pub config: Option<ConfigFacts>,
    /// Files that it says it made.
    pub artifacts: Vec<(String, Option<ArtifactKind>)>,
    /// The library's own word that it stopped because a step answered "stop".
    pub library_says_cancelled: Option<String>,
    /// The first error of the library that says something else.
    pub library_error: Option<String>,
    /// A cancel was obeyed where no build call ran.
    pub stopped_outside_build: bool,
}

impl Told {
    /// Notes a client.
    pub fn hello(&mut self, language: Option<Language>, client: Option<String>) {
        self.clients += 1;
        self.language = self.language.or(language);
        self.client = self.client.take().or(client);
    }

    /// Notes a file.
    pub fn artifact(&mut self, path: String, kind: Option<ArtifactKind>) {
        if self.artifacts.len() < MAX_ARTIFACTS {
            self.artifacts.push((path, kind));
        }
    }

    /// Looks into a log line of the library.
    pub fn line(&mut self, severity: LogSeverity, message: &str) {
        if severity > LogSeverity::Error {
            return;
        }
        let said = if message.contains("BuildCanceled") {
            &mut self.library_says_cancelled
        } else {
            &mut self.library_error
        };
        said.get_or_insert_with(|| message.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_counts_and_files_are_bounded() {
        let mut told = Told::default();
        told.hello(None, None);
        told.hello(Some(Language::Python), Some("one".to_owned()));
        told.hello(Some(Language::Cpp), Some("two".to_owned()));
        assert_eq!(
            (told.clients, told.language, told.client.as_deref()),
            (3, Some(Language::Python), Some("one"))
        );
        for n in 0..10_000 {
            told.artifact(format!("{n}"), None);
        }
        assert_eq!(told.artifacts.len(), MAX_ARTIFACTS);
    }

    #[test]
    fn the_librarys_word_on_a_cancel_is_told_from_other_errors() {
        let mut told = Told::default();
        told.line(LogSeverity::Warning, "BuildCanceled is only mentioned");
        assert_eq!(told.library_says_cancelled, None);
        told.line(LogSeverity::Error, "Error Code 7: BuildCanceled (Build canceled by user)");
        told.line(LogSeverity::InternalError, "Error Code 1: Myelin");
        assert!(told.library_says_cancelled.unwrap().contains("by user"));
        assert_eq!(told.library_error.unwrap(), "Error Code 1: Myelin");
    }
}
