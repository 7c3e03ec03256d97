//! The acceptance test's page.

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang, portal::Portal};

use crate::{
    HOSTILE, check_page,
    fixture::Ledger,
    page,
    render::{Fixture, render},
    runs, text_of,
};

#[test]
fn the_first_sentence_says_what_the_test_came_to() {
    for (address, en, es) in [
        (
            "/acceptance",
            "All 9 scenarios that ran meet all eight criteria.",
            "Los 9 escenarios ejecutados cumplen los ocho criterios.",
        ),
        (
            "/acceptance/1",
            "One of the 9 scenarios that ran does not meet every criterion.",
            "Uno de los 9 escenarios ejecutados no cumple todos los criterios.",
        ),
    ] {
        for (lang, expected) in [(Lang::En, en), (Lang::Es, es)] {
            let page = page(address, lang);
            check_page(&page.html, lang);
            assert_eq!(page.status, 200);
            assert_eq!(text_of(&page.html, "h1"), expected, "{address}");
        }
    }
}

#[test]
fn the_matrix_has_each_scenario_and_criterion_and_its_evidence() {
    let html = page("/acceptance/1", Lang::En).html;
    assert_eq!(html.matches("data-gate=\"observable\"").count(), 9);
    assert_eq!(html.matches("<h3").count(), 10);
    assert!(html.contains("Not met in: Ctrl-C.") && html.contains("Not run: IDE stop."));
    assert!(html.contains("this version of acta has no interface for it"));
    assert!(html.contains("Events were lost."));
    // A build that the log holds is a link; one that it does not hold says so.
    assert!(html.contains("/runs/") && html.contains("its entry is not in this log"));
    // What fails stands open.
    assert_eq!(html.matches("<details open").count(), 1);
    assert!(html.contains("href=\"/acceptance/2\""), "the history");
}

#[test]
fn a_ledger_without_a_test_says_how_to_run_it_and_runs_lead_to_theirs() {
    let empty: Arc<dyn Portal> = Arc::new(Fixture::new(Ledger::of(Vec::new())));
    let html = render(empty, "/acceptance", Lang::En, Theme::System).html;
    check_page(&html, Lang::En);
    assert!(html.contains("acta acceptance"));
    assert_eq!(page("/acceptance/99", Lang::En).status, 404);
    let run = page("/runs/2", Lang::Es).html;
    assert!(run.contains("del escenario «Ctrl-C»") && run.contains("Ver la prueba 1"), "{run}");
    assert!(page("/runs", Lang::En).html.contains("href=\"/acceptance\""));
}

#[test]
fn foreign_sentences_stay_text() {
    let mut fixture = Fixture::new(Ledger::of(runs()));
    fixture.agent = HOSTILE.to_owned();
    let portal: Arc<dyn Portal> = Arc::new(fixture);
    for lang in Lang::ALL {
        let html = render(portal.clone(), "/acceptance/1", lang, Theme::Dark).html;
        check_page(&html, lang);
        assert!(!html.contains("<script>") && !html.contains("<img") && !html.contains('\u{202e}'));
    }
}
