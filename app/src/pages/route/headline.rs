//! The answer: may the route be served, and the one thing that decides.

use acta_ledger::{
    evidence::{
        decision::DecisionKind,
        gate::Gate,
        person::Role,
        route::{RouteRecord, ValidationStatus},
    },
    judge::route::{Missing, OutdatedCause, RouteState, Turn},
    log::digest::Sha256Digest,
};

use crate::{
    components::{
        layout::Answer,
        moment,
        route::{why, words},
    },
    context::PageContext,
    format::count,
    i18n::Lang,
    view::route::RouteView,
};

/// The answer of a route's page.
pub fn answer_of(context: &PageContext, view: &RouteView) -> Answer {
    let (lang, state) = (context.lang, &view.state);
    let outdated = !state.outdated.is_empty();
    let (mark, word) = words::verdict(&state.record, outdated, lang);
    let bundle = match state.record.bundle_digest {
        Some(bundle) => lang.tr("route-about-bundle", [("bundle", bundle.0.short().into())]),
        None => lang.t("route-about-none"),
    };
    let last = count(view.seen.size.saturating_sub(1), lang);
    Answer {
        state: mark,
        word,
        about: vec![bundle, lang.tr("route-about-log", [("index", last.into())])],
        headline: headline(state, lang),
        lead: lead(context, view),
    }
}

/// The first line.
pub fn headline(state: &RouteState, lang: Lang) -> String {
    let counted = state.votes.iter().filter(|vote| vote.objections.is_empty()).count();
    if state.record.validation_status == ValidationStatus::Pass {
        return lang.tr("route-may", [("n", counted.into())]);
    }
    if state.record.validation_status == ValidationStatus::Hold
        && let Some(cause) = decisive_cause(state)
    {
        return lang.tr("route-outdated", [("why", why::cause(cause, lang).into())]);
    }
    may_not(&state.record, &state.missing, way_of(state), lang)
}

/// Why a route may not be served, by the one thing that decides.
pub fn may_not(record: &RouteRecord, missing: &[Missing], way: Option<Sha256Digest>, lang: Lang) -> String {
    match decisive(missing) {
        Some(Missing::Rejected { index }) => {
            let bundle = record.bundle_digest.map(|it| it.0.short()).unwrap_or_default();
            let because = lang.tr("route-rejected-because", [("index", count(*index, lang).into())]);
            lang.tr("route-rejected", [("bundle", bundle.into()), ("why", because.into())])
        }
        Some(first) => lang.tr("route-may-not", [("why", why::missing(first, way, lang).into())]),
        None => lang.tr("route-may-not", [("why", lang.t("missing-definition").into())]),
    }
}

/// Which bundle the way back leads to.
pub fn way_of(state: &RouteState) -> Option<Sha256Digest> {
    state.way_back.as_ref().map(|way| way.bundle)
}

/// The thing that decides: what nobody can repair first, then what somebody decided, then the first that is missing.
pub fn decisive(missing: &[Missing]) -> Option<&Missing> {
    let rank = |it: &Missing| match it {
        Missing::Gap { .. } | Missing::Contradiction { .. } | Missing::Definition | Missing::Bundle => 0,
        Missing::Rejected { .. } => 1,
        Missing::Hold { .. } => 2,
        _ => 3,
    };
    missing.iter().min_by_key(|it| rank(it))
}

/// A pin that changed says more than the evidence that came of it. A hold says more than either.
fn decisive_cause(state: &RouteState) -> Option<&OutdatedCause> {
    let held = !state.holds.is_empty();
    let pin = state.outdated.iter().find(|cause| matches!(cause, OutdatedCause::Pin { .. }));
    pin.or(state.outdated.first()).filter(|_| !held)
}

fn lead(context: &PageContext, view: &RouteView) -> Vec<String> {
    let (lang, state) = (context.lang, &view.state);
    let open: Vec<Gate> =
        state.gates.iter().filter(|gate| gate.state.is_open()).map(|gate| gate.gate).collect();
    let served = state.record.validation_status == ValidationStatus::Pass;
    let mut lead = Vec::new();
    if !served {
        let values = [("n", open.len().into()), ("gates", words::gates(&open, lang).into())];
        lead.push(lang.tr("route-open", values));
    }
    let more = state.missing.len().saturating_sub(1);
    if more > 0 {
        lead.push(lang.tr("route-more", [("n", more.into())]));
    }
    let bundle = state.record.bundle_digest.map(|bundle| bundle.0);
    lead.push(match &state.live {
        Some(live) if live.bundle == bundle => {
            lang.tr("route-live-this", [("at", moment::words(live.since, lang).into())])
        }
        Some(live) => {
            let shown = live.bundle.map(|bundle| bundle.short()).unwrap_or_default();
            lang.tr("route-live-other", [("bundle", shown.into())])
        }
        None => lang.t("route-live-none"),
    });
    if is_yours(context, view) {
        lead.push(lang.t("route-yours"));
    } else if state.turn != Turn::Nobody {
        lead.push(lang.tr("turn-line", [("turn", words::turn(&state.turn, lang).into())]));
    }
    lead
}

/// Whether the one who is waited for is whoever reads.
fn is_yours(context: &PageContext, view: &RouteView) -> bool {
    let viewer = context.portal.viewer();
    let role = viewer.role.and_then(|role| serde_json::from_value::<Role>(role.into()).ok());
    let Some((name, role)) = viewer.name.zip(role) else { return false };
    let turn = &view.state.turn;
    // An approver who may not approve this bundle is not waited for either.
    let open =
        || view.decisions.iter().any(|it| it.kind == DecisionKind::Approve && super::form::is_open(it));
    turn.is_of(&name, role) && (!matches!(turn, Turn::Approver { .. }) || open())
}
