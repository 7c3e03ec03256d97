//! Whether a checkpoint's revision is pinned, and whether it is the one that was read.

use crate::{
    evidence::{gate::CheckVerdict, route::is_moving_revision},
    log::digest::Sha256Digest,
};

/// What a revision is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevisionJudgement {
    /// The verdict.
    pub verdict: CheckVerdict,
    /// Why it does not pass.
    pub reason: Option<String>,
    /// That the files are those of the revision is the word of whoever fetched them.
    pub rests_on_a_person: bool,
}

/// Judges a revision: the one that is stated, the one that the route is pinned to, and the digest of the list of the
/// files that were read, which pins a local checkpoint the way a commit pins one of a hub.
pub fn judge(stated: Option<&str>, of_route: Option<&str>, list: Sha256Digest) -> RevisionJudgement {
    let own = format!("sha256:{list}");
    let without =
        |verdict, reason| RevisionJudgement { verdict, reason: Some(reason), rests_on_a_person: false };
    let Some(revision) = stated else {
        return without(
            CheckVerdict::Hold,
            format!("the revision is unknown: name the commit, or pin what is here with --revision {own}"),
        );
    };
    if is_moving_revision(revision) {
        return without(
            CheckVerdict::Hold,
            format!("{revision:?} can move: a commit has 40 or 64 hexadecimal digits in lower case"),
        );
    }
    if let Some(pinned) = of_route.filter(|pinned| *pinned != revision) {
        return without(CheckVerdict::Fail, format!("the route is pinned to {pinned}"));
    }
    let is_list = revision.starts_with("sha256:");
    if is_list && revision != own {
        return without(CheckVerdict::Fail, format!("the files here are {own}"));
    }
    RevisionJudgement { verdict: CheckVerdict::Pass, reason: None, rests_on_a_person: !is_list }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_pinned_or_it_says_why_not() {
        let list = Sha256Digest::of(b"files");
        let (own, commit, other) = (format!("sha256:{list}"), "0f".repeat(20), "1e".repeat(20));
        let wrong = format!("sha256:{}", Sha256Digest::of(b"others"));
        for (stated, of_route, verdict, words, person) in [
            (None, None, CheckVerdict::Hold, "unknown", false),
            (Some("main"), None, CheckVerdict::Hold, "can move", false),
            (Some(commit.as_str()), None, CheckVerdict::Pass, "", true),
            (Some(&commit), Some(commit.as_str()), CheckVerdict::Pass, "", true),
            (Some(&commit), Some(&other), CheckVerdict::Fail, "the route is pinned to", false),
            (Some(&own), None, CheckVerdict::Pass, "", false),
            (Some(&own), Some(&commit), CheckVerdict::Fail, "the route is pinned to", false),
            (Some(&wrong), None, CheckVerdict::Fail, "the files here are", false),
        ] {
            let found = judge(stated, of_route, list);
            assert_eq!(
                (found.verdict, found.rests_on_a_person),
                (verdict, person),
                "{stated:?} {of_route:?}"
            );
            assert!(found.reason.unwrap_or_default().contains(words), "{stated:?} {of_route:?}");
        }
    }
}
