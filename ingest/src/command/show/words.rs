//! A run in words.

use acta_ledger::{
    evidence::{
        build::{BuildSummary, Outcome},
        cancel::{CancelRecord, CancelSource},
        code,
        number::ms,
        phase_tree::PhaseTree,
    },
    judge::{
        headline::{WaitCause, wait_cause},
        own_time::own_times,
    },
    log::timestamp::Timestamp,
};
use serde_json::{Value, json};

use crate::{
    format::{bytes, time, words},
    lookup::Known,
    table::{self, Column, Fit},
    ui::{Ui, visible_line},
};

/// How many phases are named.
const MOST_PHASES: usize = 8;

/// How it ended, after what time, and why a cancel took as long as it did.
pub fn headline(summary: &BuildSummary, tree: Option<&PhaseTree>) -> String {
    let total = time(summary.duration_ms.total);
    let outcome = words(&code(&summary.outcome));
    let why = match (&summary.cancel, &summary.failure) {
        (Some(cancel), _) => waited(cancel, tree),
        (None, Some(failure)) => Some(format!("{}: {}", words(&code(&failure.stage)), failure.message)),
        (None, None) => None,
    };
    let when = if summary.outcome == Outcome::Completed { "in" } else { "after" };
    match why {
        Some(why) => format!("{outcome} {when} {total}; {why}"),
        None => format!("{outcome} {when} {total}"),
    }
}

fn waited(cancel: &CancelRecord, tree: Option<&PhaseTree>) -> Option<String> {
    let wait = match (cancel.request_to_ack_ms, cancel.censored_after_ms) {
        (Some(ms), _) => format!("the library answered the cancel after {}", time(ms)),
        (None, Some(ms)) => format!("no step answered the cancel, in more than {}", time(ms)),
        (None, None) => return None,
    };
    let because = match wait_cause(cancel, tree) {
        WaitCause::Prompt | WaitCause::Unknown => None,
        WaitCause::Deferred(deferral) => Some(format!(
            "it was held back for {} ({})",
            time(deferral.deferred_ms),
            words(&code(&deferral.window))
        )),
        WaitCause::Silence { length_ns, phase } => {
            let inside = phase.zip(tree).and_then(|(id, tree)| tree.phases.get(id as usize));
            let inside = inside.map_or_else(String::new, |phase| format!(" in {}", phase.name));
            Some(format!("it made no callback for {}{inside}", time(length_ns as f64 / 1e6)))
        }
        WaitCause::NoStepEnded => Some("no step ended that could have answered".to_owned()),
    };
    Some(because.map_or_else(|| wait.clone(), |because| format!("{wait}: {because}")))
}

/// Everything but the advice.
pub fn lines(known: &Known, ui: Ui) -> Vec<String> {
    let summary = &known.summary;
    let colour = match summary.outcome {
        Outcome::Completed => 32,
        Outcome::Cancelled | Outcome::CancelRequestedButCompleted => 33,
        Outcome::Failed | Outcome::Crashed | Outcome::Killed => 31,
    };
    let entry = known.entry.index.map_or_else(
        || format!("sha256 {}, not in a log yet", known.entry.digest.short()),
        |index| format!("entry {index}"),
    );
    let headline = visible_line(&headline(summary, known.tree.as_ref()));
    let mut lines = vec![
        format!(
            "run {} (attempt {}; {entry}; {})",
            summary.run.id,
            summary.run.attempt,
            known.origin.words()
        ),
        ui.paint(&headline, colour),
        String::new(),
    ];
    lines
        .extend(facts(summary).into_iter().map(|(name, said)| format!("{name:<11} {}", visible_line(&said))));
    lines.extend(summary.cancel.iter().flat_map(|cancel| timeline(cancel, summary.cancel_source)));
    lines.extend(phases(known.tree.as_ref()));
    lines.extend(files(summary));
    lines
}

fn facts(summary: &BuildSummary) -> Vec<(&'static str, String)> {
    let network = &summary.network;
    let layers = network.layers.map_or_else(String::new, |layers| format!(", {layers} layers"));
    let took = summary.duration_ms;
    let parts =
        [("parse", took.parse), ("build", took.build), ("serialize", took.serialize), ("write", took.write)];
    let parts = parts.into_iter().filter_map(|(name, ms)| Some(format!("{name} {}", time(ms?))));
    let cache = &summary.timing_cache;
    let file = cache.file.as_deref().map_or_else(String::new, |file| format!(", {file}"));
    let mut facts = vec![
        ("network", format!("{}{layers}, sha256 {}", network.source, network.digest.short())),
        (
            "builder",
            format!("{} {}, GPU {}", code(&summary.builder), summary.tensorrt_version, summary.gpu_sku),
        ),
        ("began", format!("{} UTC", moment(summary.started_at))),
        ("times", parts.chain([format!("whole {}", time(took.total))]).collect::<Vec<_>>().join(", ")),
        ("cache", format!("{}{file}", words(&code(&summary.timing_cache_mode)))),
        ("cleanup", words(&code(&summary.cleanup_status))),
        ("validation", words(&code(&summary.validation_status))),
        ("next", words(&code(&summary.retry_policy))),
    ];
    if let Some(route) = &summary.run.route {
        facts.insert(0, ("route", route.clone()));
    }
    if let Some(before) = summary.run.retry_of {
        facts.push(("retry of", before.to_string()));
    }
    facts
}

fn moment(at: Timestamp) -> String {
    at.to_string().trim_end_matches('Z').replace('T', " ")
}

/// The five steps of a cancel; one that was not reached says so.
fn timeline(cancel: &CancelRecord, source: CancelSource) -> Vec<String> {
    let from = cancel.requested_at;
    let by = cancel.who.as_deref().map_or_else(String::new, |who| format!(" by {who}"));
    let reason = cancel.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
    let mut lines =
        vec![String::new(), visible_line(&format!("cancel      {}{by}{reason}", words(&code(&source))))];
    let steps = [
        ("requested", Some(from), Some(0.0)),
        ("delivered", cancel.delivered_at, cancel.request_to_delivery_ms),
        ("acknowledged", cancel.acknowledged_at, cancel.request_to_ack_ms),
        ("returned", cancel.returned_at, after_ack(cancel, cancel.ack_to_return_ms)),
        ("cleaned", cancel.cleaned_at, after_ack(cancel, cancel.ack_to_cleanup_ms)),
    ];
    for (name, at, ms) in steps {
        let after = ms.map_or_else(|| "-".to_owned(), |ms| format!("+{}", time(ms)));
        let at = at.map_or_else(|| "never".to_owned(), moment);
        lines.push(format!("  {name:<13} {after:>9}  {at}"));
    }
    if let Some(path) = &cancel.phase_at_request {
        lines.push(visible_line(&format!("  in phase      {}", path.join(" > "))));
    }
    lines
}

/// A span from the acknowledgement as one from the request.
fn after_ack(cancel: &CancelRecord, ms: Option<f64>) -> Option<f64> {
    Some(cancel.request_to_ack_ms? + ms?)
}

/// A phase with much time of its own.
pub struct Longest {
    own_ms: f64,
    open_ms: f64,
    path: String,
}

impl Longest {
    /// As JSON.
    pub fn object(&self) -> Value {
        json!({ "ownMs": self.own_ms, "openMs": self.open_ms, "path": self.path })
    }
}

/// The phases with the most time of their own, the most first.
pub fn longest(tree: Option<&PhaseTree>) -> Vec<Longest> {
    let Some(tree) = tree else { return Vec::new() };
    let mut own: Vec<(usize, u64)> = own_times(tree).into_iter().enumerate().collect();
    own.sort_by_key(|&(id, own)| (std::cmp::Reverse(own), id));
    let of = |&(id, own): &(usize, u64)| Longest {
        own_ms: ms(own),
        open_ms: ms(tree.phases[id].duration_ns(tree.duration.0)),
        path: tree.path(id as u32).join(" > "),
    };
    own.iter().take(MOST_PHASES).map(of).collect()
}

fn phases(tree: Option<&PhaseTree>) -> Vec<String> {
    const COLUMNS: [Column; 3] = [
        Column::number("OWN", Fit::Keep),
        Column::number("OPEN", Fit::Keep),
        Column::text("PHASE", Fit::Cut),
    ];
    let Some(tree) = tree else { return vec![String::new(), "phases      no phase tree".to_owned()] };
    let silence =
        tree.silence.map_or_else(String::new, |it| format!(", longest silence {}", time(ms(it.length_ns()))));
    let head = format!("phases      {}, {} callbacks{silence}", tree.phases.len(), tree.callbacks);
    let rows: Vec<Vec<String>> =
        longest(Some(tree)).into_iter().map(|it| vec![time(it.own_ms), time(it.open_ms), it.path]).collect();
    let mut lines = vec![String::new(), head];
    if !rows.is_empty() {
        let width = table::terminal_width().map(|width| width.saturating_sub(2));
        lines.extend(table::lines(&COLUMNS, &rows, width).into_iter().map(|line| format!("  {line}")));
    }
    lines
}

fn files(summary: &BuildSummary) -> Vec<String> {
    let mut lines = vec![String::new(), format!("files       {}", summary.artifacts.len())];
    lines.extend(summary.artifacts.iter().map(|file| {
        let digest = file.digest.map_or_else(|| "not read".to_owned(), |it| format!("sha256 {}", it.short()));
        visible_line(&format!(
            "  {:<11} {:<13} {:>10}  {digest}  {}",
            code(&file.disposition),
            words(&code(&file.kind)),
            bytes(file.bytes),
            file.name
        ))
    }));
    lines
}
