//! Where a build is or was, and how that stands beside what is usual: the words of the stuck verdict.

use acta_ledger::{
    evidence::code,
    judge::{
        baseline::{Comparison, Place},
        stuck::{StuckVerdict, Wait},
    },
};
use leptos::prelude::*;

use super::facts::{Fact, Group, facts};
use crate::{
    format::{seconds, short},
    i18n::Lang,
};

/// The longest path of a phase that is written out, in characters.
const MAX_PATH: usize = 240;

/// Shows a verdict under a name.
pub fn verdict(verdict: &StuckVerdict, name: String, lang: Lang) -> AnyView {
    let mut rows = vec![
        Fact::new(lang.t("advice-where"), place(&verdict.place, lang)),
        Fact::new(lang.t("advice-silent"), beside(&verdict.silence, lang)),
        Fact::new(lang.t("advice-in-phase"), beside(&verdict.duration, lang)),
    ];
    rows.extend(waiting(verdict, lang).map(|text| Fact::new(lang.t("section-cancel"), text)));
    facts(name, vec![Group { title: String::new(), note: String::new(), facts: rows }], lang).into_any()
}

/// What became of a cancel; none where nobody asked for one.
pub fn waiting(verdict: &StuckVerdict, lang: Lang) -> Option<String> {
    let waited = |key: &str, ms: f64| lang.tr(key, [("duration", seconds(ms, lang).into())]);
    match verdict.wait {
        Wait::NotAsked => None,
        Wait::NoAcknowledgementYet { waited_ms } if verdict.is_silent => {
            Some(waited("wait-no-acknowledgement-yet-silent", waited_ms))
        }
        Wait::NoAcknowledgementYet { waited_ms } => Some(waited("wait-no-acknowledgement-yet", waited_ms)),
        Wait::Acknowledged { after_ms } => Some(waited("wait-acknowledged", after_ms)),
        Wait::NeverAcknowledged { waited_ms } => Some(waited("wait-never-acknowledged", waited_ms)),
    }
}

/// A place among the phases.
pub fn place(place: &Place, lang: Lang) -> String {
    if place.path.is_empty() { lang.t("advice-no-phase") } else { short(&place.path.join(" > "), MAX_PATH) }
}

/// A value beside what is usual.
pub fn beside(found: &Comparison, lang: Lang) -> String {
    let time = |ms: Option<f64>| ms.map_or_else(String::new, |ms| seconds(ms, lang));
    let standing = code(&found.standing).replace('_', "-");
    let seen = if found.longest_ms.is_some() { "" } else { "-unseen" };
    lang.tr(
        &format!("standing-{standing}{seen}"),
        [
            ("value", seconds(found.value_ms, lang).into()),
            ("longest", time(found.longest_ms).into()),
            ("p95", time(found.p95_ms).into()),
            ("n", found.n.into()),
            ("needed", found.needed.into()),
        ],
    )
}
