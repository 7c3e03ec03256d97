//! Intake: everything that is checked about an envelope before it may wait for the log.

use std::{collections::HashSet, sync::Arc};

use acta_ledger::{
    evidence::{
        acceptance::AcceptanceRecord,
        agent_key::AgentKey,
        blob::named_blobs,
        build::{BuildSummary, FRAMEWORK},
        canary::CanaryRecord,
        cancel_request::CancelRequest,
        chain::ChainLink,
        decision::RouteDecision,
        gate::GateRecord,
        import::ImportRecord,
        log_key::LogKey,
        pin::PinObservation,
        rebuild::RebuildRecord,
        retention::RetentionRecord,
        rollback::{RollbackOrder, RollbackResult},
        route::{RouteDefinition, is_route_name},
    },
    judge::route::RouteEvent,
    log::{
        digest::Sha256Digest,
        dsse::Envelope,
        entry::Entry,
        statement::{Predicate as _, Statement},
        timestamp::Timestamp,
    },
};

use serde_json::Value;

use crate::{
    auth::policy::Action,
    blob::BlobStore,
    clock,
    error::{Answer, Problem},
    keyring::Signer,
    log::writer::Candidate,
};

/// Envelopes in one request at most.
pub const MAX_ENVELOPES: usize = 256;

/// How far a statement's times may lie ahead of the server's clock.
pub const MAX_SKEW_MS: i64 = 5 * 60 * 1000;

/// Checks one envelope that the agent offers to the log of this origin: signature by the agent's own key, statement, the
/// log that it is meant for, predicate, blobs, length.
pub async fn check(envelope: &Value, agent: &Signer, origin: &str, blobs: &BlobStore) -> Answer<Candidate> {
    let envelope = Envelope::from_json(envelope)
        .map_err(|error| Problem::bad_request("malformed_envelope", error.to_string()).field("envelope"))?;
    let (envelope, _) = envelope.verified(&[agent.key], 1).map_err(|error| {
        let by = envelope.hinted_keys().next().map_or_else(|| "no key id".to_owned(), |id| id.to_string());
        Problem::refused(
            "bad_signature",
            format!("the envelope is not signed by agent {}: {error}", agent.agent),
        )
        .field("signatures")
        .found(by)
        .expected(agent.key_id)
    })?;
    let statement = Statement::from_envelope(&envelope)
        .map_err(|error| Problem::bad_request("malformed_statement", error.to_string()).field("payload"))?;
    check_log(&statement, origin)?;
    let summary = check_predicate(&statement, blobs).await?;
    let entry = Entry::of(&envelope).map_err(|error| {
        Problem::new(axum::http::StatusCode::PAYLOAD_TOO_LARGE, "entry_too_long", error.to_string())
            .field("envelope")
            .found(error.found)
            .expected(acta_ledger::log::tile::MAX_ENTRY_BYTES)
    })?;
    Ok(Candidate { entry, statement, summary, signer: agent.agent.clone(), key: Some(agent.key_id) })
}

/// What an agent does who offers such a statement: what came of an order is told by whoever may take orders.
pub fn action_of(statement: &Statement) -> Action {
    if statement.predicate_type == RollbackResult::TYPE { Action::TakeOrders } else { Action::PushEvidence }
}

/// Refuses what an agent said to another log, whoever carried it here.
fn check_log(statement: &Statement, origin: &str) -> Answer<()> {
    let link = ChainLink::of(statement).map_err(|error| {
        Problem::refused("malformed_predicate", error.to_string()).field("predicate.chain")
    })?;
    let Some(log) = link.filter(|link| !link.is_meant_for(origin)).and_then(|link| link.log) else {
        return Ok(());
    };
    let said = "the statement is meant for another log: the agent must be enrolled here when it signs";
    let expected = format!("{}, the SHA-256 digest of {origin:?}", Sha256Digest::of(origin.as_bytes()));
    Err(Problem::refused("other_log", said).field("predicate.chain.log").found(log).expected(expected))
}

/// Checks the predicate; a build's summary is handed on as it was read.
async fn check_predicate(statement: &Statement, blobs: &BlobStore) -> Answer<Option<Arc<BuildSummary>>> {
    match statement.predicate_type.as_str() {
        BuildSummary::TYPE => {
            let summary: BuildSummary = statement.predicate().map_err(|error| {
                Problem::refused("malformed_predicate", error.to_string()).field("predicate")
            })?;
            check_summary(&summary)?;
            check_blobs(summary.blobs(), blobs).await?;
            return Ok(Some(Arc::new(summary)));
        }
        GateRecord::TYPE
        | CanaryRecord::TYPE
        | RetentionRecord::TYPE
        | RollbackResult::TYPE
        | PinObservation::TYPE => check_route_evidence(statement, blobs).await,
        AcceptanceRecord::TYPE => {
            let record: AcceptanceRecord = statement.predicate().map_err(|error| {
                Problem::refused("malformed_predicate", error.to_string()).field("predicate")
            })?;
            check_acceptance(&record)?;
            check_blobs(record.blobs(), blobs).await
        }
        RebuildRecord::TYPE => {
            let record: RebuildRecord = statement.predicate().map_err(|error| {
                Problem::refused("malformed_predicate", error.to_string()).field("predicate")
            })?;
            record
                .check()
                .map_err(|error| Problem::refused("malformed_predicate", error).field("predicate"))?;
            let latest = clock::now().plus_ms(MAX_SKEW_MS).unwrap_or(record.at);
            refuse_future("predicate.at", record.at, latest)
        }
        ImportRecord::TYPE => {
            let record: ImportRecord = statement.predicate().map_err(|error| {
                Problem::refused("malformed_predicate", error.to_string()).field("predicate")
            })?;
            check_blobs(record.blobs(), blobs).await
        }
        AgentKey::TYPE
        | LogKey::TYPE
        | CancelRequest::TYPE
        | RouteDefinition::TYPE
        | RouteDecision::TYPE
        | RollbackOrder::TYPE => Err(Problem::refused(
            "not_for_agents",
            "only the portal says this, for a person who has signed in",
        )
        .field("predicateType")
        .found(&statement.predicate_type)),
        other => Err(Problem::refused("unknown_predicate", "this server does not know the predicate type")
            .field("predicateType")
            .found(other)
            .expected(BuildSummary::TYPE)),
    }
    .map(|()| None)
}

async fn check_route_evidence(statement: &Statement, blobs: &BlobStore) -> Answer<()> {
    let event = RouteEvent::read(statement)
        .map_err(|error| Problem::refused("malformed_predicate", error.to_string()).field("predicate"))?
        .ok_or_else(|| Problem::internal("a predicate of a route that is none"))?;
    let latest = clock::now().plus_ms(MAX_SKEW_MS).unwrap_or(event.at());
    refuse_future("predicate.at", event.at(), latest)?;
    if !is_route_name(event.route()) {
        return Err(Problem::refused("malformed_predicate", "not the name of a route")
            .field("predicate.route")
            .found(event.route()));
    }
    if let RouteEvent::Retention(record) = &event
        && (record.chain.is_none() || record.purged_by.is_some())
    {
        return Err(Problem::refused(
            "malformed_predicate",
            "what an agent says has a place in its chain, and it purges nothing here",
        )
        .field("predicate.chain"));
    }
    let named = named_blobs(statement).map_err(Problem::internal)?;
    check_blobs(named, blobs).await
}

fn check_acceptance(record: &AcceptanceRecord) -> Answer<()> {
    check_framework(&record.framework)?;
    record.check().map_err(|error| Problem::refused("malformed_predicate", error).field("predicate"))?;
    let latest = clock::now().plus_ms(MAX_SKEW_MS).unwrap_or(record.finished_at);
    for (field, at) in
        [("predicate.startedAt", record.started_at), ("predicate.finishedAt", record.finished_at)]
    {
        refuse_future(field, at, latest)?;
    }
    Ok(())
}

fn check_framework(framework: &str) -> Answer<()> {
    if framework == FRAMEWORK {
        return Ok(());
    }
    Err(Problem::refused("malformed_predicate", "the framework is another")
        .field("predicate.framework")
        .found(framework)
        .expected(FRAMEWORK))
}

fn check_summary(summary: &BuildSummary) -> Answer<()> {
    check_framework(&summary.framework)?;
    let latest = clock::now().plus_ms(MAX_SKEW_MS).unwrap_or(summary.finished_at);
    for (field, at) in
        [("predicate.startedAt", summary.started_at), ("predicate.finishedAt", summary.finished_at)]
    {
        refuse_future(field, at, latest)?;
    }
    let durations = &summary.duration_ms;
    let all = [Some(durations.total), durations.parse, durations.build, durations.serialize, durations.write];
    if let Some(negative) = all.into_iter().flatten().find(|ms| *ms < 0.0) {
        return Err(Problem::refused("malformed_predicate", "a duration is negative")
            .field("predicate.durationMs")
            .found(negative));
    }
    Ok(())
}

fn refuse_future(field: &'static str, at: Timestamp, latest: Timestamp) -> Answer<()> {
    if at <= latest {
        return Ok(());
    }
    Err(Problem::refused(
        "clock_skew",
        "the statement's time lies more than 5 minutes ahead of the server's clock",
    )
    .field(field)
    .found(at)
    .expected(format!("at most {latest}")))
}

async fn check_blobs(named: Vec<Sha256Digest>, blobs: &BlobStore) -> Answer<()> {
    for digest in named.into_iter().collect::<HashSet<_>>() {
        if blobs.size(&digest).await?.is_none() {
            return Err(Problem::refused(
                "missing_blob",
                format!(
                    "the statement names a blob that is not stored; PUT /api/v1/blobs/sha256/{digest} first"
                ),
            )
            .field("predicate")
            .found(digest));
        }
    }
    Ok(())
}
