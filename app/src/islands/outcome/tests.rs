//! What a reader is told.

use acta_ledger::log::{
    digest::Sha256Digest,
    verification::{CheckKind, Report},
};

use super::{super::verdict::Keys, *};

fn texts() -> Texts {
    let text = |name: &str| format!("{name} {{index}} {{reason}} {{size}} {{old}} {{date}}");
    Texts {
        kinds: ["signature", "inclusion", "tree head"].map(str::to_owned),
        continuity: "continuity".to_owned(),
        keys: "keys".to_owned(),
        figure: "{holds} of {of}".to_owned(),
        by_server: "server".to_owned(),
        by_browser: "browser".to_owned(),
        by_nobody: "nobody".to_owned(),
        lead_server: "lead server".to_owned(),
        lead_good: "lead good".to_owned(),
        lead_bad: "entry {index}: {reason}".to_owned(),
        unfetched: "unfetched {index} {reason}".to_owned(),
        first: text("first"),
        same: text("same"),
        grown: text("grown"),
        not_continued: text("not continued"),
        truncated: "truncated {size} {old}".to_owned(),
        forked: "forked {size}".to_owned(),
        unknown: "unknown".to_owned(),
        keys_changed: "changed since {date}".to_owned(),
        forget: "forget".to_owned(),
    }
}

fn claim() -> Claim {
    let keys = Keys { log: "log".to_owned(), portal: "portal".to_owned() };
    Claim { index: 7, digest: Sha256Digest::of(b"entry"), keys }
}

fn memory() -> Memory {
    Memory {
        log_key: "log".to_owned(),
        portal_key: "portal".to_owned(),
        first_seen: "2026-11-03".to_owned(),
        size: 5,
        root: Sha256Digest::of(b"root"),
    }
}

fn findings(broken: Option<CheckKind>, continuity: Continuity) -> Findings {
    let kinds = [CheckKind::Signature, CheckKind::Inclusion, CheckKind::TreeHead];
    let checks = kinds.map(|kind| {
        let holds = broken != Some(kind);
        Check { kind, holds, detail: if holds { "fine" } else { "entry 7: no" }.to_owned() }
    });
    let report = Report { index: 7, checks: checks.to_vec(), signer: None, tree_size: Some(9) };
    let head = Some((9, Sha256Digest::of(b"new")));
    Findings { report, keys_changed: false, mismatch: None, head, continuity }
}

fn lead(outcome: &Outcome) -> (&str, bool) {
    match outcome {
        Outcome::Bad { lead, forgettable, .. } => (lead, *forgettable),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_holds_is_good_and_the_first_sight_counts_for_nothing() {
    for (continuity, continued, mark) in [
        (Continuity::First, Ok(()), State::Neutral),
        (Continuity::Same, Ok(()), State::Good),
        (Continuity::Grown, Ok(()), State::Good),
    ] {
        let outcome = conclude(&texts(), &claim(), &findings(None, continuity), Some(&memory()), continued);
        let Outcome::Good(lines) = &outcome else { panic!("{outcome:?}") };
        assert_eq!((lines.len(), lines[3].state, outcome.word()), (4, mark, "good"));
    }
}

#[test]
fn a_failure_names_the_entry_and_the_reason() {
    let found = findings(Some(CheckKind::Signature), Continuity::Same);
    let outcome = conclude(&texts(), &claim(), &found, Some(&memory()), Ok(()));
    assert_eq!(lead(&outcome), ("entry 7: signature: entry 7: no", false));
    assert_eq!(outcome.word(), "bad");
    let outcome = unfetched(&texts(), &claim(), "/x: 404");
    assert_eq!(lead(&outcome), ("unfetched 7 /x: 404", false));
}

#[test]
fn an_entry_that_holds_in_a_log_that_does_not_is_bad() {
    for (continuity, continued, expected) in [
        (Continuity::Truncated, Ok(()), "entry 7: truncated 9 5"),
        (Continuity::Forked, Ok(()), "entry 7: forked 9"),
        (Continuity::Grown, Err("no".to_owned()), "entry 7: not continued {index} no 9 5 {date}"),
    ] {
        let outcome = conclude(&texts(), &claim(), &findings(None, continuity), Some(&memory()), continued);
        assert_eq!(lead(&outcome), (expected, true));
    }
}

#[test]
fn changed_keys_come_before_everything_that_follows_from_them() {
    let found = Findings { keys_changed: true, ..findings(Some(CheckKind::TreeHead), Continuity::Unknown) };
    let outcome = conclude(&texts(), &claim(), &found, Some(&memory()), Ok(()));
    assert_eq!(lead(&outcome), ("entry 7: changed since 2026-11-03", true));
}

#[test]
fn what_the_page_shows_must_be_what_was_verified() {
    let found =
        Findings { mismatch: Some("the page shows x".to_owned()), ..findings(None, Continuity::Same) };
    let outcome = conclude(&texts(), &claim(), &found, Some(&memory()), Ok(()));
    assert_eq!(lead(&outcome), ("entry 7: inclusion: the page shows x", false));
}
