//! The log's keys that this agent believes: the one that it pinned, and those that it was handed on to.
//!
//! A tree head that the known keys did not sign may be by a later one. Then the server is asked how the key was handed
//! on; what it answers counts only as far as each hand-over is proved from the pinned key on, and is kept.

use acta_ledger::log::{
    tree_head::TreeHead,
    verification::{HandOver, Trust, log_keys},
};

use crate::{client::Client, durable, error::Result, home::Home, outbox};

/// Reads a signed tree head and believes it only if the log's keys signed it.
pub fn open(home: &Home, client: &Client, trust: &Trust, note: &str) -> Result<TreeHead, String> {
    let kept = kept(home).map_err(|error| error.to_string())?;
    let known = log_keys(trust, &kept)?;
    let unknown = match known.open(note) {
        Ok(head) => return Ok(head),
        Err(error) => error.to_string(),
    };
    let Ok(hand_overs) = client.hand_overs() else { return Err(unknown) };
    if hand_overs == kept {
        return Err(unknown);
    }
    let keys = log_keys(trust, &hand_overs)
        .map_err(|error| format!("{unknown}; how the key was handed on cannot be believed: {error}"))?;
    let head = keys.open(note).map_err(|error| error.to_string())?;
    let json = outbox::to_json(&hand_overs).map_err(|error| error.to_string())?;
    durable::write(&home.hand_overs(), &json, 0o600).map_err(|error| error.to_string())?;
    Ok(head)
}

/// Reads a signed tree head by the keys that are known here, without asking anybody.
pub fn open_known(home: &Home, trust: &Trust, note: &str) -> Result<TreeHead, String> {
    let kept = kept(home).map_err(|error| error.to_string())?;
    log_keys(trust, &kept)?.open(note).map_err(|error| error.to_string())
}

fn kept(home: &Home) -> Result<Vec<HandOver>> {
    let path = home.hand_overs();
    if path.exists() { outbox::read_json(&path) } else { Ok(Vec::new()) }
}
