//! Points at which the tests let the program "die", to see that the next run heals what is left.

/// Does nothing in the program; in a test that asked for it, fails at this point.
#[cfg(not(test))]
pub fn point(_name: &'static str) -> crate::error::Result<()> {
    Ok(())
}

#[cfg(test)]
pub use testing::{at, point};

#[cfg(test)]
mod testing {
    use std::cell::Cell;

    use crate::error::{CliError, Result};

    thread_local! {
        static AT: Cell<Option<&'static str>> = const { Cell::new(None) };
    }

    /// Lets this thread fail at the point while the body runs.
    pub fn at<T>(name: &'static str, body: impl FnOnce() -> T) -> T {
        AT.set(Some(name));
        let answer = body();
        AT.set(None);
        answer
    }

    /// Fails if the test asked for it.
    pub fn point(name: &'static str) -> Result<()> {
        if AT.get() == Some(name) {
            Err(CliError::failure(format!("the test ended the program at {name}")))
        } else {
            Ok(())
        }
    }
}
