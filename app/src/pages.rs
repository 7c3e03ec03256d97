//! The pages: each one answers one question in its first line.

pub mod acceptance;
pub mod account;
pub mod agent;
pub mod caches;
pub mod cancels;
pub mod compare;
pub mod configuration;
pub mod entry;
pub mod error;
pub mod help;
pub mod ledger;
pub mod live;
pub mod people;
pub mod route;
pub mod routes;
pub mod run;
pub mod runs;
pub mod search;
pub mod sign_in;
pub mod trace;

use leptos::prelude::*;

use crate::{context::PageContext, portal::PageError, routes::Page};

/// Which room of the portal a page stands in: the masthead marks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The runs.
    Runs,
    /// The builds that run: the page keeps up with them.
    Live,
    /// The routes.
    Routes,
    /// The ledger.
    Ledger,
    /// The accounts.
    People,
    /// The viewer's own account.
    Account,
    /// None of them.
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
        (None, Some(Page::Acceptance(id))) => acceptance::load(context, id.as_deref()).await,
        (None, Some(Page::Compare)) => compare::load(context).await,
        (None, Some(Page::Configuration(digest))) => configuration::load(context, &digest).await,
        (None, Some(Page::Cancels)) => cancels::load(context).await,
        (None, Some(Page::Caches)) => caches::load(context).await,
        (None, Some(Page::LiveBuilds)) => live::load(context).await,
        (None, Some(Page::LiveBuild(run))) => live::build::load(context, &run).await,
        (None, Some(Page::CancelBuild(run))) => live::review::load(context, &run).await,
        (None, Some(Page::Entry(which))) => entry::load(context, &which).await,
        (None, Some(Page::Routes)) => routes::load(context).await,
        (None, Some(Page::Route(name))) => route::load(context, &name).await,
        (None, Some(Page::Decide(name))) => route::decide::load(context, &name).await,
        (None, Some(Page::Rollback(name))) => route::rollback::load(context, &name).await,
        (None, Some(Page::Confirm(name))) => route::confirm::load(context, &name).await,
        (None, Some(Page::Bundle(digest))) => trace::load(context, &digest).await,
        (None, Some(Page::Search)) => search::load(context).await,
        (None, Some(Page::Digest(digest))) => search::load_digest(context, &digest).await,
        (None, Some(Page::Person(name))) => people::person::load(context, &name).await,
        (None, Some(Page::PeopleDone(event))) => people::done::load(context, &event).await,
        (None, Some(Page::Done { route, entry })) => route::done::load(context, &route, &entry).await,
        (None, Some(Page::Live(name))) => route::live::load(context, &name).await,
        (None, Some(Page::Restores(name))) => route::restores::load(context, &name).await,
        (None, Some(Page::Account)) => account::load(context).await,
        (None, Some(Page::People)) => people::load(context).await,
        (None, Some(Page::Agent(name))) => agent::load(context, &name).await,
        (None, Some(Page::Ledger)) => ledger::load(context).await,
        (None, Some(Page::Help(guide))) => help::load(context, guide.as_deref()),
        (None, Some(Page::SignIn)) => Ok(sign_in::show(context)),
    };
    page.unwrap_or_else(|error| error::show(context, &error))
}
