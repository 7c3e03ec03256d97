//! A chart on a page: the finding in words first, the picture, and the way to its numbers.

use leptos::prelude::*;

use crate::{components::exports::exports, context::PageContext, view::chart::Plot};

/// Shows a chart; `legend` says what is drawn, `what` and `query` which table its numbers are.
pub fn figure(context: &PageContext, plot: &Plot, legend: String, what: &str, query: &str) -> AnyView {
    let lang = context.lang;
    let picture = context.portal.plot(plot);
    view! {
        <figure>
            <figcaption><strong>{plot.desc.clone()}</strong>" "{legend}</figcaption>
            <div class="picture" inner_html=picture></div>
            <p class="small">{exports(what, query, lang)}</p>
        </figure>
    }
    .into_any()
}
