//! The server through its router, on a fresh database in a folder of its own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod acceptance;
mod agent;
mod anchor;
mod append;
mod authorization;
mod blob;
mod body;
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
mod rebuild;
mod rebuild_record;
mod replay;
mod route;
mod search;
mod sign_in;
mod support;
mod systemd;
mod tls;
mod trace;
mod upgrade;
