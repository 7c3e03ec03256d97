//! What the live pages show: builds as their agents last told of them.

use acta_ledger::{
    judge::live::{CancelWay, Standing, verdict::LiveVerdict},
    live::{LiveBuild, LivePhase, LiveState},
    log::timestamp::Timestamp,
};
use serde::{Deserialize, Serialize};

use super::RunLink;

/// A build that runs, or ended a short while ago.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveBuildView {
    /// What is built.
    pub build: LiveBuild,
    /// The agent that builds.
    pub agent: String,
    /// Whether it runs.
    pub standing: Standing,
    /// What a request for a cancel would meet.
    pub way: CancelWay,
    /// Milliseconds since the agent was heard of, by the server's clock.
    pub heard_ago_ms: u64,
    /// How it stood then; none where the agent has said nothing yet.
    pub state: Option<LiveState>,
    /// The portal's request for a cancel.
    pub request: Option<RequestView>,
    /// How it stands beside earlier builds of its kind; none where that cannot be said.
    pub verdict: Option<LiveVerdict>,
    /// The signed run, once it is in the log.
    pub logged: Option<RunLink>,
    /// Whether the viewer may ask for a cancel.
    pub may_cancel: bool,
}

/// A person's request for a cancel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestView {
    /// Its id.
    pub id: String,
    /// Who asked.
    pub account: String,
    /// In which role, as a code.
    pub role: String,
    /// Why.
    pub reason: String,
    /// When, by the server's clock.
    pub at: Timestamp,
    /// Where it stands in the log; none for the moment before it does.
    pub entry: Option<u64>,
}

/// The builds that run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiveBuildsView {
    /// The newest first.
    pub builds: Vec<LiveBuildView>,
}

impl LiveBuildView {
    /// Whether nothing of it will change any more.
    pub fn is_over(&self) -> bool {
        self.standing == Standing::Ended && self.logged.is_some()
    }

    /// Nanoseconds that have passed since the state was made: by the server's clock, and none once the build has ended
    /// or its agent is silent, as nobody knows what has passed there.
    pub fn since_ns(&self) -> u64 {
        if self.standing == Standing::Running { self.heard_ago_ms.saturating_mul(1_000_000) } else { 0 }
    }

    /// For how long it has run, in nanoseconds.
    pub fn elapsed_ns(&self) -> Option<u64> {
        let state = self.state.as_ref()?;
        Some(state.now.0.saturating_sub(state.started.0) + self.since_ns())
    }

    /// For how long the library has made no callback, in nanoseconds.
    pub fn silence_ns(&self) -> Option<u64> {
        Some(self.state.as_ref()?.silence()? + self.since_ns())
    }

    /// The open phase that stands innermost.
    pub fn inner_phase(&self) -> Option<&LivePhase> {
        self.state.as_ref()?.open_phases().next_back()
    }

    /// For how long a phase has been open, or was, in nanoseconds.
    pub fn phase_ns(&self, phase: &LivePhase) -> u64 {
        let now =
            self.state.as_ref().and_then(|state| Some(state.now.0.saturating_sub(state.build_began?.0)));
        let until = phase.finished.map_or(now.unwrap_or(0) + self.since_ns(), |end| end.0);
        until.saturating_sub(phase.started.0)
    }
}
