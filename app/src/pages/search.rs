//! The search: what is this digest, this run, this name?

use acta_ledger::{judge::search::Refusal, log::digest::Sha256Digest};
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::{percent_encode, query_value},
    components::{
        digest,
        exports::exports,
        layout::{Answer, answer, full_part, scroll},
        state::State,
        words,
    },
    context::PageContext,
    format::{bytes, count, short, visible},
    i18n::Lang,
    portal::PageError,
    routes,
    view::search::{EntryBy, Found, SearchView, Thing, Use},
};

/// Entries of one digest that are listed; the count says how many there are.
const LISTED_USES: usize = 50;

/// The box in the masthead. It stands on every page for whoever may read.
pub fn bar(context: &PageContext) -> AnyView {
    if context.path == routes::SIGN_IN {
        return ().into_any();
    }
    view! { <form class="search" role="search" method="get" action=routes::SEARCH>{fields(context, "search")}</form> }
        .into_any()
}

fn fields(context: &PageContext, id: &'static str) -> AnyView {
    let lang = context.lang;
    let typed = (context.path == routes::SEARCH).then(|| query_value(&context.query, "q")).flatten();
    let typed = typed.map(|text| visible(&text));
    view! {
        <label class="vh" for=id>{lang.t("search-label")}</label>
        <input id=id type="search" name="q" value=typed maxlength="200" autocomplete="off" spellcheck="false"
            placeholder=lang.t("search-placeholder")/>
        <button class="btn">{lang.t("search-go")}</button>
    }
    .into_any()
}

/// Loads what the query asks for.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let text = query_value(&context.query, "q").unwrap_or_default();
    let view = context.portal.search(&text).await?;
    Ok(show(context, &view))
}

/// Loads everything about one digest.
pub async fn load_digest(context: &PageContext, text: &str) -> Result<Ready, PageError> {
    let Ok(digest) = text.parse::<Sha256Digest>() else {
        return Err(PageError::BadRequest { field: "digest", found: text.to_owned() });
    };
    // With the algorithm before it, the digits can mean nothing but a digest.
    let mut view = context.portal.search(&format!("sha256:{digest}")).await?;
    view.query = digest.to_string();
    if view.found.as_ref().is_ok_and(|found| found.things.is_empty()) {
        return Err(PageError::NotFound);
    }
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &SearchView) -> Ready {
    let lang = context.lang;
    let size = || ("size", count(view.tree_size, lang).into());
    let query = || ("query", short(&view.query, 80).into());
    let (state, word, headline, lead) = match &view.found {
        Err(refusal) => {
            if *refusal != Refusal::Empty {
                context.status.set(400);
            }
            let code = acta_ledger::evidence::code(refusal);
            let headline = lang.tr(&format!("search-{}", code.replace('_', "-")), [query()]);
            (State::Neutral, "search-nothing-word", headline, lang.t("search-expected"))
        }
        Ok(found) if found.things.is_empty() => {
            let lead = lang.tr("search-complete", [size()]);
            let lead = format!("{lead} {}", lang.t("search-expected"));
            (State::Neutral, "search-nothing-word", lang.tr("search-none", [query()]), lead)
        }
        Ok(found) => {
            let n = ("n", found.things.len().into());
            let headline = lang.tr("search-found", [query(), n]);
            let complete = if found.more { "search-more" } else { "search-complete" };
            (State::Good, "search-found-word", headline, lang.tr(complete, [size()]))
        }
    };
    let about = vec![lang.tr("search-up-to", [size()])];
    let content = Answer { state, word: lang.t(word), about, headline: headline.clone(), lead: vec![lead] };
    let again = view! {
        <form class="search wide" role="search" method="get" action=routes::SEARCH aria-label=lang.t("search-again")>
            {fields(context, "search-again")}
        </form>
    };
    let table = view.found.as_ref().ok().filter(|found| !found.things.is_empty());
    let table = table.map(|found| {
        let query = format!("q={}", percent_encode(&view.query));
        let body = view! {
            {things(found, lang)}
            <div class="tfoot no-print">{exports("search", &query, lang)}</div>
        };
        full_part("h-found", lang.t("section-found"), lang.t("found-note"), body.into_any())
    });
    let body = view! { {answer(content, again.into_any())}{table} };
    Ready { title: headline, room: Room::Elsewhere, island: false, body: body.into_any() }
}

fn things(found: &Found, lang: Lang) -> AnyView {
    let rows = found.things.iter().map(|thing| {
        view! {
            <tr>
                <th scope="row">{kind(thing, lang)}</th>
                <td>{name(thing, lang)}</td>
                <td class="wrap-ok">{what(thing, lang)}</td>
            </tr>
        }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-found")}</caption>
            <thead><tr>
                <th scope="col">{lang.t("found-kind")}</th>
                <th scope="col">{lang.t("found-name")}</th>
                <th scope="col">{lang.t("found-where")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("section-found"), lang, table.into_any())
}

fn kind(thing: &Thing, lang: Lang) -> String {
    lang.t(match thing {
        Thing::Entry { .. } => "found-entry",
        Thing::Key { .. } => "found-key",
        Thing::Run { .. } => "found-run",
        Thing::Route { .. } => "found-route",
        Thing::Digest { bytes: Some(_), .. } => "found-blob",
        Thing::Digest { bytes: None, .. } => "found-digest",
    })
}

fn name(thing: &Thing, lang: Lang) -> AnyView {
    let href = thing.href();
    match thing {
        Thing::Entry { index, .. } => {
            let name = lang.tr("entry-name", [("index", count(*index, lang).into())]);
            view! { <a href=href>{name}</a> }.into_any()
        }
        Thing::Run { number, .. } => {
            let name = lang.tr("run-name", [("number", format!("{number:04}").into())]);
            view! { <a href=href>{name}</a> }.into_any()
        }
        Thing::Route { name } => view! { <a href=href><bdi>{short(name, 100)}</bdi></a> }.into_any(),
        Thing::Key { digest: it, .. } | Thing::Digest { digest: it, .. } => {
            digest::linked(it, href).into_any()
        }
    }
}

fn what(thing: &Thing, lang: Lang) -> AnyView {
    match thing {
        Thing::Entry { by, digest: it, .. } => {
            let by = lang.t(match by {
                EntryBy::Digest | EntryBy::Index => "found-by-digest",
                EntryBy::LeafHash => "found-by-leaf",
            });
            view! { {by}" "{digest::full(it)} }.into_any()
        }
        Thing::Key { digest: it, holder, .. } => {
            let holder = match holder.as_str() {
                "log" => lang.t("found-key-log"),
                "portal" => lang.t("found-key-portal"),
                agent => lang.tr("found-key-agent", [("agent", short(agent, 64).into())]),
            };
            view! { {holder}<span class="sub">{digest::full(it)}</span> }.into_any()
        }
        Thing::Run { id, .. } => view! { <code>{visible(id)}</code> }.into_any(),
        Thing::Route { .. } => ().into_any(),
        Thing::Digest { digest: it, bytes: kept, uses, routes } => {
            let kept = kept.map(|length| {
                let text = lang.tr("found-bytes", [("size", bytes(length, lang).into())]);
                view! { <a href=routes::blob(it) download="">{text}</a>" " }
            });
            let traces = routes.iter().map(|route| {
                let text = lang.tr("found-trace", [("route", short(route, 60).into())]);
                view! { <a href=routes::trace(it, route)>{text}</a>" " }
            });
            view! {
                <span class="sub">{digest::full(it)}</span>
                {kept}{traces.collect_view()}
                {use_list(uses, lang)}
            }
            .into_any()
        }
    }
}

fn use_list(uses: &[Use], lang: Lang) -> AnyView {
    let rows = uses.iter().take(LISTED_USES).map(|it| {
        let entry = lang.tr("entry-name", [("index", count(it.entry, lang).into())]);
        let said = words::a_predicate(&it.predicate_type, lang);
        let role = match (&it.name, it.subject) {
            (Some(name), true) => lang.tr("found-subject-named", [("name", short(name, 100).into())]),
            (None, true) => lang.t("found-subject"),
            (_, false) => lang.t("found-mentioned"),
        };
        view! { <li><a href=routes::entry(it.entry)>{entry}</a>", "{said}": "{role}</li> }
    });
    let rest = uses.len().saturating_sub(LISTED_USES);
    let rest = (rest > 0)
        .then(|| view! { <p class="small quiet">{lang.tr("found-rest", [("n", rest.into())])}</p> });
    view! { <ul class="bullets">{rows.collect_view()}</ul>{rest} }.into_any()
}
