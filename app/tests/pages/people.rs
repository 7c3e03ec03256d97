//! Accounts: one's own and all of them.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang};

use crate::{
    HOSTILE, check_page,
    fixture::Ledger,
    render::{Fixture, render},
    text_of,
};

fn fixture() -> Fixture {
    Fixture::new(Ledger::of(Vec::new()))
}

#[test]
fn sessions_and_tokens_are_ended_by_plain_forms() {
    for lang in Lang::ALL {
        let html = render(Arc::new(fixture()), "/account", lang, Theme::System).html;
        check_page(&html, lang);
        assert_eq!(html.matches("action=\"/account/sessions/revoke\"").count(), 2);
        assert_eq!(html.matches("action=\"/account/tokens/revoke\"").count(), 1);
        assert!(html.contains("name=\"id\" value=\"bb\""));
        // Language and theme stand once, among the parts.
        assert_eq!(html.matches("action=\"/preferences\"").count(), 2);
    }
    let html = render(Arc::new(fixture()), "/account", Lang::En, Theme::System).html;
    assert_eq!(text_of(&html, "h1"), "You are signed in 2 times, and one token acts for you.");
    assert!(html.contains("href=\"/account\" aria-current=\"page\""));
}

#[test]
fn only_whoever_may_see_the_accounts_is_shown_the_way() {
    for (role, may) in [("admin", true), ("auditor", true), ("reviewer", false), ("approver", false)] {
        let portal = Arc::new(fixture().seen_by("ada", role));
        let page = render(portal, "/people", Lang::Es, Theme::System);
        check_page(&page.html, Lang::Es);
        assert_eq!(page.status, if may { 200 } else { 404 }, "{role}");
        assert_eq!(page.html.contains("href=\"/people\""), may, "{role}");
    }
    let portal = Arc::new(fixture().seen_by("ada", "admin"));
    let html = render(portal, "/people", Lang::En, Theme::System).html;
    assert_eq!(text_of(&html, "h1"), "There are 3 accounts; one person can approve.");
    assert!(html.contains("builder-03"));
}

#[test]
fn what_a_browser_calls_itself_stays_text() {
    let mut hostile = fixture().seen_by(HOSTILE, "admin");
    hostile.agent = HOSTILE.to_owned();
    let portal = Arc::new(hostile);
    for address in ["/account", "/people"] {
        let html = render(portal.clone(), address, Lang::En, Theme::Dark).html;
        check_page(&html, Lang::En);
        assert!(!html.contains("<script>") && !html.contains("<img") && !html.contains('\u{202e}'));
    }
}
