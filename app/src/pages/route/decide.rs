//! The review of a decision: everything that will be signed, what follows from it, what it rests on; then the signature.

use acta_ledger::{
    evidence::{
        code,
        decision::{DecisionKind, Incomplete},
    },
    judge::route::{HistoryItem, Missing, RouteState},
};
use leptos::prelude::*;

use super::{
    super::{Ready, Room},
    form::{self, Typed},
    headline::way_of,
    history, refusal,
};
use crate::{
    address::{percent_encode, query_value},
    components::{
        facts::{Fact, Group, facts},
        layout::{Answer, answer, note, part, scroll, trail},
        route::{why, words},
        state::State,
    },
    context::PageContext,
    format::{count, short, visible_lines},
    i18n::Lang,
    portal::PageError,
    routes,
    view::route::RouteView,
};

/// Loads the review of what the address asks for.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let view = super::look(context, name).await?;
    Ok(show(context, &view))
}

fn show(context: &PageContext, view: &RouteView) -> Ready {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let typed = Typed::of(&context.query);
    let kind = typed.decision();
    let may = kind.and_then(|kind| view.decisions.iter().find(|may| may.kind == kind));
    let refused = kind.is_some() && may.is_none_or(|may| !form::is_open(may));
    let lacks = kind.map_or_else(Vec::new, |kind| lacks(kind, &typed));
    let content = Answer {
        state: if refused { State::Bad } else { State::Attention },
        word: lang.t(if refused { "review-refused-word" } else { "review-word" }),
        about: vec![short(name, 60)],
        headline: headline(kind, refused, view, lang),
        lead: vec![lang.t("review-lead")],
    };
    let beside = view! {
        {refusal::shown(&context.query, way_of(&view.state), lang)}
        {lacking(&lacks, lang)}
        <p class="acts">
            <a class="btn" href=change_address(view, &typed)>{lang.t("review-change")}</a>
            <a href=back_address(view)>{lang.t("review-back")}</a>
        </p>
    };
    let rest = kind.filter(|_| !refused).map(|kind| {
        view! {
            {changed(context, view)}
            {signed(kind, &typed, view, lang)}
            {consequences(kind, &view.state, lang)}
            {evidence(&view.state, lang)}
            {lacks.is_empty().then(|| submit(context, kind, &typed, view))}
        }
    });
    let title = content.headline.trim_end_matches('.').to_owned();
    let links =
        vec![(routes::ROUTES.to_owned(), lang.t("nav-routes")), (back_address(view), short(name, 100))];
    let body = view! {
        {trail(links, lang.t("review-trail"), lang)}
        {steps(&change_address(view, &typed), lang)}
        {answer(content, beside.into_any())}
        {rest}
    };
    Ready { title, room: Room::Routes, island: false, body: body.into_any() }
}

/// The three steps of a guarded action; this is the second.
pub fn steps(first: &str, lang: Lang) -> AnyView {
    view! {
        <ol class="steps" aria-label=lang.t("steps-label")>
            <li>"1 "<a href=first.to_owned()>{lang.t("step-form")}</a></li>
            <li aria-current="step">"2 "{lang.t("step-review")}</li>
            <li>"3 "{lang.t("step-result")}</li>
        </ol>
    }
    .into_any()
}

fn headline(kind: Option<DecisionKind>, refused: bool, view: &RouteView, lang: Lang) -> String {
    let Some(kind) = kind else {
        return lang.t("review-title-none");
    };
    let dashed = code(&kind).replace('_', "-");
    if refused {
        let may = view.decisions.iter().find(|may| may.kind == kind);
        return may.and_then(|may| form::refusal(may, view, lang)).unwrap_or_else(|| {
            lang.tr(&format!("decide-cannot-{dashed}"), [("why", lang.t("objection-role").into())])
        });
    }
    let record = &view.state.record;
    let bundle = record.bundle_digest.map(|bundle| bundle.0.short()).unwrap_or_default();
    let values = [("bundle", bundle.into()), ("route", short(&record.route_name, 100).into())];
    lang.tr(&format!("review-title-{dashed}"), values)
}

/// What is not filled in; whether dates lie in the future is for the server's clock to say.
fn lacks(kind: DecisionKind, typed: &Typed) -> Vec<Incomplete> {
    use DecisionKind::{Approve, Hold, LiftHold, Override, Reject};
    let reasoned = matches!(kind, Hold | Reject | Override);
    let terms = !typed.hold_owner.is_empty() && !typed.review_at.is_empty();
    let overrides = !typed.gates().is_empty() && !typed.expires_at.is_empty();
    [
        (reasoned && typed.reason().is_none(), Incomplete::ReasonCode),
        (kind != Approve && typed.text.trim().is_empty(), Incomplete::Text),
        (kind == Hold && !terms, Incomplete::HoldTerms),
        (kind == Override && !overrides, Incomplete::OverrideTerms),
    ]
    .into_iter()
    .filter_map(|(lacks, what)| (lacks && (kind != LiftHold || what == Incomplete::Text)).then_some(what))
    .collect()
}

fn lacking(lacks: &[Incomplete], lang: Lang) -> AnyView {
    if lacks.is_empty() {
        return ().into_any();
    }
    let text = lang.tr("review-lacking", [("lacks", why::incomplete(lacks, lang).into())]);
    view! { <div class="reason attention" role="alert"><p>{text}</p></div> }.into_any()
}

/// Back to the form, with everything that was typed.
fn change_address(view: &RouteView, typed: &Typed) -> String {
    let mut address = back_address(view);
    for (name, value) in typed.pairs() {
        let sign = if address.contains('?') { '&' } else { '?' };
        address.push_str(&format!("{sign}{name}={}", percent_encode(&value)));
    }
    format!("{address}#h-decide")
}

fn back_address(view: &RouteView) -> String {
    let record = &view.state.record;
    match record.bundle_digest {
        Some(bundle) => routes::route_bundle(&record.route_name, bundle.0),
        None => routes::route(&record.route_name),
    }
}

/// What has been logged on the route since the form was made.
fn changed(context: &PageContext, view: &RouteView) -> AnyView {
    let lang = context.lang;
    let seen = query_value(&context.query, "seen_size").and_then(|size| size.parse::<u64>().ok());
    let newer: Vec<&HistoryItem> = view
        .state
        .history
        .iter()
        .rev()
        .filter(|item| seen.is_some_and(|seen| item.entry.index >= seen))
        .collect();
    if newer.is_empty() {
        return ().into_any();
    }
    let table = history::table(&newer, &view.state, lang);
    let body = view! { <p><strong>{lang.t("review-changed")}</strong></p>{table} };
    part("h-changed", lang.t("section-history"), note(String::new()), body.into_any())
}

fn signed(kind: DecisionKind, typed: &Typed, view: &RouteView, lang: Lang) -> AnyView {
    let record = &view.state.record;
    let reason = typed.reason().map(|reason| code(&reason));
    let reason = reason.map_or_else(
        || Fact::new(lang.t("decide-reason-code"), lang.t("sign-none")),
        |code| {
            let word = lang.code_text("reason-code", &code);
            Fact::new(
                lang.t("decide-reason-code"),
                view! { <code>{code}</code>" "<span class="quiet">{word}</span> },
            )
        },
    );
    let text = if typed.text.trim().is_empty() {
        Fact::new(lang.t("decide-text"), lang.t("sign-none"))
    } else {
        let text = visible_lines(typed.text.trim());
        Fact::new(lang.t("decide-text"), view! { <p class="typed"><bdi>{text}</bdi></p> })
    };
    let mut told = vec![
        Fact::code("route_name", &record.route_name),
        Fact::code("bundle_digest", &record.bundle_digest.map(|it| it.to_string()).unwrap_or_default()),
        Fact::new(lang.t("decide-kind"), lang.code_text("decision", &code(&kind))),
        reason,
        text,
    ];
    if kind == DecisionKind::Hold {
        told.push(Fact::new(lang.t("decide-hold-owner"), short(&typed.hold_owner, 128)));
        told.push(Fact::new(lang.t("decide-review-at"), short(&typed.review_at, 40)));
    }
    if kind == DecisionKind::Override {
        told.push(Fact::new(lang.t("decide-gates"), words::gates(&typed.gates(), lang)));
        told.push(Fact::new(lang.t("decide-expires"), short(&typed.expires_at, 40)));
    }
    let size = lang.tr("sign-seen-size", [("size", count(view.seen.size, lang).into())]);
    told.push(Fact::new(lang.t("sign-seen"), size));
    let group = Group { title: String::new(), note: String::new(), facts: told };
    let body = facts(lang.t("section-sign"), vec![group], lang);
    part("h-sign", lang.t("section-sign"), note(lang.t("sign-note")), body)
}

fn consequences(kind: DecisionKind, state: &RouteState, lang: Lang) -> AnyView {
    let mut said = match kind {
        DecisionKind::Approve => {
            let more = state.missing.iter().find_map(|it| match it {
                Missing::Approvals { counted, needed } => Some(needed.saturating_sub(*counted)),
                _ => None,
            });
            let more = more.unwrap_or(1).saturating_sub(1);
            let first = if more == 0 {
                lang.t("consequence-approve-last")
            } else {
                lang.tr("consequence-approve-more", [("n", more.into())])
            };
            vec![first, lang.t("consequence-approve-bound")]
        }
        DecisionKind::Hold => vec![lang.t("consequence-hold"), lang.t("consequence-hold-live")],
        DecisionKind::Reject => vec![lang.t("consequence-reject"), lang.t("consequence-reject-research")],
        DecisionKind::Override => {
            vec![lang.t("consequence-override"), lang.t("consequence-override-visible")]
        }
        DecisionKind::LiftHold => vec![lang.t("consequence-lift")],
    };
    said.push(lang.t("consequence-final"));
    bullets(said, lang)
}

/// Consequences, one a line.
pub fn bullets(said: Vec<String>, lang: Lang) -> AnyView {
    let items = said.into_iter().map(|text| view! { <li>{text}</li> });
    let body = view! { <ul class="bullets">{items.collect_view()}</ul> };
    part("h-consequences", lang.t("section-consequences"), note(String::new()), body.into_any())
}

/// The entries that the decision will name, by their leaf hashes.
fn evidence(state: &RouteState, lang: Lang) -> AnyView {
    let mut rows = Vec::new();
    for gate in &state.gates {
        let name = ("gate", gate.gate.to_string().into());
        let what = lang.tr("evidence-gate", [name, ("name", words::gate_name(gate.gate, lang).into())]);
        rows.extend(gate.entry.map(|entry| (what, entry)));
        rows.extend(gate.overrides.iter().filter(|it| it.objections.is_empty()).map(|it| {
            let name = ("gate", gate.gate.to_string().into());
            (lang.tr("evidence-override", [name, ("who", short(&it.account, 64).into())]), it.entry)
        }));
    }
    if let Some(way) = &state.way_back {
        rows.extend(way.retained.map(|entry| (lang.t("evidence-retained"), entry)));
        rows.extend(way.drill.as_ref().map(|drill| (lang.t("evidence-drill"), drill.entry)));
    }
    let n = rows.len();
    let rows = rows.into_iter().map(|(what, entry)| {
        view! {
            <tr>
                <th scope="row">{what}</th>
                <td class="n"><a href=routes::entry(entry.index)>{count(entry.index, lang)}</a></td>
                <td><code class="digest" title=entry.leaf.to_string()>{entry.leaf.short()}</code></td>
            </tr>
        }
    });
    let body = if n == 0 {
        view! { <p>{lang.t("evidence-none")}</p> }.into_any()
    } else {
        let table = view! {
            <table class="compact">
                <caption class="vh">{lang.t("section-evidence")}</caption>
                <thead><tr>
                    <th scope="col">{lang.t("evidence-head-what")}</th>
                    <th scope="col" class="n">{lang.t("evidence-head-entry")}</th>
                    <th scope="col">{lang.t("evidence-head-leaf")}</th>
                </tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        };
        scroll(&lang.t("section-evidence"), lang, table.into_any())
    };
    let said = lang.tr("evidence-note", [("n", n.into())]);
    part("h-evidence", lang.t("section-evidence"), note(said), body)
}

fn submit(context: &PageContext, kind: DecisionKind, typed: &Typed, view: &RouteView) -> AnyView {
    let (lang, name) = (context.lang, &view.state.record.route_name);
    let bundle = view.state.record.bundle_digest.map(|bundle| bundle.0.to_string()).unwrap_or_default();
    let typed = typed.pairs().into_iter().map(|(name, value)| {
        view! { <input type="hidden" name=name value=value/> }
    });
    let password = view.step_up_needed && kind != DecisionKind::Hold;
    let body = view! {
        <form class="form" method="post" action=routes::decisions(name)>
            {typed.collect_view()}
            <input type="hidden" name="bundle" value=bundle/>
            <input type="hidden" name="seen_size" value=view.seen.size.to_string()/>
            {secrets(context, view, password)}
            <p class="acts">
                <button class="btn first">{lang.t("review-sign")}</button>
                <a class="btn" href=back_address(view)>{lang.t("review-back")}</a>
            </p>
        </form>
    };
    part("h-submit", lang.t("section-submit"), note(lang.t("submit-note")), body.into_any())
}

/// The key and token that every signed form carries, and the password where it must be given again.
pub fn secrets(context: &PageContext, view: &RouteView, password: bool) -> AnyView {
    let lang = context.lang;
    // Only a form that may still be worked on keeps its key: with another one it would act twice.
    let working = refusal::code_of(&context.query).as_deref() == Some("in_progress");
    let kept = query_value(&context.query, "key").filter(|key| working && key.len() <= 100);
    let key = kept.unwrap_or_else(|| view.form_key.clone());
    let password = password.then(|| {
        let wrong = refusal::code_of(&context.query).as_deref() == Some("wrong_password");
        let described = if wrong { "password-note refused" } else { "password-note" };
        view! {
            <p class="password">
                <label for="password">{lang.t("review-password")}</label>
                <input type="password" id="password" name="password" required maxlength="1024"
                    autocomplete="current-password" aria-describedby=described
                    aria-invalid=wrong.then_some("true") autofocus=wrong/>
                <span class="small quiet" id="password-note">{lang.t("review-password-note")}</span>
            </p>
        }
    });
    view! {
        <input type="hidden" name="key" value=key/>
        <input type="hidden" name="form_token" value=context.portal.viewer().form_token/>
        {password}
    }
    .into_any()
}
