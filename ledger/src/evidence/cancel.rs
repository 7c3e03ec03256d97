//! The cancel record: who asked, when, and how long the library took to listen.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::log::{digest::Sha256Digest, timestamp::Timestamp};

/// Where a cancel came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelSource {
    /// A person at the terminal.
    CtrlC,
    /// A CI job's timeout or deadline.
    Ci,
    /// An editor's stop button.
    Ide,
    /// The shutdown of the service that the build runs in.
    Service,
    /// A request through the API or the portal.
    Api,
    /// A program's own event loop.
    EventLoop,
    /// The monitor itself failed, which stops the build.
    MonitorException,
    /// Nobody asked.
    None,
}

/// The single cancellation state as it stood at some event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CancelState {
    /// Nobody has asked.
    #[default]
    None,
    /// Asked, not yet answered by a step.
    Requested,
    /// A step has answered "stop".
    Acknowledged,
}

/// A request that had to wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Deferral {
    /// Which window it waited for.
    pub window: NoCancelWindow,
    /// For how long.
    pub deferred_ms: f64,
}

/// Stretches in which a cancel would do harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoCancelWindow {
    /// The final artifact is being written.
    ArtifactWrite,
    /// Files are being cleaned up.
    Cleanup,
    /// Evidence is not on disk yet.
    EvidenceAtRisk,
    /// Production would be left without a way back.
    NoRollbackRoute,
}

/// Why a builder was killed that had been asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EscalationCause {
    /// A person pressed Ctrl-C for the third time.
    ThirdCtrlC,
    /// The deadline of the service's stop was near.
    StopDeadline,
}

/// A kill after a request to stop: by policy or by a person, never silently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Escalation {
    /// Why.
    pub cause: EscalationCause,
    /// When it was killed.
    pub killed_at: Timestamp,
    /// From the first request to the kill.
    pub after_ms: f64,
    /// The time that the service's stop may take, where that was the cause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Where that time is written: `--stop-deadline`, `ACTA_STOP_DEADLINE`, or the unit's `TimeoutStopSec`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_from: Option<String>,
}

/// How many names of a path a cancel's record keeps.
pub const MAX_PATH: usize = 12;

/// Everything that is known about the cancel of one build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelRecord {
    /// Where it came from.
    pub source: CancelSource,
    /// Why, in the words of who asked.
    pub reason: Option<String>,
    /// Who asked, as far as the agent knows.
    pub who: Option<String>,
    /// When the source asked.
    pub requested_at: Timestamp,
    /// When the builder's flag was set; none if it never was.
    pub delivered_at: Option<Timestamp>,
    /// The first step that answered "stop"; none if none did.
    pub acknowledged_at: Option<Timestamp>,
    /// When the build call returned.
    pub returned_at: Option<Timestamp>,
    /// When cleaning up had ended.
    pub cleaned_at: Option<Timestamp>,
    /// From the request to the flag.
    pub request_to_delivery_ms: Option<f64>,
    /// From the request to the first step that answered "stop".
    pub request_to_ack_ms: Option<f64>,
    /// From that step to the return of the build call.
    pub ack_to_return_ms: Option<f64>,
    /// From that step to the end of cleaning up.
    pub ack_to_cleanup_ms: Option<f64>,
    /// Where no step ever answered "stop": the latency is longer than this. Never dropped, never zero.
    pub censored_after_ms: Option<f64>,
    /// The request's offset from the build call, in nanoseconds; none if it came before or after the call.
    pub requested_offset_ns: Option<super::number::Count64>,
    /// The acknowledgement's offset from the build call, in nanoseconds.
    pub acknowledged_offset_ns: Option<super::number::Count64>,
    /// The return's offset from the build call, in nanoseconds.
    pub returned_offset_ns: Option<super::number::Count64>,
    /// The end of cleaning up as an offset from the build call, in nanoseconds.
    pub cleaned_offset_ns: Option<super::number::Count64>,
    /// Ids of the phases that were open at the request.
    pub open_at_request: Vec<u32>,
    /// Ids of the phases that were open at the acknowledgement.
    pub open_at_acknowledgement: Vec<u32>,
    /// The names down to the phase that was begun last of those open at the request, at most [`MAX_PATH`] of them, the
    /// innermost ones; none where no phase was open. So that latencies can be told apart by phase without the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase_at_request: Option<Vec<String>>,
    /// Windows that held it back; of one that was still open when this was signed, the time until then.
    pub deferrals: Vec<Deferral>,
    /// The kill that followed, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalation: Option<Escalation>,
    /// The portal's signed request, where it came from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestRef>,
}

/// The portal's request behind a cancel, and how its moment came onto the agent's clock.
///
/// The server's clock and the agent's are two clocks. `requested_at` of the cancel record is of the agent's: the moment
/// at which the request arrived, less the time that the server had held it, less half a round trip. The server's own
/// word for the moment stands here and in the request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestRef {
    /// The request's id.
    pub id: Uuid,
    /// The digest of its entry.
    pub entry: Sha256Digest,
    /// When the person asked, by the server's clock.
    pub server_at: Timestamp,
    /// How long the server held it, in milliseconds.
    pub held_ms: f64,
    /// How far the moment on the agent's clock can be off: half the shortest round trip, in milliseconds; none where no
    /// round trip had been measured.
    pub uncertainty_ms: Option<f64>,
}
