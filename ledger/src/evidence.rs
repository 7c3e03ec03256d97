//! The evidence: one file a noun. Field names are fixed, other tools read them.

pub mod acceptance;
pub mod agent_key;
pub mod artifact;
pub mod blob;
pub mod build;
pub mod bundle;
pub mod canary;
pub mod cancel;
pub mod cancel_request;
pub mod chain;
pub mod decision;
pub mod event;
pub mod gate;
pub mod import;
pub mod log_key;
pub mod number;
pub mod person;
pub mod phase_tree;
pub mod pin;
pub mod rebuild;
pub mod recipe;
pub mod retention;
pub mod rollback;
pub mod route;
pub mod timing_cache;

/// The code by which a value of one of the evidence's enums is written, like `cancel_requested_but_completed`.
pub fn code(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(code)) => code,
        _ => String::new(),
    }
}
