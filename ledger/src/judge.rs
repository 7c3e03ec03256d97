//! The judgements: pure functions with a table of cases beside each. No other room decides anything.

pub mod outcome;
