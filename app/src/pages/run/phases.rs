//! The phases of a run: the finding, the picture, the table.

use std::collections::HashSet;

use acta_ledger::{
    evidence::{number::ms, phase_tree::PhaseTree},
    judge::{
        own_time::{by_name, own_times},
        silence::share,
    },
};
use leptos::prelude::*;

use crate::{
    components::{
        layout::{self, note},
        phase_table::{PhaseRows, phase_table},
        timeline::timeline,
    },
    format::{count, file_name, percent, seconds, short},
    i18n::Lang,
    routes,
    view::RunView,
};

/// A silence that fills at least this share of the build is the finding; below, it is where the time went.
const TELLING: f64 = 0.25;

/// Shows the part; a run without phases says so.
pub fn part(view: &RunView, lang: Lang) -> AnyView {
    let title = lang.t("section-phases");
    let Some(tree) = view.tree.as_ref().filter(|tree| !tree.phases.is_empty()) else {
        let text = view.tree_problem.as_ref().map_or_else(
            || lang.t("phases-none"),
            |problem| lang.tr("phases-problem", [("problem", short(problem, 240).into())]),
        );
        return layout::part("h-phases", title, note(String::new()), view! { <p>{text}</p> }.into_any());
    };
    let rows = PhaseRows::new(tree);
    let shown: HashSet<u32> = rows.shown().collect();
    let network = file_name(&view.summary.network.source);
    let picture = timeline(tree, view.summary.cancel.as_ref(), network, |id| shown.contains(&id), lang);
    let merged = picture.contains("class=\"crowd\"").then(|| format!(" {}", lang.t("phases-legend-merged")));
    let json = view.summary.phase_tree.as_ref().map(|tree| routes::blob(tree.digest)).unwrap_or_default();
    let body = view! {
        <figure>
            <figcaption><strong>{finding(tree, lang)}</strong>" "{lang.t("phases-legend")}{merged}</figcaption>
            <div class="picture" inner_html=picture></div>
        </figure>
        {phase_table(tree, &rows, json, lang)}
    };
    layout::part("h-phases", title, head(view, tree, lang), body.into_any())
}

fn head(view: &RunView, tree: &PhaseTree, lang: Lang) -> AnyView {
    let threads: HashSet<u32> = tree.phases.iter().map(|phase| phase.thread).collect();
    let counts = lang.tr(
        "phases-counts",
        [
            ("phases", tree.phases.len().into()),
            ("phases_shown", count(tree.phases.len() as u64, lang).into()),
            ("callbacks_shown", count(tree.callbacks, lang).into()),
            ("threads", threads.len().into()),
        ],
    );
    let missing = tree.lost_events + tree.orphan_events + tree.phases_not_kept;
    let accounted = if missing == 0 {
        lang.t("phases-accounted")
    } else {
        lang.tr(
            "phases-missing",
            [
                ("lost", count(tree.lost_events, lang).into()),
                ("orphans", count(tree.orphan_events, lang).into()),
                ("dropped", count(tree.phases_not_kept, lang).into()),
            ],
        )
    };
    let tree_blob = view.summary.phase_tree.as_ref().map(|tree| {
        view! { <li><a href=routes::blob(tree.digest)>{lang.t("phases-json")}</a></li> }
    });
    let events = view.summary.events.as_ref().map(|events| {
        view! { <li><a href=routes::blob(events.digest)>{lang.t("phases-events")}</a></li> }
    });
    let trace = routes::chrome_trace(&view.summary.run.id.to_string());
    view! {
        <p>{counts}" "{accounted}</p>
        <ul class="no-print">
            {tree_blob}{events}<li><a href=trace download="">{lang.t("phases-trace")}</a></li>
        </ul>
    }
    .into_any()
}

/// What the picture shows, in words.
fn finding(tree: &PhaseTree, lang: Lang) -> String {
    let total = tree.duration.0 as f64;
    let silence =
        tree.silence.map(|silence| (silence, share(silence.length_ns() as f64, total).unwrap_or(0.0)));
    let name = |id: u32| tree.phases.get(id as usize).map(|phase| short(&phase.name, 80));
    if let Some((silence, part)) = silence.filter(|&(_, part)| part >= TELLING) {
        let (duration, share) = (seconds(ms(silence.length_ns()), lang), percent(part, lang));
        return match silence.phase.and_then(name) {
            Some(phase) => lang.tr(
                "finding-silence-in",
                [("duration", duration.into()), ("share", share.into()), ("phase", phase.into())],
            ),
            None => lang.tr("finding-silence", [("duration", duration.into()), ("share", share.into())]),
        };
    }
    let own = own_times(tree);
    match by_name(tree, &own).first() {
        Some(most) => lang.tr(
            "finding-own-time",
            [
                ("phase", short(most.name, 80).into()),
                ("n", most.phases.into()),
                ("shown", count(most.phases as u64, lang).into()),
                ("duration", seconds(ms(most.own_ns), lang).into()),
                ("share", percent(share(most.own_ns as f64, total).unwrap_or(0.0), lang).into()),
            ],
        ),
        None => String::new(),
    }
}
