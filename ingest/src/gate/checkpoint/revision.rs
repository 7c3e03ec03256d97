//! Which checkpoint, and which revision of it.

use acta_ledger::{
    evidence::{
        gate::{Check, CheckVerdict},
        route::RouteDefinition,
    },
    judge::revision,
    log::digest::Sha256Digest,
};
use serde_json::{Value, json};

use super::{super::check, Args};
use crate::error::{CliError, Result};

/// The longest id or revision.
const MAX_BYTES: usize = 200;

/// A name on one line.
pub fn plain(field: &str, text: &str) -> Result<String> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_BYTES || text.chars().any(char::is_control) {
        return Err(CliError::usage("this is no name")
            .field(field)
            .found(format!("{:?}", crate::builder::framing::cut(text, MAX_BYTES)))
            .expected(format!("1 to {MAX_BYTES} bytes")));
    }
    Ok(text.to_owned())
}

/// The checkpoint's id: as a person says it, and the route's.
pub fn checkpoint_id(args: &Args, definition: Option<&RouteDefinition>) -> Result<Check> {
    let name = "checkpoint_id";
    // Whoever runs a gate of the route says that this is the route's checkpoint.
    let own = definition.map(|definition| &definition.checkpoint);
    let Some(id) = args.checkpoint_id.as_ref().or(own) else {
        return Ok(check(name, CheckVerdict::Hold, Value::Null)
            .because("nobody says which checkpoint this is: --checkpoint-id"));
    };
    let id = plain("--checkpoint-id", id)?;
    let stated = |verdict| check(name, verdict, json!(id));
    let by = args.common.person()?;
    Ok(match definition {
        Some(definition) if definition.checkpoint != id => stated(CheckVerdict::Fail)
            .stated_by(&by)
            .because(format!("the route is about {}", definition.checkpoint)),
        _ => stated(CheckVerdict::Pass).stated_by(&by),
    })
}

/// Whether the revision is pinned, and to what was read.
pub fn check_pinned(args: &Args, definition: Option<&RouteDefinition>, list: Sha256Digest) -> Result<Check> {
    let revision = args.revision.as_deref().map(|it| plain("--revision", it)).transpose()?;
    let of_route = definition.map(|definition| definition.checkpoint_revision.as_str());
    let value = json!({ "revision": revision, "fileList": format!("sha256:{list}") });
    let found = revision::judge(revision.as_deref(), of_route, list);
    let mut check = check("revision_pinned", found.verdict, value);
    check.reason = found.reason;
    Ok(if found.rests_on_a_person { check.stated_by(&args.common.person()?) } else { check })
}
