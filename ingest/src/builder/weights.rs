//! Weights that an ONNX model keeps in files beside it.
//!
//! A model file then holds a graph and the names of other files: its digest alone says nothing about the weights. Only
//! as much of the format is read as leads to those names; whatever cannot be read is left for TensorRT to complain about.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Component, Path},
};

use acta_ledger::log::digest::Sha256Digest;
use serde::Serialize;

use crate::blob::digest_file;

/// How deep graphs may stand in graphs.
const MAX_DEPTH: u32 = 16;

/// How many files are looked at.
const MAX_FILES: usize = 256;

/// The longest name of a file in bytes.
const MAX_NAME_BYTES: u64 = 1024;

/// A file that holds weights of a model.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalWeights {
    /// Its name, relative to the model's folder.
    pub file: String,
    /// Its digest; none if it cannot be read or lies outside the model's folder.
    pub digest: Option<Sha256Digest>,
    /// Its length in bytes.
    pub bytes: Option<u64>,
}

/// The files that a model keeps weights in, with their digests, by name.
pub fn external(model: &Path) -> Vec<ExternalWeights> {
    let mut names = BTreeSet::new();
    // A file that is no model, or is cut: what was found so far is what there is.
    File::open(model).and_then(|file| read_names(file, &mut names)).ok();
    let folder = model.parent().unwrap_or(Path::new(""));
    let digest = |name: String| {
        let inside = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
        let found = if inside { digest_file(&folder.join(&name)).ok() } else { None };
        ExternalWeights {
            file: name,
            digest: found.map(|(digest, _)| digest),
            bytes: found.map(|(_, bytes)| bytes),
        }
    };
    names.into_iter().take(MAX_FILES).map(digest).collect()
}

/// Messages of the format, by what their fields lead to.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Tensor,
    Function,
}

impl Message {
    /// The message that a field holds, if it can lead to a tensor; numbers of onnx.proto.
    fn field(self, number: u64) -> Option<Self> {
        match (self, number) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Some(Self::Graph),
            (Self::Model, 25) => Some(Self::Function),
            (Self::Graph, 1) | (Self::Function, 7) => Some(Self::Node),
            (Self::Graph, 5) | (Self::Attribute, 5 | 10) => Some(Self::Tensor),
            (Self::Node, 5) => Some(Self::Attribute),
            _ => None,
        }
    }
}

struct Reader<'n> {
    file: BufReader<File>,
    at: u64,
    names: &'n mut BTreeSet<String>,
}

fn read_names(file: File, names: &mut BTreeSet<String>) -> io::Result<()> {
    let end = file.metadata()?.len();
    Reader { file: BufReader::new(file), at: 0, names }.message(Message::Model, end, 0)
}

impl Reader<'_> {
    fn message(&mut self, message: Message, end: u64, depth: u32) -> io::Result<()> {
        while self.at < end {
            let Some((number, length)) = self.next_field(end)? else { continue };
            let stop = self.at + length;
            match message.field(number) {
                Some(inner) if depth < MAX_DEPTH * 4 => self.message(inner, stop, depth + 1)?,
                _ if matches!(message, Message::Tensor) && number == 13 => self.external_data(stop)?,
                _ => {}
            }
            self.skip(stop.saturating_sub(self.at))?;
        }
        Ok(())
    }

    /// One `external_data` entry: a key and a value, of which the file's name is wanted.
    fn external_data(&mut self, end: u64) -> io::Result<()> {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        while self.at < end {
            let Some((number, length)) = self.next_field(end)? else { continue };
            match number {
                1 | 2 if length <= MAX_NAME_BYTES => {
                    let into = if number == 1 { &mut key } else { &mut value };
                    into.resize(usize::try_from(length).unwrap_or(0), 0);
                    self.file.read_exact(into)?;
                    self.at += length;
                }
                _ => self.skip(length)?,
            }
        }
        if key == b"location"
            && let Ok(name) = String::from_utf8(value)
        {
            self.names.insert(name);
        }
        Ok(())
    }

    /// The next field's number and length, its bytes not read yet; none for a plain number, which is passed over.
    fn next_field(&mut self, end: u64) -> io::Result<Option<(u64, u64)>> {
        let tag = self.varint()?;
        let length = match tag & 7 {
            0 => {
                self.varint()?;
                return Ok(None);
            }
            1 => 8,
            2 => self.varint()?,
            5 => 4,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        if length > end.saturating_sub(self.at) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if tag & 7 != 2 {
            self.skip(length)?;
            return Ok(None);
        }
        Ok(Some((tag >> 3, length)))
    }

    fn skip(&mut self, bytes: u64) -> io::Result<()> {
        self.file.seek_relative(i64::try_from(bytes).map_err(|_| io::ErrorKind::InvalidData)?)?;
        self.at += bytes;
        Ok(())
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.file.fill_buf()?.first().ok_or(io::ErrorKind::UnexpectedEof)?;
            self.file.consume(1);
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(io::ErrorKind::InvalidData.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use acta_tests::onnx;

    use super::*;

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2];
        let mut length = content.len();
        while length >= 0x80 {
            bytes.push((length & 0x7f) as u8 | 0x80);
            length >>= 7;
        }
        bytes.push(length as u8);
        bytes.extend(content);
        bytes
    }

    fn tensor(file: &str) -> Vec<u8> {
        let entry = |key: &str, value: &str| {
            field(13, &[field(1, key.as_bytes()), field(2, value.as_bytes())].concat())
        };
        // dims (a number), raw_data (long), then the entries.
        [vec![8, 4], field(9, &[7; 300]), entry("location", file), entry("offset", "4096")].concat()
    }

    #[test]
    fn every_file_of_weights_is_found_and_hashed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.data"), "weights").unwrap();
        let constant = field(1, &field(5, &field(5, &tensor("constant.data"))));
        let graph = [field(5, &tensor("a.data")), field(5, &tensor("../out.data")), constant].concat();
        let graph = [graph, field(5, &tensor("a.data"))].concat();
        let model = folder.path().join("m.onnx");
        fs::write(&model, [vec![8, 9], field(7, &graph)].concat()).unwrap();
        let found = external(&model);
        let names: Vec<&str> = found.iter().map(|weights| weights.file.as_str()).collect();
        assert_eq!(names, ["../out.data", "a.data", "constant.data"]);
        assert_eq!((found[1].digest, found[1].bytes), (Some(Sha256Digest::of(b"weights")), Some(7)));
        assert!(found[0].digest.is_none() && found[2].digest.is_none());
    }

    #[test]
    fn models_that_hold_their_weights_and_files_that_are_no_models_name_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.onnx");
        let whole = onnx::chain(3, 16);
        for bytes in [&whole[..], &whole[..whole.len() / 2], b"this is no model", b"\xff\xff\xff\xff", b""] {
            fs::write(&path, bytes).unwrap();
            assert!(external(&path).is_empty());
        }
        let mut deep = Vec::new();
        for _ in 0..200 {
            deep = field(1, &field(5, &field(6, &deep)));
        }
        fs::write(&path, field(7, &deep)).unwrap();
        assert!(external(&path).is_empty(), "nesting ends somewhere");
    }
}
