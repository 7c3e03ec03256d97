//! Extractors: a handler names the permission it needs in its arguments.

use std::marker::PhantomData;

use axum::{
    extract::FromRequestParts,
    http::{header, request::Parts},
};

use acta_app::zone::Zone;
use acta_ledger::evidence::{
    code,
    person::{STEP_UP_MS, SignIn, Signatory},
};

use super::{
    policy::{Action, Actor, ROLES, Role, Scopes, allows, parse_role},
    session::{self, Session},
};
use crate::{clock, error::Problem, secret, startup::AppState, zone};

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
permissions!(
    ReadLog,
    ReadEvidence,
    PushEvidence,
    Enrol,
    RequestCancel,
    DefineRoute,
    Hold,
    Decide,
    Override,
    RequestOrder,
    ConfirmOrder,
    TakeOrders,
    OwnAccount,
    ReadAccounts,
    ManageAccounts,
    Purge,
    ReadMetrics
);

/// Proof that the actor may do what `P` says.
pub struct Allowed<P> {
    /// Who it is.
    pub actor: Actor,
    /// Their session, where they have one.
    pub session: Option<Session>,
    permission: PhantomData<P>,
}

impl<P> Allowed<P> {
    /// The person who asks, as the portal will name them in what it signs; an agent or nobody is no person.
    pub fn signatory(&self) -> Result<Signatory, Problem> {
        signatory(&self.actor, self.session.as_ref())
    }
}

/// A person as the portal names them in what it signs for them.
pub fn signatory(actor: &Actor, session: Option<&Session>) -> Result<Signatory, Problem> {
    let Actor::Account { name, role, token } = actor else {
        return Err(Problem::unauthorized("a person must do this: sign in"));
    };
    let now = clock::now();
    Ok(Signatory {
        account: name.clone(),
        roles: vec![*role],
        signed_in_with: if token.is_some() { SignIn::ApiToken } else { SignIn::Password },
        signed_in_at: session.map_or(now, |session| session.signed_in_at),
        stepped_up_at: session.map(|session| session.authenticated_at),
    })
}

/// Who is asking, with the session where there is one; asks for no permission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// Who it is.
    pub actor: Actor,
    /// Their session.
    pub session: Option<Session>,
}

impl Asking {
    /// The time zone of whoever looks at a page; none for UTC.
    pub fn zone(&self) -> Option<Zone> {
        zone::shown(self.session.as_ref()?.zone.as_deref()?)
    }
}

impl FromRequestParts<AppState> for Asking {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        if let Some(value) = parts.headers.get(header::AUTHORIZATION) {
            let token = value.to_str().ok().and_then(|value| value.strip_prefix("Bearer "));
            let token =
                token.ok_or_else(|| Problem::unauthorized("Authorization must be: Bearer <token>"))?;
            let actor = holder_of(state, token).await?;
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
        let asking = Asking::from_request_parts(parts, state).await?;
        check(&asking, P::ACTION, state, parts.uri.path())?;
        Ok(Self { actor: asking.actor, session: asking.session, permission: PhantomData })
    }
}

/// Refuses what the table does not allow, and what needs the password again.
pub fn check(asking: &Asking, action: Action, state: &AppState, path: &str) -> Result<(), Problem> {
    let actor = &asking.actor;
    if !allows(actor, action, state.public_read) {
        tracing::info!(action = ?action, actor = ?actor, path, "a request was denied");
        return Err(denied(actor, action));
    }
    let fresh = |session: &Session| clock::now().unix_ms() - session.authenticated_at.unix_ms() <= STEP_UP_MS;
    if action.needs_step_up() && !asking.session.as_ref().is_some_and(fresh) {
        return Err(Problem::forbidden(
            "step_up_needed",
            "give your password again: it was last given more than five minutes ago",
        ));
    }
    Ok(())
}

/// Refuses what somebody may not do with a part of an admitted request, which asks for more than the whole does.
pub fn check_part(actor: &Actor, action: Action) -> Result<(), Problem> {
    if allows(actor, action, false) { Ok(()) } else { Err(denied(actor, action)) }
}

fn denied(actor: &Actor, action: Action) -> Problem {
    match actor {
        Actor::Anonymous => {
            Problem::unauthorized("sign in, or send a token as Authorization: Bearer <token>")
        }
        Actor::Account { token: Some(scopes), .. } => Problem::forbidden(
            "not_allowed",
            format!("the token may be used for: {scopes}; anything else a person must do, signed in"),
        ),
        Actor::Account { role, .. } => {
            Problem::forbidden("not_allowed", format!("you may not do this: your role is {}", code(role)))
                .expected(who_may(action))
        }
        Actor::Agent { name, scopes } => Problem::forbidden(
            "not_allowed",
            format!("the agent {name} may not do this with its token, which may be used for: {scopes}"),
        ),
    }
}

/// The roles that may do it, in words.
fn who_may(action: Action) -> String {
    let may = |role: &Role| {
        allows(&Actor::Account { name: String::new(), role: *role, token: None }, action, false)
    };
    let roles: Vec<String> = ROLES.iter().filter(|role| may(role)).map(code).collect();
    if roles.is_empty() { "an agent, with its token".to_owned() } else { roles.join(" or ") }
}

async fn holder_of(state: &AppState, token: &str) -> Result<Actor, Problem> {
    let (hash, now) = (secret::hash(token), clock::now().unix_ms());
    let unknown = || Problem::unauthorized("the token is not known to this server");
    let found = state.tokens.find(hash).await?.ok_or_else(unknown)?;
    still_valid(found.expires_at, now)?;
    let scopes = Scopes::parse(&found.scopes);
    let actor = if found.kind == "agent" {
        Actor::Agent { name: found.holder, scopes }
    } else {
        // An account that is disabled has no role here.
        let role = found.role.as_deref().and_then(parse_role).ok_or_else(unknown)?;
        Actor::Account { name: found.holder, role, token: Some(scopes) }
    };
    state.tokens.touch(hash, found.last_used_at, now).await?;
    Ok(actor)
}

fn still_valid(expires_at: i64, now: i64) -> Result<(), Problem> {
    if expires_at > now { Ok(()) } else { Err(Problem::unauthorized("the token has expired: get a new one")) }
}
