//! Whose turn it is: the first thing that is missing says who can do something about it.

use serde::{Deserialize, Serialize};

use super::{HoldCause, Missing, RouteState, WayBackLack};
use crate::evidence::{gate::Gate, person::Role, route::CanaryStatus};

/// Who is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "turn")]
pub enum Turn {
    /// Whoever runs the log: entries cannot be shown.
    Operator,
    /// An admin: the route is not set up.
    Admin,
    /// A builder: evidence is missing.
    Builder {
        /// For these gates; empty where a bundle, a canary's plan or a retained bundle is missing.
        gates: Vec<Gate>,
    },
    /// Whoever keeps the runtime: a drill, a canary or a rollback is waited for.
    Runtime,
    /// The owner of a hold.
    HoldOwner {
        /// Who.
        owner: Option<String>,
        /// The hold's entry.
        index: u64,
    },
    /// An approver, to confirm an order.
    Confirmer {
        /// Who ordered it: it takes another person.
        by: String,
        /// The order's entry.
        index: u64,
    },
    /// Approvers.
    Approver {
        /// How many more.
        more: u32,
    },
    /// Nobody: it is rejected, or everything is done.
    Nobody,
}

impl Turn {
    /// Whether it is the turn of this account, by its name or by its role.
    pub fn is_of(&self, account: &str, role: Role) -> bool {
        match self {
            Self::Operator | Self::Admin => role == Role::Admin,
            Self::Builder { .. } | Self::Runtime => role == Role::Builder,
            Self::HoldOwner { owner, .. } => owner.as_deref() == Some(account),
            Self::Confirmer { by, .. } => role == Role::Approver && by != account,
            Self::Approver { .. } => role == Role::Approver,
            Self::Nobody => false,
        }
    }
}

/// Whose turn it is.
pub(super) fn of(state: &RouteState) -> Turn {
    let find = |wanted: fn(&Missing) -> bool| state.missing.iter().find(|missing| wanted(missing));
    if find(|it| matches!(it, Missing::Gap { .. } | Missing::Contradiction { .. })).is_some() {
        return Turn::Operator;
    }
    if find(|it| matches!(it, Missing::Definition)).is_some() {
        return Turn::Admin;
    }
    if find(|it| matches!(it, Missing::Rejected { .. })).is_some() {
        return Turn::Nobody;
    }
    // Somebody wants to go back and waits: nothing is more pressing.
    if let Some(order) = &state.awaiting {
        return Turn::Confirmer { by: order.by.clone(), index: order.entry.index };
    }
    if let Some(hold) = state.holds.first() {
        return if hold.cause == HoldCause::RollbackInProgress {
            Turn::Runtime
        } else {
            let owner = hold.terms.as_ref().map(|terms| terms.owner.clone()).or_else(|| hold.by.clone());
            Turn::HoldOwner { owner, index: hold.entry.index }
        };
    }
    let closed = |missing: &Missing| match missing {
        Missing::Gate { gate, .. } => Some(*gate),
        _ => None,
    };
    let gates: Vec<Gate> = state.missing.iter().filter_map(closed).collect();
    let builders = |it: &Missing| {
        use WayBackLack::{Damaged, NotRetained, Purged, RetentionEnded};
        let lack = match it {
            Missing::Bundle | Missing::CanaryPlan | Missing::CanaryFailed { .. } => return true,
            Missing::WayBack { lack } => lack,
            _ => return false,
        };
        matches!(lack, NotRetained | Purged | Damaged | RetentionEnded { .. })
    };
    if !gates.is_empty() || find(builders).is_some() {
        return Turn::Builder { gates };
    }
    if find(|it| matches!(it, Missing::WayBack { .. })).is_some() {
        return Turn::Runtime;
    }
    if let Some(Missing::Approvals { counted, needed }) = find(|it| matches!(it, Missing::Approvals { .. })) {
        return Turn::Approver { more: needed - counted };
    }
    let is_live =
        state.live.as_ref().and_then(|live| live.bundle) == state.record.bundle_digest.map(|it| it.0);
    if is_live && state.record.canary_status == CanaryStatus::Pass { Turn::Nobody } else { Turn::Runtime }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_turn_it_is_by_name_and_role() {
        use Role::{Admin, Approver, Auditor, Builder, Reviewer};
        let hold = |owner: Option<&str>| Turn::HoldOwner { owner: owner.map(str::to_owned), index: 7 };
        let confirm = Turn::Confirmer { by: "ana".to_owned(), index: 7 };
        let all = [Builder, Reviewer, Approver, Auditor, Admin];
        for (turn, roles) in [
            (Turn::Operator, &[Admin][..]),
            (Turn::Admin, &[Admin]),
            (Turn::Builder { gates: Vec::new() }, &[Builder]),
            (Turn::Runtime, &[Builder]),
            (Turn::Approver { more: 1 }, &[Approver]),
            (confirm.clone(), &[Approver]),
            (hold(Some("ben")), &all),
            (hold(Some("ana")), &[]),
            (hold(None), &[]),
            (Turn::Nobody, &[]),
        ] {
            for role in all {
                assert_eq!(turn.is_of("ben", role), roles.contains(&role), "{turn:?} {role:?}");
            }
        }
        assert!(!confirm.is_of("ana", Approver), "not the person who ordered it");
    }
}
