//! What a running server counts and measures, for Prometheus (`OpenMetrics` text).
//!
//! One registry an application, no process-wide recorder: several applications run in one test process. Every label
//! comes out of the program (a route's template, a status, a problem's code), never out of a request, so the number of
//! time series is bounded and no name of a person, no token and no path is among them.

mod scrape;

use std::{sync::Arc, time::Duration};

use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
        info::Info,
    },
    registry::{Registry, Unit},
};

/// The media type of what [`Metrics::registry`] encodes to.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// An answered request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    method: &'static str,
    route: String,
    status: u16,
}

/// A route's template, or `none`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

/// A problem's code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Code {
    code: &'static str,
}

/// How something came out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

/// Everything that is counted as it happens; what is read at a scrape stands in `scrape`.
pub struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    latency: Family<Route, Histogram, fn() -> Histogram>,
    problems: Family<Code, Counter>,
    sign_ins: Family<Outcome, Counter>,
    blob_bytes: Counter,
    log: Arc<LogMetrics>,
}

/// What the log's writer counts.
#[derive(Clone)]
pub struct LogMetrics {
    appends: Family<Outcome, Counter>,
    batch_entries: Histogram,
    batch_duration: Histogram,
    failed_batches: Counter,
    damage: Counter,
}

impl Default for LogMetrics {
    fn default() -> Self {
        Self {
            appends: Family::default(),
            batch_entries: Histogram::new(exponential_buckets(1.0, 2.0, 9)),
            batch_duration: Histogram::new(exponential_buckets(0.001, 2.0, 14)),
            failed_batches: Counter::default(),
            damage: Counter::default(),
        }
    }
}

impl LogMetrics {
    /// Counts entries or requests that came out the same way; `outcome` is one of the program's own words.
    pub fn appended(&self, outcome: &'static str, count: u64) {
        if count > 0 {
            self.appends.get_or_create(&Outcome { outcome }).inc_by(count);
        }
    }

    /// Notes a transaction of so many entries that is committed and signed.
    pub fn committed(&self, entries: usize, took: Duration) {
        self.batch_entries.observe(entries as f64);
        self.batch_duration.observe(took.as_secs_f64());
    }

    /// Notes a transaction that failed.
    pub fn failed(&self) {
        self.failed_batches.inc();
    }

    /// Notes that somebody asked for a part of the log that its database has lost.
    pub fn damage_met(&self) {
        self.damage.inc();
    }

    fn register(&self, registry: &mut Registry) {
        registry.register(
            "log_damage_met",
            "Requests for a signed part of the log that the database has lost: more than 0 needs a person",
            self.damage.clone(),
        );
        registry.register(
            "log_appends",
            "Entries that were offered to the log, by what came of them",
            self.appends.clone(),
        );
        registry.register(
            "log_batch_entries",
            "Entries that shared one transaction",
            self.batch_entries.clone(),
        );
        registry.register_with_unit(
            "log_batch_duration",
            "From a transaction's begin to its signed tree head on disk",
            Unit::Seconds,
            self.batch_duration.clone(),
        );
        registry.register(
            "log_failed_batches",
            "Transactions that failed and were read back",
            self.failed_batches.clone(),
        );
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let latency: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 2.0, 15));
        let mut metrics = Self {
            registry: Registry::with_prefix("acta"),
            requests: Family::default(),
            latency: Family::new_with_constructor(latency),
            problems: Family::default(),
            sign_ins: Family::default(),
            blob_bytes: Counter::default(),
            log: Arc::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    fn register(&mut self) {
        let registry = &mut self.registry;
        let version = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program that runs", version);
        registry.register(
            "http_requests",
            "Answered requests by the template of their path, `none` where no route fits",
            self.requests.clone(),
        );
        registry.register_with_unit(
            "http_request_duration",
            "From a request's head to the head of its answer; a stream's body is not in it",
            Unit::Seconds,
            self.latency.clone(),
        );
        registry.register("http_problems", "Refused and failed requests by reason", self.problems.clone());
        registry.register("sign_ins", "Attempts to sign in by what came of them", self.sign_ins.clone());
        registry.register_with_unit(
            "blobs_stored",
            "Bytes of new blobs that were taken and are on disk",
            Unit::Bytes,
            self.blob_bytes.clone(),
        );
        self.log.register(registry);
    }

    /// The part that the log's writer holds.
    pub fn log(&self) -> Arc<LogMetrics> {
        Arc::clone(&self.log)
    }

    /// Notes an answer; `route` is the template of the path, none where no route fits.
    pub fn answered(&self, method: &str, route: Option<&str>, status: u16, took: Duration) {
        let route = route.unwrap_or("none").to_owned();
        self.latency.get_or_create(&Route { route: route.clone() }).observe(took.as_secs_f64());
        let labels = Answered { method: known_method(method), route, status };
        self.requests.get_or_create(&labels).inc();
    }

    /// Notes why a request was refused or failed.
    pub fn problem(&self, code: &'static str) {
        self.problems.get_or_create(&Code { code }).inc();
    }

    /// Notes an attempt to sign in: `succeeded`, `failed` or `limited`.
    pub fn sign_in(&self, outcome: &'static str) {
        self.sign_ins.get_or_create(&Outcome { outcome }).inc();
    }

    /// Notes a blob that is stored.
    pub fn stored(&self, bytes: u64) {
        self.blob_bytes.inc_by(bytes);
    }
}

/// A method that anybody can make up counts as `other`.
fn known_method(method: &str) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];
    KNOWN.into_iter().find(|known| *known == method).unwrap_or("other")
}
