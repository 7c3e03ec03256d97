//! What is done next: pure functions of the journal, of what is on disk and of what the server lists.

use acta_ledger::{
    evidence::rollback::{OrderAction, RollbackOrder, RollbackStep},
    judge::route::{Objection, confirmation_objections},
};
use serde::Deserialize;
use uuid::Uuid;

use super::journal::{Journal, Task};

/// What there is to see beside the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Seen<'a> {
    /// Where the link leads; in a drill, the scratch folder's.
    pub live: Option<&'a str>,
    /// Whether this process has read the version and found it whole.
    pub verified: bool,
    /// Whether a newer order waits.
    pub superseded: bool,
    /// Whether there is a scratch folder.
    pub scratch: bool,
}

/// What is done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Sign the step.
    Report(RollbackStep),
    /// End it, because a newer order came before it was begun.
    Supersede,
    /// See that the version stands there whole.
    Prepare,
    /// Point the link at it.
    Switch,
    /// Run the health command.
    CheckHealth,
    /// Point the link at what was live before.
    GoBack,
    /// Remove the scratch folder.
    CleanUp,
    /// Nothing is left to do.
    Close,
}

/// What is done next about an order.
pub fn next(task: &Task, seen: Seen<'_>) -> Next {
    use RollbackStep::{Acknowledged, Failed, Requested, Restored};
    let is_drill = task.order.action == OrderAction::Drill;
    let stands = task.version.is_some() && seen.live == task.version.as_deref();
    if let Some(outcome) = &task.outcome {
        let changed = stands && task.previous != task.version;
        return match outcome.step {
            _ if is_drill && seen.scratch && !task.undone => Next::CleanUp,
            step if task.has_told(step) => Next::Close,
            Failed if !is_drill && changed && !task.undone => Next::GoBack,
            step => Next::Report(step),
        };
    }
    if seen.superseded && !task.has_told(Acknowledged) {
        Next::Supersede
    } else if !task.has_told(Requested) {
        Next::Report(Requested)
    } else if !seen.verified {
        Next::Prepare
    } else if !task.has_told(Acknowledged) {
        Next::Report(Acknowledged)
    } else if !stands {
        Next::Switch
    } else if !task.has_told(Restored) {
        Next::Report(Restored)
    } else {
        Next::CheckHealth
    }
}

/// An order as the server lists it: by its entry, which is read and verified before anything is done.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Listed {
    /// The entry.
    pub entry: u64,
    /// What it says of itself.
    pub order: Named,
}

/// What names an order.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Named {
    /// Its id.
    pub order: Uuid,
    /// What it is for.
    pub action: OrderAction,
}

/// Why an entry that is listed as an order is not carried out; none where it may be. Whether the order needs a second
/// person stands in the order itself, which the portal signed: the list is only a hint of where to look.
pub fn why_not(listed: &Listed, route: &str, order: &RollbackOrder) -> Option<String> {
    if order.order != listed.order.order || order.route != route {
        let (is, of) = (order.order, &order.route);
        return Some(format!(
            "is listed as order {} for {route} and is order {is} for {of}",
            listed.order.order
        ));
    }
    let objections = confirmation_objections(order);
    let why = match objections.first()? {
        Objection::NotConfirmed => "nobody has".to_owned(),
        Objection::SamePerson => "it is confirmed by the person who ordered it".to_owned(),
        other => {
            format!("its confirmation does not count: {}", serde_json::to_string(other).unwrap_or_default())
        }
    };
    Some(format!("is an order that a second person must confirm, and {why}"))
}

/// Which order is taken, and whether it is refused because a newer one came.
pub fn choose<'a>(open: &'a [Listed], journal: &Journal) -> Option<(&'a Listed, bool)> {
    let waits = || open.iter().filter(|listed| !journal.settled.contains(&listed.order.order));
    let changes = || waits().filter(|listed| listed.order.action != OrderAction::Drill);
    // The newest one that changes what is live comes first: a drill can wait.
    let newest = changes().filter(|listed| Some(listed.entry) > journal.newest).max_by_key(|it| it.entry);
    let older = || changes().min_by_key(|listed| listed.entry).map(|listed| (listed, true));
    let drill = || waits().min_by_key(|listed| listed.entry).map(|listed| (listed, false));
    newest.map(|listed| (listed, false)).or_else(older).or_else(drill)
}

/// Whether an order that changes what is live came after the one that is being worked on.
pub fn is_superseded(task: &Task, open: &[Listed], journal: &Journal) -> bool {
    open.iter().any(|listed| {
        listed.order.action != OrderAction::Drill
            && listed.entry > task.entry
            && Some(listed.entry) > journal.newest
            && !journal.settled.contains(&listed.order.order)
    })
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::rollback::{RollbackFailure, RollbackStep::*};

    use super::{super::portal::testing::order, *};

    fn listed(entry: u64, action: OrderAction) -> Listed {
        Listed { entry, order: Named { order: Uuid::from_u128(entry.into()), action } }
    }

    #[test]
    fn the_table_of_next_steps() {
        let (a, b) = ("a", "b");
        let before = Seen { live: Some(a), ..Seen::default() };
        let verified = Seen { verified: true, ..before };
        let after = Seen { live: Some(b), ..verified };
        let unverified = Seen { verified: false, ..after };
        let superseded = Seen { superseded: true, ..before };
        let told: [&[RollbackStep]; 4] =
            [&[], &[Requested], &[Requested, Acknowledged], &[Requested, Acknowledged, Restored]];
        for (steps, seen, expected) in [
            (told[0], before, Next::Report(Requested)),
            (told[0], superseded, Next::Supersede),
            (told[1], superseded, Next::Supersede),
            (told[1], before, Next::Prepare),
            (told[1], verified, Next::Report(Acknowledged)),
            (told[2], before, Next::Prepare),
            (told[2], Seen { superseded: true, ..verified }, Next::Switch),
            (told[2], verified, Next::Switch),
            (told[2], unverified, Next::Prepare),
            (told[2], after, Next::Report(Restored)),
            (told[3], unverified, Next::Prepare),
            (told[3], after, Next::CheckHealth),
            (told[3], verified, Next::Switch),
        ] {
            let mut task = Task::new(1, order(1, OrderAction::Deploy, b"b"), order_at(), Some(a.to_owned()));
            task.reported = steps.to_vec();
            task.version = Some(b.to_owned());
            assert_eq!(next(&task, seen), expected, "{steps:?} {seen:?}");
        }
    }

    fn order_at() -> acta_ledger::log::timestamp::Timestamp {
        "2026-11-29T10:00:00Z".parse().unwrap()
    }

    #[test]
    fn the_table_of_endings() {
        let (was, new) =
            (Seen { live: Some("a"), ..Seen::default() }, Seen { live: Some("b"), ..Seen::default() });
        let scratch = Seen { scratch: true, ..new };
        for (action, step, told, undone, seen, expected) in [
            (OrderAction::Rollback, Refused, false, false, was, Next::Report(Refused)),
            (OrderAction::Rollback, Refused, true, false, was, Next::Close),
            (OrderAction::Rollback, Failed, false, false, new, Next::GoBack),
            (OrderAction::Rollback, Failed, false, true, new, Next::Report(Failed)),
            (OrderAction::Rollback, Failed, false, false, was, Next::Report(Failed)),
            (OrderAction::Rollback, Failed, true, false, was, Next::Close),
            (OrderAction::Rollback, Verified, false, false, new, Next::Report(Verified)),
            (OrderAction::Rollback, Verified, true, false, new, Next::Close),
            (OrderAction::Drill, Verified, false, false, scratch, Next::CleanUp),
            (OrderAction::Drill, Verified, true, false, scratch, Next::CleanUp),
            (OrderAction::Drill, Failed, false, false, scratch, Next::CleanUp),
            (OrderAction::Drill, Failed, false, false, new, Next::Report(Failed)),
            (OrderAction::Drill, Verified, false, true, scratch, Next::Report(Verified)),
        ] {
            let mut task = Task::new(1, order(1, action, b"b"), order_at(), Some("a".to_owned()));
            task.version = Some("b".to_owned());
            task.undone = undone;
            task.reported = if step == Refused { vec![Requested] } else { vec![Requested, Acknowledged] };
            task.fail(RollbackFailure::Unhealthy, String::new());
            let outcome = task.outcome.as_mut().unwrap();
            assert!(
                outcome.step == step || step == Verified,
                "a failure before it was acknowledged is a refusal"
            );
            outcome.step = step;
            task.reported.extend(told.then_some(step));
            assert_eq!(next(&task, seen), expected, "{action:?} {step:?} {told} {undone} {seen:?}");
        }
        let mut same = Task::new(1, order(1, OrderAction::Deploy, b"b"), order_at(), Some("b".to_owned()));
        same.version = Some("b".to_owned());
        same.reported = vec![Acknowledged];
        same.fail(RollbackFailure::Unhealthy, String::new());
        assert_eq!(next(&same, new), Next::Report(Failed), "there is no other to go back to");
    }

    #[test]
    fn only_a_confirmed_order_of_this_route_is_carried_out() {
        use acta_ledger::evidence::person::{Role, Signatory};
        let person = |account: &str, role| Signatory {
            account: account.to_owned(),
            roles: vec![role],
            stepped_up_at: Some(order_at()),
            ..order(1, OrderAction::Rollback, b"b").by
        };
        let ordered_by = order(1, OrderAction::Rollback, b"b").by.account;
        for (needs, second, route, expected) in [
            (false, None, "mini", None),
            (false, None, "other", Some("for other")),
            (true, None, "mini", Some("and nobody has")),
            (true, Some(person(&ordered_by, Role::Approver)), "mini", Some("person who ordered it")),
            (true, Some(person("rita", Role::Reviewer)), "mini", Some("not_approver")),
            (true, Some(person("rita", Role::Approver)), "mini", None),
        ] {
            let listed = listed(1, OrderAction::Rollback);
            let mut order = order(1, OrderAction::Rollback, b"b");
            (order.needs_confirmation, order.confirmed_by) = (needs, second);
            let why = why_not(&listed, route, &order);
            assert_eq!(why.is_some(), expected.is_some(), "{why:?}");
            assert!(why.unwrap_or_default().contains(expected.unwrap_or_default()));
        }
    }

    #[test]
    fn the_newest_order_comes_first_and_older_ones_are_superseded() {
        use OrderAction::{Deploy, Drill, Rollback};
        let open = [listed(3, Deploy), listed(4, Drill), listed(5, Rollback), listed(6, Drill)];
        let mut journal = Journal::default();
        let mut taken = Vec::new();
        while let Some((listed, superseded)) = choose(&open, &journal) {
            taken.push((listed.entry, superseded));
            journal.settle(listed.order.order);
            if listed.order.action != Drill && !superseded {
                journal.newest = Some(listed.entry);
            }
        }
        assert_eq!(taken, [(5, false), (3, true), (4, false), (6, false)]);
        let again = [listed(2, Deploy)];
        assert_eq!(choose(&again, &journal), Some((&again[0], true)), "an old order that is listed again");
        let mut task = Task::new(5, order(5, Drill, b"b"), order_at(), None);
        assert!(!is_superseded(&task, &open, &journal));
        assert!(is_superseded(&task, &[listed(7, Deploy)], &journal));
        assert!(!is_superseded(&task, &[listed(7, Drill)], &journal));
        task.entry = 8;
        assert!(!is_superseded(&task, &[listed(7, Deploy)], &journal));
    }
}
