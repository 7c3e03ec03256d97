//! From findings to words: which lines the checks show, and what they come to.

use acta_ledger::log::verification::{Check, CheckKind};
use serde::{Deserialize, Serialize};

use super::verdict::{Claim, Continuity, Findings, Memory};
use crate::components::state::State;

/// Every text that the islands may show, in the page's language. `{...}` is filled in by the island.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Texts {
    /// The names of signature, inclusion and tree head.
    pub kinds: [String; 3],
    /// The name of the fourth check.
    pub continuity: String,
    /// The name of the check of the keys.
    pub keys: String,
    /// "{holds} of {of}".
    pub figure: String,
    /// Below the figure: by the server.
    pub by_server: String,
    /// Below the figure: in this browser.
    pub by_browser: String,
    /// Below the figure: not verified.
    pub by_nobody: String,
    /// Above the checks: this is the server's word.
    pub lead_server: String,
    /// Above the checks: this browser verified.
    pub lead_good: String,
    /// Above the checks and above the answer: entry {index} does not verify: {reason}.
    pub lead_bad: String,
    /// The material could not be fetched: {reason}.
    pub unfetched: String,
    /// The first tree of this log that this browser sees: {size}.
    pub first: String,
    /// The same tree as before: {size}.
    pub same: String,
    /// The tree of {size} continues that of {old}.
    pub grown: String,
    /// The tree of {size} does not continue that of {old}: {reason}.
    pub not_continued: String,
    /// The tree has {size}, it had {old}.
    pub truncated: String,
    /// The tree of {size} has another root than before.
    pub forked: String,
    /// Nothing can be said, because the tree head cannot be believed.
    pub unknown: String,
    /// The keys are not those of {date}.
    pub keys_changed: String,
    /// The button that forgets.
    pub forget: String,
}

/// One line of the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its mark.
    pub state: State,
    /// What was checked.
    pub name: String,
    /// What was found.
    pub text: String,
    /// Whether the text is of the verifying code, which speaks English.
    pub english: bool,
}

/// Where the verification stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Outcome {
    /// Nothing has been verified here yet.
    #[default]
    Pending,
    /// Everything holds.
    Good(Vec<Line>),
    /// Something does not hold.
    Bad {
        /// All checks.
        lines: Vec<Line>,
        /// What to say above everything else.
        lead: String,
        /// Whether forgetting what this browser remembers could be meant.
        forgettable: bool,
    },
}

impl Outcome {
    /// The word in the document, for whoever reads it by machine.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Good(_) => "good",
            Self::Bad { .. } => "bad",
        }
    }
}

/// Fills a text's `{names}` in.
pub fn filled<const N: usize>(text: &str, values: [(&str, String); N]) -> String {
    values
        .into_iter()
        .fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &value))
}

fn kind_name(texts: &Texts, kind: CheckKind) -> String {
    texts.kinds[match kind {
        CheckKind::Signature => 0,
        CheckKind::Inclusion => 1,
        CheckKind::TreeHead => 2,
    }]
    .clone()
}

/// A check as a line.
pub fn check_line(texts: &Texts, check: &Check) -> Line {
    Line {
        state: if check.holds { State::Good } else { State::Bad },
        name: kind_name(texts, check.kind),
        text: check.detail.clone(),
        english: true,
    }
}

/// The outcome where the material could not be had: nothing is verified, and that is no good news.
pub fn unfetched(texts: &Texts, claim: &Claim, reason: &str) -> Outcome {
    let text = filled(&texts.unfetched, [("index", claim.index.to_string()), ("reason", reason.to_owned())]);
    let lines = texts.kinds.iter().map(|name| Line {
        state: State::Attention,
        name: name.clone(),
        text: texts.by_nobody.clone(),
        english: false,
    });
    Outcome::Bad { lines: lines.collect(), lead: text, forgettable: false }
}

/// Puts the findings into lines and says what they come to.
pub fn conclude(
    texts: &Texts,
    claim: &Claim,
    found: &Findings,
    memory: Option<&Memory>,
    continued: Result<(), String>,
) -> Outcome {
    let mut lines: Vec<Line> = found.report.checks.iter().map(|check| check_line(texts, check)).collect();
    if let Some(mismatch) = &found.mismatch {
        lines[1] = Line { state: State::Bad, text: mismatch.clone(), ..lines[1].clone() };
    }
    let size = found.head.map_or_else(String::new, |(size, _)| size.to_string());
    let old = memory.map_or_else(String::new, |memory| memory.size.to_string());
    let values = |reason: &str| [("size", size.clone()), ("old", old.clone()), ("reason", reason.to_owned())];
    let (mark, text) = match (&found.continuity, continued) {
        (Continuity::First, _) => (State::Neutral, filled(&texts.first, values(""))),
        (Continuity::Same, _) => (State::Good, filled(&texts.same, values(""))),
        (Continuity::Grown, Ok(())) => (State::Good, filled(&texts.grown, values(""))),
        (Continuity::Grown, Err(reason)) => (State::Bad, filled(&texts.not_continued, values(&reason))),
        (Continuity::Truncated, _) => (State::Bad, filled(&texts.truncated, values(""))),
        (Continuity::Forked, _) => (State::Bad, filled(&texts.forked, values(""))),
        (Continuity::Unknown, _) => (State::Neutral, texts.unknown.clone()),
    };
    let broken = mark == State::Bad;
    lines.push(Line { state: mark, name: texts.continuity.clone(), text: text.clone(), english: false });
    let changed = found.keys_changed.then(|| {
        let date = memory.map_or_else(String::new, |memory| memory.first_seen.clone());
        filled(&texts.keys_changed, [("date", date)])
    });
    if let Some(text) = &changed {
        lines.push(Line { state: State::Bad, name: texts.keys.clone(), text: text.clone(), english: false });
    }
    if found.entry_holds() && !broken {
        return Outcome::Good(lines);
    }
    let reason = match (changed, broken, found.reason()) {
        (Some(changed), ..) => changed,
        (None, true, None) => text,
        (None, _, Some((kind, reason))) => format!("{}: {reason}", kind_name(texts, kind)),
        (None, false, None) => texts.by_nobody.clone(),
    };
    let lead = filled(&texts.lead_bad, [("index", claim.index.to_string()), ("reason", reason)]);
    Outcome::Bad { lines, lead, forgettable: found.keys_changed || broken }
}

#[cfg(test)]
mod tests;
