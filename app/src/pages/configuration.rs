//! One configuration over time: does it take as long as it used to?

use acta_ledger::{evidence::code, judge::baseline::Standing};
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        digest,
        history::{Judged, Kind, finding, judged, picture},
        layout::{Answer, answer, full_part, scroll, trail},
        moment,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, file_name, seconds, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::configuration::ConfigurationView,
};

/// Kinds that are drawn; a configuration that was built on more than so many kinds of machines says how many it leaves out.
const DRAWN: usize = 4;

/// The names of the pictures.
const IDS: [&str; DRAWN] = ["history-1", "history-2", "history-3", "history-4"];

/// Loads the configuration.
pub async fn load(context: &PageContext, which: &str) -> Result<Ready, PageError> {
    let view = context.portal.configuration(which, None).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &ConfigurationView) -> Ready {
    let lang = context.lang;
    let mut kinds: Vec<Kind> = Vec::new();
    // The kind of the newest run first.
    for kind in view.rows.iter().rev().filter_map(Kind::of) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let each: Vec<Judged<'_>> = kinds.iter().map(|kind| judged(&view.rows, kind)).collect();
    let parts =
        kinds.iter().zip(&each).zip(IDS).map(|((kind, judged), id)| part(context, view, kind, judged, id));
    let left_out = kinds.len().saturating_sub(DRAWN);
    let left_out = (left_out > 0).then(
        || view! { <p class="small">{lang.tr("configuration-left-out", [("n", left_out.into())])}</p> },
    );
    let title = lang.tr("configuration-title", [("digest", view.digest.short().into())]);
    let body = view! {
        {trail(vec![(routes::RUNS.to_owned(), lang.t("nav-runs"))], title.clone(), lang)}
        {headline(view, each.first(), lang)}
        {parts.collect_view()}{left_out}
    };
    Ready { title, room: Room::Runs, island: false, body: body.into_any() }
}

/// Whether the newest build that counts stands out.
fn headline(view: &ConfigurationView, newest: Option<&Judged<'_>>, lang: Lang) -> AnyView {
    let last = newest.and_then(|judged| {
        let place = judged.history.standings.iter().rposition(Option::is_some)?;
        Some((judged.rows[place], judged.history.standings[place]?))
    });
    let (mark, word, headline) = match last {
        None => (State::Neutral, "configuration-none-word", lang.t("configuration-none")),
        Some((row, standing)) => {
            let (mark, word, key) = match standing {
                Standing::TooSmall => (State::Neutral, "configuration-unknown-word", "configuration-unknown"),
                Standing::Within => (State::Good, "configuration-usual-word", "configuration-usual"),
                Standing::BeyondP95 => {
                    (State::Attention, "configuration-out-word", "configuration-beyond-p95")
                }
                Standing::BeyondLongest => {
                    (State::Attention, "configuration-out-word", "configuration-beyond-longest")
                }
            };
            let values =
                [("run", format!("{:04}", row.number).into()), ("took", seconds(row.total_ms, lang).into())];
            (mark, word, lang.tr(key, values))
        }
    };
    let network = view.rows.last().map(|row| short(file_name(&row.network), 60)).unwrap_or_default();
    let whole = view.rows.len() >= view.limit as usize;
    let count = lang.tr(
        if whole { "configuration-newest" } else { "configuration-all" },
        [("n", view.rows.len().into())],
    );
    let content =
        Answer { state: mark, word: lang.t(word), about: vec![network], headline, lead: vec![count] };
    let rest = view! { <p class="small">{lang.t("configuration-digest")}" "{digest::full(&view.digest)}</p> };
    answer(content, rest.into_any())
}

fn part(
    context: &PageContext,
    view: &ConfigurationView,
    kind: &Kind,
    judged: &Judged<'_>,
    id: &'static str,
) -> AnyView {
    let lang = context.lang;
    let values = [
        ("builder", lang.code_text("builder", &kind.builder).into()),
        ("version", short(&kind.tensorrt, 24).into()),
        ("gpu", short(&kind.gpu, 60).into()),
        ("cache", lang.code_text("cache-class", &code(&kind.cache)).into()),
    ];
    let body = view! { {picture(context, judged, id, None, &view.digest)}{table(judged, lang)} };
    full_part(id, lang.tr("configuration-kind", values), String::new(), body.into_any())
}

/// The rows behind the picture, newest first.
fn table(judged: &Judged<'_>, lang: Lang) -> AnyView {
    let rows = judged.rows.iter().enumerate().rev().map(|(place, row)| {
        let (mark, word) = words::outcome(&row.outcome, lang);
        let standing = judged.history.standings[place].map_or_else(
            || NOTHING.into_any(),
            |standing| {
                let word = lang.code_text("history-standing", &code(&standing));
                match judged.history.stood_out(place) {
                    true => state(State::Attention, word).into_any(),
                    false => word.into_any(),
                }
            },
        );
        view! {
            <tr>
                <th scope="row" class="stick"><a href=routes::run(&row.id)>{format!("{:04}", row.number)}</a></th>
                <td>{state(mark, word)}</td>
                <td class="n">{seconds(row.total_ms, lang)}</td>
                <td>{standing}</td>
                <td class="n">{moment::cell(row.started_at, lang)}</td>
            </tr>
        }
    });
    let caption = finding(judged, lang);
    let table = view! {
        <table class="compact">
            <caption class="vh">{caption}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("run-head-run")}</th>
                <th scope="col">{lang.t("run-head-outcome")}</th>
                <th scope="col" class="n">{lang.t("compare-head-total")}</th>
                <th scope="col">{lang.t("history-head-standing")}</th>
                <th scope="col" class="n">{lang.t("run-head-started")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let table = scroll(&lang.t("history-title"), lang, table.into_any());
    view! { <details><summary>{lang.t("chart-as-table")}</summary>{table}</details> }.into_any()
}
