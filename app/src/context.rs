//! What the server gives a page for one request.

use std::{fmt, sync::Arc};

use leptos::prelude::provide_context;

use crate::{
    i18n::Lang,
    portal::{PageError, Portal},
    zone::Zone,
};

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// What the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All of them, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Reads a cookie's or a form's value.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.code() == text)
    }

    /// The value in a cookie or a form.
    pub fn code(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Where the style sheets are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetUrls {
    /// `style/tokens.css`.
    pub tokens_css: String,
    /// `style/main.css`.
    pub main_css: String,
}

impl Default for AssetUrls {
    fn default() -> Self {
        Self { tokens_css: "/assets/tokens.css".to_owned(), main_css: "/assets/main.css".to_owned() }
    }
}

/// Takes the status of the answer; a page that is fine says nothing.
#[derive(Clone)]
pub struct StatusSink(Arc<dyn Fn(u16) + Send + Sync>);

impl StatusSink {
    /// Wraps what is to be done with a status.
    pub fn new(set: impl Fn(u16) + Send + Sync + 'static) -> Self {
        Self(Arc::new(set))
    }

    /// Sets the status.
    pub fn set(&self, status: u16) {
        (self.0)(status);
    }
}

impl fmt::Debug for StatusSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatusSink")
    }
}

/// Everything that a page needs to know of its request.
#[derive(Clone)]
pub struct PageContext {
    /// The door to what is shown.
    pub portal: Arc<dyn Portal>,
    /// The language.
    pub lang: Lang,
    /// The theme.
    pub theme: Theme,
    /// The viewer's time zone; none for UTC.
    pub zone: Option<Zone>,
    /// The style sheets.
    pub assets: AssetUrls,
    /// The nonce of the one inline script. Without it the page has no script at all.
    pub nonce: Option<leptos::nonce::Nonce>,
    /// The path that was asked for, still percent-encoded.
    pub path: String,
    /// The query that was asked for, without the question mark, still percent-encoded.
    pub query: String,
    /// The address of this server as its users write it, like `https://acta.example`: it stands in commands.
    pub base_url: String,
    /// Where the status goes.
    pub status: StatusSink,
    /// Shown in place of the path's page, where the server has already refused or failed.
    pub failure: Option<PageError>,
}

impl PageContext {
    /// Path and query as they were asked for.
    pub fn here(&self) -> String {
        if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) }
    }
}

/// Makes the context known to [`crate::shell::shell`], the nonce to leptos, and the time zone to whatever shows a moment.
pub fn provide_page_context(context: PageContext) {
    if let Some(zone) = context.zone.clone() {
        provide_context(zone);
    }
    if let Some(nonce) = context.nonce.clone() {
        provide_context(nonce);
    }
    provide_context(context);
}
