//! What is told apart, what is refused, and what becomes of files.

use std::os::unix::fs::symlink;

use super::*;
use crate::{clock, home::Home};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).unwrap();
    }

    fn pattern(&self, pattern: &str) -> String {
        self.path(pattern).to_str().unwrap().to_owned()
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.0.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

#[test]
fn what_a_run_made_is_told_from_what_stood_there() {
    let folder = Folder::new();
    for name in ["old.plan", "rewritten.plan", "changed.plan", "gone.plan"] {
        folder.write(name, b"ftrt before");
    }
    let inventory = Inventory::take(&[folder.pattern("*.plan")]).unwrap();
    // The same bytes in a new file: reproducible builds write those.
    fs::remove_file(folder.path("rewritten.plan")).unwrap();
    folder.write("new.plan", b"vtrt new");
    folder.write("rewritten.plan", b"ftrt before");
    folder.write("changed.plan", b"ftrt after");
    folder.write(".hidden.plan", b"ftrt");
    fs::remove_file(folder.path("gone.plan")).unwrap();
    let changes = inventory.changes(&[], 0);
    let made: Vec<_> =
        changes.made.iter().map(|made| made.path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(made, ["changed.plan", "new.plan", "rewritten.plan"]);
    assert_eq!((changes.expected, changes.gone.len()), (Expected::Whole, 1));
    let home = Home::locate(Some(folder.path("home"))).unwrap();
    home.create().unwrap();
    let quarantine = Quarantine::new(&home);
    let kept = changes.clone().settle(None, Uuid::nil(), &quarantine);
    assert_eq!(kept.status, CleanupStatus::NotNeeded);
    let changed = &kept.artifacts[0];
    assert_eq!((changed.kind, changed.disposition), (ArtifactKind::Plan, Disposition::Kept));
    assert_eq!(changed.digest, Some(Sha256Digest::of(b"ftrt after")));
    assert_eq!(changed.digest_before, Some(Sha256Digest::of(b"ftrt before")));
    assert_eq!(kept.artifacts[3].disposition, Disposition::Removed);

    let aside = changes.settle(Some(Why::UnfinishedBuild), Uuid::nil(), &quarantine);
    assert_eq!(aside.status, CleanupStatus::Quarantined);
    assert_eq!(folder.names(), [".hidden.plan", "home", "old.plan"], "what stood there is left alone");
    let held = quarantine.list().unwrap();
    let new = held.iter().find(|item| item.from == folder.path("new.plan")).unwrap();
    assert_eq!((held.len(), new.digest), (3, Sha256Digest::of(b"vtrt new")), "nothing is lost");
    assert!(aside.artifacts.iter().all(|artifact| !artifact.is_product()));
}

/// Another process, in another folder, reads what the supervisor wrote down.
#[test]
fn what_was_noted_of_the_files_serves_another_process() {
    let folder = Folder::new();
    folder.write("old.plan", b"ftrt before");
    let before = Inventory {
        patterns: vec!["*.plan".to_owned()],
        before: Inventory::take(&[folder.pattern("*.plan")])
            .unwrap()
            .before
            .into_iter()
            .map(|(path, before)| (path.strip_prefix(folder.0.path()).unwrap().to_owned(), before))
            .collect(),
        folder: PathBuf::new(),
    };
    let noted = serde_json::to_string(&before).unwrap();
    let read: Inventory = serde_json::from_str(&noted).unwrap();
    assert_eq!(read, before);
    let read = read.in_folder(folder.0.path().to_owned());
    assert!(read.changes(&[], 0).made.is_empty(), "nothing was touched");
    folder.write("new.plan", b"vtrt new");
    fs::remove_file(folder.path("old.plan")).unwrap();
    let changes = read.changes(&[], 0);
    assert_eq!((changes.made.len(), changes.made[0].name.as_str()), (1, "new.plan"));
    assert_eq!((changes.made[0].path.clone(), changes.gone.len()), (folder.path("new.plan"), 1));
    assert_eq!(changes.gone[0].0, Path::new("old.plan"));

    // A pattern from the root on means the same files from every folder.
    let whole = Inventory::take(&[folder.pattern("*.plan")]).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    for place in [folder.0.path(), elsewhere.path()] {
        let read = whole.clone().in_folder(place.to_owned());
        assert!(read.changes(&[], 0).made.is_empty(), "nothing was touched");
    }
}

#[test]
fn a_pattern_without_a_fresh_whole_file_is_a_problem() {
    let folder = Folder::new();
    folder.write("old.plan", b"ftrt");
    let patterns = [folder.pattern("*.plan")];
    let inventory = Inventory::take(&patterns).unwrap();
    let changes = inventory.changes(&[], 0);
    assert_eq!((changes.expected, changes.made.len()), (Expected::Missing, 0));
    assert!(changes.problem.unwrap().contains("*.plan"));
    for (name, content, words) in [
        ("empty.plan", &b""[..], "0 bytes"),
        ("cut.plan", b"BUNDLE\x01\x00\xff", "not whole"),
        ("no.bundle", b"text", "does not begin as a bundle does"),
    ] {
        let folder = Folder::new();
        let inventory = Inventory::take(&[folder.pattern("*")]).unwrap();
        folder.write(name, content);
        let changes = inventory.changes(&[], 0);
        assert_eq!(changes.expected, Expected::Missing);
        let problem = changes.problem.unwrap();
        assert!(problem.contains(words), "{problem}");
    }
    assert_eq!(Inventory::take(&[]).unwrap().changes(&[], 0).expected, Expected::Nothing);
}

#[test]
fn a_file_that_a_client_names_must_be_this_runs() {
    let folder = Folder::new();
    folder.write("fresh.bin", b"vtrt");
    let path = |name: &str| (folder.pattern(name), Some(ArtifactKind::TimingCache));
    let inventory = Inventory::take(&[]).unwrap();
    let told = [path("fresh.bin"), path("missing"), ("relative".to_owned(), None)];
    let changes = inventory.changes(&told, clock::now().unix_ms() - 60_000);
    assert_eq!((changes.made.len(), changes.made[0].kind), (1, ArtifactKind::Plan), "the content says it");
    assert_eq!(changes.notes.len(), 2);
    let later = inventory.changes(&told[..1], clock::now().unix_ms() + 60_000);
    assert!(later.made.is_empty() && later.notes[0].contains("did not make it"));
}

#[test]
fn hidden_files_are_matched_by_a_dot_only_and_foreign_names_by_nothing() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let folder = Folder::new();
    fs::create_dir(folder.path(".out")).unwrap();
    for name in ["a.plan", ".b.plan", ".out/c.plan"] {
        folder.write(name, b"vtrt");
    }
    fs::write(folder.0.path().join(OsStr::from_bytes(b"odd\xff.plan")), b"vtrt").unwrap();
    for (pattern, expected) in [
        ("*.plan", &["a.plan"][..]),
        ("**/*.plan", &["a.plan"]),
        (".*.plan", &[".b.plan"]),
        (".b.plan", &[".b.plan"]),
        (".out/*.plan", &[".out/c.plan"]),
        ("*/*.plan", &[]),
    ] {
        // Temporary folders are hidden by their names, and are above what a pattern is about.
        let found = matches(folder.0.path(), pattern).unwrap();
        let expected: Vec<_> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(found, expected, "{pattern}");
    }
}

#[test]
fn patterns_are_checked_and_bounded() {
    let folder = Folder::new();
    let error = Inventory::take(&["a[".to_owned()]).map(drop).unwrap_err().to_string();
    assert!(error.contains("--artifact") && error.contains("a["), "{error}");
    for n in 0..=MAX_FILES {
        folder.write(&format!("{n}.txt"), b"");
    }
    let error = Inventory::take(&[folder.pattern("*.txt")]).map(drop).unwrap_err().to_string();
    assert!(error.contains("more than 1024 files"), "{error}");
    symlink("/nowhere", folder.path("dangling.plan")).unwrap();
    fs::create_dir(folder.path("folder.plan")).unwrap();
    assert!(Inventory::take(&[folder.pattern("*.plan")]).unwrap().before.is_empty());
}
