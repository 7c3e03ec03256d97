//! The pages of builds that run.

use acta_app::view::live::{LiveBuildView, LiveBuildsView, RequestView};
use acta_ledger::{
    evidence::{build::BuildSummary, cancel_request::CancelRequest, code, person::Signatory},
    judge::live::{
        Standing,
        verdict::{LiveVerdict, verdict},
    },
};

use super::ServerPortal;
use crate::{
    advice,
    auth::{
        extract::Asking,
        policy::{Action, allows},
    },
    error::{Answer, Problem},
    http::api::live::parse_run,
    live::{Live, Request},
    startup::AppState,
    statement,
    store::run,
};

/// A build as a viewer may see it.
pub async fn view_of(state: &AppState, asking: &Asking, live: &Live) -> Answer<LiveBuildView> {
    // Only a build that has ended can be in the log: whatever runs needs no question.
    let ended = live.state.as_ref().is_some_and(|state| state.end.is_some());
    let logged = match ended {
        true => run::link_to(&state.database.read, &live.build.run.to_string()).await?,
        false => None,
    };
    Ok(LiveBuildView {
        build: live.build.clone(),
        agent: live.agent.clone(),
        standing: live.standing(),
        way: live.way(),
        heard_ago_ms: live.heard_ago_ms(),
        state: live.state.as_deref().cloned(),
        request: live.request.as_deref().map(request_view),
        verdict: verdict_of(state, live).await?,
        logged,
        may_cancel: allows(&asking.actor, Action::RequestCancel, state.public_read),
    })
}

/// How it stands beside earlier builds of its kind; none where nobody knows whether it runs.
async fn verdict_of(state: &AppState, live: &Live) -> Answer<Option<LiveVerdict>> {
    let told = live.state.as_deref().filter(|_| live.standing() == Standing::Running);
    let Some((told, kind)) = told.and_then(|told| Some((told, told.kind.as_ref()?))) else { return Ok(None) };
    let usual = live.usual.get_or_try_init(|| advice::baseline(state, kind)).await?;
    Ok(verdict(told, live.heard_ago_ms().saturating_mul(1_000_000), usual))
}

fn request_view(request: &Request) -> RequestView {
    RequestView {
        id: request.id.to_string(),
        account: request.by.account.clone(),
        role: role(&request.by),
        reason: request.reason.clone(),
        at: request.at,
        entry: request.entry,
    }
}

fn role(by: &Signatory) -> String {
    by.roles.first().map(code).unwrap_or_default()
}

impl ServerPortal {
    pub(super) async fn live_builds_view(&self) -> Answer<LiveBuildsView> {
        self.may_read()?;
        let mut builds = Vec::new();
        for live in self.state.live.list() {
            builds.push(view_of(&self.state, &self.asking, &live).await?);
        }
        Ok(LiveBuildsView { builds })
    }

    pub(super) async fn live_build_view(&self, run: &str) -> Answer<LiveBuildView> {
        self.may_read()?;
        let live = self.state.live.find(parse_run(run)?);
        view_of(&self.state, &self.asking, &live.ok_or_else(|| Problem::not_found("no such build"))?).await
    }

    /// The portal's request that a run's cancel record names; none where the log does not hold it.
    pub(super) async fn cancel_request(&self, summary: &BuildSummary) -> Answer<Option<RequestView>> {
        let Some(named) = summary.cancel.as_ref().and_then(|cancel| cancel.request.as_ref()) else {
            return Ok(None);
        };
        let Some(index) = self.state.reader.index_of(&named.entry).await? else { return Ok(None) };
        let Some(stored) = self.state.reader.entry(index).await? else { return Ok(None) };
        let read = statement::parse(&stored).ok().and_then(|(_, statement)| statement.predicate().ok());
        let request = read.filter(|request: &CancelRequest| request.run == summary.run.id);
        Ok(request.map(|request| RequestView {
            id: request.request.to_string(),
            role: role(&request.by),
            account: request.by.account,
            reason: request.reason,
            at: request.at,
            entry: Some(index),
        }))
    }
}
