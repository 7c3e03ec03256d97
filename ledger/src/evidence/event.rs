//! The event log (blob, NDJSON): one progress event a line; it can always be grouped back into the phase tree.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{cancel::CancelState, number::Count64};

/// The media type of the event log.
pub const EVENT_LOG_MEDIA_TYPE: &str = "application/x-ndjson";

/// How many steps of one phase instance the event log keeps; the phase tree counts them all.
pub const MAX_STEP_LINES: u32 = 1024;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A phase began.
    Start,
    /// A step of it ended.
    Step,
    /// The phase ended.
    Finish,
}

/// How far a phase had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The step that ended, as the library counts (from 0).
    pub step: i64,
    /// How many steps were announced.
    pub steps: i64,
}

/// One line of the event log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressEvent {
    /// The run.
    pub build_id: Uuid,
    /// The phase instance; none for an event that fits no open phase.
    pub phase_id: Option<u32>,
    /// The phase instance it stands under.
    pub parent_id: Option<u32>,
    /// The phase's name, bounded.
    pub display_name: String,
    /// What happened.
    pub event: EventKind,
    /// Nanoseconds since the build call.
    pub at: Count64,
    /// How far, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The thread that called, counted from 0 in order of appearance.
    pub thread: u32,
    /// The cancellation state as the callback saw it.
    pub cancel_state: CancelState,
}
