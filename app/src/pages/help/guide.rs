//! The guide of `docs/`, compiled in, as HTML.

use pulldown_cmark::{CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::{i18n::Lang, routes};

macro_rules! guides {
    ($($name:literal),*) => {
        /// The guides, in the order in which they are offered: the names of the files.
        pub const NAMES: [&str; [$($name),*].len()] = [$($name),*];

        fn source(name: &str, lang: Lang) -> Option<&'static str> {
            match (name, lang) {
                $(
                    ($name, Lang::En) => Some(include_str!(concat!("../../../../docs/en/", $name, ".md"))),
                    ($name, Lang::Es) => Some(include_str!(concat!("../../../../docs/es/", $name, ".md"))),
                )*
                _ => None,
            }
        }
    };
}

guides!("builders", "stuck-build", "reviewers", "auditors", "operators");

/// A guide in one language.
pub struct Guide {
    /// Its title.
    pub title: String,
    /// Everything below the title.
    pub html: String,
}

/// The guide of a name; none if there is none.
pub fn find(name: &str, lang: Lang) -> Option<Guide> {
    let text = source(name, lang)?;
    let mut title = String::new();
    let mut events = Vec::new();
    let mut in_title = false;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => in_title = true,
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => in_title = false,
            Event::Text(text) | Event::Code(text) if in_title => title.push_str(&text),
            event => events.extend(shown(event, lang)),
        }
    }
    let mut html = String::with_capacity(text.len() * 2);
    html::push_html(&mut html, events.into_iter());
    Some(Guide { title, html })
}

/// A part of a guide as the page shows it: what is wide scrolls by itself and can be reached with the keyboard, and a link to
/// another guide leads to its page.
fn shown<'a>(event: Event<'a>, lang: Lang) -> Vec<Event<'a>> {
    let region = |open: &str, name: &str| {
        let label = lang.t(name);
        Event::Html(format!("<{open} tabindex=\"0\" role=\"region\" aria-label=\"{label}\">").into())
    };
    match event {
        Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => {
            vec![region("pre lang=\"en\"", "help-commands"), Event::Html("<code>".into())]
        }
        Event::End(TagEnd::CodeBlock) => vec![Event::Html("</code></pre>\n".into())],
        start @ Event::Start(Tag::Table(_)) => vec![region("div class=\"scroll\"", "help-table"), start],
        end @ Event::End(TagEnd::Table) => vec![end, Event::Html("</div>\n".into())],
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = page_of(&dest_url).map_or(dest_url, CowStr::from);
            vec![Event::Start(Tag::Link { link_type, dest_url, title, id })]
        }
        event => vec![event],
    }
}

/// The portal's page of a link in the guide.
fn page_of(link: &str) -> Option<String> {
    let name = link.strip_suffix(".md")?;
    NAMES.contains(&name).then(|| routes::help(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_guide_is_there_in_both_languages_with_links_that_lead_somewhere() {
        for lang in Lang::ALL {
            for name in NAMES {
                let guide = find(name, lang).unwrap();
                assert!(!guide.title.is_empty() && !guide.html.contains("<h1"), "{name}");
                assert!(guide.html.contains("<pre lang=\"en\" tabindex=\"0\""), "{name}");
                for target in guide.html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                    assert!(routes::Page::parse(target).is_some(), "{name} leads to {target}");
                }
            }
            assert!(find("nothing", lang).is_none());
        }
    }
}
