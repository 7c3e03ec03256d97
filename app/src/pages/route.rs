//! A route: may it be served, what is missing, whose turn is it, and what is live?

pub mod confirm;
pub mod decide;
pub mod done;
mod form;
mod gates;
mod headline;
mod history;
pub mod live;
mod needs;
mod orders;
pub(super) mod refusal;
pub(super) mod restores;
pub mod rollback;
mod votes;
pub(super) mod way_back;

use acta_ledger::{evidence::route::ValidationStatus, log::digest::Sha256Digest};
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::query_value,
    components::{
        digest,
        layout::{answer, note, part, trail},
        pack,
        record::checked_by,
        route::record::record,
    },
    context::PageContext,
    format::{date, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::route::RouteView,
};

/// Bundles of a route whose gates stand in the matrix beside the one that is judged.
const BESIDE: usize = 4;

/// Loads a route.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let view = look(context, name).await?;
    let mut beside = Vec::new();
    for bundle in others(&view).into_iter().take(BESIDE) {
        // A row that cannot be told does not keep the page from telling the rest.
        beside.extend(context.portal.route(name, Some(&bundle.to_string())).await.ok());
    }
    Ok(show(context, &view, &beside))
}

/// The route for the bundle that the query names, or for its newest one.
async fn look(context: &PageContext, name: &str) -> Result<RouteView, PageError> {
    let bundle = query_value(&context.query, "bundle");
    // A bundle may be named as the record does it or by its digits alone.
    let bundle = bundle.as_deref().map(|text| text.strip_prefix("sha256:").unwrap_or(text));
    if let Some(text) = bundle.filter(|text| text.parse::<Sha256Digest>().is_err()) {
        return Err(PageError::BadRequest { field: "bundle", found: text.to_owned() });
    }
    context.portal.route(name, bundle).await
}

/// The other bundles of the route, newest first.
fn others(view: &RouteView) -> Vec<Sha256Digest> {
    let looked_at = view.state.record.bundle_digest.map(|bundle| bundle.0);
    view.bundles.iter().rev().copied().filter(|bundle| Some(*bundle) != looked_at).collect()
}

fn show(context: &PageContext, view: &RouteView, beside: &[RouteView]) -> Ready {
    let lang = context.lang;
    let name = &view.state.record.route_name;
    let content = headline::answer_of(context, view);
    let title = content.headline.trim_end_matches('.').to_owned();
    let parts = [
        gates::matrix(view, beside, lang),
        needs::part(&view.state, lang),
        form::part(context, view),
        votes::part(view, lang),
        way_back::part(view, lang),
        orders::part(view, lang),
        gates::in_words(view, lang),
        history::part(view, lang),
        record_part(view, lang),
        other_bundles(view, lang),
        checks(context, view),
    ];
    let body = view! {
        {trail(vec![(routes::ROUTES.to_owned(), lang.t("nav-routes"))], short(name, 100), lang)}
        {answer(content, actions(view, lang))}
        {parts.collect_view()}
    };
    Ready {
        title: format!("{}: {title}", short(name, 60)),
        room: Room::Routes,
        island: false,
        body: body.into_any(),
    }
}

fn actions(view: &RouteView, lang: Lang) -> AnyView {
    let name = &view.state.record.route_name;
    let decide = form::offered(view).next().is_some().then(|| {
        view! { <a class="btn first" href="#h-decide">{lang.t("act-decide")}</a>" " }
    });
    let roll_back = (view.may_order && !view.retained.is_empty()).then(|| {
        view! { <a class="btn" href=routes::rollback(name)>{lang.t("act-roll-back")}</a>" " }
    });
    let bundle = view.state.record.bundle_digest.map(|bundle| bundle.0);
    let live = view.state.live.as_ref().and_then(|live| live.bundle);
    let served = view.state.record.validation_status == ValidationStatus::Pass;
    let deploy = bundle.filter(|_| view.may_order && served && bundle != live).map(|bundle| {
        let href = routes::order_review(name, "deploy", bundle);
        view! { <a class="btn" href=href>{lang.t("act-deploy")}</a>" " }
    });
    let confirm = view.confirm.as_ref().map(|_| {
        view! { <a class="btn first" href=routes::confirm(name)>{lang.t("act-confirm")}</a>" " }
    });
    let trace = bundle.map(|bundle| {
        view! { <a href=routes::trace(bundle, name)>{lang.t("act-trace")}</a>" " }
    });
    view! {
        <p class="acts">
            {confirm}{decide}{deploy}{roll_back}{trace}<a href=routes::live(name)>{lang.t("act-live")}</a>" "
            {pack::links("route", name, lang)}
        </p>
    }
    .into_any()
}

fn record_part(view: &RouteView, lang: Lang) -> AnyView {
    let said = match &view.definition {
        None => lang.t("record-undefined"),
        Some(definition) => {
            let policy = &definition.policy;
            lang.tr(
                "record-definition",
                [
                    ("who", short(&definition.by.account, 64).into()),
                    ("at", date(definition.at, lang).into()),
                    ("needed", policy.approvals.needed.into()),
                    ("overrides", if policy.overrides.allowed { "yes" } else { "no" }.into()),
                    ("days", policy.overrides.max_days.into()),
                    ("drill", policy.drill_valid_days.into()),
                ],
            )
        }
    };
    let body = view! { {record(&view.state.record, lang)}<p class="finding">{said}</p> };
    part("h-record", lang.t("section-record"), note(lang.t("record-note")), body.into_any())
}

/// What a printed route is checked by: the pack of its evidence, from which `acta verify` judges it anew.
fn checks(context: &PageContext, view: &RouteView) -> AnyView {
    let record = &view.state.record;
    let name = record.route_name.replace('\'', r"'\''");
    let commands = [
        format!("acta pack --route '{name}' --server {} -o route.acta", context.base_url),
        "acta verify route.acta".to_owned(),
    ];
    let bundle = record.bundle_digest.as_ref().map(|bundle| &bundle.0);
    checked_by(context, bundle, &view.seen, &commands)
}

fn other_bundles(view: &RouteView, lang: Lang) -> AnyView {
    let others = others(view);
    if others.is_empty() {
        return ().into_any();
    }
    let name = &view.state.record.route_name;
    let items = others.iter().map(|bundle| {
        view! { <li>{digest::linked(bundle, routes::route_bundle(name, bundle))}</li> }
    });
    let body = view! { <ul class="hashes">{items.collect_view()}</ul> };
    part("h-others", lang.t("section-others"), note(lang.t("others-note")), body.into_any())
}
