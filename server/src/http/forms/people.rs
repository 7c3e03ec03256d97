//! What the pages of people post to. The answer leads to the line that says what was done; a token that was issued
//! stands on that page, once.

use acta_app::routes;
use axum::{
    body::Bytes,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Redirect, Response},
};

use super::{
    fields::{Fields, received},
    step_up,
};
use crate::{
    account::{Change, NewPassword, apply},
    auth::{
        extract::{Asking, check},
        policy::{Action, Actor, Role, Scope},
    },
    clock,
    error::{Answer, Problem},
    http::api::agent::parse_digest,
    startup::AppState,
    store::idempotency::{self, Taken},
};

/// Does what a form asks for.
pub async fn change(State(state): State<AppState>, asking: Asking, body: Bytes) -> Answer<Response> {
    let fields = received(&asking, &body)?;
    match change_now(&state, asking, &fields).await {
        Ok(event) => Ok(Redirect::to(&routes::people_done(event)).into_response()),
        Err(problem) if problem.status >= 500 => Err(problem),
        Err(problem) => {
            let back = match fields.get("back") {
                Some(account) => routes::person(account),
                None => routes::PEOPLE.to_owned(),
            };
            Ok(fields.back_without(&back, &problem, &["new_password"]))
        }
    }
}

async fn change_now(state: &AppState, asking: Asking, fields: &Fields) -> Answer<i64> {
    let asking = step_up(state, asking, fields.get("password")).await?;
    check(&asking, Action::ManageAccounts, state, routes::PEOPLE_CHANGES)?;
    let Actor::Account { name: by, .. } = &asking.actor else { return Err(Problem::unauthorized("sign in")) };
    let change = wanted(fields)?;
    let key = fields.needed("key")?;
    if key.len() > 100 {
        return Err(
            Problem::bad_request("bad_key", "a form carries a key of 1 to 100 characters").field("key")
        );
    }
    let (write, key) = (&state.database.write, format!("people:{key}"));
    match idempotency::take(write, by, &key, clock::now().unix_ms()).await? {
        Taken::Before(event) => return Ok(event as i64),
        Taken::InProgress => {
            let detail = "this form is being worked on: reload in a moment";
            return Err(Problem::new(StatusCode::CONFLICT, "in_progress", detail));
        }
        Taken::Now => {}
    }
    match apply(&state.database, Some(by), change).await {
        Ok(done) => {
            if let Some(secret) = done.secret {
                state.waiting.keep(by, done.event, secret);
            }
            idempotency::settle(write, by, &key, done.event as u64).await?;
            Ok(done.event)
        }
        Err(problem) => {
            idempotency::release(write, by, &key).await?;
            Err(problem)
        }
    }
}

/// Reads what the form asks for.
fn wanted(fields: &Fields) -> Answer<Change> {
    let account = || fields.needed("account").map(str::to_owned);
    let role = || {
        let role = fields.code::<Role>("role")?;
        role.ok_or_else(|| Problem::bad_request("missing_field", "a field is missing").field("role"))
    };
    let number = |name: &'static str| {
        let text = fields.needed(name)?;
        text.parse::<u32>()
            .map_err(|_| Problem::bad_request("bad_duration", "this is no number").field(name).found(text))
    };
    Ok(match fields.needed("change")? {
        "add" => Change::Add {
            account: account()?,
            role: role()?,
            password: NewPassword(fields.needed("new_password")?.to_owned()),
        },
        "set_role" => Change::SetRole { account: account()?, role: role()? },
        "disable" => Change::Disable { account: account()? },
        "enable" => Change::Enable { account: account()? },
        "end_sessions" => Change::EndSessions { account: account()? },
        "issue_token" => Change::IssueToken {
            account: account()?,
            label: fields.needed("label")?.trim().to_owned(),
            scopes: scopes(fields)?,
            days: number("days")?,
        },
        "revoke_token" => Change::RevokeToken { id: parse_digest("id", fields.needed("id")?)? },
        "issue_enrolment" => Change::IssueEnrolment {
            agent: fields.needed("agent")?.to_owned(),
            owner: fields.get("owner").map(str::to_owned),
            scopes: scopes(fields)?,
            hours: number("hours")?,
        },
        "revoke_enrolment" => Change::RevokeEnrolment { id: parse_digest("id", fields.needed("id")?)? },
        other => {
            return Err(Problem::bad_request("bad_code", "this cannot be done here")
                .field("change")
                .found(other));
        }
    })
}

fn scopes(fields: &Fields) -> Answer<Vec<Scope>> {
    let read = |text: &str| {
        serde_json::from_value(text.into()).map_err(|_| {
            Problem::bad_request("bad_scopes", "there is no such scope").field("scopes").found(text)
        })
    };
    fields.all("scopes").map(read).collect()
}
