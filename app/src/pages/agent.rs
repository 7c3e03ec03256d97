//! One agent: whose it is, the life of its keys, its chain of statements, and the form that revokes its key.

use acta_ledger::judge::chain::{ChainFault, ChainState};
use leptos::prelude::*;

use super::{Ready, Room, people, route::refusal};
use crate::{
    address::query_value,
    components::{
        layout::{Answer, answer, note, part, scroll, trail},
        moment,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, count, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::agent::{AgentView, KeyRow},
};

/// The longest name that is shown.
const MOST: usize = 64;

/// Loads an agent.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let view = context.portal.agent(name).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &AgentView) -> Ready {
    let lang = context.lang;
    let name = || ("name", short(&view.name, MOST).into());
    let ended = view.keys.first().and_then(|key| key.life.ended.as_ref());
    let (mark, word, headline) = match (view.active(), ended) {
        (Some(key), _) => {
            let id = key.life.public_key.id().0.short();
            let since = count(key.life.introduced_at, lang);
            let values = [name(), ("key", id.into()), ("entry", since.into())];
            (State::Good, "agent-word-active", lang.tr("agent-headline-active", values))
        }
        (None, Some(end)) => {
            let values = [
                name(),
                ("entry", count(end.at, lang).into()),
                ("by", people::by(&end.by, lang).into()),
                ("reason", short(end.reason.as_deref().unwrap_or_default(), 200).into()),
            ];
            (State::Bad, "agent-word-revoked", lang.tr("agent-headline-revoked", values))
        }
        (None, None) => (State::Neutral, "agent-word-none", lang.tr("agent-headline-none", [name()])),
    };
    let content = Answer {
        state: mark,
        word: lang.t(word),
        about: view.last_entry_at.into_iter().flat_map(|at| moment::lines(at, lang)).collect(),
        headline,
        lead: lead(view, lang),
    };
    let title = lang.tr("agent-title", [name()]);
    let links = vec![(format!("{}#h-agents", routes::LEDGER), lang.t("section-agents"))];
    let body = view! {
        {trail(links, short(&view.name, MOST), lang)}
        {answer(content, refusal::shown(&context.query, None, lang))}
        {part("h-keys", lang.t("section-agent-keys"), note(lang.t("agent-keys-note")), keys(view, lang))}
        {part("h-chain", lang.t("section-agent-chain"), note(lang.t("agent-chain-note")), chains(view, lang))}
        {part("h-kinds", lang.t("section-agent-kinds"), note(String::new()), kinds(view, lang))}
        {revoke(context, view)}
    };
    Ready { title, room: Room::Ledger, island: false, body: body.into_any() }
}

fn lead(view: &AgentView, lang: Lang) -> Vec<String> {
    let owner = view.keys.first().and_then(|key| key.life.owner.as_deref());
    let missing: u64 = view.chains.iter().map(ChainState::missing).fold(0, u64::saturating_add);
    let broken = view.chains.iter().any(|chain| !chain.contradicting().is_empty());
    let mut lead = vec![
        match owner {
            Some(owner) => lang.tr("agent-owned", [("owner", short(owner, MOST).into())]),
            None => lang.t("agent-not-owned"),
        },
        lang.tr("agent-signed", [("n", view.entries.into()), ("shown", count(view.entries, lang).into())]),
    ];
    if missing > 0 {
        lead.push(lang.tr("agent-missing", [("n", missing.into()), ("shown", count(missing, lang).into())]));
    }
    if broken {
        lead.push(lang.t("agent-broken"));
    }
    lead
}

fn keys(view: &AgentView, lang: Lang) -> AnyView {
    let rows = view.keys.iter().map(|key| key_row(key, lang));
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-agent-keys")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("agent-head-key")}</th>
                <th scope="col">{lang.t("key-head-state")}</th>
                <th scope="col">{lang.t("key-head-begin")}</th>
                <th scope="col">{lang.t("key-head-end")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("section-agent-keys"), lang, table.into_any())
}

fn key_row(key: &KeyRow, lang: Lang) -> AnyView {
    let life = &key.life;
    let (mark, word) = match &life.ended {
        None => (State::Good, "key-active"),
        Some(end) if end.reason.is_some() => (State::Bad, "key-revoked"),
        Some(_) => (State::Superseded, "key-rotated"),
    };
    let by = |by: &str| lang.tr("key-by", [("name", people::by(by, lang).into())]);
    let begin = lang.t(if life.previous.is_some() { "key-begin-rotated" } else { "key-begin-enrolled" });
    let end = life.ended.as_ref().map_or_else(
        || NOTHING.into_any(),
        |end| {
            let at = key.ended_on.map(|at| {
                view! { <span class="sub">{moment::cell(at, lang)}</span> }
            });
            let reason = end.reason.as_deref().map(|reason| {
                view! { <span class="sub"><bdi>{short(reason, 300)}</bdi></span> }
            });
            view! {
                {entry_link(end.at, lang)}", "{by(&end.by)}{at}{reason}
            }
            .into_any()
        },
    );
    let id = life.public_key.id();
    view! {
        <tr class=life.ended.is_some().then_some("past")>
            <th scope="row" class="stick">
                <a class="digest" href=routes::digest(id) title=id.to_string()>{id.0.short()}</a>
            </th>
            <td>{state(mark, lang.t(word))}</td>
            <td>
                {entry_link(life.introduced_at, lang)}", "{begin}", "{by(&life.authorized_by)}
                <span class="sub">
                    {moment::cell(key.introduced_on, lang)}
                </span>
            </td>
            <td>{end}</td>
        </tr>
    }
    .into_any()
}

fn entry_link(index: u64, lang: Lang) -> AnyView {
    let text = lang.tr("gate-entry", [("index", count(index, lang).into())]);
    view! { <a href=routes::entry(index)>{text}</a> }.into_any()
}

/// One item a chain: how far it goes, and what is wrong with it.
fn chains(view: &AgentView, lang: Lang) -> AnyView {
    if view.chains.is_empty() {
        return view! { <p>{lang.t("agent-chain-none")}</p> }.into_any();
    }
    let items = view.chains.iter().map(|chain| {
        let values = [
            ("n", chain.statements.into()),
            ("shown", count(chain.statements, lang).into()),
            ("last", count(chain.last_sequence, lang).into()),
        ];
        let (mark, word) = match (chain.contradicting().is_empty(), chain.missing()) {
            (false, _) => (State::Bad, lang.t("chain-broken")),
            (true, 0) => (State::Good, lang.t("chain-whole")),
            (true, missing) => (State::Attention, lang.tr("chain-missing", [("n", missing.into())])),
        };
        let faults =
            chain.faults.iter().take(FAULTS).map(|fault| view! { <li>{fault_item(fault, lang)}</li> });
        let faults =
            (!chain.faults.is_empty()).then(|| view! { <ul class="bullets">{faults.collect_view()}</ul> });
        let more = chain.faults.len().saturating_sub(FAULTS);
        let more = (more > 0).then(|| {
            view! { <p class="small quiet">{lang.tr("agent-more-faults", [("n", more.into())])}</p> }
        });
        view! {
            <li>
                {state(mark, word)}
                <div>
                    <p>
                        {lang.tr("agent-chain", values)}" "
                        {entry_link(chain.last_entry, lang)}
                    </p>
                    {faults}{more}
                </div>
            </li>
        }
    });
    view! { <ul class="checks">{items.collect_view()}</ul> }.into_any()
}

/// Faults of one chain that are listed at most.
const FAULTS: usize = 20;

fn fault_item(fault: &ChainFault, lang: Lang) -> AnyView {
    match fault {
        ChainFault::Missing { from, to } => lang
            .tr("chain-fault-missing", [("from", count(*from, lang).into()), ("to", count(*to, lang).into())])
            .into_any(),
        ChainFault::Forked { sequence, entries } => {
            let links = entries.iter().take(FAULTS).map(|index| view! { " "{entry_link(*index, lang)} });
            view! {
                {lang.tr("chain-fault-forked", [("number", count(*sequence, lang).into())])}
                {links.collect_view()}
            }
            .into_any()
        }
        ChainFault::WrongPrevious { entry, .. } => {
            view! { {lang.t("chain-fault-previous")}" "{entry_link(*entry, lang)} }.into_any()
        }
        ChainFault::NoNumber { entry } => {
            view! { {lang.t("chain-fault-number")}" "{entry_link(*entry, lang)} }.into_any()
        }
    }
}

fn kinds(view: &AgentView, lang: Lang) -> AnyView {
    if view.kinds.is_empty() {
        return view! { <p>{lang.t("agent-chain-none")}</p> }.into_any();
    }
    let rows = view.kinds.iter().map(|(kind, number)| {
        view! {
            <tr>
                <th scope="row" class="stick">{words::predicate(kind, lang)}</th>
                <td class="n">{count(*number, lang)}</td>
            </tr>
        }
    });
    let table = view! {
        <table class="compact">
            <caption class="vh">{lang.t("section-agent-kinds")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("entry-head-what")}</th>
                <th scope="col" class="n">{lang.t("agent-head-entries")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("section-agent-kinds"), lang, table.into_any())
}

/// The form that revokes the key, for whoever may; what it asks for is confirmed before it is sent.
fn revoke(context: &PageContext, view: &AgentView) -> AnyView {
    let (lang, manage) = (context.lang, &view.manage);
    let Some(key) = view.active().filter(|_| manage.role_allows) else { return ().into_any() };
    let password = manage.step_up_needed.then(|| {
        view! {
            <p class="password">
                <label for="k-password">{lang.t("review-password")}</label>
                <input type="password" id="k-password" name="password" required maxlength="1024"
                    autocomplete="current-password" aria-describedby="k-password-note"/>
                <span class="small quiet" id="k-password-note">{lang.t("people-password-note")}</span>
            </p>
        }
    });
    let reason = query_value(&context.query, "reason").unwrap_or_default();
    let id = key.life.public_key.id();
    let confirm =
        lang.tr("revoke-confirm", [("key", id.0.short().into()), ("name", short(&view.name, MOST).into())]);
    let body = view! {
        <form class="form no-print" method="post" action=routes::revoke_agent(&view.name)>
            <input type="hidden" name="key_id" value=id.to_string()/>
            <input type="hidden" name="form_token" value=context.portal.viewer().form_token/>
            <p>
                <label for="k-reason">{lang.t("revoke-reason")}</label>
                <input type="text" id="k-reason" name="reason" required maxlength="500" autocomplete="off" value=reason/>
            </p>
            <div class="choices">
                <label><input type="checkbox" name="confirm" value="yes" required/>" "<span>{confirm}</span></label>
            </div>
            {password}
            <p class="acts"><button class="btn first">{lang.t("revoke-submit")}</button></p>
        </form>
    };
    part("h-revoke", lang.t("section-revoke"), note(lang.t("revoke-note")), body.into_any())
}
