//! How long the stop of the service may take that a build runs in, and where that is written.
//!
//! | from | how |
//! |---|---|
//! | `--stop-deadline TIME` | said for this run |
//! | `ACTA_STOP_DEADLINE` | said in the unit, beside `TimeoutStopSec` |
//! | the unit's `TimeoutStopSec` | systemd tells no service what it is, neither in a variable nor over the notify socket: its manager is asked (`systemctl show`) |
//!
//! Where nothing is written there is no deadline, and nothing is killed: who stops a build by hand can wait or press again.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use super::request;
use crate::error::Result;

/// The variable that a unit sets beside its `TimeoutStopSec`.
const DEADLINE_VARIABLE: &str = "ACTA_STOP_DEADLINE";

/// How long a stop may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopDeadline {
    /// From SIGTERM to the end of everything.
    pub span: Duration,
    /// Where it is written.
    pub from: String,
}

/// Finds out how long it may take: what is said is known at once, and systemd is asked beside the build.
#[derive(Debug, Default)]
pub enum StopWatch {
    /// Nobody says.
    #[default]
    None,
    /// It is said.
    Said(StopDeadline),
    /// systemd is being asked.
    Asking(thread::JoinHandle<Option<StopDeadline>>),
}

impl StopWatch {
    /// Reads the flag or the variable, or begins to ask systemd where this process is of a service.
    pub fn begin(said: Option<&str>) -> Result<Self> {
        let said = said.map(|text| ("--stop-deadline", text.to_owned()));
        let said = said.or_else(|| Some((DEADLINE_VARIABLE, std::env::var(DEADLINE_VARIABLE).ok()?)));
        if let Some((from, text)) = said {
            let span = request::parse_duration_of(from, &text)?;
            return Ok(Self::Said(StopDeadline { span, from: from.to_owned() }));
        }
        let unit = std::env::var_os("INVOCATION_ID")
            .and_then(|_| fs::read_to_string("/proc/self/cgroup").ok())
            .and_then(|cgroup| Unit::of(&cgroup));
        Ok(unit.map_or(Self::None, |unit| Self::Asking(thread::spawn(move || unit.ask("systemctl")))))
    }

    /// The deadline, as far as it is known by now.
    pub fn look(&mut self) -> Option<StopDeadline> {
        *self = match std::mem::take(self) {
            Self::Asking(thread) if thread.is_finished() => {
                thread.join().ok().flatten().map_or(Self::None, Self::Said)
            }
            other => other,
        };
        match self {
            Self::Said(deadline) => Some(deadline.clone()),
            Self::None | Self::Asking(_) => None,
        }
    }
}

/// A service of systemd.
#[derive(Debug, PartialEq, Eq)]
struct Unit {
    name: String,
    /// It is one of a person's own manager.
    is_user: bool,
}

impl Unit {
    /// The innermost service whose control group this is, by `/proc/self/cgroup`.
    fn of(cgroup: &str) -> Option<Self> {
        let path = cgroup.lines().find_map(|line| line.strip_prefix("0::"))?;
        let mut services = path.split('/').filter(|part| part.ends_with(".service")).rev();
        let name = services.next().filter(|name| !name.starts_with("user@"))?.to_owned();
        Some(Self { name, is_user: services.any(|outer| outer.starts_with("user@")) })
    }

    /// Asks the manager by this program.
    fn ask(&self, systemctl: &str) -> Option<StopDeadline> {
        let mut command = Command::new(systemctl);
        if self.is_user {
            command.arg("--user");
        }
        let output = command
            .args(["show", "--property=TimeoutStopUSec", "--value", "--", &self.name])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        let span = parse_span(String::from_utf8(output.stdout).ok()?.trim())?;
        Some(StopDeadline { span, from: format!("TimeoutStopSec of {}", self.name) })
    }
}

/// Reads a span as systemd writes one: `1min 30s`, `2h`, `500ms`; none for `infinity` and for what is no span.
fn parse_span(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    for part in text.split_whitespace() {
        let digits = part.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = part[..digits].parse().ok()?;
        let unit = match &part[digits..] {
            "us" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "min" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            "w" => 604_800.0,
            "month" => 2_629_800.0,
            "y" => 31_557_600.0,
            _ => return None,
        };
        total = total.checked_add(Duration::try_from_secs_f64(number * unit).ok()?)?;
    }
    Some(total).filter(|total| !total.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_is_the_innermost_service() {
        let unit = |name: &str, is_user| Some(Unit { name: name.to_owned(), is_user });
        for (cgroup, expected) in [
            ("0::/system.slice/acta-build.service\n", unit("acta-build.service", false)),
            ("1:name=systemd:/x\n0::/system.slice/ci@3.service/job\n", unit("ci@3.service", false)),
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/build.service",
                unit("build.service", true),
            ),
            ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/term.scope", None),
            ("0::/user.slice/user-1000.slice/session-3.scope", None),
            ("0::/", None),
            ("", None),
        ] {
            assert_eq!(Unit::of(cgroup), expected, "{cgroup}");
        }
    }

    #[test]
    fn spans_are_read_as_systemd_writes_them() {
        for (text, ms) in
            [("1min 30s", 90_000), ("45s", 45_000), ("2h 5min", 7_500_000), ("500ms", 500), ("1.5s", 1_500)]
        {
            assert_eq!(parse_span(text), Some(Duration::from_millis(ms)), "{text}");
        }
        for text in ["infinity", "", "0", "soon", "90", "-1s", "1parsec"] {
            assert_eq!(parse_span(text), None, "{text}");
        }
    }

    #[test]
    fn the_units_manager_is_asked() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("systemctl");
        let script = "#!/bin/sh\ncase \"$*\" in\n\
            'show --property=TimeoutStopUSec --value -- a.service') echo '1min 30s' ;;\n\
            '--user show --property=TimeoutStopUSec --value -- b.service') echo infinity ;;\n\
            *) exit 1 ;;\nesac\n";
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let ask =
            |name: &str, is_user| Unit { name: name.to_owned(), is_user }.ask(program.to_str().unwrap());
        let found = ask("a.service", false).unwrap();
        assert_eq!(
            (found.span, found.from.as_str()),
            (Duration::from_secs(90), "TimeoutStopSec of a.service")
        );
        assert_eq!((ask("b.service", true), ask("c.service", false)), (None, None));
        assert_eq!(Unit { name: "a.service".to_owned(), is_user: false }.ask("/nowhere/systemctl"), None);
    }

    #[test]
    fn what_is_said_counts() {
        let deadline = StopWatch::begin(Some("1m30s")).unwrap().look().unwrap();
        assert_eq!((deadline.span, deadline.from.as_str()), (Duration::from_secs(90), "--stop-deadline"));
        let error = StopWatch::begin(Some("soon")).unwrap_err().to_string();
        assert!(error.contains("--stop-deadline") && error.contains("soon"), "{error}");
        assert_eq!(StopWatch::default().look(), None);
    }
}
