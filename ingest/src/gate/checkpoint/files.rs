//! The checkpoint's files: found, hashed as streams, and looked at by name and by their first bytes. Nothing is ever
//! unpickled, imported or run.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use acta_ledger::{
    evidence::number::Count64,
    log::digest::{Hasher, Sha256Digest},
};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::error::{CliError, Result};

/// The most files of a checkpoint.
const MAX_FILES: usize = 20_000;
/// The deepest folder.
const MAX_DEPTH: usize = 16;
/// How much of each file's beginning is looked at.
const HEAD: usize = 4096;
/// Folders that a download leaves and no loader reads.
const LEFT_OUT: [&str; 2] = [".git", ".cache"];

/// A file of the checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckpointFile {
    /// Its path in the checkpoint, with `/`.
    pub path: String,
    /// Its length.
    pub bytes: Count64,
    /// Its digest.
    pub digest: Sha256Digest,
    /// How it was known as a pickle, where it is one.
    #[serde(skip)]
    pub pickle: Option<PickledBy>,
}

/// How a pickle was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PickledBy {
    /// By its first bytes.
    Content,
    /// By its name alone.
    Name,
}

impl CheckpointFile {
    /// The name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Whether it is a safetensors file, by its name.
    pub fn is_safetensors(&self) -> bool {
        self.path.to_ascii_lowercase().ends_with(".safetensors")
    }

    /// Whether it holds weights, by its name or as a pickle.
    pub fn is_weights(&self) -> bool {
        const OTHER: [&str; 6] = [".gguf", ".onnx", ".h5", ".msgpack", ".npz", ".tflite"];
        let path = self.path.to_ascii_lowercase();
        self.is_safetensors() || self.pickle.is_some() || OTHER.iter().any(|end| path.ends_with(end))
    }
}

/// Finds the files, in the order of their paths, and their lengths together.
pub fn find(root: &Path) -> Result<(Vec<(String, PathBuf)>, u64)> {
    let wrong = |what: &str, path: &Path| {
        CliError::usage(what).field("--checkpoint").found(path.display().to_string())
    };
    let io = |path: &Path, error: &io::Error| {
        wrong("the checkpoint cannot be read", path).expected(format!("a folder of files ({error})"))
    };
    if !fs::metadata(root).map_err(|error| io(root, &error))?.is_dir() {
        return Err(wrong("the checkpoint is no folder", root));
    }
    let own = fs::canonicalize(root).map_err(|error| io(root, &error))?;
    // A download cache keeps the bytes beside the snapshots: `models--x/snapshots/<revision>` and `models--x/blobs`.
    let cache = own.ancestors().nth(2).map(|model| model.join("blobs"));
    let mut files = Vec::new();
    let mut total = 0_u64;
    let mut folders = vec![(root.to_owned(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|error| io(&folder, &error))? {
            let path = entry.map_err(|error| io(&folder, &error))?.path();
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .filter(|name| !name.chars().any(char::is_control));
            let Some(name) = name else {
                return Err(wrong("a file's name is not UTF-8, or holds control characters", &path)
                    .help("names are part of the evidence: rename it"));
            };
            let relative = format!("{prefix}{name}");
            let link = fs::symlink_metadata(&path).map_err(|error| io(&path, &error))?.is_symlink();
            // A download cache links each file to where its bytes are: such links are followed, others could lead to
            // files that nobody wants to have in the evidence.
            if link {
                let target = fs::canonicalize(&path).map_err(|error| io(&path, &error))?;
                if !target.starts_with(&own) && !cache.as_ref().is_some_and(|cache| target.starts_with(cache))
                {
                    return Err(wrong("a link leads out of the checkpoint", &path)
                        .expected("files of the checkpoint itself, or of its download cache"));
                }
            }
            let there = fs::metadata(&path).map_err(|error| io(&path, &error))?;
            if there.is_file() {
                total = total.saturating_add(there.len());
                files.push((relative, path));
            } else if there.is_dir() && !link {
                if prefix.is_empty() && LEFT_OUT.contains(&name) {
                    continue;
                }
                if depth >= MAX_DEPTH {
                    return Err(wrong("the checkpoint's folders are too deep", &path)
                        .expected(format!("at most {MAX_DEPTH} levels")));
                }
                folders.push((path, format!("{relative}/"), depth + 1));
            } else {
                return Err(wrong("this is neither a file nor a folder of its own", &path));
            }
            if files.len() + folders.len() > MAX_FILES {
                return Err(
                    wrong("the checkpoint has too many files", root).expected(format!("at most {MAX_FILES}"))
                );
            }
        }
    }
    files.sort_unstable();
    Ok((files, total))
}

/// Hashes a file and looks at its beginning.
pub fn scan(relative: &str, path: &Path, bar: &ProgressBar) -> Result<CheckpointFile> {
    let io = |error: io::Error| CliError::io("read", path, &error).field("--checkpoint");
    let mut file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut hasher = Hasher::default();
    let mut head = Vec::with_capacity(HEAD);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let got = match file.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other.map_err(io)?,
        };
        if got == 0 {
            break;
        }
        hasher.update(&buffer[..got]);
        head.extend_from_slice(&buffer[..got.min(HEAD - head.len())]);
        bar.inc(got as u64);
        if hasher.bytes() > length {
            break;
        }
    }
    let bytes = hasher.bytes();
    if bytes != length {
        return Err(CliError::failure("a file changed while it was read")
            .field("--checkpoint")
            .found(path.display().to_string())
            .help("nothing was signed; try again when nobody writes to it"));
    }
    let pickle = pickled(relative, &head);
    Ok(CheckpointFile { path: relative.to_owned(), bytes: Count64(bytes), digest: hasher.finish(), pickle })
}

/// Whether a file is a pickle, by its first bytes or by its name.
fn pickled(path: &str, head: &[u8]) -> Option<PickledBy> {
    const NAMES: [&str; 8] = [".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".dill"];
    let path = path.to_ascii_lowercase();
    if is_pickle(head) {
        Some(PickledBy::Content)
    } else {
        NAMES.iter().any(|end| path.ends_with(end)).then_some(PickledBy::Name)
    }
}

/// Whether bytes begin like a pickle, like an archive that holds one, or like an array of pickled objects.
fn is_pickle(head: &[u8]) -> bool {
    let contains = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
    match head {
        // PROTO 2 to 5 and an instruction: a length field of a safetensors file goes on with zeros.
        [0x80, 2..=5, opcode, ..] => opcode.is_ascii_graphic() || *opcode >= 0x80,
        [b'P', b'K', 3, 4, ..] => contains(b".pkl"),
        [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => contains(b"'|O'") || contains(b"'O'"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_pickle_is_known_by_name_or_content() {
        let zip = b"PK\x03\x04\0\0\0\0\0\0\0\0archive/data.pkl";
        for (path, head, expected) in [
            ("pytorch_model.bin", &b"anything"[..], Some(PickledBy::Name)),
            ("a/b.PT", b"", Some(PickledBy::Name)),
            ("model.dat", b"\x80\x02}q\0", Some(PickledBy::Content)),
            ("model.dat", b"\x80\x04\x95\x10", Some(PickledBy::Content)),
            ("model.dat", zip, Some(PickledBy::Content)),
            ("x.npy", b"\x93NUMPY\x01\0v\0{'descr': '|O', ", Some(PickledBy::Content)),
            ("x.npy", b"\x93NUMPY\x01\0v\0{'descr': '<f4', ", None),
            ("model.safetensors", &640_u64.to_le_bytes(), None),
            ("model.safetensors", b"\x80\x02\0\0\0\0\0\0{", None),
            ("a.zip", b"PK\x03\x04data", None),
            ("config.json", b"{}", None),
        ] {
            assert_eq!(pickled(path, head), expected, "{path}");
        }
    }

    #[test]
    fn files_are_found_in_order_and_links_are_followed_only_to_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("model/snapshots/0123");
        fs::create_dir_all(folder.path().join("model/blobs")).unwrap();
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/HEAD"), "x").unwrap();
        fs::write(root.join("sub/b"), "bb").unwrap();
        fs::write(folder.path().join("model/blobs/blob"), "aaa").unwrap();
        fs::write(folder.path().join("secret"), "s").unwrap();
        symlink("../../blobs/blob", root.join("a")).unwrap();
        let (files, total) = find(&root).unwrap();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names, total), (vec!["a", "sub/b"], 5));
        let scanned = scan("a", &files[0].1, &ProgressBar::hidden()).unwrap();
        assert_eq!((scanned.digest, scanned.bytes.0), (Sha256Digest::of(b"aaa"), 3));
        symlink("../../../secret", root.join("README.md")).unwrap();
        assert!(find(&root).unwrap_err().to_string().contains("leads out"));
        fs::remove_file(root.join("README.md")).unwrap();
        symlink(&root, root.join("loop")).unwrap();
        assert!(find(&root).unwrap_err().to_string().contains("neither a file"));
        fs::remove_file(root.join("loop")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        assert!(find(&root).unwrap_err().to_string().contains("cannot be read"));
        assert!(find(&root.join("a")).unwrap_err().to_string().contains("no folder"));
    }
}
