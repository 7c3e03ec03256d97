//! What must be on record at each gate: the checks by name. A gate's runner may report more, never less.

use super::Gate;

/// When a check may be left aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Need {
    /// It must hold.
    Always,
    /// It must hold or not apply, with the reason on record.
    WhereItApplies,
    /// It must hold, and only a measurement of the agent counts.
    Measured,
}

/// A check that must be on record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// Its name.
    pub name: &'static str,
    /// When it may be left aside.
    pub need: Need,
}

const fn always(name: &'static str) -> Requirement {
    Requirement { name, need: Need::Always }
}

const fn applies(name: &'static str) -> Requirement {
    Requirement { name, need: Need::WhereItApplies }
}

const fn measured(name: &'static str) -> Requirement {
    Requirement { name, need: Need::Measured }
}

const SOURCE: [Requirement; 11] = [
    always("checkpoint_id"),
    always("revision_pinned"),
    always("model_card"),
    always("licence"),
    always("licence_allows_use"),
    measured("config_files"),
    measured("weight_files"),
    applies("tokenizer_files"),
    applies("processor_files"),
    measured("remote_code"),
    applies("remote_code_review"),
];

const BUILD: [Requirement; 17] = [
    always("canonical_sources"),
    always("os_or_container"),
    applies("python"),
    always("model_connect"),
    always("tensorrt"),
    always("cuda"),
    always("gpu"),
    always("driver"),
    always("recipe"),
    always("documented_family"),
    always("build_commands"),
    always("precision"),
    applies("quantization"),
    applies("topology"),
    applies("tensor_parallelism"),
    applies("custom_kernels"),
    measured("build_run"),
];

const BUNDLE: [Requirement; 8] = [
    measured("header"),
    measured("section_table"),
    measured("file_digest"),
    measured("section_digests"),
    always("provenance"),
    always("storage_location"),
    applies("signature"),
    always("scan_or_sbom"),
];

const PARITY: [Requirement; 11] = [
    measured("reference_against_candidate"),
    measured("same_tokenizer"),
    applies("same_processor"),
    measured("same_prompts"),
    measured("same_batch_shapes"),
    measured("same_runtime_config"),
    always("tolerances"),
    applies("long_context"),
    measured("malformed_inputs"),
    applies("concurrency"),
    applies("structured_output"),
];

const RELEASE: [Requirement; 13] = [
    measured("cold_build_time"),
    measured("warm_up"),
    measured("latency_p50"),
    measured("latency_p95"),
    measured("latency_p99"),
    measured("throughput"),
    measured("memory"),
    applies("cache_and_storage"),
    applies("concurrency"),
    measured("errors"),
    always("canary_plan"),
    always("rollback_bundle_retained"),
    always("rollback_tested"),
];

/// What must be on record at a gate.
pub fn requirements(gate: Gate) -> &'static [Requirement] {
    match gate {
        Gate::Source => &SOURCE,
        Gate::Build => &BUILD,
        Gate::Bundle => &BUNDLE,
        Gate::Parity => &PARITY,
        Gate::Release => &RELEASE,
    }
}
