//! What runs in the browser.
