//! Routes, decisions and accounts for the pages.

use acta_app::view::route::{
    DoneView, LiveView, MayConfirm, MayDecide, OrderView, RetainedRow, RouteRow, RouteView, RoutesView,
};
use acta_ledger::{
    evidence::{
        decision::{DecisionKind, RouteDecision},
        person::STEP_UP_MS,
        retention::RetentionRecord,
        rollback::{OrderAction, RollbackOrder},
        route::BundleDigest,
    },
    judge::route::{
        RouteEvent, RouteLog, RouteState, Turn, bundles, confirmation_refusals, live_at, needs_confirmation,
        refusals, way_back_to,
    },
};

use super::{ServerPortal, indented, moment, people::form_key};
use crate::{
    auth::{
        extract::signatory,
        policy::{Action, Actor, allows},
        session::Session,
    },
    clock,
    error::{Answer, Problem},
    http::api::{
        entry::{find, material},
        route::{action_of, parse_bundle},
    },
    route::{self, act::parse_moment, read, state_of},
    statement, store,
};

/// The decisions that a page offers, in their order.
const DECISIONS: [DecisionKind; 5] = [
    DecisionKind::Approve,
    DecisionKind::Hold,
    DecisionKind::Reject,
    DecisionKind::LiftHold,
    DecisionKind::Override,
];

impl ServerPortal {
    pub(super) async fn routes_view(&self) -> Answer<RoutesView> {
        self.may_read()?;
        let mut rows = Vec::new();
        for (_, state, log) in route::all(&self.state).await? {
            let newest = log.entries.iter().map(|entry| entry.index).max().unwrap_or_default();
            let logged_at =
                store::ledger::facts(&self.state.database.read, newest).await?.map_or(0, |it| it.logged_at);
            rows.push(RouteRow {
                yours: self.is_turn_of(&state.turn),
                since: moment(logged_at)?,
                missing: state.missing.len(),
                outdated: !state.outdated.is_empty(),
                way_back: state.way_back.clone(),
                now: clock::now(),
                record: state.record,
                gates: state.gates,
                turn: state.turn,
            });
        }
        rows.sort_by_key(|row| (!row.yours, row.since));
        Ok(RoutesView { rows })
    }

    fn is_turn_of(&self, turn: &Turn) -> bool {
        matches!(&self.asking.actor, Actor::Account { name, role, token: None } if turn.is_of(name, *role))
    }

    pub(super) async fn route_view(&self, name: &str, bundle: Option<&str>) -> Answer<RouteView> {
        self.may_read()?;
        let bundle = bundle.map(parse_bundle).transpose()?;
        let (state, log, seen) = state_of(&self.state, name, bundle).await?;
        let definition = log.entries.iter().rev().find_map(|entry| match &entry.event {
            RouteEvent::Definition(definition) => Some((**definition).clone()),
            _ => None,
        });
        Ok(RouteView {
            definition,
            bundles: bundles(name, &log).iter().map(|bundle| bundle.0).collect(),
            seen,
            decisions: self.decisions(name, &state, &log),
            may_order: self.role_allows(Action::RequestOrder),
            step_up_needed: !self.stepped_up(),
            retained: retained(name, &state, &log),
            orders: orders(&log),
            confirm: self.may_confirm(name, &state, &log),
            form_key: form_key()?,
            now: clock::now(),
            state,
        })
    }

    pub(super) fn role_allows(&self, action: Action) -> bool {
        allows(&self.asking.actor, action, self.state.public_read)
    }

    pub(super) fn stepped_up(&self) -> bool {
        let fresh =
            |session: &Session| clock::now().unix_ms() - session.authenticated_at.unix_ms() <= STEP_UP_MS;
        self.asking.session.as_ref().is_some_and(fresh)
    }

    fn decisions(&self, name: &str, state: &RouteState, log: &RouteLog) -> Vec<MayDecide> {
        let Some(bundle) = state.record.bundle_digest else { return Vec::new() };
        let now = clock::now();
        let person = signatory(&self.asking.actor, self.asking.session.as_ref()).ok();
        DECISIONS
            .into_iter()
            .map(|kind| {
                // The password is asked for on the review page; it is not a reason against the decision itself.
                let person = person.clone().map(|mut person| {
                    person.stepped_up_at = Some(now);
                    person
                });
                let (objections, missing) =
                    person.map(|person| refusals(name, bundle, log, &person, kind, now)).unwrap_or_default();
                MayDecide { kind, role_allows: self.role_allows(action_of(kind)), objections, missing }
            })
            .collect()
    }

    fn may_confirm(&self, name: &str, state: &RouteState, log: &RouteLog) -> Option<MayConfirm> {
        let waiting = state.awaiting.as_ref()?;
        let order = log.entries.iter().find_map(|entry| match &entry.event {
            RouteEvent::Order(order) if entry.index == waiting.entry.index => Some((**order).clone()),
            _ => None,
        })?;
        let now = clock::now();
        let person = signatory(&self.asking.actor, self.asking.session.as_ref()).ok();
        let (_, objections, missing) = person
            .map(|person| confirmation_refusals(name, log, waiting.order, &person, now))
            .unwrap_or_default();
        let role_allows = self.role_allows(Action::ConfirmOrder);
        Some(MayConfirm { entry: waiting.entry.index, order, role_allows, objections, missing })
    }

    pub(super) async fn done_view(&self, route: &str, which: &str) -> Answer<DoneView> {
        self.may_read()?;
        let stored = find(&self.state, which).await?;
        let (envelope, statement) = statement::parse(&stored)?;
        let decision = statement.predicate::<RouteDecision>().ok().filter(|it| it.route == route);
        let order = statement.predicate::<RollbackOrder>().ok().filter(|it| it.route == route);
        let bundle =
            decision.as_ref().map(|it| it.bundle_digest).or(order.as_ref().map(|it| BundleDigest(it.to)));
        let Some(bundle) = bundle else {
            return Err(Problem::not_found("the entry is no decision and no order of this route"));
        };
        let (state, _, _) = state_of(&self.state, route, Some(bundle)).await?;
        Ok(DoneView {
            entry: stored.index,
            route: route.to_owned(),
            decision,
            order,
            record: state.record,
            missing: state.missing,
            statement: indented(&envelope.payload),
            verification: self.verification(&material(&self.state, stored.index).await?),
        })
    }

    pub(super) async fn live_view(&self, route: &str, at: &str) -> Answer<LiveView> {
        self.may_read()?;
        let at = parse_moment("at", at)?;
        let (log, _) = read(&self.state, route).await?;
        Ok(LiveView { route: route.to_owned(), at, live: live_at(route, &log, at) })
    }
}

fn retained(name: &str, state: &RouteState, log: &RouteLog) -> Vec<RetainedRow> {
    let kept = |record: &RetentionRecord| record.bundle.digest;
    let mut digests: Vec<_> = log
        .entries
        .iter()
        .filter_map(|entry| match &entry.event {
            RouteEvent::Retention(record) => Some(kept(record)),
            _ => None,
        })
        .collect();
    digests.sort();
    digests.dedup();
    let live = state.live.as_ref().and_then(|period| period.bundle);
    let now = clock::now();
    digests
        .into_iter()
        .map(|bundle| RetainedRow {
            bundle,
            live: live == Some(bundle),
            needs_confirmation: needs_confirmation(name, log, OrderAction::Rollback, bundle, now),
            way_back: way_back_to(name, log, bundle, now),
        })
        .collect()
}

fn orders(log: &RouteLog) -> Vec<OrderView> {
    let steps = |order: &RollbackOrder| {
        let of = |entry: &acta_ledger::judge::route::RouteEntry| match &entry.event {
            RouteEvent::Result(result) if result.order == order.order => {
                Some((entry.index, (**result).clone()))
            }
            _ => None,
        };
        log.entries.iter().filter_map(of).collect()
    };
    let view = |entry: &acta_ledger::judge::route::RouteEntry| match &entry.event {
        RouteEvent::Order(order) => {
            Some(OrderView { entry: entry.index, order: (**order).clone(), steps: steps(order) })
        }
        _ => None,
    };
    // A confirmed order stands in the log twice; it is told once, as it was confirmed.
    let mut told = std::collections::HashSet::new();
    let all = log.entries.iter().rev().filter_map(view);
    all.filter(|it| told.insert(it.order.order)).collect()
}
