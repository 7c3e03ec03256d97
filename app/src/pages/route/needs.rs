//! What is missing for approval, in the order in which it can be done, and whose turn each is.

use acta_ledger::{
    evidence::gate::Gate,
    judge::route::{HoldCause, Missing, RouteState, WayBackLack},
};
use leptos::prelude::*;

use super::headline::way_of;
use crate::{
    components::{
        layout::{note, part as section},
        route::why,
        state::{State, state},
    },
    format::short,
    i18n::Lang,
};

/// Shows what is missing.
pub fn part(of: &RouteState, lang: Lang) -> AnyView {
    let plan = of.missing.iter().any(|it| matches!(it, Missing::Gate { .. })).then(|| {
        let command = format!("acta gate plan --route {}", short(&of.record.route_name, 100));
        view! { <p class="small quiet">{lang.t("need-plan")}</p><pre class="command">{command}</pre> }
    });
    let body = view! { {list(of, lang)}{plan} };
    section("h-missing", lang.t("section-missing"), note(lang.t("missing-note")), body.into_any())
}

fn list(of: &RouteState, lang: Lang) -> AnyView {
    if of.missing.is_empty() {
        return view! { <p>{state(State::Good, lang.t("missing-none"))}</p> }.into_any();
    }
    let items = of.missing.iter().map(|missing| {
        let said = why::sentence(&why::missing(missing, way_of(of), lang));
        // Why a gate is not open stands below, gate by gate.
        let said = match missing {
            Missing::Gate { gate, .. } => {
                let first = of.gates.iter().find(|it| it.gate == *gate).and_then(|it| it.reasons.first());
                let first = first.filter(|_| !is_bare(missing)).map(|it| {
                    view! { " "<span class="quiet">{why::sentence(&why::reason(it, lang))}</span> }
                });
                view! { <a href=format!("#gate-{gate}")>{said}</a>{first} }.into_any()
            }
            _ => said.into_any(),
        };
        view! { <li><div>{said}</div><span class="quiet small">{turn_of(missing, of, lang)}</span></li> }
    });
    view! { <ol class="needs">{items.collect_view()}</ol> }.into_any()
}

/// A gate without any record says all there is to say.
fn is_bare(missing: &Missing) -> bool {
    matches!(missing, Missing::Gate { state: acta_ledger::evidence::gate::GateState::Missing, .. })
}

/// Who can do something about it, as far as the kind of thing says; and what has to come first.
fn turn_of(missing: &Missing, of: &RouteState, lang: Lang) -> String {
    match missing {
        Missing::Gap { .. } | Missing::Contradiction { .. } => lang.t("need-operator"),
        Missing::Definition => lang.t("need-admin"),
        Missing::Gate { gate, .. } => {
            let first = gate.after().and_then(|before| number_of(before, of));
            let first = first
                .map(|n| format!(", {}", lang.tr("need-after", [("n", n.to_string().into())])))
                .unwrap_or_default();
            format!("{}{first}", lang.t("need-builder"))
        }
        Missing::Bundle | Missing::CanaryPlan | Missing::CanaryFailed { .. } => lang.t("need-builder"),
        Missing::WayBack { lack } => {
            use WayBackLack::{Damaged, NotRetained, Purged, RetentionEnded};
            let kept = !matches!(lack, NotRetained | Purged | Damaged | RetentionEnded { .. });
            lang.t(if kept { "need-runtime" } else { "need-builder" })
        }
        Missing::Hold { cause: HoldCause::RollbackInProgress, .. } => lang.t("need-runtime"),
        Missing::Hold { index, .. } => {
            let hold = of.holds.iter().find(|hold| hold.entry.index == *index);
            let owner = hold.and_then(|hold| hold.terms.as_ref()).map(|terms| short(&terms.owner, 64));
            match owner {
                Some(owner) => lang.tr("need-owner", [("owner", owner.into())]),
                None => lang.t("need-approver"),
            }
        }
        Missing::Rejected { .. } => lang.t("need-nobody"),
        Missing::Approvals { counted, needed } => {
            let more = needed.saturating_sub(*counted);
            let first = of.missing.iter().position(|it| matches!(it, Missing::Approvals { .. })).unwrap_or(0);
            let who = lang.tr("need-approvers", [("n", more.into())]);
            if first == 0 {
                who
            } else {
                format!("{who}, {}", lang.tr("need-after", [("n", first.to_string().into())]))
            }
        }
    }
}

/// The number of a gate's item in the list.
fn number_of(gate: Gate, of: &RouteState) -> Option<usize> {
    let is = |it: &Missing| matches!(it, Missing::Gate { gate: other, .. } if *other == gate);
    of.missing.iter().position(is).map(|at| at + 1)
}
