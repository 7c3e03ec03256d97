//! The review portal: pages that are complete without JavaScript, and one island that verifies in the browser.
//!
//! Nothing here reads a database or decides anything: what a page shows comes through [`portal::Portal`] as the plain
//! structs of [`view`], judgements come from `acta_ledger::judge`, and a page is a function from those to HTML.
//!
//! # What the server does
//!
//! For every GET of a path in `routes::PATHS`, and for its fallback, the server renders `shell::shell` in leptos'
//! async mode, after it has called `context::provide_page_context` in the same owner with one `context::PageContext`:
//!
//! ```text
//! let provide = move || provide_page_context(PageContext { portal, lang, theme, ..., status: StatusSink::new(...) });
//! leptos_axum::render_app_async_with_context(provide, move || shell(options.clone()))
//! ```
//!
//! - The **status** comes through [`context::StatusSink`], always before the first byte: a page that is not a plain 200
//!   says 400, 404 or 500. The fallback renders the shell as well; a path that no page has becomes the 404 page.
//! - A refusal of the server's own (a form, a limit) is shown by setting `PageContext::failure`.
//! - The **language** is what `i18n::negotiate` makes of `?lang=`, the cookie `lang` and `Accept-Language`; the
//!   **theme** is `context::Theme::parse` of the cookie `theme`.
//! - **Assets**: `context::AssetUrls` holds the addresses of `style/tokens.css` and `style/main.css`. Pages that have an
//!   island ask for `/pkg/<output_name>.js` and `/pkg/<output_name>_bg.wasm`. The only inline script is leptos' own
//!   module script; it carries the nonce. Pages need `script-src 'nonce-...' 'self' 'wasm-unsafe-eval'`,
//!   `style-src 'self'`, `connect-src 'self'`, `form-action 'self'`.
//! - **Forms** post to `/preferences` (`theme`, `lang`, `next`, `form_token`), `/sign-in` (`name`, `password`, `next`,
//!   `form_token`) and `/sign-out` (`next`, `form_token`). A failed sign-in returns to `/sign-in?error=...&name=...&next=...`.
//!   A decision posts to `/routes/{name}/decisions` (`kind`, `bundle`, `reason_code`, `text`, `hold_owner`, `review_at`,
//!   `gates` repeated, `expires_at`, `seen_size`, `key`, `password` where it must be given again, `form_token`), an order
//!   to `/routes/{name}/orders` (`action`, `to`, `reason_code`, `text`, `key`, `password`, `form_token`). Done, both go to
//!   `/routes/{name}/done/{entry}`; refused, back to `/routes/{name}/decide` or `/routes/{name}/rollback` with every typed
//!   field but the secret ones, `error` (a code) and `detail`. `/account/sessions/revoke` and `/account/tokens/revoke`
//!   take `id` and `form_token`, `/account/zone` takes `zone` and `form_token`.
//! - The **time zone** of the viewer's account goes into `PageContext::zone`; without one, moments are shown in UTC alone.
//! - The **island** fetches what `routes::VERIFICATION` and `routes::CONSISTENCY` describe.

pub mod address;
pub mod components;
pub mod islands;
pub mod portal;
pub mod routes;
pub mod view;

#[cfg(feature = "ssr")]
pub mod context;
#[cfg(feature = "ssr")]
pub mod format;
#[cfg(feature = "ssr")]
pub mod i18n;
#[cfg(feature = "ssr")]
pub mod pages;
#[cfg(feature = "ssr")]
pub mod shell;
#[cfg(feature = "ssr")]
pub mod zone;

/// Wakes the islands of a page; the module script calls it once the wasm has been loaded.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
