//! What is left of a command whose supervisor died: found, asked to end, killed.
//!
//! A number of a process says little after its supervisor's death: it may be another's by then. Whatever a command
//! starts carries the run's id in its environment ([`RUN_VARIABLE`]), from the first moment on; a process that dropped it
//! is known if it is in the group of the command's first process, and that one still lives.
//!
//! A process that moved to a session of its own meant to outlive the command, as a daemon does: it is named, not stopped,
//! as when a supervisor lives.

use std::{fs, io, os::fd::OwnedFd, thread, time::Duration};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock;

/// The variable by which a command learns its run's id, and by which what it started is known.
pub const RUN_VARIABLE: &str = "ACTA_RUN";

/// How long a process has to end by itself once it was asked, in nanoseconds.
const ASKED_NS: u64 = 2_000_000_000;

/// How long the system has to end it once it was killed, in nanoseconds.
const KILLED_NS: u64 = 3_000_000_000;

/// How often it is looked whether something is left.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A process that no other can be mistaken for while the machine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProcessId {
    /// Its number.
    pub pid: u32,
    /// When it began, in ticks since the machine did.
    pub started: u64,
}

impl ProcessId {
    /// The process that has this number now; none if it is gone.
    pub fn of(pid: u32) -> Option<Self> {
        Stat::read(pid).map(|stat| Self { pid, started: stat.started })
    }

    /// Whether it still runs.
    pub fn is_alive(&self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.started == self.started && !stat.is_over)
    }
}

/// The session of this process; 0 where its leader is outside of this process's view, as in a container.
pub fn session() -> Option<i32> {
    Stat::read(std::process::id()).map(|stat| stat.session)
}

/// What became of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stopped {
    /// What was asked or killed, by name and number.
    pub ended: Vec<String>,
    /// What had gone to a session of its own, and was left alone.
    pub away: Vec<String>,
    /// What does not end.
    pub still: Vec<String>,
}

/// Stops what is left of a run's command: asks first, and kills what does not end. `session` is the supervisor's,
/// `first` the command's first process, as far as they are known.
pub fn stop(run: Uuid, session: Option<i32>, first: Option<ProcessId>) -> Stopped {
    let mut stopped = Stopped::default();
    if std::env::var(RUN_VARIABLE).is_ok_and(|own| own == run.to_string()) {
        // This process is what is left, with whoever called it.
        stopped.still.push("the command itself, which called this program".to_owned());
        return stopped;
    }
    let begun = clock::monotonic_ns();
    let mut asked: Vec<ProcessId> = Vec::new();
    loop {
        let left: Vec<Member> = find(run, session, first);
        let (away, members): (Vec<_>, Vec<_>) = left.into_iter().partition(|member| member.is_away);
        stopped.away = away.iter().map(Member::to_string).collect();
        let waited = clock::monotonic_ns().saturating_sub(begun);
        if members.is_empty() {
            return stopped;
        }
        if waited > ASKED_NS + KILLED_NS {
            stopped.still = members.iter().map(Member::to_string).collect();
            return stopped;
        }
        for member in members {
            if waited > ASKED_NS {
                member.signal(Signal::KILL);
            }
            if !asked.contains(&member.id) {
                member.signal(Signal::TERM);
                stopped.ended.push(member.to_string());
                asked.push(member.id);
            }
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// A process of the command.
struct Member {
    id: ProcessId,
    name: String,
    is_away: bool,
    /// Taken before anything was read of it: a number that was used again leads nowhere.
    handle: OwnedFd,
}

impl Member {
    fn signal(&self, signal: Signal) {
        pidfd_send_signal(&self.handle, signal).ok();
    }
}

impl std::fmt::Display for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name, self.id.pid)
    }
}

fn find(run: Uuid, session: Option<i32>, first: Option<ProcessId>) -> Vec<Member> {
    let cookie = format!("{RUN_VARIABLE}={run}").into_bytes();
    let first = first.filter(|first| ProcessId::of(first.pid) == Some(*first));
    let group = first.and_then(|first| i32::try_from(first.pid).ok());
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let handle = pidfd_open(Pid::from_raw(i32::try_from(pid).ok()?)?, PidfdFlags::empty()).ok()?;
        let carries = carries(pid, &cookie).unwrap_or(false);
        let stat = Stat::read(pid)?;
        let ours = (carries || group == Some(stat.group)) && !stat.is_over;
        let is_away = session.is_some_and(|session| session != stat.session) && group != Some(stat.group);
        let id = ProcessId { pid, started: stat.started };
        ours.then_some(Member { id, name: stat.name, is_away, handle })
    })
    .collect()
}

/// Whether the process was started with this in its environment. Another person's cannot be read.
fn carries(pid: u32, cookie: &[u8]) -> io::Result<bool> {
    let environment = fs::read(format!("/proc/{pid}/environ"))?;
    Ok(environment.split(|byte| *byte == 0).any(|variable| variable == cookie))
}

/// What `/proc/PID/stat` says.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    /// It has ended, and nobody has asked how yet.
    is_over: bool,
    group: i32,
    session: i32,
    started: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Fields are counted from 1; the second one is the name in parentheses and may hold anything.
    fn parse(text: &str) -> Option<Self> {
        let (before, after) = text.rsplit_once(')')?;
        let name = before.split_once('(')?.1.to_owned();
        let field = |number: usize| after.split_whitespace().nth(number - 3);
        Some(Self {
            name,
            is_over: matches!(field(3)?, "Z" | "X"),
            group: field(5)?.parse().ok()?,
            session: field(6)?.parse().ok()?,
            started: field(22)?.parse().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader},
        os::unix::process::CommandExt as _,
        process::{Child, Command, Stdio},
    };

    use super::*;

    /// A shell with a process group of its own; waits until it has said a line.
    fn start(script: &str, run: Option<Uuid>) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).process_group(0).stdout(Stdio::piped());
        if let Some(run) = run {
            command.env(RUN_VARIABLE, run.to_string());
        }
        let mut child = command.spawn().unwrap();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
        child
    }

    #[test]
    fn what_carries_the_run_is_stopped_and_what_does_not_end_is_killed() {
        let run = Uuid::now_v7();
        let mut shell = start("trap '' TERM; sleep 600 & echo ready; while :; do sleep 1; done", Some(run));
        let mut other = start("echo ready; sleep 600", Some(Uuid::now_v7()));
        let stopped = stop(run, session(), None);
        assert!(stopped.ended.len() >= 2 && stopped.still.is_empty(), "{stopped:?}");
        assert!(stopped.ended.iter().any(|name| name.starts_with("sleep (")), "{stopped:?}");
        assert!(!shell.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none(), "another run's goes on");
        assert_eq!(stop(run, session(), None), Stopped::default());
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn a_process_without_the_variable_is_known_by_its_group() {
        let mut shell = start("echo ready; sleep 600", None);
        let first = ProcessId::of(shell.id()).unwrap();
        let reused = ProcessId { started: first.started + 1, ..first };
        assert!(first.is_alive() && !reused.is_alive());
        assert_eq!(stop(Uuid::now_v7(), session(), Some(reused)), Stopped::default());
        assert!(shell.try_wait().unwrap().is_none());
        assert!(!stop(Uuid::now_v7(), session(), Some(first)).ended.is_empty());
        assert!(!shell.wait().unwrap().success());
        assert!(!first.is_alive());
    }

    #[test]
    fn a_daemon_is_named_and_left_alone() {
        let run = Uuid::now_v7();
        let mut shell = start("setsid sh -c 'echo ready; exec sleep 600' & wait", Some(run));
        let stopped = stop(run, session(), ProcessId::of(shell.id()));
        assert!(stopped.away.len() == 1 && stopped.away[0].starts_with("sleep ("), "{stopped:?}");
        shell.wait().unwrap();
        let daemon = find(run, session(), None);
        assert!(daemon[0].is_away);
        daemon[0].signal(Signal::KILL);
    }

    #[test]
    fn a_line_of_stat_is_read_behind_any_name() {
        let text = "42 (a) b (c) S 1 40 39 0 -1 0 0 0 0 0 150 40 7 3 20 0 3 0 777 0";
        let expected =
            Stat { name: "a) b (c".to_owned(), is_over: false, group: 40, session: 39, started: 777 };
        assert_eq!(Stat::parse(text), Some(expected));
        assert!(Stat::parse(&text.replace(") S ", ") Z ")).unwrap().is_over);
        assert_eq!(Stat::parse("garbage"), None);
    }
}
