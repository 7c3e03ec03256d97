//! Parts of pages: each a function from what it shows to HTML.

pub mod state;

#[cfg(feature = "ssr")]
pub mod axis;
#[cfg(feature = "ssr")]
pub mod checks;
#[cfg(feature = "ssr")]
pub mod digest;
pub mod exports;
#[cfg(feature = "ssr")]
pub mod facts;
#[cfg(feature = "ssr")]
pub mod figure;
#[cfg(feature = "ssr")]
pub mod history;
#[cfg(feature = "ssr")]
pub mod layout;
#[cfg(feature = "ssr")]
pub mod moments;
#[cfg(feature = "ssr")]
pub mod pack;
#[cfg(feature = "ssr")]
pub mod phase_table;
#[cfg(feature = "ssr")]
pub mod route;
#[cfg(feature = "ssr")]
pub mod spread;
#[cfg(feature = "ssr")]
pub mod svg;
#[cfg(feature = "ssr")]
pub mod timeline;
#[cfg(feature = "ssr")]
pub mod verdict;
#[cfg(feature = "ssr")]
pub mod words;
