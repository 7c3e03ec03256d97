//! The files of a folder, read within bounds and turned into what they are said to hold.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use acta_ledger::{
    judge::parity::{Content, Kind, Tensor},
    log::{digest::Sha256Digest, jcs},
};
use serde_json::Value;

use super::npy;
use crate::{
    builder::framing::cut,
    error::{CliError, Result},
};

/// The longest array: logits of a long context over a large vocabulary have some 100 MB.
const MAX_ARRAY_BYTES: u64 = 512 << 20;
/// The longest file of any other kind, and the longest that must be the same on both sides.
const MAX_BYTES: u64 = 64 << 20;

/// Which folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The reference's.
    Reference,
    /// The candidate's.
    Candidate,
}

/// A folder of outputs.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    side: Side,
}

/// A file that was read, or why not.
pub struct Read {
    /// The digest of its bytes, where it could be read.
    pub digest: Option<Sha256Digest>,
    /// What it holds.
    pub content: Result<Content, String>,
}

impl Folder {
    /// Opens a folder.
    pub fn open(field: &str, root: &Path, side: Side) -> Result<Self> {
        let wrong = |found: String| CliError::usage("this is no folder of outputs").field(field).found(found);
        let resolved = root.canonicalize().map_err(|error| wrong(format!("{}: {error}", root.display())))?;
        if resolved.is_dir() {
            Ok(Self { root: resolved, side })
        } else {
            Err(wrong(root.display().to_string()))
        }
    }

    /// Its resolved path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn whose(&self) -> &'static str {
        match self.side {
            Side::Reference => "the reference",
            Side::Candidate => "the candidate",
        }
    }

    /// A file's bytes; links that lead out of the folder are not followed.
    pub fn bytes(&self, file: &str) -> Result<Vec<u8>, String> {
        self.bounded(file, MAX_BYTES)
    }

    fn bounded(&self, file: &str, most: u64) -> Result<Vec<u8>, String> {
        let failed = |why: String| format!("{file} of {} {why}", self.whose());
        let path = match self.root.join(file).canonicalize() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(failed("is missing".to_owned()));
            }
            Err(error) => return Err(failed(format!("cannot be read: {error}"))),
            Ok(path) => path,
        };
        if !path.starts_with(&self.root) {
            return Err(failed("is a link that leads out of the folder".to_owned()));
        }
        if !path.is_file() {
            return Err(failed("is no file".to_owned()));
        }
        let mut bytes = Vec::new();
        let read = File::open(&path).and_then(|opened| opened.take(most + 1).read_to_end(&mut bytes));
        read.map_err(|error| failed(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > most {
            return Err(failed(format!("is longer than {most} bytes")));
        }
        Ok(bytes)
    }

    /// Reads a file as what it is said to hold.
    pub fn read(&self, file: &str, kind: Kind) -> Read {
        let binary = kind == Kind::Array && file.ends_with(".npy");
        match self.bounded(file, if binary { MAX_ARRAY_BYTES } else { MAX_BYTES }) {
            Err(error) => Read { digest: None, content: Err(error) },
            Ok(bytes) => {
                let digest = Some(Sha256Digest::of(&bytes));
                let content = parse(bytes, file, kind);
                Read { digest, content: content.map_err(|why| format!("{file} of {}: {why}", self.whose())) }
            }
        }
    }
}

fn parse(bytes: Vec<u8>, file: &str, kind: Kind) -> Result<Content, String> {
    let json = |bytes: &[u8]| jcs::parse(bytes).map_err(|error| error.to_string());
    match kind {
        Kind::Text => {
            String::from_utf8(bytes).map(Content::Text).map_err(|error| format!("not UTF-8: {error}"))
        }
        Kind::Json => json(&bytes).map(Content::Json),
        Kind::TokenIds => {
            let value = json(&bytes)?;
            let ids =
                value.as_array().and_then(|ids| ids.iter().map(Value::as_i64).collect::<Option<Vec<_>>>());
            ids.map(Content::TokenIds).ok_or_else(|| format!("no array of token ids: {}", excerpt(&value)))
        }
        Kind::Array if file.ends_with(".npy") => {
            Ok(Content::Arrays(vec![(String::new(), npy::parse(bytes)?)]))
        }
        Kind::Array => arrays(&json(&bytes)?).map(Content::Arrays),
    }
}

fn excerpt(value: &Value) -> String {
    cut(&value.to_string(), 120).to_owned()
}

/// Arrays in JSON: nested arrays of numbers, or a list of named tensors as trtexec's `--exportOutput` writes it.
fn arrays(value: &Value) -> Result<Vec<(String, Tensor)>, String> {
    match value.as_array().map(Vec::as_slice) {
        Some([Value::Object(_), ..]) => value
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(index, entry)| named(index, entry))
            .collect(),
        Some(_) => {
            let (mut shape, mut numbers) = (Vec::new(), Vec::new());
            flatten(value, 0, &mut shape, &mut numbers)?;
            let tensor =
                Tensor::from_json_numbers(shape, &numbers).ok_or("its rows have different lengths")?;
            Ok(vec![(String::new(), tensor)])
        }
        None => Err(format!("no array of numbers: {}", excerpt(value))),
    }
}

/// `{"name": "logits", "dimensions": "1x3", "values": [...]}`.
fn named(index: usize, entry: &Value) -> Result<(String, Tensor), String> {
    let text = |key: &str| {
        entry.get(key).and_then(Value::as_str).ok_or_else(|| format!("[{index}].{key} is no text"))
    };
    let name = text("name")?;
    let shape =
        text("dimensions")?.split('x').map(|side| side.trim().parse().ok()).collect::<Option<Vec<usize>>>();
    let shape = shape.ok_or_else(|| format!("[{index}].dimensions is not like 1x3x224"))?;
    let numbers = entry.get("values").and_then(Value::as_array);
    let numbers = numbers.and_then(|values| values.iter().map(Value::as_f64).collect::<Option<Vec<_>>>());
    let numbers = numbers.ok_or_else(|| format!("[{index}].values is no array of numbers"))?;
    let tensor = Tensor::from_json_numbers(shape, &numbers);
    let tensor = tensor.ok_or_else(|| format!("[{index}].values are not as many as its dimensions say"))?;
    Ok((name.to_owned(), tensor))
}

/// Flattens nested arrays; the shape is that of the first element at every depth, and all others must have it.
fn flatten(
    value: &Value,
    depth: usize,
    shape: &mut Vec<usize>,
    numbers: &mut Vec<f64>,
) -> Result<(), String> {
    match value {
        Value::Number(number) if depth == shape.len() => {
            numbers.push(number.as_f64().ok_or("a number cannot be read")?);
            Ok(())
        }
        Value::Array(items) => {
            match shape.get(depth) {
                Some(side) if *side != items.len() => {
                    return Err("its rows have different lengths".to_owned());
                }
                Some(_) => {}
                None if numbers.is_empty() => shape.push(items.len()),
                None => return Err("it mixes numbers and arrays".to_owned()),
            }
            items.iter().try_for_each(|item| flatten(item, depth + 1, shape, numbers))
        }
        Value::Number(_) => Err("it mixes numbers and arrays".to_owned()),
        other => Err(format!("not a number: {}", excerpt(other))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, kind: Kind) -> Result<Content, String> {
        parse(text.as_bytes().to_vec(), "a.json", kind)
    }

    #[test]
    fn arrays_in_json() {
        for (text, shape, count) in [
            ("[1,2.5,3]", &[3][..], 3),
            ("[[1,2,3],[4,5,6]]", &[2, 3], 6),
            ("[[[1],[2]]]", &[1, 2, 1], 2),
            ("[]", &[0], 0),
            (r#"[{"name":"y","dimensions":"1x2","values":[1,2]}]"#, &[1, 2], 2),
        ] {
            let Content::Arrays(arrays) = read(text, Kind::Array).unwrap() else { panic!("{text}") };
            assert_eq!((arrays[0].1.shape(), arrays[0].1.count()), (shape, count), "{text}");
        }
        for (text, words) in [
            ("[[1,2],[3]]", "different lengths"),
            ("[1,[2]]", "mixes"),
            ("[[1],2]", "mixes"),
            ("[[[1]],[2]]", "mixes"),
            ("[\"1\"]", "not a number"),
            ("[NaN]", "JSON"),
            ("3", "no array"),
            (r#"[{"name":"y","dimensions":"1x3","values":[1,2]}]"#, "not as many"),
            (r#"[{"name":"y","dimensions":"1xx","values":[1]}]"#, "not like"),
            (r#"[{"dimensions":"1","values":[1]}]"#, "[0].name"),
        ] {
            let error = read(text, Kind::Array).unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn other_kinds_and_what_they_refuse() {
        assert_eq!(read("[1,2]", Kind::TokenIds).unwrap(), Content::TokenIds(vec![1, 2]));
        assert!(read("[1,2.5]", Kind::TokenIds).unwrap_err().contains("token ids"));
        assert!(read("{\"a\":1,\"a\":2}", Kind::Json).unwrap_err().contains("twice"));
        assert!(parse(b"\xff".to_vec(), "a.txt", Kind::Text).unwrap_err().contains("UTF-8"));
    }

    #[test]
    fn no_way_leads_out_of_the_folder() {
        let root = tempfile::tempdir().unwrap();
        let inside = root.path().join("in");
        std::fs::create_dir_all(inside.join("sub")).unwrap();
        std::fs::write(root.path().join("secret"), "s").unwrap();
        std::fs::write(inside.join("a"), "a").unwrap();
        std::os::unix::fs::symlink("../secret", inside.join("link")).unwrap();
        std::os::unix::fs::symlink("a", inside.join("near")).unwrap();
        let folder = Folder::open("--reference", &inside, Side::Reference).unwrap();
        assert_eq!(folder.bytes("a").unwrap(), b"a");
        assert_eq!(folder.bytes("near").unwrap(), b"a");
        for (file, words) in [
            ("link", "leads out of the folder"),
            ("sub", "is no file"),
            ("gone", "gone of the reference is missing"),
        ] {
            let error = folder.bytes(file).unwrap_err();
            assert!(error.contains(words), "{file}: {error}");
        }
        assert!(Folder::open("--reference", &inside.join("a"), Side::Reference).is_err());
    }
}
