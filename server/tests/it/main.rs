//! The server through its router, on a fresh database in a folder of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acceptance;
mod anchor;
mod append;
mod authorization;
mod blob;
mod chain;
mod compare;
mod config;
mod confirmation;
mod doctor;
mod enrol;
mod live;
mod log;
mod logging;
mod openapi;
mod operators;
mod pack;
mod pages;
mod people;
mod process;
mod purge;
mod query_plan;
mod rebuild;
mod route;
mod runs;
mod search;
mod sign_in;
mod size;
mod support;
mod systemd;
mod tls;
mod trace;
mod upgrade;
