//! Time zones by their names in the IANA database. It comes with the program, so that a name means the same wherever a
//! server runs; what a later version no longer knows is shown in UTC.

use std::sync::LazyLock;

use acta_app::zone::Zone;
use jiff::{
    Timestamp,
    tz::{TimeZone, TimeZoneDatabase},
};

use crate::error::{Answer, Problem};

static DATABASE: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Names of places, each once: older names of the same zone are understood and not offered.
static OFFERED: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = DATABASE.available().map(|name| name.to_string());
    let offered = |name: &String| {
        name.contains('/') && find(name).is_some_and(|zone| zone.is_primary() && !is_utc(&zone))
    };
    let mut names: Vec<String> = names.filter(offered).collect();
    names.sort_unstable();
    names
});

/// The names that are offered, in their order.
pub fn offered() -> &'static [String] {
    &OFFERED
}

/// The zone of a name as the pages use it; none for UTC and for a name that is not known (any more).
pub fn shown(name: &str) -> Option<Zone> {
    let zone = find(name).filter(|zone| !is_utc(zone))?;
    Some(Zone::new(move |at| {
        // jiff's moments end a day before ours, in 9999.
        let at = Timestamp::from_millisecond(at.unix_ms()).ok()?;
        Some(zone.to_offset(at).seconds())
    }))
}

/// Reads a name as a person typed it, in any case: as the database spells it, or none for UTC.
pub fn parse(typed: &str) -> Answer<Option<String>> {
    let typed = typed.trim();
    if typed.is_empty() {
        return Ok(None);
    }
    let Some(zone) = find(typed) else {
        return Err(Problem::refused("unknown_zone", "the database of time zones does not know this name")
            .field("zone")
            .found(typed)
            .expected("a name of the IANA database, like Europe/Madrid, or nothing for UTC"));
    };
    Ok(zone.iana_name().filter(|_| !is_utc(&zone)).map(str::to_owned))
}

fn find(name: &str) -> Option<TimeZone> {
    DATABASE.get(name).ok().filter(|zone| !zone.is_unknown())
}

/// Whether it is UTC, under whichever name.
fn is_utc(zone: &TimeZone) -> bool {
    zone.primary_iana_name() == Some("UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_the_one_of_its_moment() {
        for (name, at, offset_s) in [
            // A second before, and at, the change to summer time and back.
            ("Europe/Madrid", "2026-03-29T00:59:59.999Z", 3_600),
            ("Europe/Madrid", "2026-03-29T01:00:00Z", 7_200),
            ("Europe/Madrid", "2026-10-25T00:59:59Z", 7_200),
            ("Europe/Madrid", "2026-10-25T01:00:00Z", 3_600),
            // South of the equator it is the other way round; Lord Howe changes by half an hour.
            ("America/Santiago", "2026-01-15T12:00:00Z", -10_800),
            ("America/Santiago", "2026-07-15T12:00:00Z", -14_400),
            ("Australia/Lord_Howe", "2026-01-15T12:00:00Z", 39_600),
            ("Australia/Lord_Howe", "2026-07-15T12:00:00Z", 37_800),
            ("Asia/Kolkata", "2026-11-29T12:00:00Z", 19_800),
            ("Asia/Kathmandu", "2026-11-29T12:00:00Z", 20_700),
            ("Europe/London", "2026-11-29T12:00:00Z", 0),
            ("Africa/Monrovia", "1971-06-01T12:00:00Z", -2_670),
            ("America/New_York", "1970-01-01T00:00:00Z", -18_000),
        ] {
            let zone = shown(name).unwrap_or_else(|| panic!("{name} is not known"));
            assert_eq!(zone.offset_s(at.parse().unwrap()), Some(offset_s), "{name} {at}");
        }
        let last = "9999-12-31T23:59:59.999Z".parse().unwrap();
        assert_eq!(shown("Asia/Kolkata").and_then(|zone| zone.offset_s(last)), None);
    }

    #[test]
    fn what_is_typed_is_kept_as_the_database_spells_it() {
        for (typed, kept) in [
            ("Europe/Madrid", Some("Europe/Madrid")),
            (" europe/madrid ", Some("Europe/Madrid")),
            ("US/Eastern", Some("US/Eastern")),
            ("Etc/GMT+5", Some("Etc/GMT+5")),
            ("", None),
            ("UTC", None),
            ("utc", None),
            ("Etc/UTC", None),
            ("Zulu", None),
        ] {
            assert_eq!(parse(typed).unwrap().as_deref(), kept, "{typed}");
            assert_eq!(shown(typed.trim()).is_some(), kept.is_some(), "{typed}");
        }
        for typed in
            ["Mars/Olympus", "Etc/Unknown", "+01:00", "CEST", "../etc/passwd", "Europe/Madrid\0", "EST5EDT4"]
        {
            let problem = parse(typed).unwrap_err();
            assert_eq!((problem.status, problem.code), (422, "unknown_zone"), "{typed}");
            assert_eq!(problem.field.as_deref(), Some("zone"));
            assert_eq!(problem.found.as_deref(), Some(typed));
            assert!(problem.expected.is_some_and(|expected| expected.contains("Europe/Madrid")));
            assert!(shown(typed).is_none(), "{typed}");
        }
    }

    #[test]
    fn each_name_that_is_offered_is_taken_as_it_stands() {
        assert!(offered().len() > 300, "{}", offered().len());
        assert!(offered().is_sorted());
        for name in offered() {
            assert_eq!(parse(name).unwrap().as_ref(), Some(name));
        }
        let has = |name: &str| offered().iter().any(|offered| offered == name);
        assert!(has("Europe/Madrid") && has("Asia/Kolkata") && !has("Asia/Calcutta") && !has("US/Eastern"));
    }
}
