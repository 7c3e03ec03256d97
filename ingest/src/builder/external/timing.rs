//! Model Connect's build times as phases.
//!
//! The tool writes `build-timing.json` again after every phase: a phase's length stands in it, and its end is when the
//! file was written. The file is looked at while the command runs; phases that came in one write are put one behind the
//! other, ending with it. A phase `trt_compile_s` that is the sum of `trt_compile_<component>_s` stands around them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use acta_ledger::evidence::{cancel::CancelState, number::Count64};
use serde_json::{Value, json};

use crate::{
    builder::protocol::{Name, Report},
    clock::{self, Epoch},
    import::{self, Format, SourceFile},
};

/// The longest file that is taken for one of build times.
const MAX_BYTES: u64 = 1 << 20;

/// The longest report that stands in a summary.
const MAX_REPORT_BYTES: usize = 8 << 10;

/// How many phases are taken.
const MAX_PHASES: usize = 256;

/// What the tool's phases are under in the tree.
const ROOT: &str = "Model Connect build";

/// The number that stands for the tool where threads are told apart.
const THREAD: u32 = u32::MAX;

/// A phase of the file.
#[derive(Debug, Clone, PartialEq)]
struct Timed {
    name: String,
    length_ns: u64,
    /// When the file that first held it was written, in nanoseconds of the monotonic clock.
    ended_ns: u64,
}

/// When a file was written, in seconds and nanoseconds since 1970, and how long it is.
pub type Written = (i64, i64, u64);

/// A file of build times that is looked at while the command runs.
pub struct TimingFile {
    path: PathBuf,
    began_ns: u64,
    written: Option<Written>,
    phases: Vec<Timed>,
    report: Option<Value>,
    problem: Option<String>,
}

impl TimingFile {
    /// Begins before the command: what stands there already is another run's.
    pub fn new(path: PathBuf) -> Self {
        let written = stamp(&path);
        let began_ns = clock::monotonic_ns();
        Self { path, began_ns, written, phases: Vec::new(), report: None, problem: None }
    }

    /// The file of a run that began then, by what its supervisor noted of it: for whoever finds the run without one.
    pub fn of_orphan(path: PathBuf, written: Option<Written>, began_ns: u64) -> Self {
        Self { path, began_ns, written, phases: Vec::new(), report: None, problem: None }
    }

    /// When it was written, as far as it was seen.
    pub fn written(&self) -> Option<Written> {
        self.written
    }

    /// Looks whether the file was written again.
    pub fn look(&mut self) {
        let now = stamp(&self.path);
        if now == self.written {
            return;
        }
        self.written = now;
        let Some((seconds, nanoseconds, bytes)) = now else { return };
        let epoch = Epoch::now();
        let wall_ms = seconds.saturating_mul(1000).saturating_add(nanoseconds / 1_000_000);
        let ended_ns = epoch
            .monotonic_at(wall_ms)
            .clamp(self.began_ns + 1, clock::monotonic_ns().max(self.began_ns + 1));
        match self.read(bytes) {
            Ok((names, report)) => {
                self.take(names, ended_ns);
                self.report = Some(report);
                self.problem = None;
            }
            // The tool may be writing just now; what stands there at the end counts.
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// What the file says in the end, for the summary; of a very long one the phases are in the tree only.
    pub fn report(&self) -> Value {
        let mut report = self.report.clone();
        if let Some(report) = report.as_mut().filter(|report| report.to_string().len() > MAX_REPORT_BYTES) {
            report["phasesS"] = Value::Null;
        }
        match (&report, &self.problem) {
            (Some(report), None) => report.clone(),
            (Some(report), Some(problem)) => json!({ "report": report, "problem": problem }),
            (None, Some(problem)) => json!({ "problem": problem }),
            (None, None) => json!({ "problem": "the command did not write the file" }),
        }
    }

    /// The phases as a builder would have reported them, in order of time.
    pub fn reports(&self) -> Vec<Report> {
        let Some(last) = self.phases.iter().map(|phase| phase.ended_ns).max() else { return Vec::new() };
        let begin = |phase: &Timed| phase.ended_ns.saturating_sub(phase.length_ns).max(self.began_ns);
        let first = self.phases.iter().map(begin).min().unwrap_or(self.began_ns);
        // At one moment: ends before begins, inner ends before outer ones, outer begins before inner ones.
        let mut events: Vec<((u64, u8, u64), Report)> = vec![
            ((first, 1, 0), start(ROOT, None, self.phases.len(), first)),
            ((last, 0, u64::MAX), finish(ROOT, last)),
        ];
        for phase in &self.phases {
            let (from, to) = (begin(phase), phase.ended_ns);
            let around = self.phases.iter().find(|around| {
                is_part(&phase.name, &around.name) && begin(around) <= from && to <= around.ended_ns
            });
            let parent = around.map_or(ROOT, |around| around.name.as_str());
            let depth = 1 + u64::from(around.is_some());
            events.push(((from, 1, depth), start(&phase.name, Some(parent), 1, from)));
            events.push(((to, 0, 10 - depth), step(&phase.name, 0, to)));
            events.push(((to, 0, 10 - depth), finish(&phase.name, to)));
        }
        events.sort_by_key(|(order, _)| *order);
        events.into_iter().map(|(_, report)| report).collect()
    }

    fn read(&self, bytes: u64) -> Result<(Vec<(String, u64)>, Value), String> {
        if bytes > MAX_BYTES {
            return Err(format!("the file has {bytes} bytes, more than {MAX_BYTES}"));
        }
        let bytes = fs::read(&self.path).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let file = SourceFile {
            path: self.path.clone(),
            name,
            folder: String::new(),
            modified: clock::now(),
            bytes,
        };
        let files = std::slice::from_ref(&file);
        let parsed = import::parse(Format::TrtmcBuildTiming, files, import::Options { warm_up_ms: 0.0 });
        let report = parsed.map_err(|error| error.to_string())?.report;
        let phases = report["phasesS"].as_object().into_iter().flatten();
        let mut phases: Vec<(String, u64)> = phases
            .filter_map(|(name, seconds)| Some((name.clone(), nanoseconds(seconds.as_f64()?))))
            .take(MAX_PHASES)
            .collect();
        // In the order in which the tool wrote them.
        phases.sort_by_key(|(name, _)| text.find(&format!("\"{name}\"")));
        Ok((phases, report))
    }

    fn take(&mut self, phases: Vec<(String, u64)>, written_ns: u64) {
        let short = |name: &str| name.strip_suffix("_s").unwrap_or(name).to_owned();
        let new: Vec<(String, u64)> = phases
            .into_iter()
            .map(|(name, length)| (short(&name), length))
            .filter(|(name, _)| self.phases.iter().all(|known| known.name != *name))
            .collect();
        let known = self.phases.iter().map(|phase| &phase.name).chain(new.iter().map(|(name, _)| name));
        let sums: Vec<String> = new
            .iter()
            .map(|(name, _)| name)
            .filter(|name| known.clone().any(|part| is_part(part, name)))
            .cloned()
            .collect();
        let mut end = written_ns;
        for (name, length_ns) in new.into_iter().rev() {
            let (length_ns, ended_ns) = (length_ns.max(1), end);
            if !sums.contains(&name) {
                end = end.saturating_sub(length_ns).max(self.began_ns + 1);
            }
            self.phases.push(Timed { name, length_ns, ended_ns });
        }
    }
}

/// Whether a phase is one component of another: `trt_compile_decoder` of `trt_compile`.
fn is_part(part: &str, whole: &str) -> bool {
    part.strip_prefix(whole).is_some_and(|rest| rest.starts_with('_'))
}

fn stamp(path: &Path) -> Option<Written> {
    use std::os::unix::fs::MetadataExt as _;
    let there = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((there.mtime(), there.mtime_nsec(), there.len()))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "measured lengths are finite and not negative, and the cast stops at the largest number"
)]
fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

fn name(text: &str) -> Name {
    Name { bytes: text.as_bytes().to_vec(), digest: None }.bounded()
}

fn start(text: &str, parent: Option<&str>, steps: usize, at: u64) -> Report {
    let steps = i64::try_from(steps).unwrap_or(i64::MAX);
    let (parent, at, cancel) = (parent.map(name), Count64(at), CancelState::None);
    Report::Start { name: name(text), parent, steps, at, thread: THREAD, cancel }
}

fn step(text: &str, step: i64, at: u64) -> Report {
    let (at, cancel) = (Count64(at), CancelState::None);
    Report::Step { name: name(text), step, stop: false, at, thread: THREAD, cancel }
}

fn finish(text: &str, at: u64) -> Report {
    Report::Finish { name: name(text), at: Count64(at), thread: THREAD, cancel: CancelState::None }
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::phase_tree::PhaseState;

    use super::*;
    use crate::{
        blob::BlobStore,
        builder::{process::Tail, record::Record},
    };

    fn tree(file: &TimingFile) -> Vec<(String, Option<u32>, u64)> {
        let folder = tempfile::tempdir().unwrap();
        let blobs = BlobStore::new(folder.path().to_owned());
        let mut record = Record::new(uuid::Uuid::nil(), &blobs).unwrap();
        for report in file.reports() {
            record.take(report).unwrap();
        }
        record.close(&Tail::default(), 0, &blobs).unwrap();
        let end = acta_ledger::evidence::phase_tree::assemble::Ending::Returned;
        let tree = record.tree.finish(0, end);
        assert_eq!((tree.orphan_events, tree.lost_events), (0, 0));
        assert!(tree.phases.iter().skip(1).all(|phase| phase.state == PhaseState::Finished), "{tree:?}");
        tree.phases
            .iter()
            .map(|phase| (phase.name.clone(), phase.parent, phase.duration_ns(0) / 1_000_000))
            .collect()
    }

    #[test]
    fn phases_stand_where_they_ended_and_components_in_their_sum() {
        let mut file = TimingFile::new("/nowhere".into());
        file.began_ns = 0;
        let ms = |ms: u64| ms * 1_000_000;
        file.take(vec![("weights_loading_s".to_owned(), ms(400))], ms(500));
        // Two components and their sum came in one write, ending with it.
        let mut known =
            vec![("weights_loading_s".to_owned(), ms(400)), ("trt_compile_decoder_s".to_owned(), ms(300))];
        known.extend([("trt_compile_vision_s".to_owned(), ms(100)), ("trt_compile_s".to_owned(), ms(400))]);
        file.take(known.clone(), ms(1000));
        known.push(("bundle_write_s".to_owned(), ms(50)));
        file.take(known, ms(1100));
        let tree = tree(&file);
        let expected = [
            ("Model Connect build", None, 1000),
            ("weights_loading", Some(0), 400),
            ("trt_compile", Some(0), 400),
            ("trt_compile_decoder", Some(2), 300),
            ("trt_compile_vision", Some(2), 100),
            ("bundle_write", Some(0), 50),
        ];
        assert_eq!(tree, expected.map(|(name, parent, ms)| (name.to_owned(), parent, ms)));
    }

    #[test]
    fn only_what_the_command_writes_counts_and_damage_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("build-timing.json");
        let text =
            r#"{"schema_version":1,"output_path":"m.bundle","phases":{"b_s":0.5,"a_s":0},"total_s":0.6}"#;
        fs::write(&path, text).unwrap();
        let mut file = TimingFile::new(path.clone());
        file.look();
        assert_eq!((file.phases.len(), file.report()["problem"].is_string()), (0, true));
        fs::remove_file(&path).unwrap();
        fs::write(&path, text).unwrap();
        file.look();
        let names: Vec<_> = file.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["a", "b"], "the last in the file ended last");
        assert_eq!(tree(&file).len(), 3);
        assert_eq!(file.report()["totalS"], 0.6);
        fs::write(&path, r#"{"schema_version":1,"phases":{"b_s""#).unwrap();
        file.look();
        assert!(file.report()["problem"].as_str().unwrap().contains("ends too early"), "{}", file.report());
    }
}
