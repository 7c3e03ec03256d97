//! What was live at a moment, as the agent beside the runtime measured and signed it.

use acta_ledger::{evidence::code, judge::route::LiveAt, log::timestamp::Timestamp};
use leptos::prelude::*;

use super::{
    super::{Ready, Room},
    way_back::ask,
};
use crate::{
    address::query_value,
    components::{
        layout::{Answer, answer, note, part, trail},
        moment,
        route::why::listed,
        state::State,
    },
    context::PageContext,
    format::{count, short, time},
    portal::PageError,
    routes,
    view::route::LiveView,
};

/// Loads what was live at the moment that the address names; without one it asks.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    match query_value(&context.query, "at") {
        Some(at) => {
            let view = context.portal.live(name, &moment(&at)).await?;
            Ok(show(context, &view))
        }
        None => {
            // A route that may not be known of has no page to ask on either.
            let view = context.portal.route(name, None).await?;
            Ok(asked_nothing(context, &view.state.record.route_name))
        }
    }
}

/// A browser's field gives the moment without its zone, and without seconds where they are zero; it is UTC here.
fn moment(at: &str) -> String {
    match at.len() {
        16 => format!("{at}:00Z"),
        19 => format!("{at}Z"),
        _ => at.to_owned(),
    }
}

fn show(context: &PageContext, view: &LiveView) -> Ready {
    let (lang, name) = (context.lang, short(&view.route, 100));
    let at = ("at", moment::words(view.at, lang).into());
    let route = ("route", name.clone().into());
    let (mark, word, headline, lead) = match &view.live {
        LiveAt::Unknown => {
            (State::Error, "live-word-unknown", lang.tr("live-unknown", [at, route]), Vec::new())
        }
        LiveAt::Nothing => {
            (State::Neutral, "live-word-nothing", lang.tr("live-was-nothing", [at, route]), Vec::new())
        }
        LiveAt::Live { period, approved_by } => {
            let since = lang.tr(
                "live-since",
                [
                    ("at", moment::words(period.since, lang).into()),
                    ("action", lang.code_text("action", &code(&period.action)).into()),
                    ("index", count(period.entry.index, lang).into()),
                ],
            );
            match period.bundle {
                None => {
                    (State::Neutral, "live-word-nothing", lang.tr("live-is-none", [at, route]), vec![since])
                }
                Some(bundle) => {
                    let people: Vec<String> = approved_by.iter().map(|name| short(name, 64)).collect();
                    let approved = lang.tr(
                        "live-approved",
                        [("n", people.len().into()), ("who", listed(&people, lang).into())],
                    );
                    let bundle = ("bundle", bundle.short().into());
                    let headline = lang.tr("live-is", [at, bundle, route]);
                    (State::Good, "live-word-live", headline, vec![since, approved])
                }
            }
        }
    };
    let links = match &view.live {
        LiveAt::Live { period, .. } => {
            let entry = lang.tr("done-to-entry", [("entry", count(period.entry.index, lang).into())]);
            let bundle = period.bundle.map(|bundle| {
                let text = lang.tr("route-about-bundle", [("bundle", bundle.short().into())]);
                let title = bundle.to_string();
                view! { <a class="digest" title=title href=routes::route_bundle(&view.route, bundle)>{text}</a> }
            });
            view! {
                <p class="acts"><a class="btn" href=routes::entry(period.entry.index)>{entry}</a>{bundle}</p>
            }
            .into_any()
        }
        _ => ().into_any(),
    };
    let content = Answer { state: mark, word: lang.t(word), about: vec![name], headline, lead };
    page(context, &view.route, content, links, &local(view.at))
}

fn asked_nothing(context: &PageContext, name: &str) -> Ready {
    let lang = context.lang;
    let content = Answer {
        state: State::Neutral,
        word: String::new(),
        about: Vec::new(),
        headline: lang.tr("live-none-asked", [("route", short(name, 100).into())]),
        lead: vec![lang.t("live-none-asked-lead")],
    };
    page(context, name, content, ().into_any(), "")
}

fn page(context: &PageContext, name: &str, content: Answer, links: AnyView, at: &str) -> Ready {
    let lang = context.lang;
    let title = lang.tr("live-title", [("route", short(name, 60).into())]);
    let trail_links =
        vec![(routes::ROUTES.to_owned(), lang.t("nav-routes")), (routes::route(name), short(name, 100))];
    let asking = part("h-ask", lang.t("live-ask-again"), note(lang.t("live-ask-note")), ask(name, at, lang));
    let body = view! {
        {trail(trail_links, lang.t("act-live"), lang)}
        {answer(content, links)}
        {asking}
    };
    Ready { title, room: Room::Routes, island: false, body: body.into_any() }
}

/// A moment as a browser's field holds it.
fn local(at: Timestamp) -> String {
    let day = at.date_time();
    format!("{:04}-{:02}-{:02}T{}", day.year(), u8::from(day.month()), day.day(), time(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_browsers_field_are_utc() {
        assert_eq!(moment("2026-11-29T20:31"), "2026-11-29T20:31:00Z");
        assert_eq!(moment("2026-11-29T20:31:07"), "2026-11-29T20:31:07Z");
        assert_eq!(moment("2026-11-29"), "2026-11-29");
        assert_eq!(moment("2026-11-29T20:31:07Z"), "2026-11-29T20:31:07Z");
        assert_eq!(local("2026-11-29T20:31:07.300Z".parse().unwrap()), "2026-11-29T20:31:07");
    }
}
