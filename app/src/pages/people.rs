//! All accounts.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{context::PageContext, portal::PageError};

/// Loads it.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let _view = context.portal.people().await?;
    let title = context.lang.t("nav-people");
    let body = view! { <h1>{title.clone()}</h1> }.into_any();
    Ok(Ready { title, room: Room::People, island: false, body })
}
