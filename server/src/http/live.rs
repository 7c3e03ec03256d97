//! The agent's end of the live channel: one WebSocket a build, for as long as it runs.

use std::time::Duration;

use acta_ledger::{
    evidence::number::Count64,
    live::{CancelOrder, FromAgent, LiveBuild, MAX_MESSAGE_BYTES, ToAgent},
};
use axum::{
    extract::{
        State,
        ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    },
    response::Response,
};
use tokio::time::timeout;

use super::api::agent::authenticated;
use crate::{
    auth::extract::{Allowed, PushEvidence},
    clock,
    error::{Answer, Problem},
    live::{Connection, Live, Request, ask},
    startup::AppState,
    store,
};

/// How long an agent may take to say which build it is about.
const FIRST_WORD: Duration = Duration::from_secs(10);

/// How long an agent may say nothing before its connection is closed: far longer than a heartbeat, and no longer than a
/// dead connection may hold memory.
const SILENCE: Duration = Duration::from_secs(60);

/// How long one message to an agent may take.
const SEND: Duration = Duration::from_secs(10);

/// Takes what an agent tells of a build while it runs, and passes requests for a cancel to it.
#[utoipa::path(get, path = "/api/v1/live/channel", responses(
    (status = 101, description = "A WebSocket; its messages are those of acta_ledger::live"),
    (status = 401, body = Problem), (status = 403, body = Problem)))]
pub async fn channel(
    allowed: Allowed<PushEvidence>,
    State(state): State<AppState>,
    upgrade: WebSocketUpgrade,
) -> Answer<Response> {
    let agent = authenticated(&state, &allowed.actor)?.agent;
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| serve(state, agent, socket)))
}

async fn serve(state: AppState, agent: String, mut socket: WebSocket) {
    let why = tokio::select! {
        why = converse(&state, &agent, &mut socket) => why,
        () = state.live.closing() => End::Away,
    };
    let (code, reason) = match why {
        End::Gone => return,
        End::Away => (close_code::RESTART, "the server stops; connect again".to_owned()),
        End::Refused(reason) => {
            tracing::info!(agent.name = %agent, reason = %reason, "a live channel was refused");
            (close_code::POLICY, reason)
        }
    };
    // A close frame holds at most 123 bytes of text.
    let reason = acta_ledger::live::cut(&reason, 120).into();
    let close = socket.send(Message::Close(Some(CloseFrame { code, reason })));
    // If nobody takes it, the connection ends without a word.
    let _ = timeout(Duration::from_secs(1), close).await;
}

/// Why a conversation ends.
enum End {
    /// The agent is gone.
    Gone,
    /// The server goes, or another connection of the agent has taken over.
    Away,
    /// The agent said what no agent of ours says.
    Refused(String),
}

async fn converse(state: &AppState, agent: &str, socket: &mut WebSocket) -> End {
    let connection = match begin(state, agent, socket).await {
        Ok(connection) => connection,
        Err(end) => return end,
    };
    let Some(mut changes) = connection.watch() else { return End::Away };
    let mut sent = None;
    loop {
        let request = {
            let live = changes.borrow_and_update();
            if !connection.speaks(&live) {
                return End::Away;
            }
            unsent(&live, sent)
        };
        if let Some(request) = request {
            match timeout(SEND, socket.send(order(&request))).await {
                Ok(Ok(())) => sent = Some(request.id),
                Ok(Err(_)) | Err(_) => return End::Gone,
            }
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return End::Away },
            heard = timeout(SILENCE, next(socket)) => match heard {
                Err(_) | Ok(Ok(None)) => return End::Gone,
                Ok(Err(reason)) => return End::Refused(reason),
                Ok(Ok(Some(FromAgent::Build(_)))) => return End::Refused("a channel is about one build".to_owned()),
                Ok(Ok(Some(FromAgent::State(said)))) => match said.check() {
                    Ok(()) => connection.heard(*said),
                    Err(refused) => return End::Refused(refused.to_string()),
                },
            },
        }
    }
}

/// The first word: which build this is about.
async fn begin(state: &AppState, agent: &str, socket: &mut WebSocket) -> Result<Connection, End> {
    let build = match timeout(FIRST_WORD, next(socket)).await {
        Ok(Ok(Some(FromAgent::Build(build)))) => *build,
        Ok(Ok(Some(FromAgent::State(_)))) => {
            return Err(End::Refused("the first message says which build it is about".to_owned()));
        }
        Ok(Err(reason)) => return Err(End::Refused(reason)),
        Ok(Ok(None)) | Err(_) => return Err(End::Gone),
    };
    build.check().map_err(|refused| End::Refused(refused.to_string()))?;
    if let Some(entry) = logged(state, &build).await? {
        return Err(End::Refused(format!("the run has ended and is signed: entry {entry}")));
    }
    let run = build.run;
    let connection = state.live.open(agent, build).map_err(|error| End::Refused(error.to_string()))?;
    // A request of before this server started must reach the agent all the same.
    let before = ask::from_log(state, run, agent).await.map_err(|_| End::Away)?;
    if let Some(request) = before {
        state.live.ask(run, request);
    }
    Ok(connection)
}

async fn logged(state: &AppState, build: &LiveBuild) -> Result<Option<u64>, End> {
    let found = store::run::find(&state.database.read, &build.run.to_string()).await;
    found.map(|row| row.map(|row| row.entry)).map_err(|error| {
        tracing::error!(cause = %error, "a live channel could not be opened");
        End::Away
    })
}

/// The request that this connection has not sent; none where the agent's own state already knows of a cancel.
fn unsent(live: &Live, sent: Option<uuid::Uuid>) -> Option<std::sync::Arc<Request>> {
    let known = live.state.as_ref().is_some_and(|state| state.cancel.is_some());
    live.request.clone().filter(|request| sent != Some(request.id) && !known)
}

fn order(request: &Request) -> Message {
    let since_start = u64::try_from((clock::now().unix_ms() - request.at.unix_ms()).max(0)).unwrap_or(0);
    let held = match request.asked {
        Some(asked) => u64::try_from(asked.elapsed().as_nanos()).unwrap_or(u64::MAX),
        // Asked of the process before this one: only the wall clock has gone on.
        None => since_start.saturating_mul(1_000_000),
    };
    let order = ToAgent::Cancel(CancelOrder { envelope: request.envelope.clone(), held: Count64(held) });
    Message::text(serde_json::to_string(&order).unwrap_or_default())
}

/// The agent's next word; none where it is gone. Pings are answered on the way.
async fn next(socket: &mut WebSocket) -> Result<Option<FromAgent>, String> {
    loop {
        match socket.recv().await {
            Some(Ok(Message::Text(text))) => {
                return serde_json::from_str(&text).map(Some).map_err(|error| error.to_string());
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_))) => return Err("a message is text".to_owned()),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(None),
        }
    }
}
