//! The five moments of a cancel: requested, delivered, acknowledged, returned, cleaned.

use acta_ledger::{
    evidence::{
        cancel::CancelRecord,
        number::{Count64, ms},
    },
    log::timestamp::Timestamp,
};
use leptos::prelude::*;

use super::moment;
use crate::{
    format::{NOTHING, seconds_figure, time_ms},
    i18n::Lang,
};

/// Waits from this many milliseconds on are drawn as waits.
const SLOW_MS: f64 = 100.0;

struct Moment {
    what: String,
    at: Option<f64>,
    clock: Option<Timestamp>,
    how: AnyView,
    /// What passes until the next moment, and whether it is the wait that a reader looks for.
    gap: Option<(String, bool)>,
}

/// Shows the moments. `answered_in` is the phase whose step answered, `ended` says what came back and what was cleaned.
pub fn moments(
    cancel: &CancelRecord,
    answered_in: Option<AnyView>,
    ended: [String; 2],
    lang: Lang,
) -> AnyView {
    let offset = |at: Option<Count64>| at.map(|at| ms(at.0));
    let requested = offset(cancel.requested_offset_ns);
    let delivery = cancel.request_to_delivery_ms;
    let wait = cancel.request_to_ack_ms.map(|ms| ms - delivery.unwrap_or(0.0));
    let tidy = cancel.ack_to_cleanup_ms.zip(cancel.ack_to_return_ms).map(|(cleanup, back)| cleanup - back);
    let gap = |ms: Option<f64>| ms.map(|ms| (brief(ms.max(0.0), lang), false));
    let waited = match (wait, cancel.censored_after_ms) {
        (Some(ms), _) => Some((brief(ms.max(0.0), lang), ms >= SLOW_MS)),
        (None, Some(ms)) => Some((format!("> {}", brief(ms, lang)), true)),
        (None, None) => None,
    };
    let source = lang.code_text("cancel-source", &acta_ledger::evidence::code(&cancel.source));
    let [returned, cleaned] = ended;
    let held = match cancel.deferrals.len() {
        0 => lang.t("moment-not-held"),
        windows => lang.tr("moment-held", [("n", windows.into())]),
    };
    let answer = match (answered_in, cancel.acknowledged_at) {
        (Some(phase), Some(_)) => view! { {lang.t("moment-answered-in")}" "{phase} }.into_any(),
        (None, Some(_)) => lang.t("moment-answered").into_any(),
        (_, None) => lang.t("moment-never-answered").into_any(),
    };
    let [returned, cleaned] = [returned, cleaned].map(IntoAny::into_any);
    let moments = [
        Moment {
            what: lang.t("moment-requested"),
            at: requested,
            clock: Some(cancel.requested_at),
            how: source.into_any(),
            gap: gap(delivery),
        },
        Moment {
            what: lang.t("moment-delivered"),
            at: requested.zip(delivery).map(|(at, ms)| at + ms),
            clock: cancel.delivered_at,
            how: if cancel.delivered_at.is_some() { held } else { lang.t("moment-never-delivered") }
                .into_any(),
            gap: waited,
        },
        Moment {
            what: lang.t("moment-acknowledged"),
            at: offset(cancel.acknowledged_offset_ns),
            clock: cancel.acknowledged_at,
            how: answer,
            gap: gap(cancel.ack_to_return_ms),
        },
        Moment {
            what: lang.t("moment-returned"),
            at: offset(cancel.returned_offset_ns),
            clock: cancel.returned_at,
            how: returned,
            gap: gap(tidy),
        },
        Moment {
            what: lang.t("moment-cleaned"),
            at: offset(cancel.cleaned_offset_ns),
            clock: cancel.cleaned_at,
            how: cleaned,
            gap: None,
        },
    ];
    let items = moments.into_iter().map(|moment| item(moment, lang));
    view! { <ol class="moments">{items.collect_view()}</ol> }.into_any()
}

fn item(moment: Moment, lang: Lang) -> impl IntoView {
    let slow = moment.gap.as_ref().is_some_and(|&(_, slow)| slow);
    let gap = moment.gap.map(|(text, _)| view! { <span class="gap">{text}</span> });
    let when =
        moment.at.map_or_else(|| NOTHING.to_owned(), |at| format!("{}\u{a0}s", seconds_figure(at, lang)));
    let clock = moment.clock.map(|at| {
        view! { <span class="how">{moment::written(at, format!("{}\u{a0}UTC", time_ms(at)), lang)}</span> }
    });
    view! {
        <li class=slow.then_some("slow")>
            {gap}<span class="what">{moment.what}</span>" "<span class="when">{when}</span>" "{clock}" "
            <span class="how">{moment.how}</span>
        </li>
    }
}

/// A gap: milliseconds below a tenth of a second, else seconds to the millisecond.
fn brief(ms: f64, lang: Lang) -> String {
    if ms < SLOW_MS {
        crate::format::seconds(ms, lang)
    } else {
        format!("{}\u{a0}s", seconds_figure(ms, lang))
    }
}
