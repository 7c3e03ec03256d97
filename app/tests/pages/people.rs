//! Accounts: one's own and all of them.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang, zone::Zone};

use crate::{
    HOSTILE, check_page,
    fixture::Ledger,
    render::{Fixture, render, render_in},
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
fn the_time_zone_is_chosen_by_a_plain_form() {
    let page = |fixture: Fixture, zone: Option<Zone>, address: &str, lang| {
        let html = render_in(zone, Arc::new(fixture), address, lang, Theme::System).html;
        check_page(&html, lang);
        html
    };
    let of = |zone: Option<&str>| Fixture { zone: zone.map(str::to_owned), ..fixture() };
    for lang in Lang::ALL {
        let html = page(of(None), None, "/account", lang);
        assert_eq!(html.matches("action=\"/account/zone\"").count(), 1);
        assert!(html.contains("<option value=\"Asia/Kolkata\">"));
        assert!(!html.contains("class=\"local\"") && !html.contains("zone-error"));
        let html = page(of(Some("Europe/Madrid")), Some(Zone::new(|_| Some(3_600))), "/account", lang);
        assert!(html.contains("value=\"Europe/Madrid\" aria-") || html.contains("value=\"Europe/Madrid\">"));
        assert!(html.contains("class=\"local\""));
    }
    // What was refused stays in the field: which one, what was found, what is expected.
    let html =
        page(of(Some("Europe/Madrid")), None, "/account?error=unknown_zone&zone=Mars%2FOlympus", Lang::En);
    assert!(
        html.contains("aria-invalid=\"true\" aria-describedby=\"zone-error\"")
            && html.contains("value=\"Mars/Olympus\"")
    );
    assert!(
        html.contains("Time zone: found “Mars/Olympus”")
            && html.contains("Expected is a name of the IANA database")
    );
    // A zone that the server knows no longer is named, and shows nothing.
    let html = page(of(Some("Europe/Gone")), None, "/account", Lang::En);
    assert!(html.contains("no longer knows Europe/Gone") && !html.contains("class=\"local\""));
    let hostile = page(
        of(None),
        None,
        &format!("/account?error=unknown_zone&zone={}", acta_app::address::percent_encode(HOSTILE)),
        Lang::En,
    );
    assert!(!hostile.contains("<script>") && !hostile.contains("<img"));
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
    assert_eq!(text_of(&html, "h1"), "There are 4 accounts; one person can approve.");
    assert!(html.contains("builder-03"));
}

#[test]
fn what_a_browser_calls_itself_stays_text() {
    let mut hostile = fixture().seen_by(HOSTILE, "admin");
    hostile.agent = HOSTILE.to_owned();
    let portal = Arc::new(hostile);
    for address in ["/account", "/people", "/people/accounts/admin-1", "/people/done/2"] {
        let html = render(portal.clone(), address, Lang::En, Theme::Dark).html;
        check_page(&html, Lang::En);
        assert!(!html.contains("<script>") && !html.contains("<img") && !html.contains('\u{202e}'));
    }
}

#[test]
fn an_admin_has_forms_and_an_auditor_has_none() {
    let pages = [
        "/people",
        "/people/accounts/approver-1",
        "/people/accounts/gone",
        "/people/done/1",
        "/people/done/2",
    ];
    for lang in Lang::ALL {
        for (role, forms) in [("admin", true), ("auditor", false)] {
            for address in pages {
                let html =
                    render(Arc::new(fixture().seen_by("ada", role)), address, lang, Theme::System).html;
                check_page(&html, lang);
                let expected = forms && !address.contains("done");
                assert_eq!(html.contains("action=\"/people/changes\""), expected, "{role} {address}");
                assert!(!html.contains("disabled=") && !html.contains("Unknown"), "{role} {address}");
            }
        }
    }
    let page = |address: &str| {
        render(Arc::new(fixture().seen_by("admin-1", "admin")), address, Lang::En, Theme::System)
    };
    let html = page("/people").html;
    for change in ["add", "issue_enrolment", "revoke_token", "revoke_enrolment"] {
        assert!(html.contains(&format!("name=\"change\" value=\"{change}\"")), "{change}");
    }
    let html = page("/people/accounts/approver-1").html;
    for change in ["set_role", "disable", "end_sessions", "issue_token"] {
        assert!(html.contains(&format!("name=\"change\" value=\"{change}\"")), "{change}");
    }
    assert!(!html.contains("value=\"define_routes\""), "only an admin's token sets routes up");
    assert!(!html.contains("value=\"metrics\""), "only an admin's token reads metrics");
    assert!(html.contains("value=\"cancel\""), "an approver's token may stop builds");
    assert!(page("/people/accounts/gone").html.contains("name=\"change\" value=\"enable\""));
    // Nobody gives anything to themselves; ending one's own sessions gives nothing.
    let own = page("/people/accounts/admin-1").html;
    assert!(
        own.contains("another admin must change it")
            && !own.contains("set_role")
            && !own.contains("issue_token")
    );
    assert_eq!(page("/people/accounts/nobody").status, 404);
    let done = page("/people/done/2").html;
    assert!(done.contains("acta enrol --server https://acta.example --token acta_enrol_0123"));
    let refused = page("/people?error=malformed_name&detail=x&change=add&account=Eva&role=approver").html;
    assert!(refused.contains("A name has 1 to 64 characters") && refused.contains("value=\"Eva\""));
}
