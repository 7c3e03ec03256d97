//! The real program with the real TensorRT-RTX: what a person or a CI job sees of it.
//!
//! Without the library these tests fail and say so: run `scripts/setup` once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod acceptance;
mod advise;
mod build;
mod bundle;
mod canary;
mod cancel;
mod clients;
mod corpus;
mod deploy;
mod fake;
mod gate;
mod ide;
mod import;
mod orphan;
mod orphan_command;
mod parity;
mod push;
mod quarantine;
mod release;
mod route;
mod run;
mod setup;
mod stop;
mod verdict;
mod window;
