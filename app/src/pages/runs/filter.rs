//! The filter's form: a plain GET, so that the address holds all of it. What its lists do not show stands as text.

use acta_ledger::judge::filter::{
    BUILDERS, Bounds, CACHES, Filter, MAX_BYTES, OUTCOMES, Order, STATES, Text,
};
use leptos::prelude::*;

use crate::{
    components::words,
    format::short,
    i18n::Lang,
    routes::RUNS,
    view::{RunQuery, RunsView},
};

/// Ages that the form offers, as they stand behind `age`; any other stands as text.
const AGES: [&str; 4] = ["<1d", "<7d", "<30d", "<90d"];

/// Shows the form, and the whole filter as text.
pub fn form(view: &RunsView, lang: Lang) -> AnyView {
    let filter = &view.query.filter;
    let (chosen, rest) = parted(filter);
    let plain = |values: &[String]| values.iter().map(|value| (value.clone(), short(value, 60))).collect();
    let codes = |codes: &[&str], word: &dyn Fn(&str) -> String| {
        codes.iter().map(|code| ((*code).to_owned(), word(code))).collect()
    };
    let coded = |prefix: &'static str, all: &[&str]| codes(all, &|code| lang.code_text(prefix, code));
    let ages = codes(&AGES, &|age| {
        lang.tr(
            "filter-age-days",
            [("n", age.trim_matches(['<', 'd']).parse::<u64>().unwrap_or_default().into())],
        )
    });
    let select = |name: &'static str, options| select(name, options, chosen.get(name), lang);
    let fields = [
        select("route", plain(&view.choices.routes)),
        select("state", coded("filter-state", &STATES)),
        select("outcome", codes(&OUTCOMES, &|code| words::outcome(code, lang).1)),
        select("need", coded("filter-need", &["person"])),
        select("age", ages),
        select("cache", coded("cache", &CACHES)),
        select("gpu", plain(&view.choices.gpus)),
        select("builder", coded("builder", &BUILDERS)),
        select("tensorrt", plain(&view.choices.tensorrt)),
    ];
    view! {
        <form action=RUNS method="get" class="stack" role="search" aria-labelledby="h-filter">
            <div class="fields">
                {fields.collect_view()}
                <p>
                    <label for="f-q">{lang.t("filter-q")}</label>
                    <input type="search" id="f-q" name="q" value=rest maxlength=MAX_BYTES.to_string()/>
                </p>
            </div>
            {sort(view.query.order)}
            <p class="acts">
                <button class="btn first">{lang.t("filter-apply")}</button>
                <a href=RUNS>{lang.t("filter-clear")}</a>
            </p>
        </form>
        {text(&view.query, lang)}
    }
    .into_any()
}

/// The whole filter as text, to be changed there or taken to an address, the API or a command.
fn text(asked: &RunQuery, lang: Lang) -> AnyView {
    view! {
        <form action=RUNS method="get" class="stack" aria-label=lang.t("filter-text")>
            <p>
                <label for="f-text">{lang.t("filter-text")}</label>
                <input type="text" id="f-text" name="q" class="code" value=asked.filter.to_string()
                    maxlength=MAX_BYTES.to_string() aria-describedby="f-text-note" spellcheck="false"
                    autocapitalize="none"/>
            </p>
            {sort(asked.order)}
            <p class="small quiet" id="f-text-note">
                {lang.t("filter-text-note")}" "<code>"gpu:H200 cache:cold outcome:cancelled age<7d state:hold"</code>
            </p>
            <p class="acts"><button class="btn">{lang.t("filter-apply")}</button></p>
        </form>
    }
    .into_any()
}

fn sort(order: Order) -> Option<AnyView> {
    let other = order != Order::default();
    other.then(|| view! { <input type="hidden" name="sort" value=order.to_string()/> }.into_any())
}

/// What the lists show, by field, and the text of all else.
fn parted(filter: &Filter) -> (std::collections::HashMap<&'static str, String>, String) {
    let mut shown: std::collections::HashMap<_, _> = filter.codes().into_iter().collect();
    for (name, text) in [("route", &filter.route), ("gpu", &filter.gpu), ("tensorrt", &filter.tensorrt)] {
        if let Some(Text::Exactly(whole)) = text {
            shown.insert(name, whole.clone());
        }
    }
    let age = Filter { age: Bounds { above_ms: None, ..filter.age }, ..Filter::default() }.to_string();
    let age = age.strip_prefix("age").unwrap_or_default();
    if filter.age.above_ms.is_none() && AGES.contains(&age) {
        shown.insert("age", age.to_owned());
    }
    let rest = shown.keys().fold(filter.clone(), |rest, field| rest.without(field));
    (shown, rest.to_string())
}

fn select(
    name: &'static str,
    mut options: Vec<(String, String)>,
    chosen: Option<&String>,
    lang: Lang,
) -> impl IntoView {
    // What the address asks for stays chosen, even where the ledger has no such value.
    if let Some(chosen) = chosen.filter(|chosen| options.iter().all(|(value, _)| value != *chosen)) {
        options.push((chosen.clone(), short(chosen, 60)));
    }
    let options = options.into_iter().map(|(value, text)| {
        let selected = chosen == Some(&value);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_list_shows_is_not_in_the_text() {
        let (shown, rest) =
            parted(&"gpu=\"NVIDIA H200\" route:bench outcome:failed age<7d silence>5s net".parse().unwrap());
        let mut shown: Vec<_> = shown.into_iter().collect();
        shown.sort();
        assert_eq!(
            shown,
            [("age", "<7d".to_owned()), ("gpu", "NVIDIA H200".to_owned()), ("outcome", "failed".to_owned())]
        );
        assert_eq!(rest, "route:bench silence>5s net");
        let (shown, rest) = parted(&"age>1d age<7d".parse().unwrap());
        assert_eq!((shown.len(), rest.as_str()), (0, "age>1d age<7d"));
    }
}
