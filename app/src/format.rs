//! Numbers, times and foreign texts as a page writes them. Only here does a language decide over a comma.

pub use acta_ledger::judge::filter::file_name;
use acta_ledger::log::timestamp::Timestamp;
use time::{OffsetDateTime, UtcOffset};

use crate::i18n::Lang;

/// What stands where nothing was measured. Never a zero.
pub const NOTHING: &str = "—";

const NBSP: char = '\u{a0}';
const THIN: char = '\u{202f}';

/// A number with so many decimals; digits in groups of three from 10 000 on.
pub fn number(value: f64, decimals: usize, lang: Lang) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut out = String::with_capacity(text.len() + 8);
    if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        out.push('−');
    }
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && whole.len() > 4 && (whole.len() - at).is_multiple_of(3) {
            out.push(THIN);
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push(match lang {
            Lang::En => '.',
            Lang::Es => ',',
        });
        out.push_str(fraction);
    }
    out
}

/// A whole number.
pub fn count(value: u64, lang: Lang) -> String {
    // Below 2^53 a float is exact; no log, file or build counts further.
    number(value as f64, 0, lang)
}

/// A duration for a sentence, with its unit: as many digits as matter.
pub fn seconds(ms: f64, lang: Lang) -> String {
    let (value, decimals, unit) = match ms.abs() {
        ms if ms > 0.0 && ms < 0.0995 => (ms * 1e3, 0, "µs"),
        ms if ms < 9.95 => (ms, 1, "ms"),
        ms if ms < 100.0 => (ms, 0, "ms"),
        ms if ms < 99_950.0 => (ms / 1e3, if ms < 9_995.0 { 2 } else { 1 }, "s"),
        ms => (ms / 1e3, 0, "s"),
    };
    format!("{}{NBSP}{unit}", number(value.copysign(ms), decimals, lang))
}

/// Seconds for a key figure, without the unit.
pub fn seconds_figure(ms: f64, lang: Lang) -> String {
    number(ms / 1e3, if ms.abs() < 99_999.5 { 3 } else { 1 }, lang)
}

/// Seconds for a column, without the unit.
pub fn seconds_cell(ms: f64, lang: Lang) -> String {
    number(ms / 1e3, 2, lang)
}

/// Milliseconds for a column: as many decimals as matter.
pub fn ms_cell(ms: f64, lang: Lang) -> String {
    let decimals = match ms.abs() {
        ms if ms >= 100.0 => 0,
        ms if ms >= 1.0 => 1,
        ms if ms >= 0.1 => 2,
        _ => 3,
    };
    number(ms, decimals, lang)
}

/// A share from 0 to 1 in percent for a sentence, with its sign.
pub fn percent(share: f64, lang: Lang) -> String {
    let percent = share * 100.0;
    if percent > 0.0 && percent < 1.0 {
        format!("<{NBSP}1{NBSP}%")
    } else {
        format!("{}{NBSP}%", number(percent, 0, lang))
    }
}

/// A file's length for a sentence.
pub fn bytes(bytes: u64, lang: Lang) -> String {
    let value = bytes as f64;
    let (value, decimals, unit) = match value {
        value if value < 1e4 => (value, 0, "B"),
        value if value < 1e6 => (value / 1e3, 0, "kB"),
        value if value < 1e9 => (value / 1e6, 1, "MB"),
        value => (value / 1e9, 2, "GB"),
    };
    format!("{}{NBSP}{unit}", number(value, decimals, lang))
}

/// A day and a time to the second, in UTC.
pub fn date_time(at: Timestamp, lang: Lang) -> String {
    format!("{}, {}{NBSP}UTC", date(at, lang), time(at))
}

/// A day.
pub fn date(at: Timestamp, lang: Lang) -> String {
    format!("{}{NBSP}{}", day(at.date_time(), lang), at.date_time().year())
}

/// A day without its year, and a time to the second.
pub fn day_time(at: Timestamp, lang: Lang) -> String {
    format!("{} {}", day(at.date_time(), lang), time(at))
}

/// A time to the second by a clock that is so many seconds ahead of UTC, with that offset; with the day where it is
/// another one than in UTC, and with its year where that is another one too. None where such a clock shows no time.
pub fn local_time(at: Timestamp, offset_s: i32, lang: Lang) -> Option<String> {
    let offset = UtcOffset::from_whole_seconds(offset_s).ok()?;
    let (utc, local) = (at.date_time(), at.date_time().checked_to_offset(offset)?);
    let text = format!("{}{NBSP}UTC{}", clock(local), signed(offset));
    Some(match (local.date() == utc.date(), local.year() == utc.year()) {
        (true, _) => text,
        (false, true) => format!("{}, {text}", day(local, lang)),
        (false, false) => format!("{}{NBSP}{}, {text}", day(local, lang), local.year()),
    })
}

fn day(at: OffsetDateTime, lang: Lang) -> String {
    let month = lang.t(&format!("month-{}", u8::from(at.month())));
    format!("{}{NBSP}{month}", at.day())
}

fn clock(at: OffsetDateTime) -> String {
    format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
}

/// An offset in hours and minutes; only the oldest ones have seconds too.
fn signed(offset: UtcOffset) -> String {
    let sign = if offset.is_negative() { '−' } else { '+' };
    let (hours, minutes, seconds) = offset.as_hms();
    let seconds = if seconds == 0 { String::new() } else { format!(":{:02}", seconds.abs()) };
    format!("{sign}{:02}:{:02}{seconds}", hours.abs(), minutes.abs())
}

/// How long it is from one moment to a later one: in the largest unit that is not too coarse, whole.
pub fn age(from: Timestamp, to: Timestamp, lang: Lang) -> String {
    let minutes = (to.unix_ms() - from.unix_ms()).max(0) as u64 / 60_000;
    let (key, n) = match minutes {
        0..=119 => ("age-minutes", minutes),
        120..=2_879 => ("age-hours", minutes / 60),
        _ => ("age-days", minutes / 1_440),
    };
    lang.tr(key, [("n", n.into())])
}

/// A small number as a word, a larger one as digits. In Spanish feminine: what is counted are runs and phases.
pub fn number_word(n: u64, lang: Lang) -> String {
    lang.tr("number-word", [("n", n.into()), ("shown", count(n, lang).into())])
}

/// A time to the second.
pub fn time(at: Timestamp) -> String {
    clock(at.date_time())
}

/// A time to the millisecond.
pub fn time_ms(at: Timestamp) -> String {
    format!("{}.{:03}", time(at), at.date_time().millisecond())
}

/// A text from outside, with everything that would act without being seen made visible: control characters, marks that
/// turn the direction of writing, characters without width.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let acts = c.is_control()
            || matches!(c,
                '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}');
        if acts {
            out.push_str(&format!("\\u{{{:x}}}", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

/// The same over several lines, which stay lines.
pub fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// A text from outside for a sentence: visible, and no longer than `most` characters.
pub fn short(text: &str, most: usize) -> String {
    let mut out: String = visible(text).chars().take(most + 1).collect();
    if out.chars().count() > most {
        out = out.chars().take(most.saturating_sub(1)).collect();
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_two_languages() {
        for (value, decimals, en, es) in [
            (0.0, 0, "0", "0"),
            (4977.2, 1, "4977.2", "4977,2"),
            (11925.0, 0, "11\u{202f}925", "11\u{202f}925"),
            (1_234_567.891, 2, "1\u{202f}234\u{202f}567.89", "1\u{202f}234\u{202f}567,89"),
            (-0.004, 2, "0.00", "0,00"),
            (-1.5, 1, "−1.5", "−1,5"),
            (f64::NAN, 2, "—", "—"),
            (f64::INFINITY, 2, "—", "—"),
        ] {
            assert_eq!(number(value, decimals, Lang::En), en);
            assert_eq!(number(value, decimals, Lang::Es), es);
        }
    }

    #[test]
    fn durations_keep_three_digits() {
        for (ms, text) in [
            (0.0, "0.0\u{a0}ms"),
            (0.032, "32\u{a0}µs"),
            (0.4, "0.4\u{a0}ms"),
            (9.96, "10\u{a0}ms"),
            (99.9, "100\u{a0}ms"),
            (100.0, "0.10\u{a0}s"),
            (4977.2, "4.98\u{a0}s"),
            (9996.0, "10.0\u{a0}s"),
            (37_000.0, "37.0\u{a0}s"),
            (123_100.0, "123\u{a0}s"),
        ] {
            assert_eq!(seconds(ms, Lang::En), text, "{ms}");
        }
        assert_eq!(ms_cell(0.0051, Lang::Es), "0,005");
        assert_eq!(percent(0.004, Lang::En), "<\u{a0}1\u{a0}%");
        assert_eq!(percent(0.934, Lang::En), "93\u{a0}%");
        assert_eq!(bytes(136_677, Lang::En), "137\u{a0}kB");
        assert_eq!(bytes(1_310_000_000, Lang::Es), "1,31\u{a0}GB");
    }

    #[test]
    fn times_are_utc() {
        let at: Timestamp = "2026-11-29T20:31:07.300Z".parse().unwrap();
        assert_eq!(date_time(at, Lang::En), "29\u{a0}Nov\u{a0}2026, 20:31:07\u{a0}UTC");
        assert_eq!(date_time(at, Lang::Es), "29\u{a0}nov\u{a0}2026, 20:31:07\u{a0}UTC");
        assert_eq!(time_ms(at), "20:31:07.300");
    }

    #[test]
    fn another_clock_says_its_offset_and_its_day_where_that_differs() {
        for (at, offset_s, en, es) in [
            // The same day, also where the offset is nothing.
            ("2026-11-29T20:31:07.300Z", 0, Some("20:31:07\u{a0}UTC+00:00"), None),
            ("2026-11-29T20:31:07.300Z", 3_600, Some("21:31:07\u{a0}UTC+01:00"), None),
            // Half and quarter hours, on both sides.
            ("2026-11-29T12:00:00.999Z", 20_700, Some("17:45:00\u{a0}UTC+05:45"), None),
            ("2026-11-29T12:00:00Z", -12_600, Some("08:30:00\u{a0}UTC−03:30"), None),
            ("2026-11-29T12:00:00Z", -1_800, Some("11:30:00\u{a0}UTC−00:30"), None),
            // The next day, the day before, the next and the last year.
            (
                "2026-11-29T20:31:07Z",
                19_800,
                Some("30\u{a0}Nov, 02:01:07\u{a0}UTC+05:30"),
                Some("30\u{a0}nov, 02:01:07\u{a0}UTC+05:30"),
            ),
            (
                "2026-01-31T00:30:00Z",
                -3_600,
                Some("30\u{a0}Jan, 23:30:00\u{a0}UTC−01:00"),
                Some("30\u{a0}ene, 23:30:00\u{a0}UTC−01:00"),
            ),
            (
                "2026-12-31T23:30:00Z",
                3_600,
                Some("1\u{a0}Jan\u{a0}2027, 00:30:00\u{a0}UTC+01:00"),
                Some("1\u{a0}ene\u{a0}2027, 00:30:00\u{a0}UTC+01:00"),
            ),
            (
                "1970-01-01T00:00:00Z",
                -18_000,
                Some("31\u{a0}Dec\u{a0}1969, 19:00:00\u{a0}UTC−05:00"),
                Some("31\u{a0}dic\u{a0}1969, 19:00:00\u{a0}UTC−05:00"),
            ),
            // Monrovia until 1972.
            ("1971-06-01T12:00:00Z", -2_670, Some("11:15:30\u{a0}UTC−00:44:30"), None),
            // No calendar of ours has the year 10000, and no clock is two days ahead.
            ("9999-12-31T23:30:00Z", 3_600, None, None),
            ("2026-11-29T12:00:00Z", 172_800, None, None),
        ] {
            let at: Timestamp = at.parse().unwrap();
            assert_eq!(local_time(at, offset_s, Lang::En).as_deref(), en, "{at} {offset_s}");
            assert_eq!(local_time(at, offset_s, Lang::Es).as_deref(), es.or(en), "{at} {offset_s}");
        }
    }

    #[test]
    fn what_acts_unseen_becomes_visible() {
        assert_eq!(visible("a\u{202e}b\u{0}ñ中\u{200b}"), "a\\u{202e}b\\u{0}ñ中\\u{200b}");
        assert_eq!(visible_lines("a\nb\r"), "a\nb\\u{d}");
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
        assert_eq!(file_name("/a/b/c.onnx"), "c.onnx");
        assert_eq!(file_name("/"), "/");
    }
}
