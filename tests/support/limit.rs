//! A test that hangs ends its program and says what everything was doing: on a machine that nobody can look at, a test that
//! never ends says nothing but its name.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    io::Write as _,
    path::Path,
    process::{self, Command},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// Far longer than any test takes, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(600);

/// Who asks for a longer test by one of these waits for it.
const LONGER: [&str; 3] = ["ACTA_SOAK", "ACTA_SOAK_SECONDS", "ACTA_KILLS"];

/// Dropped in time, it does nothing; else the program ends with 101 after it has said what hangs.
pub struct Limit {
    _running: Option<Sender<()>>,
}

impl Limit {
    /// Begins; what a test has for as long as it runs is a good thing to keep it in.
    pub fn start() -> Self {
        let test = thread::current().name().unwrap_or("a test").to_owned();
        // A test lies in target/<profile>/deps, a program that measures does not.
        let program = std::env::current_exe().unwrap_or_default();
        let is_test = program.parent().is_some_and(|folder| folder.ends_with("deps"));
        if !is_test || LONGER.iter().any(|name| std::env::var_os(name).is_some()) {
            return Self { _running: None };
        }
        let (running, over) = channel::<()>();
        thread::spawn(move || {
            if over.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                let (told, below) = processes();
                let told = format!("\n{test} hangs: not over after {LIMIT:?}. Its processes:\n{told}");
                // Not by a macro: what a test prints is kept until it ends.
                let _ = std::io::stderr().write_all(told.as_bytes());
                // They hold this program's output open, which somebody may read to its end.
                let _ = Command::new("kill").arg("-KILL").args(below.iter().map(u32::to_string)).status();
                process::exit(101);
            }
        });
        Self { _running: Some(running) }
    }
}

/// This process and all below it, a line a thread: its name, its state, where in the kernel it waits, its call. And which
/// are below it.
fn processes() -> (String, Vec<u32>) {
    let mut children = BTreeMap::<u32, Vec<u32>>::new();
    for pid in numbers(Path::new("/proc")) {
        let stat = read(&format!("/proc/{pid}/stat"));
        // The name stands in parentheses and may hold anything; the state and the parent follow it.
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1)?.parse().ok());
        children.entry(parent.unwrap_or(0)).or_default().push(pid);
    }
    let (mut text, mut below, mut left) = (String::new(), Vec::new(), vec![process::id()]);
    while let Some(pid) = left.pop() {
        let command = read(&format!("/proc/{pid}/cmdline")).replace('\0', " ");
        let _ = writeln!(text, "{pid} {}", command.trim_end());
        for thread in numbers(Path::new(&format!("/proc/{pid}/task"))) {
            let fact = |name: &str| read(&format!("/proc/{pid}/task/{thread}/{name}"));
            let state =
                fact("stat").rsplit_once(") ").map_or(String::new(), |(_, rest)| rest[..1].to_owned());
            let (name, waits, call) = (fact("comm"), fact("wchan"), fact("syscall"));
            let _ = writeln!(text, "  {thread} {name} {state} {waits} {call}");
        }
        let its = children.remove(&pid).unwrap_or_default();
        below.extend(&its);
        left.extend(its);
    }
    (text, below)
}

fn numbers(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// A file's text without the line's end; empty where it cannot be read, as the process may be gone.
fn read(path: &str) -> String {
    fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).trim_end().to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{io::Read as _, process::Stdio};

    use super::*;

    #[test]
    fn what_hangs_is_named_with_the_calls_of_its_threads() {
        let piped = || Stdio::piped();
        let mut child = Command::new("cat").arg("-").stdin(piped()).stdout(piped()).spawn().unwrap();
        // A process that has only just begun has no arguments yet: this one has spoken.
        let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        input.write_all(b"x").unwrap();
        output.read_exact(&mut [0]).unwrap();
        let (told, below) = processes();
        drop(input);
        child.wait().unwrap();
        assert!(below.contains(&child.id()), "{below:?}");
        let line = told.lines().position(|line| line == format!("{} cat -", child.id()));
        let line = line.unwrap_or_else(|| panic!("{told}"));
        let thread = told.lines().nth(line + 1).unwrap();
        assert!(thread.starts_with(&format!("  {} ", child.id())), "{told}");
    }
}
