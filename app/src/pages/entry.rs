//! One entry: can it be believed?

use acta_ledger::log::verification::CheckKind;
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        checks, digest,
        facts::{Fact, Group, facts},
        layout::{Answer, Figure, answer, capitalised, figures, note, part, raw, scroll, trail},
        moment,
        state::State,
        words,
    },
    context::PageContext,
    format::{bytes, count, short, visible},
    i18n::Lang,
    islands::verify::VerifyAlarm,
    portal::PageError,
    routes,
    view::EntryView,
};

/// Loads an entry.
pub async fn load(context: &PageContext, which: &str) -> Result<Ready, PageError> {
    let view = context.portal.entry(which).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &EntryView) -> Ready {
    let lang = context.lang;
    let name = lang.tr("entry-name", [("index", count(view.index, lang).into())]);
    let holds = view.verification.report.all_hold();
    let content = Answer {
        state: if holds { State::Good } else { State::Bad },
        word: lang.t(if holds { "entry-holds-word" } else { "entry-broken-word" }),
        about: std::iter::once(name.clone()).chain(moment::lines(view.logged_at, lang)).collect(),
        headline: headline(view, lang),
        lead: vec![lang.t(if holds { "entry-holds-lead" } else { "entry-broken-lead" })],
    };
    let beside = view! {
        {figures(key_figures(view, lang), Some(checks::figure(&view.verification, lang)))}
        {run_link(view, lang)}
    };
    let body = view! {
        {trail(vec![(routes::LEDGER.to_owned(), lang.t("nav-ledger"))], capitalised(&name), lang)}
        <VerifyAlarm/>
        {answer(content, beside.into_any())}
        {checks::checks(context, view.index, view.digest, &view.verification)}
        {content_part(view, lang)}
        {subjects(view, lang)}
        {statement(view, lang)}
        {proof(context, view)}
    };
    Ready { title: capitalised(&name), room: Room::Ledger, island: true, body: body.into_any() }
}

fn headline(view: &EntryView, lang: Lang) -> String {
    let report = &view.verification.report;
    let index = count(view.index, lang);
    if let Some(failed) = report.checks.iter().find(|check| !check.holds) {
        let kind = lang.t(match failed.kind {
            CheckKind::Signature => "check-signature",
            CheckKind::Inclusion => "check-inclusion",
            CheckKind::TreeHead => "check-tree-head",
        });
        let values =
            [("index", index.into()), ("check", kind.into()), ("reason", short(&failed.detail, 160).into())];
        return lang.tr("entry-broken", values);
    }
    let what = view
        .predicate_type
        .as_deref()
        .map_or_else(|| lang.t("predicate-unknown"), |urn| words::a_predicate(urn, lang));
    let signer = report.signer.as_ref().map_or("", |signer| signer.name.as_str());
    let signer = if signer == "portal" {
        lang.t("signer-portal")
    } else {
        lang.tr("signer-agent", [("agent", short(signer, 64).into())])
    };
    lang.tr("entry-holds", [("index", index.into()), ("what", what.into()), ("signer", signer.into())])
}

fn key_figures(view: &EntryView, lang: Lang) -> Vec<Figure> {
    let figure =
        |key: &str, value: String, note: String| Figure { label: lang.t(key), value, unit: "", note };
    let of = lang.tr("entry-of", [("size", count(view.log_size, lang).into())]);
    vec![
        figure("figure-index", count(view.index, lang), of),
        figure("figure-size", bytes(view.bytes, lang), String::new()),
        figure("figure-proof", count(view.inclusion.len() as u64, lang), lang.t("figure-proof-note")),
    ]
}

fn run_link(view: &EntryView, lang: Lang) -> AnyView {
    let Some(run) = &view.run else {
        return ().into_any();
    };
    let name = lang.tr("run-name", [("number", format!("{:04}", run.number).into())]);
    let word = words::outcome(&run.outcome, lang).1;
    view! {
        <p class="acts"><a class="btn" href=routes::run(&run.id)>{format!("{}, {word}", capitalised(&name))}</a></p>
    }
    .into_any()
}

fn content_part(view: &EntryView, lang: Lang) -> AnyView {
    let urn = view.predicate_type.as_deref().map_or_else(|| lang.t("predicate-unknown"), visible);
    let group = Group {
        title: String::new(),
        note: String::new(),
        facts: vec![
            Fact::new(lang.t("entry-digest"), digest::full(&view.digest)),
            Fact::new(lang.t("entry-leaf"), digest::full(&view.leaf_hash)),
            Fact::new(lang.t("entry-type"), view! { <code>{urn}</code> }),
            Fact::new(
                lang.t("entry-logged"),
                moment::written(view.logged_at, view.logged_at.to_string(), lang),
            ),
        ],
    };
    let body = facts(lang.t("section-entry"), vec![group], lang);
    part("h-entry", lang.t("section-entry"), note(lang.t("entry-note")), body)
}

fn subjects(view: &EntryView, lang: Lang) -> AnyView {
    let rows = view.subjects.iter().map(|(name, digest)| {
        view! {
            <tr>
                <th scope="row"><bdi>{visible(name)}</bdi></th>
                <td><code class="whole">{visible(digest)}</code></td>
            </tr>
        }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-subjects")}</caption>
            <thead><tr>
                <th scope="col">{lang.t("subject-head-name")}</th><th scope="col">"SHA-256"</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    if view.subjects.is_empty() {
        return ().into_any();
    }
    let body = scroll(&lang.t("section-subjects"), lang, table.into_any());
    part("h-subjects", lang.t("section-subjects"), note(lang.t("subjects-note")), body)
}

fn statement(view: &EntryView, lang: Lang) -> AnyView {
    let body = view! {
        <details open>
            <summary>{lang.t("section-statement")}</summary>
            {raw(lang.t("section-statement"), &view.statement, lang)}
        </details>
        <details>
            <summary>{lang.t("entry-envelope")}</summary>
            {raw(lang.t("entry-envelope"), &view.envelope, lang)}
        </details>
    };
    part("h-statement", lang.t("section-statement"), note(lang.t("statement-note")), body.into_any())
}

/// What to type to check the proof file without a server.
fn proof_command(context: &PageContext, index: u64) -> String {
    let base = &context.base_url;
    format!(
        "curl -s {base}/api/v1/entries/{index} -o entry-{index}.json\n\
         curl -s {base}{} -o entry-{index}.tlog-proof\n\
         acta verify entry-{index}.tlog-proof --record entry-{index}.json",
        routes::proof(index)
    )
}

fn proof(context: &PageContext, view: &EntryView) -> AnyView {
    let lang = context.lang;
    let hashes = view.inclusion.iter().map(|hash| view! { <li>{digest::full(hash)}</li> });
    let none = view.inclusion.is_empty().then(|| view! { <p>{lang.t("proof-empty")}</p> });
    let body = view! {
        {none}
        <ol class="hashes">{hashes.collect_view()}</ol>
        {raw(lang.t("section-tree-head"), &view.tree_head, lang)}
        <p>
            <a class="btn" href=routes::proof(view.index) download="">{lang.t("proof-file")}</a>
            " "<span class="small quiet">{lang.t("proof-file-note")}</span>
        </p>
        <pre class="command">{proof_command(context, view.index)}</pre>
    };
    part("h-proof", lang.t("section-proof"), note(lang.t("proof-note")), body.into_any())
}
