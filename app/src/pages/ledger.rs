//! The ledger: how much does it hold, who signs, and is anything missing?

use acta_ledger::log::key::PublicKey;
use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::query_value,
    components::{
        digest,
        exports::exports,
        facts::{Fact, Group, facts},
        layout::{Answer, Figure, answer, capitalised, figures, note, part, raw, scroll},
        moment,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, count, short, visible},
    i18n::Lang,
    portal::PageError,
    routes,
    view::{AgentRow, EntryRow, LedgerView},
};

/// Missing numbers that are listed; more are counted.
const MISSING: usize = 12;

/// Loads the ledger.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let before = parse(&context.query)?;
    let view = context.portal.ledger(before).await?;
    Ok(show(context, &view, before))
}

/// Reads a query: below which entry the page begins.
pub fn parse(query: &str) -> Result<Option<u64>, PageError> {
    let before = query_value(query, "before")
        .map(|text| text.parse().map_err(|_| PageError::BadRequest { field: "before", found: text.clone() }));
    before.transpose()
}

fn show(context: &PageContext, view: &LedgerView, before: Option<u64>) -> Ready {
    let lang = context.lang;
    let gaps = view.agents.iter().filter(|agent| !agent.missing.is_empty()).count();
    let broken = view.agents.iter().filter(|agent| !agent.contradicting.is_empty()).count();
    let values = || {
        [
            ("size", view.size.into()),
            ("shown", count(view.size, lang).into()),
            ("agents", view.agents.len().into()),
            ("gaps", gaps.into()),
            ("broken", broken.into()),
        ]
    };
    let (mark, word, headline, lead) = if view.size == 0 {
        (State::Neutral, "ledger-empty-word", lang.t("ledger-empty"), lang.t("ledger-empty-lead"))
    } else if broken > 0 {
        (State::Bad, "ledger-broken-word", lang.tr("ledger-broken", values()), lang.t("ledger-broken-lead"))
    } else if gaps > 0 {
        (State::Attention, "ledger-gaps-word", lang.tr("ledger-gaps", values()), lang.t("ledger-gaps-lead"))
    } else {
        (State::Good, "ledger-whole-word", lang.tr("ledger-whole", values()), lang.t("ledger-whole-lead"))
    };
    let content = Answer {
        state: mark,
        word: lang.t(word),
        about: std::iter::once(short(&view.origin, 60)).chain(moment::lines(view.signed_at, lang)).collect(),
        headline,
        lead: vec![lead],
    };
    let numbers = vec![
        Figure {
            label: lang.t("figure-entries"),
            value: count(view.size, lang),
            unit: "",
            note: lang.t("figure-entries-note"),
        },
        Figure {
            label: lang.t("figure-root"),
            value: view.root.short(),
            unit: "",
            note: lang.tr("figure-signed", [("at", moment::words(view.signed_at, lang).into())]),
        },
        Figure {
            label: lang.t("figure-agents"),
            value: count(view.agents.len() as u64, lang),
            unit: "",
            note: lang.tr("figure-gaps", [("n", gaps.into())]),
        },
    ];
    let body = view! {
        {answer(content, figures(numbers, None))}
        {entries(view, before, lang)}
        {agents(view, lang)}
        {tree_head(context, view)}
        {keys(view, lang)}
    };
    Ready { title: lang.t("nav-ledger"), room: Room::Ledger, island: false, body: body.into_any() }
}

fn entries(view: &LedgerView, before: Option<u64>, lang: Lang) -> AnyView {
    let rows = view.entries.iter().map(|entry| entry_row(entry, lang));
    let heads = [
        "entry-head-index",
        "entry-head-when",
        "entry-head-what",
        "entry-head-run",
        "entry-head-signer",
        "entry-head-digest",
    ];
    let heads = heads.into_iter().enumerate().map(|(at, key)| {
        view! { <th scope="col" class=(at == 0).then_some("n")>{lang.t(key)}</th> }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-entries")}</caption>
            <thead><tr>{heads.collect_view()}</tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let newest = before.is_some().then(|| view! { <a href=routes::LEDGER>{lang.t("entries-newest")}</a>" " });
    let earlier = view.before.map(|before| {
        view! { <a href=format!("{}?before={before}", routes::LEDGER) rel="next">{lang.t("entries-earlier")}</a> }
    });
    let query = before.map(|before| format!("before={before}")).unwrap_or_default();
    let files = exports("entries", &query, lang);
    let body = if view.entries.is_empty() {
        view! { <p>{lang.t("entries-none")}" "{newest}</p> }.into_any()
    } else {
        view! {
            {scroll(&lang.t("section-entries"), lang, table.into_any())}
            <div class="tfoot">{files}<nav aria-label=lang.t("pages-label")>{newest}{earlier}</nav></div>
        }
        .into_any()
    };
    part("h-entries", lang.t("section-entries"), note(lang.t("entries-note")), body)
}

fn entry_row(entry: &EntryRow, lang: Lang) -> AnyView {
    let run = entry.run.as_ref().map_or_else(
        || NOTHING.into_any(),
        |run| {
            let (mark, word) = words::outcome(&run.outcome, lang);
            let number = format!("{:04}", run.number);
            view! { <a href=routes::run(&run.id)>{number}</a>" "{state(mark, word)} }.into_any()
        },
    );
    let signer = if entry.signer == "portal" { lang.t("signer-portal") } else { short(&entry.signer, 64) };
    view! {
        <tr>
            <th scope="row" class="n"><a href=routes::entry(entry.index)>{count(entry.index, lang)}</a></th>
            <td>{moment::cell(entry.logged_at, lang)}</td>
            <td>{words::predicate(&entry.predicate_type, lang)}</td>
            <td class="nowrap">{run}</td>
            <td><bdi>{signer}</bdi></td>
            <td>{digest::linked(&entry.digest, routes::entry(entry.digest))}</td>
        </tr>
    }
    .into_any()
}

fn agents(view: &LedgerView, lang: Lang) -> AnyView {
    let rows = view.agents.iter().map(|agent| agent_row(agent, lang));
    let body = if view.agents.is_empty() {
        view! { <p>{lang.t("agents-none")}</p><pre class="command">"acta-server agent token --label builder-1"</pre> }
            .into_any()
    } else {
        let table = view! {
            <table>
                <caption class="vh">{lang.t("section-agents")}</caption>
                <thead><tr>
                    <th scope="col" class="stick">{lang.t("agent-head-name")}</th>
                    <th scope="col">{lang.t("agent-head-key")}</th>
                    <th scope="col" class="n">{lang.t("agent-head-enrolled")}</th>
                    <th scope="col" class="n">{lang.t("agent-head-entries")}</th>
                    <th scope="col">{lang.t("agent-head-last")}</th>
                    <th scope="col">{lang.t("agent-head-chain")}</th>
                </tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        };
        scroll(&lang.t("section-agents"), lang, table.into_any())
    };
    part("h-agents", lang.t("section-agents"), note(lang.t("agents-note")), body)
}

fn agent_row(agent: &AgentRow, lang: Lang) -> AnyView {
    let broken = (!agent.contradicting.is_empty()).then(|| {
        let entries = agent.contradicting.iter().map(|&index| {
            view! { " " <a href=routes::entry(index)>{count(index, lang)}</a> }
        });
        view! {
            {state(State::Bad, lang.t("chain-broken"))}
            <span class="sub">{lang.t("chain-broken-entries")}{entries.collect_view()}</span>
        }
    });
    let chain = if agent.missing.is_empty() {
        broken.is_none().then(|| state(State::Good, lang.t("chain-whole"))).into_any()
    } else {
        let listed: Vec<String> = agent.missing.iter().take(MISSING).map(|n| count(*n, lang)).collect();
        let more = agent.missing.len().saturating_sub(MISSING);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let which = format!("{}{more}", listed.join(", "));
        view! {
            {state(State::Attention, lang.tr("chain-missing", [("n", agent.missing.len().into())]))}
            <span class="sub">{which}</span>
        }
        .into_any()
    };
    let last = agent.last_entry_at.map_or_else(|| NOTHING.into_any(), |at| moment::cell(at, lang));
    let key: String = visible(&agent.key_id).chars().take(12).collect();
    view! {
        <tr>
            <th scope="row" class="stick">
                <a href=routes::agent(&agent.name)><bdi>{short(&agent.name, 64)}</bdi></a>
            </th>
            <td><code class="digest" title=agent.public_key.clone()>{key}</code></td>
            <td class="n"><a href=routes::entry(agent.enrolled_at)>{count(agent.enrolled_at, lang)}</a></td>
            <td class="n">{count(agent.entries, lang)}</td>
            <td>{last}</td>
            <td>{broken}{chain}</td>
        </tr>
    }
    .into_any()
}

fn tree_head(context: &PageContext, view: &LedgerView) -> AnyView {
    let lang = context.lang;
    let command = format!("acta audit --server {} --deep", context.base_url);
    let body = view! {
        {raw(lang.t("section-tree-head"), &view.tree_head, lang)}
        <p>{lang.t("tree-head-verify")}</p>
        <pre class="command">{command}</pre>
    };
    part("h-head", lang.t("section-tree-head"), note(lang.t("tree-head-note")), body.into_any())
}

fn keys(view: &LedgerView, lang: Lang) -> AnyView {
    let portal_id = PublicKey::from_base64(&view.portal_key)
        .map_or_else(|_| NOTHING.to_owned(), |key| key.id().0.short());
    let group = Group {
        title: String::new(),
        note: String::new(),
        facts: vec![
            Fact::code(lang.t("key-log"), &view.log_key),
            Fact::new(
                lang.t("key-portal"),
                view! { <code>{visible(&view.portal_key)}</code><span class="quiet">{format!(" ({portal_id})")}</span> },
            ),
        ],
    };
    let body = facts(capitalised(&lang.t("section-keys")), vec![group], lang);
    part("h-keys", lang.t("section-keys"), note(lang.t("keys-note")), body)
}
