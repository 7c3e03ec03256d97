//! What a page that is kept or printed is checked by: the tree head that it was made from, and the commands.

use acta_ledger::{evidence::decision::SeenHead, log::digest::Sha256Digest};
use leptos::prelude::*;

use super::{
    digest,
    facts::{Fact, Group, facts},
    layout::{note, part},
};
use crate::{
    context::PageContext,
    format::{count, short},
};

/// The part; `commands` check it without trust in this server.
pub fn checked_by(
    context: &PageContext,
    bundle: Option<&Sha256Digest>,
    seen: &SeenHead,
    commands: &[String],
) -> AnyView {
    let lang = context.lang;
    let mut told: Vec<Fact> =
        bundle.map(|bundle| Fact::new("bundle_digest", digest::full(bundle))).into_iter().collect();
    told.extend([
        Fact::new(lang.t("trace-origin"), view! { <code>{short(&seen.origin, 200)}</code> }),
        Fact::new(lang.t("trace-size"), count(seen.size, lang)),
        Fact::new(lang.t("trace-root"), digest::full(&seen.root)),
        Fact::new(
            lang.t("trace-address"),
            view! { <code>{format!("{}{}", context.base_url, context.here())}</code> },
        ),
    ]);
    let title = lang.t("section-trace-record");
    let group = Group { title: String::new(), note: String::new(), facts: told };
    let body = view! {
        <div class="checked-by">
            {facts(title.clone(), vec![group], lang)}
            <p>{lang.t("trace-verify")}</p>
            <pre class="command">{commands.join("\n")}</pre>
        </div>
    };
    part("h-checked-by", title, note(lang.t("trace-record-note")), body.into_any())
}
