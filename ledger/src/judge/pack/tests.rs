use std::collections::BTreeMap;

use serde_json::json;
use uuid::Uuid;

use super::{
    super::{
        advice::tests::summary,
        route::script::{A, B, ROUTE, Script, person, ready},
    },
    *,
};
use crate::{
    evidence::{
        agent_key::AgentKeyAction,
        build::Outcome,
        chain::ChainLink,
        person::Role,
        rebuild::{RebuiltRun, Verdict},
        route::RouteDefinition,
    },
    judge::route::{RouteEntry, Signer},
    log::key::{PublicKey, test_keys},
};

/// A log of statements, by who signed them.
#[derive(Default)]
struct Log(Vec<(String, Statement)>);

impl Log {
    fn say<P: crate::log::statement::Predicate>(&mut self, signer: &str, said: &P) -> u64 {
        self.0.push((signer.to_owned(), Statement::new(Vec::new(), said).unwrap()));
        self.0.len() as u64 - 1
    }

    fn key(&mut self, agent: &str) -> u64 {
        let at = "2026-11-30T10:00:00Z".parse().unwrap();
        let public_key = PublicKey::of(&test_keys::rfc8032_1());
        self.say(
            "portal",
            &AgentKey {
                agent: agent.to_owned(),
                public_key,
                previous: None,
                action: AgentKeyAction::Enrolled,
                at,
                authorized_by: "adam".to_owned(),
                owner: None,
                reason: None,
            },
        )
    }

    fn run(&mut self, signer: &str, id: u128, retry_of: Option<u128>) -> u64 {
        let mut said = summary(Outcome::Cancelled);
        said.run.id = Uuid::from_u128(id);
        said.run.retry_of = retry_of.map(Uuid::from_u128);
        self.say(signer, &said)
    }

    fn cancel(&mut self, run: u128) -> u64 {
        let at = "2026-11-30T10:00:00Z".parse().unwrap();
        self.say(
            "portal",
            &CancelRequest {
                request: Uuid::from_u128(run),
                run: Uuid::from_u128(run),
                agent: "a".to_owned(),
                route: None,
                reason: "enough".to_owned(),
                by: person("rita", &[Role::Reviewer], at),
                at,
            },
        )
    }

    /// The entries of a script of the fold's tests.
    fn play(&mut self, script: &Script) {
        for RouteEntry { signer, event, .. } in &script.entries {
            let signer = match signer {
                Signer::Portal => "portal",
                Signer::Agent { name, .. } => name,
            };
            match event {
                RouteEvent::Definition(it) => self.say(signer, &**it),
                RouteEvent::Gate(it) => self.say(signer, &**it),
                RouteEvent::Decision(it) => self.say(signer, &**it),
                RouteEvent::Canary(it) => self.say(signer, &**it),
                RouteEvent::Retention(it) => self.say(signer, &**it),
                RouteEvent::Order(it) => self.say(signer, &**it),
                RouteEvent::Result(it) => self.say(signer, &**it),
                RouteEvent::Pin(it) => self.say(signer, &**it),
            };
        }
    }

    fn belonging(&self, topic: &Topic) -> BTreeMap<u64, Why> {
        let candidates: Vec<_> = self
            .0
            .iter()
            .enumerate()
            .map(|(index, (signer, statement))| Candidate { index: index as u64, signer, statement })
            .collect();
        let all = belonging(topic, &candidates);
        let chosen: Vec<_> = candidates.iter().copied().filter(|it| all.contains_key(&it.index)).collect();
        assert_eq!(belonging(topic, &chosen), all, "what belongs is chosen again from itself");
        all
    }
}

#[test]
fn a_run_comes_with_its_attempts_its_requests_and_the_keys_of_who_signed() {
    let mut log = Log::default();
    let (key_a, _) = (log.key("a"), log.key("b"));
    let first = log.run("a", 1, None);
    let foreign = log.run("b", 9, None);
    let asked = log.cancel(1);
    let other = log.cancel(9);
    let second = log.run("a", 2, Some(1));
    let third = log.run("a", 3, Some(2));
    let chosen = log.belonging(&Topic::Run(Uuid::from_u128(2)));
    let expected = [
        (key_a, Why::Key),
        (first, Why::Attempt),
        (asked, Why::CancelRequest),
        (second, Why::Summary),
        (third, Why::Attempt),
    ];
    assert_eq!(chosen, BTreeMap::from(expected));
    assert!(!chosen.contains_key(&foreign) && !chosen.contains_key(&other));
    assert!(log.belonging(&Topic::Run(Uuid::from_u128(77))).is_empty());
}

#[test]
fn a_route_comes_whole_and_a_bundle_brings_its_routes() {
    let mut log = Log::default();
    let key = log.key("h200-builder");
    let from = log.0.len() as u64;
    let script = ready(1);
    log.play(&script);
    let until = log.0.len() as u64;
    let mut other: RouteDefinition = match &script.entries[0].event {
        RouteEvent::Definition(definition) => (**definition).clone(),
        _ => unreachable!("a script begins with the definition"),
    };
    other.route = "other".to_owned();
    let elsewhere = log.say("portal", &other);

    let route = log.belonging(&Topic::Route(ROUTE.to_owned()));
    assert_eq!(route.len() as u64, until - from + 1);
    assert!((from..until).all(|index| route[&index] == Why::Route));
    assert_eq!((route.get(&key), route.get(&elsewhere)), (Some(&Why::Key), None));
    assert_eq!(log.belonging(&Topic::Bundle(A)), route, "all that this bundle has is its route");
    assert!(log.belonging(&Topic::Bundle(B)).is_empty());
}

#[test]
fn what_is_not_of_its_types_shape_is_left_out() {
    let mut log = Log::default();
    log.run("a", 1, None);
    let mut broken = log.0[0].1.clone();
    broken.predicate = json!({ "run": { "id": Uuid::from_u128(1) } });
    log.0.push(("a".to_owned(), broken));
    let mut foreign = log.0[0].1.clone();
    foreign.predicate_type = "https://example.org/other".to_owned();
    log.0.push(("a".to_owned(), foreign));
    assert_eq!(log.belonging(&Topic::Run(Uuid::from_u128(1))), BTreeMap::from([(0, Why::Summary)]));
}

#[test]
fn a_run_brings_its_rebuilds_and_a_rebuild_the_run_that_it_is_of() {
    let mut log = Log::default();
    let keys = (log.key("a"), log.key("lab"), log.key("other"));
    let first = log.run("a", 1, None);
    let foreign = log.run("other", 9, None);
    let again = log.run("lab", 2, None);
    let rebuild = |run: u128, rebuilt: Option<u128>| RebuildRecord {
        run: Uuid::from_u128(run),
        entry: Sha256Digest::of(b"summary"),
        plan: None,
        rebuilt: rebuilt.map(|it| RebuiltRun { run: Uuid::from_u128(it), entry: Sha256Digest::of(b"again") }),
        verdict: Verdict::Reproduced,
        obstacle: None,
        differing: Vec::new(),
        plans: None,
        at: "2026-11-30T10:00:00Z".parse().unwrap(),
        chain: ChainLink::new(1, None),
    };
    let said = log.say("lab", &rebuild(1, Some(2)));
    let without = log.say("lab", &rebuild(1, None));
    let of_another = log.say("other", &rebuild(9, None));
    let of_run = log.belonging(&Topic::Run(Uuid::from_u128(1)));
    let keys_of = [(keys.0, Why::Key), (keys.1, Why::Key)];
    let expected =
        [(first, Why::Summary), (again, Why::Rebuild), (said, Why::Rebuild), (without, Why::Rebuild)];
    assert_eq!(of_run, BTreeMap::from_iter(keys_of.into_iter().chain(expected)));
    let of_rebuild = log.belonging(&Topic::Run(Uuid::from_u128(2)));
    let expected = [(first, Why::Rebuild), (again, Why::Summary), (said, Why::Rebuild)];
    assert_eq!(of_rebuild, BTreeMap::from_iter(keys_of.into_iter().chain(expected)));
    assert!(!of_run.contains_key(&foreign) && !of_run.contains_key(&of_another));
}
