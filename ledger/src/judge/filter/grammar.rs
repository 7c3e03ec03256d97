//! Reading and writing filters.

use std::{fmt, str::FromStr};

use serde::de::DeserializeOwned;

use super::{Bounds, Filter, Text};
use crate::evidence::code;

/// The longest filter that is read, in bytes.
pub const MAX_BYTES: usize = 1_000;

/// The longest time that a bound can name: ten years.
const MAX_DAYS: u64 = 3_650;

/// The names of all fields, in the order in which they are written.
pub const FIELDS: [&str; 12] = [
    "route", "gpu", "tensorrt", "outcome", "builder", "cache", "state", "need", "age", "duration", "silence",
    "latency",
];

/// Why a filter cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: found {found:?}, expected {expected}")]
pub struct FilterError {
    /// The field; `q` where no field could be made out.
    pub field: &'static str,
    /// The term as it was found, at most 80 characters of it.
    pub found: String,
    /// What is expected in its place.
    pub expected: String,
}

impl FilterError {
    pub(super) fn new(field: &'static str, found: &str, expected: impl Into<String>) -> Self {
        Self { field, found: found.chars().take(80).collect(), expected: expected.into() }
    }
}

/// A term, cut out of the text.
struct Term {
    /// As it stands there.
    source: String,
    /// What stands before the sign, and the sign; none for a word.
    head: Option<(String, char)>,
    value: String,
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        if text.len() > MAX_BYTES {
            return Err(FilterError::new("q", text, format!("at most {MAX_BYTES} bytes")));
        }
        let mut filter = Self::default();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (term, after) = cut(rest)?;
            filter.take(&term)?;
            rest = after.trim_start();
        }
        Ok(filter)
    }
}

/// Cuts the first term off.
fn cut(text: &str) -> Result<(Term, &str), FilterError> {
    let mut value = String::new();
    let mut head = None;
    let mut quoted = false;
    let mut escaped = false;
    // Whether the value began with a quotation mark: nothing may follow the closing one.
    let mut closed = false;
    let mut end = text.len();
    let broken = |expected: &str| FilterError::new("q", text, expected);
    for (at, c) in text.char_indices() {
        if c.is_control() {
            return Err(broken("no control characters"));
        }
        match c {
            _ if escaped => {
                value.push(c);
                escaped = false;
            }
            '\\' if quoted => escaped = true,
            '"' if quoted => (quoted, closed) = (false, true),
            '"' if value.is_empty() && !closed => quoted = true,
            _ if quoted => value.push(c),
            _ if c.is_whitespace() => {
                end = at;
                break;
            }
            _ if closed => return Err(broken("a space after the closing quotation mark")),
            '"' => return Err(broken("a quotation mark only where a value begins")),
            ':' | '=' | '<' | '>' if head.is_none() => head = Some((std::mem::take(&mut value), c)),
            _ => value.push(c),
        }
    }
    if quoted {
        return Err(broken("a closing quotation mark"));
    }
    let (source, rest) = text.split_at(end);
    Ok((Term { source: source.to_owned(), head, value }, rest))
}

impl Filter {
    /// Takes a form's field: of texts the whole, of bounds with the sign before the time. An empty value asks nothing.
    pub fn set(&mut self, field: &str, value: &str) -> Result<(), FilterError> {
        if value.is_empty() {
            return Ok(());
        }
        if value.len() > MAX_BYTES || value.contains(char::is_control) {
            let expected = format!("at most {MAX_BYTES} bytes without control characters");
            return Err(FilterError::new(known(field, value)?, value, expected));
        }
        let (sign, rest) = match (field, value.chars().next()) {
            ("age" | "duration" | "silence" | "latency", Some(sign @ ('<' | '>'))) => (sign, &value[1..]),
            ("route" | "gpu" | "tensorrt", _) => ('=', value),
            _ => (':', value),
        };
        let head = Some((field.to_owned(), sign));
        self.take(&Term { source: format!("{field}{sign}{rest}"), head, value: rest.to_owned() })
    }

    fn take(&mut self, term: &Term) -> Result<(), FilterError> {
        let Some((name, sign)) = &term.head else {
            if term.value.is_empty() {
                return Err(FilterError::new("q", &term.source, "a part of the network's file name"));
            }
            self.words.push(term.value.clone());
            return Ok(());
        };
        let field = known(name, &term.source)?;
        let twice = || FilterError::new(field, &term.source, format!("{field} only once"));
        match field {
            "age" | "duration" | "silence" | "latency" => {
                let bounds = match field {
                    "age" => &mut self.age,
                    "duration" => &mut self.duration,
                    "silence" => &mut self.silence,
                    _ => &mut self.latency,
                };
                let slot = match sign {
                    '<' => &mut bounds.below_ms,
                    '>' => &mut bounds.above_ms,
                    _ => return Err(bad_time(field, term)),
                };
                set(slot, time(field, term)?).ok_or_else(twice)
            }
            "route" => set(&mut self.route, text(field, *sign, term)?).ok_or_else(twice),
            "gpu" => set(&mut self.gpu, text(field, *sign, term)?).ok_or_else(twice),
            "tensorrt" => set(&mut self.tensorrt, text(field, *sign, term)?).ok_or_else(twice),
            "outcome" => set(&mut self.outcome, coded(field, *sign, term, &OUTCOMES)?).ok_or_else(twice),
            "builder" => set(&mut self.builder, coded(field, *sign, term, &BUILDERS)?).ok_or_else(twice),
            "cache" => set(&mut self.cache, coded(field, *sign, term, &CACHES)?).ok_or_else(twice),
            "state" => set(&mut self.state, coded(field, *sign, term, &STATES)?).ok_or_else(twice),
            _ if matches!(sign, ':' | '=') && term.value == "person" => {
                if std::mem::replace(&mut self.need_person, true) { Err(twice()) } else { Ok(()) }
            }
            _ => Err(FilterError::new(field, &term.source, "need:person")),
        }
    }

    /// Its terms, each with the name of its field (`q` for a word), in the order in which they are written.
    pub fn terms(&self) -> Vec<(&'static str, String)> {
        let mut terms = Vec::new();
        let texts = [("route", &self.route), ("gpu", &self.gpu), ("tensorrt", &self.tensorrt)];
        for (name, text) in texts {
            match text {
                Some(Text::Part(part)) => terms.push((name, format!("{name}:{}", Value(part)))),
                Some(Text::Exactly(whole)) => terms.push((name, format!("{name}={}", Value(whole)))),
                None => {}
            }
        }
        for (name, code) in self.codes() {
            terms.push((name, format!("{name}:{code}")));
        }
        let bounds = [
            ("age", self.age),
            ("duration", self.duration),
            ("silence", self.silence),
            ("latency", self.latency),
        ];
        for (name, Bounds { above_ms, below_ms }) in bounds {
            let ends = [('>', above_ms), ('<', below_ms)];
            terms.extend(
                ends.iter().filter_map(|(sign, ms)| Some((name, format!("{name}{sign}{}", Time((*ms)?))))),
            );
        }
        terms.extend(self.words.iter().map(|word| ("q", Word(word).to_string())));
        terms
    }

    /// The fields that a code answers, with it.
    pub fn codes(&self) -> Vec<(&'static str, String)> {
        let codes = [
            ("outcome", self.outcome.as_ref().map(code)),
            ("builder", self.builder.as_ref().map(code)),
            ("cache", self.cache.as_ref().map(code)),
            ("state", self.state.as_ref().map(code)),
            ("need", self.need_person.then(|| "person".to_owned())),
        ];
        codes.into_iter().filter_map(|(name, code)| Some((name, code?))).collect()
    }

    /// The same without one of its fields; `q` stands for the words.
    #[must_use]
    pub fn without(&self, field: &str) -> Self {
        let mut filter = self.clone();
        match field {
            "route" => filter.route = None,
            "gpu" => filter.gpu = None,
            "tensorrt" => filter.tensorrt = None,
            "outcome" => filter.outcome = None,
            "builder" => filter.builder = None,
            "cache" => filter.cache = None,
            "state" => filter.state = None,
            "need" => filter.need_person = false,
            "age" => filter.age = Bounds::default(),
            "duration" => filter.duration = Bounds::default(),
            "silence" => filter.silence = Bounds::default(),
            "latency" => filter.latency = Bounds::default(),
            _ => filter.words.clear(),
        }
        filter
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (_, term)) in self.terms().into_iter().enumerate() {
            write!(f, "{}{term}", if place > 0 { " " } else { "" })?;
        }
        Ok(())
    }
}

/// The codes of outcomes.
pub const OUTCOMES: [&str; 6] =
    ["completed", "cancelled", "cancel_requested_but_completed", "failed", "crashed", "killed"];
/// The codes of builders.
pub const BUILDERS: [&str; 4] = ["tensorrt_rtx", "tensorrt", "external", "simulated"];
/// The codes of what becomes of timing caches.
pub const CACHES: [&str; 6] = ["cold", "reused", "updated", "discarded", "quarantined", "not_applicable"];
/// The codes of whether a route may be served; `passed`, `held` and `rejected` are read as well.
pub const STATES: [&str; 3] = ["pass", "hold", "reject"];

fn known(name: &str, found: &str) -> Result<&'static str, FilterError> {
    FIELDS.into_iter().find(|field| *field == name).ok_or_else(|| {
        let fields = FIELDS.join(", ");
        FilterError::new("q", found, format!("one of the fields {fields}, or quotation marks around a word"))
    })
}

/// Fills an empty slot.
fn set<T>(slot: &mut Option<T>, value: T) -> Option<()> {
    let empty = slot.is_none();
    *slot = Some(value);
    empty.then_some(())
}

fn text(field: &'static str, sign: char, term: &Term) -> Result<Text, FilterError> {
    let value = term.value.clone();
    match sign {
        ':' if !value.is_empty() => Ok(Text::Part(value)),
        '=' if !value.is_empty() => Ok(Text::Exactly(value)),
        _ => {
            let expected = format!("{field}:PART or {field}=\"THE WHOLE NAME\"");
            Err(FilterError::new(field, &term.source, expected))
        }
    }
}

fn coded<T: DeserializeOwned>(
    field: &'static str,
    sign: char,
    term: &Term,
    codes: &[&str],
) -> Result<T, FilterError> {
    let value = match (field, term.value.as_str()) {
        ("state", "passed") => "pass",
        ("state", "held") => "hold",
        ("state", "rejected") => "reject",
        (_, value) => value,
    };
    let found = codes.iter().find(|code| **code == value).filter(|_| matches!(sign, ':' | '='));
    found.and_then(|code| serde_json::from_value((*code).into()).ok()).ok_or_else(|| {
        FilterError::new(field, &term.source, format!("{field}: and one of {}", codes.join(", ")))
    })
}

const UNITS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

fn bad_time(field: &'static str, term: &Term) -> FilterError {
    let expected = format!(
        "{field}< or {field}> and a whole number with ms, s, m, h or d, like {field}<90s, at most {MAX_DAYS}d"
    );
    FilterError::new(field, &term.source, expected)
}

fn time(field: &'static str, term: &Term) -> Result<u64, FilterError> {
    let digits = term.value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = term.value.split_at(digits);
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let ms = factor.zip(number.parse::<u64>().ok()).and_then(|(factor, number)| number.checked_mul(factor));
    ms.filter(|ms| *ms <= MAX_DAYS * UNITS[0].1).ok_or_else(|| bad_time(field, term))
}

/// A length of time in its largest unit that leaves no fraction.
struct Time(u64);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.iter().find(|(_, factor)| self.0 > 0 && self.0.is_multiple_of(*factor));
        let (unit, factor) = whole.unwrap_or(&UNITS[4]);
        write!(f, "{}{unit}", self.0 / factor)
    }
}

/// A value behind its sign.
struct Value<'a>(&'a str);

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(|c: char| c.is_whitespace() || c == '"') {
            quoted(self.0, f)
        } else {
            f.write_str(self.0)
        }
    }
}

/// A word that stands alone.
struct Word<'a>(&'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let term = |c: char| c.is_whitespace() || matches!(c, '"' | ':' | '=' | '<' | '>');
        if self.0.contains(term) { quoted(self.0, f) } else { f.write_str(self.0) }
    }
}

fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
