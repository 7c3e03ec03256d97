//! The form that asks a build to stop. A refusal goes back to the review with the reason that was typed.

use acta_app::{
    address::percent_encode,
    routes::{cancel_build, live_build},
};
use axum::{
    Form,
    extract::{Path, State},
    response::{IntoResponse as _, Redirect, Response},
};
use serde::Deserialize;

use super::check_form_token;
use crate::{
    auth::{
        extract::{Asking, check, signatory},
        policy::Action,
    },
    error::{Answer, Problem},
    http::api::live::{Arrived, parse_run},
    live::ask::{Asked, ask},
    startup::AppState,
};

/// What the form carries.
#[derive(Deserialize)]
pub struct CancelForm {
    #[serde(default)]
    form_token: String,
    #[serde(default)]
    reason: String,
}

/// Asks a build to stop, and leads back to it.
pub async fn cancel(
    Arrived(asked): Arrived,
    State(state): State<AppState>,
    Path(run): Path<String>,
    asking: Asking,
    Form(form): Form<CancelForm>,
) -> Answer<Response> {
    check_form_token(&asking, &form.form_token)?;
    let done: Answer<Asked> = async {
        check(&asking, Action::RequestCancel, &state, "cancel")?;
        let by = signatory(&asking.actor, asking.session.as_ref())?;
        ask(&state, parse_run(&run)?, by, &form.reason, asked).await
    }
    .await;
    match done {
        Ok(_) => Ok(Redirect::to(&live_build(&run)).into_response()),
        Err(problem) if problem.status >= 500 || problem.status == 404 || problem.status == 401 => {
            Err(problem)
        }
        Err(problem) => Ok(Redirect::to(&back(&run, &form.reason, &problem)).into_response()),
    }
}

fn back(run: &str, reason: &str, problem: &Problem) -> String {
    // A reason that is far too long would make an address that no browser takes.
    let reason: String = reason.chars().take(1_000).collect();
    let fields = [("error", problem.code), ("detail", &problem.detail), ("reason", &reason)];
    let query: Vec<String> =
        fields.iter().map(|(name, value)| format!("{name}={}", percent_encode(value))).collect();
    format!("{}?{}", cancel_build(run), query.join("&"))
}
