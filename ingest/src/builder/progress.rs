//! The live view: one bar for each open phase, bounded in number; plain lines where stderr is no terminal.

use std::time::Duration;

use acta_ledger::{
    evidence::{cancel::NoCancelWindow, phase_tree::Phase},
    judge::{baseline::Standing, stuck::StuckVerdict},
};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{ide::Reports, protocol::Milestone, record::Record};
use crate::{
    clock,
    command::advise::words,
    ui::{Ui, harmless},
};

/// How many phases are shown at once, the outermost.
const MAX_BARS: usize = 8;

/// How often a plain line says that the build goes on.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The longest name that is shown, in characters.
const MAX_NAME: usize = 48;

/// The terminal, for whoever writes beside the view.
#[derive(Clone)]
pub struct Screen(Option<MultiProgress>);

impl Screen {
    /// Writes while the bars are off the screen.
    pub fn beside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bars) => bars.suspend(write),
            None => write(),
        }
    }
}

/// A live view.
pub struct Progress {
    ui: Ui,
    waiting: &'static str,
    view: View,
    began_ns: u64,
    said: Stage,
    last_line_ns: u64,
    verdict: Option<StuckVerdict>,
}

/// What a plain line is worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Stage {
    milestone: Option<Milestone>,
    /// A phase has begun.
    phases: bool,
    /// The last phase has ended: the library serializes, without a callback.
    silent_end: bool,
    /// It is silent for longer than ever.
    beyond: bool,
}

impl Stage {
    fn of(record: &Record, verdict: Option<&StuckVerdict>) -> Self {
        let (callbacks, open) = (record.tree.callbacks() > 0, record.tree.open_phases().next().is_some());
        let beyond = verdict
            .is_some_and(|verdict| verdict.is_silent && verdict.silence.standing == Standing::BeyondLongest);
        Self { milestone: milestone(record), phases: callbacks, silent_end: callbacks && !open, beyond }
    }
}

/// Is told what is known, at each report and a few times a second.
pub type Watcher = Box<dyn FnMut(&Record) + Send>;

enum View {
    Nothing,
    Told(Watcher),
    Lines,
    /// An editor shows it.
    Editor(Reports),
    Bars {
        all: MultiProgress,
        head: ProgressBar,
        bars: Vec<(u32, ProgressBar)>,
    },
}

impl Progress {
    /// Chooses the view. `waiting` says what goes on before the builder has said anything.
    pub fn new(ui: Ui, waiting: &'static str) -> Self {
        let view = if ui.quiet() {
            View::Nothing
        } else if ui.terminal() {
            let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            let head = all.add(ProgressBar::new_spinner());
            head.set_style(style("{spinner} {wide_msg}"));
            View::Bars { all, head, bars: Vec::new() }
        } else {
            View::Lines
        };
        Self::of(ui, waiting, view)
    }

    /// Leaves the view to the program that builds.
    pub fn told(ui: Ui, watcher: Watcher) -> Self {
        Self::of(ui, "", View::Told(watcher))
    }

    fn of(ui: Ui, waiting: &'static str, view: View) -> Self {
        let now = clock::monotonic_ns();
        Self { ui, waiting, view, began_ns: now, said: Stage::default(), last_line_ns: now, verdict: None }
    }

    /// The terminal, for whoever writes beside the view.
    pub fn screen(&self) -> Screen {
        match &self.view {
            View::Bars { all, .. } => Screen(Some(all.clone())),
            View::Lines | View::Nothing | View::Told(_) | View::Editor(_) => Screen(None),
        }
    }

    /// Gives it to an editor.
    pub fn editor(ui: Ui, waiting: &'static str, reports: Reports) -> Self {
        Self { view: View::Editor(reports), ..Self::new(ui, waiting) }
    }

    /// Says something above the bars.
    pub fn say(&self, text: &str) {
        match &self.view {
            View::Bars { all, .. } => all.suspend(|| self.ui.notice(text)),
            View::Lines | View::Nothing | View::Told(_) | View::Editor(_) => self.ui.notice(text),
        }
    }

    /// Says at once, in plain lines and to an editor, that something else begins; moving bars wait for their next frame.
    pub fn heard(&mut self, record: &Record) {
        match &mut self.view {
            View::Told(watcher) => watcher(record),
            View::Lines | View::Editor(_) if Stage::of(record, self.verdict.as_ref()) != self.said => {
                self.show(record);
            }
            View::Lines | View::Bars { .. } | View::Nothing | View::Editor(_) => {}
        }
    }

    /// Learns how the build stands beside earlier ones.
    pub fn judged(&mut self, verdict: Option<&StuckVerdict>) {
        self.verdict = verdict.cloned();
    }

    /// Shows what is known now.
    pub fn show(&mut self, record: &Record) {
        let now = clock::monotonic_ns();
        let status = status(record, self.verdict.as_ref(), self.waiting, now, self.began_ns);
        match &mut self.view {
            View::Nothing => {}
            View::Told(watcher) => watcher(record),
            View::Editor(reports) => {
                reports.show(record, &status);
                self.said = Stage::of(record, self.verdict.as_ref());
            }
            View::Bars { all, head, bars } => {
                head.set_message(status);
                head.tick();
                let open: Vec<&Phase> = record.tree.open_phases().take(MAX_BARS).collect();
                bars.retain(|(id, bar)| {
                    let stays = open.iter().any(|phase| phase.id == *id);
                    if !stays {
                        bar.finish_and_clear();
                        all.remove(bar);
                    }
                    stays
                });
                for (depth, phase) in open.into_iter().enumerate() {
                    if !bars.iter().any(|(id, _)| *id == phase.id) {
                        let bar = all.add(ProgressBar::new(phase.steps_announced.max(1).unsigned_abs()));
                        bar.set_style(style("{prefix} [{bar:24}] {pos}/{len}"));
                        bar.set_prefix(format!("{:width$}{:<50}", "", shown(&phase.name), width = depth * 2));
                        bars.push((phase.id, bar));
                    }
                    if let Some((_, bar)) = bars.iter().find(|(id, _)| *id == phase.id) {
                        bar.set_position(phase.steps_completed);
                    }
                }
            }
            View::Lines => self.lines(record, now, &status),
        }
    }

    fn lines(&mut self, record: &Record, now: u64, status: &str) {
        let stage = Stage::of(record, self.verdict.as_ref());
        let due = now.saturating_sub(self.last_line_ns) >= LINE_EVERY.as_nanos() as u64;
        if stage != self.said || due {
            self.ui.notice(&format!("acta: {status}"));
            self.last_line_ns = now;
            self.said = stage;
        }
    }

    /// Takes everything off the screen.
    pub fn end(self) {
        if let View::Bars { all, head, bars } = self.view {
            bars.iter().for_each(|(_, bar)| bar.finish_and_clear());
            head.finish_and_clear();
            all.clear().ok();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn shown(name: &str) -> String {
    harmless(name).chars().take(MAX_NAME).collect()
}

fn seconds(ns: u64) -> String {
    let tenths = ns / 100_000_000;
    if tenths < 600 {
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        format!("{} min {:02} s", tenths / 600, tenths / 10 % 60)
    }
}

fn milestone(record: &Record) -> Option<Milestone> {
    let times = &record.times;
    [
        (times.write_ended, Milestone::WriteEnds),
        (times.write_began, Milestone::WriteBegins),
        (times.build_returned, Milestone::BuildReturned),
        (times.build_began, Milestone::BuildBegins),
        (times.parse_ended, Milestone::ParseEnds),
        (times.parse_began, Milestone::ParseBegins),
    ]
    .into_iter()
    .find_map(|(at, milestone)| at.map(|_| milestone))
}

fn status(record: &Record, verdict: Option<&StuckVerdict>, waiting: &str, now: u64, began: u64) -> String {
    let what = match milestone(record) {
        None => waiting.to_owned(),
        Some(Milestone::ParseBegins) => "parsing the network".to_owned(),
        Some(Milestone::ParseEnds) => "setting up the builder".to_owned(),
        Some(Milestone::BuildBegins) => {
            let path: Vec<String> = record.tree.open_phases().map(|phase| shown(&phase.name)).collect();
            let silent = record.offset(now).map(|now| now.saturating_sub(record.tree.last_event_ns()));
            let silent = silent.filter(|&ns| ns >= 1_000_000_000).map(seconds);
            let usual = verdict.filter(|verdict| verdict.is_silent).map(|it| words::silence(&it.silence));
            let usual = usual.map_or_else(String::new, |usual| format!(": {usual}"));
            let silent =
                silent.map_or_else(String::new, |silent| format!(", last callback {silent} ago{usual}"));
            match path.last() {
                Some(inner) => format!("building: {inner}{silent}"),
                None if record.tree.callbacks() > 0 => format!("serializing{silent}"),
                None => "building".to_owned(),
            }
        }
        Some(Milestone::BuildReturned) => "the build call returned".to_owned(),
        Some(Milestone::WriteBegins) => "writing the plan".to_owned(),
        Some(Milestone::WriteEnds) => "the plan is written".to_owned(),
    };
    let cancel = match &record.cancel {
        Some(cancel) if cancel.acknowledged_ns.is_some() => " (cancelled, waiting for the library to return)",
        Some(cancel) if cancel.is_held => {
            " (cancel requested, held until the engine stands: it is for production)"
        }
        Some(_) if record.windows.is_open(NoCancelWindow::ArtifactWrite) => {
            " (cancel requested, held until the plan is written)"
        }
        Some(_) => " (cancel requested, waiting for the next step)",
        None => "",
    };
    format!("{} {what}{cancel}", seconds(now.saturating_sub(began)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(seconds(1_250_000_000), "1.2 s");
        assert_eq!(seconds(125_000_000_000), "2 min 05 s");
        assert_eq!(shown(&"n\u{1b}".repeat(60)).chars().count(), MAX_NAME);
    }
}
