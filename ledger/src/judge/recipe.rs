//! Gate 2's checks: what the run measured counts; what only a person states carries the person's name; where both
//! speak, they must agree.

use serde_json::{Value, json};

use crate::evidence::{
    build::{BuildSummary, Language, NO_GPU, Outcome},
    code,
    gate::{Check, CheckVerdict, check},
    recipe::{Boundary, Recipe},
};

/// What the checks are made from.
struct Facts<'a> {
    recipe: &'a Recipe,
    summary: &'a BuildSummary,
    /// Who states what only the recipe says.
    by: &'a str,
}

/// Every check of the recipe against the run; `by` is the account of whoever states what only the recipe says.
pub fn checks(recipe: &Recipe, summary: &BuildSummary, by: &str) -> Vec<Check> {
    Facts { recipe, summary, by }.checks()
}

impl Facts<'_> {
    fn checks(&self) -> Vec<Check> {
        let (recipe, summary) = (self.recipe, self.summary);
        let environment = &recipe.environment;
        vec![
            self.sources(),
            self.os_or_container(),
            self.python(),
            self.stated("model_connect", environment.model_connect.as_deref(), "environment.modelConnect"),
            self.both("tensorrt", environment.tensorrt.as_deref(), Some(summary.tensorrt_version.as_str())),
            self.both("cuda", environment.cuda.as_deref(), summary.host.cuda.as_deref()),
            self.both("gpu", environment.gpu.as_deref(), Some(summary.gpu_sku.as_str())),
            self.both("driver", environment.driver.as_deref(), summary.host.driver.as_deref()),
            self.stated("recipe", Some(recipe.name.as_str()), "name"),
            self.stated("documented_family", recipe.documented_family.as_deref(), "documentedFamily"),
            self.commands(),
            self.stated("precision", recipe.precision.as_deref(), "precision"),
            self.may_be_none("quantization", recipe.quantization.as_deref()),
            self.may_be_none("topology", recipe.topology.as_deref()),
            self.parallelism(),
            self.boundaries("custom_kernels", "customKernels", recipe.custom_kernels.as_deref()),
            self.boundaries("tvm_ffi_boundaries", "tvmFfiBoundaries", recipe.tvm_ffi_boundaries.as_deref()),
        ]
    }

    fn person(&self, name: &str, verdict: CheckVerdict, value: Value) -> Check {
        check(name, verdict, value).stated_by(self.by)
    }

    fn absent(&self, name: &str, key: &str) -> Check {
        check(name, CheckVerdict::Hold, Value::Null)
            .because(format!("the recipe file does not say it: {key}"))
    }

    /// What only the recipe says.
    fn stated(&self, name: &str, value: Option<&str>, key: &str) -> Check {
        match value.map(str::trim).filter(|value| !value.is_empty()) {
            Some(value) => self.person(name, CheckVerdict::Pass, json!(value)),
            None => self.absent(name, key),
        }
    }

    /// What only the recipe says, and what may not apply.
    fn may_be_none(&self, name: &str, value: Option<&str>) -> Check {
        match value.map(str::trim) {
            Some("none") => self
                .person(name, CheckVerdict::NotApplicable, json!("none"))
                .because("the recipe says that there is none"),
            value => self.stated(name, value, name),
        }
    }

    /// What the recipe and the run say: they must agree.
    fn both(&self, name: &str, stated: Option<&str>, measured: Option<&str>) -> Check {
        let stated = stated.map(str::trim).filter(|stated| !stated.is_empty());
        let measured = measured.filter(|measured| !measured.is_empty() && *measured != "unknown");
        let none = |text: &str| text == "none" || text == NO_GPU;
        match (stated, measured) {
            (None, Some(measured)) => check(name, CheckVerdict::Pass, json!(measured)),
            (Some(stated), Some(measured)) if stated == measured || none(stated) && none(measured) => {
                check(name, CheckVerdict::Pass, json!(measured))
            }
            (Some(stated), Some(measured)) => {
                check(name, CheckVerdict::Fail, json!({ "stated": stated, "measured": measured }))
                    .because(format!("the recipe says {stated}, the run measured {measured}"))
            }
            (Some(stated), None) => self.person(name, CheckVerdict::Pass, json!(stated)),
            (None, None) if self.summary.gpu_sku == NO_GPU && name == "driver" => {
                check(name, CheckVerdict::Pass, json!(NO_GPU))
            }
            (None, None) => check(name, CheckVerdict::Hold, Value::Null)
                .because(format!("neither the run nor the recipe says it: environment.{name}")),
        }
    }

    fn sources(&self) -> Check {
        let name = "canonical_sources";
        let sources = &self.recipe.sources;
        let lacking = sources.iter().find_map(|source| {
            let lacks = source.lacks();
            (!lacks.is_empty()).then(|| format!("{} lacks: {}", source.url, lacks.join(", ")))
        });
        match lacking {
            _ if sources.is_empty() => self.absent(name, "sources"),
            Some(reason) => self.person(name, CheckVerdict::Hold, json!(sources)).because(reason),
            None => self.person(name, CheckVerdict::Pass, json!(sources)),
        }
    }

    fn os_or_container(&self) -> Check {
        let host = &self.summary.host;
        let environment = &self.recipe.environment;
        let value = json!({
            "os": host.os,
            "kernel": host.kernel,
            "architecture": host.architecture,
            "containerRuntime": host.container,
            "container": environment.container,
        });
        match &environment.os {
            Some(stated) if *stated != host.os => check("os_or_container", CheckVerdict::Fail, value)
                .because(format!("the recipe says {stated}, the run measured {}", host.os)),
            _ => check("os_or_container", CheckVerdict::Pass, value),
        }
    }

    fn python(&self) -> Check {
        match self.recipe.environment.python.as_deref().map(str::trim) {
            None if self.summary.language == Language::Cpp => {
                check("python", CheckVerdict::NotApplicable, json!("none"))
                    .because("the builder was called from C++")
            }
            None => self.absent("python", "environment.python"),
            stated => self.may_be_none("python", stated),
        }
    }

    fn commands(&self) -> Check {
        let (stated, ran) = (&self.recipe.build_commands, &self.summary.command_line);
        let value = json!({ "recipe": stated, "run": ran });
        if stated.iter().all(|command| command.trim().is_empty()) {
            return self.absent("build_commands", "buildCommands");
        }
        self.person("build_commands", CheckVerdict::Pass, value)
    }

    fn parallelism(&self) -> Check {
        let name = "tensor_parallelism";
        match self.recipe.tensor_parallelism {
            None => self.absent(name, "tensorParallelism"),
            Some(0) => self
                .person(name, CheckVerdict::Fail, json!(0))
                .because("tensors cannot be split over no device"),
            Some(1) => self
                .person(name, CheckVerdict::NotApplicable, json!(1))
                .because("the recipe says that tensors are not split"),
            Some(devices) => self.person(name, CheckVerdict::Pass, json!(devices)),
        }
    }

    fn boundaries(&self, name: &str, key: &str, boundaries: Option<&[Boundary]>) -> Check {
        let Some(boundaries) = boundaries else { return self.absent(name, key) };
        if boundaries.is_empty() {
            return self
                .person(name, CheckVerdict::NotApplicable, json!([]))
                .because("the recipe says that there are none");
        }
        let lacking: Vec<String> = boundaries
            .iter()
            .filter_map(|boundary| {
                let lacks = boundary.lacks();
                (!lacks.is_empty()).then(|| format!("{} lacks: {}", boundary.name, lacks.join(", ")))
            })
            .collect();
        if lacking.is_empty() {
            self.person(name, CheckVerdict::Pass, json!(boundaries))
        } else {
            self.person(name, CheckVerdict::Hold, json!(boundaries)).because(lacking.join("; "))
        }
    }
}

/// The run itself: a plan must have come out of it. `found_in` says where its statement was found.
pub fn build_run(summary: &BuildSummary, found_in: &str) -> Check {
    let value = json!({
        "run": summary.run.id,
        "attempt": summary.run.attempt,
        "outcome": summary.outcome,
        "builder": summary.builder,
        "buildConfigHash": summary.build_config_hash,
        "plan": summary.plan().and_then(|plan| plan.digest),
        "foundIn": found_in,
    });
    match summary.outcome {
        Outcome::Completed | Outcome::CancelRequestedButCompleted if summary.plan().is_some() => {
            check("build_run", CheckVerdict::Pass, value)
        }
        outcome => check("build_run", CheckVerdict::Fail, value)
            .because(format!("the run is {}: no plan came out of it", code(&outcome).replace('_', " "))),
    }
}

#[cfg(test)]
mod tests;
