//! The no-cancel windows of one build, as they open and close; [`acta_ledger::judge::window`] says what each is.

use acta_ledger::{evidence::cancel::NoCancelWindow, judge::window::Span};

/// The windows so far, in the order in which they opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Windows(Vec<Span>);

impl Windows {
    /// Opens a window; one that is open stays as it is.
    pub fn open(&mut self, window: NoCancelWindow, at: u64) {
        if self.find(window).is_none() {
            self.0.push(Span { window, from: at, until: None });
        }
    }

    /// Closes a window, if it is open.
    pub fn close(&mut self, window: NoCancelWindow, at: u64) {
        if let Some(span) = self.0.iter_mut().find(|span| span.window == window && span.until.is_none()) {
            span.until = Some(at.max(span.from));
        }
    }

    /// Closes whatever is open: the builder is gone.
    pub fn close_all(&mut self, at: u64) {
        for span in self.0.iter_mut().filter(|span| span.until.is_none()) {
            span.until = Some(at.max(span.from));
        }
    }

    /// The window that is open; of several the one that opened first, which is the longest as a rule.
    pub fn standing(&self) -> Option<NoCancelWindow> {
        self.0.iter().find(|span| span.until.is_none()).map(|span| span.window)
    }

    /// Whether this window is open.
    pub fn is_open(&self, window: NoCancelWindow) -> bool {
        self.find(window).is_some()
    }

    /// All of them.
    pub fn spans(&self) -> &[Span] {
        &self.0
    }

    fn find(&self, window: NoCancelWindow) -> Option<&Span> {
        self.0.iter().find(|span| span.window == window && span.until.is_none())
    }
}

#[cfg(test)]
mod tests {
    use acta_ledger::evidence::cancel::NoCancelWindow::{ArtifactWrite, Cleanup, NoRollbackRoute};

    use super::*;

    #[test]
    fn windows_open_once_and_close_in_any_order() {
        let mut windows = Windows::default();
        windows.open(NoRollbackRoute, 1);
        windows.open(ArtifactWrite, 5);
        windows.open(ArtifactWrite, 6);
        assert_eq!(windows.standing(), Some(NoRollbackRoute));
        windows.close(NoRollbackRoute, 9);
        assert_eq!(windows.standing(), Some(ArtifactWrite));
        // A client's own clock may say that it ended before it began.
        windows.close(ArtifactWrite, 2);
        windows.close(ArtifactWrite, 10);
        windows.open(Cleanup, 11);
        assert!(windows.is_open(Cleanup) && !windows.is_open(ArtifactWrite));
        windows.close_all(20);
        let ends: Vec<_> = windows.spans().iter().map(|span| span.until).collect();
        assert_eq!((ends, windows.standing()), (vec![Some(9), Some(5), Some(20)], None));
    }
}
