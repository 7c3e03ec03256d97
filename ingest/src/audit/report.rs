//! What an audit says: findings as they come, a bar with rate and remaining time, the result.

use std::{path::PathBuf, time::Duration};

use acta_ledger::{
    judge::audit::{Finding, Verdict},
    log::tree_head::TreeHead,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use super::{
    routes::Routes,
    run::{Ended, Watcher},
    state::Running,
};
use crate::{
    error::Result,
    trust::Source as KeySource,
    ui::{Ui, harmless},
};

/// The screen while an audit runs.
#[derive(Debug, Clone)]
pub struct Screen {
    ui: Ui,
    bar: ProgressBar,
    from: u64,
}

impl Screen {
    /// A bar where somebody looks, and nothing else so far.
    pub fn new(ui: Ui) -> Self {
        Self { ui, bar: ProgressBar::hidden(), from: 0 }
    }

    /// Begins at an entry, towards the log's size.
    pub fn start(&mut self, from: u64, size: u64) {
        self.from = from;
        if self.ui.quiet() || !self.ui.terminal() {
            return;
        }
        let target = ProgressDrawTarget::stderr_with_hz(4);
        self.bar = ProgressBar::with_draw_target(Some(size), target).with_position(from);
        let style = "{bar:30} {human_pos}/{human_len} entries  {per_sec}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(style) {
            self.bar.set_style(style);
        }
        self.bar.reset_eta();
    }

    /// Says a finding at once: an audit of a large log takes its time.
    pub fn say(&self, finding: &Finding) {
        let name = self.ui.paint(finding.name(), 31);
        let text = harmless(&finding.to_string()).replacen(finding.name(), &name, 1);
        self.bar.suspend(|| self.ui.notice(&text));
    }

    /// Watches an audit; `save` keeps its way so far.
    pub fn watching<S: FnMut(&Running) -> Result<()>>(&self, save: S) -> Watching<'_, S> {
        Watching { screen: self, save }
    }
}

/// See [`Screen::watching`].
pub struct Watching<'a, S> {
    screen: &'a Screen,
    save: S,
}

impl<S: FnMut(&Running) -> Result<()>> Watcher for Watching<'_, S> {
    fn at(&mut self, entries: u64) {
        self.screen.bar.set_position(entries);
    }

    fn found(&mut self, finding: &Finding) {
        self.screen.say(finding);
    }

    fn save(&mut self, running: &Running) -> Result<()> {
        (self.save)(running)
    }
}

/// The result of an audit.
#[derive(Debug)]
pub struct Report {
    head: TreeHead,
    from: u64,
    checked: u64,
    blobs: u64,
    blob_bytes: u64,
    routes: Routes,
    elapsed: Duration,
    findings: Vec<Finding>,
    left_out: u64,
    evidence: Vec<PathBuf>,
}

impl Report {
    /// An audit that went to the end; `screen` was told where it began.
    pub fn ended(head: &TreeHead, ended: Ended, screen: Screen) -> Self {
        screen.bar.finish_and_clear();
        Self {
            head: head.clone(),
            from: screen.from,
            checked: head.size.saturating_sub(screen.from),
            blobs: ended.blobs,
            blob_bytes: ended.blob_bytes,
            routes: ended.routes,
            elapsed: ended.elapsed,
            findings: ended.running.findings,
            left_out: ended.running.left_out,
            evidence: Vec::new(),
        }
    }

    /// A fork: whatever else the log shows is of no matter.
    pub fn forked(head: &TreeHead, findings: Vec<Finding>, evidence: Vec<PathBuf>) -> Self {
        let (from, checked, elapsed) = (head.size, 0, Duration::ZERO);
        let (blobs, blob_bytes, left_out, routes) = (0, 0, 0, Routes::default());
        let head = head.clone();
        Self { head, from, checked, blobs, blob_bytes, routes, elapsed, findings, left_out, evidence }
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.findings)
    }

    /// Entries a second.
    fn rate(&self) -> f64 {
        self.checked as f64 / self.elapsed.as_secs_f64().max(1e-9)
    }

    /// Prints the result.
    pub fn show(&self, keys: KeySource, as_json: bool, ui: Ui) {
        if as_json {
            let object = json!({
                "verdict": self.verdict(),
                "treeHead": { "origin": self.head.origin, "size": self.head.size, "root": self.head.root },
                "from": self.from,
                "checked": self.checked,
                "entriesPerSecond": self.rate().round(),
                "seconds": self.elapsed.as_secs_f64(),
                "blobs": self.blobs,
                "blobBytes": self.blob_bytes.to_string(),
                "routes": { "compared": self.routes.compared, "notCompared": self.routes.grown },
                "findings": self.findings,
                "findingsLeftOut": self.left_out,
                "evidence": self.evidence,
                "keysFrom": keys.code(),
            });
            return ui.result(&object.to_string());
        }
        for finding in &self.findings {
            if let Finding::Forked { earlier, later } = finding {
                ui.result(&format!("{finding}\n\n{}\n{}", harmless_note(earlier), harmless_note(later)));
            }
        }
        for path in &self.evidence {
            ui.notice(&format!("kept as evidence: {}", path.display()));
        }
        let word = match (self.verdict(), self.findings.len() as u64 + self.left_out) {
            (Verdict::Clean, _) => ui.paint("clean", 32),
            (Verdict::Findings, count) => ui.paint(&format!("{count} findings"), 31),
            (Verdict::Forked, _) => ui.paint("forked", 31),
        };
        let (size, root) = (self.head.size, self.head.root);
        ui.result(&format!("{word}: {}, {size} entries, root {root}", harmless(&self.head.origin)));
        if self.checked > 0 {
            let (seconds, rate) = (self.elapsed.as_secs_f64(), self.rate());
            let blobs = format!("{} blobs, {} bytes of them hashed", self.blobs, self.blob_bytes);
            ui.result(&format!(
                "checked: entries {} to {}, {blobs}, in {seconds:.1} s ({rate:.0} entries/s)",
                self.from,
                size - 1
            ));
        }
        if self.routes.compared > 0 {
            ui.result(&format!("judged anew: the records of {} routes", self.routes.compared));
        }
        if self.routes.grown > 0 {
            let grown = self.routes.grown;
            ui.result(&format!(
                "not compared: the records of {grown} routes, for the log has grown meanwhile"
            ));
        }
    }
}

/// A note as it is, but for characters that could steer the terminal.
fn harmless_note(note: &str) -> String {
    note.lines().map(|line| harmless(line) + "\n").collect()
}
