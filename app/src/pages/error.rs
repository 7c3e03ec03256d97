//! Pages for what cannot be shown: they say what is true and what to do.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{
    components::{
        layout::{Answer, answer},
        state::State,
    },
    context::PageContext,
    format::short,
    portal::PageError,
    routes,
};

/// Shows why there is nothing to show, and sets the status.
pub fn show(context: &PageContext, error: &PageError) -> Ready {
    let lang = context.lang;
    let (status, state, word, headline, lead) = match error {
        PageError::NotFound => (
            404,
            State::Neutral,
            lang.t("error-not-found-word"),
            lang.t("error-not-found"),
            lang.t("error-not-found-lead"),
        ),
        PageError::BadRequest { field, found } => (
            400,
            State::Attention,
            lang.t("error-bad-request-word"),
            lang.tr("error-bad-request", [("field", (*field).into()), ("found", short(found, 80).into())]),
            lang.t("error-bad-request-lead"),
        ),
        PageError::BadFilter { field, found, expected } => (
            400,
            State::Attention,
            lang.t("error-bad-request-word"),
            lang.tr("error-bad-request", [("field", (*field).into()), ("found", short(found, 80).into())]),
            lang.tr("error-bad-filter-lead", [("expected", short(expected, 400).into())]),
        ),
        PageError::Damaged { entry, reason } => (
            500,
            State::Bad,
            lang.t("error-damaged-word"),
            lang.tr("error-damaged", [("entry", entry.to_string().into())]),
            lang.tr("error-damaged-lead", [("reason", short(reason, 200).into())]),
        ),
        PageError::Internal { id } => (
            500,
            State::Bad,
            lang.t("error-internal-word"),
            lang.t("error-internal"),
            lang.tr("error-internal-lead", [("id", short(id, 80).into())]),
        ),
    };
    context.status.set(status);
    // Where the bytes are shown as they are, and which of the checks fail.
    let damaged = match error {
        PageError::Damaged { entry, .. } => Some(*entry),
        _ => None,
    };
    let to_entry = damaged.map(|entry| {
        let text = lang.tr("error-to-entry", [("entry", entry.to_string().into())]);
        view! { <a class="btn first" data-verify="bad" href=routes::entry(entry)>{text}</a> }
    });
    let ways = view! {
        <p class="acts">
            {to_entry}
            <a class="btn" href=routes::RUNS>{lang.t("error-to-runs")}</a>
            <a href=routes::LEDGER>{lang.t("error-to-ledger")}</a>
        </p>
    };
    let about = vec![lang.tr("error-status", [("status", status.to_string().into())])];
    let title = headline.clone();
    let content = Answer { state, word, about, headline, lead: vec![lead] };
    Ready { title, room: Room::Elsewhere, island: false, body: answer(content, ways.into_any()) }
}
