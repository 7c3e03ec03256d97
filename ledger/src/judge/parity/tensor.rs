//! Numeric arrays in row-major order.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::{Comparison, Difference, MAX_SHOWN, Tolerance, TopK, shown};

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dtype {
    /// Half precision.
    F16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// 8 bits, signed.
    I8,
    /// 16 bits, signed.
    I16,
    /// 32 bits, signed.
    I32,
    /// 64 bits, signed.
    I64,
    /// 8 bits.
    U8,
    /// 16 bits.
    U16,
    /// 32 bits.
    U32,
    /// 64 bits.
    U64,
    /// A truth value in one byte.
    Bool,
    /// A number of a JSON document, which has no narrower type; kept as double precision.
    Json,
}

impl Dtype {
    /// How many bytes an element takes.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::F16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 | Self::Json => 8,
        }
    }
}

/// An element.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// A floating-point number.
    Float(f64),
    /// An integer or a truth value.
    Integer(i128),
}

impl Number {
    /// The number in double precision, rounded where it must be.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Float(value) => value,
            Self::Integer(value) => value as f64,
        }
    }
}

/// An array: its bytes as they were read, little-endian, in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    /// Takes the elements' bytes; none if their number is not that of the shape.
    pub fn new(dtype: Dtype, shape: Vec<usize>, bytes: Vec<u8>) -> Option<Self> {
        let count = shape.iter().try_fold(1_usize, |product, side| product.checked_mul(*side))?;
        (count.checked_mul(dtype.size())? == bytes.len()).then_some(Self { dtype, shape, bytes })
    }

    /// Takes the numbers of a JSON document.
    pub fn from_json_numbers(shape: Vec<usize>, numbers: &[f64]) -> Option<Self> {
        Self::new(Dtype::Json, shape, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// How many elements.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.dtype.size()
    }

    /// An element, counted in row-major order.
    pub fn get(&self, index: usize) -> Number {
        let size = self.dtype.size();
        let mut wide = [0; 8];
        wide[..size].copy_from_slice(&self.bytes[index * size..][..size]);
        let bits = u64::from_le_bytes(wide);
        let signed =
            |width: u32| Number::Integer(i128::from((bits << (64 - width)).cast_signed() >> (64 - width)));
        match self.dtype {
            Dtype::F16 => Number::Float(half_to_f64(bits as u16)),
            Dtype::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
            Dtype::F64 | Dtype::Json => Number::Float(f64::from_bits(bits)),
            Dtype::I8 => signed(8),
            Dtype::I16 => signed(16),
            Dtype::I32 => signed(32),
            Dtype::I64 => signed(64),
            Dtype::U8 | Dtype::U16 | Dtype::U32 | Dtype::U64 => Number::Integer(i128::from(bits)),
            Dtype::Bool => Number::Integer(i128::from(bits != 0)),
        }
    }

    /// An element's place, like `[0,3]`.
    fn place(&self, mut index: usize) -> String {
        let mut places = vec![0; self.shape.len()];
        for (place, side) in places.iter_mut().zip(&self.shape).rev() {
            *place = index % side;
            index /= side;
        }
        let places: Vec<String> = places.iter().map(ToString::to_string).collect();
        format!("[{}]", places.join(","))
    }
}

/// IEEE 754 half precision: 1 bit of sign, 5 of exponent, 10 of fraction.
fn half_to_f64(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * f64::powi(2.0, -24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * f64::powi(2.0, exponent - 15),
    }
}

pub(super) fn compare(
    reference: &[(String, Tensor)],
    candidate: &[(String, Tensor)],
    tolerance: &Tolerance,
) -> Comparison {
    let names = |arrays: &[(String, Tensor)]| {
        let names: Vec<String> = arrays.iter().map(|(name, _)| format!("\"{}\"", shown(name))).collect();
        names.join(", ").chars().take(MAX_SHOWN).collect::<String>()
    };
    let same_names = reference.len() == candidate.len()
        && reference.iter().all(|(name, _)| candidate.iter().any(|(other, _)| other == name));
    if !same_names {
        let text =
            format!("the reference has the arrays {}, the candidate {}", names(reference), names(candidate));
        return Comparison::mismatch(text);
    }
    let mut comparison = Comparison::default();
    let (mut top_agreeing, mut top_all) = (0, 0);
    for (name, left) in reference {
        let Some((_, right)) = candidate.iter().find(|(other, _)| other == name) else { continue };
        if let Some(mismatch) = differ_in_form(name, left, right) {
            return Comparison::mismatch(mismatch);
        }
        for index in 0..left.count() {
            let (a, b) = (left.get(index), right.get(index));
            let agrees = comparison.number(a, b, tolerance);
            comparison.count(agrees, || Difference {
                at: if name.is_empty() {
                    left.place(index)
                } else {
                    format!("{}{}", shown(name), left.place(index))
                },
                reference: text(a),
                candidate: text(b),
            });
        }
        if let Some(top) = tolerance.top_k {
            let (agreeing, all) = top_k(left, right, top, tolerance.nan_equal);
            top_agreeing += agreeing;
            top_all += all;
        }
    }
    if comparison.compared.0 == 0 {
        return Comparison::mismatch("the arrays are empty: nothing was compared".to_owned());
    }
    let elements_agree = comparison.differing.0 == 0;
    comparison.agrees = match tolerance.top_k {
        Some(top) => {
            let share = top_agreeing as f64 / (top_all.max(1)) as f64;
            comparison.agreement = Some(share);
            share >= top.agreement && (elements_agree || !tolerance.has_distance())
        }
        None => elements_agree,
    };
    comparison
}

fn differ_in_form(name: &str, left: &Tensor, right: &Tensor) -> Option<String> {
    let which = if name.is_empty() { String::new() } else { format!(" of \"{}\"", shown(name)) };
    let code = crate::evidence::code;
    if left.shape != right.shape {
        return Some(format!(
            "the shape{which} is {:?} in the reference, {:?} in the candidate",
            left.shape, right.shape
        ));
    }
    (left.dtype != right.dtype).then(|| {
        let (left, right) = (code(&left.dtype), code(&right.dtype));
        format!("the element type{which} is {left} in the reference, {right} in the candidate")
    })
}

/// How many of the largest k of every row both have, and how many there are. Ties go to the lower index; a row with a
/// NaN has none in common unless NaNs are said to agree.
fn top_k(left: &Tensor, right: &Tensor, top: TopK, nan_equal: bool) -> (usize, usize) {
    let width = left.shape.last().copied().unwrap_or(1).max(1);
    let k = (top.k as usize).min(width);
    let largest = |tensor: &Tensor, row: usize| {
        let mut places: Vec<(f64, usize)> =
            (0..width).map(|place| (tensor.get(row * width + place).as_f64(), place)).collect();
        let has_nan = places.iter().any(|(value, _)| value.is_nan());
        let order = |a: &(f64, usize), b: &(f64, usize)| {
            let last = |value: f64| if value.is_nan() { f64::NEG_INFINITY } else { value };
            last(b.0).partial_cmp(&last(a.0)).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
        };
        if k < width {
            places.select_nth_unstable_by(k - 1, order);
        }
        let mut places: Vec<usize> = places[..k].iter().map(|(_, place)| *place).collect();
        places.sort_unstable();
        (places, has_nan)
    };
    let rows = left.count() / width;
    let agreeing = (0..rows).map(|row| {
        let ((ours, our_nan), (theirs, their_nan)) = (largest(left, row), largest(right, row));
        if (our_nan || their_nan) && !nan_equal {
            return 0;
        }
        ours.iter().filter(|place| theirs.binary_search(place).is_ok()).count()
    });
    (agreeing.sum(), rows * k)
}

fn text(number: Number) -> String {
    match number {
        Number::Float(value) => value.to_string(),
        Number::Integer(value) => value.to_string(),
    }
}
