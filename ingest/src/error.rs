//! The program's errors: what is wrong, which field, what was found, what was expected, what to do, and the exit code.

use std::{fmt, io, ops::Deref, path::Path};

use serde_json::{Value, json};

/// How the program ends; the numbers are documented in `--help` and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// What was asked for is done.
    Completed = 0,
    /// Something failed that no other number stands for.
    Failure = 1,
    /// The command line or its inputs are wrong; nothing was built, nothing was signed.
    Usage = 2,
    /// The build failed; the evidence says why.
    BuildFailed = 3,
    /// The build was cancelled, as asked.
    Cancelled = 4,
    /// The worker process crashed, or had to be killed.
    Crashed = 5,
    /// The evidence is stored and waits: the server did not take it yet.
    NotPushed = 6,
    /// The evidence is signed, and what it was to show does not hold.
    NotSatisfied = 7,
    /// The evidence is signed, and says that nothing can be compared.
    NotComparable = 8,
}

impl Exit {
    /// The log signed two histories. Who checks logs knows the number 2 for it, which is that of a wrong command line
    /// as well; then nothing was printed to stdout.
    pub const FORKED: Self = Self::Usage;
}

/// An error as a person reads it; see [`Details`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliError(Box<Details>);

/// What an error holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// The exit code.
    pub exit: Exit,
    /// What is wrong.
    pub what: String,
    /// The option, file or field that it is about.
    pub field: Option<String>,
    /// What was found there.
    pub found: Option<String>,
    /// What is expected there.
    pub expected: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

/// What every fallible function of the program returns.
pub type Result<T, E = CliError> = std::result::Result<T, E>;

impl CliError {
    fn new(exit: Exit, what: impl Into<String>) -> Self {
        let what = what.into();
        Self(Box::new(Details { exit, what, field: None, found: None, expected: None, help: None }))
    }

    /// The command line or its inputs are wrong.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    /// Anything else is wrong.
    pub fn failure(what: impl Into<String>) -> Self {
        Self::new(Exit::Failure, what)
    }

    /// A file operation failed.
    pub fn io(action: &str, path: &Path, error: &io::Error) -> Self {
        Self::failure(format!("cannot {action} {}", path.display())).found(error.to_string())
    }

    /// Says with which code the program ends.
    pub fn exit(mut self, exit: Exit) -> Self {
        self.0.exit = exit;
        self
    }

    /// Names the option, file or field.
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.0.field = Some(field.into());
        self
    }

    /// Says what was found.
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.0.found = Some(found.into());
        self
    }

    /// Says what is expected.
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.0.expected = Some(expected.into());
        self
    }

    /// Says what to do.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    /// The error as the one object that `--json` prints.
    pub fn to_json(&self) -> Value {
        json!({ "error": {
            "what": self.what,
            "field": self.field,
            "found": self.found,
            "expected": self.expected,
            "help": self.help,
            "exitCode": self.exit as u8,
        }})
    }
}

impl Deref for CliError {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        for (label, text) in [
            ("field", &self.field),
            ("found", &self.found),
            ("expected", &self.expected),
            ("what to do", &self.help),
        ] {
            if let Some(text) = text {
                write!(f, "\n  {label}: {}", text.trim_end().replace('\n', "\n    "))?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for CliError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_everything_that_a_person_needs() {
        let error = CliError::usage("the profile is not one")
            .field("--profile")
            .found("x:1")
            .expected("NAME:MIN:OPT:MAX")
            .help("write --profile x:1:2:4");
        assert_eq!(
            error.to_string(),
            "the profile is not one\n  field: --profile\n  found: x:1\n  expected: NAME:MIN:OPT:MAX\n  \
             what to do: write --profile x:1:2:4"
        );
        assert_eq!(error.to_json()["error"]["exitCode"], 2);
    }
}
