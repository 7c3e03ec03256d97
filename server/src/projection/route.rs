//! Routes: which entries concern which route, and the chain of the agents that said so.

use acta_ledger::{evidence::chain::ChainLink, judge::route::RouteEvent};
use sqlx::query;

use super::{Conflict, Logged};
use crate::db::Connection;

pub(super) async fn apply(
    connection: &mut Connection,
    logged: &Logged<'_>,
) -> sqlx::Result<Result<Option<ChainLink>, Conflict>> {
    let event = match RouteEvent::read(logged.statement) {
        Ok(Some(event)) => event,
        Ok(None) => return Ok(Ok(None)),
        Err(error) => return Ok(Err(Conflict::Unreadable(error.to_string()))),
    };
    let (route, index) = (event.route(), logged.index as i64);
    let kind = logged.statement.predicate_type.trim_start_matches("urn:acta:").trim_end_matches(":v1");
    query!("insert into route_event (route, idx, kind) values (?, ?, ?)", route, index, kind)
        .execute(connection)
        .await?;
    Ok(Ok(chain(&event)))
}

fn chain(event: &RouteEvent) -> Option<ChainLink> {
    match event {
        RouteEvent::Gate(it) => Some(it.chain),
        RouteEvent::Pin(it) => Some(it.chain),
        RouteEvent::Canary(it) => Some(it.chain),
        RouteEvent::Retention(it) => it.chain,
        RouteEvent::Result(it) => Some(it.chain),
        RouteEvent::Definition(_) | RouteEvent::Decision(_) | RouteEvent::Order(_) => None,
    }
}
