//! How a page is built: the answer first, then parts with a hanging head.

use leptos::prelude::*;

use super::state::{State, state};
use crate::{format, i18n::Lang};

/// The answer: verdict on the left, sentence on the right.
pub struct Answer {
    /// The verdict's mark.
    pub state: State,
    /// The verdict's word.
    pub word: String,
    /// What the answer is about, a line each.
    pub about: Vec<String>,
    /// The whole sentence.
    pub headline: String,
    /// What follows from it.
    pub lead: Vec<String>,
}

/// Shows an answer; `rest` stands below the sentence.
pub fn answer(answer: Answer, rest: AnyView) -> AnyView {
    let Answer { state: mark, word, about, headline, lead } = answer;
    let about = about.into_iter().enumerate().map(|(line, text)| {
        let broken = (line > 0).then(|| view! { <br/> });
        view! { {broken}{text} }
    });
    let lead = (!lead.is_empty()).then(|| view! { <p class="lead">{lead.join(" ")}</p> });
    view! {
        <section class="answer" aria-labelledby="answer">
            <p class="verdict">{state(mark, word)}" "<span class="id">{about.collect_view()}</span></p>
            <div><h1 id="answer">{headline}</h1>{lead}{rest}</div>
        </section>
    }
    .into_any()
}

/// A key figure.
pub struct Figure {
    /// What was measured.
    pub label: String,
    /// The number.
    pub value: String,
    /// Its unit.
    pub unit: &'static str,
    /// What to know of it.
    pub note: String,
}

/// Up to five key figures; `last` is one that is drawn elsewhere.
pub fn figures(figures: Vec<Figure>, last: Option<AnyView>) -> AnyView {
    let figures = figures.into_iter().map(|figure| {
        let unit =
            (!figure.unit.is_empty()).then(|| view! { "\u{a0}"<span class="unit">{figure.unit}</span> });
        let note = (!figure.note.is_empty()).then(|| view! { <dd class="note">{figure.note}</dd> });
        view! { <div><dt>{figure.label}</dt><dd>{figure.value}{unit}</dd>{note}</div> }
    });
    view! { <dl class="figures">{figures.collect_view()}{last}</dl> }.into_any()
}

/// A part with its head in the margin column.
pub fn part(id: &'static str, title: String, note: AnyView, body: AnyView) -> AnyView {
    view! {
        <section class="part" aria-labelledby=id>
            <header><h2 id=id>{title}</h2>{note}</header>
            <div>{body}</div>
        </section>
    }
    .into_any()
}

/// A part over the whole width.
pub fn full_part(id: &'static str, title: String, note: String, body: AnyView) -> AnyView {
    view! {
        <section class="part full" aria-labelledby=id>
            <header><h2 id=id>{title}</h2><p class="small quiet">{note}</p></header>
            {body}
        </section>
    }
    .into_any()
}

/// A line for a part's head.
pub fn note(text: String) -> AnyView {
    if text.is_empty() { ().into_any() } else { view! { <p>{text}</p> }.into_any() }
}

/// A table that scrolls by itself where the page is narrow.
pub fn scroll(caption: &str, lang: Lang, table: AnyView) -> AnyView {
    let label = lang.tr("table-label", [("name", caption.into())]);
    view! { <div class="scroll" tabindex="0" role="region" aria-label=label>{table}</div> }.into_any()
}

/// Where the page stands: links, and the page itself.
pub fn trail(links: Vec<(String, String)>, here: String, lang: Lang) -> AnyView {
    let links = links.into_iter().map(|(href, text)| view! { <li><a href=href>{text}</a></li> });
    view! {
        <nav aria-label=lang.t("trail-label")>
            <ol class="trail">{links.collect_view()}<li aria-current="page">{here}</li></ol>
        </nav>
    }
    .into_any()
}

/// A text from outside on several lines, word for word; it scrolls by itself.
pub fn raw(name: String, text: &str, lang: Lang) -> AnyView {
    let label = lang.tr("raw-label", [("name", name.into())]);
    view! {
        <pre tabindex="0" role="region" aria-label=label lang="en">{format::visible_lines(text)}</pre>
    }
    .into_any()
}

/// A sentence with its first letter as a capital.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
