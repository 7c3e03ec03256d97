//! What runs in the browser, on top of pages that are complete without it.

pub mod live;
pub mod outcome;
pub mod verdict;
pub mod verify;

#[cfg(feature = "hydrate")]
mod browser;
