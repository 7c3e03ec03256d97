//! Codes of the evidence as a reader meets them: a state and a word. A code that nobody knows is shown as it is.

use acta_ledger::evidence::{acceptance::Verdict, code};

use serde::de::{DeserializeOwned, IntoDeserializer, value::Error};

use super::state::State;
use crate::i18n::Lang;

/// The value of a code of the evidence; none for a code that this version does not know.
pub fn parsed<T: DeserializeOwned>(code: &str) -> Option<T> {
    T::deserialize(IntoDeserializer::<Error>::into_deserializer(code)).ok()
}

/// An outcome.
pub fn outcome(code: &str, lang: Lang) -> (State, String) {
    let state = match code {
        "completed" => State::Good,
        "cancelled" | "cancel_requested_but_completed" => State::Attention,
        "failed" | "crashed" | "killed" => State::Bad,
        _ => State::Neutral,
    };
    (state, lang.code_text("outcome", code))
}

/// How cleaning up ended.
pub fn cleanup(code: &str, lang: Lang) -> (State, String) {
    let state = match code {
        "cleaned" => State::Good,
        "quarantined" => State::Attention,
        "failed" => State::Bad,
        "not_needed" => State::None,
        _ => State::Neutral,
    };
    (state, lang.code_text("cleanup", code))
}

/// Whether an engine was validated.
pub fn validation(code: &str, lang: Lang) -> (State, String) {
    let state = match code {
        "pass" => State::Good,
        "fail" => State::Bad,
        "not_applicable" => State::None,
        _ => State::Neutral,
    };
    (state, lang.code_text("validation", code))
}

/// What became of a file.
pub fn disposition(code: &str, lang: Lang) -> (State, String) {
    let state = match code {
        "kept" => State::Good,
        "quarantined" => State::Attention,
        _ => State::Neutral,
    };
    (state, lang.code_text("disposition", code))
}

/// A verdict of the acceptance test.
pub fn acceptance_verdict(verdict: Verdict, lang: Lang) -> (State, String) {
    let state = match verdict {
        Verdict::Pass => State::Good,
        Verdict::NotRun => State::Neutral,
        Verdict::Fail => State::Bad,
    };
    (state, lang.code_text("acceptance-verdict", &code(&verdict)))
}

/// The name of a statement's type: the noun in its URN.
pub fn predicate(urn: &str, lang: Lang) -> String {
    let noun = urn.strip_prefix("urn:acta:").and_then(|rest| rest.split(':').next());
    match noun {
        Some(noun) => lang.code_text("predicate", noun),
        None => crate::format::short(urn, 60),
    }
}

/// A statement's type inside a sentence, with its article.
pub fn a_predicate(urn: &str, lang: Lang) -> String {
    const NOUNS: [&str; 12] = [
        "build-summary",
        "agent-key",
        "cbat-gate",
        "route-definition",
        "route-decision",
        "rollback-order",
        "rollback-result",
        "retention",
        "canary",
        "pin-observation",
        "import",
        "stuck-build-test",
    ];
    let noun = urn.strip_prefix("urn:acta:").and_then(|rest| rest.strip_suffix(":v1"));
    let known = noun.filter(|noun| NOUNS.contains(noun));
    lang.code_text("predicate-a", known.unwrap_or("other"))
}
