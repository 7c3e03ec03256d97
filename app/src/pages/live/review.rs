//! The review of a request to cancel a build: what is asked for, what it will meet, and who will have asked.

use leptos::prelude::*;

use super::{
    super::{Ready, Room},
    cancel, headline, name, seconds,
};
use crate::{
    address::query_value,
    components::{
        facts::{Fact, Group, facts},
        layout::{Answer, answer, note, part, trail},
        state::State,
    },
    context::PageContext,
    format::short,
    i18n::Lang,
    portal::PageError,
    routes,
    view::live::LiveBuildView,
};

/// The reasons of a refusal that the catalogues put into words; others are shown as the server said them.
const REFUSALS: [&str; 5] = ["missing_reason", "text_too_long", "too_late", "already_asked", "not_allowed"];

/// Loads the review.
pub async fn load(context: &PageContext, run: &str) -> Result<Ready, PageError> {
    let view = context.portal.live_build(run).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &LiveBuildView) -> Ready {
    let lang = context.lang;
    let reason = query_value(&context.query, "reason").unwrap_or_default();
    let open = view.may_cancel && cancel::is_open(view);
    let model = name(&view.build.model);
    let content = Answer {
        state: if open { State::Attention } else { State::Bad },
        word: lang.t(if open { "cancel-review-word" } else { "cancel-review-closed" }),
        about: vec![model.clone()],
        headline: lang.tr("cancel-review-title", [("model", model.clone().into())]),
        lead: vec![if view.may_cancel { cancel::way(view, lang) } else { lang.t("cancel-may-not") }],
    };
    let back = routes::live_build(view.build.run);
    let beside = view! {
        {refusal(&context.query, lang)}
        {open.then(|| submit(context, view, &reason))}
        <p class="acts"><a href=back.clone()>{lang.t("cancel-review-back")}</a></p>
    };
    let links = vec![(routes::LIVE.to_owned(), lang.t("nav-live")), (back, model)];
    let title = content.headline.clone();
    let body = view! {
        {trail(links, lang.t("cancel-review-trail"), lang)}
        {answer(content, beside.into_any())}
        {now(context, view)}
    };
    Ready { title, room: Room::Elsewhere, island: false, body: body.into_any() }
}

fn refusal(query: &str, lang: Lang) -> Option<AnyView> {
    let code = query_value(query, "error")?;
    let text = if REFUSALS.contains(&code.as_str()) {
        lang.code_text("cancel-refused", &code)
    } else {
        short(&query_value(query, "detail").unwrap_or(code), 300)
    };
    Some(view! { <div class="reason bad" role="alert"><p>{text}</p></div> }.into_any())
}

fn submit(context: &PageContext, view: &LiveBuildView, reason: &str) -> AnyView {
    let lang = context.lang;
    let viewer = context.portal.viewer();
    view! {
        <form class="form" method="post" action=routes::cancel_build(view.build.run)>
            <input type="hidden" name="form_token" value=viewer.form_token/>
            <p>
                <label for="cancel-why">{lang.t("cancel-why")}</label>
                <input type="text" id="cancel-why" name="reason" required=true maxlength="500" value=reason.to_owned()/>
            </p>
            <p class="acts">
                <button class="btn">{lang.t("cancel-submit")}</button>
                <span class="small quiet">
                    {lang.tr("cancel-recorded", [("account", short(&viewer.name.unwrap_or_default(), 60).into())])}
                </span>
            </p>
        </form>
    }
    .into_any()
}

/// What the build is doing, as it was when the page was made.
fn now(context: &PageContext, view: &LiveBuildView) -> AnyView {
    let lang = context.lang;
    let fact = |key: &str, value: String| Fact::new(lang.t(key), value);
    let open: Vec<String> = view
        .state
        .iter()
        .flat_map(|state| state.open_phases().map(|phase| name(&phase.name)).collect::<Vec<_>>())
        .collect();
    let list = vec![
        fact("cancel-fact-now", headline::headline(view, lang)),
        fact("live-agent", short(&view.agent, 60)),
        fact("cancel-fact-open", if open.is_empty() { lang.t("cancel-fact-none") } else { open.join(" > ") }),
        fact(
            "cancel-fact-silence",
            view.silence_ns().map_or_else(|| lang.t("cancel-fact-none"), |ns| seconds(ns, lang)),
        ),
    ];
    let group = Group { title: String::new(), note: String::new(), facts: list };
    let body = facts(lang.t("section-cancel-now"), vec![group], lang);
    part("h-now", lang.t("section-cancel-now"), note(lang.t("cancel-now-note")), body)
}
