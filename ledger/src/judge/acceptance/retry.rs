//! The retry: that it follows the recorded policy (criterion 7), and that nobody takes its progress for correctness
//! (criterion 8).

use super::{Attempt, Finding, Judge};
use crate::evidence::{
    acceptance::{PLANS, Role},
    artifact::Artifact,
    build::{BuilderKind, NO_GPU, Outcome, RetryPolicy, ValidationStatus},
    code,
};

/// Criterion 7.
pub fn retryable(judge: &Judge<'_>) -> Finding {
    let Some(cancelled) = judge.cancelled() else {
        return Finding::not_run("no_cancel", "no build was cancelled, so that none is to be retried");
    };
    let Some(retry) = judge.one(Role::Retry) else {
        return Finding::not_run("no_retry", "the cancelled build was not retried").on([cancelled]);
    };
    let both = [cancelled, retry];
    let (first, second) = (cancelled.summary, retry.summary);
    let fail = |reason, sentence: String| Finding::fail(reason, sentence).on(both);
    if second.run.retry_of != Some(first.run.id) || second.run.attempt != first.run.attempt.saturating_add(1)
    {
        return fail("not_linked", "the retry does not name the attempt before it".to_owned());
    }
    let policy = code(&first.retry_policy);
    let followed = match first.retry_policy {
        RetryPolicy::RetryCold => second.timing_cache.digest_before.is_none(),
        RetryPolicy::RetryWithCache => {
            second.timing_cache.file.is_some() && second.timing_cache.file == first.timing_cache.file
        }
        RetryPolicy::Rollback | RetryPolicy::Investigate => {
            let sentence = format!("the policy is {policy}: a person decides, and no build follows");
            return Finding::not_run("needs_a_person", sentence).on(both);
        }
        RetryPolicy::None => {
            return fail("no_policy", "a cancelled build says that nothing is to be done".to_owned());
        }
    };
    if !followed {
        return fail("policy_not_followed", format!("the policy was {policy}, and the retry did otherwise"));
    }
    if first.network.digest != second.network.digest || first.settings != second.settings {
        return fail(
            "other_configuration",
            "the retry was built with another network or other settings".to_owned(),
        );
    }
    if second.outcome != Outcome::Completed || second.plan().is_none() {
        return fail("retry_not_completed", format!("the retry ended as {}", code(&second.outcome)));
    }
    let sentence = format!("{policy} was followed and completed in {:.0} ms", second.duration_ms.total);
    Finding::pass("completed", sentence).on(both)
}

/// Criterion 8.
pub fn separated(judge: &Judge<'_>) -> Finding {
    let fail = |attempt: &Attempt<'_>, reason, what: &str| {
        Finding::fail(reason, format!("{}: {what}", attempt.name())).on([attempt])
    };
    for attempt in judge.attempts {
        let summary = attempt.summary;
        if summary.resources.peak_rss_bytes.is_none_or(|bytes| bytes == 0)
            || summary.resources.cpu_ms.is_none()
        {
            return fail(attempt, "no_observation", "what its process used is not on record");
        }
        if summary.gpu.is_none() && summary.gpu_sku != NO_GPU {
            return fail(attempt, "no_observation", "a GPU is named and was not observed");
        }
        let made = summary.artifacts.iter().any(Artifact::is_product);
        let due = if made { ValidationStatus::Pending } else { ValidationStatus::NotApplicable };
        if summary.validation_status != due {
            let found = code(&summary.validation_status);
            let what = format!("it calls itself validated as {found}, and nobody validated it");
            return fail(attempt, "taken_for_correct", &what);
        }
    }
    let completed = |attempt: &&Attempt<'_>| attempt.summary.outcome == Outcome::Completed;
    let plan =
        |attempt: &Attempt<'_>| Some((attempt.summary.plan()?.name.clone(), attempt.summary.plan()?.digest?));
    let Some((retry, (name, digest))) =
        judge.one(Role::Retry).filter(completed).and_then(|retry| Some((retry, plan(retry)?)))
    else {
        return Finding::not_run("no_retry", "no retry completed, so that none is to be validated");
    };
    let Some((baseline, (_, expected))) =
        judge.one(Role::Baseline).filter(completed).and_then(|it| Some((it, plan(it)?)))
    else {
        return Finding::not_run("no_baseline", "there is no baseline to validate the retry by").on([retry]);
    };
    let listed = format!("{PLANS}{}", name.rsplit('/').next().unwrap_or(&name));
    if !retry.listing.after.iter().any(|file| file.name == listed && file.digest == digest) {
        return fail(retry, "other_file", "the plan that stands there is not the one that it recorded");
    }
    if retry.summary.builder != BuilderKind::TensorrtRtx {
        let sentence = "plans of this library are not reproducible: the retry needs a run on the target";
        return Finding::not_run("no_validation", sentence).on([baseline, retry]);
    }
    if digest == expected {
        Finding::pass("same_bytes", "the retry's plan was compared: byte for byte that of the baseline")
            .on([baseline, retry])
    } else {
        Finding::fail("other_bytes", "the retry's plan is another than the baseline's").on([baseline, retry])
    }
}
