//! Arrays in the `.npy` format: magic, version, the length of a header, the header (a Python literal), then the elements.
//!
//! ```text
//! 93 "NUMPY" major minor   length (16 bits in version 1, 32 bits in 2 and 3, little-endian)
//! {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//! ```
//! Only plain elements in row-major order are read; objects (pickles) and records never.

use acta_ledger::judge::parity::{Dtype, Tensor};

/// The longest header: a shape of many sides still fits well.
const MAX_HEADER: usize = 64 << 10;

/// Reads an array.
pub fn parse(mut bytes: Vec<u8>) -> Result<Tensor, String> {
    let prefix = bytes.get(..8).ok_or("no .npy file: it has less than 8 bytes")?;
    if prefix[..6] != *b"\x93NUMPY" {
        return Err("no .npy file: it does not begin with NumPy's magic".to_owned());
    }
    let (wide, start) = match prefix[6] {
        1 => (false, 10),
        2 | 3 => (true, 12),
        other => return Err(format!("version {other} of .npy is not known, 1 to 3 are")),
    };
    let length = bytes.get(8..start).ok_or("the file ends in the header's length")?;
    let length = length.iter().rev().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    debug_assert!(wide == (start == 12));
    if length > MAX_HEADER {
        return Err(format!("the header has {length} bytes, at most {MAX_HEADER} are read"));
    }
    let header = bytes.get(start..start + length).ok_or("the file ends in the header")?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
    let header = Header::parse(header)?;
    let dtype = header.dtype()?;
    let elements = bytes.split_off(start + length);
    let count = header.shape.iter().try_fold(dtype.size(), |product, side| product.checked_mul(*side));
    match count {
        Some(expected) if expected == elements.len() => {}
        Some(expected) => {
            return Err(format!(
                "the shape {:?} takes {expected} bytes, the file has {}",
                header.shape,
                elements.len()
            ));
        }
        None => return Err(format!("the shape {:?} is beyond all memory", header.shape)),
    }
    Tensor::new(dtype, header.shape, elements).ok_or_else(|| "shape and bytes do not fit".to_owned())
}

#[derive(Debug, PartialEq, Eq)]
struct Header {
    descr: String,
    shape: Vec<usize>,
}

impl Header {
    fn parse(text: &str) -> Result<Self, String> {
        let unlike = |what: &str| format!("the header is not NumPy's: {what}");
        let mut literal = Literal { rest: text.trim_matches(['\n', ' ', '\0']) };
        let (mut descr, mut order, mut shape) = (None, None, None);
        literal.take("{").ok_or_else(|| unlike("it does not begin with {"))?;
        while literal.take("}").is_none() {
            let key = literal.text().ok_or_else(|| unlike("a key is no text"))?;
            literal.take(":").ok_or_else(|| unlike("a key has no value"))?;
            let slot_is_free = match key.as_str() {
                "descr" => {
                    let value = literal
                        .text()
                        .ok_or("the elements are records or objects: only plain numbers are read")?;
                    descr.replace(value).is_none()
                }
                "fortran_order" => {
                    let value = literal.truth().ok_or_else(|| unlike("fortran_order is no truth value"))?;
                    order.replace(value).is_none()
                }
                "shape" => {
                    let value = literal.shape().ok_or_else(|| unlike("shape is no tuple of numbers"))?;
                    shape.replace(value).is_none()
                }
                other => return Err(unlike(&format!("the key {other:?}"))),
            };
            if !slot_is_free {
                return Err(unlike(&format!("{key:?} stands twice")));
            }
            if literal.take(",").is_none() && !literal.rest.starts_with('}') {
                return Err(unlike("two values without a comma"));
            }
        }
        if !literal.rest.trim().is_empty() {
            return Err(unlike("something follows it"));
        }
        match (descr, order, shape) {
            (Some(_), Some(true), Some(_)) => {
                Err("the array is in column-major (Fortran) order: save it with numpy.ascontiguousarray"
                    .to_owned())
            }
            (Some(descr), Some(false), Some(shape)) => Ok(Self { descr, shape }),
            _ => Err(unlike("descr, fortran_order or shape is missing")),
        }
    }

    fn dtype(&self) -> Result<Dtype, String> {
        let (order, name) = self.descr.split_at_checked(1).unwrap_or(("", ""));
        let dtype = match name {
            "f2" => Dtype::F16,
            "f4" => Dtype::F32,
            "f8" => Dtype::F64,
            "i1" => Dtype::I8,
            "i2" => Dtype::I16,
            "i4" => Dtype::I32,
            "i8" => Dtype::I64,
            "u1" => Dtype::U8,
            "u2" => Dtype::U16,
            "u4" => Dtype::U32,
            "u8" => Dtype::U64,
            "b1" => Dtype::Bool,
            _ => {
                return Err(format!(
                    "the element type {:?} is not read: f2 f4 f8, i1 to i8, u1 to u8, b1 are",
                    self.descr
                ));
            }
        };
        match order {
            "<" => Ok(dtype),
            "|" if dtype.size() == 1 => Ok(dtype),
            ">" => Err(format!(
                "the elements {:?} are big-endian: save them with .astype('<{name}')",
                self.descr
            )),
            _ => Err(format!("the byte order of {:?} is not said", self.descr)),
        }
    }
}

/// A Python literal, as far as a header needs it.
struct Literal<'a> {
    rest: &'a str,
}

impl Literal<'_> {
    fn take(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.trim_start();
        self.rest = self.rest.strip_prefix(token)?;
        self.rest = self.rest.trim_start();
        Some(())
    }

    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest.trim_start();
        (!text.contains('\\')).then(|| text.to_owned())
    }

    fn truth(&mut self) -> Option<bool> {
        self.take("True").map(|()| true).or_else(|| self.take("False").map(|()| false))
    }

    fn shape(&mut self) -> Option<Vec<usize>> {
        self.take("(")?;
        let mut shape = Vec::new();
        while self.take(")").is_none() {
            let digits = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
            let (number, rest) = self.rest.split_at(digits);
            self.rest = rest;
            // Python 2 wrote large numbers as 3L.
            self.take("L");
            shape.push(number.parse().ok()?);
            if self.take(",").is_none() && !self.rest.starts_with(')') {
                return None;
            }
        }
        Some(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(version: u8, header: &str, elements: &[u8]) -> Vec<u8> {
        let length = header.len() as u32;
        let mut bytes = b"\x93NUMPY".to_vec();
        bytes.extend([version, 0]);
        bytes.extend(if version == 1 {
            (length as u16).to_le_bytes().to_vec()
        } else {
            length.to_le_bytes().to_vec()
        });
        bytes.extend(header.as_bytes());
        bytes.extend(elements);
        bytes
    }

    fn header(descr: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}       \n")
    }

    #[test]
    fn arrays_are_read() {
        for (descr, dtype, size) in [
            ("<f2", Dtype::F16, 2),
            ("<f4", Dtype::F32, 4),
            ("<f8", Dtype::F64, 8),
            ("|i1", Dtype::I8, 1),
            ("<i2", Dtype::I16, 2),
            ("<i4", Dtype::I32, 4),
            ("<i8", Dtype::I64, 8),
            ("|u1", Dtype::U8, 1),
            ("<u2", Dtype::U16, 2),
            ("<u4", Dtype::U32, 4),
            ("<u8", Dtype::U64, 8),
            ("|b1", Dtype::Bool, 1),
        ] {
            for version in 1..=3 {
                let tensor = parse(npy(version, &header(descr, "(2, 3)"), &vec![0; 6 * size])).unwrap();
                assert_eq!((tensor.dtype(), tensor.shape()), (dtype, &[2, 3][..]));
            }
        }
        for (shape, expected, count) in
            [("()", &[][..], 1), ("(4,)", &[4], 4), ("(0, 7)", &[0, 7], 0), ("(2L,)", &[2], 2)]
        {
            let tensor = parse(npy(1, &header("|u1", shape), &vec![1; count])).unwrap();
            assert_eq!(tensor.shape(), expected);
        }
        let other_order = "{\"shape\": (1,), 'fortran_order': False, 'descr': '<f4'}";
        parse(npy(2, other_order, &[0; 4])).unwrap();
    }

    #[test]
    fn everything_else_is_refused_with_its_reason() {
        let good = || npy(1, &header("<f4", "(2,)"), &[0; 8]);
        let with = |descr: &str, shape: &str, bytes: usize| npy(1, &header(descr, shape), &vec![0; bytes]);
        for (bytes, words) in [
            (vec![], "less than 8"),
            (b"PK\x03\x04....".to_vec(), "magic"),
            (npy(4, "", &[]), "version 4"),
            (good()[..9].to_vec(), "header's length"),
            (good()[..40].to_vec(), "ends in the header"),
            (good()[..good().len() - 1].to_vec(), "takes 8 bytes, the file has 7"),
            ([good(), vec![0]].concat(), "the file has 9"),
            (npy(2, &" ".repeat(MAX_HEADER + 1), &[]), "at most"),
            (npy(1, &header("<f4", "(1,)").replace("False", "True"), &[0; 4]), "Fortran"),
            (npy(1, &header("<f4", "(1,)").replace("False", "0"), &[0; 4]), "no truth value"),
            (with(">f4", "(1,)", 4), "big-endian"),
            (with("=f4", "(1,)", 4), "byte order"),
            (with("|O", "(1,)", 8), "not read"),
            (with("<c8", "(1,)", 8), "not read"),
            (with("", "(1,)", 8), "not read"),
            (with("é", "(1,)", 8), "not read"),
            (with("<f4", "(-1,)", 4), "no tuple"),
            (with("<f4", "(99999999999999999999,)", 4), "no tuple"),
            (with("<f4", "(4611686018427387904, 4)", 4), "beyond all memory"),
            (with("<f4", "(1 1)", 8), "no tuple"),
            (npy(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", &[0; 4]), "records"),
            (npy(1, "{'descr': '<f4', 'shape': (1,)}", &[0; 4]), "missing"),
            (npy(1, "{'descr': '<f4', 'descr': '<f8'}", &[0; 4]), "twice"),
            (npy(1, "{'descr': '<f4'; }", &[0; 4]), "comma"),
            (npy(1, "{'x': 1}", &[]), "key \"x\""),
            (npy(1, "[]", &[]), "begin with {"),
            (npy(1, "{", &[]), "no text"),
            (npy(1, &format!("{}x", header("<f4", "(1,)").trim()), &[0; 4]), "follows"),
        ] {
            let error = parse(bytes).unwrap_err();
            assert!(error.contains(words), "{words}: {error}");
        }
    }
}
