use proptest::prelude::*;

use super::*;

fn digest(seed: u64) -> Sha256Digest {
    Sha256Digest::of(&seed.to_be_bytes())
}

/// A statement at entry `index` with a number, after the one at entry `previous`.
fn statement(index: u64, sequence: u64, previous: Option<u64>) -> Linked {
    Linked { index, digest: digest(index), link: ChainLink::new(sequence, previous.map(digest)) }
}

/// Entries 10, 20, 30 ... with the numbers 1, 2, 3 ...
fn good(count: u64) -> Vec<Linked> {
    (1..=count).map(|number| statement(number * 10, number, (number > 1).then(|| number * 10 - 10))).collect()
}

fn faults(statements: &[Linked]) -> Vec<ChainFault> {
    judge(statements, &[0], u64::MAX).pop().map(|state| state.faults).unwrap_or_default()
}

#[test]
fn an_unbroken_chain_has_no_fault() {
    let states = judge(&good(4), &[3], 100);
    let [state] = states.as_slice() else { panic!("one chain") };
    assert_eq!((state.enrolled_at, state.statements), (Some(3), 4));
    assert_eq!((state.last_sequence, state.last_entry, state.missing()), (4, 40, 0));
    assert_eq!(state.faults, []);
    assert!(judge(&[], &[3], 100).is_empty());
}

#[test]
fn missing_numbers_and_contradicting_entries_are_listed() {
    let mut statements = good(9);
    statements.retain(|it| ![20, 30, 60].contains(&it.index));
    statements.push(statement(95, 9, Some(80)));
    let state = judge(&statements, &[0], 100).pop().unwrap();
    assert_eq!(state.missing_numbers(9), [2, 3, 6]);
    assert_eq!(state.missing_numbers(2), [2, 3]);
    assert_eq!(state.contradicting().into_iter().collect::<Vec<_>>(), [90, 95]);
    let state = judge(&good(3), &[0], 100).pop().unwrap();
    assert!(state.missing_numbers(9).is_empty() && state.contradicting().is_empty());
}

#[test]
fn each_kind_of_fault_is_named() {
    let with = |change: &dyn Fn(&mut Vec<Linked>)| {
        let mut statements = good(5);
        change(&mut statements);
        faults(&statements)
    };
    let missing = |from, to| ChainFault::Missing { from, to };
    assert_eq!(with(&|it| _ = it.remove(2)), [missing(3, 3)]);
    assert_eq!(with(&|it| drop(it.drain(1..4))), [missing(2, 4)]);
    assert_eq!(with(&|it| _ = it.remove(0)), [missing(1, 1)]);
    let forked = |sequence, entries: &[u64]| ChainFault::Forked { sequence, entries: entries.to_vec() };
    assert_eq!(with(&|it| it.push(statement(35, 3, Some(20)))), [forked(3, &[30, 35])]);
    let wrong = |entry, found: Option<u64>, expected: Option<u64>| ChainFault::WrongPrevious {
        entry,
        found: found.map(digest),
        expected: expected.map(digest),
    };
    assert_eq!(with(&|it| it[3].link.previous = Some(digest(7))), [wrong(40, Some(7), Some(30))]);
    assert_eq!(with(&|it| it[3].link.previous = None), [wrong(40, None, Some(30))]);
    assert_eq!(with(&|it| it[0].link.previous = Some(digest(7))), [wrong(10, Some(7), None)]);
    assert_eq!(with(&|it| it.push(statement(60, 0, None))), [ChainFault::NoNumber { entry: 60 }]);
    // Of a fork, either branch may go on.
    assert_eq!(
        with(&|it| {
            it.push(statement(35, 3, Some(20)));
            it[3].link.previous = Some(digest(35));
        }),
        [forked(3, &[30, 35])]
    );
    // Behind a gap one must be named, whichever it is.
    assert_eq!(
        with(&|it| {
            it[3].link.previous = None;
            it.remove(2);
        }),
        [missing(3, 3), wrong(40, None, None)]
    );
    assert_eq!(faults(&[statement(9, u64::MAX, Some(1))]), [missing(1, u64::MAX - 1)]);
}

#[test]
fn a_chain_is_judged_up_to_a_tree_size() {
    let mut statements = good(5);
    statements.remove(1);
    let state = |size| judge(&statements, &[0], size).pop().unwrap();
    assert_eq!(state(30).faults, []);
    assert_eq!((state(31).missing(), state(31).last_sequence, state(31).tree_size), (1, 3, 31));
}

#[test]
fn an_agent_that_was_enrolled_anew_begins_a_chain_anew() {
    let mut statements = good(2);
    statements.extend([statement(50, 1, None), statement(60, 2, Some(50))]);
    let states = judge(&statements, &[45, 0], 100);
    assert_eq!(states.iter().map(|state| state.enrolled_at).collect::<Vec<_>>(), [Some(0), Some(45)]);
    assert!(states.iter().all(|state| state.faults.is_empty() && state.statements == 2));
    // Without a new enrolment the same is a fork: the same numbers twice.
    assert_eq!(judge(&statements, &[0], 100)[0].faults.len(), 2);
}

proptest! {
    /// However the entries are ordered and whichever are left out: exactly the numbers below the last one are missing.
    #[test]
    fn what_is_left_out_is_what_is_missing(kept in prop::collection::vec(any::<bool>(), 1..40), swap in any::<u64>()) {
        let mut statements: Vec<Linked> = good(kept.len() as u64);
        let mut at = 0;
        statements.retain(|_| { at += 1; kept[at - 1] });
        let last = statements.last().map_or(0, |it| it.link.sequence);
        let expected = last - statements.len() as u64;
        if statements.len() > 1 {
            let (a, b) = (swap as usize % statements.len(), (swap >> 32) as usize % statements.len());
            statements.swap(a, b);
        }
        let states = judge(&statements, &[0], u64::MAX);
        prop_assert_eq!(states.iter().map(ChainState::missing).sum::<u64>(), expected);
        let missing = |fault: &ChainFault| matches!(fault, ChainFault::Missing { .. });
        let only_missing = states.iter().flat_map(|state| &state.faults).all(missing);
        prop_assert!(only_missing);
    }
}
