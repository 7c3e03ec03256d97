//! The health command: run by the shell, in a process group of its own, for as long as it may take and no longer.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io::{self, Read},
    os::unix::process::CommandExt as _,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use acta_ledger::evidence::{number::ms, rollback::HealthResult};
use rustix::process::{Pid, Signal, kill_process_group};

use super::stop::Stop;
use crate::{clock, ui::harmless};

/// How much of what the command prints is kept: the end of it.
const TAIL_BYTES: usize = 400;
/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(5);

/// How the command ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// For the record.
    pub result: HealthResult,
    /// What is wrong, if it is.
    pub verdict: Verdict,
    /// The end of what it printed.
    pub said: String,
}

/// What the command says of the runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is well.
    Well,
    /// It is not.
    Unwell,
    /// The command did not end in time, and was killed with all that it had started in its group.
    TimedOut,
    /// This agent was asked to stop meanwhile: nothing is known.
    Stopped,
}

/// Runs the command.
pub fn run(
    command: &str,
    variables: &[(&str, OsString)],
    timeout: Duration,
    stop: &Stop,
) -> io::Result<Checked> {
    let (reader, writer) = io::pipe()?;
    let begun = (clock::monotonic_ns(), Instant::now());
    let mut child = Command::new("/bin/sh")
        .arg("-c")
        .arg(command)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    let kept = Arc::clone(&tail);
    let listener = thread::spawn(move || keep_tail(reader, &kept));
    let (status, verdict) = loop {
        if let Some(status) = child.try_wait()? {
            break (Some(status), if status.success() { Verdict::Well } else { Verdict::Unwell });
        }
        let over = begun.1.elapsed() >= timeout;
        if over || stop.asked() {
            kill(&mut child);
            break (None, if over { Verdict::TimedOut } else { Verdict::Stopped });
        }
        thread::sleep(LOOK);
    };
    let duration_ms = ms(clock::monotonic_ns().saturating_sub(begun.0));
    // Something that the command left behind may hold the pipe open: what is there is enough.
    let waited = Instant::now();
    while !listener.is_finished() && waited.elapsed() < Duration::from_millis(200) {
        thread::sleep(LOOK);
    }
    let tail: Vec<u8> = tail.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
    let result = HealthResult {
        command: command.to_owned(),
        exit_code: status.and_then(|status: ExitStatus| status.code()),
        duration_ms,
    };
    let said: Vec<String> = String::from_utf8_lossy(&tail).trim().lines().map(harmless).collect();
    Ok(Checked { result, verdict, said: said.join(" / ") })
}

/// Kills the command with all that it started in its group, and waits for its end.
fn kill(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        kill_process_group(group, Signal::KILL).ok();
    }
    child.wait().ok();
}

fn keep_tail(mut from: impl Read, tail: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(&buffer[..count]);
        let more = tail.len().saturating_sub(TAIL_BYTES);
        tail.drain(..more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, timeout_ms: u64) -> Checked {
        let variables = [("ACTA_BUNDLE", OsString::from("/b"))];
        run(command, &variables, Duration::from_millis(timeout_ms), &Stop::default()).unwrap()
    }

    #[test]
    fn the_exit_code_is_the_verdict() {
        let well = check("echo $ACTA_BUNDLE", 10_000);
        assert_eq!((well.verdict, well.result.exit_code, &*well.said), (Verdict::Well, Some(0), "/b"));
        let unwell = check("echo bad >&2; exit 3", 10_000);
        assert_eq!(
            (unwell.verdict, unwell.result.exit_code, &*unwell.said),
            (Verdict::Unwell, Some(3), "bad")
        );
        let killed = check("kill -9 $$", 10_000);
        assert_eq!((killed.verdict, killed.result.exit_code), (Verdict::Unwell, None));
        let said = check("yes | head -c 100000", 10_000).said;
        assert!(said.starts_with("y / y") && said.matches('y').count() == TAIL_BYTES / 2, "{said}");
    }

    #[test]
    fn a_command_that_hangs_is_killed_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let begun = Instant::now();
        let hung = check(&format!("sleep 60 & echo $! > {}; wait", file.display()), 300);
        assert_eq!((hung.verdict, hung.result.exit_code), (Verdict::TimedOut, None));
        assert!(begun.elapsed() < Duration::from_secs(10) && hung.result.duration_ms >= 300.0);
        let pid = std::fs::read_to_string(file).unwrap();
        let gone = || {
            // Whoever takes over orphans may be slow to bury it.
            let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
            status.map_or(true, |status| status.contains(") Z "))
        };
        while !gone() {
            assert!(begun.elapsed() < Duration::from_secs(10));
            thread::sleep(LOOK);
        }
    }
}
