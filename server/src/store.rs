//! SQL, one file a noun.

pub mod account;
pub mod agent;
pub mod ledger;
pub mod run;
pub mod session;
pub mod token;
