//! The filter's form: a plain GET, so that the address holds all of it.

use leptos::prelude::*;

use crate::{
    components::words,
    format::short,
    i18n::Lang,
    routes::RUNS,
    view::{RunFilter, RunsView},
};

const OUTCOMES: [&str; 6] =
    ["completed", "cancelled", "cancel_requested_but_completed", "failed", "crashed", "killed"];
const BUILDERS: [&str; 4] = ["tensorrt_rtx", "tensorrt", "external", "simulated"];
const CACHES: [&str; 6] = ["cold", "reused", "updated", "discarded", "quarantined", "not_applicable"];

/// Shows the form.
pub fn form(view: &RunsView, lang: Lang) -> AnyView {
    let RunFilter { route, outcome, builder, gpu, cache, tensorrt, q, sort, .. } = view.filter.clone();
    let plain = |values: &[String]| values.iter().map(|value| (value.clone(), short(value, 60))).collect();
    let codes = |codes: &[&str], word: &dyn Fn(&str) -> String| {
        codes.iter().map(|code| ((*code).to_owned(), word(code))).collect()
    };
    let fields = [
        select("route", plain(&view.choices.routes), route, lang),
        select("outcome", codes(&OUTCOMES, &|code| words::outcome(code, lang).1), outcome, lang),
        select("builder", codes(&BUILDERS, &|code| lang.code_text("builder", code)), builder, lang),
        select("gpu", plain(&view.choices.gpus), gpu, lang),
        select("cache", codes(&CACHES, &|code| lang.code_text("cache", code)), cache, lang),
        select("tensorrt", plain(&view.choices.tensorrt), tensorrt, lang),
    ];
    let sort = sort.map(|sort| view! { <input type="hidden" name="sort" value=sort/> });
    view! {
        <form action=RUNS method="get" class="stack" role="search" aria-labelledby="h-filter">
            <div class="fields">
                {fields.collect_view()}
                <p>
                    <label for="f-q">{lang.t("filter-q")}</label>
                    <input type="search" id="f-q" name="q" value=q.unwrap_or_default() maxlength="200"/>
                </p>
            </div>
            {sort}
            <p class="acts">
                <button class="btn first">{lang.t("filter-apply")}</button>
                <a href=RUNS>{lang.t("filter-clear")}</a>
            </p>
        </form>
    }
    .into_any()
}

fn select(
    name: &'static str,
    mut options: Vec<(String, String)>,
    chosen: Option<String>,
    lang: Lang,
) -> impl IntoView {
    // What the address asks for stays chosen, even where the ledger has no such value.
    if let Some(chosen) = chosen.as_ref().filter(|chosen| options.iter().all(|(value, _)| value != *chosen)) {
        options.push((chosen.clone(), short(chosen, 60)));
    }
    let options = options.into_iter().map(|(value, text)| {
        let selected = chosen.as_ref() == Some(&value);
        view! { <option value=value selected=selected>{text}</option> }
    });
    let id = format!("f-{name}");
    view! {
        <p>
            <label for=id.clone()>{lang.code_text("filter", name)}</label>
            <select id=id name=name><option value="">{lang.t("filter-any")}</option>{options.collect_view()}</select>
        </p>
    }
}
