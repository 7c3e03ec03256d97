//! The review of an order: whether it can be done, what changes, what follows; then the signature.

mod difference;

use acta_ledger::{
    evidence::{
        code,
        decision::ReasonCode,
        rollback::OrderAction,
        route::{CanaryStatus, ValidationStatus},
    },
    judge::route::Missing,
    log::digest::Sha256Digest,
};
use leptos::prelude::*;

use super::{
    super::{
        super::{Ready, Room},
        decide::{bullets, secrets, steps},
        form::{Typed, reason_field, text_field},
        headline::{decisive, way_of},
        refusal,
    },
    against, kept,
};
use crate::{
    components::{
        digest,
        layout::{Answer, Figure, answer, figures, note, part, trail},
        route::why,
        state::{State, state},
    },
    context::PageContext,
    format::{count, date, seconds, short},
    i18n::Lang,
    routes,
    view::route::{RetainedRow, RouteView},
};

/// Shows the review; `now` is what is known of the live bundle, `after` of the one that comes.
pub fn show(
    context: &PageContext,
    view: &RouteView,
    now: Option<&RouteView>,
    after: Option<&RouteView>,
    action: OrderAction,
    to: Sha256Digest,
) -> Ready {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let missing = against(view, after, action, to);
    let row = kept(view, to);
    let refusal = refused(view, action, to, &missing, lang);
    let can = refusal.is_none();
    let restore = row.and_then(|row| row.way_back.drill.as_ref()).and_then(|drill| drill.restore_ms);
    let content = Answer {
        state: if can { State::Attention } else { State::Bad },
        word: lang.t(if can { "review-word" } else { "review-refused-word" }),
        about: vec![short(name, 60)],
        headline: refusal.unwrap_or_else(|| title(action, to, restore, lang)),
        lead: vec![if can {
            lang.t(&format!("order-lead-{}", code(&action)))
        } else {
            lang.t("order-refused-lead")
        }],
    };
    let beside = view! {
        {refusal::shown(&context.query, Some(to), lang)}
        {can.then(|| key_figures(view, to, restore, lang))}
    };
    let second = action == OrderAction::Rollback && row.is_some_and(|row| row.needs_confirmation);
    let parts = can.then(|| {
        view! {
            {row.map(|row| ready(action, row, after, lang))}
            {(action != OrderAction::Drill).then(|| difference::part(view, now, after, action, to, lang))}
            {bullets(consequences(action, second, lang), lang)}
            {submit(context, view, action, to)}
        }
    });
    let lacking = (!can).then(|| lacking(view, action, to, &missing, lang));
    let links =
        vec![(routes::ROUTES.to_owned(), lang.t("nav-routes")), (routes::route(name), short(name, 100))];
    let here = match action {
        OrderAction::Rollback => lang.t("rollback-trail"),
        OrderAction::Drill => lang.t("order-trail-drill"),
        OrderAction::Deploy => lang.t("order-trail-deploy"),
    };
    let page_title = content.headline.trim_end_matches('.').to_owned();
    let body = view! {
        {trail(links, here, lang)}
        {steps(&routes::rollback(name), lang)}
        {answer(content, beside.into_any())}
        {parts}{lacking}
    };
    Ready { title: page_title, room: Room::Routes, island: false, body: body.into_any() }
}

fn title(action: OrderAction, to: Sha256Digest, restore: Option<f64>, lang: Lang) -> String {
    let bundle = ("bundle", to.short().into());
    match action {
        OrderAction::Rollback => {
            let known = if restore.is_some() { "yes" } else { "no" };
            let duration = restore.map(|ms| seconds(ms, lang)).unwrap_or_default();
            lang.tr("order-title-rollback", [bundle, ("known", known.into()), ("duration", duration.into())])
        }
        OrderAction::Drill => lang.tr("order-title-drill", [bundle]),
        OrderAction::Deploy => lang.tr("order-title-deploy", [bundle]),
    }
}

/// Why it cannot be ordered, by the one thing that decides.
fn refused(
    view: &RouteView,
    action: OrderAction,
    to: Sha256Digest,
    missing: &[Missing],
    lang: Lang,
) -> Option<String> {
    if !view.may_order {
        return Some(lang.t("order-cannot-role"));
    }
    let live = view.state.live.as_ref().and_then(|live| live.bundle);
    let why = match kept(view, to) {
        None => lang.t("order-not-retained"),
        Some(_) if action != OrderAction::Drill && live == Some(to) => lang.t("order-is-live"),
        Some(_) => why::missing(decisive(missing)?, way_for(view, action, to), lang),
    };
    let key = format!("order-refused-{}", code(&action));
    Some(lang.tr(&key, [("bundle", to.short().into()), ("why", why.into())]))
}

/// The bundle that a lack speaks of: what is to be restored, or for a deployment what one could go back to.
fn way_for(view: &RouteView, action: OrderAction, to: Sha256Digest) -> Option<Sha256Digest> {
    if action == OrderAction::Deploy { way_of(&view.state) } else { Some(to) }
}

fn lacking(
    view: &RouteView,
    action: OrderAction,
    to: Sha256Digest,
    missing: &[Missing],
    lang: Lang,
) -> AnyView {
    let name = &view.state.record.route_name;
    let items = missing.iter().map(|it| {
        let said = why::sentence(&why::missing(it, way_for(view, action, to), lang));
        view! { <li><div>{said}</div></li> }
    });
    let list = (!missing.is_empty()).then(|| view! { <ol class="needs">{items.collect_view()}</ol> });
    let drill = (action == OrderAction::Rollback && view.may_order && kept(view, to).is_some()).then(|| {
        let href = routes::order_review(name, "drill", to);
        view! { <a class="btn" href=href>{lang.t("choose-drill")}</a>" " }
    });
    let body = view! {
        {list}
        <p class="acts">
            {drill}
            <a class="btn" href=routes::rollback(name)>{lang.t("order-other")}</a>
            <a href=routes::route(name)>{lang.t("order-back")}</a>
        </p>
    };
    part("h-still", lang.t("section-still"), note(String::new()), body.into_any())
}

fn key_figures(view: &RouteView, to: Sha256Digest, restore: Option<f64>, lang: Lang) -> AnyView {
    let live = view.state.live.as_ref().and_then(|live| live.bundle);
    let figure =
        |key: &str, value: String| Figure { label: lang.t(key), value, unit: "", note: String::new() };
    let mut shown = vec![
        figure("figure-from", live.map_or_else(|| lang.t("figure-nothing-live"), |live| live.short())),
        figure("figure-to", to.short()),
    ];
    shown.extend(restore.map(|ms| figure("figure-restore", seconds(ms, lang))));
    figures(shown, None)
}

/// What a reader would check before signing.
fn ready(action: OrderAction, row: &RetainedRow, after: Option<&RouteView>, lang: Lang) -> AnyView {
    let way = &row.way_back;
    let index = |index: u64| ("index", count(index, lang).into());
    let retained = way.retained.map(|entry| {
        let text = lang.tr("ready-retained-text", [index(entry.index)]);
        view! {
            <li>
                {state(State::Good, lang.t("ready-retained"))}
                <div><p><a href=routes::entry(entry.index)>{text}</a></p></div>
            </li>
        }
    });
    let config = way.runtime_config.map(|config| {
        let text = lang.tr("ready-config-text", [("digest", config.short().into())]);
        view! {
            <li>{state(State::Good, lang.t("ready-config"))}<div><p title=config.to_string()>{text}</p></div></li>
        }
    });
    let drilled = way.drill.as_ref().filter(|_| way.lacks.is_empty()).map(|drill| {
        let text =
            lang.tr("ready-drilled-text", [("at", date(drill.at, lang).into()), index(drill.entry.index)]);
        let took =
            drill.restore_ms.map(|ms| lang.tr("ready-restore", [("duration", seconds(ms, lang).into())]));
        view! {
            <li>
                {state(State::Good, lang.t("ready-drilled"))}
                <div><p><a href=routes::entry(drill.entry.index)>{text}</a>" "{took}</p></div>
            </li>
        }
    });
    let served = |after: &&RouteView| after.state.record.validation_status == ValidationStatus::Pass;
    let approval = after.filter(|it| action == OrderAction::Rollback && !served(it)).and_then(|after| {
        let first = decisive(&after.state.missing)?;
        let why = why::missing(first, way_of(&after.state), lang);
        let text = lang.tr("ready-outdated-text", [("why", why.into())]);
        Some(view! {
            <li>{state(State::Attention, lang.t("ready-outdated"))}<div><p>{text}</p></div></li>
        })
    });
    let body = view! { <ul class="checks">{retained}{config}{drilled}{approval}</ul> };
    part("h-ready", lang.t("section-ready"), note(lang.t("ready-note")), body.into_any())
}

fn consequences(action: OrderAction, second: bool, lang: Lang) -> Vec<String> {
    let keys: &[&str] = match action {
        OrderAction::Rollback => &[
            "consequence-rollback-hold",
            "consequence-rollback-approvals",
            "consequence-rollback-failed",
            "consequence-order-final",
        ],
        OrderAction::Drill => &["consequence-drill", "consequence-drill-failed", "consequence-order-final"],
        OrderAction::Deploy => &["consequence-deploy", "consequence-order-final"],
    };
    let first = second.then(|| lang.t("consequence-second"));
    first.into_iter().chain(keys.iter().map(|key| lang.t(key))).collect()
}

fn submit(context: &PageContext, view: &RouteView, action: OrderAction, to: Sha256Digest) -> AnyView {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let typed = Typed::of(&context.query);
    // A canary that failed is the reason, unless somebody says another one.
    let failed = view.state.record.canary_status == CanaryStatus::Failed && action == OrderAction::Rollback;
    let reason = typed.reason().or(failed.then_some(ReasonCode::Canary));
    let reported = ["requested", "acknowledged", "restored", "verified"].map(|step| {
        view! {
            <li>
                <span class="what">{lang.code_text("step", step)}</span>" "
                <span class="how">{lang.code_text("reported", step)}</span>
            </li>
        }
    });
    let sign = lang.t(&format!("order-sign-{}", code(&action)));
    let body = view! {
        <form class="form" method="post" action=routes::orders(name)>
            <input type="hidden" name="action" value=code(&action)/>
            <input type="hidden" name="to" value=to.to_string()/>
            <div class="fields">
                {reason_field(reason, true, lang)}
                {text_field(&typed.text, true, lang)}
            </div>
            {secrets(context, view, view.step_up_needed)}
            <p class="acts">
                <button class="btn first">{sign}</button>
                <a class="btn" href=routes::route(name)>{lang.t("order-back")}</a>
            </p>
        </form>
        <h3>{lang.t("section-reported")}</h3>
        <ol class="moments four">{reported.collect_view()}</ol>
    };
    let bundle = digest::linked(&to, routes::route_bundle(name, to));
    let about = view! { <p>{bundle}</p><p>{lang.t("submit-note")}</p> };
    part("h-submit", lang.t("section-submit"), about.into_any(), body.into_any())
}
