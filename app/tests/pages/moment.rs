//! Moments by the viewer's own clock.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang, pages::live::fragments, zone::Zone};
use acta_ledger::log::timestamp::Timestamp;

use crate::{
    check_page,
    fixture::Ledger,
    live,
    render::{Fixture, render_in},
    routes,
};

/// Kolkata.
fn zone() -> Zone {
    Zone::new(|_| Some(19_800))
}

/// How many moments a page has in UTC; each must have the viewer's own time behind it.
fn moments(html: &str, page: &str) -> usize {
    let utc = html.match_indices("\u{a0}UTC").map(|(at, text)| &html[at + text.len()..]);
    utc.filter(|rest| !rest.starts_with('+'))
        .inspect(|rest| {
            let behind: String = rest.chars().take(120).collect();
            assert!(behind.contains("\u{a0}UTC+05:30"), "{page}: a moment in UTC alone: …UTC{behind}");
        })
        .count()
}

#[test]
fn every_moment_also_stands_by_the_viewers_own_clock() {
    let mut found = 0;
    for lang in Lang::ALL {
        let show = |fixture: Fixture, address: &str| {
            let html = render_in(Some(zone()), Arc::new(fixture), address, lang, Theme::System).html;
            check_page(&html, lang);
            moments(&html, address)
        };
        for address in [
            "/runs",
            "/runs/1",
            "/runs/2",
            "/runs/4",
            "/compare?run=1&run=2",
            "/cancels",
            "/caches",
            "/entries/0",
            "/ledger",
            "/acceptance",
        ] {
            found += show(Fixture::new(Ledger::of(crate::runs())), address);
        }
        for address in
            ["/account", "/people", "/people/accounts/admin-1", "/people/done/1", "/agents/rotated"]
        {
            found += show(routes::fixture().seen_by("ada", "admin"), address);
        }
        for address in routes::addresses() {
            found += show(routes::fixture(), &address);
        }
    }
    assert!(found > 300, "{found}");
}

#[test]
fn the_second_line_says_offset_and_day_and_no_zone_says_nothing() {
    let page = |zone, address: &str, lang| {
        let portal = Arc::new(Fixture::new(Ledger::of(crate::runs())));
        render_in(zone, portal, address, lang, Theme::System).html
    };
    let entry = "<time datetime=\"2026-11-29T20:39:07.000Z\">29\u{a0}Nov\u{a0}2026, 20:39:07\u{a0}UTC</time>";
    for (offset_s, own) in [
        (19_800, "30\u{a0}Nov, 02:09:07\u{a0}UTC+05:30"),
        (-12_600, "17:09:07\u{a0}UTC−03:30"),
        (0, "20:39:07\u{a0}UTC+00:00"),
    ] {
        let html = page(Some(Zone::new(move |_| Some(offset_s))), "/ledger", Lang::En);
        assert!(html.contains(&format!("{entry} <span class=\"local\">{own}</span>")), "{own}");
    }
    assert!(page(Some(zone()), "/ledger", Lang::Es).contains("30\u{a0}nov, 02:09:07\u{a0}UTC+05:30"));
    // Each moment by the offset of its own time: here the clocks go forward between two runs.
    let change: Timestamp = "2026-11-29T20:41:00Z".parse().unwrap();
    let summer = Zone::new(move |at| Some(if at < change { 3_600 } else { 7_200 }));
    let html = page(Some(summer), "/runs", Lang::En);
    for own in ["21:40:15\u{a0}UTC+01:00", "22:42:32\u{a0}UTC+02:00"] {
        assert!(html.contains(&format!(" <span class=\"local\">{own}</span>")), "{own}");
    }
    for (address, lang) in [("/runs", Lang::En), ("/runs/2", Lang::Es), ("/ledger", Lang::En)] {
        let html = page(None, address, lang);
        assert!(!html.contains("class=\"local\"") && !html.contains("UTC+") && !html.contains("UTC−"));
    }
}

#[test]
fn what_a_stream_replaces_has_the_own_clock_too() {
    for lang in Lang::ALL {
        for (view, least) in [(live::silent(), 1), (live::cancelling(), 2)] {
            let parts = fragments(&view, lang, Some(zone())).parts;
            let html: String = parts.iter().map(|part| part.html.as_str()).collect();
            assert!(moments(&html, "the stream") >= least);
            let utc = fragments(&view, lang, None).parts;
            assert!(utc.iter().all(|part| !part.html.contains("UTC+")));
        }
    }
}
