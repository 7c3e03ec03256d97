//! A moment of fuzzing from fixed seeds; `make fuzz` takes longer and is led by coverage.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod bundle;
mod target;
