//! Pages as a browser without JavaScript gets them, over a ledger whose signatures and proofs are real.

#![expect(clippy::unwrap_used, reason = "what does not fit in a fixture fails the test that uses it")]

mod acceptance;
mod agent;
mod compare;
mod fixture;
mod live;
mod moment;
mod people;
mod rebuild;
mod render;
mod routes;
mod search;

use std::sync::Arc;

use acta_app::{context::Theme, i18n::Lang, portal::Portal, view::Viewer};
use acta_ledger::evidence::{
    artifact::CleanupStatus,
    build::Outcome,
    cancel::{Deferral, Escalation, EscalationCause, NoCancelWindow},
};
use fixture::{Ledger, Run, run, slow_tree};
use render::{Fixture, Rendered, render};

const HOSTILE: &str = "<script>alert(1)</script>\u{202e}\"'><img src=x onerror=alert(1)>";

fn runs() -> Vec<Run> {
    let cancel = |number: u64| run(number, "residual-300x32", Some(slow_tree()));
    vec![
        run(1, "squeezenet", Some(slow_tree())),
        cancel(2).cancelled(300_000_000, Some(5_277_200_000)),
        cancel(3).retry_of(2),
        cancel(4)
            .cancelled(300_000_000, None)
            .ended(Outcome::CancelRequestedButCompleted, CleanupStatus::NotNeeded),
        run(5, "gemm", None).ended(Outcome::Failed, CleanupStatus::Quarantined),
        run(6, "chain", Some(slow_tree())).ended(Outcome::Crashed, CleanupStatus::Cleaned),
        cancel(7).cancelled(300_000_000, None).ended(Outcome::Killed, CleanupStatus::Quarantined),
        run(8, "deep", Some(slow_tree())).simulated(),
    ]
}

fn portal() -> Arc<dyn Portal> {
    Arc::new(Fixture::new(Ledger::of(runs())))
}

fn page(address: &str, lang: Lang) -> Rendered {
    render(portal(), address, lang, Theme::System)
}

/// The text of the first element of a kind, without its markup.
fn text_of(html: &str, tag: &str) -> String {
    let start = html.find(&format!("<{tag}")).unwrap_or_else(|| panic!("no <{tag}> in {html:.2000}"));
    let inside = html[start..].split_once('>').unwrap().1;
    let inside = inside.split(&format!("</{tag}>")).next().unwrap();
    let mut out = String::new();
    let mut markup = false;
    for c in inside.chars() {
        match c {
            '<' => markup = true,
            '>' => markup = false,
            c if !markup => out.push(c),
            _ => {}
        }
    }
    out
}

/// What holds for every page.
fn check_page(html: &str, lang: Lang) {
    assert!(html.starts_with("<!DOCTYPE html>"), "{html:.200}");
    assert!(html.contains(&format!("<html lang=\"{}\"", lang.code())), "{html:.200}");
    assert!(!html.contains(" style="), "inline style");
    assert!(!html.contains("Unknown localization key"), "a text is missing");
    assert!(!html.contains("NaN"));
    assert_eq!(html.matches("<h1").count(), 1, "one first heading");
    assert_eq!(html.matches("<main").count(), 1);
    for script in html.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap();
        assert!(tag.contains("nonce=\"test-nonce\""), "a script without nonce: {tag}");
    }
    for handler in ["onclick=", "onload=", "onerror=\"", "javascript:"] {
        assert!(!html.contains(handler), "{handler}");
    }
    // Every heading in order, every id once, every label with its field, every reference with its target.
    let ids: Vec<&str> = html.split(" id=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len(), "an id stands twice: {ids:?}");
    for attribute in [" for=\"", " aria-labelledby=\"", " aria-describedby=\"", " href=\"#", "url(#"] {
        for rest in html.split(attribute).skip(1) {
            for id in rest.split(['"', ')']).next().unwrap().split(' ') {
                assert!(ids.contains(&id), "{attribute}{id} has no target");
            }
        }
    }
    for form in html.split("<form").skip(1) {
        let form = form.split("</form>").next().unwrap();
        assert!(form.contains("name=\"form_token\"") || form.contains("method=\"get\""), "{form:.300}");
    }
}

#[test]
fn every_page_is_complete_in_both_languages() {
    let addresses = [
        "/",
        "/runs?outcome=failed",
        "/runs?outcome=crashed&gpu=H200",
        "/runs?q=gpu:none+age%3C7d+state:held&sort=latency&after=4",
        "/runs?outcome=nothing",
        "/runs/1",
        "/runs/2",
        "/runs/3",
        "/runs/4",
        "/runs/5",
        "/runs/6",
        "/runs/7",
        "/runs/8",
        "/entries/0",
        "/entries/2",
        "/ledger",
        "/acceptance",
        "/acceptance/1",
        "/acceptance/99",
        "/sign-in",
        "/help",
        "/help/builders",
        "/help/operators",
        "/help/nothing",
        "/nowhere",
        "/runs?after=0",
        "/entries/broken",
        "/entries/damaged",
    ];
    for lang in Lang::ALL {
        for address in addresses {
            let page = page(address, lang);
            check_page(&page.html, lang);
        }
    }
}

#[test]
fn the_answer_stands_in_the_first_heading() {
    for (address, en, es) in [
        (
            "/runs/1",
            "This build completed in 5.49\u{a0}s; its longest silence lasted 5.12\u{a0}s, 93\u{a0}% of it.",
            "Esta compilación se completó en 5,49\u{a0}s; su silencio más largo duró 5,12\u{a0}s, el 93\u{a0}%.",
        ),
        (
            "/runs/2",
            "This run was cancelled. It took 4.98\u{a0}s to be acknowledged, because the library made no callback for 5.12\u{a0}s.",
            "Esta ejecución se canceló. El acuse tardó 4,98\u{a0}s, porque la biblioteca no hizo ninguna llamada durante 5,12\u{a0}s.",
        ),
        (
            "/runs/4",
            "The cancel came too late: a whole engine came out 5.19\u{a0}s after the request, because the library made no callback for 5.12\u{a0}s.",
            "La cancelación llegó tarde: un motor entero salió 5,19\u{a0}s después de la petición, porque la biblioteca no hizo ninguna llamada durante 5,12\u{a0}s.",
        ),
        (
            "/runs/5",
            "This build failed after 41\u{a0}ms, because the library gave up building.",
            "Esta compilación falló tras 41\u{a0}ms, porque la biblioteca desistió de compilar.",
        ),
        (
            "/runs/6",
            "The worker died after 5.55\u{a0}s, by signal 11 (SIGSEGV).",
            "El proceso murió tras 5,55\u{a0}s, por la señal 11 (SIGSEGV).",
        ),
        (
            "/runs/7",
            "This run was killed, because the library did not answer the cancel within 5.19\u{a0}s.",
            "Hubo que matar esta ejecución, porque la biblioteca no respondió a la cancelación en 5,19\u{a0}s.",
        ),
        (
            "/",
            "Four of 8 runs need a person: one crashed, one had to be killed, one failed, one ignored its cancel.",
            "Cuatro de 8 ejecuciones necesitan a una persona: una se cayó, a una hubo que matarla, una falló, una ignoró su cancelación.",
        ),
        (
            "/entries/2",
            "Entry 2 is a build summary, signed by agent builder-03; all three checks hold.",
            "La entrada 2 es un resumen de compilación que firmó el agente builder-03; las tres comprobaciones se cumplen.",
        ),
        (
            "/ledger",
            "The ledger holds 9 entries, and its one agent's chain is without a gap.",
            "El registro contiene 9 entradas, y la cadena de su único agente no tiene huecos.",
        ),
    ] {
        assert_eq!(text_of(&page(address, Lang::En).html, "h1").replace("&#x27;", "'"), en, "{address}");
        assert_eq!(text_of(&page(address, Lang::Es).html, "h1"), es, "{address}");
    }
}

#[test]
fn what_is_not_there_says_so_with_its_status() {
    for (address, status, heading) in [
        ("/nowhere", 404, "There is nothing at this address, or you may not see it."),
        ("/runs/99", 404, "There is nothing at this address, or you may not see it."),
        ("/entries/99", 404, "There is nothing at this address, or you may not see it."),
        ("/runs?after=zero", 400, "The address is not understood: “after” cannot be “zero”."),
        ("/runs?q=age%3C7", 400, "The address is not understood: “age” cannot be “age&lt;7”."),
        ("/ledger?before=-1", 400, "The address is not understood: “before” cannot be “-1”."),
        ("/entries/broken", 500, "The server failed to make this page."),
        ("/entries/damaged", 500, "Entry 5 of the log is damaged, so this page cannot be shown."),
        (
            "/runs",
            200,
            "Four of 8 runs need a person: one crashed, one had to be killed, one failed, one ignored its cancel.",
        ),
    ] {
        let page = page(address, Lang::En);
        assert_eq!((page.status, text_of(&page.html, "h1").as_str()), (status, heading), "{address}");
    }
    assert!(page("/entries/broken", Lang::En).html.contains("err-42"));
}

#[test]
fn an_empty_ledger_says_how_to_begin() {
    let empty = || Arc::new(Fixture::new(Ledger::of(Vec::new())));
    let runs = render(empty(), "/", Lang::En, Theme::System).html;
    check_page(&runs, Lang::En);
    assert!(runs.contains("No run has been recorded yet.") && runs.contains("acta build model.onnx"));
    assert!(runs.contains("acta enrol --server https://acta.example"));
    assert!(!runs.contains("<table"));
}

#[test]
fn a_filter_that_finds_nothing_says_what_to_drop() {
    let html = page("/runs?outcome=crashed&gpu=H200&sort=-latency", Lang::En).html;
    assert_eq!(text_of(&html, "h1"), "None of 8 runs matches this filter.");
    assert!(html.contains("href=\"/runs?q=gpu%3DH200&amp;sort=-latency\""), "{html}");
    assert!(html.contains("Drop Outcome: crashed") && html.contains("Drop GPU: H200"));
    // What was asked for stays chosen, although no run has it.
    assert!(html.contains("<option value=\"H200\" selected"));
}

#[test]
fn the_filter_stands_as_text_and_in_its_lists_and_every_link_keeps_it() {
    let html = page("/runs?q=outcome:failed+gpu:none+age%3C7d&sort=-duration&after=9", Lang::En).html;
    // The lists show what they can; a part of a name and the whole text are text.
    assert!(
        html.contains("<option value=\"failed\" selected")
            && html.contains("<option value=\"&lt;7d\" selected")
    );
    assert!(html.contains("id=\"f-q\" name=\"q\" value=\"gpu:none\""), "{html}");
    assert!(html.contains("value=\"gpu:none outcome:failed age&lt;7d\""), "{html}");
    assert!(html.contains("more than 1"), "{html}");
    let query = "/runs?q=gpu%3Anone%20outcome%3Afailed%20age%3C7d&amp;sort=";
    // Sorting begins at the first page, turning the page keeps the order.
    assert!(html.contains(&format!("href=\"{query}duration\"")), "{html}");
    assert!(html.contains(&format!("href=\"{query}-latency\"")));
    assert!(html.contains(&format!("href=\"{query}-duration&amp;before=7\" rel=\"prev\"")), "{html}");
    assert!(html.contains(&format!("href=\"{query}-duration\"")), "the first page");
    let all = page("/runs", Lang::Es).html;
    assert!(all.contains("href=\"/runs?after=3\" rel=\"next\"") && !all.contains("rel=\"prev\""));
}

#[test]
fn a_filter_that_is_not_understood_says_what_is_expected() {
    let html = page("/runs?q=outcome:lost", Lang::En).html;
    assert!(html.contains("one of completed, cancelled, cancel_requested_but_completed"), "{html}");
    assert!(
        page("/runs?outcome=nothing", Lang::Es).html.contains("Se espera: outcome: and one of completed")
    );
}

#[test]
fn the_table_of_runs_measures_and_does_not_guess() {
    let html = page("/runs", Lang::En).html;
    // Measured, censored, none.
    assert!(
        html.contains(">4.977<") && html.contains(">&gt;\u{a0}5.2<") || html.contains(">> \u{a0}5.2<"),
        "{html}"
    );
    assert!(html.contains(">—<"));
    assert!(html.contains("aria-sort=\"descending\""));
    assert!(html.contains("href=\"/runs?sort=started\""));
    assert!(page("/runs", Lang::Es).html.contains(">4,977<"));
}

#[test]
fn the_four_questions_stand_on_a_run_with_what_they_rest_on() {
    let failed = page("/runs/6", Lang::En).html;
    for words in [
        "Should it continue?",
        "Should it be cancelled?",
        "Should a retry use the timing cache?",
        "Should the system go back to a known engine?",
        "The run is over: crashed.",
        "are needed before that says anything",
        "Rests on entry",
        "<a href=\"/entries/6\">6</a>",
    ] {
        assert!(failed.contains(words), "{words}");
    }
    assert!(page("/runs/6", Lang::Es).html.contains("¿Debe cancelarse?"));
    let cancelled =
        |number| run(number, "chain", Some(slow_tree())).cancelled(300_000_000, Some(5_277_200_000));
    let twice = vec![cancelled(1), cancelled(2).retry_of(1)];
    let portal = Arc::new(Fixture::new(Ledger::of(twice)));
    let second = render(portal, "/runs/2", Lang::En, Theme::System).html;
    assert!(
        second.contains("Before a third attempt") && second.contains("Narrow the tactic search"),
        "{second}"
    );
    assert!(!failed.contains("Before a third attempt"));
}

#[test]
fn a_cancel_that_was_held_back_or_ended_by_a_kill_says_so() {
    let mut run = run(1, "net", Some(slow_tree()))
        .cancelled(300_000_000, None)
        .ended(Outcome::Killed, CleanupStatus::Quarantined);
    let cancel = run.summary.cancel.as_mut().unwrap();
    let windows = [
        NoCancelWindow::NoRollbackRoute,
        NoCancelWindow::ArtifactWrite,
        NoCancelWindow::Cleanup,
        NoCancelWindow::EvidenceAtRisk,
    ];
    cancel.deferrals = windows.map(|window| Deferral { window, deferred_ms: 1_250.0 }).to_vec();
    cancel.escalation = Some(Escalation {
        cause: EscalationCause::StopDeadline,
        killed_at: cancel.requested_at,
        after_ms: 75_000.0,
        deadline_ms: Some(90_000.0),
        deadline_from: Some(HOSTILE.to_owned()),
    });
    let portal: Arc<dyn Portal> = Arc::new(Fixture::new(Ledger::of(vec![run])));
    let page = |lang| render(Arc::clone(&portal), "/runs/1", lang, Theme::System);
    for (lang, words) in [
        (Lang::En, ["production would have had no way back", "may take 90", "killed 75"]),
        (Lang::Es, ["producción se habría quedado sin vuelta atrás", "puede durar 90", "matado 75"]),
    ] {
        let rendered = page(lang);
        check_page(&rendered.html, lang);
        let text = rendered.html.replace(['\u{2068}', '\u{2069}'], "");
        for words in words {
            assert!(text.contains(words), "{words}");
        }
        assert!(text.matches("1.25").count() + text.matches("1,25").count() >= 4, "{lang:?}");
        assert!(!rendered.html.contains("<script>alert"));
    }
}

#[test]
fn foreign_text_stays_text() {
    let mut hostile = run(1, "net", Some(slow_tree())).cancelled(300_000_000, Some(5_277_200_000));
    let summary = &mut hostile.summary;
    summary.network.source = format!("/models/{HOSTILE}");
    summary.run.route = Some(HOSTILE.to_owned());
    summary.gpu_sku = HOSTILE.to_owned();
    summary.tensorrt_version = HOSTILE.to_owned();
    summary.host.os = HOSTILE.to_owned();
    summary.output_path = HOSTILE.to_owned();
    summary.command_line = vec![HOSTILE.to_owned()];
    summary.settings.insert(HOSTILE.to_owned(), HOSTILE.into());
    summary.profiles[0].input = HOSTILE.to_owned();
    summary.network.inputs[0].name = HOSTILE.to_owned();
    summary.artifacts[0].name = HOSTILE.to_owned();
    summary.timing_cache.reasons.push(HOSTILE.to_owned());
    let cancel = summary.cancel.as_mut().unwrap();
    (cancel.who, cancel.reason) = (Some(HOSTILE.to_owned()), Some(HOSTILE.to_owned()));
    hostile.tree.as_mut().unwrap().phases.iter_mut().for_each(|phase| phase.name = HOSTILE.to_owned());
    let mut failed = run(2, "net", None).ended(Outcome::Failed, CleanupStatus::Failed);
    failed.summary.failure.as_mut().unwrap().message = HOSTILE.to_owned();
    failed.summary.failure.as_mut().unwrap().records.push(HOSTILE.to_owned());
    let mut fixture = Fixture::new(Ledger::of(vec![hostile, failed]));
    fixture.viewer.name = Some(HOSTILE.to_owned());
    fixture.viewer.role = Some(HOSTILE.to_owned());
    let portal: Arc<dyn Portal> = Arc::new(fixture);
    for address in [
        "/",
        "/runs/1",
        "/runs/2",
        "/entries/1",
        "/entries/2",
        "/ledger",
        "/runs?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/runs?sort=%3Cscript%3E",
        "/sign-in?error=credentials&name=%22%3E%3Cscript%3E&next=//evil.example",
    ] {
        for lang in Lang::ALL {
            let html = render(portal.clone(), address, lang, Theme::Dark).html;
            check_page(&html, lang);
            assert!(!html.contains("<script>") && !html.contains("<img"), "{address}");
            assert!(!html.contains('\u{202e}'), "a mark that turns the text around, in {address}");
            assert!(!html.contains("\"//evil"), "{address}");
        }
    }
}

#[test]
fn a_failed_sign_in_keeps_the_name_and_says_why() {
    let html = page("/sign-in?error=credentials&name=ana&next=%2Fruns%2F2", Lang::Es).html;
    assert!(html.contains("value=\"ana\"") && html.contains("value=\"/runs/2\""));
    assert!(html.contains("role=\"alert\"") && html.contains("no se corresponden"));
    assert!(!html.contains("name=\"password\" value"));
    assert!(page("/sign-in?error=rate", Lang::En).html.contains("Too many attempts"));
    assert!(!page("/sign-in", Lang::En).html.contains("role=\"alert\""));
}

#[test]
fn language_theme_and_session_are_plain_forms() {
    let html = render(portal(), "/runs?outcome=failed&lang=en", Lang::En, Theme::Dark).html;
    assert!(html.contains("data-theme=\"dark\""));
    assert!(html.contains("action=\"/preferences\"") && html.contains("action=\"/sign-out\""));
    // Coming back, the address must not overrule the language that was chosen.
    assert!(html.contains("name=\"next\" value=\"/runs?outcome=failed\""));
    assert!(html.contains("name=\"lang\" value=\"es\" lang=\"es\""));
    let mut nobody = Fixture::new(Ledger::of(runs()));
    nobody.viewer = Viewer { form_token: "t".to_owned(), ..Viewer::default() };
    let html = render(Arc::new(nobody), "/runs/2", Lang::En, Theme::System).html;
    assert!(html.contains("href=\"/sign-in?next=%2Fruns%2F2\"") && !html.contains("action=\"/sign-out\""));
    assert!(!html.contains("data-theme"));
}

#[test]
fn only_pages_with_an_island_have_a_script() {
    for (address, island) in [
        ("/", false),
        ("/ledger", false),
        ("/sign-in", false),
        ("/nowhere", false),
        ("/runs/2", true),
        ("/entries/2", true),
    ] {
        let html = page(address, Lang::En).html;
        assert_eq!(html.contains("<script"), island, "{address}");
        assert_eq!(html.contains("<leptos-island"), island, "{address}");
    }
    let html = page("/runs/2", Lang::En).html;
    assert!(html.contains("data-verify=\"pending\""));
    // Complete without the script: the server's word, said to be the server's, and how to do without it.
    assert!(html.contains("this browser has not checked it"));
    assert!(html.contains("acta verify --server https://acta.example --entry 2"));
}

#[test]
fn a_damaged_entry_is_said_to_be_damaged() {
    let mut damaged = Fixture::new(Ledger::of(runs()));
    damaged.damaged = true;
    let portal = Arc::new(damaged);
    let html = render(portal, "/entries/2", Lang::En, Theme::System).html;
    check_page(&html, Lang::En);
    assert_eq!(
        text_of(&html, "h1"),
        "Do not rely on entry 2: its signature does not hold. entry 2: the signature does not verify"
    );
    assert!(html.contains(">2 of 3<"));
}
