//! What was done to an account or a token; a token that was issued stands here, once.

use leptos::prelude::*;

use super::by;
use crate::{
    components::{
        facts::{Fact, Group, facts},
        layout::{Answer, answer, note, part, trail},
        moment,
        state::State,
    },
    context::PageContext,
    format::short,
    i18n::Lang,
    pages::{Ready, Room},
    portal::PageError,
    routes,
    view::people::PeopleDoneView,
};

/// Loads what was done.
pub async fn load(context: &PageContext, event: &str) -> Result<Ready, PageError> {
    let view = context.portal.people_done(event).await?;
    let lang = context.lang;
    let event = &view.event;
    let subject = short(&event.subject, 64);
    let issued = matches!(event.change.as_str(), "issue_token" | "issue_enrolment");
    let content = Answer {
        state: State::Good,
        word: lang.t("people-done-word"),
        about: Vec::new(),
        headline: lang.tr(
            "people-done",
            [("change", lang.code_text("change", &event.change).into()), ("subject", subject.into())],
        ),
        lead: vec![lang.t(match (issued, view.secret.is_some()) {
            (true, true) => "people-done-once",
            (true, false) => "people-done-shown",
            (false, _) => "people-done-lead",
        })],
    };
    let title = content.headline.trim_end_matches('.').to_owned();
    let actions = view! {
        <p class="acts no-print"><a class="btn first" href=routes::PEOPLE>{lang.t("people-back")}</a></p>
    };
    let body = view! {
        {trail(vec![(routes::PEOPLE.to_owned(), lang.t("people-title"))], lang.t("done-trail"), lang)}
        {answer(content, actions.into_any())}
        {view.secret.as_ref().map(|secret| shown(context, &view, secret))}
        {line(&view, lang)}
    };
    Ok(Ready { title, room: Room::People, island: false, body: body.into_any() })
}

fn shown(context: &PageContext, view: &PeopleDoneView, secret: &str) -> AnyView {
    let lang = context.lang;
    let command = (view.event.change == "issue_enrolment").then(|| {
        let command = format!("acta enrol --server {} --token {secret}", context.base_url);
        view! { <p>{lang.t("enrol-command")}</p><pre class="command">{command}</pre> }
    });
    let body = view! { <pre class="command" id="token">{secret.to_owned()}</pre>{command} };
    part("h-token", lang.t("section-token"), note(lang.t("token-note")), body.into_any())
}

fn line(view: &PeopleDoneView, lang: Lang) -> AnyView {
    let event = &view.event;
    let mut told = vec![
        Fact::new(lang.t("event-head-number"), event.id.to_string()),
        Fact::new(lang.t("event-head-at"), moment::cell(event.at, lang)),
        Fact::new(lang.t("event-head-by"), by(&event.by, lang)),
        Fact::new(lang.t("event-head-change"), lang.code_text("change", &event.change)),
        Fact::new(lang.t("event-head-subject"), short(&event.subject, 64)),
    ];
    if !event.detail.is_empty() {
        told.push(Fact::code(lang.t("event-head-detail"), &event.detail));
    }
    let group = Group { title: String::new(), note: String::new(), facts: told };
    let body = facts(lang.t("section-line"), vec![group], lang);
    part("h-line", lang.t("section-line"), note(lang.t("events-note")), body)
}
