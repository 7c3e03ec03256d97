//! The first sentence: how many runs need a person, and why.

use acta_ledger::{
    evidence::{artifact::CleanupStatus, build::Outcome},
    judge::attention::{Need, need},
};
use leptos::prelude::*;

use super::{
    address::{address, without},
    matching,
};
use crate::{
    components::{
        layout::{Answer, answer as show, capitalised},
        state::State,
        words,
    },
    context::PageContext,
    format::{count, number_word, short},
    i18n::Lang,
    view::{RunRow, RunsView},
};

/// Why a row needs a person.
pub fn need_of(row: &RunRow) -> Option<Need> {
    need(words::parsed::<Outcome>(&row.outcome)?, words::parsed::<CleanupStatus>(&row.cleanup)?)
}

/// Shows the answer.
pub fn answer(context: &PageContext, view: &RunsView) -> AnyView {
    let lang = context.lang;
    if view.total == 0 {
        return none_yet(context);
    }
    if view.matching == 0 {
        return none_match(view, lang);
    }
    let filtered = !view.query.filter.is_empty();
    let scope = lang.t(if filtered { "runs-scope-matching" } else { "runs-scope-all" });
    let about = vec![scope.clone()];
    let values = |shown: String| {
        [
            ("n", view.need_a_person.into()),
            ("shown", shown.into()),
            ("total", view.matching.into()),
            ("all", matching(view, lang).into()),
            ("filtered", if filtered { "yes" } else { "no" }.into()),
        ]
    };
    if view.need_a_person == 0 {
        let content = Answer {
            state: State::Good,
            word: lang.t("runs-fine-word"),
            about,
            headline: lang.tr("runs-fine", values(String::new())),
            lead: vec![lang.t("runs-fine-lead")],
        };
        return show(content, ().into_any());
    }
    let mut headline = capitalised(&lang.tr("runs-need", values(number_word(view.need_a_person, lang))));
    let causes = causes(view, lang);
    if !causes.is_empty() {
        headline.push_str(": ");
        headline.push_str(&causes.join(", "));
    }
    headline.push('.');
    let rest = view.matching > view.need_a_person;
    let content = Answer {
        state: State::Attention,
        word: lang.tr("runs-need-word", values(count(view.need_a_person, lang))),
        about,
        headline,
        lead: rest.then(|| lang.t("runs-rest")).into_iter().collect(),
    };
    show(content, ().into_any())
}

/// What they need a person for, where this page's rows are all of them: a part would not be the answer.
fn causes(view: &RunsView, lang: Lang) -> Vec<String> {
    let mut needs: Vec<Need> = view.rows.iter().filter_map(need_of).collect();
    if needs.len() as u64 != view.need_a_person {
        return Vec::new();
    }
    needs.sort_unstable();
    needs
        .chunk_by(|a, b| a == b)
        .map(|same| {
            let key = match same[0] {
                Need::CleanupFailed => "need-cleanup-failed",
                Need::Crashed => "need-crashed",
                Need::Killed => "need-killed",
                Need::Failed => "need-failed",
                Need::CancelIgnored => "need-cancel-ignored",
                Need::Quarantined => "need-quarantined",
            };
            let n = same.len() as u64;
            lang.tr(key, [("n", n.into()), ("shown", number_word(n, lang).into())])
        })
        .collect()
}

fn none_yet(context: &PageContext) -> AnyView {
    let lang = context.lang;
    let enrol = format!("acta enrol --server {} --token TOKEN\nacta build model.onnx", context.base_url);
    let how = view! {
        <div class="form">
            <p>{lang.t("runs-none-yet-server")}</p>
            <pre class="command">"acta-server agent token --label builder-1"</pre>
            <p>{lang.t("runs-none-yet-builder")}</p>
            <pre class="command">{enrol}</pre>
        </div>
    };
    let content = Answer {
        state: State::Neutral,
        word: lang.t("runs-none-word"),
        about: Vec::new(),
        headline: lang.t("runs-none-yet"),
        lead: vec![lang.t("runs-none-yet-lead")],
    };
    show(content, how.into_any())
}

fn none_match(view: &RunsView, lang: Lang) -> AnyView {
    let mut fields: Vec<(&str, Vec<String>)> = Vec::new();
    for (field, term) in view.query.filter.terms() {
        let value = term.strip_prefix(field).map_or(term.as_str(), |it| it.trim_start_matches([':', '=']));
        let value = match field {
            "outcome" | "builder" | "cache" => lang.code_text(field, value),
            "state" => lang.code_text("filter-state", value),
            "need" => lang.code_text("filter-need", value),
            _ => short(value, 60),
        };
        match fields.last_mut().filter(|(last, _)| *last == field) {
            Some((_, values)) => values.push(value),
            None => fields.push((field, vec![value])),
        }
    }
    let drops = fields.into_iter().map(|(field, values)| {
        let href = address(&without(&view.query, field));
        let values = [("field", lang.code_text("filter", field).into()), ("value", values.join(" ").into())];
        view! { <a class="btn" href=href>{lang.tr("runs-drop", values)}</a>" " }
    });
    let ways = view! {
        <p class="acts">
            {drops.collect_view()}<a href=crate::routes::RUNS>{lang.t("filter-clear")}</a>
        </p>
    };
    let content = Answer {
        state: State::Neutral,
        word: lang.t("runs-none-word"),
        about: Vec::new(),
        headline: lang
            .tr("runs-none-match", [("n", view.total.into()), ("all", count(view.total, lang).into())]),
        lead: vec![lang.t("runs-none-match-lead")],
    };
    show(content, ways.into_any())
}
