//! One account: its role, sessions and tokens, and what was done to it.

use leptos::prelude::*;

use super::{events, form, refusal, tokens};
use crate::{
    address::query_value,
    components::{
        layout::{Answer, answer, note, part, scroll, trail},
        moment,
        state::State,
    },
    context::PageContext,
    format::{date, short},
    i18n::Lang,
    pages::{Ready, Room},
    portal::PageError,
    routes,
    view::people::{PersonView, SessionRow},
};

/// Loads an account.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let view = context.portal.person(name).await?;
    let lang = context.lang;
    let person = &view.person;
    let role = ("role", lang.code_text("role", &person.role).into());
    let name = || ("name", short(&person.name, 64).into());
    let key = if person.disabled { "person-headline-disabled" } else { "person-headline" };
    let content = Answer {
        state: if person.disabled { State::Superseded } else { State::Neutral },
        word: lang.t(if person.disabled { "person-disabled" } else { "person-enabled" }),
        about: vec![date(person.created_at, lang)],
        headline: lang.tr(key, [name(), role]),
        lead: vec![lang.t(if view.own { "person-own" } else { "person-lead" })],
    };
    let may = view.manage.role_allows && !view.own;
    let sessions = sessions(&view.sessions, lang);
    let change = "revoke_token";
    let body = view! {
        {trail(vec![(routes::PEOPLE.to_owned(), lang.t("people-title"))], short(&person.name, 64), lang)}
        {answer(content, refusal::shown(&context.query, None, lang))}
        {may.then(|| rights(context, &view))}
        {part("h-sessions", lang.t("section-sessions"), note(String::new()), view! {
            {sessions}{end_sessions(context, &view)}
        }.into_any())}
        {part("h-tokens", lang.t("section-tokens"), note(lang.t("section-all-tokens-note")),
            tokens(context, &view.tokens, "section-tokens", change, &view.manage))}
        {may.then(|| issue(context, &view))}
        {part("h-events", lang.t("section-events"), note(lang.t("events-note")), events(&view.events, lang))}
    };
    Ok(Ready { title: short(&person.name, 64), room: Room::People, island: false, body: body.into_any() })
}

fn ask(view: &PersonView, id: &'static str, change: &'static str, submit: &'static str) -> form::Ask {
    form::Ask { account: Some(view.person.name.clone()), ..form::Ask::new(id, change, submit) }
}

fn rights(context: &PageContext, view: &PersonView) -> AnyView {
    let lang = context.lang;
    let role =
        view! { <div class="fields"><p>{form::role_field("p-role", &view.person.role, lang)}</p></div> };
    let role =
        form::form(context, &view.manage, ask(view, "p", "set_role", "person-set-role"), role.into_any());
    let (change, submit, text) = if view.person.disabled {
        ("enable", "person-enable", "person-enable-note")
    } else {
        ("disable", "person-disable", "person-disable-note")
    };
    let about = view! { <p class="finding">{lang.t(text)}</p> };
    let other = form::form(context, &view.manage, ask(view, "d", change, submit), about.into_any());
    let body = view! { <div class="split"><div>{role}</div><div>{other}</div></div> };
    part("h-rights", lang.t("section-rights"), note(lang.t("rights-note")), body.into_any())
}

fn sessions(rows: &[SessionRow], lang: Lang) -> AnyView {
    if rows.is_empty() {
        return view! { <p>{lang.t("sessions-none")}</p> }.into_any();
    }
    let rows = rows.iter().map(|row| {
        let browser =
            if row.user_agent.is_empty() { lang.t("session-unknown") } else { short(&row.user_agent, 160) };
        view! {
            <tr>
                <th scope="row" class="stick"><bdi>{browser}</bdi></th>
                <td>{moment::cell(row.created_at, lang)}</td>
                <td>{moment::cell(row.last_seen_at, lang)}</td>
            </tr>
        }
    });
    let table = view! {
        <table class="compact">
            <caption class="vh">{lang.t("section-sessions")}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("session-head-browser")}</th>
                <th scope="col">{lang.t("session-head-since")}</th>
                <th scope="col">{lang.t("session-head-last")}</th>
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    scroll(&lang.t("section-sessions"), lang, table.into_any())
}

fn end_sessions(context: &PageContext, view: &PersonView) -> AnyView {
    if !view.manage.role_allows || view.sessions.is_empty() {
        return ().into_any();
    }
    let ask = ask(view, "s", "end_sessions", "person-end-sessions");
    form::form(context, &view.manage, ask, ().into_any())
}

fn issue(context: &PageContext, view: &PersonView) -> AnyView {
    let lang = context.lang;
    let label = query_value(&context.query, "label").unwrap_or_default();
    let scopes: &[&'static str] = match view.person.role.as_str() {
        "admin" => &["read", "define_routes", "metrics"],
        "reviewer" | "approver" => &["read", "cancel"],
        _ => &["read"],
    };
    let fields = view! {
        <div class="fields">
            <p class="two">
                <label for="t-label">{lang.t("token-head-label")}</label>
                <input type="text" id="t-label" name="label" required maxlength="100" autocomplete="off" value=label/>
            </p>
            <p>{form::number_field("t-days", "days", "token-days", 90, 366, lang)}</p>
        </div>
        {form::scope_fields(scopes, lang)}
    };
    let ask = ask(view, "t", "issue_token", "token-issue");
    let body = form::form(context, &view.manage, ask, fields.into_any());
    part("h-issue", lang.t("section-issue"), note(lang.t("issue-note")), body)
}
