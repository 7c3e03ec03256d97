//! Whether a scenario's fault is on record: a build that was cancelled under other circumstances shows nothing of it.

use serde_json::json;

use super::{Attempt, Judge};
use crate::evidence::{
    acceptance::{Role, Scenario},
    build::TensorRecord,
};

/// What of the fault is not on record; none if all of it is.
pub fn missing(scenario: Scenario, judge: &Judge<'_>) -> Option<String> {
    let missing = |there: bool, what: &str| (!there).then(|| what.to_owned());
    match scenario {
        Scenario::ColdTimingCache => missing(
            cold_then_damaged(judge),
            "no build met a missing timing cache, or none was offered bytes that are no cache",
        ),
        Scenario::DeepTacticSearch => missing(
            all_have(judge, &[("optimizationLevel", 5)]),
            "a build was not made at optimization level 5",
        ),
        Scenario::SlowBuilderSettings => missing(
            all_have(judge, &[("optimizationLevel", 5), ("threads", 1)]),
            "a build was not made with one thread at optimization level 5",
        ),
        Scenario::StronglyTypedChange => missing(
            changed(judge, other_types),
            "no build of the same graph with other element types is beside it",
        ),
        Scenario::NewGpuSku => {
            missing(changed(judge, other_target), "no build for another compute capability is beside it")
        }
        Scenario::CtrlC
        | Scenario::ProgrammaticCancel
        | Scenario::ServiceShutdown
        | Scenario::IdeStop
        | Scenario::ExternalEventLoop => None,
    }
}

fn cold_then_damaged(judge: &Judge<'_>) -> bool {
    let cache = |attempt: &Attempt<'_>| attempt.summary.timing_cache.clone();
    let cold = judge.all(Role::Baseline).map(cache).any(|it| it.file.is_some() && it.digest_before.is_none());
    let mut faulted = judge.all(Role::Faulted).map(cache).peekable();
    cold && faulted.peek().is_some() && faulted.all(|it| it.file.is_some() && it.digest_before.is_some())
}

fn all_have(judge: &Judge<'_>, settings: &[(&str, i32)]) -> bool {
    judge.attempts.iter().all(|attempt| {
        settings.iter().all(|(name, value)| attempt.summary.settings.get(*name) == Some(&json!(value)))
    })
}

/// Whether the completed reference differs from every other build by what the scenario changes.
fn changed(judge: &Judge<'_>, differs: fn(&Attempt<'_>, &Attempt<'_>) -> bool) -> bool {
    let Some(reference) = judge.one(Role::Reference).filter(|it| it.summary.plan().is_some()) else {
        return false;
    };
    let others = || judge.attempts.iter().filter(|attempt| attempt.role != Role::Reference);
    others().next().is_some() && others().all(|other| differs(reference, other))
}

fn other_types(reference: &Attempt<'_>, other: &Attempt<'_>) -> bool {
    let (before, now) = (&reference.summary.network, &other.summary.network);
    let shapes = |tensors: &[TensorRecord]| {
        tensors.iter().map(|it| (it.name.clone(), it.dims.clone())).collect::<Vec<_>>()
    };
    let types = |tensors: &[TensorRecord]| tensors.iter().map(|it| it.dtype.clone()).collect::<Vec<_>>();
    before.strongly_typed
        && now.strongly_typed
        && before.layers.is_some()
        && shapes(&before.inputs) == shapes(&now.inputs)
        && shapes(&before.outputs) == shapes(&now.outputs)
        && types(&before.inputs) != types(&now.inputs)
        && before.digest != now.digest
}

fn other_target(reference: &Attempt<'_>, other: &Attempt<'_>) -> bool {
    let (before, now) = (&reference.summary, &other.summary);
    let targets = (before.settings.get("targets"), now.settings.get("targets"));
    let retargeted = matches!(targets, (Some(before), Some(now)) if before != now);
    before.network.digest == now.network.digest && (retargeted || before.gpu_sku != now.gpu_sku)
}
