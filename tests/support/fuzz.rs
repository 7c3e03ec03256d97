//! Fuzzing: what must hold for any bytes that a parser is given, seeds that are well formed, and mutations of them.
//!
//! `cargo test -p acta-tests --test fuzz` runs every target for a moment, from a fixed seed. `make fuzz` runs the same
//! targets under libFuzzer, which is led by coverage (`fuzz/`).

mod evidence;
mod log;
mod mutation;
mod seed;

pub use mutation::{Random, mutate};

/// Whether a parser took the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// It did, and what it read was checked.
    Accepted,
    /// It refused them.
    Refused,
}

impl Read {
    fn accepted(yes: bool) -> Self {
        if yes { Self::Accepted } else { Self::Refused }
    }
}

/// A parser, what must hold for it, and where mutations begin.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Gives the parser some bytes; panics where something does not hold.
    pub check: fn(&[u8]) -> Read,
    /// Inputs that it accepts.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "json", check: log::json, seeds: seed::json },
    Target { name: "envelope", check: log::envelope, seeds: seed::envelopes },
    Target { name: "statement", check: log::statement, seeds: seed::statements },
    Target { name: "note", check: log::note, seeds: seed::notes },
    Target { name: "tree_head", check: log::tree_head, seeds: seed::tree_heads },
    Target { name: "verifier_key", check: log::verifier_key, seeds: seed::verifier_keys },
    Target { name: "tile_path", check: log::tile_path, seeds: seed::tile_paths },
    Target { name: "entry_bundle", check: log::entry_bundle, seeds: seed::entry_bundles },
    Target { name: "inclusion", check: log::inclusion, seeds: seed::inclusion_proofs },
    Target { name: "consistency", check: log::consistency, seeds: seed::consistency_proofs },
    Target { name: "proof_file", check: log::proof_file, seeds: seed::proof_files },
    Target { name: "pack", check: log::pack, seeds: || seed::packs().to_vec() },
    Target { name: "material", check: log::material, seeds: seed::materials },
    Target { name: "bundle", check: evidence::bundle, seeds: seed::bundles },
    Target { name: "live_message", check: evidence::live_message, seeds: seed::live_messages },
    Target { name: "phase_tree", check: evidence::phase_tree, seeds: seed::phase_trees },
    Target { name: "callbacks", check: evidence::callbacks, seeds: seed::callbacks },
];

/// The target of a name.
#[must_use]
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
