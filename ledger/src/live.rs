//! The live channel: what an agent says of a build while it runs, and what it is told meanwhile.
//!
//! Nothing here is evidence: it is not signed, it is not logged, and a frame that is lost is made good by the next one.
//! Evidence is what the agent signs at the end, and the request for a cancel that the portal signs and sends along.
//!
//! One WebSocket a build, JSON text messages. The agent speaks first with [`FromAgent::Build`], then sends a
//! [`LiveState`] whenever something has changed, at most about ten times a second, and at least every
//! [`HEARTBEAT_MS`]. Each state is whole and bounded, so that whoever missed some needs only the newest. The server
//! sends [`ToAgent`].
//!
//! # Clocks
//!
//! Moments of a state are nanoseconds of the agent's monotonic clock; `now` is its reading when the state was made. No
//! reading of it is ever compared with another machine's clock: whoever shows a state takes differences, and adds what
//! has passed by its own clock since the state came. The other way round a request travels with the time that it has
//! been held ([`CancelOrder::held`]): the agent takes that and half a round trip from its own clock.

pub mod fold;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    evidence::{
        build::{BuilderKind, Outcome},
        cancel::{CancelSource, NoCancelWindow},
        number::Count64,
    },
    judge::baseline::BaselineKey,
    log::{digest::Sha256Digest, timestamp::Timestamp},
};

/// The channel's version.
pub const PROTOCOL: u32 = 1;

/// The longest message in bytes.
pub const MAX_MESSAGE_BYTES: usize = 1 << 17;

/// An agent that has nothing new to say says so this often.
pub const HEARTBEAT_MS: u64 = 1_000;

/// Phases that a state names at most; the others are counted under the phase they stand in.
pub const MAX_PHASES: usize = 160;

/// The longest name of a phase in a state, in bytes.
pub const MAX_NAME_BYTES: usize = 120;

/// The longest text of anything else in a message, in bytes.
pub const MAX_TEXT_BYTES: usize = 1_000;

/// How many settings a build names at most.
pub const MAX_SETTINGS: usize = 32;

/// What an agent says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum FromAgent {
    /// Which build this channel is about; first, and once.
    Build(Box<LiveBuild>),
    /// How it stands.
    State(Box<LiveState>),
}

/// What an agent is told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ToAgent {
    /// Somebody asks for a cancel.
    Cancel(CancelOrder),
}

/// Which build runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveBuild {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The run.
    pub run: Uuid,
    /// The route that it is made for.
    pub route: Option<String>,
    /// Which attempt.
    pub attempt: u32,
    /// The run that it repeats.
    pub retry_of: Option<Uuid>,
    /// The model's file name.
    pub model: String,
    /// What was asked for beside the defaults.
    pub settings: BTreeMap<String, String>,
    /// When it began, by the agent's wall clock.
    pub started_at: Timestamp,
}

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The worker starts and loads the library.
    Starting,
    /// The network is parsed.
    Parsing,
    /// The builder is set up.
    SettingUp,
    /// The build call runs.
    Building,
    /// The build call runs, and its last phase has ended: the library serializes, without a callback.
    Serializing,
    /// The build call returned.
    Returned,
    /// The plan is written.
    Writing,
    /// Cleaning up, hashing, signing.
    Cleaning,
    /// Signed; nothing more will come.
    Ended,
}

/// How a build stands; whole, so that the newest is enough.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveState {
    /// The reading of the agent's monotonic clock in nanoseconds; all moments below are of the same clock.
    pub now: Count64,
    /// When the attempt began.
    pub started: Count64,
    /// How far it is.
    pub stage: Stage,
    /// What builds, once the library is loaded.
    pub builder: Option<BuilderKind>,
    /// The library's version.
    pub tensorrt_version: Option<String>,
    /// What kind of build it is, once that is known: by this it stands beside earlier ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<BaselineKey>,
    /// When the build call began.
    pub build_began: Option<Count64>,
    /// When the last callback came.
    pub last_callback: Option<Count64>,
    /// Callbacks so far.
    pub callbacks: u64,
    /// Steps a second over the last seconds; none where too little time has passed.
    pub steps_per_s: Option<f64>,
    /// Phases begun so far.
    pub phase_count: u64,
    /// The open phases and those that took longest, by id.
    pub phases: Vec<LivePhase>,
    /// What the worker uses now.
    pub usage: LiveUsage,
    /// The window that would hold a request back now.
    pub window: Option<NoCancelWindow>,
    /// The cancel, once somebody asked.
    pub cancel: Option<LiveCancel>,
    /// How it ended, once it has.
    pub end: Option<LiveEnd>,
}

/// A phase that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LivePhase {
    /// Its ordinal in order of beginning, counted from 0.
    pub id: u32,
    /// The phase it stands in.
    pub parent: Option<u32>,
    /// Its name, cut to [`MAX_NAME_BYTES`].
    pub name: String,
    /// The how-manieth phase of this name under this parent, counted from 0.
    pub occurrence: u32,
    /// Steps announced.
    pub steps_announced: i64,
    /// Steps that ended.
    pub steps_completed: u64,
    /// When it began, in nanoseconds since the build call.
    pub started: Count64,
    /// When it ended; none while it is open.
    pub finished: Option<Count64>,
    /// How many phases directly in it are not shown.
    pub folded: u32,
}

/// What the worker uses.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveUsage {
    /// Resident memory now, in bytes.
    pub rss_bytes: Option<u64>,
    /// The share of one processor core over the last second: 1.0 is a whole core.
    pub cores: Option<f64>,
    /// Threads now.
    pub threads: Option<u32>,
}

/// A cancel on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveCancel {
    /// Where it came from.
    pub source: CancelSource,
    /// Why, in the words of who asked.
    pub reason: Option<String>,
    /// Who asked.
    pub who: Option<String>,
    /// The portal's request, where it came from there.
    pub request: Option<Uuid>,
    /// When the source asked.
    pub requested: Count64,
    /// When the builder's flag was set.
    pub delivered: Option<Count64>,
    /// The first step that answered "stop".
    pub acknowledged: Option<Count64>,
    /// When the build call returned.
    pub returned: Option<Count64>,
    /// When cleaning up had ended.
    pub cleaned: Option<Count64>,
    /// The window that held it back.
    pub held_by: Option<NoCancelWindow>,
    /// Phases that were open at the request, by id.
    pub open_at_request: Vec<u32>,
}

/// How a build ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveEnd {
    /// Its outcome.
    pub outcome: Outcome,
    /// The digest of the entry that says so.
    pub entry: Sha256Digest,
}

/// A request for a cancel on its way to the agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelOrder {
    /// The envelope of the request (`urn:acta:cancel-request:v1`), signed by the portal for the person.
    pub envelope: Value,
    /// How long the server has held it since the person asked, in nanoseconds.
    pub held: Count64,
}

/// Why a message is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: found {found}, expected {expected}")]
pub struct Refused {
    /// Which member.
    pub field: &'static str,
    /// What stood there.
    pub found: String,
    /// What may stand there.
    pub expected: &'static str,
}

impl LiveBuild {
    /// Refuses what no agent of ours sends.
    pub fn check(&self) -> Result<(), Refused> {
        let long = |text: &str| text.len() > MAX_TEXT_BYTES;
        if self.protocol != PROTOCOL {
            return refused("protocol", self.protocol, "1: use an agent of this server's version");
        }
        if long(&self.model) || self.route.as_deref().is_some_and(long) {
            return refused("model, route", "a longer text", "at most 1,000 bytes");
        }
        if self.settings.len() > MAX_SETTINGS
            || self.settings.iter().any(|(key, value)| long(key) || long(value))
        {
            return refused("settings", self.settings.len(), "at most 32, each of at most 1,000 bytes");
        }
        Ok(())
    }
}

impl LiveState {
    /// Refuses what no agent of ours sends: whoever shows a state has nothing to fear from it.
    pub fn check(&self) -> Result<(), Refused> {
        let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES);
        if self.phases.len() > MAX_PHASES {
            return refused("phases", self.phases.len(), "at most 160");
        }
        let in_order = self.phases.is_sorted_by(|one, next| one.id < next.id);
        let sound = |phase: &LivePhase| {
            phase.parent.is_none_or(|parent| parent < phase.id)
                && phase.name.len() <= MAX_NAME_BYTES
                && phase.finished.is_none_or(|end| end >= phase.started)
        };
        if let Some(phase) = self.phases.iter().find(|phase| !sound(phase)) {
            return refused(
                "phases",
                format!("phase {}", phase.id),
                "parents before children, ends after beginnings",
            );
        }
        if !in_order {
            return refused("phases", "another order", "each id once, ascending");
        }
        let cancel = self.cancel.as_ref();
        if long(&self.tensorrt_version) {
            return refused("tensorrtVersion", "a longer text", "at most 1,000 bytes");
        }
        if cancel.is_some_and(|cancel| {
            long(&cancel.reason) || long(&cancel.who) || cancel.open_at_request.len() > MAX_PHASES
        }) {
            return refused(
                "cancel",
                "a longer text or list",
                "texts of at most 1,000 bytes, at most 160 phases",
            );
        }
        let name = |text: &str| text.len() > MAX_TEXT_BYTES;
        if self.kind.as_ref().is_some_and(|kind| name(&kind.gpu_sku) || name(&kind.tensorrt_version)) {
            return refused("kind", "a longer text", "at most 1,000 bytes");
        }
        let wrong = |number: Option<f64>| number.is_some_and(|number| !number.is_finite() || number < 0.0);
        if wrong(self.steps_per_s) || wrong(self.usage.cores) {
            return refused("stepsPerS, cores", "not a number of 0 or more", "a number of 0 or more");
        }
        Ok(())
    }

    /// The open phases, outermost first.
    pub fn open_phases(&self) -> impl DoubleEndedIterator<Item = &LivePhase> {
        self.phases.iter().filter(|phase| phase.finished.is_none())
    }

    /// Nanoseconds since the last callback; none before the first.
    pub fn silence(&self) -> Option<u64> {
        self.last_callback.map(|at| self.now.0.saturating_sub(at.0))
    }
}

fn refused<T>(field: &'static str, found: impl ToString, expected: &'static str) -> Result<T, Refused> {
    Err(Refused { field, found: found.to_string(), expected })
}

/// Cuts a text to so many bytes, at a character's border.
pub fn cut(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
pub(crate) mod tests;
