//! The cancel of a build that runs: its five moments as they come, and the way to ask for one.

use acta_ledger::{evidence::code, judge::live::CancelWay, live::LiveCancel};
use leptos::prelude::*;

use super::seconds;
use crate::{
    components::moment,
    format::{NOTHING, short},
    i18n::Lang,
    routes,
    view::live::{LiveBuildView, RequestView},
};

/// One of the five.
struct Moment {
    key: &'static str,
    /// When, in nanoseconds since the attempt began, by the agent's clock; none where it has not come.
    at: Option<u64>,
    /// What passed since the moment before.
    gap: Option<u64>,
    how: AnyView,
}

/// The moments; nothing where nobody has asked.
pub fn moments(view: &LiveBuildView, lang: Lang) -> Option<AnyView> {
    let state = view.state.as_ref();
    let cancel = state.and_then(|state| state.cancel.as_ref());
    if cancel.is_none() && view.request.is_none() {
        return None;
    }
    let started = state.map_or(0, |state| state.started.0);
    let of = |pick: fn(&LiveCancel) -> Option<u64>| cancel.and_then(pick);
    let requested = of(|cancel| Some(cancel.requested.0));
    let delivered = of(|cancel| cancel.delivered.map(|at| at.0));
    let acknowledged = of(|cancel| cancel.acknowledged.map(|at| at.0));
    let returned = of(|cancel| cancel.returned.map(|at| at.0));
    let cleaned = of(|cancel| cancel.cleaned.map(|at| at.0));
    let gap = |from: Option<u64>, to: Option<u64>| Some(to?.saturating_sub(from?));
    let wait = |at: Option<u64>, done: &str, pending: &str| {
        lang.t(if at.is_some() { done } else { pending }).into_any()
    };
    let over = state.is_some_and(|state| state.end.is_some());
    let pending = |key: &'static str| if over { "live-moment-never" } else { key };
    let moments = [
        Moment { key: "moment-requested", at: requested, gap: None, how: asked(view, cancel, lang) },
        Moment {
            key: "moment-delivered",
            at: delivered,
            gap: gap(requested, delivered),
            how: delivery(cancel, delivered, over, lang),
        },
        Moment {
            key: "moment-acknowledged",
            at: acknowledged,
            gap: gap(delivered.or(requested), acknowledged),
            how: wait(acknowledged, "moment-answered", pending("live-moment-step")),
        },
        Moment {
            key: "moment-returned",
            at: returned,
            gap: gap(acknowledged.or(requested), returned),
            how: wait(returned, "live-moment-returned", pending("live-moment-return")),
        },
        Moment {
            key: "moment-cleaned",
            at: cleaned,
            gap: gap(returned.or(requested), cleaned),
            how: wait(cleaned, "live-moment-cleaned", pending("live-moment-clean")),
        },
    ];
    let items = moments.into_iter().map(|moment| item(moment, started, lang)).collect_view();
    Some(view! { <ol class="moments">{items}</ol>{note(view.request.as_ref(), lang)} }.into_any())
}

fn item(moment: Moment, started: u64, lang: Lang) -> AnyView {
    let when = moment.at.map_or_else(|| NOTHING.to_owned(), |at| seconds(at.saturating_sub(started), lang));
    let gap = moment.gap.map(|ns| {
        let text = lang.tr("live-gap", [("duration", crate::format::seconds(ns as f64 / 1e6, lang).into())]);
        view! { <span class="how">{text}</span> }
    });
    let come = if moment.at.is_some() { "come" } else { "pending" };
    view! {
        <li class=come data-moment=moment.key>
            <span class="what">{lang.t(moment.key)}</span>" "<span class="when">{when}</span>" "{gap}" "
            <span class="how">{moment.how}</span>
        </li>
    }
    .into_any()
}

/// Who asked, and why.
fn asked(view: &LiveBuildView, cancel: Option<&LiveCancel>, lang: Lang) -> AnyView {
    let source = cancel.map(|cancel| cancel.source);
    let source = source.map_or_else(
        || lang.code_text("cancel-source", "api"),
        |it| lang.code_text("cancel-source", &code(&it)),
    );
    let who = match (&view.request, cancel.and_then(|cancel| cancel.who.as_ref())) {
        (Some(request), _) => {
            Some(format!("{}, {}", short(&request.account, 60), lang.code_text("role", &request.role)))
        }
        (None, who) => who.map(|who| short(who, 60)),
    };
    let reason = view.request.as_ref().map(|request| &request.reason);
    let reason = reason.or_else(|| cancel.and_then(|cancel| cancel.reason.as_ref()));
    let who = who.map(|who| view! { ", "<bdi>{who}</bdi> });
    let reason = reason.map(|reason| view! { ": “"<bdi>{short(reason, 240)}</bdi>"”" });
    view! { {source}{who}{reason} }.into_any()
}

fn delivery(cancel: Option<&LiveCancel>, delivered: Option<u64>, over: bool, lang: Lang) -> AnyView {
    match (delivered, cancel.and_then(|cancel| cancel.held_by)) {
        (_, Some(window)) => {
            let window = lang.code_text("live-window", &code(&window));
            lang.tr("live-moment-held", [("window", window.into())]).into_any()
        }
        (Some(_), None) => lang.t("moment-not-held").into_any(),
        (None, None) if over => lang.t("moment-never-delivered").into_any(),
        (None, None) => lang.t("live-moment-deliver").into_any(),
    }
}

/// The portal's request as evidence, and whose clock says what.
fn note(request: Option<&RequestView>, lang: Lang) -> Option<AnyView> {
    let request = request?;
    let text = lang.tr("live-request-note", [("at", moment::words_ms(request.at, lang).into())]);
    let entry = request.entry.map(|entry| {
        view! { " "<a href=routes::entry(entry)>{lang.tr("live-request-entry", [("entry", entry.to_string().into())])}</a> }
    });
    Some(view! { <p class="small quiet">{text}{entry}</p> }.into_any())
}

/// What a request would meet, in words.
pub fn way(view: &LiveBuildView, lang: Lang) -> String {
    match view.way {
        CancelWay::After(window) => {
            let window = lang.code_text("live-window", &code(&window));
            lang.tr("cancel-way-after", [("window", window.into())])
        }
        CancelWay::Now => lang.t("cancel-way-now"),
        CancelWay::Unseen => lang.t("cancel-way-unseen"),
        CancelWay::WhenBack => lang.t("cancel-way-when-back"),
        CancelWay::Again => lang.t("cancel-way-again"),
        CancelWay::TooLate => lang.t("cancel-way-too-late"),
    }
}

/// Whether a request can be made at all.
pub fn is_open(view: &LiveBuildView) -> bool {
    !matches!(view.way, CancelWay::Again | CancelWay::TooLate)
}

/// The form that leads to the review; where nobody can ask, why.
pub fn ask(view: &LiveBuildView, lang: Lang) -> AnyView {
    let finding = view! { <p class="finding">{way(view, lang)}</p> };
    if !is_open(view) {
        return finding.into_any();
    }
    if !view.may_cancel {
        return view! { {finding}<p class="reason">{lang.t("cancel-may-not")}</p> }.into_any();
    }
    let action = routes::cancel_build(view.build.run);
    view! {
        {finding}
        <form class="form" method="get" action=action>
            <p>
                <label for="cancel-why">{lang.t("cancel-why")}</label>
                <input type="text" id="cancel-why" name="reason" required=true maxlength="500"/>
            </p>
            <p class="acts"><button class="btn">{lang.t("cancel-to-review")}</button></p>
        </form>
    }
    .into_any()
}
