//! The page of an agent.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang};

use crate::{
    check_page,
    fixture::Ledger,
    render::{Fixture, render},
    text_of,
};

fn fixture() -> Fixture {
    Fixture::new(Ledger::of(Vec::new()))
}

#[test]
fn the_life_of_the_keys_and_every_fault_of_the_chain_are_told() {
    for (lang, words) in [
        (Lang::En, ["Missing: numbers 3 to 4.", "the number 5:", "replaced", "contradicts itself"]),
        (Lang::Es, ["Faltan: números 3 a 4.", "el número 5:", "sustituida", "se contradice"]),
    ] {
        let html = render(Arc::new(fixture()), "/agents/rotated", lang, Theme::System).html;
        check_page(&html, lang);
        for word in words {
            assert!(html.contains(word), "{word}\n{html}");
        }
        for entry in [0, 6, 7, 8, 9, 11, 12] {
            assert!(html.contains(&format!("href=\"/entries/{entry}\"")), "{entry}");
        }
        assert!(!html.contains("/agents/rotated/revoke"), "only an admin is offered the form");
    }
    let missing = render(Arc::new(fixture()), "/agents/nobody", Lang::En, Theme::System);
    assert_eq!(missing.status, 404);
}

#[test]
fn an_admin_revokes_with_a_reason_the_key_that_was_seen_and_a_confirmation() {
    let portal = Arc::new(fixture().seen_by("adam", "admin"));
    let address = "/agents/rotated?error=not_confirmed&reason=lost%20it&detail=the+form";
    let html = render(portal.clone(), address, Lang::En, Theme::System).html;
    check_page(&html, Lang::En);
    for part in [
        "action=\"/agents/rotated/revoke\"",
        "name=\"key_id\"",
        "name=\"confirm\"",
        "name=\"password\"",
        "value=\"lost it\"",
        "The revocation was not confirmed.",
    ] {
        assert!(html.contains(part), "{part}");
    }
    let revoked = render(portal, "/agents/revoked", Lang::En, Theme::Dark).html;
    check_page(&revoked, Lang::En);
    assert!(text_of(&revoked, "h1").contains("entry 14 revoked its key, by adam"), "{revoked}");
    assert!(!revoked.contains("/agents/revoked/revoke") && !revoked.contains("<i>the disk"), "{revoked}");
}
