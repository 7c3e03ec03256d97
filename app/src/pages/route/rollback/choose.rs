//! The first page of a rollback: which bundle, and what each of them lacks.

use acta_ledger::evidence::route::CanaryStatus;
use leptos::prelude::*;

use super::super::super::{Ready, Room};
use crate::{
    components::{
        digest,
        layout::{Answer, answer, note, part, trail},
        state::{State, state},
    },
    context::PageContext,
    format::{date, seconds, short},
    i18n::Lang,
    pages::route::way_back::lacks,
    routes,
    view::route::{RetainedRow, RouteView},
};

/// Shows the choice.
pub fn show(context: &PageContext, view: &RouteView) -> Ready {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let route = || ("route", short(name, 100).into());
    let rows = ordered(view);
    let any = rows.iter().any(|row| can_be_chosen(row));
    let failed = view.state.record.canary_status == CanaryStatus::Failed;
    let live = view.state.live.as_ref().and_then(|live| live.bundle);
    let lead = match (rows.is_empty(), failed && any) {
        (true, _) => lang.t("choose-lead-none"),
        (false, true) => lang.t("choose-lead-failed"),
        (false, false) => lang.t("choose-lead"),
    };
    let live = match live {
        Some(live) => lang.tr("choose-lead-live", [("bundle", live.short().into())]),
        None => lang.t("choose-lead-live-none"),
    };
    let content = Answer {
        state: State::Attention,
        word: lang.t("choose-word"),
        about: vec![short(name, 60)],
        headline: lang.tr(if any { "choose-title" } else { "choose-title-none" }, [route()]),
        lead: vec![lead, live],
    };
    let title = content.headline.trim_end_matches('.').to_owned();
    let role = (!view.may_order)
        .then(|| view! { <div class="reason neutral"><p>{lang.t("order-cannot-role")}</p></div> });
    let chosen = rows.iter().find(|row| can_be_chosen(row)).map(|row| row.bundle);
    let choices = rows.iter().map(|row| choice(view, row, chosen == Some(row.bundle), lang)).collect_view();
    let submit = (any && view.may_order).then(|| {
        view! {
            <p class="acts">
                <button class="btn first">{lang.t("choose-next")}</button>
                <a class="btn" href=routes::route(name)>{lang.t("order-back")}</a>
            </p>
        }
    });
    let form = (!rows.is_empty()).then(|| {
        let body = view! {
            <form class="form" method="get" action=routes::rollback(name)>
                <input type="hidden" name="action" value="rollback"/>
                <fieldset>
                    <legend>{lang.t("choose-legend")}</legend>
                    <div class="choices bundles">{choices}</div>
                </fieldset>
                {submit}
            </form>
        };
        part("h-choose", lang.t("section-choose"), note(lang.t("choose-note")), body.into_any())
    });
    let links =
        vec![(routes::ROUTES.to_owned(), lang.t("nav-routes")), (routes::route(name), short(name, 100))];
    let steps = view! {
        <ol class="steps" aria-label=lang.t("steps-label")>
            <li aria-current="step">"1 "{lang.t("step-form")}</li>
            <li>"2 "{lang.t("step-review")}</li>
            <li>"3 "{lang.t("step-result")}</li>
        </ol>
    };
    let body = view! {
        {trail(links, lang.t("rollback-trail"), lang)}
        {steps}
        {answer(content, role.into_any())}
        {form}
    };
    Ready { title, room: Room::Routes, island: false, body: body.into_any() }
}

fn can_be_chosen(row: &RetainedRow) -> bool {
    !row.live && row.way_back.lacks.is_empty()
}

/// The bundle that the way back leads to first, then whatever else can be chosen.
fn ordered(view: &RouteView) -> Vec<&RetainedRow> {
    let suggested = view.state.way_back.as_ref().map(|way| way.bundle);
    let mut rows: Vec<&RetainedRow> = view.retained.iter().collect();
    rows.sort_by_key(|row| (!can_be_chosen(row), Some(row.bundle) != suggested, row.live));
    rows
}

fn choice(view: &RouteView, row: &RetainedRow, chosen: bool, lang: Lang) -> AnyView {
    let name = &view.state.record.route_name;
    let bundle = digest::linked(&row.bundle, routes::route_bundle(name, row.bundle));
    let way = &row.way_back;
    if !can_be_chosen(row) {
        // Said in place of a control that could not be used.
        let why = if row.live { lang.t("choose-is-live") } else { lacks(way, lang) };
        let drill = (view.may_order && !row.live).then(|| {
            let href = routes::order_review(name, "drill", row.bundle);
            view! { " "<a href=href>{lang.t("choose-drill")}</a> }
        });
        return view! {
            <div class="unchosen">
                {bundle}" "{state(State::None, lang.t("choose-cannot"))}
                <span class="sub">{why}{drill}</span>
            </div>
        }
        .into_any();
    }
    let restored = way.drill.as_ref().map(|drill| {
        let at = ("at", date(drill.at, lang).into());
        match drill.restore_ms {
            Some(ms) => lang.tr("choose-restore", [at, ("duration", seconds(ms, lang).into())]),
            None => lang.tr("choose-restore-unknown", [at]),
        }
    });
    let suggested = view.state.way_back.as_ref().is_some_and(|way| way.bundle == row.bundle);
    let suggested = suggested.then(|| view! { <span class="sub">{lang.t("choose-suggested")}</span> });
    view! {
        <label>
            <input type="radio" name="to" value=row.bundle.to_string() checked=chosen required/>
            " "<span>{bundle}{suggested}<span class="sub">{restored}</span></span>
        </label>
    }
    .into_any()
}
