use std::collections::BTreeMap;

use acta_ledger::live::PROTOCOL;

use super::*;

fn build(run: Uuid) -> LiveBuild {
    LiveBuild {
        protocol: PROTOCOL,
        run,
        route: None,
        attempt: 1,
        retry_of: None,
        model: "m.onnx".to_owned(),
        settings: BTreeMap::new(),
        started_at: Timestamp::from_unix_ms(0).unwrap(),
    }
}

fn run(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

#[test]
fn a_run_belongs_to_the_agent_that_told_of_it_first() {
    let hub = Arc::new(Hub::default());
    let first = hub.open("a", build(run(1))).unwrap();
    assert_eq!(hub.open("b", build(run(1))).err(), Some(OpenError::OtherAgent));
    let again = hub.open("a", build(run(1))).unwrap();
    let live = hub.find(run(1)).unwrap();
    assert!(again.speaks(&live) && !first.speaks(&live), "a newer connection takes over");
    assert_eq!(hub.list().len(), 1);
}

#[test]
fn one_agent_cannot_fill_the_hub() {
    let hub = Arc::new(Hub::default());
    for number in 0..MAX_BUILDS_OF_AGENT as u128 {
        hub.open("a", build(run(number))).unwrap();
    }
    assert_eq!(hub.open("a", build(run(9_999))).err(), Some(OpenError::TooManyOfAgent));
    for number in MAX_BUILDS_OF_AGENT as u128..MAX_BUILDS as u128 {
        hub.open(&number.to_string(), build(run(number))).unwrap();
    }
    assert_eq!(hub.open("z", build(run(9_999))).err(), Some(OpenError::TooMany));
}

#[test]
fn builds_that_have_ended_make_room_for_new_ones() {
    let hub = Arc::new(Hub::default());
    for number in 0..3 * MAX_BUILDS_OF_AGENT as u128 {
        let connection = hub.open("a", build(run(number))).unwrap();
        connection.heard(acta_tests::live::state(acta_ledger::live::Stage::Ended));
    }
    assert_eq!(hub.list().len(), MAX_BUILDS_OF_AGENT);
    assert!(hub.find(run(0)).is_none() && hub.find(run(3 * MAX_BUILDS_OF_AGENT as u128 - 1)).is_some());
}

#[test]
fn what_is_over_makes_room() {
    let hub = Arc::new(Hub::default());
    hub.open("a", build(run(1))).unwrap();
    let long_ago = Instant::now().checked_sub(KEEP_VANISHED + Duration::from_secs(1)).unwrap();
    hub.builds()[&run(1)].send_modify(|live| live.heard = long_ago);
    assert!(hub.find(run(1)).is_none() && hub.list().is_empty());
    hub.open("b", build(run(1))).unwrap();
    assert_eq!(hub.find(run(1)).unwrap().agent, "b");
}
