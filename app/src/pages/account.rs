//! The viewer's own account.

use leptos::prelude::*;

use super::{Ready, Room};
use crate::{context::PageContext, portal::PageError};

/// Loads it.
pub async fn load(context: &PageContext) -> Result<Ready, PageError> {
    let _view = context.portal.account().await?;
    let title = context.lang.t("nav-people");
    let body = view! { <h1>{title.clone()}</h1> }.into_any();
    Ok(Ready { title, room: Room::Account, island: false, body })
}
