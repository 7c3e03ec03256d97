//! What a disk holds after a power cut: the calls of a process on some files, written down by strace, and played onto
//! copies of the files up to some moment.
//!
//! A sync covers what was written to its file before it began, once it has returned. Anything else may be on the disk, may
//! not be, or may be in part: each sector by itself, in any order. Names do not change here: the files are there before.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use crate::fuzz::Random;

/// What a disk writes whole or not at all.
const SECTOR: usize = 512;

/// What a call did.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Deed {
    Write {
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        length: usize,
    },
    /// A sync has returned; what came before this many calls is on the disk.
    Synced {
        covers: usize,
    },
}

/// A call on a file.
#[derive(Debug, Clone, PartialEq)]
struct Call {
    /// Seconds since 1970.
    at: f64,
    path: PathBuf,
    deed: Deed,
}

/// What becomes of writes that were not synced.
pub enum Unsynced<'r> {
    /// None is on the disk.
    Lost,
    /// All are.
    Kept,
    /// Some sectors are.
    Some(&'r mut Random),
}

/// The calls of a process, in order.
pub struct Calls(Vec<Call>);

impl Calls {
    /// The calls that must be traced.
    pub const TRACED: &str = "write,pwrite64,lseek,ftruncate,fsync,fdatasync";

    /// Reads what strace wrote down with `-f -y -ttt -xx`.
    ///
    /// # Panics
    ///
    /// If there is a line that it does not understand: a call that is passed over would prove nothing.
    pub fn read(log: &str) -> Self {
        let mut reader = Reader::default();
        log.lines().for_each(|line| reader.line(line));
        Self(reader.calls)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// When the call of this number was made, in seconds since 1970.
    pub fn at(&self, number: usize) -> f64 {
        self.0[number].at
    }

    /// How many syncs of this file there are.
    pub fn syncs(&self, path: &Path) -> usize {
        let synced = |call: &&Call| call.path == path && matches!(call.deed, Deed::Synced { .. });
        self.0.iter().filter(synced).count()
    }

    /// The same calls to a disk that says "synced" and has done nothing.
    pub fn without_syncs(&self) -> Self {
        let mut calls = self.0.clone();
        for call in &mut calls {
            if let Deed::Synced { covers } = &mut call.deed {
                *covers = 0;
            }
        }
        Self(calls)
    }

    /// What is on the disk where the power goes before the call of this number.
    pub fn disk(
        &self,
        before: &BTreeMap<PathBuf, Vec<u8>>,
        number: usize,
        mut unsynced: Unsynced<'_>,
    ) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut disk = before.clone();
        for (path, file) in &mut disk {
            let mine = || self.0[..number].iter().enumerate().filter(|(_, call)| call.path == *path);
            let covers = mine().filter_map(|(_, call)| match call.deed {
                Deed::Synced { covers } => Some(covers),
                Deed::Write { .. } | Deed::Truncate { .. } => None,
            });
            let covered = covers.max().unwrap_or(0);
            for (position, call) in mine() {
                let mut keep = || match &mut unsynced {
                    _ if position < covered => true,
                    Unsynced::Lost => false,
                    Unsynced::Kept => true,
                    Unsynced::Some(random) => random.below(2) == 1,
                };
                match &call.deed {
                    Deed::Write { offset, bytes } => {
                        for (sector, bytes) in bytes.chunks(SECTOR).enumerate().filter(|_| keep()) {
                            let from = offset + sector * SECTOR;
                            file.resize(file.len().max(from + bytes.len()), 0);
                            file[from..from + bytes.len()].copy_from_slice(bytes);
                        }
                    }
                    Deed::Truncate { length } if keep() => file.resize(*length, 0),
                    Deed::Truncate { .. } | Deed::Synced { .. } => {}
                }
            }
        }
        disk
    }
}

/// A sync or a change of position that has begun and not returned: its name, its file, and how many calls there were.
struct Pending {
    name: String,
    descriptor: u32,
    path: PathBuf,
    covers: usize,
}

#[derive(Default)]
struct Reader {
    calls: Vec<Call>,
    pending: HashMap<u32, Pending>,
    /// Where `write` writes, by descriptor.
    positions: HashMap<u32, usize>,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let understood = self.try_line(line);
        assert!(
            understood.is_some(),
            "strace wrote what is not understood: {}",
            &line[..line.len().min(200)]
        );
    }

    fn try_line(&mut self, line: &str) -> Option<()> {
        let (thread, rest) = line.split_once(' ')?;
        let (at, rest) = rest.trim_start().split_once(' ')?;
        let (thread, at): (u32, f64) = (thread.parse().ok()?, at.parse().ok()?);
        if rest.starts_with("+++") || rest.starts_with("---") {
            return Some(());
        }
        let result = rest.rsplit_once(" = ").and_then(|(_, result)| result.split(' ').next()?.parse().ok());
        if rest.starts_with("<...") {
            let pending = self.pending.remove(&thread)?;
            return self.returned(at, &pending, result?);
        }
        let (name, rest) = rest.split_once('(')?;
        let (descriptor, rest) = rest.split_once('<')?;
        let (path, arguments) = rest.split_once('>')?;
        let path = PathBuf::from(String::from_utf8(unescape(path)?).ok()?);
        let pending = Pending {
            name: name.to_owned(),
            descriptor: descriptor.parse().ok()?,
            path,
            covers: self.calls.len(),
        };
        self.began(at, &pending, arguments)?;
        match result {
            Some(result) => self.returned(at, &pending, result)?,
            None => drop(self.pending.insert(thread, pending)),
        }
        Some(())
    }

    /// What a call does to a file may be done from its beginning on.
    fn began(&mut self, at: f64, call: &Pending, arguments: &str) -> Option<()> {
        let last = |text: &str| text.split([')', ' ']).next().and_then(|number| number.parse().ok());
        let deed = match call.name.as_str() {
            "pwrite64" | "write" => {
                let (_, rest) = arguments.split_once('"')?;
                let (bytes, rest) = rest.split_once('"')?;
                let offset = match call.name.as_str() {
                    "write" => *self.positions.get(&call.descriptor)?,
                    // Behind the text stand its length and the offset.
                    _ => last(rest.strip_prefix(", ")?.split_once(", ")?.1)?,
                };
                let bytes = unescape(bytes)?;
                // A text that strace cut short is followed by dots.
                (!rest.starts_with("...")).then_some(Deed::Write { offset, bytes })?
            }
            "ftruncate" => Deed::Truncate { length: last(arguments.strip_prefix(", ")?)? },
            "fsync" | "fdatasync" | "lseek" => return Some(()),
            _ => return None,
        };
        self.calls.push(Call { at, path: call.path.clone(), deed });
        Some(())
    }

    fn returned(&mut self, at: f64, call: &Pending, result: i64) -> Option<()> {
        let result = usize::try_from(result).ok()?;
        match call.name.as_str() {
            "lseek" => drop(self.positions.insert(call.descriptor, result)),
            "write" => *self.positions.get_mut(&call.descriptor)? += result,
            "fsync" | "fdatasync" => {
                let deed = Deed::Synced { covers: call.covers };
                self.calls.push(Call { at, path: call.path.clone(), deed });
            }
            _ => {}
        }
        Some(())
    }
}

/// The bytes of a text in which each is written as `\x00`.
fn unescape(text: &str) -> Option<Vec<u8>> {
    let digits = |at: usize| u8::from_str_radix(text.get(at + 2..at + 4)?, 16).ok();
    let escapes = |at: usize| text.get(at..at + 2) == Some("\\x");
    (0..text.len()).step_by(4).map(|at| digits(at).filter(|_| escapes(at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = r#"7 1.5 pwrite64(3<\x61>, "\x01\x02", 2, 0) = 2
8 1.6 pwrite64(3<\x61>, "\x03\x04", 2, 2 <unfinished ...>
7 1.7 fdatasync(3<\x61> <unfinished ...>
8 1.8 <... pwrite64 resumed>) = 2
8 1.9 pwrite64(3<\x61>, "\x05", 1, 0) = 1
7 2.0 <... fdatasync resumed>) = 0
7 2.1 lseek(4<\x62>, 1, SEEK_SET) = 1
7 2.2 write(4<\x62>, "\x09", 1) = 1
7 2.3 write(4<\x62>, "\x0a", 1) = 1
7 2.4 ftruncate(3<\x61>, 1) = 0
7 2.5 +++ exited with 0 +++
"#;

    #[test]
    fn a_sync_covers_what_was_written_before_it_began() {
        let calls = Calls::read(LOG);
        let before = BTreeMap::from([("a".into(), vec![0]), ("b".into(), vec![0])]);
        let disk = |number, unsynced| calls.disk(&before, number, unsynced).into_values().collect::<Vec<_>>();
        assert_eq!((calls.len(), calls.syncs(Path::new("a")), calls.syncs(Path::new("b"))), (7, 1, 0));
        assert_eq!(disk(3, Unsynced::Lost), [vec![0], vec![0]]);
        assert_eq!(disk(3, Unsynced::Kept), [vec![5, 2, 3, 4], vec![0]]);
        assert_eq!(disk(4, Unsynced::Lost), [vec![1, 2, 3, 4], vec![0]], "not the write that began later");
        assert_eq!(disk(7, Unsynced::Lost), [vec![1, 2, 3, 4], vec![0]]);
        assert_eq!(disk(7, Unsynced::Kept), [vec![5], vec![0, 9, 10]]);
        assert_eq!(calls.without_syncs().disk(&before, 7, Unsynced::Lost), before);
        assert!((calls.at(3) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn sectors_are_kept_each_by_itself() {
        let bytes = "\\x07".repeat(4 * SECTOR);
        let calls = Calls::read(&format!("7 1.5 pwrite64(3<\\x61>, \"{bytes}\", 2048, 0) = 2048\n"));
        let before = BTreeMap::from([("a".into(), vec![0; 4 * SECTOR])]);
        let mut random = Random(1);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..200 {
            let disk = calls.disk(&before, 1, Unsynced::Some(&mut random));
            let sectors = disk[Path::new("a")].chunks(SECTOR);
            seen.insert(
                sectors
                    .map(|sector| (sector[0], sector.iter().all(|byte| *byte == sector[0])))
                    .collect::<Vec<_>>(),
            );
        }
        assert_eq!(seen.len(), 16, "every combination");
        assert!(seen.iter().flatten().all(|(_, whole)| *whole));
    }

    #[test]
    #[should_panic(expected = "not understood")]
    fn a_text_that_was_cut_short_is_refused() {
        Calls::read("7 1.5 pwrite64(3<\\x61>, \"\\x01\"..., 200, 0) = 200\n");
    }
}
