//! What is missing, what speaks against it and why: each as a clause that can stand behind a colon.

use acta_ledger::{
    evidence::{
        code,
        decision::Incomplete,
        pin::{Pin, PinChange},
    },
    judge::{
        gate::GateReason,
        route::{Missing, Objection, OutdatedCause, WayBackLack},
    },
    log::digest::Sha256Digest,
};

use crate::{
    components::{layout::capitalised, moment},
    format::{count, short},
    i18n::Lang,
};

/// Somebody of whom a clause speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Whoever reads.
    You,
    /// Somebody else.
    They,
}

/// A clause as a sentence.
pub fn sentence(clause: &str) -> String {
    format!("{}.", capitalised(clause))
}

/// Things in a row: "1, 4 and 5".
pub fn listed(things: &[String], lang: Lang) -> String {
    match things {
        [] => String::new(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} {} {last}", most.join(", "), lang.t("and")),
    }
}

/// What is missing; `way` is the bundle that the way back leads to.
pub fn missing(missing: &Missing, way: Option<Sha256Digest>, lang: Lang) -> String {
    let index = |index: u64| count(index, lang);
    match missing {
        Missing::Gap { from, to } => {
            let last = to.saturating_sub(1);
            lang.tr("missing-gap", [("from", index(*from).into()), ("to", index(last).into())])
        }
        Missing::Contradiction { index: at } => {
            lang.tr("missing-contradiction", [("index", index(*at).into())])
        }
        Missing::Definition => lang.t("missing-definition"),
        Missing::Bundle => lang.t("missing-bundle"),
        Missing::Gate { gate, state } => {
            let values = [("gate", gate.to_string().into()), ("state", code(state).into())];
            lang.tr("missing-gate", values)
        }
        Missing::CanaryPlan => lang.t("missing-canary-plan"),
        Missing::CanaryFailed { index: at } => {
            lang.tr("missing-canary-failed", [("index", index(*at).into())])
        }
        Missing::WayBack { lack: it } => lang.tr("missing-way-back", [("lack", lack(it, way, lang).into())]),
        Missing::Hold { index: at, cause } => {
            let values = [("cause", code(cause).into()), ("index", index(*at).into())];
            lang.tr("missing-hold", values)
        }
        Missing::Rejected { index: at } => lang.tr("missing-rejected", [("index", index(*at).into())]),
        Missing::Approvals { counted, needed } => {
            lang.tr("missing-approvals", [("counted", (*counted).into()), ("needed", (*needed).into())])
        }
    }
}

/// What the way back to a bundle lacks.
pub fn lack(lack: &WayBackLack, bundle: Option<Sha256Digest>, lang: Lang) -> String {
    let bundle = || ("bundle", bundle.map_or_else(|| "?".to_owned(), |it| it.short()).into());
    match lack {
        WayBackLack::NotRetained => lang.tr("lack-not-retained", [bundle()]),
        WayBackLack::Purged => lang.tr("lack-purged", [bundle()]),
        WayBackLack::Damaged => lang.tr("lack-damaged", [bundle()]),
        WayBackLack::RetentionEnded { at } => {
            lang.tr("lack-retention-ended", [bundle(), ("at", moment::words(*at, lang).into())])
        }
        WayBackLack::OtherConfig => lang.t("lack-other-config"),
        WayBackLack::NeverDrilled => lang.tr("lack-never-drilled", [bundle()]),
        WayBackLack::DrillFailed { index } => {
            lang.tr("lack-drill-failed", [bundle(), ("index", count(*index, lang).into())])
        }
        WayBackLack::DrillStale { at } => {
            lang.tr("lack-drill-stale", [bundle(), ("at", moment::words(*at, lang).into())])
        }
        WayBackLack::DrillOtherTarget { found } => {
            lang.tr("lack-drill-other-target", [bundle(), ("found", short(found, 80).into())])
        }
        WayBackLack::DrillNotVerified => lang.tr("lack-drill-not-verified", [bundle()]),
        WayBackLack::DrillOutdated { changes } => {
            let changes: Vec<String> = changes.iter().map(|it| pin_change(it, lang)).collect();
            lang.tr("lack-drill-outdated", [bundle(), ("changes", listed(&changes, lang).into())])
        }
    }
}

/// Why a decision does not count, or would not.
pub fn objection(objection: &Objection, who: Who, lang: Lang) -> String {
    let who = || ("who", if who == Who::You { "you" } else { "they" }.into());
    let index = |index: &u64| ("index", count(*index, lang).into());
    match objection {
        Objection::NotSignedByPortal => lang.t("objection-not-signed-by-portal"),
        Objection::NotApprover => lang.tr("objection-not-approver", [who()]),
        Objection::IsAdmin => lang.tr("objection-is-admin", [who()]),
        Objection::NotListed => lang.tr("objection-not-listed", [who()]),
        Objection::NotSteppedUp => lang.tr("objection-not-stepped-up", [who()]),
        Objection::Involved { index: at } => lang.tr("objection-involved", [who(), index(at)]),
        Objection::Incomplete { lacks } => {
            lang.tr("objection-incomplete", [("lacks", incomplete(lacks, lang).into())])
        }
        Objection::SeenFuture => lang.t("objection-seen-future"),
        Objection::HoldInForce { index: at } => lang.tr("objection-hold-in-force", [index(at)]),
        Objection::NotSeen { index: at } => lang.tr("objection-not-seen", [who(), index(at)]),
        Objection::NotNamed { gate } => lang.tr("objection-not-named", [("gate", gate.to_string().into())]),
        Objection::Outdated { cause: why } => {
            lang.tr("objection-outdated", [("cause", cause(why, lang).into())])
        }
        Objection::OverridesNotAllowed => lang.t("objection-overrides-not-allowed"),
        Objection::NotConfirmed => lang.t("objection-not-confirmed"),
        Objection::SamePerson => lang.tr("objection-same-person", [who()]),
        Objection::NothingToConfirm => lang.t("objection-nothing-to-confirm"),
        Objection::Expired { at } => lang.tr("objection-expired", [("at", moment::words(*at, lang).into())]),
    }
}

/// What a decision lacks, in a row.
pub fn incomplete(lacks: &[Incomplete], lang: Lang) -> String {
    let words: Vec<String> = lacks.iter().map(|lack| lang.code_text("incomplete", &code(lack))).collect();
    listed(&words, lang)
}

/// Why an approval no longer fits.
pub fn cause(cause: &OutdatedCause, lang: Lang) -> String {
    let index = |index: &u64| ("index", count(*index, lang).into());
    match cause {
        OutdatedCause::Pin { change, index: at } => {
            lang.tr("outdated-pin", [("change", pin_change(change, lang).into()), index(at)])
        }
        OutdatedCause::Evidence { gate, index: at } => {
            lang.tr("outdated-evidence", [("gate", gate.to_string().into()), index(at)])
        }
        OutdatedCause::Definition { index: at } => lang.tr("outdated-definition", [index(at)]),
    }
}

/// Why a gate is not satisfied.
pub fn reason(reason: &GateReason, lang: Lang) -> String {
    let check = |check: &str| ("check", short(check, 80).into());
    match reason {
        GateReason::NoRecord => lang.t("reason-no-record"),
        GateReason::CheckMissing { check: it } => lang.tr("reason-check-missing", [check(it)]),
        GateReason::CheckNotPassed { check: it, verdict } => {
            lang.tr("reason-check-not-passed", [check(it), ("verdict", code(verdict).into())])
        }
        GateReason::CheckMustApply { check: it } => lang.tr("reason-check-must-apply", [check(it)]),
        GateReason::VendorClaim { check: it } => lang.tr("reason-vendor-claim", [check(it)]),
        GateReason::NotMeasured { check: it } => lang.tr("reason-not-measured", [check(it)]),
        GateReason::Unexplained { check: it } => lang.tr("reason-unexplained", [check(it)]),
        GateReason::Simulated => lang.t("reason-simulated"),
        GateReason::OtherTarget { found: Some(found), expected } => {
            let values = [("found", short(found, 80).into()), ("expected", short(expected, 80).into())];
            lang.tr("reason-other-target", values)
        }
        GateReason::OtherTarget { found: None, expected } => {
            lang.tr("reason-other-target-none", [("expected", short(expected, 80).into())])
        }
        GateReason::BeforeGate { gate } => lang.tr("reason-before-gate", [("gate", gate.to_string().into())]),
        GateReason::PinDiffers(change) => changed("pin-differs", change, lang),
        GateReason::PinNotObserved { pin: it } => {
            lang.tr("reason-pin-not-observed", [("pin", pin(*it, lang).into())])
        }
    }
}

/// A pinned fact's name inside a sentence.
pub fn pin(pin: Pin, lang: Lang) -> String {
    lang.code_text("pin", &code(&pin))
}

/// A pinned fact that is another now.
pub fn pin_change(change: &PinChange, lang: Lang) -> String {
    changed("pin-change", change, lang)
}

fn changed(key: &str, change: &PinChange, lang: Lang) -> String {
    let value =
        |value: &Option<String>| value.as_ref().map_or_else(|| lang.t("pin-none"), |it| short(it, 60));
    lang.tr(
        key,
        [
            ("pin", pin(change.pin, lang).into()),
            ("before", value(&change.before).into()),
            ("after", value(&change.after).into()),
        ],
    )
}

#[cfg(test)]
mod tests;
