//! Accounts, tokens and what was done to them, for the pages.

use acta_app::view::people::{
    AccountView, EventRow, MayManage, PeopleDoneView, PeopleView, PersonRow, PersonView, SessionRow, TokenRow,
};

use super::{ServerPortal, moment};
use crate::{
    auth::policy::{Action, Actor, may_change_rights},
    clock,
    error::{Answer, Problem},
    secret::Secret,
    startup::AppState,
    store::{
        self,
        account::{Account, AccountEvent},
        session::SessionInfo,
        token::{EnrolmentToken, Kind, TokenInfo},
    },
    zone,
};

/// Lines of what was done that are shown at most.
pub const EVENTS: u32 = 100;

/// Every account and token, without what depends on the viewer.
pub async fn everything(state: &AppState) -> Answer<PeopleView> {
    let pool = &state.database.read;
    let mut people = Vec::new();
    for account in store::account::list(pool).await? {
        people.push(person_row(state, account).await?);
    }
    let enrolments = store::token::open_enrolments(pool, clock::now().unix_ms()).await?;
    Ok(PeopleView {
        people,
        tokens: rows(store::token::list(pool, Kind::Account, None).await?, token_row)?,
        agent_tokens: rows(store::token::list(pool, Kind::Agent, None).await?, token_row)?,
        enrolments: rows(enrolments, enrolment_row)?,
        events: rows(store::account::events(pool, EVENTS).await?, event_row)?,
        manage: MayManage::default(),
    })
}

fn rows<T, R>(all: Vec<T>, row: impl Fn(T) -> Answer<R>) -> Answer<Vec<R>> {
    all.into_iter().map(row).collect()
}

async fn person_row(state: &AppState, account: Account) -> Answer<PersonRow> {
    let pool = &state.database.read;
    let agents = store::agent::list(pool).await?;
    let owned = agents.into_iter().filter(|agent| agent.owner.as_deref() == Some(&account.name));
    Ok(PersonRow {
        sessions: store::session::list(pool, &account.name).await?.len() as u64,
        agents: owned.map(|agent| agent.name).collect(),
        disabled: account.disabled_at.is_some(),
        created_at: moment(account.created_at)?,
        name: account.name,
        role: account.role,
    })
}

fn session_row(row: SessionInfo, current: bool) -> Answer<SessionRow> {
    Ok(SessionRow {
        id: row.hash.to_string(),
        user_agent: row.user_agent,
        created_at: moment(row.created_at)?,
        last_seen_at: moment(row.last_seen_at)?,
        current,
    })
}

fn codes(scopes: &str) -> Vec<String> {
    scopes.split(' ').filter(|code| !code.is_empty()).map(str::to_owned).collect()
}

fn token_row(row: TokenInfo) -> Answer<TokenRow> {
    Ok(TokenRow {
        id: row.hash.to_string(),
        holder: row.holder,
        label: row.label,
        scopes: codes(&row.scopes),
        issued_at: Some(moment(row.issued_at)?),
        expires_at: moment(row.expires_at)?,
        last_used_at: row.last_used_at.map(moment).transpose()?,
    })
}

fn enrolment_row(
    (hash, token): (acta_ledger::log::digest::Sha256Digest, EnrolmentToken),
) -> Answer<TokenRow> {
    Ok(TokenRow {
        id: hash.to_string(),
        holder: token.agent,
        label: token.owner.unwrap_or_default(),
        scopes: codes(&token.scopes),
        issued_at: None,
        expires_at: moment(token.expires_at)?,
        last_used_at: None,
    })
}

fn event_row(event: AccountEvent) -> Answer<EventRow> {
    Ok(EventRow {
        id: event.id,
        at: moment(event.at)?,
        by: event.by,
        change: event.change,
        subject: event.subject,
        detail: event.detail,
    })
}

impl ServerPortal {
    pub(super) async fn account_view(&self) -> Answer<AccountView> {
        let Actor::Account { name, .. } = &self.asking.actor else {
            return Err(Problem::not_found("no account"));
        };
        let pool = &self.state.database.read;
        let current = self.asking.session.as_ref().map(|session| session.token_hash);
        let sessions = store::session::list(pool, name).await?;
        let own = store::token::list(pool, Kind::Account, Some(name)).await?;
        Ok(AccountView {
            sessions: rows(sessions, |row| {
                let is_this = current == Some(row.hash);
                session_row(row, is_this)
            })?,
            tokens: rows(own, token_row)?,
            zone: store::account::zone(pool, name).await?,
            zones: zone::offered().to_vec(),
        })
    }

    fn may_read_accounts(&self) -> Answer<()> {
        if self.role_allows(Action::ReadAccounts) {
            Ok(())
        } else {
            Err(Problem::not_found("not to be read"))
        }
    }

    pub(super) fn manage(&self) -> Answer<MayManage> {
        Ok(MayManage {
            role_allows: self.role_allows(Action::ManageAccounts),
            step_up_needed: !self.stepped_up(),
            form_key: form_key()?,
        })
    }

    pub(super) async fn people_view(&self) -> Answer<PeopleView> {
        self.may_read_accounts()?;
        Ok(PeopleView { manage: self.manage()?, ..everything(&self.state).await? })
    }

    pub(super) async fn person_view(&self, name: &str) -> Answer<PersonView> {
        self.may_read_accounts()?;
        let pool = &self.state.database.read;
        let account = store::account::find(pool, name).await?;
        let account = account.ok_or_else(|| Problem::not_found("no such account"))?;
        let sessions = store::session::list(pool, name).await?;
        let tokens = store::token::list(pool, Kind::Account, Some(name)).await?;
        let events = store::account::events_of(pool, name, EVENTS).await?;
        let viewer = match &self.asking.actor {
            Actor::Account { name, .. } => Some(name.as_str()),
            _ => None,
        };
        Ok(PersonView {
            person: person_row(&self.state, account).await?,
            sessions: rows(sessions, |row| session_row(row, false))?,
            tokens: rows(tokens, token_row)?,
            events: rows(events, event_row)?,
            own: !may_change_rights(viewer, name),
            manage: self.manage()?,
        })
    }

    pub(super) async fn people_done_view(&self, event: &str) -> Answer<PeopleDoneView> {
        self.may_read_accounts()?;
        let missing = || Problem::not_found("no such line");
        let id: i64 = event.parse().map_err(|_| missing())?;
        let event = store::account::event(&self.state.database.read, id).await?.ok_or_else(missing)?;
        let secret = match &self.asking.actor {
            Actor::Account { name, .. } if self.role_allows(Action::ManageAccounts) => {
                self.state.waiting.take(name, id)
            }
            _ => None,
        };
        let secret = secret.map(|secret| secret.reveal().to_owned());
        Ok(PeopleDoneView { event: event_row(event)?, secret })
    }
}

/// A key for a form.
pub(super) fn form_key() -> Answer<String> {
    Ok(Secret::draw("").map_err(Problem::internal)?.reveal()[..32].to_owned())
}
