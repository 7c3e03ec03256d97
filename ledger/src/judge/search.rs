//! What somebody means who types into the one search box: a digest or the beginning of one, a run, an entry, a route.
//!
//! One text can mean several things (`20261130` begins a digest, and may be a run's number), so all of them are looked
//! for. What can mean nothing is refused with what was found and what is expected.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::log::digest::Sha256Digest;

/// The fewest digits of a digest that are looked for: fewer would match by chance.
pub const MIN_DIGITS: usize = 8;

/// The longest text that is looked at, in bytes.
pub const MAX_BYTES: usize = 200;

/// Everything that a text can mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// A digest, or the beginning of one.
    pub digest: Option<Prefix>,
    /// A run, or the beginning of its id.
    pub run: Option<RunPrefix>,
    /// A run's number, or an entry's index.
    pub number: Option<u64>,
    /// A route's name, or the beginning of one.
    pub route: Option<String>,
}

/// The beginning of a digest: 8 to 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix(String);

/// The beginning of a run's id, as it is written: digits in groups with hyphens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPrefix(String);

/// Why a text can mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Nothing was typed.
    #[error("nothing was typed")]
    Empty,
    /// A digest of too few digits.
    #[error("too few digits of a digest")]
    TooShort,
    /// It begins like a digest and holds something else than hexadecimal digits.
    #[error("not hexadecimal digits")]
    NotHex,
    /// Longer than a digest and than any name.
    #[error("too long")]
    TooLong,
}

impl Refusal {
    /// What is expected in place of it.
    pub fn expected(self) -> &'static str {
        match self {
            Self::Empty => "a digest or its first 8 digits, a run, an entry's index, or a route's name",
            Self::TooShort => "at least 8 hexadecimal digits",
            Self::NotHex => "8 to 64 hexadecimal digits after sha256:",
            Self::TooLong => "at most 64 hexadecimal digits, or a name of at most 200 bytes",
        }
    }
}

/// Reads what was typed. Spaces around it, capitals in a digest and a `#` before a number do not matter.
pub fn wanted(text: &str) -> Result<Wanted, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Refusal::Empty);
    }
    if text.len() > MAX_BYTES {
        return Err(Refusal::TooLong);
    }
    if let Some(digits) = text.strip_prefix("sha256:") {
        let digest = Some(prefix(digits)?);
        return Ok(Wanted { digest, ..Wanted::default() });
    }
    let number = text.strip_prefix('#').unwrap_or(text);
    let number = number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok()).flatten();
    let digest = prefix(text);
    let route = (!text.starts_with('#') && !text.contains(char::is_control)).then(|| text.to_owned());
    match digest {
        // A word of a few hexadecimal letters may be a route's name, a long row of digits only a mistake.
        Err(Refusal::TooLong) => Err(Refusal::TooLong),
        digest => Ok(Wanted { digest: digest.ok(), run: run(text), number, route }),
    }
}

/// Whether a text that found nothing was rather meant as the beginning of a digest.
pub fn too_short(text: &str) -> bool {
    matches!(prefix(text.trim()), Err(Refusal::TooShort))
}

fn prefix(digits: &str) -> Result<Prefix, Refusal> {
    if digits.is_empty() {
        return Err(Refusal::TooShort);
    }
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Refusal::NotHex);
    }
    match digits.len() {
        0..MIN_DIGITS => Err(Refusal::TooShort),
        MIN_DIGITS..=64 => Ok(Prefix(digits.to_ascii_lowercase())),
        _ => Err(Refusal::TooLong),
    }
}

/// A UUID's 36 characters, or at least its first 8.
fn run(text: &str) -> Option<RunPrefix> {
    let text = text.to_ascii_lowercase();
    let hyphen = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let fits = (MIN_DIGITS..=36).contains(&text.len())
        && text.bytes().enumerate().all(
            |(at, byte)| {
                if hyphen(at) { byte == b'-' } else { byte.is_ascii_hexdigit() }
            },
        );
    fits.then_some(RunPrefix(text))
}

impl Prefix {
    /// The lowest and the highest digest that begin so.
    pub fn bounds(&self) -> (Sha256Digest, Sha256Digest) {
        let fill = |with: char| {
            let digits: String = self.0.chars().chain(std::iter::repeat(with)).take(64).collect();
            digits.parse().expect("64 lower-case hexadecimal digits")
        };
        (fill('0'), fill('f'))
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The digest, if all of it is there.
    pub fn whole(&self) -> Option<Sha256Digest> {
        self.0.parse().ok()
    }

    /// Whether the digest begins so.
    pub fn is_of(&self, digest: &Sha256Digest) -> bool {
        digest.to_string().starts_with(&self.0)
    }
}

impl RunPrefix {
    /// The lowest id that begins so, and one above the highest (ids are compared as texts).
    pub fn bounds(&self) -> (String, String) {
        (self.0.clone(), format!("{}~", self.0))
    }

    /// The run's id, if all of it is there.
    pub fn whole(&self) -> Option<Uuid> {
        (self.0.len() == 36).then(|| self.0.parse().ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "0192f0c1-2345-7abc-8def-0123456789ab";

    #[test]
    fn what_a_text_can_mean() {
        let digest = Sha256Digest::of(b"").to_string();
        for (text, digits, run, number, route) in [
            (digest.as_str(), Some(64), false, None, true),
            ("e3b0c442", Some(8), true, None, true),
            ("E3B0C442", Some(8), true, None, true),
            ("e3b0c4429", Some(9), false, None, true),
            ("sha256:e3b0c442", Some(8), false, None, false),
            (RUN, None, true, None, true),
            ("0192f0c1-23", None, true, None, true),
            ("0192f0c1-2345-7abc-8def-0123456789abc", None, false, None, true),
            ("42", None, false, Some(42), true),
            (" #42 ", None, false, Some(42), false),
            ("0042", None, false, Some(42), true),
            ("20261130", Some(8), true, Some(20_261_130), true),
            ("99999999999999999999", Some(20), false, None, true),
            ("demo-resnet50", None, false, None, true),
            ("face", None, false, None, true),
            ("team/route 1", None, false, None, true),
        ] {
            let wanted = wanted(text).unwrap();
            assert_eq!(wanted.digest.as_ref().map(|prefix| prefix.0.len()), digits, "{text}");
            assert_eq!(wanted.run.is_some(), run, "{text}");
            assert_eq!(wanted.number, number, "{text}");
            assert_eq!(wanted.route.is_some(), route, "{text}");
        }
        let whole = wanted(&digest.to_uppercase()).unwrap().digest.unwrap();
        assert_eq!(whole.whole(), Some(Sha256Digest::of(b"")));
        assert_eq!(wanted(RUN).unwrap().run.unwrap().whole().unwrap().to_string(), RUN);
    }

    #[test]
    fn what_can_mean_nothing_is_refused() {
        let digits = "e".repeat(65);
        for (text, refusal) in [
            ("", Refusal::Empty),
            (" \t\n", Refusal::Empty),
            ("sha256:", Refusal::TooShort),
            ("sha256:e3b0c44", Refusal::TooShort),
            ("sha256:e3b0c44z", Refusal::NotHex),
            ("sha256:../../etc", Refusal::NotHex),
            ("sha256:e3b0 c442", Refusal::NotHex),
            (&digits, Refusal::TooLong),
            (&format!("sha256:{digits}"), Refusal::TooLong),
            (&"x".repeat(MAX_BYTES + 1), Refusal::TooLong),
        ] {
            assert_eq!(wanted(text), Err(refusal), "{text:?}");
        }
        assert!(too_short(" e3b0c44 ") && !too_short("e3b0c442") && !too_short("route"));
    }

    #[test]
    fn the_bounds_of_a_prefix_hold_all_that_begin_so_and_no_other() {
        let digest = Sha256Digest::of(b"x");
        let text = digest.to_string();
        for length in MIN_DIGITS..=64 {
            let prefix = prefix(&text[..length]).unwrap();
            let (low, high) = prefix.bounds();
            assert!(low <= digest && digest <= high && prefix.is_of(&digest));
            assert!(prefix.is_of(&low) && prefix.is_of(&high));
            assert_eq!(low == high, length == 64);
        }
        let prefix = prefix(&text[..MIN_DIGITS]).unwrap();
        assert!(!prefix.is_of(&Sha256Digest::of(b"y")));
        let (low, high) = run(&RUN[..10]).unwrap().bounds();
        assert!(low.as_str() <= RUN && RUN < high.as_str());
        assert!("0192f0c2" > high.as_str());
    }
}
