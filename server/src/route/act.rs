//! What persons do to routes: each is one statement, signed by the portal for the person and bound to what they saw.

use acta_ledger::{
    evidence::{
        decision::{DecisionKind, HoldTerms, OverrideTerms, ReasonCode, RouteDecision, SeenHead},
        gate::Gate,
        person::Signatory,
        rollback::{OrderAction, RollbackOrder},
        route::{BundleDigest, Policy, RouteDefinition, is_route_name},
    },
    judge::route::{
        RouteEvent, RouteLog, bundles, changed_since, confirmation_refusals, crossed, needs_confirmation,
        order_refusals, refusals,
    },
    log::{
        digest::Sha256Digest,
        entry::Entry,
        statement::{Predicate, Statement, Subject},
        timestamp::Timestamp,
    },
};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::{read, state_of};
use crate::{
    clock,
    error::{Answer, Problem},
    log::writer::Candidate,
    startup::AppState,
    store::idempotency::{self, Taken},
};

/// What a person wants decided.
#[derive(Debug, Clone)]
pub struct WantedDecision {
    /// The bundle.
    pub bundle: BundleDigest,
    /// What.
    pub kind: DecisionKind,
    /// Why, as a code.
    pub reason_code: Option<ReasonCode>,
    /// Why, in words.
    pub text: Option<String>,
    /// Owner and review date of a hold.
    pub hold: Option<HoldTerms>,
    /// Gates and expiry of an override.
    pub overrides: Option<OverrideTerms>,
    /// The size of the log that the person's page was made from.
    pub seen_size: u64,
    /// Sent twice, it is decided once.
    pub key: String,
}

/// What a person wants done on the runtime.
#[derive(Debug, Clone)]
pub struct WantedOrder {
    /// What for.
    pub action: OrderAction,
    /// Which bundle.
    pub to: Sha256Digest,
    /// Why, as a code.
    pub reason_code: ReasonCode,
    /// Why, in words.
    pub text: String,
    /// Sent twice, it is ordered once.
    pub key: String,
}

/// The longest text of a person.
pub const MAX_TEXT_CHARS: usize = 4_000;

/// Sets a route up or changes it.
pub async fn define(state: &AppState, definition: RouteDefinition) -> Answer<u64> {
    if !is_route_name(&definition.route) {
        return Err(Problem::refused("malformed_route", "not the name of a route")
            .field("route")
            .found(&definition.route)
            .expected("lower-case letters, digits and single hyphens, at most 100 characters"));
    }
    definition
        .policy
        .check()
        .map_err(|error| Problem::refused("malformed_policy", error.to_string()).field("policy"))?;
    let subject = named_subject(&definition.route);
    log(state, vec![subject], &definition).await
}

/// Reads a policy's JSON, or says where it breaks.
pub fn parse_policy(json: &[u8]) -> Answer<Policy> {
    Policy::parse(json)
        .map_err(|error| Problem::refused("malformed_policy", error.to_string()).field("policy"))
}

/// Decides, if the fold would count it.
pub async fn decide(state: &AppState, route: &str, by: Signatory, wanted: WantedDecision) -> Answer<u64> {
    check_text(wanted.text.as_deref())?;
    let (account, key) = (by.account.clone(), wanted.key.clone());
    once(state, &account, &key, decide_now(state, route, by, wanted)).await
}

async fn decide_now(state: &AppState, route: &str, by: Signatory, wanted: WantedDecision) -> Answer<u64> {
    let (judged, log_read, newest) = state_of(state, route, Some(wanted.bundle)).await?;
    if !bundles(route, &log_read).contains(&wanted.bundle) {
        return Err(Problem::refused("not_on_route", "the bundle is not on this route; nothing was decided")
            .field("bundleDigest")
            .found(wanted.bundle));
    }
    if wanted.seen_size > newest.size {
        return Err(Problem::bad_request("seen_future", "the page names a larger log than there is")
            .field("seenSize")
            .found(wanted.seen_size)
            .expected(format!("at most {}", newest.size)));
    }
    let at = clock::now();
    let crossing = wanted.kind == DecisionKind::Approve && crossed(route, &log_read, wanted.seen_size, at);
    if !crossing && !matches!(wanted.kind, DecisionKind::Hold | DecisionKind::Reject) {
        refuse_if_changed(route, &log_read, wanted.seen_size)?;
    }
    // What spoke against it when it was given; a denial that crossed with it is for every reader to see.
    let log_seen = if crossing { log_read.until(wanted.seen_size) } else { log_read.clone() };
    let (objections, missing) = refusals(route, wanted.bundle, &log_seen, &by, wanted.kind, at);
    if !objections.is_empty() || !missing.is_empty() {
        return Err(not_allowed(&objections, &missing));
    }
    let unseen: Vec<Sha256Digest> =
        log_read.entries.iter().filter(|it| it.index >= wanted.seen_size).map(|it| it.leaf).collect();
    let root = state.reader.root(wanted.seen_size).await?;
    let decision = RouteDecision {
        route: route.to_owned(),
        bundle_digest: wanted.bundle,
        decision: wanted.kind,
        evidence: judged.evidence_set().into_iter().filter(|leaf| !unseen.contains(leaf)).collect(),
        seen: SeenHead { origin: newest.origin, size: wanted.seen_size, root },
        reason_code: wanted.reason_code,
        text: wanted.text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()),
        by,
        at,
        hold: wanted.hold,
        overrides: wanted.overrides,
    };
    let lacks = decision.lacks();
    if let Some(first) = lacks.first() {
        let codes: Vec<String> = lacks.iter().map(acta_ledger::evidence::code).collect();
        return Err(
            Problem::refused("incomplete", format!("{first}; nothing was decided")).found(codes.join(", "))
        );
    }
    log(state, vec![Subject::new(route, wanted.bundle.0)], &decision).await
}

/// The person decided on a page: if the route has changed since that page was made, they must look again before they
/// permit anything. Whoever denies is not sent back: in the meantime somebody could serve what they wanted held.
fn refuse_if_changed(route: &str, log: &RouteLog, seen: u64) -> Answer<()> {
    match changed_since(route, log, seen) {
        Some(index) => Err(Problem::new(
            axum::http::StatusCode::CONFLICT,
            "route_changed",
            format!(
                "the route has changed since you looked: entry {index} was logged. Nothing was decided; look again"
            ),
        )
        .found(index)),
        None => Ok(()),
    }
}

/// Orders a deployment, a rollback or a drill, if nothing speaks against it.
pub async fn order(state: &AppState, route: &str, by: Signatory, wanted: WantedOrder) -> Answer<u64> {
    check_text(Some(&wanted.text))?;
    if wanted.text.trim().is_empty() {
        return Err(Problem::refused("incomplete", "an order needs a reason in words").field("text"));
    }
    let (account, key) = (by.account.clone(), wanted.key.clone());
    once(state, &account, &key, order_now(state, route, by, wanted)).await
}

async fn order_now(state: &AppState, route: &str, by: Signatory, wanted: WantedOrder) -> Answer<u64> {
    let (log_read, _) = read(state, route).await?;
    let retained = log_read.entries.iter().rev().find_map(|entry| match &entry.event {
        RouteEvent::Retention(it) if it.bundle.digest == wanted.to => Some(it.runtime_config.digest),
        _ => None,
    });
    let Some(runtime_config) = retained else {
        return Err(Problem::refused("not_retained", "the bundle is not retained: nothing was ordered")
            .field("to")
            .found(wanted.to));
    };
    let at = clock::now();
    let missing = order_refusals(route, &log_read, wanted.action, wanted.to, runtime_config, at);
    if !missing.is_empty() {
        return Err(not_allowed::<()>(&[], &missing));
    }
    let live = state_of(state, route, None).await?.0.live.and_then(|period| period.bundle);
    let order = RollbackOrder {
        order: Uuid::now_v7(),
        route: route.to_owned(),
        action: wanted.action,
        from: live,
        to: wanted.to,
        runtime_config,
        reason_code: wanted.reason_code,
        text: wanted.text.trim().to_owned(),
        by,
        needs_confirmation: needs_confirmation(route, &log_read, wanted.action, wanted.to, at),
        confirmed_by: None,
        at,
    };
    log_order(state, &order).await
}

/// Confirms another person's order, if nothing speaks against it: the order is signed once more, with both names.
pub async fn confirm(state: &AppState, route: &str, by: Signatory, order: Uuid, key: &str) -> Answer<u64> {
    let account = by.account.clone();
    let confirm_now = async {
        let (log_read, _) = read(state, route).await?;
        let (confirmed, objections, missing) =
            confirmation_refusals(route, &log_read, order, &by, clock::now());
        match confirmed {
            Some(confirmed) if objections.is_empty() && missing.is_empty() => {
                log_order(state, &confirmed).await
            }
            _ => Err(not_allowed(&objections, &missing)),
        }
    };
    once(state, &account, key, confirm_now).await
}

async fn log_order(state: &AppState, order: &RollbackOrder) -> Answer<u64> {
    let subjects = vec![
        Subject::new(&order.route, order.to),
        Subject::new("runtime configuration", order.runtime_config),
    ];
    log(state, subjects, order).await
}

fn not_allowed<O: Serialize>(objections: &[O], missing: &[impl Serialize]) -> Problem {
    let facts = json!({ "objections": objections, "missing": missing });
    let first = if objections.is_empty() { "something is missing" } else { "it would not count" };
    Problem::forbidden("refused_by_the_route", format!("{first}: nothing was decided. {facts}")).found(facts)
}

fn check_text(text: Option<&str>) -> Answer<()> {
    let chars = text.map_or(0, |text| text.chars().count());
    if chars <= MAX_TEXT_CHARS {
        return Ok(());
    }
    Err(Problem::refused("text_too_long", "the reason is too long")
        .field("text")
        .found(format!("{chars} characters"))
        .expected(format!("at most {MAX_TEXT_CHARS}")))
}

/// A route as the subject of a statement: by the digest of its name.
fn named_subject(route: &str) -> Subject {
    Subject::new(route, Sha256Digest::of(route.as_bytes()))
}

/// Does it once for a key: sent again, the first entry is the answer; where it was refused, the key is free again.
async fn once(
    state: &AppState,
    account: &str,
    key: &str,
    act: impl Future<Output = Answer<u64>>,
) -> Answer<u64> {
    if key.is_empty() || key.len() > 100 {
        return Err(
            Problem::bad_request("bad_key", "a form carries a key of 1 to 100 characters").field("key")
        );
    }
    let write = &state.database.write;
    match idempotency::take(write, account, key, clock::now().unix_ms()).await? {
        Taken::Before(entry) => return Ok(entry),
        Taken::InProgress => {
            return Err(Problem::new(
                axum::http::StatusCode::CONFLICT,
                "in_progress",
                "this form is being worked on: reload in a moment",
            ));
        }
        Taken::Now => {}
    }
    let done = act.await;
    match &done {
        Ok(entry) => idempotency::settle(write, account, key, *entry).await?,
        Err(_) => idempotency::release(write, account, key).await?,
    }
    done
}

pub(crate) async fn log<P: Predicate>(
    state: &AppState,
    subjects: Vec<Subject>,
    predicate: &P,
) -> Answer<u64> {
    let statement = Statement::new(subjects, predicate).map_err(Problem::internal)?;
    let envelope = statement.sign(&state.keys.portal).map_err(Problem::internal)?;
    let entry = Entry::of(&envelope)
        .map_err(|error| Problem::refused("entry_too_long", error.to_string()).field("text"))?;
    let candidate = Candidate::by_portal(entry, statement);
    let appended = state.log.append(vec![candidate]).await?;
    appended
        .places
        .first()
        .map(|place| place.index)
        .ok_or_else(|| Problem::internal("no place for the entry"))
}

/// Reads the gates of an override: numbers from 1 to 5.
pub fn parse_gates(numbers: &[u8]) -> Answer<Vec<Gate>> {
    numbers
        .iter()
        .map(|number| {
            Gate::ALL.into_iter().nth(usize::from(*number).wrapping_sub(1)).ok_or_else(|| {
                Problem::bad_request("bad_gate", "no such gate")
                    .field("gates")
                    .found(number)
                    .expected("1 to 5")
            })
        })
        .collect()
}

/// Reads a moment in a form's field.
pub fn parse_moment(field: &'static str, text: &str) -> Answer<Timestamp> {
    // A date field of a browser gives the day alone: the end of that day in UTC.
    let whole = if text.len() == 10 { format!("{text}T23:59:59Z") } else { text.to_owned() };
    whole.parse().map_err(|_| {
        Problem::bad_request("bad_time", "not a date or a time")
            .field(field)
            .found(text)
            .expected("2026-11-29 or 2026-11-29T20:31:07Z")
    })
}
