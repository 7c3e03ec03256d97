//! `acta-server`: the log, its projections, the API and the portal.
//!
//! Start at [`http::router`] for what can be asked, at [`log`] for what is promised, at [`auth::policy`] for who may do
//! what.

pub mod account;
pub mod activity;
pub mod advice;
pub mod anchor;
pub mod assets;
pub mod auth;
pub mod backup;
pub mod blob;
pub mod chart;
pub mod clock;
pub mod compare;
pub mod config;
pub mod db;
pub mod doctor;
pub mod error;
pub mod health;
pub mod http;
pub mod intake;
pub mod keyring;
pub mod keys;
pub mod live;
pub mod log;
pub mod metrics;
pub mod pack;
pub mod phase_tree;
pub mod portal;
pub mod projection;
pub mod purge;
pub mod rebuild;
pub mod remembered;
pub mod route;
pub mod search;
pub mod secret;
pub mod service;
pub mod startup;
pub mod statement;
pub mod store;
pub mod telemetry;
pub mod tls;
pub mod trace;
pub mod views;
pub mod zone;
