//! Which fact explains why a cancel waited: what a headline may say after "because".
//!
//! Only the end of a step can stop a build. A request therefore waits for the next step that ends, and the reason is
//! one of three: it was held back on purpose, the library made no callback at all, or it made callbacks of which none
//! was the end of a step that could answer. A wait that no recorded fact covers for the most part has no cause here.

use crate::evidence::{
    cancel::{CancelRecord, Deferral},
    phase_tree::PhaseTree,
};

/// Waits below this many milliseconds need no explanation.
pub const PROMPT_MS: f64 = 100.0;

/// Why a cancel waited.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum WaitCause<'a> {
    /// It did not wait for long.
    Prompt,
    /// A window held it back for most of the time.
    Deferred(&'a Deferral),
    /// The library made no callback for most of the time.
    Silence {
        /// The silence's length in nanoseconds, the part before the request included.
        length_ns: u64,
        /// The innermost phase that was open in it.
        phase: Option<u32>,
    },
    /// There were callbacks, but no step ended that could have answered.
    NoStepEnded,
    /// Nothing recorded explains it.
    Unknown,
}

/// Why the cancel waited until its acknowledgement; where there was none, until the end of the build.
pub fn wait_cause<'a>(cancel: &'a CancelRecord, tree: Option<&PhaseTree>) -> WaitCause<'a> {
    let Some(waited_ms) = cancel.request_to_ack_ms.or(cancel.censored_after_ms) else {
        return WaitCause::Unknown;
    };
    if waited_ms < PROMPT_MS {
        return WaitCause::Prompt;
    }
    let longest = cancel.deferrals.iter().max_by(|a, b| a.deferred_ms.total_cmp(&b.deferred_ms));
    if let Some(deferral) = longest.filter(|deferral| deferral.deferred_ms * 2.0 >= waited_ms) {
        return WaitCause::Deferred(deferral);
    }
    let (Some(tree), Some(requested)) = (tree, cancel.requested_offset_ns) else {
        return WaitCause::Unknown;
    };
    let from = requested.0;
    let to = cancel.acknowledged_offset_ns.map_or(tree.duration.0, |at| at.0).max(from);
    if let Some(silence) = tree.silence {
        let overlap = silence.to.0.min(to).saturating_sub(silence.from.0.max(from));
        if overlap.saturating_mul(2) >= to - from && overlap > 0 {
            return WaitCause::Silence { length_ns: silence.length_ns(), phase: silence.phase };
        }
    }
    // Kept step offsets are bounded: that none was kept says something only where none was cut.
    let stepped = tree.phases.iter().any(|phase| {
        phase.steps_completed as usize > phase.step_offsets.len()
            || phase.step_offsets.iter().any(|at| from < at.0 && at.0 < to)
    });
    if stepped || tree.callbacks == 0 { WaitCause::Unknown } else { WaitCause::NoStepEnded }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::evidence::{
        cancel::{CancelSource, CancelState, NoCancelWindow},
        number::Count64,
        phase_tree::assemble::{Ending, PhaseTreeBuilder, RawEvent, RawKind},
    };

    const SECOND: u64 = 1_000_000_000;

    fn cancel(requested: u64, latency_ms: f64) -> CancelRecord {
        CancelRecord {
            source: CancelSource::Api,
            reason: None,
            who: None,
            requested_at: "2026-11-29T20:31:07.300Z".parse().unwrap(),
            delivered_at: None,
            acknowledged_at: None,
            returned_at: None,
            cleaned_at: None,
            request_to_delivery_ms: None,
            request_to_ack_ms: Some(latency_ms),
            ack_to_return_ms: None,
            ack_to_cleanup_ms: None,
            censored_after_ms: None,
            requested_offset_ns: Some(Count64(requested)),
            acknowledged_offset_ns: Some(Count64(requested + (latency_ms * 1e6) as u64)),
            returned_offset_ns: None,
            cleaned_offset_ns: None,
            open_at_request: Vec::new(),
            open_at_acknowledgement: Vec::new(),
            phase_at_request: None,
            deferrals: Vec::new(),
            escalation: None,
            request: None,
        }
    }

    fn tree(steps_at: &[u64], end: u64) -> PhaseTree {
        let mut builder = PhaseTreeBuilder::new(Uuid::nil());
        let mut record = |at, kind| {
            builder.record(RawEvent { at, thread: 0, name: "a".into(), kind, cancel: CancelState::None });
        };
        record(0, RawKind::Start { parent: None, steps: 9 });
        for (step, &at) in steps_at.iter().enumerate() {
            record(at, RawKind::Step { step: step as i64, answered_stop: false });
        }
        builder.finish(end, Ending::Returned)
    }

    #[test]
    fn a_silence_that_covers_most_of_the_wait_explains_it() {
        let tree = tree(&[SECOND, 6 * SECOND], 7 * SECOND);
        let cancel = cancel(2 * SECOND, 4_000.0);
        assert_eq!(
            wait_cause(&cancel, Some(&tree)),
            WaitCause::Silence { length_ns: 5 * SECOND, phase: Some(0) }
        );
    }

    #[test]
    fn a_short_wait_needs_no_cause() {
        assert_eq!(wait_cause(&cancel(SECOND, 12.0), None), WaitCause::Prompt);
    }

    #[test]
    fn a_deferral_comes_first() {
        let mut cancel = cancel(2 * SECOND, 4_000.0);
        cancel.deferrals.push(Deferral { window: NoCancelWindow::ArtifactWrite, deferred_ms: 3_000.0 });
        let tree = tree(&[SECOND, 6 * SECOND], 7 * SECOND);
        assert!(matches!(wait_cause(&cancel, Some(&tree)), WaitCause::Deferred(_)));
        cancel.deferrals[0].deferred_ms = 500.0;
        assert!(matches!(wait_cause(&cancel, Some(&tree)), WaitCause::Silence { .. }));
    }

    #[test]
    fn nothing_is_guessed() {
        assert_eq!(wait_cause(&cancel(2 * SECOND, 4_000.0), None), WaitCause::Unknown);
        // Steps ended while the request waited: why they did not answer is not known.
        let busy = tree(&[SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND, 5 * SECOND], 9 * SECOND);
        let mut late = cancel(SECOND + 1, 4_500.0);
        assert_eq!(wait_cause(&late, Some(&busy)), WaitCause::Unknown);
        late.request_to_ack_ms = None;
        assert_eq!(wait_cause(&late, Some(&busy)), WaitCause::Unknown);
    }

    #[test]
    fn a_cancel_that_was_never_acknowledged_waited_until_the_end() {
        let mut cancel = cancel(2 * SECOND, 1.0);
        cancel.request_to_ack_ms = None;
        cancel.acknowledged_offset_ns = None;
        cancel.censored_after_ms = Some(7_000.0);
        let tree = tree(&[SECOND], 9 * SECOND);
        assert!(matches!(wait_cause(&cancel, Some(&tree)), WaitCause::Silence { .. }));
    }
}
