//! Decisions on a route (`urn:acta:route-decision:v1`): each is an entry of its own, bound to one bundle, to the evidence
//! it rests on and to the tree head that the person saw.

use serde::{Deserialize, Serialize};

use super::{gate::Gate, person::Signatory, route::BundleDigest};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// One person's word that the bundle may be served.
    Approve,
    /// Not now.
    Hold,
    /// Not on this route.
    Reject,
    /// One person's word that a gate may be passed without its evidence; it takes two.
    Override,
    /// A hold no longer stands.
    LiftHold,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// A custom kernel is not reviewed or not owned.
    CustomKernel,
    /// A TVM-FFI boundary is not reviewed or not owned.
    TvmFfiBoundary,
    /// Precision or quantization changed.
    PrecisionChange,
    /// It was not shown on the target.
    Portability,
    /// Evidence is missing.
    MissingEvidence,
    /// The licence does not allow the use, or is not clear.
    Licence,
    /// Remote code or pickle weights.
    RemoteCode,
    /// The outputs are not those of the reference.
    Parity,
    /// Latency, throughput or memory.
    Performance,
    /// The canary.
    Canary,
    /// The way back.
    Rollback,
    /// A vulnerability, a signature or a scan.
    Security,
    /// A pinned fact changed.
    PinChanged,
    /// What was missing is there now.
    Resolved,
    /// What the text says.
    Other,
}

/// The tree head that the person saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeenHead {
    /// Which log.
    pub origin: String,
    /// How many entries it had: entries from this index on were not seen.
    pub size: u64,
    /// The root over them.
    pub root: Sha256Digest,
}

/// What belongs to a hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HoldTerms {
    /// Who sees to it, by account.
    pub owner: String,
    /// When it is looked at again.
    pub review_at: Timestamp,
}

/// What belongs to an override.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OverrideTerms {
    /// Which gates.
    pub gates: Vec<Gate>,
    /// Until when.
    pub expires_at: Timestamp,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RouteDecision {
    /// The route.
    pub route: String,
    /// The bundle.
    pub bundle_digest: BundleDigest,
    /// What was decided.
    pub decision: DecisionKind,
    /// The leaf hashes of the entries that it rests on.
    pub evidence: Vec<Sha256Digest>,
    /// The tree head that the person saw.
    pub seen: SeenHead,
    /// Why, as a code; hold, reject and override need it.
    pub reason_code: Option<ReasonCode>,
    /// Why, in words; hold, reject, override and lift need it.
    pub text: Option<String>,
    /// Who decided, and how they had signed in.
    pub by: Signatory,
    /// When.
    pub at: Timestamp,
    /// Owner and review date; a hold needs them.
    pub hold: Option<HoldTerms>,
    /// Gates and expiry; an override needs them.
    #[serde(rename = "override")]
    pub overrides: Option<OverrideTerms>,
}

impl Predicate for RouteDecision {
    const TYPE: &'static str = "urn:acta:route-decision:v1";
}

/// What a decision lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Incomplete {
    /// A reason code.
    #[error("a reason code is needed")]
    ReasonCode,
    /// Words.
    #[error("a reason in words is needed")]
    Text,
    /// An owner and a review date in the future.
    #[error("a hold needs an owner and a review date after the decision")]
    HoldTerms,
    /// Gates and an expiry in the future.
    #[error("an override needs at least one gate and an expiry after the decision")]
    OverrideTerms,
    /// Evidence.
    #[error("an approval needs the entries that it rests on")]
    Evidence,
}

impl RouteDecision {
    /// Everything that the decision lacks.
    pub fn lacks(&self) -> Vec<Incomplete> {
        use DecisionKind::{Approve, Hold, LiftHold, Override, Reject};
        let kind = self.decision;
        let words = self.text.as_ref().is_some_and(|text| !text.trim().is_empty());
        let hold = self.hold.as_ref().is_some_and(|hold| !hold.owner.is_empty() && hold.review_at > self.at);
        let overrides =
            self.overrides.as_ref().is_some_and(|it| !it.gates.is_empty() && it.expires_at > self.at);
        [
            (matches!(kind, Hold | Reject | Override) && self.reason_code.is_none(), Incomplete::ReasonCode),
            (matches!(kind, Hold | Reject | Override | LiftHold) && !words, Incomplete::Text),
            (kind == Hold && !hold, Incomplete::HoldTerms),
            (kind == Override && !overrides, Incomplete::OverrideTerms),
            (kind == Approve && self.evidence.is_empty(), Incomplete::Evidence),
        ]
        .into_iter()
        .filter_map(|(lacks, what)| lacks.then_some(what))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::person::{Role, SignIn};

    fn decision(kind: DecisionKind) -> RouteDecision {
        let at: Timestamp = "2026-11-29T10:00:00Z".parse().unwrap();
        RouteDecision {
            route: "a".to_owned(),
            bundle_digest: BundleDigest(Sha256Digest([1; 32])),
            decision: kind,
            evidence: vec![Sha256Digest([2; 32])],
            seen: SeenHead { origin: "acta.test/log".to_owned(), size: 3, root: Sha256Digest([3; 32]) },
            reason_code: Some(ReasonCode::Licence),
            text: Some("not clear".to_owned()),
            by: Signatory {
                account: "ana".to_owned(),
                roles: vec![Role::Approver],
                signed_in_with: SignIn::Password,
                signed_in_at: at,
                stepped_up_at: Some(at),
            },
            at,
            hold: Some(HoldTerms { owner: "ben".to_owned(), review_at: at.plus_ms(1).unwrap() }),
            overrides: Some(OverrideTerms { gates: vec![Gate::Parity], expires_at: at.plus_ms(1).unwrap() }),
        }
    }

    #[test]
    fn what_each_decision_needs() {
        use DecisionKind::{Approve, Hold, LiftHold, Override, Reject};
        for kind in [Approve, Hold, Reject, Override, LiftHold] {
            assert_eq!(decision(kind).lacks(), [], "{kind:?}");
        }
        let bare = |kind| {
            RouteDecision {
                reason_code: None,
                text: Some("  ".to_owned()),
                hold: None,
                overrides: None,
                evidence: Vec::new(),
                ..decision(kind)
            }
            .lacks()
        };
        assert_eq!(bare(Approve), [Incomplete::Evidence]);
        assert_eq!(bare(Hold), [Incomplete::ReasonCode, Incomplete::Text, Incomplete::HoldTerms]);
        assert_eq!(bare(Reject), [Incomplete::ReasonCode, Incomplete::Text]);
        assert_eq!(bare(Override), [Incomplete::ReasonCode, Incomplete::Text, Incomplete::OverrideTerms]);
        assert_eq!(bare(LiftHold), [Incomplete::Text]);
    }

    #[test]
    fn a_decision_names_its_bundle_with_the_algorithm() {
        let json = serde_json::to_value(decision(DecisionKind::LiftHold)).unwrap();
        assert_eq!(json["bundleDigest"], format!("sha256:{}", "01".repeat(32)));
        assert_eq!((&json["decision"], &json["reasonCode"]), (&"lift_hold".into(), &"licence".into()));
        assert_eq!(json["override"]["gates"][0], 4);
        assert_eq!(serde_json::from_value::<RouteDecision>(json).unwrap(), decision(DecisionKind::LiftHold));
    }
}
