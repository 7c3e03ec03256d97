//! Parts of pages.
