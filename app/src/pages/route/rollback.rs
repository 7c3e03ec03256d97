//! Going back, and the other orders to the runtime: choose the bundle, review, then the signed result.

mod choose;
mod review;

use acta_ledger::{
    evidence::rollback::OrderAction,
    judge::route::{Missing, WayBackLack},
    log::digest::Sha256Digest,
};

use super::super::Ready;
use crate::{
    address::query_value,
    context::PageContext,
    portal::PageError,
    view::route::{RetainedRow, RouteView},
};

/// Loads the choice, or the review where the address names a bundle.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let action = match query_value(&context.query, "action") {
        None => OrderAction::Rollback,
        Some(text) => serde_json::from_value(text.clone().into())
            .map_err(|_| PageError::BadRequest { field: "action", found: text })?,
    };
    let view = context.portal.route(name, None).await?;
    let Some(text) = query_value(&context.query, "to") else {
        return Ok(choose::show(context, &view));
    };
    let Ok(to) = text.parse::<Sha256Digest>() else {
        return Err(PageError::BadRequest { field: "to", found: text });
    };
    // What is on record of both sides; a bundle that is kept need not have any.
    let after = context.portal.route(name, Some(&text)).await.ok();
    let now = match view.state.live.as_ref().and_then(|live| live.bundle) {
        Some(live) => context.portal.route(name, Some(&live.to_string())).await.ok(),
        None => None,
    };
    Ok(review::show(context, &view, now.as_ref(), after.as_ref(), action, to))
}

/// A kept bundle by its digest.
fn kept(view: &RouteView, bundle: Sha256Digest) -> Option<&RetainedRow> {
    view.retained.iter().find(|row| row.bundle == bundle)
}

/// What speaks against an order, as far as what is on record says; the server judges again before it signs.
fn against(
    view: &RouteView,
    after: Option<&RouteView>,
    action: OrderAction,
    to: Sha256Digest,
) -> Vec<Missing> {
    let lacks = kept(view, to).map(|row| row.way_back.lacks.clone()).unwrap_or_default();
    let not_kept = |lack: &WayBackLack| {
        use WayBackLack::{Damaged, NotRetained, Purged, RetentionEnded};
        matches!(lack, NotRetained | Purged | Damaged | RetentionEnded { .. })
    };
    // A drill is what makes a drill; a deployment needs the route's own pass.
    let lacks = lacks.into_iter().filter(|lack| action == OrderAction::Rollback || not_kept(lack));
    let mut missing: Vec<Missing> = lacks.map(|lack| Missing::WayBack { lack }).collect();
    if action == OrderAction::Deploy {
        missing.extend(after.into_iter().flat_map(|after| after.state.missing.clone()));
    }
    missing
}
