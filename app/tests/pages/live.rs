//! Builds that run.

use std::sync::Arc;

use acta_app::{
    context::Theme,
    i18n::Lang,
    pages::live::fragments,
    view::{
        RunLink,
        live::{LiveBuildView, RequestView},
    },
};
use acta_ledger::{
    evidence::{
        build::Outcome,
        cancel::{CancelSource, NoCancelWindow},
        number::Count64,
    },
    judge::{
        baseline::{self, Comparison, Place},
        live::{CancelWay, Standing, verdict::LiveVerdict},
        stuck::{StuckVerdict, Wait},
    },
    live::{
        LiveBuild, LiveCancel, LiveEnd, LivePhase, LiveState, LiveUsage, MAX_NAME_BYTES, MAX_PHASES,
        PROTOCOL, Stage, cut,
    },
    log::digest::Sha256Digest,
};
use uuid::Uuid;

use crate::{
    HOSTILE, check_page,
    fixture::Ledger,
    render::{Fixture, Rendered, render},
    text_of,
};

const S: u64 = 1_000_000_000;

fn phase(id: u32, parent: Option<u32>, finished: Option<u64>) -> LivePhase {
    LivePhase {
        id,
        parent,
        name: format!("phase {id}"),
        occurrence: id % 2,
        steps_announced: 6,
        steps_completed: 2,
        started: Count64(0),
        finished: finished.map(Count64),
        folded: id % 3,
    }
}

/// A build that was silent for 18.6 s when its agent spoke 0.8 s ago.
pub fn silent() -> LiveBuildView {
    let hostile = LivePhase { name: cut(HOSTILE, MAX_NAME_BYTES).to_owned(), ..phase(1, Some(0), Some(S)) };
    let state = LiveState {
        now: Count64(119 * S),
        started: Count64(100 * S),
        stage: Stage::Building,
        builder: None,
        tensorrt_version: Some("1.7.1.116".to_owned()),
        kind: None,
        build_began: Some(Count64(100 * S)),
        last_callback: Some(Count64(101 * S)),
        callbacks: 12,
        steps_per_s: Some(0.25),
        phase_count: 12_000,
        phases: vec![phase(0, None, None), hostile, phase(2, Some(0), None)],
        usage: LiveUsage { rss_bytes: Some(1_840_000_000), cores: Some(0.99), threads: Some(4) },
        window: None,
        cancel: None,
        end: None,
    };
    LiveBuildView {
        build: LiveBuild {
            protocol: PROTOCOL,
            run: Uuid::from_u128(7),
            route: Some("bench/chain".to_owned()),
            attempt: 1,
            retry_of: None,
            model: HOSTILE.to_owned(),
            settings: Default::default(),
            started_at: "2026-11-29T20:31:07Z".parse().unwrap(),
        },
        agent: HOSTILE.to_owned(),
        standing: Standing::Running,
        way: CancelWay::Now,
        heard_ago_ms: 600,
        state: Some(state),
        request: None,
        verdict: None,
        logged: None,
        may_cancel: true,
    }
}

/// The same after a cancel from the portal was answered.
pub fn cancelling() -> LiveBuildView {
    let mut view = silent();
    view.way = CancelWay::Again;
    view.request = Some(RequestView {
        id: "r".to_owned(),
        account: HOSTILE.to_owned(),
        role: "reviewer".to_owned(),
        reason: HOSTILE.to_owned(),
        at: "2026-11-29T20:31:25Z".parse().unwrap(),
        entry: Some(41),
    });
    view.state.as_mut().unwrap().cancel = Some(LiveCancel {
        source: CancelSource::Api,
        reason: Some(HOSTILE.to_owned()),
        who: Some("rita".to_owned()),
        request: Some(Uuid::nil()),
        requested: Count64(110 * S),
        delivered: Some(Count64(110 * S + 1_000_000)),
        acknowledged: Some(Count64(117 * S)),
        returned: None,
        cleaned: None,
        held_by: None,
        open_at_request: vec![0, 2],
    });
    view
}

fn ended(logged: bool) -> LiveBuildView {
    let mut view = cancelling();
    (view.standing, view.way) = (Standing::Ended, CancelWay::TooLate);
    let state = view.state.as_mut().unwrap();
    (state.stage, state.phases) = (Stage::Ended, vec![phase(0, None, Some(S))]);
    state.end = Some(LiveEnd { outcome: Outcome::Cancelled, entry: Sha256Digest::of(b"e") });
    view.logged = logged.then(|| RunLink {
        id: "x".to_owned(),
        number: 1,
        outcome: "cancelled".to_owned(),
        attempt: 1,
    });
    view
}

fn page(builds: Vec<LiveBuildView>, address: &str, lang: Lang) -> Rendered {
    let mut fixture = Fixture::new(Ledger::of(Vec::new()));
    fixture.builds = builds;
    render(Arc::new(fixture), address, lang, Theme::System)
}

fn of(view: LiveBuildView, lang: Lang) -> String {
    let address = format!("/runs/{}/live", view.build.run);
    page(vec![view], &address, lang).html
}

#[test]
fn the_first_sentence_says_how_long_it_has_been_silent() {
    assert_eq!(
        text_of(&of(silent(), Lang::En), "h1"),
        "This build has run for 19.6\u{a0}s. The library has made no callback for 18.6\u{a0}s, in “phase 2”."
    );
    let vanished = LiveBuildView { standing: Standing::Vanished, heard_ago_ms: 9_000, ..silent() };
    let html = of(vanished, Lang::En);
    assert!(text_of(&html, "h1").starts_with("Nobody knows whether this build runs"), "never as running");
    assert!(html.contains("agent vanished"));
    assert!(text_of(&of(cancelling(), Lang::En), "h1").contains("answered the cancel after 7.0\u{a0}s"));
    let early = LiveBuildView { state: None, ..silent() };
    assert!(text_of(&of(early, Lang::En), "h1").starts_with("This build begins"));
}

/// Beside earlier builds: in phase 2 for as long as given, which was at most 9 s in 20 builds.
fn beside(value_ms: f64, standing: baseline::Standing, wait: Wait) -> LiveBuildView {
    let found = Comparison {
        standing,
        value_ms,
        n: 20,
        needed: 20,
        p95_ms: Some(8_000.0),
        longest_ms: Some(9_000.0),
    };
    let place = Place::of_names(["phase 0", "phase 2"], 0);
    let stuck = StuckVerdict { place, is_silent: true, silence: found, duration: found, wait };
    LiveBuildView { verdict: Some(LiveVerdict { stuck, open: vec![(0, found), (2, found)] }), ..silent() }
}

#[test]
fn the_verdict_stands_in_words_beside_each_open_phase() {
    let html = of(beside(6_000.0, baseline::Standing::Within, Wait::NotAsked), Lang::En);
    assert_eq!(html.matches("as usual; longest 9.00\u{a0}s").count(), 2);
    assert!(html.contains("Silent for 6.00\u{a0}s, as usual"), "the answer says it too");
    assert!(html.contains("phase # &gt; phase #"), "the place, its numbers normalised");
    let waits = Wait::NoAcknowledgementYet { waited_ms: 3_000.0 };
    let html = of(beside(12_000.0, baseline::Standing::BeyondLongest, waits), Lang::En);
    assert!(html.contains("no acknowledgement yet after 3.00\u{a0}s, the phase is silent"));
    assert!(html.contains(
        "12.0\u{a0}s, longer than ever (95th percentile 8.00\u{a0}s, longest seen 9.00\u{a0}s in 20 builds)"
    ));
    let said =
        fragments(&beside(12_000.0, baseline::Standing::BeyondLongest, Wait::NotAsked), Lang::En, None)
            .announce;
    assert_eq!(said, "Phase “phase 2” is silent for longer than ever.");
    assert!(of(silent(), Lang::En).contains("What is usual is not known yet"));
}

#[test]
fn every_state_is_a_sound_page_in_both_languages() {
    let held = |mut view: LiveBuildView| {
        view.way = CancelWay::After(NoCancelWindow::ArtifactWrite);
        view.state.as_mut().unwrap().stage = Stage::Writing;
        view
    };
    let states = [
        silent(),
        cancelling(),
        ended(false),
        ended(true),
        held(silent()),
        LiveBuildView { state: None, ..silent() },
        LiveBuildView { may_cancel: false, ..silent() },
        LiveBuildView { way: CancelWay::WhenBack, standing: Standing::Vanished, ..silent() },
        LiveBuildView { way: CancelWay::Unseen, ..silent() },
        beside(6_000.0, baseline::Standing::Within, Wait::NotAsked),
    ];
    for lang in Lang::ALL {
        for view in &states {
            let html = of(view.clone(), lang);
            check_page(&html, lang);
            assert!(!html.contains("<script>alert") && !html.contains("<img"), "a foreign name acts");
            let review = page(vec![view.clone()], &format!("/runs/{}/cancel?reason=x", view.build.run), lang);
            check_page(&review.html, lang);
        }
        let all = page(states.to_vec(), "/live", lang).html;
        check_page(&all, lang);
        check_page(&page(Vec::new(), "/live", lang).html, lang);
    }
}

#[test]
fn without_javascript_a_running_build_is_loaded_again_unless_it_is_paused() {
    let refreshes = |html: &str| html.contains("<noscript><meta http-equiv=\"refresh\" content=\"5\"");
    assert!(refreshes(&of(silent(), Lang::En)));
    assert!(!refreshes(&of(ended(true), Lang::En)), "what is over is nothing to load again");
    let paused = page(vec![silent()], &format!("/runs/{}/live?updates=paused", Uuid::from_u128(7)), Lang::En);
    assert!(!refreshes(&paused.html) && paused.html.contains("Resume updates"));
    assert!(!refreshes(&page(Vec::new(), "/live?updates=paused", Lang::En).html));
    let nobody = page(Vec::new(), &format!("/runs/{}/live", Uuid::from_u128(7)), Lang::En);
    assert!(nobody.status == 404 && !refreshes(&nobody.html));
}

#[test]
fn the_five_moments_come_one_by_one() {
    let moments = |view: LiveBuildView| {
        let html = of(view, Lang::En);
        (html.matches("class=\"come\"").count(), html.matches("class=\"pending\"").count())
    };
    assert_eq!(moments(silent()), (0, 0));
    assert_eq!(moments(cancelling()), (3, 2));
    let mut sent = cancelling();
    sent.state.as_mut().unwrap().cancel = None;
    assert_eq!(moments(sent), (0, 5));
    let html = of(cancelling(), Lang::En);
    assert!(html.contains("href=\"/entries/41\"") && html.contains("20:31:25.000"));
}

#[test]
fn whoever_may_not_ask_is_told_so_and_gets_no_form() {
    let form = |view: LiveBuildView| of(view, Lang::En).contains("name=\"reason\"");
    assert!(form(silent()));
    assert!(!form(LiveBuildView { may_cancel: false, ..silent() }));
    assert!(!form(cancelling()));
    let review = page(vec![cancelling()], &format!("/runs/{}/cancel", Uuid::from_u128(7)), Lang::En).html;
    assert!(!review.contains("Request the cancel") && review.contains("the first request counts"));
}

#[test]
fn a_stream_holds_what_the_page_shows_and_stays_small() {
    let mut view = silent();
    let state = view.state.as_mut().unwrap();
    state.phases = (0..MAX_PHASES as u32).map(|id| phase(id, id.checked_sub(1), None)).collect();
    let parts = fragments(&view, Lang::En, None);
    let bytes: usize = parts.parts.iter().map(|part| part.html.len()).sum();
    assert!(bytes < 100_000, "{bytes}");
    let html = of(view, Lang::En);
    for part in &parts.parts {
        assert!(html.contains(&format!("<div id=\"{}\">", part.id)), "{}", part.id);
    }
    assert_eq!(parts.announce, "Phase “phase 159” began.");
    assert!(
        !parts.over
            && fragments(&ended(true), Lang::En, None).over
            && !fragments(&ended(false), Lang::En, None).over
    );
}
