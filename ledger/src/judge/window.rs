//! No-cancel windows: stretches in which a cancel would do harm. A request that comes inside one waits for its end.
//!
//! | window | opens | closes | a cancel in it would |
//! |---|---|---|---|
//! | `artifact_write` | the plan is about to be written | it stands under its name | leave half a file that was whole in memory |
//! | `cleanup` | the builder's process is gone | each of its files is removed, kept or set apart | leave a partial artifact where a consumer looks |
//! | `evidence_at_risk` | cleaning up has ended | the signed statement is on disk in the outbox | lose what happened |
//! | `no_rollback_route` | a build for production begins and no way back is known | the engine stands under its name | leave production with no engine at all |
//!
//! # What "no way back for production" means
//!
//! A build is for production if whoever starts it says so (`--purpose production`). Its ways back are the engines and
//! bundles for the same purpose that its agent has on record: plans of completed runs for the same route, or for the same
//! place; bundles of the route that it retains. One counts only if its bytes were read when the build began and are still
//! those on record ([`has_way_back`]): a way back that nobody can show is none. It is looked at once, at the begin:
//! what appears later does not shorten the wait, so that the same request always meets the same window.
//!
//! A window holds requests. It holds no kill: the third Ctrl-C, and the deadline of a service's stop, end a build in any
//! window, and the record says who did.
//!
//! Each moment is nanoseconds of one monotonic clock.

use crate::{
    evidence::{build::Purpose, cancel::NoCancelWindow},
    log::digest::Sha256Digest,
};

/// A window of one build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Which.
    pub window: NoCancelWindow,
    /// When it opened.
    pub from: u64,
    /// When it closed; none while it is open.
    pub until: Option<u64>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The windows that it waited for, in the order in which they opened, and for how long each.
    pub by: Vec<(NoCancelWindow, u64)>,
    /// When the last of them let it go: the request's own moment where none held it; none while one is open.
    pub released: Option<u64>,
}

/// Follows a request through the windows that it met, as far as they are known `now`. It arrived where it is held back
/// at `arrived`, which may be later than it was made (`requested`): what it waited for is counted from the request on.
///
/// Windows may overlap, and one may open at the moment at which another closes: the request waits until none is open.
pub fn hold(requested: u64, arrived: u64, windows: &[Span], now: u64) -> Held {
    let mut held = Held { by: Vec::new(), released: Some(arrived.max(requested)) };
    let mut since = requested;
    while let Some(at) = held.released {
        let covers = |span: &&Span| span.from <= at && span.until.is_none_or(|until| until > at);
        // Each that is open at this moment counts, also one that closes before another.
        let open: Vec<&Span> = windows.iter().filter(covers).collect();
        if open.is_empty() {
            break;
        }
        let waited = |span: &&Span| (span.window, span.until.unwrap_or(now).saturating_sub(since));
        held.by.extend(open.iter().map(waited));
        // All of these are closed then, so that none is met twice.
        let last = open.iter().map(|span| span.until).collect::<Option<Vec<u64>>>();
        held.released = last.and_then(|ends| ends.into_iter().max());
        since = held.released.unwrap_or(since);
    }
    held
}

/// An engine or a bundle for the same purpose, as it is on record and as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WayBack {
    /// The digest on record.
    pub recorded: Sha256Digest,
    /// The digest of the bytes that are there; none if they are not, or cannot be read.
    pub found: Option<Sha256Digest>,
}

/// Whether a build of this purpose may be given up: production must have something to go back to.
pub fn has_way_back(purpose: Option<Purpose>, known: &[WayBack]) -> bool {
    match purpose {
        Some(Purpose::Production) => known.iter().any(|way| way.found == Some(way.recorded)),
        Some(Purpose::Trial) | None => true,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evidence::cancel::NoCancelWindow::{ArtifactWrite, Cleanup, EvidenceAtRisk, NoRollbackRoute};

    fn span(window: NoCancelWindow, from: u64, until: impl Into<Option<u64>>) -> Span {
        Span { window, from, until: until.into() }
    }

    #[test]
    fn a_request_waits_for_the_windows_that_it_meets() {
        let build = [
            span(NoRollbackRoute, 0, 80),
            span(ArtifactWrite, 70, 80),
            span(Cleanup, 90, 100),
            span(EvidenceAtRisk, 100, 130),
        ];
        let later = &build[1..];
        for (windows, requested, arrived, by, released) in [
            (&[][..], 5, 5, vec![], Some(5)),
            (later, 10, 10, vec![], Some(10)),
            (later, 69, 69, vec![], Some(69)),
            // On its way when the window opened.
            (later, 69, 71, vec![(ArtifactWrite, 11)], Some(80)),
            (later, 75, 75, vec![(ArtifactWrite, 5)], Some(80)),
            (later, 80, 80, vec![], Some(80)),
            // One window ends where the next begins.
            (later, 95, 95, vec![(Cleanup, 5), (EvidenceAtRisk, 30)], Some(130)),
            (later, 129, 129, vec![(EvidenceAtRisk, 1)], Some(130)),
            (later, 130, 131, vec![], Some(131)),
            // The outer one holds it; the inner one opens meanwhile and closes with it.
            (&build, 10, 10, vec![(NoRollbackRoute, 70)], Some(80)),
            (&build, 75, 75, vec![(NoRollbackRoute, 5), (ArtifactWrite, 5)], Some(80)),
        ] {
            let held = hold(requested, arrived, windows, 1_000);
            assert_eq!((held.by, held.released), (by, released), "{requested} {windows:?}");
        }
    }

    #[test]
    fn an_open_window_holds_until_now_at_least() {
        let open = [span(NoRollbackRoute, 10, None)];
        assert_eq!(hold(30, 30, &open, 45), Held { by: vec![(NoRollbackRoute, 15)], released: None });
        let both = [span(ArtifactWrite, 20, 40), span(NoRollbackRoute, 10, None)];
        let held = hold(30, 30, &both, 45);
        assert_eq!(held.by, [(ArtifactWrite, 10), (NoRollbackRoute, 15)]);
        assert_eq!(held.released, None, "one of two is still open");
    }

    #[test]
    fn production_needs_something_to_go_back_to() {
        let digest = |text: &str| Sha256Digest::of(text.as_bytes());
        let way = |found: Option<&str>| WayBack { recorded: digest("engine"), found: found.map(digest) };
        for (purpose, known, expected) in [
            (None, &[][..], true),
            (Some(Purpose::Trial), &[], true),
            (Some(Purpose::Production), &[], false),
            (Some(Purpose::Production), &[way(None)], false),
            (Some(Purpose::Production), &[way(Some("another"))], false),
            (Some(Purpose::Production), &[way(None), way(Some("engine"))], true),
        ] {
            assert_eq!(has_way_back(purpose, known), expected, "{purpose:?} {known:?}");
        }
    }

    fn any_span() -> impl Strategy<Value = Span> {
        let windows = prop::sample::select(vec![ArtifactWrite, Cleanup, EvidenceAtRisk, NoRollbackRoute]);
        (windows, 0_u64..100, prop::option::of(0_u64..60)).prop_map(|(window, from, length)| Span {
            window,
            from,
            until: length.map(|length| from + length),
        })
    }

    proptest! {
        /// Whatever the windows: a request is let go in none of them, not before it was made, and no window is counted
        /// twice or for longer than the request waited.
        #[test]
        fn nothing_is_let_go_inside_a_window(
            windows in prop::collection::vec(any_span(), 0..6), requested in 0_u64..120, late in 0_u64..5,
        ) {
            let now = 1_000;
            let held = hold(requested, requested + late, &windows, now);
            let end = held.released.unwrap_or(now);
            prop_assert!(end >= requested + late);
            prop_assert!(held.by.len() <= windows.len());
            prop_assert!(held.by.iter().all(|(_, waited)| *waited <= end - requested));
            match held.released {
                Some(at) => prop_assert!(
                    windows.iter().all(|span| at < span.from || span.until.is_some_and(|until| until <= at))
                ),
                None => prop_assert!(windows.iter().any(|span| span.until.is_none())),
            }
            if held.by.is_empty() {
                prop_assert_eq!(held.released, Some(requested + late));
            }
        }
    }
}
