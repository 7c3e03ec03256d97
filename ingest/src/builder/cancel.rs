//! Every way to ask for a cancel ends here, in one state: who asked first, when, and what became of it.

use acta_ledger::{
    evidence::{
        cancel::{CancelRecord, CancelSource, Deferral, Escalation, EscalationCause, RequestRef},
        number::{Count64, ms},
    },
    judge::window::{self, Held, Span},
};

use super::{source::Request, stop::StopDeadline};
use crate::clock::Epoch;

/// A cancel, from its request on. Times are nanoseconds of the monotonic clock.
#[derive(Debug, Clone, PartialEq)]
pub struct Cancel {
    /// Who asked first.
    pub source: CancelSource,
    /// Why, in their words.
    pub reason: Option<String>,
    /// Who asked from elsewhere, where somebody did.
    pub by: Option<Box<Asker>>,
    /// When they asked: the moment at the source, not the one at which it got through.
    pub requested_ns: u64,
    /// When the builder's flag was set.
    pub delivered_ns: Option<u64>,
    /// When it met a window: where the supervisor keeps it back at once, else when the order met the write of the artifact.
    pub deferred_ns: Option<u64>,
    /// The supervisor keeps it back: a window is open that only it knows of.
    pub is_held: bool,
    /// The kill that followed.
    pub escalation: Option<Escalated>,
    /// The first step that answered "stop".
    pub acknowledged_ns: Option<u64>,
    /// Ids of the phases that were open at the request.
    pub open_at_request: Vec<u32>,
    /// Ids of the phases that were open at the acknowledgement.
    pub open_at_acknowledgement: Vec<u32>,
    /// The names down to the innermost phase at the request.
    pub phase_at_request: Option<Vec<String>>,
}

/// Somebody who asked through the portal.
#[derive(Debug, Clone, PartialEq)]
pub struct Asker {
    /// The account's name.
    pub who: String,
    /// The request, as the portal signed it.
    pub request: RequestRef,
}

/// A kill after a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escalated {
    /// Why.
    pub cause: EscalationCause,
    /// When.
    pub at_ns: u64,
    /// The time that a stop may take, where that was the cause.
    pub deadline: Option<StopDeadline>,
}

/// What the record needs to know of the build. Times are nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The build call began.
    pub began_ns: Option<u64>,
    /// The build call returned.
    pub returned_ns: Option<u64>,
    /// The plan stood under its name.
    pub written_ns: Option<u64>,
    /// The worker was at its end.
    pub ended_ns: u64,
    /// Cleaning up had ended.
    pub cleaned_ns: u64,
    /// The windows in which a cancel waits.
    pub windows: &'a [Span],
    /// Now.
    pub now_ns: u64,
}

impl Cancel {
    /// Begins with a request.
    pub fn new(source: CancelSource, reason: &str, requested_ns: u64) -> Self {
        Self {
            source,
            reason: Some(reason.to_owned()),
            by: None,
            requested_ns,
            delivered_ns: None,
            deferred_ns: None,
            is_held: false,
            escalation: None,
            acknowledged_ns: None,
            open_at_request: Vec::new(),
            open_at_acknowledgement: Vec::new(),
            phase_at_request: None,
        }
    }

    /// Begins with what came out of a source.
    pub fn of(request: &Request) -> Self {
        Self { by: request.by.clone(), ..Self::new(request.source, &request.reason, request.at) }
    }

    /// What it waited for.
    pub fn held(&self, windows: &[Span], now: u64) -> Held {
        // An order meets the write where the builder is: a moment later than it was asked for.
        let arrived = self.deferred_ns.unwrap_or(self.requested_ns);
        window::hold(self.requested_ns, arrived, windows, now)
    }

    /// The record that is signed.
    pub fn record(&self, epoch: Epoch, around: Around<'_>, who: Option<String>) -> CancelRecord {
        let Around { began_ns, returned_ns, written_ns, ended_ns, cleaned_ns, windows, now_ns } = around;
        let since = |from: u64, to: u64| ms(to.saturating_sub(from));
        let offset = |at: u64| began_ns.filter(|&began| at >= began).map(|began| Count64(at - began));
        let held = self.held(windows, now_ns);
        let let_go = held.released.filter(|_| !held.by.is_empty());
        let delivered_ns = self.delivered_ns.or(let_go);
        // A return before the request answers nothing.
        let returned_ns = returned_ns.filter(|&returned| returned >= self.requested_ns);
        let in_call = began_ns.is_some_and(|began| self.requested_ns >= began)
            && around.returned_ns.is_none_or(|returned| self.requested_ns <= returned);
        let censored = self.acknowledged_ns.is_none().then(|| {
            let later = |at: &u64| *at > self.requested_ns;
            let until = returned_ns.or(written_ns.filter(|&at| at >= self.requested_ns));
            // Who asks after the builder's end waits for whatever holds the request.
            let until = until.or(Some(ended_ns).filter(later)).or(let_go.filter(later)).unwrap_or(now_ns);
            since(self.requested_ns, until)
        });
        let deferrals = held.by.iter().map(|&(window, waited)| Deferral { window, deferred_ms: ms(waited) });
        let escalation = self.escalation.as_ref().map(|escalated| Escalation {
            cause: escalated.cause,
            killed_at: epoch.at(escalated.at_ns),
            after_ms: since(self.requested_ns, escalated.at_ns),
            deadline_ms: escalated.deadline.as_ref().map(|it| it.span.as_secs_f64() * 1e3),
            deadline_from: escalated.deadline.as_ref().map(|it| it.from.clone()),
        });
        CancelRecord {
            source: self.source,
            reason: self.reason.clone(),
            who: self.by.as_ref().map(|by| by.who.clone()).or(who),
            requested_at: epoch.at(self.requested_ns),
            delivered_at: delivered_ns.map(|at| epoch.at(at)),
            acknowledged_at: self.acknowledged_ns.map(|at| epoch.at(at)),
            returned_at: returned_ns.map(|at| epoch.at(at)),
            cleaned_at: Some(epoch.at(cleaned_ns)),
            request_to_delivery_ms: delivered_ns.map(|at| since(self.requested_ns, at)),
            request_to_ack_ms: self.acknowledged_ns.map(|at| since(self.requested_ns, at)),
            ack_to_return_ms: self.acknowledged_ns.zip(returned_ns).map(|(ack, back)| since(ack, back)),
            ack_to_cleanup_ms: self.acknowledged_ns.map(|at| since(at, cleaned_ns)),
            censored_after_ms: censored,
            requested_offset_ns: offset(self.requested_ns).filter(|_| in_call),
            acknowledged_offset_ns: self.acknowledged_ns.and_then(offset),
            returned_offset_ns: returned_ns.and_then(offset),
            cleaned_offset_ns: offset(cleaned_ns),
            open_at_request: self.open_at_request.clone(),
            open_at_acknowledgement: self.open_at_acknowledgement.clone(),
            phase_at_request: self.phase_at_request.clone(),
            deferrals: deferrals.collect(),
            escalation,
            request: self.by.as_ref().map(|by| by.request.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::cancel::NoCancelWindow;

    use super::*;

    const MS: u64 = 1_000_000;

    fn around() -> Around<'static> {
        Around {
            began_ns: Some(100 * MS),
            returned_ns: Some(500 * MS),
            written_ns: None,
            ended_ns: 510 * MS,
            cleaned_ns: 520 * MS,
            windows: &[],
            now_ns: 530 * MS,
        }
    }

    fn record(change: impl FnOnce(&mut Cancel), around: Around<'_>) -> CancelRecord {
        let mut cancel = Cancel::new(CancelSource::CtrlC, "Ctrl-C", 200 * MS);
        change(&mut cancel);
        cancel.record(Epoch::now(), around, None)
    }

    #[test]
    fn an_acknowledged_cancel_is_measured() {
        let record = record(
            |cancel| {
                cancel.delivered_ns = Some(201 * MS);
                cancel.acknowledged_ns = Some(450 * MS);
            },
            around(),
        );
        assert_eq!(record.request_to_delivery_ms, Some(1.0));
        assert_eq!(record.request_to_ack_ms, Some(250.0));
        assert_eq!(record.ack_to_return_ms, Some(50.0));
        assert_eq!(record.ack_to_cleanup_ms, Some(70.0));
        assert_eq!(record.censored_after_ms, None);
        assert_eq!(record.requested_offset_ns, Some(Count64(100 * MS)));
        assert_eq!(record.returned_offset_ns, Some(Count64(400 * MS)));
    }

    #[test]
    fn a_cancel_that_was_never_acknowledged_is_censored() {
        let ignored = record(|_| {}, around());
        assert_eq!((ignored.request_to_ack_ms, ignored.censored_after_ms), (None, Some(300.0)));
        let killed = record(|_| {}, Around { returned_ns: None, ..around() });
        assert_eq!(killed.censored_after_ms, Some(310.0));
        assert_eq!(killed.returned_at, None);
    }

    #[test]
    fn a_cancel_outside_the_build_call_has_no_offset() {
        let early = record(|cancel| cancel.requested_ns = 50 * MS, around());
        assert_eq!(early.requested_offset_ns, None);
        let before = Around { began_ns: None, returned_ns: None, ..around() };
        assert_eq!(record(|_| {}, before).censored_after_ms, Some(310.0));
    }

    #[test]
    fn a_cancel_during_the_write_is_a_deferral() {
        let write = Span { window: NoCancelWindow::ArtifactWrite, from: 550 * MS, until: Some(700 * MS) };
        let late = Around { written_ns: Some(700 * MS), windows: &[write], ..around() };
        let record = record(
            |cancel| {
                cancel.requested_ns = 600 * MS;
                cancel.deferred_ns = Some(601 * MS);
            },
            late,
        );
        assert_eq!(record.deferrals[0].window, NoCancelWindow::ArtifactWrite);
        assert_eq!(record.deferrals[0].deferred_ms, 100.0);
        assert_eq!(record.request_to_delivery_ms, Some(100.0));
        assert_eq!(record.censored_after_ms, Some(100.0));
        assert_eq!((record.returned_at, record.requested_offset_ns), (None, None));
    }

    #[test]
    fn a_cancel_after_the_builders_end_waits_for_two_windows_and_is_never_zero() {
        let span = |window, from: u64, until: Option<u64>| Span { window, from: from * MS, until };
        let windows = [
            span(NoCancelWindow::Cleanup, 510, Some(520 * MS)),
            span(NoCancelWindow::EvidenceAtRisk, 520, None),
        ];
        let late = Around { windows: &windows, ..around() };
        let record = record(|cancel| cancel.requested_ns = 515 * MS, late);
        let waited: Vec<_> = record.deferrals.iter().map(|it| (it.window, it.deferred_ms)).collect();
        // The second one is still open when this is signed: what it took until then is known.
        assert_eq!(waited, [(NoCancelWindow::Cleanup, 5.0), (NoCancelWindow::EvidenceAtRisk, 10.0)]);
        assert_eq!((record.delivered_at, record.censored_after_ms), (None, Some(15.0)));
    }

    #[test]
    fn a_kill_says_by_whom_and_how_long_after_the_request() {
        let deadline =
            StopDeadline { span: std::time::Duration::from_secs(2), from: "--stop-deadline".to_owned() };
        let killed = record(
            |cancel| {
                let cause = EscalationCause::StopDeadline;
                cancel.escalation = Some(Escalated { cause, at_ns: 205 * MS, deadline: Some(deadline) });
            },
            around(),
        );
        let escalation = killed.escalation.unwrap();
        assert_eq!((escalation.after_ms, escalation.deadline_ms), (5.0, Some(2_000.0)));
        assert_eq!(escalation.deadline_from.as_deref(), Some("--stop-deadline"));
    }
}
