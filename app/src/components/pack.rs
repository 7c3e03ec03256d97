//! The ways to an evidence pack: links that work without JavaScript.

use leptos::prelude::*;

use crate::{i18n::Lang, routes};

/// The button, and the same with every blob.
pub fn links(about: &str, name: &str, lang: Lang) -> AnyView {
    let whole = routes::pack(about, name, true);
    view! {
        <a class="btn" href=routes::pack(about, name, false) download="">{lang.t("pack-get")}</a>
        " "
        <a href=whole download="">{lang.t("pack-all")}</a>
        " "
    }
    .into_any()
}
