//! A moment: in UTC, and beside it by the clock of the viewer's time zone, where they have chosen one.

use acta_ledger::log::timestamp::Timestamp;
use leptos::prelude::*;

use crate::{
    format::{date_time, local_time, time_ms},
    i18n::Lang,
    zone::Zone,
};

/// A moment in UTC; the viewer's own time is a second line.
pub fn cell(at: Timestamp, lang: Lang) -> AnyView {
    written(at, date_time(at, lang), lang)
}

/// The same where UTC is written otherwise than with day, year and seconds.
pub fn written(at: Timestamp, utc: String, lang: Lang) -> AnyView {
    let own = own(at, lang).map(|text| view! { " "<span class="local">{text}</span> });
    view! { <time datetime=at.to_string()>{utc}</time>{own} }.into_any()
}

/// A moment among other words: the viewer's own time stands behind it in brackets.
pub fn inline(at: Timestamp, lang: Lang) -> AnyView {
    let own = own(at, lang).map(|text| format!(" ({text})"));
    view! { <time datetime=at.to_string()>{date_time(at, lang)}</time>{own} }.into_any()
}

/// A moment for a sentence, as text.
pub fn words(at: Timestamp, lang: Lang) -> String {
    with_own(date_time(at, lang), at, lang)
}

/// A time to the millisecond for a sentence, as text.
pub fn words_ms(at: Timestamp, lang: Lang) -> String {
    with_own(format!("{}\u{a0}UTC", time_ms(at)), at, lang)
}

/// A moment as lines of text.
pub fn lines(at: Timestamp, lang: Lang) -> impl Iterator<Item = String> {
    std::iter::once(date_time(at, lang)).chain(own(at, lang))
}

fn with_own(utc: String, at: Timestamp, lang: Lang) -> String {
    match own(at, lang) {
        Some(own) => format!("{utc} ({own})"),
        None => utc,
    }
}

fn own(at: Timestamp, lang: Lang) -> Option<String> {
    let zone = use_context::<Zone>()?;
    local_time(at, zone.offset_s(at)?, lang)
}
