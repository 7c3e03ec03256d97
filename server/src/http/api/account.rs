//! Accounts and tokens, for whoever keeps or audits them.

use axum::{Json, body::Bytes, extract::State, http::StatusCode};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    account::{self, Change, apply},
    auth::{
        extract::{Allowed, ManageAccounts, ReadAccounts},
        policy::Actor,
    },
    error::{Answer, Problem},
    http::json,
    portal::people::{self, EVENTS},
    startup::AppState,
};

/// An account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountItem {
    /// Its name.
    account: String,
    /// Its role.
    role: String,
    /// Whether it may not be used.
    disabled: bool,
    /// How many sessions it has.
    sessions: u64,
    /// The agents that it owns.
    agents: Vec<String>,
}

/// A token; the token itself is nowhere.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenItem {
    /// Its hash: what it is revoked by.
    id: String,
    /// The account, or the agent.
    holder: String,
    /// What it is for.
    label: String,
    /// What it may be used for.
    scopes: String,
    /// When it ends.
    expires_at: String,
    /// When it was last used.
    last_used_at: Option<String>,
}

/// A line of what was done to accounts and tokens.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventItem {
    /// Its number.
    event: i64,
    /// When.
    at: String,
    /// Who: an account, or `command line`.
    by: String,
    /// What, as a code.
    change: String,
    /// To which account or agent.
    subject: String,
    /// What was given or taken.
    detail: String,
}

/// Everything that is kept about accounts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Accounts {
    /// The accounts by name.
    accounts: Vec<AccountItem>,
    /// Tokens of persons' programs.
    tokens: Vec<TokenItem>,
    /// Tokens of agents.
    agent_tokens: Vec<TokenItem>,
    /// One-time tokens that nobody has used.
    enrolments: Vec<TokenItem>,
    /// What was done last, newest first.
    events: Vec<EventItem>,
}

/// Lists accounts, tokens and what was done to them.
#[utoipa::path(get, path = "/api/v1/accounts",
    responses((status = 200, body = Accounts), (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn list(_: Allowed<ReadAccounts>, State(state): State<AppState>) -> Answer<Json<Accounts>> {
    let view = people::everything(&state).await?;
    let token = |row: acta_app::view::people::TokenRow| TokenItem {
        id: row.id,
        holder: row.holder,
        label: row.label,
        scopes: row.scopes.join(" "),
        expires_at: row.expires_at.to_string(),
        last_used_at: row.last_used_at.map(|at| at.to_string()),
    };
    let accounts = view.people.into_iter().map(|row| AccountItem {
        account: row.name,
        role: row.role,
        disabled: row.disabled,
        sessions: row.sessions,
        agents: row.agents,
    });
    let events = view.events.into_iter().take(EVENTS as usize).map(|row| EventItem {
        event: row.id,
        at: row.at.to_string(),
        by: row.by,
        change: row.change,
        subject: row.subject,
        detail: row.detail,
    });
    Ok(Json(Accounts {
        accounts: accounts.collect(),
        tokens: view.tokens.into_iter().map(token).collect(),
        agent_tokens: view.agent_tokens.into_iter().map(token).collect(),
        enrolments: view.enrolments.into_iter().map(token).collect(),
        events: events.collect(),
    }))
}

/// What was done.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// The number of the line that says so.
    event: i64,
    /// The token that was issued: shown here and nowhere else.
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// Changes an account or a token: `add`, `set_role`, `disable`, `enable`, `end_sessions`, `issue_token`,
/// `revoke_token`, `issue_enrolment` or `revoke_enrolment`. Each leaves a line that is never changed.
#[utoipa::path(post, path = "/api/v1/accounts/changes", request_body = account::Change,
    responses((status = 201, body = Changed), (status = 400, body = Problem), (status = 401, body = Problem),
    (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    allowed: Allowed<ManageAccounts>,
    State(state): State<AppState>,
    body: Bytes,
) -> Answer<(StatusCode, Json<Changed>)> {
    let Actor::Account { name: by, .. } = &allowed.actor else {
        return Err(Problem::unauthorized("sign in"));
    };
    let change: Change = json::parse(&body)?;
    let done = apply(&state.database, Some(by), change).await?;
    let token = done.secret.map(|secret| secret.reveal().to_owned());
    Ok((StatusCode::CREATED, Json(Changed { event: done.event, token })))
}
