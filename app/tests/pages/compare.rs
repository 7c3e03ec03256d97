//! The pages about many runs.

use std::sync::Arc;

use acta_app::{
    context::Theme,
    i18n::Lang,
    portal::Portal,
    view::caches::{CacheFilter, CacheRow, CachesView},
};
use acta_ledger::{
    evidence::{
        rollback::{OrderAction, RollbackStep},
        timing_cache::Changes,
    },
    judge::restore::Restore,
    log::digest::Sha256Digest,
};
use uuid::Uuid;

use crate::{
    HOSTILE, check_page,
    fixture::{Ledger, run, slow_tree},
    page,
    render::{Fixture, Rendered, render},
    runs, text_of,
};

/// Two builds of the same that completed, the second one slower and with another driver and a hostile setting.
fn pair() -> Arc<dyn Portal> {
    let (first, mut second) = (run(1, "net", Some(slow_tree())), run(2, "net", Some(slow_tree())));
    second.summary.duration_ms.total += 900.0;
    second.summary.duration_ms.write = Some(901.0);
    second.summary.settings.insert(HOSTILE.to_owned(), serde_json::json!({ "a": [HOSTILE] }));
    Arc::new(Fixture::new(Ledger::of(vec![first, second])))
}

fn of(portal: Arc<dyn Portal>, address: &str, lang: Lang) -> Rendered {
    render(portal, address, lang, Theme::System)
}

#[test]
fn runs_that_may_be_ranked_are_and_the_reasons_are_told_in_order() {
    for (lang, headline, hidden) in [
        (Lang::En, "Run 0002 took", "equal rows hidden"),
        (Lang::Es, "La ejecución 0002 tardó", "filas iguales ocultas"),
    ] {
        let page = of(pair(), "/compare?run=1&run=2", lang);
        check_page(&page.html, lang);
        assert_eq!(page.status, 200);
        assert!(text_of(&page.html, "h1").starts_with(headline), "{}", text_of(&page.html, "h1"));
        assert!(page.html.contains(hidden));
        assert!(page.html.contains("class=\"causes\"") && page.html.contains("/entries/2"));
        assert!(!page.html.contains("<script>alert") && !page.html.contains('\u{202e}'));
    }
}

#[test]
fn only_differences_are_shown_unless_all_are_asked_for() {
    let some = of(pair(), "/compare?run=1&run=2", Lang::En).html;
    let all = of(pair(), "/compare?run=1&run=2&all=1", Lang::En).html;
    assert!(!some.contains("<code>host.kernel</code>") && all.contains("<code>host.kernel</code>"));
    assert!(some.contains("<code>durationMs.total</code>") && all.contains("<code>durationMs.total</code>"));
    check_page(&all, Lang::En);
    // The way to the other view, with the runs by their ids.
    assert!(some.contains("&amp;all=1\"") && !all.contains("Show equal rows too"));
}

#[test]
fn what_may_not_be_ranked_says_why_and_is_shown_all_the_same() {
    for (lang, refused, ground) in [
        (Lang::En, "Their times cannot be ranked", "Different"),
        (Lang::Es, "Sus tiempos no pueden ordenarse", "distint"),
    ] {
        let html = page("/compare?run=1&run=2&run=8", lang).html;
        check_page(&html, lang);
        assert!(text_of(&html, "h1").starts_with(refused), "{}", text_of(&html, "h1"));
        assert!(html.contains(ground) && html.contains("h-inputs") && html.contains("h-phases"));
        assert_eq!(html.matches("scope=\"colgroup\"").count(), 3);
    }
}

#[test]
fn the_choice_stands_in_the_address_and_can_be_changed_by_links() {
    let html = page("/compare?run=1&run=3", Lang::En).html;
    let id = |number: u128| Uuid::from_u128(number).to_string();
    let turned = format!("/compare?run={}&amp;run={}", id(3), id(1));
    assert!(html.contains(&turned), "make baseline");
    assert!(html.contains(&format!("href=\"/compare?run={}\"", id(3))), "remove");
    assert!(html.contains("aria-label=\"make baseline: run 0003\""));
    assert!(html.contains("<form action=\"/compare\" method=\"get\" class=\"ask form\""));
    assert_eq!(html.matches("type=\"hidden\" name=\"run\"").count(), 2);
    assert!(html.contains("/api/v1/compare?run="));
}

#[test]
fn fewer_than_two_runs_ask_for_more_and_unknown_ones_are_named() {
    for (address, status, words) in [
        ("/compare", 200, "Choose two to eight runs"),
        ("/compare?run=1", 200, "which one is it to be compared with?"),
        ("/compare?run=1&run=99", 404, "There is no run 99."),
        ("/compare?run=1&run=3&run=98&run=99", 404, "There are no runs 98, 99."),
        ("/compare?all=maybe", 400, "all"),
        ("/compare?run=1&run=2&run=3&run=4&run=5&run=6&run=7&run=8&run=9", 400, "run"),
    ] {
        let page = page(address, Lang::En);
        check_page(&page.html, Lang::En);
        assert_eq!(page.status, status, "{address}");
        assert!(page.html.contains(words), "{address}: {words}");
    }
}

#[test]
fn the_runs_page_and_the_run_page_lead_to_a_comparison() {
    let runs = page("/runs", Lang::En).html;
    assert_eq!(runs.matches("type=\"checkbox\" name=\"run\"").count(), 8);
    assert!(runs.contains("<form action=\"/compare\" method=\"get\""));
    assert!(runs.contains("href=\"/cancels\"") && runs.contains("href=\"/caches\""));
    let run = page("/runs/1", Lang::Es).html;
    assert!(run.contains(&format!("/compare?run={}", Uuid::from_u128(1))));
    assert!(run.contains("h-history") && run.contains("/configurations/"), "the run among its like");
}

#[test]
fn a_configuration_shows_its_runs_over_time() {
    let digest = Sha256Digest::of(b"config");
    for (lang, words) in [(Lang::En, "too few before it"), (Lang::Es, "muy pocas anteriores")] {
        let page = page(&format!("/configurations/{digest}"), lang);
        check_page(&page.html, lang);
        assert_eq!(page.status, 200);
        assert!(text_of(&page.html, "h1").contains(words), "{}", text_of(&page.html, "h1"));
        assert!(page.html.contains(&format!("/api/v1/exports/configurations/{digest}")));
        assert!(page.html.contains(&digest.to_string()));
    }
    assert_eq!(page("/configurations/abc", Lang::En).status, 404);
}

#[test]
fn cancels_are_told_by_route_phase_and_gpu_and_the_unacknowledged_count() {
    for (lang, words) in [
        (Lang::En, "More than half of the cancels were never acknowledged: 2 of 3."),
        (Lang::Es, "Más de la mitad de las cancelaciones nunca se reconocieron: 2 de 3."),
    ] {
        let page = page("/cancels", lang);
        check_page(&page.html, lang);
        assert_eq!(text_of(&page.html, "h1"), words);
        for part in ["by-route", "by-phase", "by-gpu", "h-cancels", "/api/v1/exports/cancels"] {
            assert!(page.html.contains(part), "{part}");
        }
        assert!(page.html.contains("/cancels?route=bench%2Fresidual"));
    }
    let filtered = page("/cancels?route=nobody", Lang::En).html;
    check_page(&filtered, Lang::En);
    assert!(filtered.contains("No cancel is like that.") && filtered.contains("href=\"/cancels\""));
    let empty: Arc<dyn Portal> = Arc::new(Fixture::new(Ledger::of(Vec::new())));
    assert!(of(empty, "/cancels", Lang::En).html.contains("Nobody has asked a build to stop yet."));
}

fn decision(number: u64, mode: &str, changes: Option<Changes>) -> CacheRow {
    CacheRow {
        run: Uuid::from_u128(number.into()).to_string(),
        number,
        entry: number,
        agent: HOSTILE.to_owned(),
        route: None,
        network: HOSTILE.to_owned(),
        outcome: "completed".to_owned(),
        started_at: "2026-11-29T20:00:00Z".parse().unwrap(),
        mode: mode.to_owned(),
        policy: "update".to_owned(),
        file: Some(HOSTILE.to_owned()),
        digest_before: Some(Sha256Digest::of(b"before")),
        digest_after: None,
        bytes_before: Some(7),
        bytes_after: None,
        reasons: vec![HOSTILE.to_owned()],
        changes,
        tensorrt_version: "10.16.1.11".to_owned(),
        gpu_sku: "H100".to_owned(),
        driver: None,
        cuda: Some("13.0".to_owned()),
    }
}

#[test]
fn each_decision_about_a_cache_names_who_decided_on_which_facts() {
    let drift = Changes { added: 1, removed: 0, changed: 2 };
    let view = CachesView {
        filter: CacheFilter::default(),
        modes: vec![
            ("quarantined".to_owned(), 1),
            ("updated".to_owned(), 1),
            ("not_applicable".to_owned(), 5),
        ],
        rows: vec![decision(2, "quarantined", None), decision(1, "updated", Some(drift))],
        before: Some(1),
    };
    let mut fixture = Fixture::new(Ledger::of(runs()));
    fixture.caches = Some(view);
    let portal: Arc<dyn Portal> = Arc::new(fixture);
    for (lang, headline, words) in [
        (Lang::En, "One of the 2 newest decisions set a timing cache aside.", "2 with another tactic"),
        (
            Lang::Es,
            "Una de las 2 decisiones más recientes apartó una caché de tiempos.",
            "2 con otra táctica",
        ),
    ] {
        let page = of(portal.clone(), "/caches", lang);
        check_page(&page.html, lang);
        assert_eq!(text_of(&page.html, "h1"), headline);
        assert!(page.html.contains(words) && page.html.contains("/caches?before=1"), "{}", page.html);
        assert!(!page.html.contains("<script>alert") && !page.html.contains('\u{202e}'));
    }
    assert_eq!(of(portal, "/caches?mode=lukewarm", Lang::En).status, 400);
    let none = page("/caches", Lang::En).html;
    check_page(&none, Lang::En);
    assert!(none.contains("No run is on record yet."));
}

#[test]
fn restorations_are_told_with_their_times() {
    let restore = |number: u128, step, verified_ms| Restore {
        order: Uuid::from_u128(number),
        action: OrderAction::Drill,
        bundle: Sha256Digest([0xaa; 32]),
        runtime_target: HOSTILE.to_owned(),
        step,
        failure: None,
        restored_ms: Some(800.0),
        verified_ms,
        entry: 7,
        at: "2026-11-29T20:00:00Z".parse().unwrap(),
    };
    let mut fixture = Fixture::new(Ledger::of(runs()));
    fixture.restores = vec![
        restore(1, RollbackStep::Verified, Some(900.0)),
        restore(2, RollbackStep::Failed, None),
        restore(3, RollbackStep::Verified, Some(1_100.0)),
    ];
    let portal: Arc<dyn Portal> = Arc::new(fixture);
    for (lang, words) in [
        (
            Lang::En,
            "2 restorations came to their end, in 0.90\u{a0}s to 1.10\u{a0}s; half of them within 1.00\u{a0}s.",
        ),
        (
            Lang::Es,
            "2 restauraciones llegaron a su fin, de 0,90\u{a0}s a 1,10\u{a0}s; la mitad en 1,00\u{a0}s.",
        ),
    ] {
        let page = of(portal.clone(), "/routes/served/restores", lang);
        check_page(&page.html, lang);
        assert_eq!(text_of(&page.html, "h1"), words);
        assert!(page.html.contains("/api/v1/exports/restores/served"));
        assert!(!page.html.contains('\u{202e}'));
    }
    assert_eq!(page("/routes/nowhere/restores", Lang::En).status, 404);
    let none = page("/routes/served/restores", Lang::En).html;
    check_page(&none, Lang::En);
    assert!(none.contains("Nothing was ever restored on this route."));
}
