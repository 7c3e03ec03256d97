//! Routes as the agent sees them: set up, shown, held to, and what is still missing on one.

use acta_ledger::{
    evidence::{
        chain::ChainLink,
        gate::{CheckVerdict, FactClass},
        person::{Role, SignIn, Signatory},
        pin::{Pin, PinObservation, Pins},
        route::{
            Approvals, CanaryPolicy, OverridePolicy, Policy, RollbackPolicy, RouteDefinition, Thresholds,
        },
    },
    judge::route::{RouteEntry, RouteEvent, RouteLog, Signer, judge_route},
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        statement::{Statement, Subject},
    },
};
use acta_tests::checkpoint::CheckpointWriter;
use serde_json::{Value, json};

use crate::{
    fake::Fake,
    gate::{POLICY, REVISION, folder, pinned, record, verdict},
    setup::Bench,
};

#[test]
fn the_plan_shows_what_is_missing_from_own_records_and_from_the_log() {
    let bench = Bench::new(b"x");
    let checkpoint = folder(&bench, &CheckpointWriter::default());
    assert_eq!(pinned(&bench, &checkpoint).code(), 0);
    let plan = |more: &[&str]| bench.agent.run(&[&["gate", "plan", "--route", "mini"][..], more].concat());
    let ended = plan(&["--json"]);
    assert_eq!((ended.code(), ended.json()["source"].as_str()), (7, Some("agent")));
    let states: Vec<Value> =
        ended.json()["gates"].as_array().unwrap().iter().map(|gate| gate["state"].clone()).collect();
    assert_eq!(states, ["satisfied", "missing", "missing", "missing", "missing"]);
    let fake = Fake::start();
    bench.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
    assert!(plan(&[]).stderr.contains("does not know the route"));
    fake.state.lock().unwrap().route = Some(answer());
    let ended = plan(&[]);
    assert_eq!(ended.code(), 7, "{}{}", ended.stdout, ended.stderr);
    assert!(ended.stdout.contains("gate 4  parity: missing"), "{}", ended.stdout);
    assert!(ended.stdout.contains("the route is not set up"), "{}", ended.stdout);
    assert_eq!(plan(&["--json"]).json()["source"], "log");
}

/// What a server says of a route with these entries.
fn answer_with(entries: Vec<RouteEntry>) -> Value {
    let at = "2026-11-29T10:00:00Z".parse().unwrap();
    let size = entries.iter().map(|entry| entry.index + 1).max().unwrap_or(0);
    let state = judge_route("mini", &RouteLog::whole(size, entries), at);
    json!({ "record": state.record, "state": state, "bundles": [], "logSize": size })
}

/// What a server says of a route of which nothing is known.
fn answer() -> Value {
    answer_with(Vec::new())
}

/// A definition of the route by a person.
pub fn definition() -> RouteDefinition {
    let at = "2026-11-29T10:00:00Z".parse().unwrap();
    let canary = CanaryPolicy { min_samples: 100, thresholds: Thresholds::default() };
    RouteDefinition {
        route: "mini".to_owned(),
        checkpoint: "acme/mini".to_owned(),
        checkpoint_revision: REVISION.to_owned(),
        runtime_target: "native_cpp_task_api_on_nvidia_h200".to_owned(),
        policy: Policy {
            approvals: Approvals { needed: 1, approvers: None },
            licences: ["Apache-2.0".to_owned()].into(),
            overrides: OverridePolicy { allowed: false, max_days: 1 },
            thresholds: Thresholds::default(),
            canary,
            rollback: RollbackPolicy::default(),
            pins: Pins([(Pin::Recipe, "mini-fp32".to_owned())].into()),
            drill_valid_days: 30,
            retention_days: 90,
        },
        by: Signatory {
            account: "root".to_owned(),
            roles: vec![Role::Admin],
            signed_in_with: SignIn::Password,
            signed_in_at: at,
            stepped_up_at: None,
        },
        at,
    }
}

#[test]
fn the_route_as_the_log_sets_it_up_is_what_gate_1_is_held_to() {
    let (bench, fake) = (Bench::new(b"x"), Fake::start());
    bench.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
    let definition = definition();
    let subject = vec![Subject::new("mini", Sha256Digest::of(b"mini"))];
    let index = fake.log(&Statement::new(subject.clone(), &definition).unwrap());
    let pin = PinObservation {
        route: "mini".to_owned(),
        pin: Pin::Licence,
        value: "mit".to_owned(),
        class: FactClass::StatedByPerson,
        at: definition.at,
        chain: ChainLink::new(1, None),
    };
    let entry =
        |index, event| RouteEntry { index, leaf: Sha256Digest::of(b""), signer: Signer::Portal, event };
    let mut entries = vec![entry(index, RouteEvent::Definition(Box::new(definition.clone())))];
    fake.state.lock().unwrap().route = Some(answer_with(entries.clone()));
    let checkpoint = folder(&bench, &CheckpointWriter::default());
    let gate = |revision: &str| {
        let arguments =
            ["gate", "1", "--route", "mini", "--checkpoint", &checkpoint, "--by", "ana", "--json"];
        bench.agent.run(&[&arguments[..], &["--revision", revision]].concat())
    };
    let ended = gate(REVISION);
    assert_eq!(ended.code(), 0, "{}{}", ended.stdout, ended.stderr);
    assert_eq!(record(&ended).checks[0].value, "acme/mini", "the route's checkpoint");
    let (found, reason) = verdict(&record(&gate(&"1".repeat(40))), "revision_pinned");
    assert!(found == CheckVerdict::Fail && reason.contains(REVISION), "{reason}");
    // The licence was pinned to another one since: the record no longer fits.
    let later = fake.log(&Statement::new(subject, &pin).unwrap());
    entries.push(entry(later, RouteEvent::Pin(Box::new(pin))));
    fake.state.lock().unwrap().route = Some(answer_with(entries));
    let ended = gate(REVISION);
    assert_eq!((ended.code(), ended.json()["judgement"]["state"].as_str()), (7, Some("outdated")));
    // An entry that was changed is not believed: nobody knows what the policy allows.
    let at = usize::try_from(index).unwrap();
    fake.state.lock().unwrap().records[at][40] ^= 1;
    let ended = gate(REVISION);
    assert!(ended.stderr.contains("not known here"), "{}", ended.stderr);
    assert_eq!(verdict(&record(&ended), "licence_allows_use").0, CheckVerdict::NotRun);
}

#[test]
fn a_route_is_set_up_with_a_persons_token_and_shown_with_its_seven_names() {
    let bench = Bench::new(b"x");
    let fake = Fake::start();
    let policy = bench.agent.file("policy.toml", POLICY.as_bytes());
    let new = |name: &str, revision: &str, target: &str, policy: &str, more: &[&str]| {
        let arguments = ["route", "new", name, "--checkpoint", "acme/mini", "--revision", revision];
        let rest = ["--runtime-target", target, "--policy", policy, "--server", &fake.url];
        bench.agent.run(&[&arguments[..], &rest, more].concat())
    };
    let target = "native_cpp_task_api_on_nvidia_h200";
    let ended = new("mini", REVISION, target, &policy, &["--token", "person"]);
    assert_eq!(ended.code(), 0, "{}", ended.stderr);
    {
        let state = fake.state.lock().unwrap();
        let (token, body) = &state.routes[0];
        assert_eq!(token, "person");
        assert_eq!((&body["route"], &body["checkpoint"]), (&json!("mini"), &json!("acme/mini")));
        assert_eq!((&body["checkpointRevision"], &body["runtimeTarget"]), (&json!(REVISION), &json!(target)));
        assert_eq!(body["policy"]["licences"], json!(["apache-2.0"]));
    }
    let bad = bench.agent.file("bad.toml", POLICY.replace("minSamples = 100", "minSamples = -1").as_bytes());
    for (ended, words) in [
        (new("Mini", REVISION, target, &policy, &["--token", "t"]), "ROUTE"),
        (new("mini", "main", target, &policy, &["--token", "t"]), "--revision"),
        (new("mini", REVISION, "somewhere", &policy, &["--token", "t"]), "--runtime-target"),
        (new("mini", REVISION, target, &bad, &["--token", "t"]), "minSamples"),
        (new("mini", REVISION, target, &policy, &[]), "ACTA_API_TOKEN"),
    ] {
        assert_eq!(ended.code(), 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    assert_eq!(fake.state.lock().unwrap().routes.len(), 1);
    let show = |more: &[&str]| {
        bench.agent.run(&[&["route", "show", "mini", "--server", &fake.url][..], more].concat())
    };
    assert!(show(&[]).code() == 1 && show(&[]).stderr.contains("does not know the route"));
    fake.state.lock().unwrap().route = Some(answer());
    let shown = show(&["--json"]).json();
    let names: Vec<&str> = shown.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = vec![
        "route_name",
        "checkpoint_revision",
        "bundle_digest",
        "runtime_target",
        "validation_status",
        "canary_status",
        "rollback_status",
    ];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(show(&[]).stdout.contains("validation_status    hold"));
}

#[test]
fn a_changed_pin_beside_the_runtime_goes_on_record_once() {
    let (bench, fake) = (Bench::new(b"x"), Fake::start());
    bench.agent.ok(&["enrol", "--server", &fake.url, "--token", "t"]);
    let mut definition = definition();
    let pins = [(Pin::Tensorrt, "1.7.1"), (Pin::GpuSku, "NVIDIA H200"), (Pin::Recipe, "mini-fp32")];
    definition.policy.pins = Pins(pins.into_iter().map(|(pin, value)| (pin, value.to_owned())).collect());
    let subject = vec![Subject::new("mini", Sha256Digest::of(b"mini"))];
    let index = fake.log(&Statement::new(subject.clone(), &definition).unwrap());
    let entry = |index, event| RouteEntry {
        index,
        leaf: Sha256Digest::of(&[u8::try_from(index).unwrap()]),
        signer: Signer::Portal,
        event,
    };
    let mut entries = vec![entry(index, RouteEvent::Definition(Box::new(definition)))];
    let observe = |environment: &str| {
        let file = bench.agent.file("runtime.toml", environment.as_bytes());
        bench.agent.run(&["route", "observe", "mini", "--json", "--environment", &file])
    };
    let machine = "gpu = 'NVIDIA H200'\ncuda = '13.0'\n";
    let unknown = observe(machine);
    assert!(unknown.code() == 1 && unknown.stderr.contains("not known"), "{}", unknown.stderr);
    fake.state.lock().unwrap().route = Some(answer_with(entries.clone()));

    let same = observe(&format!("{machine}tensorrt = '1.7.1'\n"));
    assert_eq!((same.code(), &same.json()["changes"]), (0, &json!([])), "{}", same.stderr);
    let elsewhere = observe("gpu = 'NVIDIA L40S'\ntensorrt = '1.8.0'\n");
    assert!(elsewhere.code() == 2 && elsewhere.stderr.contains("nvidia_l40s"), "{}", elsewhere.stderr);
    assert_eq!(bench.outbox(), [0, 0, 0]);

    let changed = observe(&format!("{machine}tensorrt = '1.8.0'\n"));
    let change = json!([{ "pin": "tensorrt", "before": "1.7.1", "after": "1.8.0" }]);
    assert_eq!((changed.code(), &changed.json()["changes"]), (0, &change), "{}", changed.stderr);
    assert_eq!(changed.json()["pushed"], true);
    let logged = fake.state.lock().unwrap().records.last().unwrap().clone();
    let statement = Statement::from_envelope(&Envelope::parse(&logged).unwrap()).unwrap();
    let pin: PinObservation = statement.predicate().unwrap();
    assert_eq!((pin.pin, pin.value.as_str(), pin.class), (Pin::Tensorrt, "1.8.0", FactClass::StatedByPerson));
    assert_eq!((pin.route.as_str(), pin.chain.sequence), ("mini", 1));

    // As the log pins it now, it is no change any more.
    let later = fake.log(&Statement::new(subject, &pin).unwrap());
    entries.push(entry(later, RouteEvent::Pin(Box::new(pin))));
    fake.state.lock().unwrap().route = Some(answer_with(entries));
    let again = observe(&format!("{machine}tensorrt = '1.8.0'\n"));
    assert_eq!((again.code(), &again.json()["changes"]), (0, &json!([])), "{}", again.stderr);
    assert_eq!(bench.outbox(), [0, 1, 0]);
}
