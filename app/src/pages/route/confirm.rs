//! The review of a confirmation: what another person ordered, what speaks against it by now; then the second signature.

use acta_ledger::{evidence::code, judge::route::Objection};
use leptos::prelude::*;

use super::{
    super::{Ready, Room},
    decide::{bullets, secrets, steps},
    refusal,
};
use crate::{
    components::{
        facts::{Fact, Group, facts},
        layout::{Answer, answer, note, part, trail},
        moment,
        route::why::{self, Who},
        state::State,
    },
    context::PageContext,
    format::{age, count, short, visible_lines},
    i18n::Lang,
    portal::PageError,
    routes,
    view::route::{MayConfirm, RouteView},
};

/// Loads the order that waits.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let view = context.portal.route(name, None).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &RouteView) -> Ready {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let waiting = view.confirm.as_ref();
    let against = waiting.map_or_else(Vec::new, |waiting| against(waiting, lang));
    let can = waiting.is_some() && against.is_empty();
    let headline = match waiting {
        None => lang.t("confirm-title-none"),
        Some(waiting) if can => {
            let by = ("who", short(&waiting.order.by.account, 64).into());
            lang.tr("confirm-title", [by, ("bundle", waiting.order.to.short().into())])
        }
        Some(_) => lang.tr("confirm-cannot", [("why", why::listed(&against, lang).into())]),
    };
    let lead = match waiting {
        None => lang.t("confirm-lead-none"),
        Some(waiting) => {
            let values = [
                ("at", moment::words(waiting.order.at, lang).into()),
                ("age", age(waiting.order.at, view.now, lang).into()),
            ];
            lang.tr("confirm-lead", values)
        }
    };
    let content = Answer {
        state: if waiting.is_none() || can { State::Attention } else { State::Bad },
        word: lang.t(if waiting.is_none() || can { "review-word" } else { "review-refused-word" }),
        about: vec![short(name, 60)],
        headline,
        lead: vec![lead],
    };
    let title = content.headline.trim_end_matches('.').to_owned();
    let to = waiting.map(|waiting| waiting.order.to);
    let links =
        vec![(routes::ROUTES.to_owned(), lang.t("nav-routes")), (routes::route(name), short(name, 100))];
    let body = view! {
        {trail(links, lang.t("confirm-trail"), lang)}
        {steps(&routes::route(name), lang)}
        {answer(content, refusal::shown(&context.query, to, lang))}
        {waiting.map(|waiting| ordered(waiting, lang))}
        {can.then(|| bullets(consequences(lang), lang))}
        {waiting.filter(|_| can).map(|waiting| submit(context, view, waiting))}
        {(!can).then(|| view! {
            <p class="acts"><a class="btn" href=routes::route(name)>{lang.t("order-back")}</a></p>
        })}
    };
    Ready { title, room: Room::Routes, island: false, body: body.into_any() }
}

/// What speaks against the viewer or the order, as clauses; the password is asked for below and is no reason against it.
fn against(waiting: &MayConfirm, lang: Lang) -> Vec<String> {
    let person = waiting.objections.iter().filter(|it| **it != Objection::NotSteppedUp);
    let mut why: Vec<String> = person.map(|it| why::objection(it, Who::You, lang)).collect();
    if !waiting.role_allows && why.is_empty() {
        why.push(lang.t("objection-role"));
    }
    why.extend(waiting.missing.iter().map(|it| why::missing(it, Some(waiting.order.to), lang)));
    why
}

fn ordered(waiting: &MayConfirm, lang: Lang) -> AnyView {
    let order = &waiting.order;
    let entry = lang.tr("gate-entry", [("index", count(waiting.entry, lang).into())]);
    let reason = lang.code_text("reason-code", &code(&order.reason_code));
    let text = visible_lines(&order.text);
    let told = vec![
        Fact::new(lang.t("decide-kind"), lang.code_text("action", &code(&order.action))),
        Fact::new(lang.t("ordered-by"), short(&order.by.account, 64)),
        Fact::code(
            lang.t("figure-from"),
            &order.from.map_or_else(|| lang.t("figure-nothing-live"), |from| from.to_string()),
        ),
        Fact::code(lang.t("figure-to"), &order.to.to_string()),
        Fact::code(lang.t("diff-config"), &order.runtime_config.to_string()),
        Fact::new(lang.t("decide-reason-code"), reason),
        Fact::new(lang.t("ordered-text"), view! { <p class="typed"><bdi>{text}</bdi></p> }),
        Fact::new(lang.t("confirm-entry"), view! { <a href=routes::entry(waiting.entry)>{entry}</a> }),
    ];
    let group = Group { title: String::new(), note: String::new(), facts: told };
    let body = facts(lang.t("section-ordered"), vec![group], lang);
    part("h-ordered", lang.t("section-ordered"), note(lang.t("confirm-note")), body)
}

fn consequences(lang: Lang) -> Vec<String> {
    ["consequence-confirm", "consequence-rollback-failed", "consequence-order-final"]
        .map(|key| lang.t(key))
        .to_vec()
}

fn submit(context: &PageContext, view: &RouteView, waiting: &MayConfirm) -> AnyView {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let body = view! {
        <form class="form" method="post" action=routes::confirmations(name)>
            <input type="hidden" name="order" value=waiting.order.order.to_string()/>
            {secrets(context, view, view.step_up_needed)}
            <p class="acts">
                <button class="btn first">{lang.t("confirm-sign")}</button>
                <a class="btn" href=routes::route(name)>{lang.t("order-back")}</a>
            </p>
        </form>
    };
    part("h-submit", lang.t("section-submit"), note(lang.t("submit-note")), body.into_any())
}
