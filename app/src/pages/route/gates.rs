//! The gates: the matrix of all bundles, and each gate of this one in words with its rule.

use acta_ledger::{evidence::gate::requirements, judge::route::GateStanding};
use leptos::prelude::*;

use crate::{
    components::{
        digest,
        layout::{full_part, note, part},
        moment,
        route::{
            matrix::{Matrix, Row, Rows, matrix as shown},
            why::{self, Who},
            words,
        },
        state::{State, state},
    },
    format::{count, short},
    i18n::Lang,
    routes,
    view::route::RouteView,
};

/// A row for the bundle that is judged, then the others.
pub fn matrix(view: &RouteView, beside: &[RouteView], lang: Lang) -> AnyView {
    let rows = std::iter::once((view, true)).chain(beside.iter().map(|other| (other, false)));
    let content = Matrix {
        caption: lang.t("gates-caption"),
        first: lang.t("gates-bundle"),
        last: None,
        detailed: true,
        groups: vec![Rows {
            title: String::new(),
            rows: rows.map(|(view, looked_at)| row(view, looked_at, lang)).collect(),
        }],
    };
    full_part("h-gates", lang.t("section-gates"), lang.t("gates-note"), shown(content, lang))
}

fn row(view: &RouteView, looked_at: bool, lang: Lang) -> Row {
    let of = &view.state;
    let name = &of.record.route_name;
    let bundle = of.record.bundle_digest.map(|bundle| bundle.0);
    let is_live = bundle.is_some() && of.live.as_ref().and_then(|live| live.bundle) == bundle;
    let (mark, word) = words::verdict(&of.record, !of.outdated.is_empty(), lang);
    let bundle = match bundle {
        Some(bundle) => digest::linked(&bundle, routes::route_bundle(name, bundle)).into_any(),
        None => lang.t("route-about-none").into_any(),
    };
    let this = looked_at.then(|| view! { <span class="sub">{lang.t("gates-this")}</span> });
    let live = is_live.then(|| view! { <span class="sub"><strong>{lang.t("gates-live")}</strong></span> });
    let head = view! { {bundle}<span class="sub">{state(mark, word)}</span>{this}{live} };
    Row { head: head.into_any(), gates: of.gates.clone(), last: None, past: !looked_at && !is_live }
}

/// Why each gate stands where it stands.
pub fn in_words(view: &RouteView, lang: Lang) -> AnyView {
    let gates = view.state.gates.iter().map(|gate| in_words_of(gate, lang));
    let body = view! { <ol class="reasons">{gates.collect_view()}</ol> };
    part("h-reasons", lang.t("section-reasons"), note(lang.t("reasons-note")), body.into_any())
}

fn in_words_of(standing: &GateStanding, lang: Lang) -> AnyView {
    let gate = standing.gate;
    let (mark, word) = words::gate_state(standing.state, lang);
    let entry = match standing.entry {
        Some(entry) => {
            let text = lang.tr("gate-entry", [("index", count(entry.index, lang).into())]);
            view! { <a href=routes::entry(entry.index)>{text}</a> }.into_any()
        }
        None => lang.t("gate-no-entry").into_any(),
    };
    let same = (!standing.same.is_empty()).then(
        || view! { <p class="small quiet">{lang.tr("gate-same", [("n", standing.same.len().into())])}</p> },
    );
    let reasons = if standing.reasons.is_empty() {
        view! { <p>{lang.t("reasons-none")}</p> }.into_any()
    } else {
        let items = standing.reasons.iter().map(|it| view! { <li>{why::reason(it, lang)}</li> });
        view! { <ul class="bullets">{items.collect_view()}</ul> }.into_any()
    };
    let overrides = standing.overrides.iter().map(|it| {
        let who = ("who", short(&it.account, 64).into());
        let said = match it.expires_at {
            Some(at) => lang.tr("override-line", [who, ("at", moment::words(at, lang).into())]),
            None => lang.tr("override-line-open", [who]),
        };
        let (mark, word) = if it.objections.is_empty() {
            (State::Attention, lang.t("override-counts"))
        } else {
            let objections: Vec<String> =
                it.objections.iter().map(|it| why::objection(it, Who::They, lang)).collect();
            let why = why::listed(&objections, lang);
            (State::Superseded, lang.tr("override-not-counted", [("why", why.into())]))
        };
        let entry = lang.tr("gate-entry", [("index", count(it.entry.index, lang).into())]);
        view! {
            <li>
                <span class="said">{state(mark, word)}</span>" "{said}" "
                <a href=routes::entry(it.entry.index)>{entry}</a>
            </li>
        }
    });
    let overrides = (!standing.overrides.is_empty())
        .then(|| view! { <ul class="overrides">{overrides.collect_view()}</ul> });
    let after = gate.after().map(|before| {
        let text = lang.tr("gate-rule-after", [("gate", before.to_string().into())]);
        view! { " "{text} }
    });
    let checks: Vec<&str> = requirements(gate).iter().map(|requirement| requirement.name).collect();
    let checks = lang.tr("gate-rule-checks", [("checks", checks.join(", ").into())]);
    view! {
        <li id=format!("gate-{gate}")>
            <h3>{gate.to_string()}" "{words::gate_name(gate, lang)}": "{state(mark, word)}", "{entry}</h3>
            {reasons}{overrides}{same}
            <details>
                <summary>{lang.tr("gate-rule-show", [("gate", gate.to_string().into())])}</summary>
                <p class="finding" id=format!("rule-{gate}")>{lang.code_text("gate-rule", &gate.to_string())}{after}</p>
                <p class="small quiet">{checks}</p>
            </details>
        </li>
    }
    .into_any()
}
