//! Measures how long every page of the portal takes beside a small and a large ledger, both written through the real log
//! and read in the same run, one after the other in turn.
//!
//! Twenty users ask at once over loopback, each for the next page as soon as the last has come, compressed as a browser
//! asks for it. A page passes where its p99 beside the large ledger is below the limit and its median is within the factor
//! of the median beside the small one. The users and the server share the machine, so their own work is in the times.

use std::{
    process::ExitCode,
    sync::{Barrier, Mutex},
    thread,
    time::{Duration, Instant},
};

use acta_ledger::{judge::percentile::Samples, log::digest::Sha256Digest};
use acta_tests::{
    api::Push,
    evidence::{LISTING, TestAgent, acceptance, summary},
    portal::Person,
    process::Server,
    route::{self, ROUTE, definition},
    seed,
};
use serde_json::json;

const USAGE: &str = "\
usage: acta-bench-portal [LARGE [SMALL]]

Seeds two servers with SMALL (1000) and LARGE (50000) runs and measures every page at 20 users, each page 3 rounds in
turn. Ends with 1 where a page's p99 beside the large ledger is 50 ms or more, or its median more than 1.3 times the
small one's. Example: acta-bench-portal 5000";

const USERS: usize = 20;
const ROUNDS: usize = 3;
/// Requests of a user in a round.
const REQUESTS: usize = 5;
const LIMIT_MS: f64 = 50.0;
const FACTOR: f64 = 1.3;

const BUNDLE: &[u8] = b"a bundle";
const CONFIG: &[u8] = b"its configuration";

/// A server with evidence, and whoever looks at it.
struct Stage {
    server: Server,
    approver: Person,
    admin: Person,
    /// Address of each page, under the name of its path.
    pages: Vec<(&'static str, String)>,
}

/// Who asks for a page.
fn asks(name: &str) -> bool {
    name.starts_with("/people")
}

impl Stage {
    fn set(runs: u64) -> Self {
        let server = Server::start(&["--public-read"]);
        let tokens: Vec<String> = (1..=4).map(|number| server.token(&format!("seed-{number}"))).collect();
        let begun = Instant::now();
        seed::push(&server.url(), &tokens, runs, &|_| {});
        let seconds = begun.elapsed().as_secs_f64();
        println!("{runs} runs pushed in {seconds:.1} s: {:.0} a second", runs as f64 / seconds);
        let (approver, admin) =
            (Person::sign_in(&server, "ana", "approver"), Person::sign_in(&server, "adam", "admin"));
        let hold = with_a_route(&server, &admin, &approver);
        let pages = pages(&server, hold);
        Self { server, approver, admin, pages }
    }

    /// One page as one user gets it: how long it took and how many bytes came, in milliseconds.
    fn ask(&self, http: &ureq::Agent, name: &str, address: &str) -> (f64, usize) {
        let person = if asks(name) { &self.admin } else { &self.approver };
        let begun = Instant::now();
        let answer = http
            .get(format!("{}{address}", self.server.url()))
            .header("cookie", person.cookie())
            .header("accept-encoding", "gzip, br")
            .call();
        let mut answer = answer.unwrap_or_else(|error| panic!("GET {address}: {error}"));
        let bytes = answer.body_mut().read_to_vec().expect("a body").len();
        (begun.elapsed().as_secs_f64() * 1e3, bytes)
    }

    /// All users at once.
    fn round(&self, name: &str, address: &str) -> Vec<f64> {
        let (start, times) = (Barrier::new(USERS), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for _ in 0..USERS {
                scope.spawn(|| {
                    let config = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(60)));
                    let http = config.build().new_agent();
                    // The connection is there before the clock runs, as a browser keeps it.
                    self.ask(&http, name, address);
                    start.wait();
                    let own: Vec<f64> = (0..REQUESTS).map(|_| self.ask(&http, name, address).0).collect();
                    times.lock().expect("no user failed").extend(own);
                });
            }
        });
        times.into_inner().expect("no user failed")
    }
}

/// A route with everything but an approval, and on hold; the hold's entry.
fn with_a_route(server: &Server, admin: &Person, approver: &Person) -> u64 {
    let defined = admin.post("/api/v1/routes", &definition(1));
    assert!(defined["code"].is_null(), "{defined}");
    let agent = TestAgent::new(7);
    let push = Push::enrol(&server.url(), &server.token("builder-7"), &agent);
    for blob in [BUNDLE, CONFIG, LISTING] {
        push.blob(blob);
    }
    let said = summary(1);
    let envelope = agent.envelope(&said);
    let made = [(said, Sha256Digest::of(&envelope))];
    push.append(&[envelope]);
    push.append(&route::everything(&agent, BUNDLE, CONFIG));
    push.append(&[agent.acceptance(&acceptance(1, &made))]);
    let hold = json!({
        "decision": "hold", "bundleDigest": format!("sha256:{}", Sha256Digest::of(BUNDLE)), "reasonCode": "other",
        "text": "measured", "holdOwner": "ana", "reviewAt": "2099-01-01", "seenSize": 1, "key": "bench-hold",
    });
    let held = approver.post(&format!("/api/v1/routes/{ROUTE}/decisions"), &hold);
    held["entry"].as_u64().unwrap_or_else(|| panic!("no hold: {held}"))
}

/// Each page's path and an address of it beside this ledger.
fn pages(server: &Server, hold: u64) -> Vec<(&'static str, String)> {
    let bundle = Sha256Digest::of(BUNDLE);
    // Where few runs are let through, those are taken and sorted. That is to be compared, and not how many rows a page shows:
    // beside the large ledger more is asked for, so that both pages show a few.
    let many = server.get("/api/v1/runs")["matching"].as_u64().expect("a number") > 10_000;
    let few = format!("gpu:H200+outcome:failed{}", if many { "+cache:cold+net-1+route:net-6" } else { "" });
    let matching = server.get(&format!("/api/v1/runs?q={few}"))["matching"].as_u64();
    assert!(matching.is_some_and(|runs| (1..=20).contains(&runs)), "{few}: {matching:?}");
    let few = format!("/runs?q={few}");
    let newest = server.get("/api/v1/runs?q=route:models/");
    let run = newest["runs"][0]["id"].as_str().expect("a run").to_owned();
    let number = newest["runs"][0]["number"].as_u64().expect("a number");
    let detail = server.get(&format!("/api/v1/runs/{run}"));
    let config = detail["summary"]["buildConfigHash"].as_str().expect("a configuration").to_owned();
    let config = config.trim_start_matches("sha256:").to_owned();
    let after = newest["after"].as_u64().expect("more than a page");
    vec![
        ("/", "/".to_owned()),
        ("/runs", "/runs".to_owned()),
        ("/runs (next page)", format!("/runs?after={after}")),
        ("/runs (filter)", "/runs?q=gpu:H200+cache:cold+outcome:cancelled+age%3C3650d+state:held".to_owned()),
        ("/runs (sorted)", format!("/runs?q=gpu:H200+cache:cold{}", if many { "+net-1" } else { "" })),
        ("/runs (few)", few),
        ("/runs (longest)", "/runs?q=outcome:completed&sort=-duration".to_owned()),
        ("/runs/{id}", format!("/runs/{run}")),
        ("/compare", format!("/compare?run={number}&run={}", number - 1)),
        ("/configurations/{digest}", format!("/configurations/{config}")),
        ("/cancels", "/cancels".to_owned()),
        ("/caches", "/caches".to_owned()),
        ("/acceptance", "/acceptance".to_owned()),
        ("/acceptance/{id}", "/acceptance/1".to_owned()),
        ("/live", "/live".to_owned()),
        ("/routes", "/routes".to_owned()),
        ("/routes/{name}", format!("/routes/{ROUTE}")),
        ("/routes/{name}/decide", format!("/routes/{ROUTE}/decide?kind=lift_hold&bundle={bundle}")),
        ("/routes/{name}/rollback", format!("/routes/{ROUTE}/rollback")),
        ("/routes/{name}/done/{entry}", format!("/routes/{ROUTE}/done/{hold}")),
        ("/routes/{name}/live", format!("/routes/{ROUTE}/live?at=2026-11-30")),
        ("/routes/{name}/restores", format!("/routes/{ROUTE}/restores")),
        ("/entries/{which}", "/entries/500".to_owned()),
        ("/ledger", "/ledger".to_owned()),
        ("/bundles/{digest}", format!("/bundles/{bundle}")),
        ("/search", "/search?q=mini".to_owned()),
        ("/d/sha256/{digest}", format!("/d/sha256/{bundle}")),
        ("/account", "/account".to_owned()),
        ("/people", "/people".to_owned()),
        ("/people/accounts/{name}", "/people/accounts/ana".to_owned()),
        ("/sign-in", "/sign-in".to_owned()),
    ]
}

fn percentiles(times: &[f64]) -> (f64, f64) {
    let samples = Samples::new(times).expect("times are measurements");
    let [p50, p99] = [500, 990].map(|per_mille| samples.percentile(per_mille).value());
    (p50.expect("enough samples"), p99.expect("at least 100 samples"))
}

fn main() -> ExitCode {
    let arguments: Vec<Option<u64>> = std::env::args().skip(1).map(|text| text.parse().ok()).collect();
    let (large, small) = match arguments[..] {
        [] => (50_000, 1_000),
        [Some(large)] => (large, 1_000),
        [Some(large), Some(small)] => (large, small),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let stages = [Stage::set(small), Stage::set(large)];
    println!("{USERS} users, {} requests a page; milliseconds", USERS * REQUESTS * ROUNDS);
    println!(
        "{:<30} {:>8} {:>8} {:>8} {:>8} {:>6} {:>8}",
        "page", "p50", "p99", "p50", "p99", "ratio", "bytes"
    );
    println!("{:<30} {small:>17} {large:>17}", "");
    let mut failed = 0;
    for ((name, one), (_, other)) in stages[0].pages.iter().zip(&stages[1].pages) {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            times[0].extend(stages[0].round(name, one));
            times[1].extend(stages[1].round(name, other));
        }
        let [(small_p50, small_p99), (p50, p99)] = [percentiles(&times[0]), percentiles(&times[1])];
        let ratio = p50 / small_p50;
        let (_, bytes) = stages[1].ask(&ureq::Agent::new_with_defaults(), name, other);
        let fits = p99 < LIMIT_MS && ratio <= FACTOR;
        failed += usize::from(!fits);
        let mark = if fits { "" } else { "  *" };
        println!(
            "{name:<30} {small_p50:>8.1} {small_p99:>8.1} {p50:>8.1} {p99:>8.1} {ratio:>6.2} {bytes:>8}{mark}"
        );
    }
    println!("{failed} pages miss p99 < {LIMIT_MS} ms or median within {FACTOR} times");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
