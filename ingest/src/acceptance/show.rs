//! What a person sees: how far the test has come, and the matrix at its end.

use std::time::Duration;

use acta_ledger::evidence::{
    acceptance::{AcceptanceRecord, Criterion, Role, Scenario, ScenarioRecord, Verdict},
    build::BuildSummary,
    code,
};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::ui::Ui;

/// The progress.
pub struct Show {
    ui: Ui,
    bar: Option<ProgressBar>,
}

impl Show {
    /// For so many scenarios.
    pub fn new(ui: Ui, scenarios: usize) -> Self {
        let bar = (ui.terminal() && !ui.quiet()).then(|| {
            let bar =
                ProgressBar::with_draw_target(Some(scenarios as u64), ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{spinner} [{bar:20}] {pos}/{len} {wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Self { ui, bar }
    }

    /// A build begins.
    pub fn begins(&self, scenario: Scenario, role: Role) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: {}", code(&scenario), code(&role)));
        }
    }

    /// A build has ended.
    pub fn ended(&self, scenario: Scenario, role: Role, summary: &BuildSummary) {
        if self.bar.is_none() {
            let (scenario, role, outcome) = (code(&scenario), code(&role), code(&summary.outcome));
            let ms = summary.duration_ms.total;
            self.ui
                .notice(&format!("acta: {scenario}: {role} {outcome} in {ms:.0} ms, run {}", summary.run.id));
        }
    }

    /// Says something on the way.
    pub fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.ui.notice(text)),
            None => self.ui.notice(text),
        }
    }

    /// A scenario is judged.
    pub fn judged(&self, record: &ScenarioRecord) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        self.say(&format!("acta: {}", line(record, self.ui).trim_end()));
    }

    /// Takes everything off the screen.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// One scenario on one line: the eight verdicts, or why there are none.
fn line(record: &ScenarioRecord, ui: Ui) -> String {
    let name = code(&record.scenario);
    match &record.not_run {
        Some(reason) => format!("{name:<22} not run: {}", reason.sentence),
        None => {
            let marks: Vec<String> = record.criteria.iter().map(|it| mark(it.verdict, ui)).collect();
            format!("{name:<22} {}  {}", marks.join(" "), word(record.verdict(), ui))
        }
    }
}

fn mark(verdict: Verdict, ui: Ui) -> String {
    match verdict {
        Verdict::Pass => ui.paint("+", 32),
        Verdict::NotRun => ui.paint("?", 33),
        Verdict::Fail => ui.paint("x", 31),
    }
}

fn word(verdict: Verdict, ui: Ui) -> String {
    match verdict {
        Verdict::Pass => ui.paint("pass", 32),
        Verdict::NotRun => ui.paint("not all could be judged", 33),
        Verdict::Fail => ui.paint("fail", 31),
    }
}

/// The whole matrix, with the reason of every verdict that is no pass.
pub fn matrix(record: &AcceptanceRecord, ui: Ui) -> String {
    let mut lines = vec![format!("{:<22} {}", "", "1 2 3 4 5 6 7 8")];
    for scenario in &record.scenarios {
        lines.push(line(scenario, ui));
        let reasons = scenario.criteria.iter().filter(|it| it.verdict != Verdict::Pass);
        lines.extend(reasons.map(|it| format!("    {}: {}", code(&it.criterion), it.sentence)));
    }
    let names = Criterion::ALL.iter().enumerate().map(|(n, it)| format!("{} {}", n + 1, code(it)));
    lines.push(format!(
        "+ holds, x does not hold, ? cannot be judged; {}",
        names.collect::<Vec<_>>().join(", ")
    ));
    let tally = record.tally();
    lines.push(format!(
        "{} of {} scenarios ran on TensorRT {}: {} passed, {} failed",
        tally.ran,
        record.scenarios.len(),
        record.tensorrt_version,
        tally.passed,
        tally.failed
    ));
    lines.join("\n")
}
