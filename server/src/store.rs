//! SQL, one file a noun.

pub mod acceptance;
pub mod account;
pub mod agent;
pub mod cache;
pub mod cancel;
pub mod history;
pub mod idempotency;
pub mod key;
pub mod ledger;
pub mod pack;
pub mod progress;
pub mod rebuild;
pub mod route;
pub mod run;
pub mod schema;
pub mod search;
pub mod session;
pub mod token;
