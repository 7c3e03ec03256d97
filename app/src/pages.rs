//! The pages: each one answers one question in its first line.

pub mod entry;
pub mod error;
pub mod ledger;
pub mod run;
pub mod runs;
pub mod sign_in;

use leptos::prelude::*;

use crate::{context::PageContext, portal::PageError, routes::Page};

/// Which room of the portal a page stands in: the masthead marks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The runs.
    Runs,
    /// The ledger.
    Ledger,
    /// Neither.
    Elsewhere,
}

/// A page that is ready to be sent.
pub struct Ready {
    /// What the browser's tab says.
    pub title: String,
    /// Where it stands.
    pub room: Room,
    /// Whether it has an island, and so a script.
    pub island: bool,
    /// What stands between masthead and foot.
    pub body: AnyView,
}

/// Loads the page that the context asks for; what cannot be shown becomes the page that says why.
pub async fn load(context: &PageContext) -> Ready {
    let page = match (&context.failure, Page::parse(&context.path)) {
        (Some(failure), _) => Err(failure.clone()),
        (None, None) => Err(PageError::NotFound),
        (None, Some(Page::Runs)) => runs::load(context).await,
        (None, Some(Page::Run(id))) => run::load(context, &id).await,
        (None, Some(Page::Entry(which))) => entry::load(context, &which).await,
        (None, Some(Page::Ledger)) => ledger::load(context).await,
        (None, Some(Page::SignIn)) => Ok(sign_in::show(context)),
    };
    page.unwrap_or_else(|error| error::show(context, &error))
}
