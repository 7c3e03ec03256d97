//! Orders to the agent beside the runtime (`urn:acta:rollback-order:v1`) and what came of them
//! (`urn:acta:rollback-result:v1`). The portal records what was intended and what the agent reports; it never assumes.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{chain::ChainLink, decision::ReasonCode, person::Signatory, pin::Pins};
use crate::log::{digest::Sha256Digest, statement::Predicate, timestamp::Timestamp};

/// What an order is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderAction {
    /// Put an approved bundle into service.
    Deploy,
    /// Go back to a retained bundle.
    Rollback,
    /// Do all of it on a scratch target, to know that it works.
    Drill,
}

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RollbackOrder {
    /// The order's id: results name it.
    pub order: Uuid,
    /// The route.
    pub route: String,
    /// What it is for.
    pub action: OrderAction,
    /// Which bundle is to be left; none where none is live.
    pub from: Option<Sha256Digest>,
    /// Which retained bundle is to be restored.
    pub to: Sha256Digest,
    /// Its runtime configuration.
    pub runtime_config: Sha256Digest,
    /// Why, as a code.
    pub reason_code: ReasonCode,
    /// Why, in words.
    pub text: String,
    /// Who ordered it.
    pub by: Signatory,
    /// Whether a second person must confirm it before it is carried out. Absent in orders from before there was a choice.
    #[serde(default)]
    pub needs_confirmation: bool,
    /// Who confirmed it. A confirmation is the same order signed once more, with this name and its own moment.
    pub confirmed_by: Option<Signatory>,
    /// When it was ordered, or confirmed.
    pub at: Timestamp,
}

impl Predicate for RollbackOrder {
    const TYPE: &'static str = "urn:acta:rollback-order:v1";
}

/// How far an order has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RollbackStep {
    /// The agent has received it.
    Requested,
    /// The agent has verified digest and configuration and will do it.
    Acknowledged,
    /// The bundle stands where the runtime looks.
    Restored,
    /// The health command found it well.
    Verified,
    /// It was refused before anything changed.
    Refused,
    /// It failed; what is live is said beside it.
    Failed,
}

impl RollbackStep {
    /// Whether nothing more will come.
    pub fn is_last(self) -> bool {
        matches!(self, Self::Verified | Self::Refused | Self::Failed)
    }
}

/// Why an order was refused or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RollbackFailure {
    /// The bundle is not retained.
    NotRetained,
    /// What is retained has another digest.
    Damaged,
    /// The runtime configuration is missing or another.
    RuntimeConfig,
    /// No drill ever restored it, or the drill is too old.
    NeverDrilled,
    /// The target is missing.
    TargetMissing,
    /// The target is full.
    TargetFull,
    /// The target cannot be written.
    TargetReadOnly,
    /// The health command found it unwell.
    Unhealthy,
    /// The health command did not end in time.
    HealthTimeout,
    /// Another order came first.
    Superseded,
    /// Something else, in words.
    Other,
}

/// The health command's end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthResult {
    /// The command.
    pub command: String,
    /// How it exited; none where it was stopped.
    pub exit_code: Option<i32>,
    /// How long it took.
    pub duration_ms: f64,
}

/// One report of the agent beside the runtime.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RollbackResult {
    /// The order.
    pub order: Uuid,
    /// The route.
    pub route: String,
    /// What the order was for.
    pub action: OrderAction,
    /// Which bundle it was to restore.
    pub to: Sha256Digest,
    /// How far it has come.
    pub step: RollbackStep,
    /// Why it was refused or failed.
    pub failure: Option<RollbackFailure>,
    /// The same in words.
    pub text: Option<String>,
    /// The digest of the bundle as the agent read it.
    pub measured_bundle: Option<Sha256Digest>,
    /// The digest of the runtime configuration as the agent read it.
    pub measured_config: Option<Sha256Digest>,
    /// Which bundle the runtime is served from after this step, as the agent measured it; none where none is.
    pub live: Option<Sha256Digest>,
    /// Where it was done.
    pub runtime_target: String,
    /// The facts as they were there.
    pub observed: Pins,
    /// The health command's end.
    pub health: Option<HealthResult>,
    /// From the order to this step.
    pub since_order_ms: Option<f64>,
    /// When.
    pub at: Timestamp,
    /// The statement's place in the agent's chain.
    pub chain: ChainLink,
}

impl Predicate for RollbackResult {
    const TYPE: &'static str = "urn:acta:rollback-result:v1";
}
