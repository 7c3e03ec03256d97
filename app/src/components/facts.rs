//! Facts in groups: a name and what is known under it.

use leptos::prelude::*;

use super::layout::scroll;
use crate::i18n::Lang;

/// One fact.
pub struct Fact {
    /// Its name; field names of the evidence are the same in every language.
    pub name: String,
    /// What is known.
    pub value: AnyView,
}

impl Fact {
    /// A fact of any view.
    pub fn new(name: impl Into<String>, value: impl IntoView + 'static) -> Self {
        Self { name: name.into(), value: value.into_any() }
    }

    /// A fact whose value is a code or a text of a machine.
    pub fn code(name: impl Into<String>, value: &str) -> Self {
        let value = crate::format::visible(value);
        Self::new(name, view! { <code>{value}</code> })
    }
}

/// Facts of one kind.
pub struct Group {
    /// What they have in common; nothing for the only group.
    pub title: String,
    /// More about that.
    pub note: String,
    /// The facts.
    pub facts: Vec<Fact>,
}

/// A table of facts.
pub fn facts(caption: String, groups: Vec<Group>, lang: Lang) -> AnyView {
    let bodies = groups.into_iter().map(|group| {
        let head = (!group.title.is_empty()).then(|| {
            let note = (!group.note.is_empty()).then(|| view! { " "<span class="quiet">{group.note}</span> });
            view! {
                <tr class="group"><th scope="rowgroup" colspan="2">{group.title}{note}</th></tr>
            }
        });
        let rows = group.facts.into_iter().map(|fact| {
            view! { <tr><th scope="row">{fact.name}</th><td>{fact.value}</td></tr> }
        });
        view! { <tbody>{head}{rows.collect_view()}</tbody> }
    });
    let table = view! {
        <table class="facts"><caption class="vh">{caption.clone()}</caption>{bodies.collect_view()}</table>
    };
    scroll(&caption, lang, table.into_any())
}
