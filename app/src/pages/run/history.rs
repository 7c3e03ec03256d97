//! The run among the runs of its kind.

use acta_ledger::evidence::build::BuilderKind;
use leptos::prelude::*;

use crate::{
    components::{
        history::{Kind, judged, picture},
        layout::{note, part as section},
    },
    context::PageContext,
    routes,
    view::RunView,
};

/// Shows the part; nothing for a run that is alone of its kind.
pub fn part(context: &PageContext, view: &RunView) -> AnyView {
    let lang = context.lang;
    let id = view.summary.run.id.to_string();
    let kind = view.history.iter().find(|row| row.id == id).and_then(Kind::of);
    let Some(kind) = kind else { return ().into_any() };
    let found = judged(&view.history, &kind);
    if found.rows.len() < 2 {
        return ().into_any();
    }
    let config = view.summary.build_config_hash;
    let others = lang.tr("history-others", [("n", found.rows.len().into())]);
    let simulated = (view.summary.builder == BuilderKind::Simulated)
        .then(|| view! { <p class="small quiet">{lang.t("lead-simulated")}</p> });
    let body = view! {
        {picture(context, &found, "history", Some(&id), &config)}
        {simulated}
        <p><a href=routes::configuration(config)>{lang.t("history-all")}</a></p>
    };
    section("h-history", lang.t("history-title"), note(others), body.into_any())
}
