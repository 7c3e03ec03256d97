//! The one door through which pages get what they show. The server implements it for each request, so whoever may not
//! see a thing gets [`PageError::NotFound`] from here and no page has to ask.

use async_trait::async_trait;

use crate::view::{EntryView, LedgerView, RunFilter, RunView, RunsView, Viewer};

/// Why a page cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageError {
    /// There is no such thing, or the viewer may not know of it.
    NotFound,
    /// The address holds something that cannot be understood: which field and why, as a message key and the value found.
    BadRequest {
        /// The field.
        field: &'static str,
        /// What was found.
        found: String,
    },
    /// The entry that the page would tell of is damaged: its bytes cannot be read as the statement that was logged.
    Damaged {
        /// The entry's index.
        entry: u64,
        /// What does not fit.
        reason: String,
    },
    /// The server failed; the log holds the reason under this id.
    Internal {
        /// What to quote to whoever runs the server.
        id: String,
    },
}

/// The server's side, for one request.
#[async_trait]
pub trait Portal: Send + Sync + 'static {
    /// Who is looking.
    fn viewer(&self) -> Viewer;
    /// The runs.
    async fn runs(&self, filter: RunFilter) -> Result<RunsView, PageError>;
    /// One run, by id or by number.
    async fn run(&self, id: &str) -> Result<RunView, PageError>;
    /// One entry, by index or by digest.
    async fn entry(&self, which: &str) -> Result<EntryView, PageError>;
    /// The ledger; entries below `before`, newest first.
    async fn ledger(&self, before: Option<u64>) -> Result<LedgerView, PageError>;
}
