//! All accounts and tokens, for whoever keeps or audits them.

pub mod done;
mod form;
pub mod person;

use leptos::prelude::*;

use super::{Ready, Room, account::scopes, route::refusal};
use crate::{
    address::query_value,
    components::{
        exports::exports,
        layout::{Answer, answer, note, part, scroll},
        moment,
        state::{State, state},
    },
    context::PageContext,
    format::{NOTHING, count, date, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::people::{EventRow, MayManage, PeopleView, PersonRow, TokenRow},
};

/// Loads the accounts.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.people().await?;
    let lang = context.lang;
    let approvers = view.people.iter().filter(|person| person.role == "approver" && !person.disabled).count();
    let values = [("n", view.people.len().into()), ("approvers", approvers.into())];
    let content = Answer {
        state: State::Neutral,
        word: lang.t("people-word"),
        about: Vec::new(),
        headline: lang.tr("people-headline", values),
        lead: vec![lang.t("people-lead")],
    };
    let manage = &view.manage;
    let forms = manage.role_allows.then(|| {
        view! {
            {part("h-add", lang.t("section-add"), note(lang.t("add-note")), add_form(context, manage))}
            {part("h-enrol", lang.t("section-enrol"), note(lang.t("enrol-note")), enrol_form(context, &view))}
        }
    });
    let token_part = |id, key: &str, rows: &[TokenRow], change| {
        part(
            id,
            lang.t(key),
            note(lang.t(&format!("{key}-note"))),
            tokens(context, rows, key, change, manage),
        )
    };
    let body = view! {
        {answer(content, refusal::shown(&context.query, None, lang))}
        {part("h-people", lang.t("section-people"), note(lang.t("people-note")), table(&view.people, lang))}
        {forms}
        {token_part("h-tokens", "section-all-tokens", &view.tokens, "revoke_token")}
        {token_part("h-agent-tokens", "section-agent-tokens", &view.agent_tokens, "revoke_token")}
        {token_part("h-enrolments", "section-enrolments", &view.enrolments, "revoke_enrolment")}
        {part("h-events", lang.t("section-events"), note(lang.t("events-note")), events(&view.events, lang))}
    };
    Ok(Ready { title: lang.t("people-title"), room: Room::People, island: false, body: body.into_any() })
}

fn table(people: &[PersonRow], lang: Lang) -> AnyView {
    let rows = people.iter().map(|person| {
        let agents = person.agents.iter().enumerate().map(|(at, agent)| {
            let comma = (at > 0).then_some(", ");
            view! { {comma}<a href=routes::agent(agent)><bdi>{short(agent, 64)}</bdi></a> }
        });
        let agents = if person.agents.is_empty() {
            lang.t("person-no-agent").into_any()
        } else {
            agents.collect_view().into_any()
        };
        let (mark, word) = if person.disabled {
            (State::Superseded, "person-disabled")
        } else {
            (State::Good, "person-enabled")
        };
        view! {
            <tr class=person.disabled.then_some("past")>
                <th scope="row" class="stick">
                    <a href=routes::person(&person.name)><bdi>{short(&person.name, 64)}</bdi></a>
                </th>
                <td>{lang.code_text("role", &person.role)}</td>
                <td>{state(mark, lang.t(word))}</td>
                <td>{date(person.created_at, lang)}</td>
                <td class="n">{count(person.sessions, lang)}</td>
                <td>{agents}</td>
            </tr>
        }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-people")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("person-head-name")}</th>
                <th scope="col">{lang.t("person-head-role")}</th>
                <th scope="col">{lang.t("person-head-state")}</th>
                <th scope="col">{lang.t("person-head-since")}</th>
                <th scope="col" class="n">{lang.t("person-head-sessions")}</th>
                <th scope="col">{lang.t("person-head-agents")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    view! {
        {scroll(&lang.t("section-people"), lang, table.into_any())}
        <div class="tfoot no-print">{exports("people", "", lang)}</div>
    }
    .into_any()
}

fn add_form(context: &PageContext, manage: &MayManage) -> AnyView {
    let lang = context.lang;
    let typed = |field| query_value(&context.query, field).unwrap_or_default();
    let fields = view! {
        <div class="fields">
            <p>
                <label for="a-name">{lang.t("person-head-name")}</label>
                <input type="text" id="a-name" name="account" required maxlength="64" autocapitalize="none"
                    autocomplete="off" spellcheck="false" value=typed("account")/>
            </p>
            <p>{form::role_field("a-role", &typed("role"), lang)}</p>
            <p>
                <label for="a-password">{lang.t("add-password")}</label>
                <input type="password" id="a-password" name="new_password" required minlength="10" maxlength="1024"
                    autocomplete="new-password"/>
            </p>
        </div>
    };
    form::form(context, manage, form::Ask::new("a", "add", "add-submit"), fields.into_any())
}

fn enrol_form(context: &PageContext, view: &PeopleView) -> AnyView {
    let lang = context.lang;
    let typed = |field| query_value(&context.query, field).unwrap_or_default();
    let owner = typed("owner");
    let owners = view.people.iter().filter(|person| !person.disabled).map(|person| {
        let selected = person.name == owner;
        let name = short(&person.name, 64);
        view! { <option value=name selected=selected>{short(&person.name, 64)}</option> }
    });
    let fields = view! {
        <div class="fields">
            <p>
                <label for="e-agent">{lang.t("enrol-agent")}</label>
                <input type="text" id="e-agent" name="agent" required maxlength="64" autocapitalize="none"
                    autocomplete="off" spellcheck="false" value=typed("agent")/>
            </p>
            <p>
                <label for="e-owner">{lang.t("enrol-owner")}</label>
                <select id="e-owner" name="owner">
                    <option value="">{lang.t("enrol-nobody")}</option>
                    {owners.collect_view()}
                </select>
            </p>
            <p>{form::number_field("e-hours", "hours", "enrol-hours", 1, 168, lang)}</p>
        </div>
        {form::scope_fields(&["push", "orders"], lang)}
    };
    form::form(
        context,
        &view.manage,
        form::Ask::new("e", "issue_enrolment", "enrol-submit"),
        fields.into_any(),
    )
}

/// Tokens with what they may be used for, and the form that takes each of them back.
pub(super) fn tokens(
    context: &PageContext,
    rows: &[TokenRow],
    caption: &str,
    change: &'static str,
    manage: &MayManage,
) -> AnyView {
    let lang = context.lang;
    if rows.is_empty() {
        return view! { <p>{lang.t("tokens-no")}</p> }.into_any();
    }
    let rows = rows.iter().enumerate().map(|(at, row)| {
        let last =
            row.last_used_at.map_or_else(|| lang.t("token-never").into_any(), |at| moment::cell(at, lang));
        let label = lang.tr(
            "token-revoke-of",
            [("label", short(&row.label, 100).into()), ("holder", short(&row.holder, 64).into())],
        );
        let revoke = manage.role_allows.then(|| {
            let fields = view! { <input type="hidden" name="id" value=row.id.clone()/> };
            let ask = form::Ask { label: Some(label), ..form::Ask::new("r", change, "token-revoke") };
            form::small(context, manage, ask, &format!("{caption}-{at}"), fields.into_any())
        });
        view! {
            <tr>
                <th scope="row" class="stick"><bdi>{short(&row.holder, 64)}</bdi></th>
                <td><bdi>{short(&row.label, 100)}</bdi></td>
                <td>{scopes(&row.scopes, lang)}</td>
                <td>{row.issued_at.map_or_else(|| NOTHING.into_any(), |at| moment::cell(at, lang))}</td>
                <td>{moment::cell(row.expires_at, lang)}</td>
                <td>{last}</td>
                <td>{revoke}</td>
            </tr>
        }
    });
    let heads = [
        "token-head-holder",
        "token-head-label",
        "token-head-scopes",
        "token-head-issued",
        "token-head-expires",
        "token-head-last",
        "token-head-revoke",
    ];
    let heads = heads.into_iter().enumerate().map(|(at, key)| {
        view! { <th scope="col" class=(at == 0).then_some("stick")>{lang.t(key)}</th> }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t(caption)}</caption>
            <thead><tr>{heads.collect_view()}</tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t(caption), lang, table.into_any())
}

/// What was done, newest first.
pub(super) fn events(events: &[EventRow], lang: Lang) -> AnyView {
    if events.is_empty() {
        return view! { <p>{lang.t("events-none")}</p> }.into_any();
    }
    let rows = events.iter().map(|event| {
        view! {
            <tr>
                <th scope="row" class="n"><a href=routes::people_done(event.id)>{event.id.to_string()}</a></th>
                <td class="nowrap">{moment::cell(event.at, lang)}</td>
                <td><bdi>{by(&event.by, lang)}</bdi></td>
                <td>{lang.code_text("change", &event.change)}</td>
                <td><bdi>{short(&event.subject, 64)}</bdi></td>
                <td lang="en"><bdi>{short(&event.detail, 200)}</bdi></td>
            </tr>
        }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t("section-events")}</caption>
            <thead><tr>
                <th scope="col" class="n">{lang.t("event-head-number")}</th>
                <th scope="col">{lang.t("event-head-at")}</th>
                <th scope="col">{lang.t("event-head-by")}</th>
                <th scope="col">{lang.t("event-head-change")}</th>
                <th scope="col">{lang.t("event-head-subject")}</th>
                <th scope="col">{lang.t("event-head-detail")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("section-events"), lang, table.into_any())
}

/// Who did it.
pub(super) fn by(by: &str, lang: Lang) -> String {
    if by == "command line" { lang.t("event-by-command-line") } else { short(by, 64) }
}
