//! Stuck, or only silent: a build that runs beside earlier ones of its kind, for whoever looks at the terminal. The portal
//! judges by the same rule and by what every agent has on record; here only this agent's own builds are known.

use std::thread;

use acta_ledger::judge::{
    baseline::{Baseline, BaselineKey},
    stuck::{self, StuckVerdict},
};
use uuid::Uuid;

use super::{kind::KindWatch, record::Record};
use crate::{history, home::Home, journal::LiveNote};

/// Judges one build, once its kind is known and what is on record of it is read: both happen beside the build.
pub struct Judge {
    home: Home,
    run: Uuid,
    kind: KindWatch,
    known: Option<(BaselineKey, Reading)>,
}

enum Reading {
    Reads(thread::JoinHandle<Option<Baseline>>),
    Read(Baseline),
    /// It cannot be read: nothing is said.
    Failed,
}

impl Judge {
    /// Begins with a run that is ordered to do this.
    pub fn new(home: Home, run: Uuid, kind: KindWatch) -> Self {
        Self { home, run, kind, known: None }
    }

    /// What can be said of where it is now; none before the first callback, and none as long as nothing is known.
    pub fn look(&mut self, record: &Record, live: &LiveNote) -> Option<StuckVerdict> {
        let key = self.kind.look(record)?;
        // A command says more of itself as it goes on: then it is of another kind.
        if self.known.as_ref().is_none_or(|(known, _)| *known != key) {
            let (home, key, run) = (self.home.clone(), key.clone(), self.run);
            let wanted = key.clone();
            let reads = thread::spawn(move || Some(history::load(&home, wanted, run).ok()?.baseline));
            self.known = Some((key, Reading::Reads(reads)));
        }
        let (key, reading) = self.known.take()?;
        let reading = match reading {
            Reading::Reads(thread) if thread.is_finished() => {
                thread.join().ok().flatten().map_or(Reading::Failed, Reading::Read)
            }
            other => other,
        };
        let found = match &reading {
            Reading::Read(baseline) => {
                live.situation(live.at_ns).map(|situation| stuck::verdict(&situation, baseline))
            }
            Reading::Reads(_) | Reading::Failed => None,
        };
        self.known = Some((key, reading));
        found
    }
}
