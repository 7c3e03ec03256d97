//! Writes the portal's pages as files, to be looked at without a server: `cargo run -p acta-app --features ssr
//! --example preview -- OUT [EVENTS]`. `EVENTS` is a folder of recorded callbacks, a JSON object a line (`t` in seconds,
//! `ev`, `name`, `parent`, `steps`, `step`, `returned`). Serve each of OUT's folders as the root of a site.

#![expect(clippy::unwrap_used, reason = "shared with the tests, where what does not fit fails")]

#[path = "../tests/pages/fixture.rs"]
mod fixture;
#[path = "../tests/pages/render.rs"]
#[expect(dead_code, reason = "shared with the tests, which use all of it")]
mod render;

use std::{fs, path::Path, sync::Arc};

use acta_app::{context::Theme, i18n::Lang, portal::Portal};
use acta_ledger::evidence::{
    artifact::CleanupStatus,
    build::Outcome,
    cancel::CancelState,
    phase_tree::{
        PhaseTree,
        assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    },
};
use fixture::{Ledger, Run, run, slow_tree};
use render::{Fixture, render};
use serde_json::Value;
use uuid::Uuid;

/// The tree of a recorded build.
fn recorded(events: &Path) -> Option<PhaseTree> {
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let mut last = 0;
    for line in fs::read_to_string(events).ok()?.lines() {
        let event: Value = serde_json::from_str(line).ok()?;
        last = (event["t"].as_f64()? * 1e9) as u64;
        let kind = match event["ev"].as_str()? {
            "start" => RawKind::Start {
                parent: event["parent"].as_str().map(Into::into),
                steps: event["steps"].as_i64()?,
            },
            "step" => {
                RawKind::Step { step: event["step"].as_i64()?, answered_stop: event["returned"] == false }
            }
            _ => RawKind::Finish,
        };
        let name = event["name"].as_str()?.into();
        builder.record(RawEvent { at: last, thread: 0, name, kind, cancel: CancelState::None });
    }
    Some(builder.finish(last + 400_000, Ending::Returned))
}

/// A deep tactic search: 24 subgraphs, each timing hundreds of nodes, with four silences.
fn deep() -> PhaseTree {
    let mut builder = PhaseTreeBuilder::new(Uuid::nil());
    let mut at = 300_000_000_u64;
    let mut seed = 42_u64;
    let mut below = |end: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % end
    };
    let mut record = |at: u64, name: &str, kind: RawKind<'_>| {
        builder.record(RawEvent { at, thread: 0, name: name.into(), kind, cancel: CancelState::None });
    };
    let (root, costs, tactics) = ("Building engine", "Computing profile costs", "Timing tactics");
    record(at, root, RawKind::Start { parent: None, steps: 24 });
    for graph in 0..24 {
        let name = format!("Building engine from subgraph {graph}");
        record(at, &name, RawKind::Start { parent: Some(root.into()), steps: 1 });
        at += 250_000_000;
        record(at, costs, RawKind::Start { parent: Some(name.as_str().into()), steps: 2 });
        record(at, tactics, RawKind::Start { parent: Some(costs.into()), steps: 1 });
        let nodes = if graph == 10 { 1_100 } else { 60 + below(160) };
        for node in 0..nodes {
            let node = format!("Timing node {node}");
            record(at, &node, RawKind::Start { parent: Some(tactics.into()), steps: 1 });
            record(at, "Timing kernel", RawKind::Start { parent: Some(node.as_str().into()), steps: 1 });
            at += 1_000_000 + below(28_000_000);
            record(at, "Timing kernel", RawKind::Finish);
            at += 2_000_000;
            record(at, &node, RawKind::Finish);
        }
        record(at, tactics, RawKind::Finish);
        if matches!(graph, 5 | 10 | 11 | 19) {
            record(at, "Determining refit engines", RawKind::Start { parent: Some(costs.into()), steps: 1 });
            at += [4_200_000_000, 9_800_000_000, 6_900_000_000, 3_600_000_000][graph % 4];
            record(at, "Determining refit engines", RawKind::Finish);
        }
        record(at, costs, RawKind::Finish);
        record(at, &name, RawKind::Finish);
    }
    record(at, root, RawKind::Finish);
    builder.finish(at + 40_000_000, Ending::Returned)
}

fn runs(events: Option<&Path>) -> Vec<Run> {
    let tree =
        |name: &str| events.and_then(|folder| recorded(&folder.join(name))).or_else(|| Some(slow_tree()));
    let slow = || tree("cancel-slow-residual300.jsonl");
    let squeezenet = || tree("success-squeezenet.jsonl");
    let mut runs = vec![
        run(1, "light_squeezenet", squeezenet()),
        run(2, "residual-300x32", slow()).cancelled(300_000_000, Some(5_277_000_000)),
        run(3, "residual-300x32", slow()).retry_of(2),
        run(4, "light_resnet50", tree("cancel-ignored-resnet50.jsonl"))
            .cancelled(150_000_000, None)
            .ended(Outcome::CancelRequestedButCompleted, CleanupStatus::NotNeeded),
        run(5, "gemm-fp32", tree("fail-build-sm75.jsonl")).ended(Outcome::Failed, CleanupStatus::Quarantined),
        run(6, "chain-1000x32", slow()).ended(Outcome::Crashed, CleanupStatus::Cleaned),
        run(7, "chain-1000x32", slow())
            .cancelled(300_000_000, None)
            .ended(Outcome::Killed, CleanupStatus::Quarantined),
        run(8, "deep-tactic-search", Some(deep())).simulated(),
        run(9, "small", tree("cancel-on-finish-refit-small.jsonl")).cancelled(1_000_000, Some(18_000_000)),
        run(10, "unknown-op", None).ended(Outcome::Failed, CleanupStatus::NotNeeded),
    ];
    runs.extend((11..30).map(|number| run(number, "light_squeezenet", squeezenet())));
    runs
}

/// The pages of routes that are worth a look: seen by a reviewer and by an approver.
const ROUTE_PAGES: [&str; 25] = [
    "/routes",
    "/routes/tiny-distilbert",
    "/routes/served",
    "/routes/waiting",
    "/routes/moved-pin",
    "/routes/rejected",
    "/routes/canary-failed",
    "/routes/broken",
    "/routes/bare",
    "/routes/empty",
    "/routes/served/decide?kind=hold&reason_code=licence&text=not+clear&hold_owner=ben&review_at=2026-12-03",
    "/routes/waiting/decide?kind=approve&error=wrong_password&detail=the+password+is+wrong",
    "/routes/served/decide?kind=approve",
    "/routes/canary-failed/rollback",
    "/routes/canary-failed/rollback?to=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "/routes/canary-failed/rollback?to=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
    "/routes/rejected/done/6",
    "/routes/tiny-distilbert/live?at=2026-11-29T10:20",
    "/routes/tiny-distilbert/live",
    "/routes/asked",
    "/routes/asked/confirm",
    "/bundles/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa?route=traced",
    "/bundles/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb?route=tiny-distilbert",
    "/routes/asked/rollback?to=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "/account",
];

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "preview".to_owned());
    let events = arguments.next();
    let mut ledger = Ledger::of(runs(events.as_deref().map(Path::new)));
    ledger.missing = vec![14, 15];
    let fixture = Arc::new(Fixture::new(ledger));
    let empty: Arc<dyn Portal> = Arc::new(Fixture::new(Ledger::of(Vec::new())));
    let portal: Arc<dyn Portal> = fixture.clone();
    let other = |name: &str, role: &str| -> Arc<dyn Portal> {
        Arc::new(Fixture::new(Ledger::of(runs(None))).seen_by(name, role))
    };
    let (approver, admin) = (other("approver-9", "approver"), other("admin-1", "admin"));
    let mut unrouted = Fixture::new(Ledger::of(Vec::new()));
    unrouted.routes.clear();
    let unrouted: Arc<dyn Portal> = Arc::new(unrouted);
    let style = Path::new(env!("CARGO_MANIFEST_DIR")).join("../style");
    for (lang, theme) in Lang::ALL.into_iter().flat_map(|lang| Theme::ALL.map(|theme| (lang, theme))) {
        let root = Path::new(&out).join(format!("{}-{}", lang.code(), theme.code()));
        let write = |portal: &Arc<dyn Portal>, file: &str, address: &str| {
            let html = render(portal.clone(), address, lang, theme).html;
            let folder = root.join(file);
            fs::create_dir_all(&folder)?;
            fs::write(folder.join("index.html"), html)
        };
        write(&portal, "", "/")?;
        write(&portal, "runs", "/runs")?;
        write(&portal, "none", "/runs?outcome=crashed&gpu=H200")?;
        write(&empty, "empty", "/")?;
        write(&empty, "empty-ledger", "/ledger")?;
        write(&portal, "ledger", "/ledger")?;
        write(&portal, "sign-in", "/sign-in?error=credentials&name=reviewer-1")?;
        write(&portal, "nowhere", "/nowhere")?;
        for page in ROUTE_PAGES {
            let folder = page.replace(['?', '=', '&'], "-");
            write(&portal, folder.trim_start_matches('/'), page)?;
            write(&approver, &format!("approver{folder}"), page)?;
        }
        write(&admin, "people", "/people")?;
        write(&admin, "person", "/people/accounts/approver-1")?;
        write(&admin, "person-own", "/people/accounts/admin-1")?;
        write(&admin, "people-done", "/people/done/2")?;
        write(&unrouted, "no-routes", "/routes")?;
        for number in 1..=fixture.ledger.runs.len() as u64 {
            write(&portal, &format!("runs/{number}"), &format!("/runs/{number}"))?;
            write(&portal, &format!("entries/{number}"), &format!("/entries/{number}"))?;
            let api = root.join(format!("api/v1/entries/{number}"));
            fs::create_dir_all(&api)?;
            fs::write(api.join("verification"), serde_json::to_vec(&fixture.ledger.material(number))?)?;
        }
        fs::create_dir_all(root.join("assets"))?;
        for sheet in ["tokens.css", "main.css"] {
            fs::copy(style.join(sheet), root.join("assets").join(sheet))?;
        }
    }
    Ok(())
}
