//! The header of a safetensors file: read without loading anything, and held to the file that it stands in.
//!
//! ```text
//! 0..8     length N of the header, 64 bits, little-endian
//! 8..8+N   a JSON object: name -> {dtype, shape, data_offsets [begin, end]}, and `__metadata__`
//! 8+N..    the data; offsets count from here
//! ```

use std::{
    collections::HashSet,
    fmt,
    fs::File,
    io::{BufReader, Read as _, Seek as _, SeekFrom},
};

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The longest header, by the format's own limit.
const MAX_HEADER_BYTES: u64 = 100_000_000;
/// The most tensors of one file.
const MAX_TENSORS: usize = 1 << 20;
/// The most dimensions of a tensor.
const MAX_DIMS: usize = 64;

/// What a header says.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The tensors' names.
    pub tensors: HashSet<String>,
}

/// Checks a file of that length; what is wrong with it is a sentence.
pub fn check(file: &mut File, bytes: u64) -> Result<Header, String> {
    let unreadable = |error: std::io::Error| format!("it cannot be read: {error}");
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let mut length = [0; 8];
    if bytes < 8 {
        return Err(format!("it has {bytes} bytes, the header's length alone needs 8"));
    }
    file.read_exact(&mut length).map_err(unreadable)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER_BYTES {
        return Err(format!("its header would have {length} bytes, at most {MAX_HEADER_BYTES} are allowed"));
    }
    if length > bytes - 8 {
        return Err(format!("its header of {length} bytes ends past the end of the file"));
    }
    let data = bytes - 8 - length;
    let reader = BufReader::with_capacity(1 << 16, file.take(length));
    let mut json = serde_json::Deserializer::from_reader(reader);
    let Table { tensors, mut extents, problem } = Table::deserialize(&mut json)
        .and_then(|table| json.end().map(|()| table))
        .map_err(|error| format!("its header is not as the format says: {error}"))?;
    if let Some(problem) = problem {
        return Err(problem);
    }
    extents.sort_unstable();
    let mut end = 0;
    for (from, to) in extents {
        if from != end {
            let what = if from < end { "tensors share bytes" } else { "bytes belong to no tensor" };
            return Err(format!("{what} at offset {}", from.min(end)));
        }
        end = to;
    }
    if end > data {
        return Err(format!("its tensors go {} bytes past the end of the file", end - data));
    }
    if end < data {
        return Err(format!("{} bytes after the last tensor belong to none", data - end));
    }
    Ok(Header { tensors })
}

/// The header's table.
struct Table {
    tensors: HashSet<String>,
    extents: Vec<(u64, u64)>,
    /// The first thing that is wrong though it can be read.
    problem: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Tensor {
    dtype: String,
    shape: Dims,
    data_offsets: (u64, u64),
}

/// A shape's number of elements; none where it does not fit into 64 bits.
struct Dims(Option<u64>);

impl<'de> Deserialize<'de> for Dims {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> Visitor<'de> for Elements {
            type Value = Dims;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a shape")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Dims, A::Error> {
                let (mut product, mut count) = (Some(1_u64), 0);
                while let Some(dim) = access.next_element::<u64>()? {
                    count += 1;
                    if count > MAX_DIMS {
                        return Err(A::Error::custom(format!("a shape has more than {MAX_DIMS} dimensions")));
                    }
                    product = product.and_then(|product| product.checked_mul(dim));
                }
                Ok(Dims(product))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

impl<'de> Deserialize<'de> for Table {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Table;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of tensors")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Table, A::Error> {
                let mut table = Table { tensors: HashSet::new(), extents: Vec::new(), problem: None };
                while let Some(name) = access.next_key::<String>()? {
                    if name == "__metadata__" {
                        access.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let tensor: Tensor = access.next_value()?;
                    if table.tensors.len() >= MAX_TENSORS {
                        return Err(A::Error::custom(format!("there are more than {MAX_TENSORS} tensors")));
                    }
                    let problem = judge(&name, &tensor);
                    table.problem = table.problem.or(problem);
                    // An empty tensor takes no room, wherever it is said to stand.
                    let (from, to) = tensor.data_offsets;
                    if from < to {
                        table.extents.push((from, to));
                    }
                    if let Some(name) = table.tensors.replace(name) {
                        let shown = short(&name);
                        return Err(A::Error::custom(format!("the tensor {shown} stands twice")));
                    }
                }
                Ok(table)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// What is wrong with a tensor by itself.
fn judge(name: &str, tensor: &Tensor) -> Option<String> {
    let (from, to) = tensor.data_offsets;
    let name = short(name);
    if from > to {
        return Some(format!("the tensor {name} ends before it begins"));
    }
    let Some(bits) = bits(&tensor.dtype) else {
        return Some(format!("the tensor {name} has the unknown type {}", short(&tensor.dtype)));
    };
    let expected = tensor.shape.0.and_then(|elements| elements.checked_mul(bits));
    match expected {
        Some(expected) if expected.is_multiple_of(8) && expected / 8 == to - from => None,
        _ => Some(format!("the tensor {name} has {} bytes, its shape and type need others", to - from)),
    }
}

/// How many bits an element has.
fn bits(dtype: &str) -> Option<u64> {
    Some(match dtype {
        "F4" => 4,
        "F6_E2M3" | "F6_E3M2" => 6,
        "BOOL" | "U8" | "I8" | "F8_E5M2" | "F8_E4M3" | "F8_E8M0" | "F8_E4M3FNUZ" | "F8_E5M2FNUZ" => 8,
        "I16" | "U16" | "F16" | "BF16" => 16,
        "I32" | "U32" | "F32" => 32,
        "I64" | "U64" | "F64" | "C64" => 64,
        _ => return None,
    })
}

fn short(name: &str) -> String {
    format!("{:?}", crate::builder::framing::cut(name, 80))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn checked(header: &str, data: usize) -> Result<Header, String> {
        let length = header.len() as u64;
        let bytes = [&length.to_le_bytes()[..], header.as_bytes(), &vec![0; data]].concat();
        of(&bytes)
    }

    fn of(bytes: &[u8]) -> Result<Header, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        check(&mut file, bytes.len() as u64)
    }

    const GOOD: &str = r#"{"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},
        "b":{"dtype":"BF16","shape":[],"data_offsets":[16,18]},"c":{"dtype":"U8","shape":[0],"data_offsets":[18,18]}}  "#;

    #[test]
    fn a_good_header_names_its_tensors() {
        let header = checked(GOOD, 18).unwrap();
        assert_eq!(header.tensors.len(), 3);
        assert!(header.tensors.contains("a"));
        checked("{}", 0).unwrap();
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (from, to, data, words) in [
            ("", "", 17, "1 bytes past the end"),
            ("", "", 20, "2 bytes after the last tensor"),
            ("[16,18]", "[17,19]", 19, "belong to no tensor at offset 16"),
            ("[16,18]", "[14,16]", 16, "share bytes at offset 14"),
            ("[16,18]", "[18,16]", 18, "ends before it begins"),
            ("[2,2]", "[2,3]", 18, "has 16 bytes"),
            ("[2,2]", "[4294967296,4294967296,4294967296]", 18, "has 16 bytes"),
            ("BF16", "BF15", 18, "unknown type"),
            ("\"b\"", "\"a\"", 18, "stands twice"),
            ("\"shape\":[]", "\"shape\":[],\"x\":1", 18, "unknown field"),
            ("[16,18]", "[-1,18]", 18, "not as the format says"),
            ("{\"__", "[\"__", 18, "not as the format says"),
        ] {
            let error = checked(&GOOD.replacen(from, to, 1), data).unwrap_err();
            assert!(error.contains(words), "{from} -> {to}: {error}");
        }
        let deep = format!("{{\"__metadata__\":{}}}", "[".repeat(100_000));
        assert!(checked(&deep, 0).is_err());
        let dims =
            format!("{{\"a\":{{\"dtype\":\"U8\",\"shape\":[{}1],\"data_offsets\":[0,1]}}}}", "1,".repeat(99));
        assert!(checked(&dims, 1).unwrap_err().contains("dimensions"));
        for (bytes, words) in [
            (&b""[..], "0 bytes"),
            (&b"\0\0\0"[..], "3 bytes"),
            (&u64::MAX.to_le_bytes()[..], "at most"),
            (&9_u64.to_le_bytes()[..], "past the end"),
        ] {
            assert!(of(bytes).unwrap_err().contains(words));
        }
    }
}
