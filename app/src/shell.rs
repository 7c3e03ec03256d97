//! The frame around every page.

use leptos::prelude::*;

use crate::{context::PageContext, pages};

/// The whole document of the request whose [`PageContext`] was provided. Its data is loaded first, so that title and
/// status are known before the first byte.
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let context = expect_context::<PageContext>();
    Suspend::new(async move {
        let page = pages::load(&context).await;
        let scripts = context.nonce.is_some().then(|| view! { <HydrationScripts options=options islands=true/> });
        view! {
            <!DOCTYPE html>
            <html lang=context.lang.code()>
                <head><title>{page.title}</title>{scripts}</head>
                <body>{page.body}</body>
            </html>
        }
    })
}
