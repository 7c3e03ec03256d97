//! Mutations of bytes and, where they are JSON, of values.

use serde_json::{Map, Value};

/// The generator: splitmix64.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below the end; 0 below 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.draw() % end as u64) as usize }
    }
}

/// Pieces that mean something to one of the parsers.
const PIECES: [&[u8]; 20] = [
    b"\n\n",
    b"\n",
    b"\xe2\x80\x94 ",
    b"+",
    b" ",
    b"/",
    b"x000/",
    b".p/0",
    b"0",
    b"-1",
    b"1e400",
    b"null",
    b"\"",
    b"\\ud800",
    b"\\u0000",
    b"{}",
    b"[",
    b"\xff",
    b"==",
    b"../",
];

/// Changes a few places of an input; `other` is a further input, of which pieces may be taken.
pub fn mutate(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    if random.below(2) == 0
        && let Ok(mut value) = serde_json::from_slice::<Value>(input)
    {
        for _ in 0..=random.below(2) {
            mutate_value(random, &mut value);
        }
        *input = serde_json::to_vec(&value).expect("a value is JSON");
        return;
    }
    for _ in 0..=random.below(3) {
        mutate_bytes(random, input, other);
    }
}

fn mutate_bytes(random: &mut Random, input: &mut Vec<u8>, other: &[u8]) {
    let at = random.below(input.len() + 1);
    let end = (at + random.below(40)).min(input.len());
    match random.below(7) {
        0 | 1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 => input.truncate(at),
        3 => {
            let from = random.below(other.len() + 1);
            let piece = &other[from..(from + random.below(80)).min(other.len())];
            input.splice(at..end, piece.iter().copied());
        }
        4 => {
            let piece = PIECES[random.below(PIECES.len())];
            input.splice(at..at, piece.iter().copied());
        }
        5 => drop(input.drain(at..end)),
        _ => {
            let twice = input[at..end].to_vec();
            input.splice(at..at, twice);
        }
    }
}

/// What a leaf of a document may become.
fn odd_value(random: &mut Random) -> Value {
    match random.below(9) {
        0 => Value::Null,
        1 => Value::Bool(random.below(2) == 0),
        2 => random.draw().into(),
        3 => (random.draw() as i64).into(),
        4 => Value::from(f64::from_bits(random.draw())),
        5 => Value::String(random.draw().to_string()),
        6 => Value::String("\u{7}\u{fffd}\u{10000}".repeat(random.below(90))),
        7 => Value::Array(Vec::new()),
        _ => Value::Object(Map::new()),
    }
}

fn mutate_value(random: &mut Random, value: &mut Value) {
    let stop = random.below(4) == 0;
    match value {
        Value::Array(items) if !items.is_empty() => {
            let at = random.below(items.len());
            match random.below(6) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[at].clone()),
                2 => {
                    let last = items.len() - 1;
                    items.swap(at, last);
                }
                _ => mutate_value(random, &mut items[at]),
            }
        }
        Value::Object(members) if !members.is_empty() && !stop => {
            let at = random.below(members.len());
            let key = members.keys().nth(at).expect("it has so many").clone();
            match random.below(8) {
                0 => drop(members.remove(&key)),
                1 => drop(members.insert(format!("{key}x"), odd_value(random))),
                _ => mutate_value(random, members.get_mut(&key).expect("it is there")),
            }
        }
        Value::Number(number) if !stop => {
            let near = number.as_i64().unwrap_or(0).wrapping_add(random.below(5) as i64 - 2);
            *value = near.into();
        }
        Value::String(text) if !stop => {
            let mut bytes = std::mem::take(text).into_bytes();
            mutate_bytes(random, &mut bytes, b"sha256:0123456789abcdef");
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        _ => *value = odd_value(random),
    }
}
