//! Runs side by side: may their times be ranked, what is different, and why did one take longer?

mod address;
mod bundles;
mod phases;
mod sections;
mod value;
mod why;

use acta_ledger::{
    evidence::code,
    judge::compare::{Compared, MOST},
};
use leptos::prelude::*;

use self::{
    address::{Asked, moved},
    value::{signed, times},
};
use super::{Ready, Room};
use crate::{
    components::{
        layout::{Answer, answer, capitalised, full_part, part, scroll, trail},
        moment, spread,
        state::{State, state},
        words,
    },
    context::PageContext,
    format::{NOTHING, seconds, short},
    i18n::Lang,
    portal::PageError,
    routes,
    view::{RunRow, compare::CompareView},
};

pub use address::address;

/// What the parts of the page are made from.
struct Shown<'a> {
    lang: Lang,
    view: &'a CompareView,
    compared: &'a Compared,
    /// Whether rows without a difference are shown too.
    all: bool,
}

impl Shown<'_> {
    /// The runs' names, the baseline first.
    fn names(&self) -> Vec<String> {
        self.view.rows.iter().map(|row| name(row, self.lang)).collect()
    }

    /// The heads of the columns: each run's name as a link.
    fn heads(&self) -> AnyView {
        let lang = self.lang;
        let heads = self.view.rows.iter().enumerate().map(|(place, row)| {
            let word = (place == 0).then(|| view! { <span class="sub">{lang.t("compare-baseline")}</span> });
            view! { <th scope="col"><a href=routes::run(&row.id)>{name(row, lang)}</a>{word}</th> }
        });
        heads.collect_view().into_any()
    }

    /// Where a phase of a run stands.
    fn phase_href(&self, run: usize, id: u32) -> Option<String> {
        self.view.rows.get(run).map(|row| format!("{}#phase-{id}", routes::run(&row.id)))
    }

    /// Which trees could not be shown.
    fn tree_problems(&self) -> AnyView {
        let lang = self.lang;
        let problems = self.view.rows.iter().zip(&self.view.tree_problems).filter_map(|(row, problem)| {
            let values = [("run", name(row, lang).into()), ("problem", short(problem.as_ref()?, 200).into())];
            Some(view! { <p class="small">{lang.tr("compare-tree-problem", values)}</p> })
        });
        problems.collect_view().into_any()
    }
}

fn name(row: &RunRow, lang: Lang) -> String {
    lang.tr("run-name", [("number", format!("{:04}", row.number).into())])
}

/// Loads the comparison of the address.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let asked = address::parse(&context.query)?;
    let view = context.portal.compare(&asked.runs).await?;
    if !view.unknown.is_empty() {
        context.status.set(404);
    }
    Ok(show(context, &view, &asked))
}

fn show(context: &PageContext, view: &CompareView, asked: &Asked) -> Ready {
    let lang = context.lang;
    let links = vec![(routes::RUNS.to_owned(), lang.t("nav-runs"))];
    let (title, body) = match &view.compared {
        None => (lang.t("compare-title"), choose(view, asked, lang)),
        Some(compared) => {
            let shown = Shown { lang, view, compared, all: asked.all };
            let names = shown.names().join(", ");
            (lang.tr("compare-title-of", [("runs", names.into())]), compared_body(&shown))
        }
    };
    let body = view! { {trail(links, lang.t("compare-title"), lang)}{body} };
    Ready { title, room: Room::Runs, island: false, body: body.into_any() }
}

fn compared_body(shown: &Shown<'_>) -> AnyView {
    view! {
        {headline(shown)}
        {chosen(shown.view, shown.all, shown.lang)}
        {why::part(shown)}
        {sections::parts(shown)}
        {phases::part(shown)}
        {bundles::part(shown)}
        {distributions(shown)}
    }
    .into_any()
}

/// Fewer than two runs: which ones?
fn choose(view: &CompareView, asked: &Asked, lang: Lang) -> AnyView {
    let headline = lang.t(match view.rows.len() {
        0 => "compare-choose-none",
        _ => "compare-choose-one",
    });
    let content = Answer {
        state: State::Neutral,
        word: lang.t("compare-choose-word"),
        about: Vec::new(),
        headline,
        lead: vec![lang.t("compare-choose-lead")],
    };
    let missing = unknown(view, lang);
    let chosen = chosen(view, asked.all, lang);
    view! { {answer(content, missing)}{chosen} }.into_any()
}

fn unknown(view: &CompareView, lang: Lang) -> AnyView {
    if view.unknown.is_empty() {
        return ().into_any();
    }
    let names: Vec<String> = view.unknown.iter().map(|name| short(name, 60)).collect();
    let values = [("n", names.len().into()), ("names", names.join(", ").into())];
    view! { <div class="reason attention" role="alert"><p>{lang.tr("compare-unknown", values)}</p></div> }
        .into_any()
}

/// May they be ranked, and if so, which took longer?
fn headline(shown: &Shown<'_>) -> AnyView {
    let (lang, compared) = (shown.lang, shown.compared);
    let names = shown.names();
    let comparable = compared.comparability.comparable;
    let (mark, word, headline) = if !comparable {
        let grounds = compared.comparability.because.iter();
        let grounds: Vec<String> =
            grounds.map(|it| lang.code_text("compare-because", &code(&it.ground))).collect();
        let because = all_of(&grounds, lang);
        (State::Attention, "compare-refused-word", lang.tr("compare-refused", [("because", because.into())]))
    } else if let [why] = &compared.why[..] {
        (State::Good, "compare-ranked-word", why::headline(why, &names[0], &names[1], lang))
    } else {
        (State::Good, "compare-ranked-word", ranked(shown, &names))
    };
    let mut lead = Vec::new();
    if comparable {
        lead.push(lang.t("compare-ranked-lead"));
    } else {
        lead.push(lang.t("compare-refused-lead"));
    }
    let content = Answer {
        state: mark,
        word: lang.t(word),
        about: vec![lang.tr("compare-count", [("n", names.len().into())])],
        headline: capitalised(&headline),
        lead,
    };
    let ids = || shown.view.rows.iter().map(|row| row.id.as_str());
    let turned = address(ids(), !shown.all);
    let turn = lang.t(if shown.all { "compare-only-differences" } else { "compare-show-all" });
    let json = routes::compare_json(ids());
    let rest = view! {
        {unknown(shown.view, lang)}{grounds(shown)}
        <p class="acts"><a class="btn" href=turned>{turn}</a><a href=json>"JSON"</a></p>
    };
    answer(content, rest.into_any())
}

/// Clauses as a sentence says all of them.
fn all_of(clauses: &[String], lang: Lang) -> String {
    match clauses {
        [before @ .., last] if !before.is_empty() => {
            lang.tr("compare-and", [("before", before.join(", ").into()), ("last", last.clone().into())])
        }
        clauses => clauses.join(", "),
    }
}

fn ranked(shown: &Shown<'_>, names: &[String]) -> String {
    let (lang, order) = (shown.lang, &shown.compared.ranking);
    let (Some(&first), Some(&last)) = (order.first(), order.last()) else { return String::new() };
    let total = |run: usize| shown.compared.runs[run].total_ms;
    let values = [
        ("n", names.len().into()),
        ("fastest", names[first].clone().into()),
        ("fast", seconds(total(first), lang).into()),
        ("slowest", names[last].clone().into()),
        ("slow", seconds(total(last), lang).into()),
        ("times", times(total(last) / total(first), lang).into()),
    ];
    lang.tr("compare-ranked", values)
}

/// Why they may not be ranked: what each run says on each ground.
fn grounds(shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    if shown.compared.comparability.comparable {
        return ().into_any();
    }
    let names = shown.names();
    let lines = shown.compared.comparability.because.iter().map(|objection| {
        let each = names.iter().zip(&objection.values).map(|(name, value)| {
            // A digest is a digest in any length; words and versions are short.
            format!("{name}: {}", short(value.get(..12).filter(|_| value.len() == 64).unwrap_or(value), 60))
        });
        let each: Vec<String> = each.collect();
        let ground = lang.code_text("compare-ground-about", &code(&objection.ground));
        view! { <li>{ground}" "<span class="quiet">{each.join(", ")}</span></li> }
    });
    view! { <ul class="bullets reasons-why">{lines.collect_view()}</ul> }.into_any()
}

/// The chosen runs with the ways to another choice.
fn chosen(view: &CompareView, all: bool, lang: Lang) -> AnyView {
    let ids: Vec<&str> = view.rows.iter().map(|row| row.id.as_str()).collect();
    let first = view.rows.first().map(|row| row.total_ms);
    let ranked = view.compared.as_ref().is_some_and(|compared| compared.comparability.comparable);
    let rows = view.rows.iter().enumerate().map(|(place, row)| {
        let beside = first.filter(|_| ranked && place > 0).map(|first| signed(row.total_ms - first, lang));
        chosen_row(row, place, &ids, beside, all, lang)
    });
    let table = (!view.rows.is_empty()).then(|| {
        let caption = lang.t("compare-runs");
        let table = view! {
            <table class="compact">
                <caption class="vh">{caption.clone()}</caption>
                <thead><tr>
                    <th scope="col" class="stick">{lang.t("run-head-run")}</th>
                    <th scope="col">{lang.t("run-head-outcome")}</th>
                    <th scope="col" class="n">{lang.t("compare-head-total")}</th>
                    <th scope="col" class="n">{lang.t("compare-head-beside")}</th>
                    <th scope="col" class="n">{lang.t("run-head-started")}</th>
                    <th scope="col">{lang.t("compare-head-change")}</th>
                </tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        };
        scroll(&caption, lang, table.into_any())
    });
    let body = view! { {table}{add(view, &ids, all, lang)} };
    full_part("h-compared", lang.t("compare-runs"), lang.t("compare-runs-note"), body.into_any())
}

fn chosen_row(
    row: &RunRow,
    place: usize,
    ids: &[&str],
    beside: Option<String>,
    all: bool,
    lang: Lang,
) -> AnyView {
    let (mark, word) = words::outcome(&row.outcome, lang);
    let here = name(row, lang);
    // Each link says of which run it speaks: read alone, "up" says nothing.
    let link = |href: String, key: &str| {
        let label = lang.tr(&format!("{key}-label"), [("run", here.clone().into())]);
        view! { <a href=href aria-label=label>{lang.t(key)}</a>" " }
    };
    let to = |to: usize| address(moved(ids, place, to), all);
    let baseline = (place > 0).then(|| link(to(0), "compare-make-baseline"));
    let up = (place > 1).then(|| link(to(place - 1), "compare-up"));
    let down = (place + 1 < ids.len()).then(|| link(to(place + 1), "compare-down"));
    let rest = address(ids.iter().copied().filter(|&id| id != row.id), all);
    let role = (place == 0).then(|| view! { <span class="sub">{lang.t("compare-baseline")}</span> });
    view! {
        <tr>
            <th scope="row" class="stick">
                <a href=routes::run(&row.id)>{format!("{:04}", row.number)}</a>" "
                <bdi>{short(row.network.strip_suffix(".onnx").unwrap_or(&row.network), 48)}</bdi>{role}
            </th>
            <td>{state(mark, word)}</td>
            <td class="n">{seconds(row.total_ms, lang)}</td>
            <td class="n">{beside.unwrap_or_else(|| NOTHING.to_owned())}</td>
            <td class="n">{moment::cell(row.started_at, lang)}</td>
            <td class="ways">{baseline}{up}{down}{link(rest, "compare-remove")}</td>
        </tr>
    }
    .into_any()
}

/// The form that adds a run: one of the newest, or any by its number or id.
fn add(view: &CompareView, ids: &[&str], all: bool, lang: Lang) -> AnyView {
    if ids.len() >= MOST {
        return view! { <p class="small quiet">{lang.t("compare-full")}</p> }.into_any();
    }
    let hidden = ids.iter().map(|id| view! { <input type="hidden" name="run" value=(*id).to_owned()/> });
    let all = all.then(|| view! { <input type="hidden" name="all" value="1"/> });
    let options = view.recent.iter().map(|row| {
        let text = format!(
            "{:04} {}, {}, {}",
            row.number,
            short(&row.network, 40),
            words::outcome(&row.outcome, lang).1,
            seconds(row.total_ms, lang)
        );
        view! { <option value=row.id.clone()>{text}</option> }
    });
    let select = (!view.recent.is_empty()).then(|| {
        view! {
            <p>
                <label for="f-recent">{lang.t("compare-add-recent")}</label>
                <select id="f-recent" name="run">
                    <option value="">{lang.t("compare-add-nothing")}</option>{options.collect_view()}
                </select>
            </p>
        }
    });
    view! {
        <form class="ask form" action=routes::COMPARE method="get">
            {hidden.collect_view()}{all}{select}
            <p>
                <label for="f-run">{lang.t("compare-add-any")}</label>
                <input type="text" id="f-run" name="run" maxlength="64" autocomplete="off"/>
            </p>
            <p><button class="btn">{lang.t("compare-add")}</button></p>
        </form>
    }
    .into_any()
}

/// How long builds of each run's kind take.
fn distributions(shown: &Shown<'_>) -> AnyView {
    let lang = shown.lang;
    let rows = shown.view.rows.iter().zip(&shown.compared.distributions).map(|(row, spread)| {
        view! {
            <tr>
                <th scope="row" class="stick"><a href=routes::run(&row.id)>{name(row, lang)}</a></th>
                {spread::cells(spread, lang)}
            </tr>
        }
    });
    let caption = lang.t("compare-distributions");
    let table = view! {
        <table class="compact">
            <caption class="vh">{caption.clone()}</caption>
            <thead><tr>
                <th scope="col" class="stick">{lang.t("run-head-run")}</th>{spread::heads(lang)}
            </tr></thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    };
    let note = crate::components::layout::note(lang.t("compare-distributions-note"));
    part("h-distributions", caption.clone(), note, scroll(&caption, lang, table.into_any()))
}
