//! The builds that run: what is each doing, and is anybody still there?

pub mod build;
mod cancel;
mod headline;
pub mod review;
mod tree;

use acta_ledger::{evidence::code, judge::live::Standing};
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::query_value,
    components::{
        layout::{Answer, answer, full_part, scroll},
        moment,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, number, short},
    i18n::Lang,
    islands::live::{PageParts, Part},
    portal::PageError,
    routes,
    view::live::{LiveBuildView, LiveBuildsView},
    zone::Zone,
};

/// After how many seconds a page without JavaScript is loaded again.
pub const REFRESH_S: &str = "5";

/// What starts a build that is seen here.
const BUILD: &str = "acta build model.onnx -o model.plan --route team/route-1";

/// Whether the viewer wants the page to stay as it is.
pub fn is_paused(context: &PageContext) -> bool {
    query_value(&context.query, "updates").as_deref() == Some("paused")
}

/// The parts of a build's page that change, as HTML, for a stream to a viewer in a time zone.
pub fn fragments(view: &LiveBuildView, lang: Lang, zone: Option<Zone>) -> PageParts {
    let owner = Owner::new();
    let parts = owner.with(|| {
        if let Some(zone) = zone {
            provide_context(zone);
        }
        build::parts(view, lang)
            .map(|(id, content)| Part { id: id.to_owned(), html: content.to_html() })
            .to_vec()
    });
    owner.cleanup();
    PageParts { parts, announce: headline::announcement(view, lang), over: view.is_over() }
}

/// Loads the list.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.live_builds().await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &LiveBuildsView) -> Ready {
    let lang = context.lang;
    let table = (!view.builds.is_empty())
        .then(|| full_part("h-builds", lang.t("section-builds"), lang.t("builds-note"), table(view, lang)));
    let body = view! { {list_answer(context, view)}{table} };
    Ready { title: lang.t("nav-live"), room: Room::Live, island: false, body: body.into_any() }
}

fn list_answer(context: &PageContext, view: &LiveBuildsView) -> AnyView {
    let lang = context.lang;
    let of = |standing: Standing| view.builds.iter().filter(|build| build.standing == standing).count();
    let (running, vanished) = (of(Standing::Running), of(Standing::Vanished));
    let paused = is_paused(context);
    let (query, label) = if paused { ("", "live-resume") } else { ("?updates=paused", "live-pause") };
    let controls = view! {
        <p class="acts">
            <a class="btn" href=format!("{}{query}", routes::LIVE)>{lang.t(label)}</a>
            <a href=routes::LIVE>{lang.t("live-refresh")}</a>
            <span class="small quiet">{lang.t(if paused { "live-paused" } else { "live-list-plain" })}</span>
        </p>
    };
    // The list has no island: it keeps up by being loaded again, and says so.
    let command = view.builds.is_empty().then(|| view! { <pre class="command">{BUILD}</pre> });
    let (mark, word) = match (running, vanished) {
        (_, 1..) => (State::Attention, lang.t("standing-vanished")),
        (0, 0) => (State::Neutral, lang.t("builds-none-word")),
        (_, 0) => (State::Good, lang.t("standing-running")),
    };
    let headline = match (running, vanished) {
        (0, 0) => lang.t("builds-none"),
        (running, 0) => lang.tr("builds-running", [("n", running.into())]),
        (running, vanished) => {
            lang.tr("builds-vanished", [("n", running.into()), ("vanished", vanished.into())])
        }
    };
    let content =
        Answer { state: mark, word, about: Vec::new(), headline, lead: vec![lang.t("builds-lead")] };
    answer(content, view! { {command}{controls} }.into_any())
}

fn table(view: &LiveBuildsView, lang: Lang) -> AnyView {
    let heads =
        ["live-model", "live-standing", "live-stage"].map(|key| view! { <th scope="col">{lang.t(key)}</th> });
    let numbers = ["live-elapsed", "live-silence"]
        .map(|key| view! { <th scope="col" class="n">{lang.t(key)}" "<span class="unit">"s"</span></th> });
    let rows = view.builds.iter().map(|build| row(build, lang)).collect_view();
    let table = view! {
        <table>
            <caption>{lang.t("builds-caption")}</caption>
            <thead><tr>
                {heads.collect_view()}{numbers.collect_view()}
                <th scope="col">{lang.t("live-agent")}</th><th scope="col">{lang.t("live-started")}</th>
            </tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroll(&lang.t("section-builds"), lang, table.into_any())
}

fn row(view: &LiveBuildView, lang: Lang) -> AnyView {
    let (mark, word) = standing(view, lang);
    let stage = view.state.as_ref().map(|state| lang.code_text("live-stage", &code(&state.stage)));
    let running = view.standing == Standing::Running;
    let seconds = |ns: Option<u64>| ns.map_or_else(|| NOTHING.to_owned(), |ns| tenths(ns, lang));
    let route = view
        .build
        .route
        .as_deref()
        .map(|route| view! { <span class="sub"><bdi>{short(route, 80)}</bdi></span> });
    view! {
        <tr>
            <th scope="row">
                <a href=routes::live_build(view.build.run)><bdi>{short(&view.build.model, 60)}</bdi></a>{route}
            </th>
            <td>{state(mark, word)}</td>
            <td>{stage.unwrap_or_else(|| NOTHING.to_owned())}</td>
            <td class="n">{seconds(view.elapsed_ns().filter(|_| running))}</td>
            <td class="n">{seconds(view.silence_ns().filter(|_| running))}</td>
            <td><bdi>{short(&view.agent, 60)}</bdi></td>
            <td>{moment::cell(view.build.started_at, lang)}</td>
        </tr>
    }
    .into_any()
}

/// Where a build stands, as a mark and a word.
fn standing(view: &LiveBuildView, lang: Lang) -> (State, String) {
    match (view.standing, view.state.as_ref().and_then(|state| state.end)) {
        (Standing::Ended, Some(end)) => words::outcome(&code(&end.outcome), lang),
        (Standing::Ended, None) => (State::Neutral, lang.t("standing-ended")),
        (Standing::Vanished, _) => (State::Attention, lang.t("standing-vanished")),
        (Standing::Running, _) if is_cancelling(view) => (State::Attention, lang.t("standing-cancelling")),
        (Standing::Running, _) => (State::Good, lang.t("standing-running")),
    }
}

fn is_cancelling(view: &LiveBuildView) -> bool {
    view.request.is_some() || view.state.as_ref().is_some_and(|state| state.cancel.is_some())
}

/// Seconds with one decimal, without the unit.
fn tenths(ns: u64, lang: Lang) -> String {
    number(ns as f64 / 1e9, 1, lang)
}

/// Seconds with one decimal, for a sentence.
fn seconds(ns: u64, lang: Lang) -> String {
    format!("{}\u{a0}s", tenths(ns, lang))
}

/// A name from outside.
fn name(text: &str) -> String {
    short(text, 80)
}
