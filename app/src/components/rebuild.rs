//! Who built a run's plan again, and what came out.

use acta_ledger::{
    evidence::{
        code,
        rebuild::{ObstacleKind, RebuildRecord, Verdict},
    },
    judge::rebuild::{Independence, Standing, StandingRebuild, Support},
};
use leptos::prelude::*;

use super::{
    layout::{capitalised, note, part as section, scroll},
    moment,
    state::{State, state},
};
use crate::{
    context::PageContext,
    format::{NOTHING, count, short},
    i18n::Lang,
    routes,
    view::rebuild::RebuildsView,
};

/// Shows the part; `model` is what the command that rebuilds is to be given.
pub fn part(context: &PageContext, view: &RebuildsView, model: &str) -> AnyView {
    let lang = context.lang;
    let sentences = sentences(view, lang);
    let sentences = (!sentences.is_empty()).then(|| view! { <p>{sentences.join(" ")}</p> });
    let body = view! {
        {sentences}
        {rebuild_of(view, lang)}
        {table(view, lang)}
        {how(context, view, model)}
    };
    section("h-rebuilds", lang.t("section-rebuilds"), note(lang.t("rebuilds-note")), body.into_any())
}

/// How the run stands, the best known first.
fn sentences(view: &RebuildsView, lang: Lang) -> Vec<String> {
    let Standing {
        reproduced,
        agents,
        owners,
        reproduced_by_itself,
        not_reproduced,
        first_difference,
        not_comparable,
        unsupported,
        rebuilds,
    } = &view.standing;
    let mut told = Vec::new();
    if rebuilds.is_empty() && view.obstacle.is_none() {
        told.push(lang.t("rebuilds-none"));
    }
    let names = |names: &[String]| names.iter().map(|it| short(it, 64)).collect::<Vec<_>>().join(", ");
    if *reproduced > 0 {
        let values =
            [("n", (*reproduced).into()), ("agents", agents.len().into()), ("names", names(agents).into())];
        told.push(lang.tr("rebuilds-reproduced", values));
        if !owners.is_empty() {
            told.push(
                lang.tr("rebuilds-owners", [("n", owners.len().into()), ("names", names(owners).into())]),
            );
        }
    }
    if *reproduced_by_itself > 0 {
        told.push(lang.tr("rebuilds-by-itself", [("n", (*reproduced_by_itself).into())]));
    }
    if *not_reproduced > 0 {
        let n = ("n", (*not_reproduced).into());
        told.push(match first_difference {
            Some(name) => lang.tr("rebuilds-differ-by", [n, ("name", short(name, 80).into())]),
            None => lang.tr("rebuilds-differ", [n]),
        });
    }
    for (key, n) in [("rebuilds-not-comparable", not_comparable), ("rebuilds-unsupported", unsupported)] {
        if *n > 0 {
            told.push(lang.tr(key, [("n", (*n).into())]));
        }
    }
    if view.left_out > 0 {
        told.push(lang.tr("rebuilds-left-out", [("n", count(view.left_out, lang).into())]));
    }
    told
}

/// The runs that this one was made to rebuild.
fn rebuild_of(view: &RebuildsView, lang: Lang) -> Option<AnyView> {
    let links = view.of.iter().map(|run| {
        let name = lang.tr("run-name", [("number", format!("{:04}", run.number).into())]);
        view! { " "<a href=routes::run(&run.id)>{name}</a> }
    });
    (!view.of.is_empty())
        .then(|| view! { <p>{lang.t("rebuilds-this-is")}{links.collect_view()}</p> }.into_any())
}

fn table(view: &RebuildsView, lang: Lang) -> Option<AnyView> {
    let rebuilds = &view.standing.rebuilds;
    if rebuilds.is_empty() {
        return None;
    }
    let rows = rebuilds.iter().rev().map(|rebuild| row(view, rebuild, lang));
    let table = view! {
        <table>
            <caption class="vh">{lang.t("rebuilds-caption")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("rebuild-head-entry")}</th>
                <th scope="col">{lang.t("rebuild-head-verdict")}</th>
                <th scope="col">{lang.t("rebuild-head-by")}</th>
                <th scope="col">{lang.t("rebuild-head-run")}</th>
                <th scope="col">{lang.t("rebuild-head-why")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    Some(scroll(&lang.t("section-rebuilds"), lang, table.into_any()))
}

fn row(view: &RebuildsView, rebuild: &StandingRebuild, lang: Lang) -> AnyView {
    let record = &rebuild.record;
    let own = rebuild.independence == Independence::SameAgent;
    let mark = match (rebuild.support, record.verdict) {
        (Support::Holds, Verdict::Reproduced) if own => State::Neutral,
        (Support::Holds, Verdict::Reproduced) => State::Good,
        (Support::Holds, Verdict::NotReproduced) => State::Bad,
        (Support::Holds, Verdict::NotComparable) => State::Neutral,
        _ => State::Attention,
    };
    let verdict = lang.code_text("rebuild", &code(&record.verdict));
    let support = (rebuild.support != Support::Holds).then(|| {
        view! { <span class="sub">{lang.code_text("rebuild-support", &code(&rebuild.support))}</span> }
    });
    let owner = rebuild.owner.as_deref().map(|owner| {
        view! { <span class="sub">{lang.tr("rebuild-owner", [("name", short(owner, 64).into())])}</span> }
    });
    let own = own.then(|| view! { <span class="sub">{lang.t("rebuild-own")}</span> });
    let run = record.rebuilt.map(|named| named.run.to_string());
    let run = run.and_then(|id| view.runs.iter().find(|run| run.id == id)).map_or_else(
        || NOTHING.into_any(),
        |run| {
            let name = lang.tr("run-name", [("number", format!("{:04}", run.number).into())]);
            view! { <a href=routes::run(&run.id)>{capitalised(&name)}</a> }.into_any()
        },
    );
    view! {
        <tr>
            <th scope="row" class="stick">
                <a href=routes::entry(rebuild.index)>{count(rebuild.index, lang)}</a>
                <span class="sub">{moment::cell(record.at, lang)}</span>
            </th>
            <td>{state(mark, verdict)}{support}</td>
            <td><a href=routes::agent(&rebuild.agent)><bdi>{short(&rebuild.agent, 64)}</bdi></a>{owner}{own}</td>
            <td>{run}</td>
            <td>{why(record, lang)}</td>
        </tr>
    }
    .into_any()
}

/// Why nothing could be compared, or what differs.
fn why(record: &RebuildRecord, lang: Lang) -> AnyView {
    let value = |text: &Option<String>| {
        let text = text.as_deref().map_or_else(|| lang.t("rebuild-nothing"), |text| short(text, 100));
        view! { <code><bdi>{text}</bdi></code> }
    };
    let obstacle = record.obstacle.as_ref().map(|it| {
        let beside = it.expected.is_some().then(|| {
            view! {
                <span class="sub">{lang.t("rebuild-expected")}" "{value(&it.expected)}</span>
                <span class="sub">{lang.t("rebuild-found")}" "{value(&it.found)}</span>
            }
        });
        view! { {obstacle(it.kind, lang)}{beside} }
    });
    let settings = record.differing.iter().map(|it| {
        view! {
            <li>
                <code>{short(&it.name, 80)}</code>
                <span class="sub">{lang.t("rebuild-expected")}" "{value(&it.expected)}</span>
                <span class="sub">{lang.t("rebuild-found")}" "{value(&it.found)}</span>
            </li>
        }
    });
    let settings = (!record.differing.is_empty()).then(|| view! { <ul>{settings.collect_view()}</ul> });
    let plans = record.plans.map(|plans| {
        let sizes = [
            ("before", count(plans.expected_bytes.0, lang).into()),
            ("now", count(plans.found_bytes.0, lang).into()),
        ];
        let at = plans.first_offset.map(|at| {
            let at = [("at", count(at.0, lang).into())];
            view! { <span class="sub">{lang.tr("rebuild-offset", at)}</span> }
        });
        let same = record.differing.is_empty().then(|| lang.t("rebuild-same-settings") + " ");
        view! { {same}{lang.tr("rebuild-sizes", sizes)}{at} }
    });
    if obstacle.is_none() && settings.is_none() && plans.is_none() {
        return NOTHING.into_any();
    }
    view! { {obstacle}{plans}{settings} }.into_any()
}

/// What stands in the way of a comparison, as a sentence.
fn obstacle(kind: ObstacleKind, lang: Lang) -> String {
    lang.code_text("rebuild-obstacle", &code(&kind))
}

/// How to build it again, or why nobody can.
fn how(context: &PageContext, view: &RebuildsView, model: &str) -> AnyView {
    let lang = context.lang;
    if let Some(it) = &view.obstacle {
        return view! { <p>{lang.t("rebuild-cannot")}" "{obstacle(it.kind, lang)}</p> }.into_any();
    }
    let server = &context.base_url;
    let model = if model.chars().all(|c| c.is_ascii_alphanumeric() || "._-+".contains(c)) {
        model
    } else {
        "MODEL.onnx"
    };
    let command = format!("acta rebuild --run {} --model {model} --server {server}", view.run);
    view! {
        <p class="small quiet">{lang.t("rebuild-how")}</p>
        <pre class="command">{command}</pre>
    }
    .into_any()
}
