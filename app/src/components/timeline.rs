//! The signature picture: every phase over time, readable at 12 phases and at 12 000.
//!
//! One lane a depth. Hatched where a phase is open and the library makes no callback; the wait of a cancel is the one
//! amber line. What is too narrow is merged into crowds, as tall as the share of the time they fill; the first dense
//! stretch is enlarged below. The picture's size is bounded whatever the tree holds.

mod canvas;
mod draw;
mod lanes;
mod lens;
mod names;
mod scale;

#[cfg(test)]
mod tests;

use acta_ledger::evidence::{cancel::CancelRecord, phase_tree::PhaseTree};

pub use lanes::{depths, span};

use crate::i18n::Lang;

/// The picture twice: for wide and for narrow pages; the style sheet shows one. `has_row` tells which phases the table
/// below shows, so that a bar links only to a row that is there.
pub fn timeline(
    tree: &PhaseTree,
    cancel: Option<&CancelRecord>,
    network: &str,
    has_row: impl Fn(u32) -> bool,
    lang: Lang,
) -> String {
    let subject = draw::Subject::new(tree, cancel, network, &has_row, lang);
    [&canvas::FULL, &canvas::SLIM].map(|canvas| draw::draw(&subject, canvas)).concat()
}
