//! What is live, whether the way back works, and which bundles are kept.

use acta_ledger::{
    evidence::code,
    judge::route::{WayBack, WayBackLack},
    log::timestamp::Timestamp,
};
use leptos::prelude::*;

use crate::{
    components::{
        digest,
        layout::{note, part as section, scroll},
        moment,
        route::why,
        state::{State, state},
    },
    format::{NOTHING, age, count, date, seconds, short},
    i18n::Lang,
    routes,
    view::route::{RetainedRow, RouteView},
};

/// Shows it.
pub fn part(view: &RouteView, lang: Lang) -> AnyView {
    let name = &view.state.record.route_name;
    let retained = if view.retained.is_empty() {
        let command = format!("acta bundle retain FILE --route {} --runtime-config FILE", short(name, 100));
        view! { <p>{lang.t("retained-none")}</p><pre class="command">{command}</pre> }.into_any()
    } else {
        retained(view, lang)
    };
    let body = view! {
        <div class="split"><div>{live(view, lang)}</div><div>{way(view, lang)}</div></div>
        {retained}
        {ask(name, "", lang)}
        <p class="small"><a href=routes::restores(name)>{lang.t("restores-link")}</a></p>
    };
    section("h-way-back", lang.t("section-way-back"), note(String::new()), body.into_any())
}

fn live(view: &RouteView, lang: Lang) -> AnyView {
    let name = &view.state.record.route_name;
    let Some((live, bundle)) = view.state.live.as_ref().and_then(|live| Some((live, live.bundle?))) else {
        return view! { <h3>{lang.t("live-head-none")}</h3><p>{lang.t("live-text-none")}</p> }.into_any();
    };
    let head = lang.tr("live-head", [("at", moment::words(live.since, lang).into())]);
    let text = lang.tr(
        "live-text",
        [("action", code(&live.action).into()), ("index", count(live.entry.index, lang).into())],
    );
    view! {
        <h3>{head}</h3>
        <p>{digest::linked(&bundle, routes::route_bundle(name, bundle))}". "{text}</p>
    }
    .into_any()
}

fn way(view: &RouteView, lang: Lang) -> AnyView {
    let Some(way) = &view.state.way_back else {
        return view! { <h3>{state(State::Neutral, lang.t("way-blocked"))}</h3><p>{lang.t("way-none")}</p> }
            .into_any();
    };
    let (mark, key) =
        if way.lacks.is_empty() { (State::Good, "way-ready") } else { (State::Attention, "way-blocked") };
    let text = match &way.drill {
        Some(drill) if way.lacks.is_empty() => lang.tr(
            "way-ready-text",
            [
                ("bundle", way.bundle.short().into()),
                ("at", date(drill.at, lang).into()),
                ("known", if drill.restore_ms.is_some() { "yes" } else { "no" }.into()),
                ("duration", drill.restore_ms.map(|ms| seconds(ms, lang)).unwrap_or_default().into()),
            ],
        ),
        _ => lacks(way, lang),
    };
    view! { <h3>{state(mark, lang.t(key))}</h3><p>{text}</p> }.into_any()
}

/// Everything that the way back lacks, a sentence each.
pub fn lacks(way: &WayBack, lang: Lang) -> String {
    let lacks: Vec<String> =
        way.lacks.iter().map(|lack| why::sentence(&why::lack(lack, Some(way.bundle), lang))).collect();
    lacks.join(" ")
}

fn retained(view: &RouteView, lang: Lang) -> AnyView {
    let name = &view.state.record.route_name;
    let rows = view.retained.iter().map(|row| retained_row(name, row, view.now, lang));
    let table = view! {
        <table>
            <caption>{lang.t("retained-caption")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("retained-head-bundle")}</th>
                <th scope="col">{lang.t("retained-head-until")}</th>
                <th scope="col">{lang.t("retained-head-config")}</th>
                <th scope="col">{lang.t("retained-head-drill")}</th>
                <th scope="col" class="n">{lang.t("retained-head-restore")}</th>
                <th scope="col">{lang.t("retained-head-ready")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("retained-caption"), lang, table.into_any())
}

fn retained_row(name: &str, row: &RetainedRow, now: Timestamp, lang: Lang) -> AnyView {
    let way = &row.way_back;
    let live =
        row.live.then(|| view! { <span class="sub"><strong>{lang.t("retained-live")}</strong></span> });
    let config = way.runtime_config.map_or_else(
        || lang.t("retained-config-none").into_any(),
        |config| {
            let kept = lang.t(if is_here(way) { "retained-config-kept" } else { "retained-config-gone" });
            view! {
                <a class="digest" href=routes::blob(config) title=config.to_string()>{config.short()}</a>
                <span class="sub">{kept}</span>
            }
            .into_any()
        },
    );
    let drill = way.drill.as_ref().map_or_else(
        || lang.t("retained-never").into_any(),
        |drill| {
            let valid = drill.valid_until.map(|at| {
                let text = lang.tr("retained-valid", [("at", date(at, lang).into())]);
                view! { <span class="sub">{text}</span> }
            });
            let age = lang.tr("age-ago", [("age", age(drill.at, now, lang).into())]);
            view! {
                <a href=routes::entry(drill.entry.index)>{date(drill.at, lang)}</a>
                <span class="sub">{age}</span>
                {valid}
            }
            .into_any()
        },
    );
    let restore = way.drill.as_ref().and_then(|drill| drill.restore_ms);
    let (mark, key) = if way.lacks.is_empty() {
        (State::Good, "retained-ready")
    } else {
        (State::Attention, "retained-lacks")
    };
    let why = (!way.lacks.is_empty()).then(|| view! { <span class="sub">{lacks(way, lang)}</span> });
    view! {
        <tr>
            <th scope="row" class="stick">
                {digest::linked(&row.bundle, routes::route_bundle(name, row.bundle))}{live}
            </th>
            <td>{until(way, now, lang)}</td>
            <td>{config}</td>
            <td>{drill}</td>
            <td class="n">{restore.map_or_else(|| NOTHING.to_owned(), |ms| seconds(ms, lang))}</td>
            <td class="wrap-ok">{state(mark, lang.t(key))}{why}</td>
        </tr>
    }
    .into_any()
}

/// Whether the last word is that it is kept, or was kept until a day that has passed.
fn is_here(way: &WayBack) -> bool {
    use WayBackLack::{Damaged, NotRetained, Purged};
    way.retained.is_some() && !way.lacks.iter().any(|lack| matches!(lack, NotRetained | Purged | Damaged))
}

/// Until when a bundle is retained, in words and as an age.
pub fn until(way: &WayBack, now: Timestamp, lang: Lang) -> AnyView {
    if way.lacks.contains(&WayBackLack::Purged) {
        return state(State::Superseded, lang.t("retained-purged")).into_any();
    }
    if !is_here(way) {
        return NOTHING.into_any();
    }
    let Some(at) = way.retained_until else { return lang.t("retained-no-day").into_any() };
    let left = if now < at {
        lang.tr("age-left", [("age", age(now, at, lang).into())])
    } else {
        lang.tr("age-ago", [("age", age(at, now, lang).into())])
    };
    view! { <time datetime=at.to_string()>{date(at, lang)}</time><span class="sub">{left}</span> }.into_any()
}

/// Asks what was live at a moment.
pub fn ask(name: &str, at: &str, lang: Lang) -> AnyView {
    view! {
        <form class="form ask no-print" method="get" action=routes::live(name)>
            <p>
                <label for="at">{lang.t("live-ask")}" ("{lang.t("live-ask-label")}")"</label>
                <input type="datetime-local" id="at" name="at" step="1" required value=at.to_owned()/>
            </p>
            <p><button class="btn">{lang.t("live-ask-button")}</button></p>
        </form>
    }
    .into_any()
}
