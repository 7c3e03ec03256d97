//! The pages: each one answers one question in its first line.

use leptos::prelude::*;

use crate::context::PageContext;

/// A page that is ready to be sent.
pub struct Ready {
    /// What the browser's tab says.
    pub title: String,
    /// What stands between masthead and foot.
    pub body: AnyView,
}

/// Loads the page that the context asks for.
pub async fn load(context: &PageContext) -> Ready {
    let _ = context;
    Ready { title: String::new(), body: ().into_any() }
}
