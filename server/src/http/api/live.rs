//! Builds that run: what their agents say of them, as a list, one by one, and as a stream; and the request to stop one.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use acta_app::{
    i18n::Lang,
    pages::live::fragments,
    view::live::{LiveBuildView, LiveBuildsView},
    zone::Zone,
};
use acta_ledger::judge::live::CancelWay;
use axum::{
    Json,
    extract::{FromRequestParts, Path, Query, State},
    http::{HeaderMap, StatusCode, request::Parts},
    response::sse::{Event, KeepAlive, Sse},
};
use futures::{Stream, stream};
use serde::{Deserialize, Serialize};
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{
    auth::extract::{Allowed, Asking, ReadEvidence, RequestCancel},
    error::{Answer, Problem},
    http::json::Body,
    live::{Live, ask::ask},
    portal::live::view_of,
    startup::AppState,
};

/// A viewer gets states no faster than this: people see no more, and browsers stay smooth.
const PACE: Duration = Duration::from_millis(250);

/// A stream says how long the silence is at least this often, also where the agent says nothing any more.
const PULSE: Duration = Duration::from_secs(1);

/// The moment at which a request arrived, before anything is asked of the database. It must be the first argument.
pub struct Arrived(pub Instant);

impl<S: Sync> FromRequestParts<S> for Arrived {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(Instant::now()))
    }
}

/// Lists the builds that run, or ended within the last minutes.
#[utoipa::path(get, path = "/api/v1/live", responses(
    (status = 200, content_type = "application/json"), (status = 401, body = Problem)))]
pub async fn list(
    allowed: Allowed<ReadEvidence>,
    State(state): State<AppState>,
) -> Answer<Json<LiveBuildsView>> {
    let asking = Asking { actor: allowed.actor, session: allowed.session };
    let mut builds = Vec::new();
    for live in state.live.list() {
        builds.push(view_of(&state, &asking, &live).await?);
    }
    Ok(Json(LiveBuildsView { builds }))
}

/// Reads how one build stands.
#[utoipa::path(get, path = "/api/v1/live/{run}", params(("run" = String, Path)), responses(
    (status = 200, content_type = "application/json"), (status = 401, body = Problem), (status = 404, body = Problem)))]
pub async fn get(
    allowed: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(run): Path<String>,
) -> Answer<Json<LiveBuildView>> {
    let asking = Asking { actor: allowed.actor, session: allowed.session };
    let live = state.live.find(parse_run(&run)?).ok_or_else(not_watched)?;
    Ok(Json(view_of(&state, &asking, &live).await?))
}

/// How a stream is to be written.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct StreamQuery {
    /// `state` (the default): each event is what `GET /api/v1/live/{run}` answers. `page`: each event holds the parts of
    /// the page that change, as HTML.
    view: Option<String>,
    /// The language of `page`.
    lang: Option<String>,
}

/// Follows one build as server-sent events. Each event is whole: `Last-Event-ID` only says which need not come again.
#[utoipa::path(get, path = "/api/v1/live/{run}/events", params(("run" = String, Path), StreamQuery), responses(
    (status = 200, content_type = "text/event-stream"), (status = 400, body = Problem), (status = 401, body = Problem),
    (status = 404, body = Problem)))]
pub async fn events(
    allowed: Allowed<ReadEvidence>,
    State(state): State<AppState>,
    Path(run): Path<String>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let run = parse_run(&run)?;
    let changes = state.live.find(run).and_then(|_| state.live.watch(run)).ok_or_else(not_watched)?;
    let asking = Asking { actor: allowed.actor, session: allowed.session };
    let page = match query.view.as_deref() {
        None | Some("state") => None,
        Some("page") => {
            Some((query.lang.as_deref().and_then(Lang::parse).unwrap_or_default(), asking.zone()))
        }
        Some(other) => {
            return Err(Problem::bad_request("bad_view", "no such view")
                .field("view")
                .found(other)
                .expected("state or page"));
        }
    };
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let follower = Follower { state, asking, changes, page, seen, over: false };
    let stream = stream::unfold(follower, |mut follower| async {
        follower.next().await.map(|event| (Ok(event), follower))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()))
}

/// One viewer of one build.
struct Follower {
    state: AppState,
    asking: Asking,
    changes: watch::Receiver<Live>,
    /// In which language and time zone the page's parts are wanted; none for states.
    page: Option<(Lang, Option<Zone>)>,
    /// The newest event that the viewer has.
    seen: Option<String>,
    over: bool,
}

impl Follower {
    /// The next event; none once all was told.
    async fn next(&mut self) -> Option<Event> {
        if self.over {
            return None;
        }
        let first = self.changes.borrow_and_update().clone();
        let known = self.seen.as_deref() == Some(&self.state.live.event_id(&first));
        let live = if known { self.change().await? } else { first };
        let view = view_of(&self.state, &self.asking, &live).await.ok()?;
        // The end, once its entry is there (or will not come): nothing changes any more.
        self.over = view.is_over();
        let id = self.state.live.event_id(&live);
        let (name, data) = match self.page.clone() {
            None => ("state", serde_json::to_string(&view).ok()?),
            Some((lang, zone)) => ("page", serde_json::to_string(&fragments(&view, lang, zone)).ok()?),
        };
        self.seen = Some(id.clone());
        Some(Event::default().id(id).event(name).data(data))
    }

    /// Waits for a change; after a pulse without one, what is known is told again with its new age.
    async fn change(&mut self) -> Option<Live> {
        let waited = async {
            sleep(PACE).await;
            timeout(PULSE - PACE, self.changes.changed()).await
        };
        tokio::select! {
            changed = waited => if let Ok(Err(_)) = changed {
                return None;
            },
            () = self.state.live.closing() => return None,
        }
        Some(self.changes.borrow_and_update().clone())
    }
}

/// Why a build is to stop.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCancel {
    /// In words; it is kept in the log.
    reason: String,
}

/// What became of a request for a cancel.
#[derive(Serialize, ToSchema)]
pub struct CancelAsked {
    /// The request's id: the agent's cancel record names it.
    request: String,
    /// Where it stands in the log.
    entry: Option<u64>,
    /// `now`, `unseen`, `after`, `when_back` or `again`: what the request met.
    #[schema(value_type = Object)]
    way: CancelWay,
}

/// Asks a build to stop. The request is signed for the person and goes to the agent at once; sent again, the first one counts.
#[utoipa::path(post, path = "/api/v1/live/{run}/cancel", params(("run" = String, Path)), request_body = NewCancel, responses(
    (status = 202, body = CancelAsked), (status = 401, body = Problem), (status = 403, body = Problem),
    (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn cancel(
    Arrived(asked): Arrived,
    allowed: Allowed<RequestCancel>,
    State(state): State<AppState>,
    Path(run): Path<String>,
    Body(wanted): Body<NewCancel>,
) -> Answer<(StatusCode, Json<CancelAsked>)> {
    let by = allowed.signatory()?;
    let done = ask(&state, parse_run(&run)?, by, &wanted.reason, asked).await?;
    let answer = CancelAsked { request: done.request.to_string(), entry: done.entry, way: done.way };
    Ok((StatusCode::ACCEPTED, Json(answer)))
}

/// Reads a run's id.
pub fn parse_run(text: &str) -> Answer<Uuid> {
    text.parse().map_err(|_| not_watched())
}

fn not_watched() -> Problem {
    Problem::not_found("no build of this run is watched here: it may have ended, or never begun")
}
