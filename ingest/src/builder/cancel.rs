//! Every way to ask for a cancel ends here, in one state: who asked first, when, and what became of it.

use acta_ledger::evidence::{
    cancel::{CancelRecord, CancelSource, Deferral, NoCancelWindow, RequestRef},
    number::{Count64, ms},
};

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
    /// When the order met the write of the artifact.
    pub deferred_ns: Option<u64>,
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

/// What the record needs to know of the build. Times are nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct Around {
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
            acknowledged_ns: None,
            open_at_request: Vec::new(),
            open_at_acknowledgement: Vec::new(),
            phase_at_request: None,
        }
    }

    /// The record that is signed.
    pub fn record(&self, epoch: Epoch, around: Around, who: Option<String>) -> CancelRecord {
        let Around { began_ns, returned_ns, written_ns, ended_ns, cleaned_ns } = around;
        let since = |from: u64, to: u64| ms(to.saturating_sub(from));
        let offset = |at: u64| began_ns.filter(|&began| at >= began).map(|began| Count64(at - began));
        let window_ended = self.deferred_ns.map(|_| written_ns.unwrap_or(ended_ns));
        let delivered_ns = self.delivered_ns.or(window_ended);
        // A return before the request answers nothing.
        let returned_ns = returned_ns.filter(|&returned| returned >= self.requested_ns);
        let in_call = began_ns.is_some_and(|began| self.requested_ns >= began)
            && around.returned_ns.is_none_or(|returned| self.requested_ns <= returned);
        let censored = self.acknowledged_ns.is_none().then(|| {
            let until = returned_ns.or(written_ns.filter(|&at| at >= self.requested_ns)).unwrap_or(ended_ns);
            since(self.requested_ns, until)
        });
        let deferral = self.deferred_ns.zip(window_ended).map(|(_, until)| Deferral {
            window: NoCancelWindow::ArtifactWrite,
            deferred_ms: since(self.requested_ns, until),
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
            deferrals: deferral.into_iter().collect(),
            request: self.by.as_ref().map(|by| by.request.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn around() -> Around {
        Around {
            began_ns: Some(100 * MS),
            returned_ns: Some(500 * MS),
            written_ns: None,
            ended_ns: 510 * MS,
            cleaned_ns: 520 * MS,
        }
    }

    fn record(change: impl FnOnce(&mut Cancel), around: Around) -> CancelRecord {
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
        let late = Around { written_ns: Some(700 * MS), ..around() };
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
}
