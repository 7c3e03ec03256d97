//! The viewer's own account: sessions, tokens, time zone, language and theme.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    address::query_value,
    components::{
        layout::{Answer, answer, note, part, scroll},
        moment,
        state::{State, state},
    },
    context::PageContext,
    format::short,
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
        {part("h-zone", lang.t("section-zone"), note(lang.t("zone-note")), zone(context, &view, &viewer))}
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
        [("browser", short(&browser, 60).into()), ("at", moment::words(row.created_at, lang).into())],
    );
    view! {
        <tr>
            <th scope="row" class="stick"><bdi>{browser}</bdi>{current}</th>
            <td>{moment::cell(row.created_at, lang)}</td>
            <td>{moment::cell(row.last_seen_at, lang)}</td>
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
    let last = row.last_used_at.map_or_else(|| lang.t("token-never").into_any(), |at| moment::cell(at, lang));
    let name = lang.tr("token-revoke-label", [("label", label.clone().into())]);
    view! {
        <tr>
            <th scope="row" class="stick"><bdi>{label}</bdi></th>
            <td>{scopes(&row.scopes, lang)}</td>
            <td>{row.issued_at.map(|at| moment::cell(at, lang))}</td>
            <td>{moment::cell(row.expires_at, lang)}</td>
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

/// The form of the time zone. What was refused stays in the field, with what was expected beside it.
fn zone(context: &PageContext, view: &AccountView, viewer: &Viewer) -> AnyView {
    let lang = context.lang;
    let refused = (query_value(&context.query, "error").as_deref() == Some("unknown_zone"))
        .then(|| query_value(&context.query, "zone").unwrap_or_default());
    let error = refused.as_ref().map(|found| {
        view! {
            <div class="reason bad" id="zone-error" role="alert">
                <p>{state(State::Bad, lang.t("zone-refused"))}</p>
                <p><bdi>{lang.tr("zone-refused-found", [("found", short(found, 64).into())])}</bdi></p>
                <p>{lang.t("zone-refused-expected")}</p>
            </div>
        }
    });
    let gone = view.zone.as_ref().filter(|_| context.zone.is_none()).map(|zone| {
        view! { <p><bdi>{lang.tr("zone-gone", [("zone", short(zone, 64).into())])}</bdi></p> }
    });
    let failed = refused.is_some();
    let value = refused.or_else(|| view.zone.clone()).unwrap_or_default();
    let names = view.zones.iter().map(|name| view! { <option value=name.clone()></option> });
    view! {
        {error}{gone}
        <form class="form ask" method="post" action=routes::ZONE>
            <p>
                <label for="zone">{lang.t("zone-label")}</label>
                <input type="text" id="zone" name="zone" list="zones" maxlength="64" autocomplete="off"
                    autocapitalize="none" spellcheck="false" placeholder="UTC" value=value
                    aria-invalid=failed.then_some("true") aria-describedby=failed.then_some("zone-error")
                    autofocus=failed/>
            </p>
            <datalist id="zones">{names.collect_view()}</datalist>
            <input type="hidden" name="form_token" value=viewer.form_token.clone()/>
            <p><button class="btn">{lang.t("zone-submit")}</button></p>
        </form>
    }
    .into_any()
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
