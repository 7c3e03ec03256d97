//! Languages: which one a request gets, and the texts in it. The catalogues are the files in
//! `locales/en` and `locales/es`.

use std::{borrow::Cow, collections::HashMap};

use fluent_templates::{Loader as _, fluent_bundle::FluentValue, static_loader};

static_loader! {
    static CATALOGUES = {
        locales: "./src/locales",
        fallback_language: "en",
        // The direction of foreign text is dealt with by `format::visible` and <bdi>, not by invisible marks.
        customise: |bundle| bundle.set_use_isolating(false),
    };
}

/// A language that the portal speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Spanish.
    Es,
}

impl Lang {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 2] = [Self::En, Self::Es];

    /// Reads a language tag; what stands behind the first hyphen does not matter.
    pub fn parse(tag: &str) -> Option<Self> {
        let primary = tag.trim().split(['-', '_']).next()?;
        Self::ALL.into_iter().find(|lang| lang.code().eq_ignore_ascii_case(primary))
    }

    /// The language tag.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Es => "es",
        }
    }

    /// The language's name in itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Es => "Español",
        }
    }

    /// The text of a key.
    pub fn t(self, key: &str) -> String {
        CATALOGUES.lookup(&self.identifier(), key)
    }

    /// The text of a key, with values.
    pub fn tr<const N: usize>(self, key: &str, values: [(&'static str, Value); N]) -> String {
        let values: HashMap<Cow<'static, str>, FluentValue<'static>> =
            values.into_iter().map(|(name, Value(value))| (Cow::Borrowed(name), value)).collect();
        CATALOGUES.lookup_with_args(&self.identifier(), key, &values)
    }

    /// The text of `prefix-code` where there is one; a code that the catalogue does not know stands for itself.
    pub fn code_text(self, prefix: &str, code: &str) -> String {
        let key = format!("{prefix}-{}", code.replace('_', "-"));
        CATALOGUES
            .try_lookup(&self.identifier(), &key)
            .unwrap_or_else(|| crate::format::visible(code).replace('_', " "))
    }

    fn identifier(self) -> fluent_templates::LanguageIdentifier {
        match self {
            Self::En => fluent_templates::langid!("en"),
            Self::Es => fluent_templates::langid!("es"),
        }
    }
}

/// A value in a text: a number decides over singular and plural, a text stands as it is.
#[derive(Debug, Clone)]
pub struct Value(FluentValue<'static>);

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self(FluentValue::from(text))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self(FluentValue::from(text.to_owned()))
    }
}

macro_rules! number_values {
    ($($kind:ty),*) => {$(
        impl From<$kind> for Value {
            fn from(number: $kind) -> Self {
                Self(FluentValue::from(number))
            }
        }
    )*};
}
number_values!(u32, u64, usize);

/// The language of a request: what the address asks for, else what the cookie keeps, else what the browser prefers.
pub fn negotiate(query: Option<&str>, cookie: Option<&str>, accept_language: Option<&str>) -> Lang {
    query
        .and_then(Lang::parse)
        .or_else(|| cookie.and_then(Lang::parse))
        .or_else(|| accept_language.and_then(preferred))
        .unwrap_or_default()
}

/// The first language of an `Accept-Language` header, by weight, that the portal speaks.
fn preferred(header: &str) -> Option<Lang> {
    let mut best: Option<(u32, Lang)> = None;
    for range in header.split(',').take(32) {
        let mut parts = range.split(';');
        let tag = parts.next().unwrap_or_default();
        let weight = parts
            .find_map(|part| part.trim().strip_prefix("q="))
            .map_or(Some(1.0), |weight| weight.trim().parse::<f32>().ok())
            .filter(|weight| (0.0..=1.0).contains(weight));
        let lang = if tag.trim() == "*" { Some(Lang::default()) } else { Lang::parse(tag) };
        // Weights have three decimals at most; as whole thousandths they compare exactly.
        let Some((weight, lang)) = weight.map(|weight| (weight * 1000.0) as u32).zip(lang) else { continue };
        if weight > 0 && best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, lang));
        }
    }
    best.map(|(_, lang)| lang)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const EN: &str = concat!(
        include_str!("locales/en/portal.ftl"),
        "\n",
        include_str!("locales/en/route.ftl"),
        "\n",
        include_str!("locales/en/decide.ftl"),
        "\n",
        include_str!("locales/en/live.ftl"),
        "\n",
        include_str!("locales/en/people.ftl"),
        "\n",
        include_str!("locales/en/search.ftl"),
        "\n",
        include_str!("locales/en/trace.ftl"),
        "\n",
        include_str!("locales/en/advice.ftl"),
        "\n",
        include_str!("locales/en/acceptance.ftl"),
        "\n",
        include_str!("locales/en/compare.ftl"),
        "\n",
        include_str!("locales/en/chart.ftl"),
        "\n",
        include_str!("locales/en/help.ftl"),
        "\n",
        include_str!("locales/en/rebuild.ftl"),
        "\n",
        include_str!("locales/en/agent.ftl"),
        "\n",
        include_str!("locales/en/runs.ftl")
    );
    const ES: &str = concat!(
        include_str!("locales/es/portal.ftl"),
        "\n",
        include_str!("locales/es/route.ftl"),
        "\n",
        include_str!("locales/es/decide.ftl"),
        "\n",
        include_str!("locales/es/live.ftl"),
        "\n",
        include_str!("locales/es/people.ftl"),
        "\n",
        include_str!("locales/es/search.ftl"),
        "\n",
        include_str!("locales/es/trace.ftl"),
        "\n",
        include_str!("locales/es/advice.ftl"),
        "\n",
        include_str!("locales/es/acceptance.ftl"),
        "\n",
        include_str!("locales/es/compare.ftl"),
        "\n",
        include_str!("locales/es/chart.ftl"),
        "\n",
        include_str!("locales/es/help.ftl"),
        "\n",
        include_str!("locales/es/rebuild.ftl"),
        "\n",
        include_str!("locales/es/agent.ftl"),
        "\n",
        include_str!("locales/es/runs.ftl")
    );

    fn keys(catalogue: &str) -> BTreeSet<&str> {
        catalogue
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()))
            .filter_map(|line| line.split_once(" =").map(|(key, _)| key))
            .collect()
    }

    /// The names of the values that a message uses.
    fn values(catalogue: &str, key: &str) -> BTreeSet<String> {
        let start = catalogue.find(&format!("\n{key} =")).map_or(0, |at| at + 1);
        let message = &catalogue[start..];
        let end = message
            .match_indices('\n')
            .find(|(at, _)| !message[at + 1..].starts_with([' ', '}']))
            .map_or(message.len(), |(at, _)| at);
        let message = &message[..end];
        message
            .split('$')
            .skip(1)
            .map(|rest| rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect())
            .collect()
    }

    #[test]
    fn both_catalogues_have_the_same_keys_and_values() {
        assert_eq!(keys(EN), keys(ES));
        for key in keys(EN) {
            assert_eq!(values(EN, key), values(ES, key), "{key}");
        }
    }

    #[test]
    fn every_key_that_a_page_asks_for_exists() {
        fn sources(folder: &std::path::Path, out: &mut String) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    sources(&path, out);
                } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("i18n.rs") {
                    out.push_str(&std::fs::read_to_string(path).unwrap());
                }
            }
        }
        let mut source = String::new();
        sources(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut source);
        let known = keys(EN);
        let flat: String = source.split_whitespace().collect();
        let mut asked = 0;
        for call in ["lang.t(\"", "lang.tr(\""] {
            for rest in flat.split(call).skip(1) {
                let key = rest.split('"').next().unwrap();
                assert!(known.contains(key), "{key} is not in the catalogues");
                asked += 1;
            }
        }
        assert!(asked > 50, "the search for keys found only {asked}");
    }

    #[test]
    fn address_cookie_and_browser_are_asked_in_this_order() {
        for (query, cookie, header, expected) in [
            (Some("es"), Some("en"), Some("en"), Lang::Es),
            (Some("fr"), Some("es"), Some("en"), Lang::Es),
            (None, Some("xx"), Some("es-MX,en;q=0.5"), Lang::Es),
            (None, None, Some("fr, en;q=0.3, es;q=0.7"), Lang::Es),
            (None, None, Some("en;q=0.3, es;q=0"), Lang::En),
            (None, None, Some("es;q=2, *;q=0.1"), Lang::En),
            (None, None, Some(",;q=,="), Lang::En),
            (None, None, None, Lang::En),
        ] {
            assert_eq!(negotiate(query, cookie, header), expected, "{query:?} {cookie:?} {header:?}");
        }
    }

    #[test]
    fn a_code_without_a_text_stands_for_itself() {
        assert_eq!(Lang::Es.code_text("outcome", "cancelled"), "cancelado");
        assert_eq!(Lang::Es.code_text("outcome", "made_up\u{202e}"), "made up\\u{202e}");
    }
}
