//! Why a run took longer, or less long, than the baseline: an ordered list, each line with the entries it rests on.

use acta_ledger::{
    evidence::code,
    judge::{
        baseline::Standing,
        compare::why::{Cause, What, Why},
    },
};
use leptos::prelude::*;

use super::{
    Shown,
    value::{signed, text, times},
};
use crate::{
    components::layout::{note, part as section},
    format::{NOTHING, count, percent, seconds, short},
    i18n::Lang,
    routes,
};

/// Shows the part.
pub fn part(shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let each = shown.compared.why.iter().map(|why| one(why, shown)).collect_view();
    section("h-why", lang.t("compare-why"), note(lang.t("compare-why-note")), each.into_any())
}

fn one(why: &Why, shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let names = shown.names();
    let head = headline(why, &names[0], &names[why.run], lang);
    let causes = why.causes.iter().map(|it| view! { <li><p>{cause(it, why, shown)}</p></li> });
    let list = if why.causes.is_empty() {
        view! { <p>{lang.t("compare-why-nothing")}</p> }.into_any()
    } else {
        view! { <ol class="causes">{causes.collect_view()}</ol> }.into_any()
    };
    view! { <section class="stack"><h3>{head}</h3>{usual(why, lang)}{list}</section> }.into_any()
}

/// By how much, or that nothing is said about it.
pub fn headline(why: &Why, first: &str, this: &str, lang: Lang) -> String {
    let names = || [("first", first.to_owned().into()), ("run", this.to_owned().into())];
    let Some(by) = why.by_ms else { return lang.tr("compare-why-refused", names()) };
    let values = [
        ("first", first.to_owned().into()),
        ("run", this.to_owned().into()),
        ("by", seconds(by.abs(), lang).into()),
        ("times", why.ratio.map_or_else(|| NOTHING.to_owned(), |ratio| times(ratio, lang)).into()),
    ];
    if why.is_near() && by != 0.0 {
        lang.tr("compare-why-near", values)
    } else if by > 0.0 {
        lang.tr("compare-why-longer", values)
    } else if by < 0.0 {
        lang.tr("compare-why-shorter", values)
    } else {
        lang.tr("compare-why-same", names())
    }
}

/// How the time stands to those of builds like the baseline: a difference within what is usual is no difference.
fn usual(why: &Why, lang: Lang) -> AnyView {
    let Some(usual) = &why.usual else { return ().into_any() };
    let time = |ms: Option<f64>| ms.map_or_else(|| NOTHING.to_owned(), |ms| seconds(ms, lang));
    let key = match usual.standing {
        Standing::TooSmall => "compare-usual-too-small",
        Standing::Within => "compare-usual-within",
        Standing::BeyondP95 => "compare-usual-beyond-p95",
        Standing::BeyondLongest => "compare-usual-beyond-longest",
    };
    let values = [
        ("n", usual.n.into()),
        ("needed", usual.needed.into()),
        ("p95", time(usual.p95_ms).into()),
        ("longest", time(usual.longest_ms).into()),
    ];
    view! { <p class="small quiet">{lang.tr(key, values)}</p> }.into_any()
}

fn cause(cause: &Cause, why: &Why, shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let entries = cause.rests_on.iter().filter_map(|entry| entry.index).enumerate().map(|(at, index)| {
        let comma = (at > 0).then_some(", ");
        view! { {comma}<a href=routes::entry(index)>{count(index, lang)}</a> }
    });
    let entries =
        view! { " "<span class="small quiet">{lang.t("compare-entries")}" "{entries.collect_view()}</span> };
    view! { {what(&cause.what, why, shown)}{entries} }.into_any()
}

/// A share of the difference in words: what is more than all of it is not put in numbers.
fn share_of(share: f64, lang: Lang) -> String {
    match share {
        share if share > 1.005 => lang.t("compare-cause-more-than-all"),
        share if share < -1.005 => lang.t("compare-cause-against-more"),
        share if share < 0.0 => lang.tr("compare-cause-against", [("share", percent(-share, lang).into())]),
        share => lang.tr("compare-cause-share", [("share", percent(share, lang).into())]),
    }
}

fn what(what: &What, why: &Why, shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let took = |name: String, by_ms: f64, share: Option<f64>| {
        let values = [("what", name.into()), ("by", signed(by_ms, lang).into())];
        let said = lang.tr("compare-cause-took", values);
        share.map_or_else(|| format!("{said}."), |share| format!("{said}, {}.", share_of(share, lang)))
    };
    match what {
        What::Differs { section, row, before, after } => {
            let side = |fact: &Option<acta_ledger::judge::compare::fact::Fact>| {
                fact.as_ref().map_or_else(|| NOTHING.to_owned(), |fact| text(fact, lang))
            };
            let name = lang.code_text("compare-section", &code(section));
            view! {
                {lang.tr("compare-cause-differs", [("section", name.into())])}" "<code>{short(row, 120)}</code>": "
                <bdi>{side(before)}</bdi>" → "<bdi>{side(after)}</bdi>"."
            }
            .into_any()
        }
        What::Phase { path, ids, by_ms, share } => {
            let Some(last) = path.last() else {
                return took(lang.t("compare-outside"), *by_ms, *share).into_any();
            };
            let name = short(&last.name, 120);
            let said = took(name, *by_ms, *share);
            let (run, id) = match ids {
                (_, Some(id)) => (why.run, Some(*id)),
                (id, None) => (0, *id),
            };
            let link = id.and_then(|id| shown.phase_href(run, id)).map(|href| {
                view! { " "<a href=href>{lang.t("compare-to-phase")}</a> }
            });
            view! { {said}{link} }.into_any()
        }
        What::Segment { segment, by_ms, share } => {
            took(lang.code_text("compare-segment", &code(segment)), *by_ms, *share).into_any()
        }
    }
}
