//! Bring-your-own-kernel bundles: `kernel_slots.json` names the one slot that a kernel library outside the bundle fills.

use serde::{Deserialize, Serialize};

use super::rule::{FindingKind, Level, Notes, Rule};
use crate::log::{digest::Sha256Digest, jcs};

/// The section's name.
pub const KERNEL_SLOTS: &str = "kernel_slots.json";
/// How much of it is read.
pub const MAX_BYTES: u64 = 1 << 20;

/// A slot that a kernel library fills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KernelSlot {
    /// Its name.
    pub id: String,
    /// The digest of the interface that the library must have.
    pub abi_sha256: Sha256Digest,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    schema_version: u64,
    slots: Vec<WrittenSlot>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSlot {
    id: String,
    abi_sha256: Sha256Digest,
}

/// Reads the section.
pub(super) fn read(content: &[u8], notes: &mut Notes) -> Option<KernelSlot> {
    match parse(content) {
        Ok(slot) => {
            let text = "the bundle asks for a kernel library that is not in it".to_owned();
            notes.finding(FindingKind::KernelOutside, Level::Note, Some(&slot.id), None, text);
            Some(slot)
        }
        Err(why) => {
            let text = format!("{KERNEL_SLOTS}: {why}");
            notes.error(Rule::KernelSlotsMalformed, Some(KERNEL_SLOTS), None, text);
            None
        }
    }
}

fn parse(content: &[u8]) -> Result<KernelSlot, String> {
    let value = jcs::parse(content).map_err(|error| error.to_string())?;
    let written: Written = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let slots = written.slots.len();
    if written.schema_version != 1 {
        return Err(format!("schema_version {} is not known, only 1 is", written.schema_version));
    }
    match written.slots.into_iter().next() {
        Some(slot) if slots == 1 && !slot.id.is_empty() => {
            Ok(KernelSlot { id: slot.id, abi_sha256: slot.abi_sha256 })
        }
        Some(_) if slots == 1 => Err("the slot has no id".to_owned()),
        _ => Err(format!("exactly one slot is expected, found {slots}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_one_slot() {
        let abi = Sha256Digest::of(b"abi");
        let slot = format!(r#"{{"id":"mini.attn","abi_sha256":"{abi}"}}"#);
        let parse = |text: String| parse(text.as_bytes());
        assert_eq!(
            parse(format!(r#"{{"schema_version":1,"slots":[{slot}]}}"#)).unwrap(),
            KernelSlot { id: "mini.attn".to_owned(), abi_sha256: abi }
        );
        for wrong in [
            r#"{"schema_version":1,"slots":[]}"#.to_owned(),
            format!(r#"{{"schema_version":1,"slots":[{slot},{slot}]}}"#),
            format!(r#"{{"schema_version":2,"slots":[{slot}]}}"#),
            format!(r#"{{"schema_version":1,"slots":[{slot}],"x":1}}"#),
            format!(r#"{{"schema_version":1,"slots":[{}]}}"#, slot.replace("mini.attn", "")),
            r#"{"schema_version":1,"slots":[{"id":"a","abi_sha256":"00"}]}"#.to_owned(),
            "[]".to_owned(),
        ] {
            assert!(parse(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
