//! What the server answered to a form: a code becomes a sentence, its own words stand beside it as its words.

use acta_ledger::judge::route::{Missing, Objection};
use acta_ledger::log::digest::Sha256Digest;
use leptos::prelude::*;
use serde::Deserialize;

use crate::{
    address::query_value,
    components::{
        route::why::{self, Who},
        state::{State, state},
    },
    format::short,
    i18n::Lang,
};

/// The codes that have a sentence; every other one is said to be a refusal.
const CODES: [&str; 36] = [
    "missing_field",
    "bad_code",
    "bad_time",
    "bad_gate",
    "not_on_route",
    "seen_future",
    "route_changed",
    "refused_by_the_route",
    "incomplete",
    "not_retained",
    "text_too_long",
    "entry_too_long",
    "bad_key",
    "in_progress",
    "wrong_password",
    "rate",
    "not_allowed",
    "stale_form",
    "unauthorized",
    "account_exists",
    "malformed_name",
    "malformed_password",
    "malformed_label",
    "bad_duration",
    "bad_scopes",
    "own_account",
    "no_such_account",
    "no_such_token",
    "step_up_needed",
    "bad_order",
    "bad_digest",
    "malformed_reason",
    "no_key",
    "not_the_key",
    "not_confirmed",
    "unknown",
];

/// The longest words of the server that are shown.
const MOST: usize = 400;

/// What the route has against it, as the server attaches it to its words.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Facts {
    objections: Vec<Objection>,
    missing: Vec<Missing>,
}

/// The code in the address.
pub fn code_of(query: &str) -> Option<String> {
    query_value(query, "error")
}

/// Says what the server answered; nothing where it was not asked yet.
pub fn shown(query: &str, way: Option<Sha256Digest>, lang: Lang) -> AnyView {
    let Some(code) = code_of(query) else {
        return ().into_any();
    };
    let code = if CODES.contains(&code.as_str()) { code } else { "unknown".to_owned() };
    let detail = query_value(query, "detail").unwrap_or_default();
    let (said, facts) = split(&detail);
    let clauses: Vec<_> = facts
        .objections
        .iter()
        .map(|it| why::objection(it, Who::You, lang))
        .chain(facts.missing.iter().map(|it| why::missing(it, way, lang)))
        .map(|clause| view! { <li>{why::sentence(&clause)}</li> })
        .collect();
    let clauses = (!clauses.is_empty()).then(|| view! { <ul class="bullets">{clauses}</ul> });
    let words = (!said.is_empty()).then(|| {
        let words = lang.tr("refusal-server-words", [("detail", short(said, MOST).into())]);
        view! { <p class="small quiet"><bdi>{words}</bdi></p> }
    });
    view! {
        <div class="reason bad" id="refused" role="alert">
            <p>{state(State::Bad, lang.t("refusal-title"))}</p>
            <p>{lang.code_text("refusal", &code)}</p>
            {clauses}{words}
        </div>
    }
    .into_any()
}

/// The server's words, and the facts that it attached to them as JSON.
fn split(detail: &str) -> (&str, Facts) {
    let facts = detail.find('{').and_then(|at| {
        let facts: Facts = serde_json::from_str(&detail[at..]).ok()?;
        Some((detail[..at].trim_end(), facts))
    });
    facts.unwrap_or((detail, Facts::default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_sentence_in_both_languages() {
        for lang in Lang::ALL {
            for code in CODES {
                let said = lang.code_text("refusal", code);
                assert!(said.ends_with(['.', ':']) && said.contains(' '), "{code}: {said}");
            }
        }
    }

    #[test]
    fn facts_are_taken_out_of_the_servers_words() {
        let detail = r#"it would not count: nothing was decided. {"objections":[{"objection":"is_admin"}],"missing":[]}"#;
        let (said, facts) = split(detail);
        assert_eq!(said, "it would not count: nothing was decided.");
        assert_eq!(facts.objections, [Objection::IsAdmin]);
        assert_eq!(split("a {brace").0, "a {brace");
        assert_eq!(split("").0, "");
    }
}
