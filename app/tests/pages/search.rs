//! The search: its box on every page, its words for what it cannot look for, and what it finds.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang, portal::Portal};

use crate::{
    check_page,
    fixture::{Ledger, search::known},
    page,
    render::{Fixture, render},
    runs, text_of,
};

#[test]
fn the_box_stands_on_every_page_but_the_one_that_signs_in() {
    for address in ["/", "/runs/1", "/entries/0", "/ledger", "/routes", "/nowhere", "/search"] {
        let html = page(address, Lang::En).html;
        assert!(html.contains("role=\"search\" method=\"get\" action=\"/search\""), "{address}");
        check_page(&html, Lang::En);
    }
    assert!(!page("/sign-in", Lang::En).html.contains("action=\"/search\""));
}

#[test]
fn what_cannot_be_looked_for_is_said_in_both_languages() {
    let digits = "e".repeat(65);
    for (query, status, en, es) in [
        ("", 200, "Nothing was typed.", "No se ha escrito nada."),
        ("sha256:e3b0", 400, "“sha256:e3b0” is too short", "«sha256:e3b0» es demasiado corto"),
        (
            "sha256:xyzxyzxyz",
            400,
            "holds something else than hexadecimal digits",
            "no son dígitos hexadecimales",
        ),
        (digits.as_str(), 400, "is too long", "es demasiado largo"),
        ("e3b0c442", 200, "Nothing in the log is “e3b0c442”.", "Nada en el registro es «e3b0c442»."),
    ] {
        for (lang, says) in [(Lang::En, en), (Lang::Es, es)] {
            let page = page(&format!("/search?q={query}"), lang);
            let heading = text_of(&page.html, "h1");
            assert!(heading.contains(says), "{query}: {heading}");
            assert_eq!(page.status, status, "{query}");
            check_page(&page.html, lang);
        }
    }
}

#[test]
fn several_things_are_listed_with_their_kinds() {
    let digest = known().to_string();
    let html = page(&format!("/search?q={}", &digest[..8]), Lang::En).html;
    assert!(text_of(&html, "h1").contains("can mean 6 things"), "{}", text_of(&html, "h1"));
    for part in [
        "leaf hash",
        "the portal's key",
        "mentions it",
        "href=\"/entries/1\"",
        &format!("/d/sha256/{digest}"),
        &format!("/api/v1/blobs/sha256/{digest}"),
        "all 9 entries of the log were looked through",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let whole = page(&format!("/d/sha256/{digest}"), Lang::En);
    assert_eq!(whole.status, 200);
    check_page(&whole.html, Lang::En);
    assert_eq!(page(&format!("/d/sha256/{}", "0".repeat(64)), Lang::En).status, 404);
    assert_eq!(page("/d/sha256/e3b0", Lang::En).status, 400);
}

#[test]
fn foreign_text_in_a_search_stays_text() {
    let mut fixture = Fixture::new(Ledger::of(runs()));
    fixture.agent = "</td><script>alert(1)</script>\u{202e}".to_owned();
    let portal: Arc<dyn Portal> = Arc::new(fixture);
    let digest = known();
    for address in [
        "/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE",
        &format!("/search?q={digest}"),
        &format!("/d/sha256/{digest}"),
    ] {
        for lang in Lang::ALL {
            let html = render(portal.clone(), address, lang, Theme::Dark).html;
            check_page(&html, lang);
            assert!(!html.contains("<script>") && !html.contains('\u{202e}'), "{address}");
        }
    }
}
