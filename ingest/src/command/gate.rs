//! `acta gate`

use clap::Subcommand;

use crate::{
    error::{Exit, Result},
    gate::{bundle, checkpoint, parity, plan, recipe, release},
    home::Home,
    ui::Ui,
};

const EXAMPLES: &str = "\
Each run of a gate is one signed record: every check by its name, with its value, how it is known and its
verdict. What a person states carries that person's name (--by), and who stated a fact may not approve what
rests on it.

Exit codes: 0 the gate is satisfied by this record, 7 it is not (the record says why), 6 satisfied and not
yet pushed, 2 an input is wrong and nothing was signed, 1 something else failed. `gate plan`: 0 nothing is
missing, 7 something is.

Examples:
  acta gate 1 --route tiny-qwen2 --checkpoint ./tiny-qwen2 --checkpoint-id acme/tiny-qwen2 --revision 8f2c...
  acta gate 2 --route tiny-qwen2 --run 019ad0c6-2f4e-7c4b-8d3e-0a1b2c3d4e5f --recipe recipe.toml
  acta gate 3 --route tiny-qwen2 --bundle tiny-qwen2.bundle --storage s3://bundles/tiny-qwen2 --sbom sbom.json
  acta gate 4 --route tiny-qwen2 --bundle tiny-qwen2.bundle --reference ref --candidate out --spec parity.toml
  acta gate 5 --route tiny-qwen2 --bundle tiny-qwen2.bundle --latency latency.json --canary-plan plan.json
  acta gate plan --route tiny-qwen2";

/// The five gates.
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum Gate {
    /// Source and checkpoint: files, revision, model card, licence, remote code.
    #[command(name = "1", alias = "checkpoint", after_help = EXAMPLES)]
    Checkpoint(checkpoint::Args),
    /// Build environment and recipe: the run, the sources, the kernels and their owners.
    #[command(name = "2", alias = "recipe", after_help = EXAMPLES)]
    Recipe(recipe::Args),
    /// Bundle and manifest: the format's rules, digests, provenance, storage, signature, scan, SBOM.
    #[command(name = "3", alias = "bundle", after_help = EXAMPLES)]
    Bundle(bundle::Args),
    /// Parity: the reference's outputs against the candidate's.
    #[command(name = "4", alias = "parity", after_help = EXAMPLES)]
    Parity(parity::Args),
    /// Release: latencies, throughput, memory, canary, way back.
    #[command(name = "5", alias = "release", after_help = EXAMPLES)]
    Release(release::Args),
    /// Shows what is still missing, gate by gate.
    #[command(after_help = EXAMPLES)]
    Plan(plan::Args),
}

impl Gate {
    /// Runs the command.
    pub fn run(&self, home: &Home, ui: Ui) -> Result<Exit> {
        home.create()?;
        match self {
            Self::Checkpoint(args) => checkpoint::run(args, home, ui),
            Self::Recipe(args) => recipe::run(args, home, ui),
            Self::Bundle(args) => bundle::run(args, home, ui),
            Self::Parity(args) => parity::run(args, home, ui),
            Self::Release(args) => release::run(args, home, ui),
            Self::Plan(args) => plan::run(args, home, ui),
        }
    }

    /// Whether it prints one JSON object, also of an error.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Checkpoint(args) => args.common.json,
            Self::Recipe(args) => args.common.json,
            Self::Bundle(args) => args.common.json,
            Self::Parity(args) => args.common.json,
            Self::Release(args) => args.common.json,
            Self::Plan(args) => args.json,
        }
    }
}
