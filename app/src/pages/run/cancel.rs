//! The cancel of a run: five moments, and what was open at them.

use acta_ledger::evidence::{
    artifact::Disposition,
    cancel::{CancelRecord, EscalationCause},
    code,
    number::ms,
    phase_tree::{Phase, PhaseTree},
};
use leptos::prelude::*;

use crate::{
    components::{
        layout::{self, capitalised, note},
        moment,
        moments::moments,
    },
    format::{count, number_word, seconds, seconds_figure, short},
    i18n::Lang,
    routes,
    view::RunView,
};

/// Open phases that are named; more are counted.
const NAMED: usize = 8;

/// Shows the part; nothing where nobody asked to stop.
pub fn part(view: &RunView, lang: Lang) -> AnyView {
    let Some(cancel) = &view.summary.cancel else {
        return ().into_any();
    };
    let tree = view.tree.as_ref();
    let answered = tree.and_then(|tree| tree.phases.iter().find(|phase| phase.answered_stop));
    let body = view! {
        {moments(cancel, answered.map(|phase| phase_link(phase).into_any()), ended(view, lang), lang)}
        {open(cancel, tree, lang)}
        {deferrals(cancel, lang)}
        {escalation(cancel, lang)}
        {by_portal(view, cancel, lang)}
    };
    layout::part("h-cancel", lang.t("section-cancel"), note(asked(cancel, lang)), body.into_any())
}

fn asked(cancel: &CancelRecord, lang: Lang) -> String {
    let source = lang.code_text("cancel-source", &code(&cancel.source));
    let who = cancel.who.as_ref().map(|who| lang.tr("cancel-who", [("who", short(who, 80).into())]));
    let reason = cancel
        .reason
        .as_ref()
        .map(|reason| lang.tr("cancel-reason", [("reason", short(reason, 240).into())]));
    let parts: Vec<String> = [Some(source), who, reason].into_iter().flatten().collect();
    capitalised(&parts.join(", "))
}

fn ended(view: &RunView, lang: Lang) -> [String; 2] {
    let summary = &view.summary;
    let returned = lang.t(if summary.plan().is_some() { "moment-plan-returned" } else { "moment-no-plan" });
    let of = |disposition: Disposition| {
        summary.artifacts.iter().filter(|artifact| artifact.disposition == disposition).count()
    };
    let values = [
        ("removed", of(Disposition::Removed).into()),
        ("quarantined", of(Disposition::Quarantined).into()),
        ("status", lang.code_text("cleanup", &code(&summary.cleanup_status)).into()),
    ];
    [returned, lang.tr("moment-cleaned-up", values)]
}

fn phase_link(phase: &Phase) -> impl IntoView + use<> {
    view! { <a href=format!("#phase-{}", phase.id)><bdi>{short(&phase.name, 80)}</bdi></a> }
}

/// The phases that were open at the request and at the acknowledgement.
fn open(cancel: &CancelRecord, tree: Option<&PhaseTree>, lang: Lang) -> AnyView {
    let Some(tree) = tree else {
        return ().into_any();
    };
    let names = |ids: &[u32]| {
        let known = ids.iter().filter_map(|&id| tree.phases.get(id as usize)).take(NAMED);
        let links = known.enumerate().map(|(at, phase)| {
            let comma = (at > 0).then_some(", ");
            view! { {comma}{phase_link(phase)} }
        });
        let more = ids.len().saturating_sub(NAMED);
        let more = (more > 0).then(|| {
            format!(
                " {}",
                lang.tr("open-more", [("n", more.into()), ("shown", count(more as u64, lang).into())])
            )
        });
        view! { {links.collect_view()}{more}"." }
    };
    let line = |key: &str, ids: &[u32]| {
        let values =
            [("n", ids.len().into()), ("shown", capitalised(&number_word(ids.len() as u64, lang)).into())];
        let names = (!ids.is_empty()).then(|| names(ids));
        view! { <p class="finding">{lang.tr(key, values)}" "{names}</p> }.into_any()
    };
    let same = cancel.open_at_request == cancel.open_at_acknowledgement && !cancel.open_at_request.is_empty();
    let lines = if same {
        line("open-at-both", &cancel.open_at_request)
    } else {
        let acknowledged = cancel.acknowledged_at.is_some();
        view! {
            {line("open-at-request", &cancel.open_at_request)}
            {acknowledged.then(|| line("open-at-acknowledgement", &cancel.open_at_acknowledgement))}
        }
        .into_any()
    };
    view! { {lines}<p class="small quiet">{lang.t("only-steps")}</p> }.into_any()
}

/// The person's request, as the portal signed it, and how its moment came onto the agent's clock.
fn by_portal(view: &RunView, cancel: &CancelRecord, lang: Lang) -> AnyView {
    let (Some(request), Some(reference)) = (&view.cancel_request, &cancel.request) else {
        return ().into_any();
    };
    let asked = [
        ("who", short(&request.account, 60).into()),
        ("role", lang.code_text("role", &request.role).into()),
        ("at", moment::words_ms(request.at, lang).into()),
    ];
    let clock = match (reference.uncertainty_ms, cancel.requested_offset_ns) {
        (Some(uncertainty), Some(offset)) => {
            let offset = format!("{}\u{a0}s", seconds_figure(ms(offset.0), lang));
            let margin = format!("±\u{a0}{}", seconds(uncertainty, lang));
            lang.tr("cancel-clock", [("offset", offset.into()), ("uncertainty", margin.into())])
        }
        (None, _) => lang.t("cancel-clock-unknown"),
        (Some(_), None) => String::new(),
    };
    let entry = request.entry.map(|entry| {
        let text = lang.tr("cancel-by-portal-entry", [("entry", entry.to_string().into())]);
        view! { " "<a href=routes::entry(entry)>{text}</a> }
    });
    view! { <p class="finding" id="cancel-request">{lang.tr("cancel-by-portal", asked)}{entry}" "{clock}</p> }
        .into_any()
}

/// Who ended the builder, where no step did.
fn escalation(cancel: &CancelRecord, lang: Lang) -> AnyView {
    let Some(escalation) = &cancel.escalation else {
        return ().into_any();
    };
    let values = [
        ("after", seconds(escalation.after_ms, lang).into()),
        ("deadline", seconds(escalation.deadline_ms.unwrap_or_default(), lang).into()),
        ("from", short(escalation.deadline_from.as_deref().unwrap_or("-"), 120).into()),
    ];
    let text = match escalation.cause {
        EscalationCause::ThirdCtrlC => lang.tr("escalation-third-ctrl-c", values),
        EscalationCause::StopDeadline => lang.tr("escalation-stop-deadline", values),
    };
    view! { <p class="finding" id="escalation">{text}</p> }.into_any()
}

fn deferrals(cancel: &CancelRecord, lang: Lang) -> AnyView {
    let lines = cancel.deferrals.iter().map(|deferral| {
        let values = [
            ("window", lang.code_text("window", &code(&deferral.window)).into()),
            ("duration", seconds(deferral.deferred_ms, lang).into()),
        ];
        view! { <li>{lang.tr("deferral", values)}</li> }
    });
    (!cancel.deferrals.is_empty())
        .then(|| view! { <ul class="bullets">{lines.collect_view()}</ul> })
        .into_any()
}
