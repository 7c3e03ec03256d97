//! Amounts as a person reads them.

/// Milliseconds.
pub fn time(ms: f64) -> String {
    if ms.abs() < 1_000.0 {
        format!("{ms:.0} ms")
    } else if ms.abs() < 120_000.0 {
        format!("{:.1} s", ms / 1_000.0)
    } else {
        format!("{:.1} min", ms / 60_000.0)
    }
}

/// A difference of milliseconds, with its sign.
pub fn signed_time(ms: f64) -> String {
    let sign = if ms < 0.0 { "-" } else { "+" };
    format!("{sign}{}", time(ms.abs()))
}

/// A length in bytes, in units of 1024.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = 0;
    while amount >= 1023.95 && unit + 1 < UNITS.len() {
        amount /= 1024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// A code of the evidence in words.
pub fn words(code: &str) -> String {
    code.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_a_unit_and_few_digits() {
        for (ms, said) in [
            (0.4, "0 ms"),
            (999.4, "999 ms"),
            (1_000.0, "1.0 s"),
            (119_900.0, "119.9 s"),
            (120_000.0, "2.0 min"),
            (-1_500.0, "-1.5 s"),
        ] {
            assert_eq!(time(ms), said);
        }
        assert_eq!((signed_time(1_500.0), signed_time(-20.0)), ("+1.5 s".to_owned(), "-20 ms".to_owned()));
        for (length, said) in [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_024, "1.0 KiB"),
            (1_048_575, "1.0 MiB"),
            (5 << 30, "5.0 GiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(length), said);
        }
    }
}
