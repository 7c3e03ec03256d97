//! The viewer's own account: sessions, tokens, language and theme.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        layout::{Answer, answer, note, part, scroll},
        state::{State, state},
    },
    context::PageContext,
    format::{date_time, short},
    i18n::Lang,
    portal::PageError,
    routes,
    shell::preferences,
    view::{
        Viewer,
        people::{AccountView, SessionRow, TokenRow},
    },
};

/// Loads the account.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let view = context.portal.account().await?;
    let (lang, viewer) = (context.lang, context.portal.viewer());
    let role = viewer.role.as_ref().map(|role| lang.code_text("role", role)).unwrap_or_default();
    let values = [("sessions", view.sessions.len().into()), ("tokens", view.tokens.len().into())];
    let content = Answer {
        state: State::Neutral,
        word: lang.t("account-word"),
        about: vec![short(viewer.name.as_deref().unwrap_or_default(), 64), role],
        headline: lang.tr("account-headline", values),
        lead: vec![lang.t("account-lead")],
    };
    let prefer = view! { <div class="stack prefer">{preferences(context)}</div> };
    let body = view! {
        {answer(content, ().into_any())}
        {sessions(&view, &viewer, lang)}
        {tokens(&view, &viewer, lang)}
        {part("h-prefer", lang.t("section-preferences"), note(lang.t("preferences-note")), prefer.into_any())}
    };
    Ok(Ready { title: lang.t("account-title"), room: Room::Account, island: false, body: body.into_any() })
}

fn sessions(view: &AccountView, viewer: &Viewer, lang: Lang) -> AnyView {
    let rows = view.sessions.iter().map(|row| session_row(row, viewer, lang));
    let heads = ["session-head-browser", "session-head-since", "session-head-last", "session-head-end"];
    let body = table("section-sessions", &heads, rows.collect_view().into_any(), lang);
    part("h-sessions", lang.t("section-sessions"), note(lang.t("sessions-note")), body)
}

fn session_row(row: &SessionRow, viewer: &Viewer, lang: Lang) -> AnyView {
    let browser =
        if row.user_agent.is_empty() { lang.t("session-unknown") } else { short(&row.user_agent, 160) };
    let current = row.current.then(|| {
        view! { <span class="sub">{state(State::Good, lang.t("session-current"))}</span> }
    });
    let label = lang.tr(
        "session-end-label",
        [("browser", short(&browser, 60).into()), ("at", date_time(row.created_at, lang).into())],
    );
    view! {
        <tr>
            <th scope="row" class="stick"><bdi>{browser}</bdi>{current}</th>
            <td>{date_time(row.created_at, lang)}</td>
            <td>{date_time(row.last_seen_at, lang)}</td>
            <td>{revoke(routes::REVOKE_SESSION, &row.id, lang.t("session-end"), label, viewer)}</td>
        </tr>
    }
    .into_any()
}

fn tokens(view: &AccountView, viewer: &Viewer, lang: Lang) -> AnyView {
    let body = if view.tokens.is_empty() {
        view! { <p>{lang.t("tokens-none")}</p> }.into_any()
    } else {
        let rows = view.tokens.iter().map(|row| token_row(row, viewer, lang));
        let heads = [
            "token-head-label",
            "token-head-scopes",
            "token-head-issued",
            "token-head-expires",
            "token-head-last",
            "token-head-revoke",
        ];
        table("section-tokens", &heads, rows.collect_view().into_any(), lang)
    };
    part("h-tokens", lang.t("section-tokens"), note(lang.t("tokens-note")), body)
}

fn token_row(row: &TokenRow, viewer: &Viewer, lang: Lang) -> AnyView {
    let label = short(&row.label, 100);
    let last = row.last_used_at.map_or_else(|| lang.t("token-never"), |at| date_time(at, lang));
    let name = lang.tr("token-revoke-label", [("label", label.clone().into())]);
    view! {
        <tr>
            <th scope="row" class="stick"><bdi>{label}</bdi></th>
            <td>{scopes(&row.scopes, lang)}</td>
            <td>{row.issued_at.map(|at| date_time(at, lang))}</td>
            <td>{date_time(row.expires_at, lang)}</td>
            <td>{last}</td>
            <td>{revoke(routes::REVOKE_TOKEN, &row.id, lang.t("token-revoke"), name, viewer)}</td>
        </tr>
    }
    .into_any()
}

/// What a token may be used for, in words.
pub(super) fn scopes(scopes: &[String], lang: Lang) -> String {
    let words: Vec<String> = scopes.iter().map(|scope| lang.code_text("scope", scope)).collect();
    words.join(", ")
}

fn table(caption: &str, heads: &[&str], rows: AnyView, lang: Lang) -> AnyView {
    let heads = heads.iter().enumerate().map(|(at, key)| {
        view! { <th scope="col" class=(at == 0).then_some("stick")>{lang.t(key)}</th> }
    });
    let table = view! {
        <table>
            <caption class="vh">{lang.t(caption)}</caption>
            <thead><tr>{heads.collect_view()}</tr></thead>
            <tbody>{rows}</tbody>
        </table>
    };
    scroll(&lang.t(caption), lang, table.into_any())
}

fn revoke(action: &'static str, id: &str, text: String, label: String, viewer: &Viewer) -> AnyView {
    view! {
        <form method="post" action=action class="no-print">
            <input type="hidden" name="id" value=id.to_owned()/>
            <input type="hidden" name="form_token" value=viewer.form_token.clone()/>
            <button class="btn" aria-label=label>{text}</button>
        </form>
    }
    .into_any()
}
