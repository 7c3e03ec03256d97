//! Memory while a bundle is read: flat in the file's length, and never led by a length that is merely claimed.

#[expect(dead_code, reason = "a support file that several test programs share")]
#[path = "../../tests/support/bundle.rs"]
mod support;

use std::{
    fs,
    io::{self, Read},
};

use acta_ledger::evidence::bundle::{MAX_SECTIONS, Rule, Verdict, inspect};
use support::{BundleWriter, assemble, with_header_length};

/// The most memory that this process ever had, in KiB; none where the system does not say it.
fn peak_kib() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.parse().ok()
}

/// Runs `work` and says by how many KiB the peak grew.
fn growth(work: impl FnOnce()) -> u64 {
    let before = peak_kib();
    work();
    before.zip(peak_kib()).map_or(0, |(before, after)| after - before)
}

/// One test, so that nothing else moves the peak.
#[test]
fn memory_follows_what_is_there() {
    // A plan of 256 MiB that exists nowhere.
    let plan = 256 << 20;
    let header = format!(
        r#"{{"format":1,"family":"a","task":"b","backend":"c","sections":{{"engine_plan":{{"offset":0,"length":{plan}}}}}}}"#
    );
    let start = assemble(&header, b"vtrt");
    let length = start.len() as u64 - 4 + plan;
    let grown = growth(|| {
        let file = start.chain(io::repeat(0)).take(length);
        let it = inspect(file, length).unwrap();
        assert_eq!(it.verdict, Verdict::Valid);
        assert!(it.clean && it.sections[0].digest.is_some());
    });
    assert!(grown < 4 << 10, "a large plan: {grown} KiB");

    // Claims of 100 MiB, 2^63 and 2^64 - 1 bytes in a file of a few hundred.
    let small = BundleWriter::a().write();
    let grown = growth(|| {
        for claimed in [100 << 20, 1 << 63, u64::MAX] {
            let file = with_header_length(small.clone(), claimed);
            assert_eq!(inspect(&file[..], file.len() as u64).unwrap().verdict, Verdict::Invalid);
        }
        for claimed in ["1099511627776", "9223372036854775807", "18446744073709551615"] {
            let file = BundleWriter::a().write_edited(r#""size":21"#, &format!(r#""size":{claimed}"#));
            assert_eq!(inspect(&file[..], file.len() as u64).unwrap().verdict, Verdict::Invalid);
        }
    });
    assert!(grown < 1 << 10, "claimed lengths: {grown} KiB");

    // A header of 64 MiB of values is checked, not kept.
    let filler = "7,".repeat(32 << 20);
    let header = format!(r#"{{"defaults":[{filler}7],"sections":{{}}}}"#);
    drop(filler);
    let file = assemble(&header, b"");
    drop(header);
    let grown = growth(|| {
        let it = inspect(&file[..], file.len() as u64).unwrap();
        assert_eq!(it.verdict, Verdict::Valid);
    });
    assert!(grown < 8 << 10, "a large header: {grown} KiB");
    drop(file);

    // A table with one section more than is taken.
    let table: Vec<String> =
        (0..=MAX_SECTIONS).map(|i| format!(r#""s{i}":{{"offset":0,"size":0}}"#)).collect();
    let file = assemble(&format!(r#"{{"sections":{{{}}}}}"#, table.join(",")), b"");
    let grown = growth(|| {
        assert!(inspect(&file[..], file.len() as u64).unwrap().breaks(Rule::TooManySections));
    });
    assert!(grown < 32 << 10, "too many sections: {grown} KiB");
}
