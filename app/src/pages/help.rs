//! Help: the words of the field, the keyboard, the guide.

mod guide;

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        layout::{Answer, answer, note, part, trail},
        state::State,
    },
    context::PageContext,
    i18n::Lang,
    portal::PageError,
    routes,
};

/// The words, in the order in which a reader meets them.
const WORDS: [&str; 22] = [
    "run",
    "engine",
    "phase",
    "silence",
    "baseline",
    "cancel-latency",
    "censored",
    "timing-cache",
    "quarantine",
    "simulated",
    "agent",
    "entry",
    "tree-head",
    "pack",
    "bundle",
    "route",
    "gate",
    "class",
    "hold",
    "pin",
    "drill",
    "canary",
];

/// What can be done with the keyboard.
const KEYS: [&str; 4] = ["skip", "tab", "details", "scroll"];

/// Shows the help, or one guide.
pub fn load(context: &PageContext, name: Option<&str>) -> Result<Ready, PageError> {
    let Some(name) = name else { return Ok(show(context)) };
    let guide = guide::find(name, context.lang).ok_or(PageError::NotFound)?;
    Ok(show_guide(context, &guide))
}

fn show(context: &PageContext) -> Ready {
    let lang = context.lang;
    let title = lang.t("help-title");
    let content = Answer {
        state: State::Neutral,
        word: title.clone(),
        about: Vec::new(),
        headline: lang.t("help-headline"),
        lead: vec![lang.t("help-lead")],
    };
    let parts = [
        part("h-guide", lang.t("help-guide"), note(lang.t("help-guide-note")), guides(lang)),
        part("h-words", lang.t("help-words"), note(lang.t("help-words-note")), words(lang)),
        part("h-keys", lang.t("help-keys"), note(lang.t("help-keys-note")), keys(lang)),
        part("h-machines", lang.t("help-machines"), note(String::new()), machines(lang)),
    ];
    let body = view! { {answer(content, ().into_any())}{parts.collect_view()} };
    Ready { title, room: Room::Elsewhere, island: false, body: body.into_any() }
}

fn guides(lang: Lang) -> AnyView {
    let guides = guide::NAMES.iter().filter_map(|name| {
        let guide = guide::find(name, lang)?;
        Some(view! { <li><a href=routes::help(name)>{guide.title}</a></li> })
    });
    view! { <ul class="bullets">{guides.collect_view()}</ul> }.into_any()
}

fn words(lang: Lang) -> AnyView {
    let words = WORDS.map(|word| {
        let (name, about) = (lang.code_text("help-word", word), lang.code_text("help-about", word));
        view! { <div id=format!("word-{word}")><dt>{name}</dt><dd>{about}</dd></div> }
    });
    view! { <dl class="glossary">{words.collect_view()}</dl> }.into_any()
}

fn keys(lang: Lang) -> AnyView {
    let keys = KEYS.map(|key| view! { <li>{lang.code_text("help-key", key)}</li> });
    view! { <ul class="bullets">{keys.collect_view()}</ul> }.into_any()
}

fn machines(lang: Lang) -> AnyView {
    let links = [
        ("/api/v1/openapi.json", "help-openapi"),
        ("/log/tree-head", "help-tree-head"),
        ("/api/v1/keys", "help-log-keys"),
    ];
    let links = links.map(|(href, key)| view! { <li><a href=href>{lang.t(key)}</a></li> });
    view! { <ul class="bullets">{links.collect_view()}</ul> }.into_any()
}

fn show_guide(context: &PageContext, guide: &guide::Guide) -> Ready {
    let lang = context.lang;
    let links = vec![(routes::HELP.to_owned(), lang.t("help-title"))];
    let title = guide.title.clone();
    // What is put in is rendered from the guide that was compiled into this program, and from nothing else.
    let body = view! {
        {trail(links, title.clone(), lang)}
        <article class="prose"><h1>{title.clone()}</h1><div inner_html=guide.html.clone()></div></article>
    };
    Ready { title, room: Room::Elsewhere, island: false, body: body.into_any() }
}
