//! A route.

pub mod decide;
pub mod done;
pub mod live;
pub mod rollback;

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{context::PageContext, portal::PageError};

/// Loads it.
pub async fn load(context: &PageContext, name: &str) -> Result<Ready, PageError> {
    let _view = context.portal.route(name, None).await?;
    let title = context.lang.t("nav-routes");
    let body = view! { <h1>{title.clone()}</h1> }.into_any();
    Ok(Ready { title, room: Room::Routes, island: false, body })
}
