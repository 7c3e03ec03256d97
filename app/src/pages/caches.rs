//! Timing caches: what was decided about each, by whom, and on which facts?

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::{percent_encode, query_value},
    components::{
        digest,
        exports::exports,
        layout::{Answer, answer, full_part, scroll, trail},
        moment,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, bytes, count, short, visible},
    i18n::Lang,
    portal::PageError,
    routes,
    view::caches::{CacheFilter, CacheRow, CachesView},
};

/// The modes in the order in which they are offered.
const MODES: [&str; 6] = ["cold", "reused", "updated", "discarded", "quarantined", "not_applicable"];

/// Loads the decisions of the address's filter.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.caches(parse(&context.query)?).await?;
    Ok(show(context, &view))
}

/// Reads a query; empty values ask for nothing.
pub fn parse(query: &str) -> Result<CacheFilter, PageError> {
    let mode = query_value(query, "mode");
    if let Some(mode) = mode.as_deref().filter(|mode| !MODES.contains(mode)) {
        return Err(PageError::BadRequest { field: "mode", found: mode.to_owned() });
    }
    let before = query_value(query, "before")
        .map(|text| text.parse().map_err(|_| PageError::BadRequest { field: "before", found: text.clone() }));
    Ok(CacheFilter { mode, route: query_value(query, "route"), before: before.transpose()? })
}

fn query(filter: &CacheFilter) -> String {
    let before = filter.before.map(|before| before.to_string());
    let pairs = [("mode", &filter.mode), ("route", &filter.route), ("before", &before)];
    let pairs = pairs
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", percent_encode(value.as_deref()?))));
    let pairs: Vec<String> = pairs.collect();
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

fn address(filter: &CacheFilter) -> String {
    format!("{}{}", routes::CACHES, query(filter))
}

fn show(context: &PageContext, view: &CachesView) -> Ready {
    let lang = context.lang;
    let title = lang.t("caches-title");
    let rows = (!view.rows.is_empty()).then(|| {
        let note = lang.tr("caches-note", [("n", view.rows.len().into())]);
        full_part("h-caches", lang.t("caches-decisions"), note, table(view, lang))
    });
    let body = view! {
        {trail(vec![(routes::RUNS.to_owned(), lang.t("nav-runs"))], title.clone(), lang)}
        {headline(view, lang)}{rows}
    };
    Ready { title, room: Room::Runs, island: false, body: body.into_any() }
}

/// Whether a cache is in doubt, among the newest runs.
fn headline(view: &CachesView, lang: Lang) -> AnyView {
    let of = |mode: &str| view.modes.iter().find(|(it, _)| it == mode).map_or(0, |(_, n)| *n);
    let all: u64 = view.modes.iter().map(|(_, n)| n).sum();
    let used = all - of("not_applicable");
    let doubtful = of("quarantined") + of("discarded");
    let (mark, word, headline) = if all == 0 {
        (State::Neutral, "caches-none-word", lang.t("caches-none"))
    } else if used == 0 {
        (State::None, "caches-unused-word", lang.tr("caches-unused", [("n", all.into())]))
    } else if doubtful > 0 {
        let values =
            [("doubtful", doubtful.into()), ("shown", count(doubtful, lang).into()), ("n", used.into())];
        (State::Attention, "caches-doubtful-word", lang.tr("caches-doubtful", values))
    } else {
        (State::Good, "caches-fine-word", lang.tr("caches-fine", [("n", used.into())]))
    };
    let filtered = view.filter.mode.is_some() || view.filter.route.is_some();
    let mut lead = vec![lang.t("caches-lead")];
    if filtered && view.rows.is_empty() {
        lead.push(lang.t("caches-none-match"));
    }
    let content = Answer { state: mark, word: lang.t(word), about: Vec::new(), headline, lead };
    let modes = MODES.map(|mode| {
        let current = (view.filter.mode.as_deref() == Some(mode)).then_some("true");
        let filter = CacheFilter { mode: Some(mode.to_owned()), before: None, ..view.filter.clone() };
        let text = format!("{} ({})", lang.code_text("cache", mode), count(of(mode), lang));
        view! { <li><a href=address(&filter) aria-current=current>{text}</a></li> }
    });
    let clear = filtered.then(|| view! { <li><a href=routes::CACHES>{lang.t("filter-clear")}</a></li> });
    let rest = view! {
        <nav aria-label=lang.t("caches-modes")><ul class="modes">{modes.collect_view()}{clear}</ul></nav>
    };
    answer(content, rest.into_any())
}

fn table(view: &CachesView, lang: Lang) -> AnyView {
    let rows = view.rows.iter().map(|row| cache_row(row, lang));
    let caption = lang.t("caches-decisions");
    let table = view! {
        <table>
            <caption class="vh">{caption.clone()}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("run-head-run")}</th>
                <th scope="col">{lang.t("caches-head-decision")}</th>
                <th scope="col">{lang.t("caches-head-by")}</th>
                <th scope="col">{lang.t("caches-head-reasons")}</th>
                <th scope="col">{lang.t("caches-head-digests")}</th>
                <th scope="col">{lang.t("caches-head-drift")}</th>
                <th scope="col">{lang.t("caches-head-facts")}</th>
                <th scope="col" class="n">{lang.t("run-head-started")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let files = exports("caches", &query(&view.filter), lang);
    let next = view.before.map(|before| {
        let href = address(&CacheFilter { before: Some(before), ..view.filter.clone() });
        view! { <a href=href rel="next">{lang.t("page-next")}</a> }
    });
    view! {
        {scroll(&caption, lang, table.into_any())}
        <div class="tfoot no-print">{files}{next}</div>
    }
    .into_any()
}

fn mode_state(mode: &str) -> State {
    match mode {
        "reused" | "updated" => State::Good,
        "discarded" | "quarantined" => State::Attention,
        "not_applicable" => State::None,
        _ => State::Neutral,
    }
}

fn cache_row(row: &CacheRow, lang: Lang) -> AnyView {
    let optional =
        |text: &Option<String>| text.as_ref().map_or_else(|| NOTHING.to_owned(), |it| short(it, 40));
    let side = |digest: &Option<acta_ledger::log::digest::Sha256Digest>, length: Option<u64>| {
        digest.as_ref().map_or_else(
            || NOTHING.into_any(),
            |it| {
                let length = length.map(|length| format!(" {}", bytes(length, lang)));
                view! { {digest::plain(it)}{length} }.into_any()
            },
        )
    };
    let drift = match &row.changes {
        None => view! { <span class="quiet">{lang.t("caches-drift-unknown")}</span> }.into_any(),
        Some(changes) => {
            let values = [
                ("added", count(changes.added, lang).into()),
                ("removed", count(changes.removed, lang).into()),
                ("changed", count(changes.changed, lang).into()),
            ];
            let text = lang.tr("caches-drift", values);
            // A key with another tactic: the same question got another answer.
            match changes.changed {
                0 => text.into_any(),
                _ => state(State::Attention, text).into_any(),
            }
        }
    };
    let reasons =
        row.reasons.iter().map(|reason| view! { <li lang="en"><bdi>{short(reason, 200)}</bdi></li> });
    let (_, outcome) = words::outcome(&row.outcome, lang);
    let file = row.file.as_ref().map(|file| view! { <span class="sub"><bdi>{short(file, 80)}</bdi></span> });
    view! {
        <tr>
            <th scope="row" class="stick">
                <a href=routes::run(&row.run)>{format!("{:04}", row.number)}</a>" "
                <bdi>{short(row.network.strip_suffix(".onnx").unwrap_or(&row.network), 40)}</bdi>
                <span class="sub">{outcome}</span>
            </th>
            <td>{state(mode_state(&row.mode), lang.code_text("cache", &row.mode))}{file}</td>
            <td>
                <bdi>{short(&row.agent, 40)}</bdi>
                <span class="sub">{lang.t("cache-policy")}" "<code>{visible(&row.policy)}</code></span>
                <span class="sub"><a href=routes::entry(row.entry)>
                    {lang.tr("run-entry", [("entry", count(row.entry, lang).into())])}
                </a></span>
            </td>
            <td class="wrap-ok"><ul class="bullets">{reasons.collect_view()}</ul></td>
            <td>
                {lang.t("cache-before")}" "{side(&row.digest_before, row.bytes_before)}<br/>
                {lang.t("cache-after")}" "{side(&row.digest_after, row.bytes_after)}
            </td>
            <td>{drift}</td>
            <td>
                {format!("TensorRT {}", short(&row.tensorrt_version, 24))}<br/>
                {short(&row.gpu_sku, 40)}<br/>
                {format!("{} {}, CUDA {}", lang.t("fact-driver-short"), optional(&row.driver), optional(&row.cuda))}
            </td>
            <td class="n">{moment::cell(row.started_at, lang)}</td>
        </tr>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_what_is_no_mode_is_refused() {
        let filter = CacheFilter {
            mode: Some("quarantined".to_owned()),
            route: Some("a/b".to_owned()),
            before: Some(12),
        };
        let address = address(&filter);
        assert_eq!(address, "/caches?mode=quarantined&route=a%2Fb&before=12");
        assert_eq!(parse(address.split_once('?').unwrap().1), Ok(filter));
        for (query, field) in [("mode=lukewarm", "mode"), ("before=x", "before")] {
            assert!(
                matches!(parse(query), Err(PageError::BadRequest { field: found, .. }) if found == field)
            );
        }
    }
}
