//! One table of paths: what the server routes here, what the pages link to, and which page a path means.

use crate::address::{percent_decode, percent_encode};

/// The paths that show a page, in axum's spelling. Whatever else is asked for becomes the 404 page.
pub const PATHS: &[&str] = &[
    "/",
    "/runs",
    "/runs/{id}",
    "/compare",
    "/configurations/{digest}",
    "/cancels",
    "/caches",
    "/acceptance",
    "/acceptance/{id}",
    "/runs/{id}/live",
    "/runs/{id}/cancel",
    "/live",
    "/routes",
    "/routes/{name}",
    "/routes/{name}/decide",
    "/routes/{name}/rollback",
    "/routes/{name}/confirm",
    "/routes/{name}/done/{entry}",
    "/routes/{name}/live",
    "/routes/{name}/restores",
    "/entries/{which}",
    "/ledger",
    "/agents/{name}",
    "/bundles/{digest}",
    "/search",
    "/d/sha256/{digest}",
    "/help",
    "/help/{guide}",
    "/account",
    "/people",
    "/people/accounts/{name}",
    "/people/done/{event}",
    "/sign-in",
];

/// The runs.
pub const RUNS: &str = "/runs";
/// Runs side by side; the query says which.
pub const COMPARE: &str = "/compare";
/// How long cancels took.
pub const CANCELS: &str = "/cancels";
/// What was decided about timing caches.
pub const CACHES: &str = "/caches";
/// The acceptance test: its newest run, and all of them.
pub const ACCEPTANCE: &str = "/acceptance";
/// The builds that run.
pub const LIVE: &str = "/live";
/// The board of routes.
pub const ROUTES: &str = "/routes";
/// The search: `q` is what was typed.
pub const SEARCH: &str = "/search";
/// Help: words, keyboard, the guide.
pub const HELP: &str = "/help";
/// The viewer's own account.
pub const ACCOUNT: &str = "/account";
/// Where one of the viewer's sessions is ended.
pub const REVOKE_SESSION: &str = "/account/sessions/revoke";
/// Where one of the viewer's tokens is revoked.
pub const REVOKE_TOKEN: &str = "/account/tokens/revoke";
/// Where the viewer's time zone is posted to.
pub const ZONE: &str = "/account/zone";
/// All accounts.
pub const PEOPLE: &str = "/people";
/// Where every change of an account or a token is posted to.
pub const PEOPLE_CHANGES: &str = "/people/changes";
/// The ledger.
pub const LEDGER: &str = "/ledger";
/// The form that signs in, and where it posts to.
pub const SIGN_IN: &str = "/sign-in";
/// Where signing out posts to.
pub const SIGN_OUT: &str = "/sign-out";
/// Where language and theme are posted to.
pub const PREFERENCES: &str = "/preferences";

/// The page of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// All runs.
    Runs,
    /// One run, by id or number.
    Run(String),
    /// Runs side by side.
    Compare,
    /// The runs of a configuration, by its digest.
    Configuration(String),
    /// How long cancels took.
    Cancels,
    /// What was decided about timing caches.
    Caches,
    /// A run of the acceptance test, by id or number; the newest without either.
    Acceptance(Option<String>),
    /// The builds that run.
    LiveBuilds,
    /// One build that runs, by its run's id.
    LiveBuild(String),
    /// The review of a request to cancel a build.
    CancelBuild(String),
    /// One entry, by index or digest.
    Entry(String),
    /// The board of routes.
    Routes,
    /// One route.
    Route(String),
    /// The review of a decision on a route.
    Decide(String),
    /// A rollback, a drill or a deployment: the choice, or its review where the query names a bundle.
    Rollback(String),
    /// The review of a confirmation of another person's order.
    Confirm(String),
    /// What was signed on a route, by the entry.
    Done {
        /// The route.
        route: String,
        /// The entry.
        entry: String,
    },
    /// What was live on a route at a moment.
    Live(String),
    /// How long it took to restore bundles on a route.
    Restores(String),
    /// The ledger.
    Ledger,
    /// One agent, by its name.
    Agent(String),
    /// The viewer's own account.
    Account,
    /// All accounts.
    People,
    /// One account.
    Person(String),
    /// What was done to an account or a token.
    PeopleDone(String),
    /// The trace of a bundle.
    Bundle(String),
    /// The search; the query's `q` says for what.
    Search,
    /// Everything that is known of one digest, 64 digits.
    Digest(String),
    /// Help, or one guide by its name.
    Help(Option<String>),
    /// Signing in.
    SignIn,
}

impl Page {
    /// Reads a path; the percent-encoding of its names is undone.
    pub fn parse(path: &str) -> Option<Self> {
        let path = path.strip_suffix('/').unwrap_or(path);
        match path {
            "" | RUNS => return Some(Self::Runs),
            COMPARE => return Some(Self::Compare),
            CANCELS => return Some(Self::Cancels),
            CACHES => return Some(Self::Caches),
            ACCEPTANCE => return Some(Self::Acceptance(None)),
            LIVE => return Some(Self::LiveBuilds),
            ROUTES => return Some(Self::Routes),
            LEDGER => return Some(Self::Ledger),
            SEARCH => return Some(Self::Search),
            ACCOUNT => return Some(Self::Account),
            PEOPLE => return Some(Self::People),
            HELP => return Some(Self::Help(None)),
            SIGN_IN => return Some(Self::SignIn),
            _ => {}
        }
        let mut parts = Vec::new();
        for part in path.strip_prefix('/')?.split('/') {
            parts.push(percent_decode(part).filter(|part| !part.is_empty() && !part.contains('/'))?);
        }
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts[..] {
            ["runs", id, "live"] => Some(Self::LiveBuild(id.to_owned())),
            ["runs", id, "cancel"] => Some(Self::CancelBuild(id.to_owned())),
            ["runs", id] => Some(Self::Run(id.to_owned())),
            ["configurations", digest] => Some(Self::Configuration(digest.to_owned())),
            ["acceptance", id] => Some(Self::Acceptance(Some(id.to_owned()))),
            ["agents", name] => Some(Self::Agent(name.to_owned())),
            ["entries", which] => Some(Self::Entry(which.to_owned())),
            ["routes", name] => Some(Self::Route(name.to_owned())),
            ["routes", name, "decide"] => Some(Self::Decide(name.to_owned())),
            ["routes", name, "rollback"] => Some(Self::Rollback(name.to_owned())),
            ["routes", name, "confirm"] => Some(Self::Confirm(name.to_owned())),
            ["bundles", digest] => Some(Self::Bundle(digest.to_owned())),
            ["help", guide] => Some(Self::Help(Some(guide.to_owned()))),
            ["d", "sha256", digest] => Some(Self::Digest(digest.to_owned())),
            ["people", "accounts", name] => Some(Self::Person(name.to_owned())),
            ["people", "done", event] => Some(Self::PeopleDone(event.to_owned())),
            ["routes", name, "live"] => Some(Self::Live(name.to_owned())),
            ["routes", name, "restores"] => Some(Self::Restores(name.to_owned())),
            ["routes", route, "done", entry] => {
                Some(Self::Done { route: route.to_owned(), entry: entry.to_owned() })
            }
            _ => None,
        }
    }
}

/// The page of a route, for its newest bundle.
pub fn route(name: &str) -> String {
    format!("{ROUTES}/{}", percent_encode(name))
}

/// The page of a route, for one bundle.
pub fn route_bundle(name: &str, bundle: impl std::fmt::Display) -> String {
    format!("{}?bundle={bundle}", route(name))
}

/// The review of a decision.
pub fn decide(name: &str) -> String {
    format!("{}/decide", route(name))
}

/// Where a decision is posted to.
pub fn decisions(name: &str) -> String {
    format!("{}/decisions", route(name))
}

/// The choice of a bundle to go back to, and the review of every order.
pub fn rollback(name: &str) -> String {
    format!("{}/rollback", route(name))
}

/// The review of an order: `rollback`, `drill` or `deploy`.
pub fn order_review(name: &str, action: &str, to: impl std::fmt::Display) -> String {
    format!("{}?action={action}&to={to}", rollback(name))
}

/// Where an order is posted to.
pub fn orders(name: &str) -> String {
    format!("{}/orders", route(name))
}

/// The review of a confirmation.
pub fn confirm(name: &str) -> String {
    format!("{}/confirm", route(name))
}

/// Where a confirmation is posted to.
pub fn confirmations(name: &str) -> String {
    format!("{}/confirmations", route(name))
}

/// The trace of a bundle on a route.
pub fn trace(bundle: impl std::fmt::Display, name: &str) -> String {
    format!("/bundles/{bundle}?route={}", percent_encode(name))
}

/// The same as JSON.
pub fn trace_json(bundle: impl std::fmt::Display, name: &str) -> String {
    format!("/api/v1/bundles/{bundle}/trace?route={}", percent_encode(name))
}

/// Everything that is known of a digest: a link that stays good.
pub fn digest(digest: impl std::fmt::Display) -> String {
    format!("/d/sha256/{digest}")
}

/// An evidence pack about a `run`, a `bundle` or a `route`, with small blobs or with all of them.
pub fn pack(about: &str, name: &str, all_blobs: bool) -> String {
    let blobs = if all_blobs { "&blobs=all" } else { "" };
    format!("/api/v1/packs?{about}={}{blobs}", percent_encode(name))
}

/// An entry's proof file.
pub fn proof(index: u64) -> String {
    format!("/api/v1/entries/{index}/proof")
}

/// The page of an agent.
pub fn agent(name: &str) -> String {
    format!("/agents/{}", percent_encode(name))
}

/// Where the revocation of an agent's key is posted to.
pub fn revoke_agent(name: &str) -> String {
    format!("{}/revoke", agent(name))
}

/// The page of an account.
pub fn person(name: &str) -> String {
    format!("{PEOPLE}/accounts/{}", percent_encode(name))
}

/// What was done to an account or a token.
pub fn people_done(event: impl std::fmt::Display) -> String {
    format!("{PEOPLE}/done/{event}")
}

/// What was signed.
pub fn done(name: &str, entry: impl std::fmt::Display) -> String {
    format!("{}/done/{entry}", route(name))
}

/// What was live at a moment; the query's `at` says which.
pub fn live(name: &str) -> String {
    format!("{}/live", route(name))
}

/// A guide, by its name.
pub fn help(guide: &str) -> String {
    format!("{HELP}/{}", percent_encode(guide))
}

/// The page of a run.
pub fn run(id: &str) -> String {
    format!("/runs/{}", percent_encode(id))
}

/// A run's phases as a Chrome trace.
pub fn chrome_trace(id: &str) -> String {
    format!("/api/v1/runs/{}/trace.json", percent_encode(id))
}

/// The same comparison as JSON.
pub fn compare_json<'a>(runs: impl IntoIterator<Item = &'a str>) -> String {
    let pairs: Vec<String> = runs.into_iter().map(|run| format!("run={}", percent_encode(run))).collect();
    format!("/api/v1/compare?{}", pairs.join("&"))
}

/// The runs of a configuration.
pub fn configuration(digest: impl std::fmt::Display) -> String {
    format!("/configurations/{digest}")
}

/// How long it took to restore bundles on a route.
pub fn restores(name: &str) -> String {
    format!("{}/restores", route(name))
}

/// A table as a file: `what` is `runs`, `entries`, `cancels`, `caches`, `configurations/DIGEST`, `restores/ROUTE`, `routes`,
/// `acceptance`, `search` or `people`, `query` that of its page, and the format `csv`, `json` or `ndjson`.
pub fn export(what: &str, query: &str, format: &str) -> String {
    let query = query.trim_start_matches('?');
    let more = if query.is_empty() { String::new() } else { format!("&{query}") };
    format!("/api/v1/exports/{what}?format={format}{more}")
}

/// The page of a run of the acceptance test.
pub fn acceptance(id: &str) -> String {
    format!("{ACCEPTANCE}/{}", percent_encode(id))
}

/// The page of a build that runs.
pub fn live_build(run: impl std::fmt::Display) -> String {
    format!("{}/live", self::run(&run.to_string()))
}

/// The review of a request to cancel a build, and where the request is posted to.
pub fn cancel_build(run: impl std::fmt::Display) -> String {
    format!("{}/cancel", self::run(&run.to_string()))
}

/// The stream of a build that runs; `view` is `state` or `page`.
pub fn live_events(run: impl std::fmt::Display, view: &str, lang: &str) -> String {
    format!("/api/v1/live/{run}/events?view={view}&lang={lang}")
}

/// The page of an entry, by index or digest.
pub fn entry(which: impl std::fmt::Display) -> String {
    format!("/entries/{}", percent_encode(&which.to_string()))
}

/// The bytes of a blob.
pub fn blob(digest: impl std::fmt::Display) -> String {
    format!("/api/v1/blobs/sha256/{digest}")
}

/// What the island verifies: `acta_ledger::log::verification::Material` as JSON.
pub const VERIFICATION: &str = "/api/v1/entries/{index}/verification";

/// What the island asks when the log has grown since this browser's last visit: `{"proof": [hex, ...]}` as JSON.
pub const CONSISTENCY: &str = "/api/v1/log/consistency";

/// Where an entry's [`VERIFICATION`] is.
pub fn verification(index: u64) -> String {
    VERIFICATION.replace("{index}", &index.to_string())
}

/// Where the proof is that the tree of `to` entries continues the one of `from` entries.
pub fn consistency(from: u64, to: u64) -> String {
    format!("{CONSISTENCY}?from={from}&to={to}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_one_page() {
        for (path, page) in [
            ("/", Some(Page::Runs)),
            ("/runs", Some(Page::Runs)),
            ("/runs/", Some(Page::Runs)),
            ("/runs/12", Some(Page::Run("12".to_owned()))),
            ("/acceptance", Some(Page::Acceptance(None))),
            ("/acceptance/3", Some(Page::Acceptance(Some("3".to_owned())))),
            ("/compare", Some(Page::Compare)),
            ("/configurations/aa", Some(Page::Configuration("aa".to_owned()))),
            ("/configurations", None),
            ("/cancels/", Some(Page::Cancels)),
            ("/caches", Some(Page::Caches)),
            ("/routes/mini/restores", Some(Page::Restores("mini".to_owned()))),
            ("/runs/12/live", Some(Page::LiveBuild("12".to_owned()))),
            ("/runs/12/cancel", Some(Page::CancelBuild("12".to_owned()))),
            ("/live/", Some(Page::LiveBuilds)),
            ("/entries/7", Some(Page::Entry("7".to_owned()))),
            ("/entries/a%20b", Some(Page::Entry("a b".to_owned()))),
            ("/ledger", Some(Page::Ledger)),
            ("/agents/builder-7", Some(Page::Agent("builder-7".to_owned()))),
            ("/agents", None),
            ("/agents/builder-7/revoke", None),
            ("/routes/", Some(Page::Routes)),
            ("/routes/mini", Some(Page::Route("mini".to_owned()))),
            ("/routes/mini/decide", Some(Page::Decide("mini".to_owned()))),
            ("/routes/mini/rollback", Some(Page::Rollback("mini".to_owned()))),
            ("/routes/mini/confirm", Some(Page::Confirm("mini".to_owned()))),
            ("/bundles/aa", Some(Page::Bundle("aa".to_owned()))),
            ("/bundles", None),
            ("/people/accounts/ada", Some(Page::Person("ada".to_owned()))),
            ("/people/done/7", Some(Page::PeopleDone("7".to_owned()))),
            ("/people/ada", None),
            ("/routes/mini/live", Some(Page::Live("mini".to_owned()))),
            ("/routes/mini/done/7", Some(Page::Done { route: "mini".to_owned(), entry: "7".to_owned() })),
            ("/routes/mini/done", None),
            ("/routes//done/7", None),
            ("/routes/a%2Fb", None),
            ("/help", Some(Page::Help(None))),
            ("/help/builders", Some(Page::Help(Some("builders".to_owned())))),
            ("/account", Some(Page::Account)),
            ("/people", Some(Page::People)),
            ("/sign-in", Some(Page::SignIn)),
            ("/runs/a/b", None),
            ("/runs/a%2Fb", None),
            ("/runs/%zz", None),
            ("/runs/%e9", None),
            ("/nowhere", None),
            ("nowhere", None),
        ] {
            assert_eq!(Page::parse(path), page, "{path}");
        }
    }
}
