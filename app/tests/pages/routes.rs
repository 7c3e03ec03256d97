//! Routes: what the pages say of each state, the review before a signature, and the orders.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang};

use crate::{
    HOSTILE, check_page,
    fixture::{
        Ledger,
        route::{self, A, B},
    },
    render::{Fixture, Rendered, render},
    runs, text_of,
};

pub fn fixture() -> Fixture {
    Fixture::new(Ledger::of(runs()))
}

fn as_approver(address: &str, lang: Lang) -> Rendered {
    render(Arc::new(fixture().seen_by("approver-9", "approver")), address, lang, Theme::System)
}

fn as_reviewer(address: &str, lang: Lang) -> Rendered {
    render(Arc::new(fixture()), address, lang, Theme::System)
}

/// Every page of routes, with what it asks for.
pub fn addresses() -> Vec<String> {
    let names = [
        "tiny-distilbert",
        "served",
        "waiting",
        "moved-pin",
        "rejected",
        "canary-failed",
        "broken",
        "drilled",
        "bare",
        "asked",
        "traced",
        "empty",
    ];
    let mut all = vec!["/routes".to_owned(), "/routes/rejected/done/6".to_owned()];
    all.push("/routes/drilled/done/3".to_owned());
    for name in names.iter().filter(|name| !["bare", "empty"].contains(name)) {
        all.push(format!("/bundles/{A}?route={name}"));
    }
    for name in names {
        let route = format!("/routes/{name}");
        for rest in [
            "",
            "/rollback",
            "/confirm",
            "/live",
            "/live?at=2026-11-29T10:20",
            "/live?at=2020-01-01T00:00:00Z",
            "/decide",
        ] {
            all.push(format!("{route}{rest}"));
        }
        for kind in ["approve", "hold", "reject", "override", "lift_hold"] {
            all.push(format!("{route}/decide?kind={kind}&text=because"));
        }
        for action in ["rollback", "drill", "deploy"] {
            all.push(format!("{route}/rollback?action={action}&to={A}"));
            all.push(format!("{route}/rollback?action={action}&to={B}&error=not_retained&detail=x"));
        }
    }
    all
}

#[test]
fn every_page_of_routes_is_complete_in_both_languages() {
    for lang in Lang::ALL {
        for address in addresses() {
            for page in [as_reviewer(&address, lang), as_approver(&address, lang)] {
                assert_eq!(page.status, 200, "{address}");
                check_page(&page.html, lang);
                assert!(!page.html.contains("disabled"), "{address}: a control that cannot be used");
                // The one question mark is the way to the help.
                assert!(page.html.matches(">?<").count() == 1 && !page.html.contains(" ? "), "{address}");
            }
        }
    }
}

#[test]
fn the_answer_says_what_decides() {
    for (name, en, es) in [
        (
            "tiny-distilbert",
            "This route may not be served: it is on hold (entry 18).",
            "Esta ruta no puede servirse: está en espera (entrada 18).",
        ),
        (
            "served",
            "This route may be served: all five gates are open and 2 approvals count.",
            "Esta ruta puede servirse: las cinco puertas están abiertas y cuentan 2 aprobaciones.",
        ),
        (
            "waiting",
            "This route may not be served: 1 of 2 approvals count.",
            "Esta ruta no puede servirse: cuentan 1 de 2 aprobaciones.",
        ),
        (
            "moved-pin",
            "This route may no longer be served: TensorRT changed from 1.7.1.116 to 1.8.0.1 (entry 15).",
            "Esta ruta ya no puede servirse: TensorRT cambió de 1.7.1.116 a 1.8.0.1 (entrada 15).",
        ),
        (
            "rejected",
            "This route may not be served: bundle aaaaaaaaaaaa was rejected (entry 6).",
            "Esta ruta no puede servirse: el paquete aaaaaaaaaaaa fue rechazado (entrada 6).",
        ),
        (
            "bare",
            "This route may not be served: the route is not set up, or its policy makes no sense.",
            "Esta ruta no puede servirse: la ruta no está definida, o su política no tiene sentido.",
        ),
        (
            "empty",
            "This route may not be served: the route has no bundle yet.",
            "Esta ruta no puede servirse: la ruta todavía no tiene paquete.",
        ),
    ] {
        let address = format!("/routes/{name}");
        assert_eq!(text_of(&as_reviewer(&address, Lang::En).html, "h1"), en);
        assert_eq!(text_of(&as_reviewer(&address, Lang::Es).html, "h1"), es);
    }
    let html = as_reviewer("/routes", Lang::En).html;
    assert_eq!(text_of(&html, "h1"), "One of 12 routes waits for you.");
}

#[test]
fn an_empty_board_says_how_to_make_the_first_route() {
    let mut none = fixture();
    none.routes.clear();
    let html = render(Arc::new(none), "/routes", Lang::En, Theme::System).html;
    check_page(&html, Lang::En);
    assert!(html.contains("No route has been set up yet.") && html.contains("acta route new"));
}

#[test]
fn a_gate_is_a_mark_a_word_and_a_link_to_its_entry_and_rule() {
    let html = as_reviewer("/routes/tiny-distilbert", Lang::En).html;
    assert!(html.contains("data-gate=\"4 Parity\""));
    assert!(html.contains("href=\"/entries/15\"") && html.contains("href=\"#rule-4\""));
    assert!(html.contains("does not count before gate 3 is open"));
    let html = as_reviewer("/routes/broken", Lang::En).html;
    for (word, mark) in [
        ("unsatisfied", "#m-bad"),
        ("not applicable", "#m-none"),
        ("error", "#m-error"),
        ("missing", "#m-neutral"),
        ("overridden", "#m-attention"),
    ] {
        let shown = format!("<use href=\"{mark}\"></use></svg>{word}");
        assert!(html.replace("<!>", "").contains(&shown), "{word}");
    }
    // An override stays visible with whoever gave it.
    assert!(html.contains("approver-1 overrides it"), "{html}");
}

#[test]
fn whoever_may_not_decide_is_told_why() {
    let html = as_reviewer("/routes/served", Lang::En).html;
    assert!(html.contains("You may not approve: your account is no approver."));
    assert!(html.contains("name=\"kind\" value=\"hold\"") && !html.contains("value=\"approve\""));
    // The owner of the agent that pushed the evidence.
    let owner = Arc::new(fixture().seen_by("olga", "approver"));
    let html = render(owner, "/routes/served", Lang::En, Theme::System).html;
    assert!(
        html.contains("You may not approve: you built it, own the agent or contributed evidence (entry 1).")
    );
    let owner = Arc::new(fixture().seen_by("olga", "approver"));
    let html = render(owner, "/routes/served/decide?kind=approve", Lang::Es, Theme::System).html;
    check_page(&html, Lang::Es);
    assert!(text_of(&html, "h1").starts_with("Usted no puede aprobar: usted lo compiló"));
    assert!(!html.contains("action=\"/routes/served/decisions\""));
    let nobody = fixture();
    let nobody = Fixture { viewer: acta_app::view::Viewer::default(), ..nobody };
    let html = render(Arc::new(nobody), "/routes/served", Lang::En, Theme::System).html;
    assert!(html.contains("/sign-in?next=%2Froutes%2Fserved"));
}

#[test]
fn the_review_shows_what_will_be_signed_and_carries_it() {
    let typed = format!(
        "kind=hold&bundle={A}&reason_code=licence&text=not+clear%0Aat+all&hold_owner=ben&review_at=2026-12-03"
    );
    let html = as_approver(&format!("/routes/served/decide?{typed}&seen_size=11"), Lang::En).html;
    check_page(&html, Lang::En);
    assert_eq!(text_of(&html, "h1"), "You are about to hold bundle aaaaaaaaaaaa on served.");
    let form =
        html.split("action=\"/routes/served/decisions\"").nth(1).unwrap().split("</form>").next().unwrap();
    for field in [
        "name=\"kind\" value=\"hold\"",
        "name=\"reason_code\" value=\"licence\"",
        "name=\"text\" value=\"not clear\nat all\"",
        "name=\"hold_owner\" value=\"ben\"",
        "name=\"review_at\" value=\"2026-12-03\"",
        "name=\"seen_size\" value=\"11\"",
        "name=\"key\" value=\"form-key\"",
        "name=\"form_token\" value=\"form-token\"",
    ] {
        assert!(form.contains(field), "{field} in {form}");
    }
    assert!(form.contains(&format!("name=\"bundle\" value=\"{A}\"")));
    assert!(!form.contains("type=\"password\""), "a hold needs no password");
    // Back to the form, nothing is typed twice.
    assert!(html.contains("text=not%20clear%0Aat%20all") && html.contains("#h-decide"));
    let back = as_approver(&format!("/routes/served?{typed}"), Lang::En).html;
    assert!(back.contains("not clear\nat all</textarea>") && back.contains("value=\"2026-12-03\""));

    let html = as_approver("/routes/waiting/decide?kind=approve", Lang::En).html;
    assert!(html.contains("type=\"password\"") && html.contains("the last approval that is missing"));
    let html = as_approver("/routes/served/decide?kind=hold", Lang::En).html;
    assert!(html.contains("This cannot be signed yet: a reason code, a reason in words and an owner"));
    assert!(!html.contains("action=\"/routes/served/decisions\""));
    // Something was logged since the form was made.
    let html = as_approver("/routes/served/decide?kind=reject&seen_size=9", Lang::En).html;
    assert!(html.contains("The route has changed since you looked"));
}

#[test]
fn a_refusal_keeps_what_was_typed_and_is_told_in_words() {
    let detail = "it would not count: nothing was decided. \
                  %7B%22objections%22%3A%5B%7B%22objection%22%3A%22is_admin%22%7D%5D%7D";
    let typed = "kind=reject&reason_code=other&text=my%20reason&key=old-key";
    let address = format!(
        "/routes/served/decide?{typed}&error=refused_by_the_route&detail={}",
        detail.replace(' ', "+")
    );
    let html = as_approver(&address, Lang::En).html;
    check_page(&html, Lang::En);
    assert!(html.contains("role=\"alert\"") && html.contains("You are an admin, and admins decide nothing."));
    assert!(html.contains("In the server's words: it would not count: nothing was decided."));
    assert!(html.contains("name=\"text\" value=\"my reason\"") && html.contains("value=\"form-key\""));
    // While a form is being worked on, its key stays: with another one it would act twice.
    let html = as_approver(&format!("/routes/served/decide?{typed}&error=in_progress"), Lang::En).html;
    assert!(html.contains("name=\"key\" value=\"old-key\""));
    let html = as_approver(&format!("/routes/served/decide?{typed}&error=wrong_password"), Lang::Es).html;
    assert!(html.contains("La contraseña no es correcta.") && html.contains("aria-invalid=\"true\""));
    // A code that nobody knows is never printed.
    let html = as_approver(&format!("/routes/served/decide?{typed}&error=made_up_code"), Lang::En).html;
    assert!(html.contains("The server refused it.") && !html.contains("<p>made"));
}

#[test]
fn a_failed_canary_preselects_the_way_back() {
    let html = as_reviewer("/routes/canary-failed/rollback", Lang::En).html;
    assert!(html.contains("The canary failed."));
    let radio = html.split("<input").find(|input| input.contains("name=\"to\"")).unwrap();
    assert!(radio.contains(&A.to_string()) && radio.split('>').next().unwrap().contains("checked"));
    assert_eq!(html.matches("type=\"radio\"").count(), 1, "what is live or lacks a drill cannot be chosen");

    let html = as_reviewer(&format!("/routes/canary-failed/rollback?to={A}"), Lang::En).html;
    assert_eq!(
        text_of(&html, "h1"),
        "This goes back to bundle aaaaaaaaaaaa in about 38.4\u{a0}s and puts the route on hold."
    );
    let form = html.split("action=\"/routes/canary-failed/orders\"").nth(1).unwrap();
    for field in ["name=\"action\" value=\"rollback\"", "name=\"key\"", "name=\"text\"", "name=\"password\""]
    {
        assert!(form.contains(field), "{field}");
    }
    let html = as_reviewer(&format!("/routes/canary-failed/rollback?to={B}"), Lang::Es).html;
    assert_eq!(text_of(&html, "h1"), "No puede revertir al paquete bbbbbbbbbbbb: ya está en servicio.");
    let html = as_reviewer(&format!("/routes/served/rollback?to={B}"), Lang::En).html;
    assert!(text_of(&html, "h1").ends_with("it is not retained for this route."));
    let auditor = Arc::new(fixture().seen_by("aud", "auditor"));
    let html = render(auditor, "/routes/canary-failed/rollback", Lang::En, Theme::System).html;
    assert!(html.contains("You may not order this") && !html.contains("Review the rollback"));
}

#[test]
fn the_result_says_what_was_signed() {
    let html = as_reviewer("/routes/rejected/done/6", Lang::En).html;
    assert_eq!(text_of(&html, "h1"), "The rejection of bundle aaaaaaaaaaaa is signed as entry 6.");
    assert!(html.contains("data-verify=\"pending\"") && html.contains("acta verify --server"));
    let html = as_reviewer("/routes/drilled/done/3", Lang::En).html;
    assert_eq!(text_of(&html, "h1"), "The drill with bundle aaaaaaaaaaaa is ordered by entry 3.");
    assert_eq!(as_reviewer("/routes/rejected/done/1", Lang::En).status, 404);
}

#[test]
fn what_was_live_is_told_with_who_approved_it() {
    let html = as_reviewer("/routes/tiny-distilbert/live?at=2026-11-29T10:20", Lang::En).html;
    assert_eq!(
        text_of(&html, "h1"),
        "At 29\u{a0}Nov\u{a0}2026, 10:20:00\u{a0}UTC bundle aaaaaaaaaaaa was live on tiny-distilbert."
    );
    assert!(html.contains("Approved by approver-1 and approver-2 when it went live."));
    assert!(html.contains("value=\"2026-11-29T10:20:00\""));
    assert_eq!(as_reviewer("/routes/served/live?at=never", Lang::En).status, 400);
    assert_eq!(as_reviewer("/routes/nowhere/live", Lang::En).status, 404);
}

#[test]
fn what_cannot_be_read_in_an_address_is_refused() {
    for address in [
        "/routes/served?bundle=xyz",
        "/routes/served/rollback?action=explode",
        "/routes/served/rollback?to=1",
    ] {
        let page = as_reviewer(address, Lang::En);
        check_page(&page.html, Lang::En);
        assert_eq!(page.status, 400, "{address}");
    }
    for address in ["/routes/nowhere", "/routes/nowhere/decide", "/routes/nowhere/rollback"] {
        assert_eq!(as_reviewer(address, Lang::En).status, 404, "{address}");
    }
}

#[test]
fn foreign_text_on_routes_stays_text() {
    let mut hostile = fixture().seen_by("approver-9", "approver");
    hostile.routes = route::routes(HOSTILE);
    let portal = Arc::new(hostile);
    let evil = "%3Cscript%3Ealert(1)%3C/script%3E%E2%80%AE%22%3E%3Cimg%20src=x%3E";
    let mut all = addresses();
    for name in ["served", "tiny-distilbert"] {
        all.push(format!(
            "/routes/{name}/decide?kind=reject&text={evil}&reason_code={evil}&error={evil}&detail={evil}"
        ));
        all.push(format!("/routes/{name}/decide?kind=hold&hold_owner={evil}&review_at={evil}&key={evil}"));
        all.push(format!("/routes/{name}?kind={evil}&text={evil}&expires_at={evil}"));
        all.push(format!("/routes/{name}/rollback?to={A}&text={evil}&error=bad_code&detail={evil}"));
    }
    for address in all {
        for lang in Lang::ALL {
            let html = render(portal.clone(), &address, lang, Theme::Dark).html;
            check_page(&html, lang);
            assert!(!html.contains("<script>") && !html.contains("<img"), "{address}");
        }
    }
    let html = render(portal, "/routes/tiny-distilbert", Lang::En, Theme::Dark).html;
    assert!(!html.contains('\u{202e}'), "a mark that turns the text around");
}

#[test]
fn a_second_person_confirms_and_nobody_else() {
    let title = |name: &str, role: &str| {
        let page =
            render(Arc::new(fixture().seen_by(name, role)), "/routes/asked/confirm", Lang::En, Theme::System);
        check_page(&page.html, Lang::En);
        (text_of(&page.html, "h1"), page.html.contains("action=\"/routes/asked/confirmations\""))
    };
    let asked = "reviewer-1 has ordered to go back to bundle aaaaaaaaaaaa; it waits for a second person.";
    assert_eq!(title("approver-9", "approver"), (asked.to_owned(), true));
    let (said, form) = title("reviewer-1", "reviewer");
    assert!(said.contains("you ordered it yourself") && !form, "{said}");
    let (said, form) = title("reviewer-2", "reviewer");
    assert!(
        said.starts_with("You may not confirm this order: your account is no approver") && !form,
        "{said}"
    );
    let html = as_approver("/routes/asked", Lang::En).html;
    assert!(html.contains("href=\"/routes/asked/confirm\"") && html.contains("waits for a second person"));
    let html = as_reviewer(&format!("/routes/asked/rollback?to={A}"), Lang::Es).html;
    assert!(html.contains("Una segunda persona"), "said before it is ordered");
    let prepared = as_reviewer(&format!("/routes/canary-failed/rollback?to={A}"), Lang::En).html;
    assert!(!prepared.contains("A second person"), "after a failed canary minutes count");
    assert!(as_approver("/routes/served/confirm", Lang::En).html.contains("No order of this route waits"));
}

#[test]
fn a_trace_is_a_list_first_and_a_picture_second_and_names_its_gaps() {
    let page = as_reviewer(&format!("/bundles/sha256:{A}?route=traced"), Lang::En);
    let html = page.html;
    check_page(&html, Lang::En);
    assert_eq!(
        text_of(&html, "h1"),
        "The trace of bundle aaaaaaaaaaaa has one gap: no entry ties files to run."
    );
    let list = html.find("<ol class=\"trace\">").unwrap();
    assert!(list < html.find("class=\"chart full\"").unwrap());
    for step in [
        "checkpoint",
        "files",
        "recipe",
        "environment",
        "run",
        "bundle",
        "parity",
        "canary",
        "decisions",
        "live",
    ] {
        assert_eq!(html.matches(&format!("id=\"step-{step}\"")).count(), 1, "{step}");
        assert_eq!(html.matches(&format!("href=\"#step-{step}\"")).count(), 2, "{step}, in both sizes");
    }
    // Ten ties could be drawn; the one that no entry makes is not.
    assert_eq!(html.matches("class=\"tie\"").count(), 2 * 9);
    for class in ["measured by the agent", "stated by a person"] {
        assert!(html.contains(class), "{class}");
    }
    assert!(html.contains("All 12 entries that it rests on were verified"), "{html}");
    assert!(html.contains("acta verify --server https://acta.example --entry 1"));
    assert!(
        html.contains("href=\"/runs/1\"")
            && html.contains(&format!("/api/v1/bundles/{A}/trace?route=traced"))
    );

    let html = as_reviewer(&format!("/bundles/{B}?route=tiny-distilbert"), Lang::En).html;
    assert!(text_of(&html, "h1").contains("gaps. The first:"), "{}", text_of(&html, "h1"));
    assert!(
        html.contains("no entry says which run built the bundle")
            && html.contains("have been purged on purpose")
    );
    assert!(html.contains("class=\"step unknown\""));
    let mut damaged = fixture();
    damaged.damaged = true;
    let html = render(Arc::new(damaged), &format!("/bundles/{A}?route=traced"), Lang::En, Theme::System).html;
    assert!(text_of(&html, "h1").contains("do not verify") && html.contains("does not verify"));
    assert_eq!(as_reviewer("/bundles/zz", Lang::En).status, 400);
    assert_eq!(as_reviewer(&format!("/bundles/{}", "0".repeat(64)), Lang::En).status, 404);
    assert!(
        render(Arc::new(fixture()), "/runs/1", Lang::En, Theme::System)
            .html
            .contains(&format!("/bundles/{A}?route="))
    );
}

#[test]
fn what_people_type_stays_text_in_traces_and_confirmations() {
    let mut hostile = fixture();
    hostile.routes = route::routes(HOSTILE);
    let portal = Arc::new(hostile.seen_by("approver-9", "approver"));
    for address in [format!("/bundles/{A}?route=traced"), "/routes/asked/confirm".to_owned()] {
        let html = render(portal.clone(), &address, Lang::Es, Theme::Dark).html;
        check_page(&html, Lang::Es);
        assert!(
            !html.contains("<script>") && !html.contains("<img") && !html.contains('\u{202e}'),
            "{address}"
        );
    }
}

#[test]
fn the_board_and_the_route_say_until_when_and_how_old() {
    let html = as_reviewer("/routes", Lang::En).html;
    assert!(
        html.contains("last drill") && html.contains("ago") && html.contains("way back retained until"),
        "{html}"
    );
    let html = as_reviewer("/routes/served", Lang::En).html;
    assert!(
        html.contains("Retained until") && html.contains("kept with it") && html.contains("23 hours ago"),
        "{html}"
    );
}
