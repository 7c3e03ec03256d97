//! The signed result: what was decided or ordered, the record after it, what is still missing, and the checks.

use acta_ledger::{
    evidence::{code, decision::RouteDecision, rollback::RollbackOrder, route::ValidationStatus},
    log::digest::Sha256Digest,
};
use leptos::prelude::*;

use super::{
    super::{Ready, Room},
    headline::{may_not, way_of},
};
use crate::{
    components::{
        checks,
        facts::{Fact, Group, facts},
        layout::{Answer, answer, note, part, raw, trail},
        moment,
        route::{record::record, why, words},
        state::State,
    },
    context::PageContext,
    format::{count, short, visible_lines},
    i18n::Lang,
    islands::verify::VerifyAlarm,
    portal::PageError,
    routes,
    view::route::DoneView,
};

/// Loads what an entry of a route signed.
pub async fn load(context: &PageContext, route: &str, entry: &str) -> Result<Ready, PageError> {
    let view = context.portal.done(route, entry).await?;
    // The digest of the stored bytes: what the browser's own checks are held against.
    let stored = context.portal.entry(&view.entry.to_string()).await?;
    let lang = context.lang;
    let bundle = view.decision.as_ref().map(|it| it.bundle_digest.0).or(view.order.as_ref().map(|it| it.to));
    // Which bundle the way back leads to stands in the route's state; without it the sentences say less.
    let now = match bundle {
        Some(bundle) => context.portal.route(&view.route, Some(&bundle.to_string())).await.ok(),
        None => None,
    };
    let way = now.as_ref().and_then(|now| way_of(&now.state));
    let back = match bundle {
        Some(bundle) => routes::route_bundle(&view.route, bundle),
        None => routes::route(&view.route),
    };
    let content = Answer {
        state: State::Good,
        word: lang.t("done-word"),
        about: vec![short(&view.route, 60)],
        headline: headline(&view, lang),
        lead: lead(&view, way, lang),
    };
    let to_entry = lang.tr("done-to-entry", [("entry", count(view.entry, lang).into())]);
    let trace = bundle.map(|bundle| {
        view! { <a href=routes::trace(bundle, &view.route)>{lang.t("act-trace")}</a>" " }
    });
    let actions = view! {
        <p class="acts">
            <a class="btn first" href=back.clone()>{lang.t("done-to-route")}</a>
            {trace}<a href=routes::entry(view.entry)>{to_entry}</a>
        </p>
    };
    let links = vec![(routes::ROUTES.to_owned(), lang.t("nav-routes")), (back, short(&view.route, 100))];
    let after =
        part("h-after", lang.t("section-after"), note(lang.t("after-note")), record(&view.record, lang));
    let title = content.headline.trim_end_matches('.').to_owned();
    let body = view! {
        {trail(links, lang.t("done-trail"), lang)}
        <VerifyAlarm/>
        {answer(content, actions.into_any())}
        {view.decision.as_ref().map(|it| decided(it, lang))}
        {view.order.as_ref().map(|it| ordered(it, lang))}
        {after}
        {still(&view, way, lang)}
        {checks::checks(context, view.entry, stored.digest, &view.verification)}
        {statement(&view, lang)}
    };
    Ok(Ready { title, room: Room::Routes, island: true, body: body.into_any() })
}

fn headline(view: &DoneView, lang: Lang) -> String {
    let entry = ("entry", count(view.entry, lang).into());
    match (&view.decision, &view.order) {
        (Some(decision), _) => {
            let key = format!("done-{}", code(&decision.decision).replace('_', "-"));
            lang.tr(&key, [entry, ("bundle", decision.bundle_digest.0.short().into())])
        }
        (None, Some(order)) => {
            let key = match (&order.confirmed_by, order.needs_confirmation) {
                (Some(_), _) => "done-confirmed".to_owned(),
                (None, true) => "done-asked".to_owned(),
                (None, false) => format!("done-{}", code(&order.action)),
            };
            lang.tr(&key, [entry, ("bundle", order.to.short().into())])
        }
        (None, None) => lang.tr("done-other", [entry]),
    }
}

fn lead(view: &DoneView, way: Option<Sha256Digest>, lang: Lang) -> Vec<String> {
    let decided = view.decision.as_ref().map(|it| (&it.by, it.at));
    let ordered = |it: &RollbackOrder| it.confirmed_by.clone().unwrap_or_else(|| it.by.clone());
    let by = view.order.as_ref().map(ordered);
    let signed = decided.or(by.as_ref().zip(view.order.as_ref().map(|it| it.at)));
    let mut lead: Vec<String> = signed
        .map(|(by, at)| {
            let who = ("who", short(&by.account, 64).into());
            lang.tr("done-by", [who, ("at", moment::words(at, lang).into())])
        })
        .into_iter()
        .collect();
    if view.record.validation_status == ValidationStatus::Pass {
        lead.push(lang.t("done-served"));
    } else {
        lead.push(may_not(&view.record, &view.missing, way, lang));
    }
    if let Some(order) = &view.order {
        let waits = order.needs_confirmation && order.confirmed_by.is_none();
        lead.push(lang.t(if waits { "done-asked-lead" } else { "done-order-lead" }));
    }
    lead
}

fn typed(name: String, text: &str) -> Fact {
    Fact::new(name, view! { <p class="typed"><bdi>{visible_lines(text)}</bdi></p> })
}

fn decided(decision: &RouteDecision, lang: Lang) -> AnyView {
    let mut told = vec![
        Fact::new(lang.t("decide-kind"), lang.code_text("decision", &code(&decision.decision))),
        Fact::code("bundle_digest", &decision.bundle_digest.to_string()),
    ];
    if let Some(reason) = &decision.reason_code {
        told.push(Fact::new(lang.t("decide-reason-code"), lang.code_text("reason-code", &code(reason))));
    }
    told.extend(decision.text.as_ref().map(|text| typed(lang.t("decide-text"), text)));
    if let Some(hold) = &decision.hold {
        told.push(Fact::new(lang.t("decide-hold-owner"), short(&hold.owner, 128)));
        told.push(Fact::new(lang.t("decide-review-at"), moment::cell(hold.review_at, lang)));
    }
    if let Some(overrides) = &decision.overrides {
        told.push(Fact::new(lang.t("decide-gates"), words::gates(&overrides.gates, lang)));
        told.push(Fact::new(lang.t("decide-expires"), moment::cell(overrides.expires_at, lang)));
    }
    let n = decision.evidence.len();
    told.push(Fact::new(lang.t("section-evidence"), lang.tr("evidence-note", [("n", n.into())])));
    let size = lang.tr("sign-seen-size", [("size", count(decision.seen.size, lang).into())]);
    told.push(Fact::new(lang.t("sign-seen"), size));
    table("h-decided", lang.t("section-decided"), told, lang)
}

fn ordered(order: &RollbackOrder, lang: Lang) -> AnyView {
    let mut told = vec![
        Fact::new(lang.t("decide-kind"), lang.code_text("action", &code(&order.action))),
        Fact::code(lang.t("figure-to"), &order.to.to_string()),
    ];
    told.extend(order.from.map(|from| Fact::code(lang.t("figure-from"), &from.to_string())));
    told.push(Fact::code(lang.t("diff-config"), &order.runtime_config.to_string()));
    told.push(Fact::new(lang.t("ordered-by"), short(&order.by.account, 64)));
    if let Some(second) = &order.confirmed_by {
        told.push(Fact::new(lang.t("ordered-confirmed"), short(&second.account, 64)));
    }
    let reason = lang.code_text("reason-code", &code(&order.reason_code));
    told.push(Fact::new(lang.t("decide-reason-code"), reason));
    told.push(typed(lang.t("decide-text"), &order.text));
    table("h-ordered", lang.t("section-ordered"), told, lang)
}

fn table(id: &'static str, title: String, told: Vec<Fact>, lang: Lang) -> AnyView {
    let group = Group { title: String::new(), note: String::new(), facts: told };
    part(id, title.clone(), note(String::new()), facts(title, vec![group], lang))
}

fn still(view: &DoneView, way: Option<Sha256Digest>, lang: Lang) -> AnyView {
    let body = if view.missing.is_empty() {
        view! { <p>{lang.t("missing-none")}</p> }.into_any()
    } else {
        let items = view.missing.iter().map(|it| {
            let said = why::sentence(&why::missing(it, way, lang));
            view! { <li><div>{said}</div></li> }
        });
        view! { <ol class="needs">{items.collect_view()}</ol> }.into_any()
    };
    part("h-still", lang.t("section-still"), note(String::new()), body)
}

fn statement(view: &DoneView, lang: Lang) -> AnyView {
    let body = view! {
        <details>
            <summary>{lang.t("statement-show")}</summary>
            {raw(lang.t("section-statement"), &view.statement, lang)}
        </details>
    };
    part("h-statement", lang.t("section-statement"), note(lang.t("statement-note")), body.into_any())
}
