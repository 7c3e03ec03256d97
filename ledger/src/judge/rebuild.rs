//! Whether a plan was reproduced: two build summaries, one of the run and one of its rebuild, and what they differ in.
//!
//! | verdict | holds when |
//! |---|---|
//! | `reproduced` | the digests of both plans are the same |
//! | `not_reproduced` | they are not, though model, weights and library are the same |
//! | `not_comparable` | the run has no plan of its own inputs, or an input that is here is not the recorded one |
//!
//! Only plans that TensorRT-RTX builds ahead of time can be expected to come out the same: no tactic is chosen by a
//! measurement. So no timing cache plays a part, and a GPU, its driver and CUDA are only told, as other facts of the
//! machine are.
//!
//! What differs is told in one fixed order, the nearest cause first: optimization profiles, builder settings by name,
//! typing, the library's and the parser's file, architecture, operating system, GPU, driver, CUDA, and last the digest
//! of the inputs as they were asked for, which also differs where one command spelled a default out.

mod standing;

use serde_json::{Value, json};

pub use standing::{Independence, Original, Standing, StandingRebuild, Support, Told, standing};

use crate::{
    evidence::{
        artifact::Artifact,
        build::{BuildSummary, BuilderKind},
        code,
        number::Count64,
        rebuild::{
            DifferingSetting, MAX_DIFFERING, MAX_VALUE_BYTES, Obstacle, ObstacleKind, PlanDifference, Verdict,
        },
    },
    live::cut,
    log::{digest::Sha256Digest, jcs},
};

/// The setting under which a summary lists the files of weights beside the model.
pub const WEIGHTS: &str = "externalWeights";

/// What is here to build again with.
#[derive(Debug, Clone, PartialEq)]
pub struct Inputs {
    /// What kind of library it is.
    pub builder: BuilderKind,
    /// The library's version with its build number.
    pub tensorrt_version: String,
    /// The model.
    pub network: Sha256Digest,
    /// The files of weights beside it, as a summary lists them; null where there are none.
    pub weights: Value,
}

impl Inputs {
    /// What a build was made of.
    pub fn of(summary: &BuildSummary) -> Self {
        Self {
            builder: summary.builder,
            tensorrt_version: summary.tensorrt_version.clone(),
            network: summary.network.digest,
            weights: summary.settings.get(WEIGHTS).cloned().unwrap_or_default(),
        }
    }
}

/// What a rebuild came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Why nothing can be compared.
    pub obstacle: Option<Obstacle>,
    /// What is not the same, in order.
    pub differing: Vec<DifferingSetting>,
    /// How the plans differ; nothing is known here of an offset.
    pub plans: Option<PlanDifference>,
}

/// Why a run cannot be built again, by its own record; none where it can.
pub fn obstacle_in_record(original: &BuildSummary) -> Option<Obstacle> {
    let obstacle = |kind, found: String| Some(Obstacle { kind, expected: None, found: Some(found) });
    let builder = code(&original.builder);
    match original.builder {
        BuilderKind::Simulated => obstacle(ObstacleKind::Simulated, builder),
        BuilderKind::External => obstacle(ObstacleKind::WatchedFromOutside, builder),
        BuilderKind::Tensorrt => obstacle(ObstacleKind::NotAheadOfTime, builder),
        BuilderKind::TensorrtRtx if plan(original).is_none() => {
            obstacle(ObstacleKind::NoPlan, code(&original.outcome))
        }
        BuilderKind::TensorrtRtx => None,
    }
}

/// Why what is here is not what was built; none where it is.
pub fn obstacle_in_inputs(original: &BuildSummary, here: &Inputs) -> Option<Obstacle> {
    let recorded = Inputs::of(original);
    let obstacle = |kind, expected: String, found: String| {
        let bounded = |text: &str| Some(cut(text, MAX_VALUE_BYTES).to_owned());
        Some(Obstacle { kind, expected: bounded(&expected), found: bounded(&found) })
    };
    if here.network != recorded.network {
        return obstacle(ObstacleKind::OtherModel, recorded.network.to_string(), here.network.to_string());
    }
    if here.weights != recorded.weights {
        return obstacle(ObstacleKind::OtherWeights, text(&recorded.weights), text(&here.weights));
    }
    let library = |inputs: &Inputs| format!("{} {}", code(&inputs.builder), inputs.tensorrt_version);
    if library(here) != library(&recorded) {
        return obstacle(ObstacleKind::OtherLibrary, library(&recorded), library(here));
    }
    None
}

/// Judges a rebuild by its own summary beside that of the run.
pub fn judge(original: &BuildSummary, rebuilt: &BuildSummary) -> Judged {
    let not_comparable = |obstacle| Judged {
        verdict: Verdict::NotComparable,
        obstacle: Some(obstacle),
        differing: Vec::new(),
        plans: None,
    };
    if let Some(obstacle) = obstacle_in_record(original) {
        return not_comparable(obstacle);
    }
    let Some(((wanted, wanted_digest), (made, made_digest))) = plan(original).zip(plan(rebuilt)) else {
        let found = Some(code(&rebuilt.outcome));
        return not_comparable(Obstacle { kind: ObstacleKind::RebuildFailed, expected: None, found });
    };
    if let Some(obstacle) = obstacle_in_inputs(original, &Inputs::of(rebuilt)) {
        return not_comparable(obstacle);
    }
    let differing = differing(original, rebuilt);
    if wanted_digest == made_digest {
        return Judged { verdict: Verdict::Reproduced, obstacle: None, differing, plans: None };
    }
    let plans = PlanDifference {
        expected_bytes: Count64(wanted.bytes),
        found_bytes: Count64(made.bytes),
        found: made_digest,
        first_offset: None,
    };
    Judged { verdict: Verdict::NotReproduced, obstacle: None, differing, plans: Some(plans) }
}

/// The plan of a build whose bytes were read.
fn plan(summary: &BuildSummary) -> Option<(&Artifact, Sha256Digest)> {
    summary.plan().and_then(|plan| Some((plan, plan.digest?)))
}

/// What is not the same in both builds, the nearest cause first.
fn differing(original: &BuildSummary, rebuilt: &BuildSummary) -> Vec<DifferingSetting> {
    let (recorded, found) = (settings(original), settings(rebuilt));
    let of = |list: &[(String, Value)], name: &str| {
        list.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let mut names: Vec<&String> = recorded.iter().map(|(name, _)| name).collect();
    // A builder setting that only the rebuild has stands among the others by its name.
    let only_there = found.iter().map(|(name, _)| name).filter(|name| !names.contains(name));
    names.extend(only_there.collect::<Vec<_>>());
    names.sort_by_key(|name| (place(name), *name));
    let differing = names.into_iter().filter_map(|name| {
        let (before, after) = (of(&recorded, name), of(&found, name));
        let bounded =
            |value: &Value| (!value.is_null()).then(|| cut(&text(value), MAX_VALUE_BYTES).to_owned());
        (before != after).then(|| DifferingSetting {
            name: cut(name, MAX_VALUE_BYTES).to_owned(),
            expected: bounded(&before),
            found: bounded(&after),
        })
    });
    differing.take(MAX_DIFFERING).collect()
}

/// The names in their order; builder settings stand second, by name.
const ORDER: [&str; 11] = [
    "profiles",
    "settings",
    "network.stronglyTyped",
    "library.digest",
    "library.parserDigest",
    "host.architecture",
    "host.os",
    "gpuSku",
    "host.driver",
    "host.cuda",
    "buildConfigHash",
];

fn place(name: &str) -> usize {
    let name = if name.starts_with("settings.") { "settings" } else { name };
    ORDER.iter().position(|other| *other == name).unwrap_or(ORDER.len())
}

/// What a build was set up with; what is null is not set.
fn settings(summary: &BuildSummary) -> Vec<(String, Value)> {
    let library = summary.library.as_ref();
    let host = &summary.host;
    let mut all = vec![
        ("profiles".to_owned(), json!(summary.profiles)),
        ("network.stronglyTyped".to_owned(), json!(summary.network.strongly_typed)),
        ("library.digest".to_owned(), json!(library.map(|it| it.digest))),
        ("library.parserDigest".to_owned(), json!(library.and_then(|it| it.parser_digest))),
        ("host.architecture".to_owned(), json!(host.architecture)),
        ("host.os".to_owned(), json!(host.os)),
        ("gpuSku".to_owned(), json!(summary.gpu_sku)),
        ("host.driver".to_owned(), json!(host.driver)),
        ("host.cuda".to_owned(), json!(host.cuda)),
        ("buildConfigHash".to_owned(), json!(summary.build_config_hash)),
    ];
    let of_builder = summary.settings.iter().filter(|(name, _)| *name != WEIGHTS);
    all.extend(of_builder.map(|(name, value)| (format!("settings.{name}"), value.clone())));
    all
}

/// A value in its one spelling.
fn text(value: &Value) -> String {
    jcs::to_vec(value)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_else(|| value.to_string())
}

#[cfg(test)]
mod tests;
