//! Extractors: a handler names the permission it needs in its arguments.

use std::marker::PhantomData;

use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};

use super::{
    policy::{Action, Actor, allows},
    session::{self, Session},
};
use crate::{clock, error::Problem, secret, startup::AppState, store::token};

/// A permission as a type.
pub trait Permission {
    /// The action it stands for.
    const ACTION: Action;
}

macro_rules! permissions {
    ($($name:ident),*) => {$(
        /// The permission of the action of the same name.
        pub struct $name;
        impl Permission for $name {
            const ACTION: Action = Action::$name;
        }
    )*};
}
permissions!(ReadLog, ReadEvidence, PushEvidence, Enrol);

/// Proof that the actor may do what `P` says.
pub struct Allowed<P> {
    /// Who it is.
    pub actor: Actor,
    permission: PhantomData<P>,
}

/// Who is asking, with the session where there is one; asks for no permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// Who it is.
    pub actor: Actor,
    /// Their session.
    pub session: Option<Session>,
}

impl FromRequestParts<AppState> for Asking {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        if let Some(value) = parts.headers.get(header::AUTHORIZATION) {
            let token = value.to_str().ok().and_then(|value| value.strip_prefix("Bearer "));
            let token =
                token.ok_or_else(|| Problem::unauthorized("Authorization must be: Bearer <token>"))?;
            let actor = agent_of(state, token).await?;
            return Ok(Self { actor, session: None });
        }
        let (read, write) = (&state.database.read, &state.database.write);
        let session = session::find(read, write, &parts.headers, state.tls).await?;
        let actor = session.as_ref().map_or(Actor::Anonymous, |session| session.actor.clone());
        Ok(Self { actor, session })
    }
}

impl<P: Permission + Send> FromRequestParts<AppState> for Allowed<P> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let Asking { actor, .. } = Asking::from_request_parts(parts, state).await?;
        if allows(&actor, P::ACTION, state.public_read) {
            return Ok(Self { actor, permission: PhantomData });
        }
        tracing::info!(action = ?P::ACTION, actor = ?actor, path = %parts.uri.path(), "a request was denied");
        Err(match actor {
            Actor::Anonymous => {
                Problem::unauthorized("sign in, or send an agent's token as Authorization: Bearer <token>")
            }
            Actor::Account { role, .. } => Problem::forbidden(
                "not_allowed",
                format!("the role {role} may not do this; an agent's token is needed"),
            ),
            Actor::Agent { name } => {
                Problem::forbidden("not_allowed", format!("the agent {name} may not do this"))
            }
        })
    }
}

async fn agent_of(state: &AppState, token: &str) -> Result<Actor, Problem> {
    let (hash, now) = (secret::hash(token), clock::now().unix_ms());
    match token::find_agent_token(&state.database.read, &hash).await? {
        Some(found) if found.expires_at > now => {
            token::touch_agent_token(&state.database, &hash, found.last_used_at, now).await?;
            Ok(Actor::Agent { name: found.agent })
        }
        Some(_) => Err(Problem::unauthorized("the token has expired: enrol the agent again")),
        None => Err(Problem::unauthorized("the token is not known to this server")),
    }
}
