//! A person asks for a cancel. The request is signed, goes to the agent, and into the log, in this order: the builder
//! must not wait for a disk. If the server dies in between, the agent's own record names person, reason and entry.

use std::time::Instant;

use acta_ledger::{
    evidence::{
        cancel_request::{CancelRequest, MAX_REASON_CHARS},
        code,
        person::Signatory,
    },
    judge::live::CancelWay,
    log::{
        entry::Entry,
        statement::{Predicate as _, Statement},
    },
};
use axum::http::StatusCode;
use uuid::Uuid;

use super::{Live, Request};
use crate::{
    clock,
    error::{Answer, Problem},
    log::writer::Candidate,
    startup::AppState,
    statement, store,
};

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// The request that counts: this one, or the one before it.
    pub request: Uuid,
    /// Where it stands in the log.
    pub entry: Option<u64>,
    /// What it met.
    pub way: CancelWay,
}

/// Asks the agent that builds the run to stop. `asked` is the moment at which the person's request arrived. Sent again,
/// the first request is the answer.
pub async fn ask(state: &AppState, run: Uuid, by: Signatory, reason: &str, asked: Instant) -> Answer<Asked> {
    let reason = check_reason(reason)?;
    let live =
        state.live.find(run).ok_or_else(|| Problem::not_found("no build of this run is watched here"))?;
    let way = live.way();
    match way {
        CancelWay::TooLate => return Err(too_late()),
        CancelWay::Again => return again(&live),
        CancelWay::Now | CancelWay::Unseen | CancelWay::After(_) | CancelWay::WhenBack => {}
    }
    let statement = CancelRequest {
        request: Uuid::now_v7(),
        run,
        agent: live.agent.clone(),
        route: live.build.route.clone(),
        reason,
        by,
        at: clock::now(),
    };
    let (request, candidate) = sign(state, statement, asked)?;
    let (id, account) = (request.id, request.by.account.clone());
    if !state.live.ask(run, request) {
        let live = state.live.find(run).ok_or_else(too_late)?;
        return again(&live);
    }
    tracing::info!(run.id = %run, account.name = %account, way = %code(&way), "a cancel was requested");
    let appended = state.log.append(vec![candidate]).await?;
    let entry = appended.places.first().map(|place| place.index);
    if let Some(entry) = entry {
        state.live.logged(run, id, entry);
    }
    Ok(Asked { request: id, entry, way })
}

fn sign(state: &AppState, request: CancelRequest, asked: Instant) -> Answer<(Request, Candidate)> {
    let statement =
        Statement::new(vec![CancelRequest::subject(request.run)], &request).map_err(Problem::internal)?;
    let envelope = statement.sign(&state.keys.portal).map_err(Problem::internal)?;
    let entry = Entry::of(&envelope)
        .map_err(|error| Problem::refused("entry_too_long", error.to_string()).field("reason"))?;
    let request = Request {
        id: request.request,
        by: request.by,
        reason: request.reason,
        at: request.at,
        asked: Some(asked),
        envelope: serde_json::from_slice(entry.bytes()).map_err(Problem::internal)?,
        digest: entry.digest(),
        entry: None,
    };
    Ok((request, Candidate::by_portal(entry, statement)))
}

fn check_reason(reason: &str) -> Answer<String> {
    let reason = reason.trim();
    let chars = reason.chars().count();
    if reason.is_empty() {
        return Err(Problem::refused("missing_reason", "a cancel needs a reason; nothing was requested")
            .field("reason")
            .expected("why this build is to stop, in words"));
    }
    if chars > MAX_REASON_CHARS {
        return Err(Problem::refused("text_too_long", "the reason is too long; nothing was requested")
            .field("reason")
            .found(format!("{chars} characters"))
            .expected(format!("at most {MAX_REASON_CHARS}")));
    }
    Ok(reason.to_owned())
}

fn too_late() -> Problem {
    Problem::new(
        StatusCode::CONFLICT,
        "too_late",
        "the build call is over: nothing is left to cancel, and nothing was requested",
    )
}

fn again(live: &Live) -> Answer<Asked> {
    match &live.request {
        Some(request) => Ok(Asked { request: request.id, entry: request.entry, way: CancelWay::Again }),
        None => {
            let source = live
                .state
                .as_ref()
                .and_then(|state| state.cancel.as_ref())
                .map(|cancel| code(&cancel.source));
            Err(Problem::new(
                StatusCode::CONFLICT,
                "already_asked",
                "a cancel was requested at the builder already: the first request counts, nothing was added",
            )
            .found(source.unwrap_or_default()))
        }
    }
}

/// The request for a run that stands in the log: what a server that started again must send once more.
pub async fn from_log(state: &AppState, run: Uuid, agent: &str) -> Answer<Option<Request>> {
    let subject = CancelRequest::subject_digest(run);
    let Some(index) = store::ledger::first_about(&state.database.read, &subject, CancelRequest::TYPE).await?
    else {
        return Ok(None);
    };
    let Some(stored) = state.reader.entry(index).await? else { return Ok(None) };
    let read = statement::parse(&stored).ok().and_then(|(_, statement)| statement.predicate().ok());
    let Some(request) = read.filter(|request: &CancelRequest| request.agent == agent) else {
        return Ok(None);
    };
    Ok(Some(Request {
        id: request.request,
        by: request.by,
        reason: request.reason,
        at: request.at,
        asked: None,
        envelope: serde_json::from_slice(&stored.record).map_err(Problem::internal)?,
        digest: stored.digest,
        entry: Some(index),
    }))
}
