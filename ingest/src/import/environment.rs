//! The machine that the bundle runs on: what this machine says of itself, what a report says, what a person says.
//!
//! Whichever speak must agree. A result of another GPU or driver proves nothing about this one, so a contradiction is an
//! error and not a choice.

use std::{collections::BTreeMap, fs, path::Path};

use acta_ledger::evidence::pin::{Pin, Pins};
use serde::{Deserialize, Serialize};

use crate::{
    builder::{
        gpu::{GpuFacts, GpuWatch},
        host,
    },
    error::{CliError, Result},
    policy,
};

/// Facts of a machine; none where nobody says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Environment {
    /// The GPU's name.
    #[serde(default)]
    pub gpu: Option<String>,
    /// The GPU's UUID.
    #[serde(default)]
    pub gpu_uuid: Option<String>,
    /// The driver's version.
    #[serde(default)]
    pub driver: Option<String>,
    /// The CUDA version.
    #[serde(default)]
    pub cuda: Option<String>,
    /// The TensorRT version of the runtime.
    #[serde(default)]
    pub tensorrt: Option<String>,
    /// Model Connect's revision.
    #[serde(default)]
    pub model_connect: Option<String>,
}

/// Who says what of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The machine that the agent runs on.
    ThisMachine,
    /// A report that the agent read.
    Report,
    /// A person, in a file.
    Person,
}

/// What is known of the machine, and from whom.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Known {
    facts: BTreeMap<&'static str, (String, Source)>,
}

impl Environment {
    /// Its facts by name.
    fn facts(&self) -> [(&'static str, Option<Pin>, &Option<String>); 6] {
        [
            ("gpu", Some(Pin::GpuSku), &self.gpu),
            ("gpuUuid", None, &self.gpu_uuid),
            ("driver", Some(Pin::Driver), &self.driver),
            ("cuda", Some(Pin::Cuda), &self.cuda),
            ("tensorrt", Some(Pin::Tensorrt), &self.tensorrt),
            ("modelConnect", Some(Pin::ModelConnect), &self.model_connect),
        ]
    }

    /// The pinned facts among them.
    pub fn pins(&self) -> Pins {
        let pins = self.facts().into_iter().filter_map(|(_, pin, value)| Some((pin?, value.clone()?)));
        Pins(pins.collect())
    }

    /// What this machine says of itself: by the driver's own library, else by the driver's files.
    pub fn of_this_machine() -> Self {
        match GpuWatch::start().finish() {
            Some(GpuFacts { gpu, driver, cuda }) => {
                Self { gpu: Some(gpu.name), gpu_uuid: Some(gpu.uuid), driver, cuda, ..Self::default() }
            }
            None => Self::read_from(Path::new("/proc/driver/nvidia/gpus"), host::record(None).driver),
        }
    }

    fn read_from(gpus: &Path, driver: Option<String>) -> Self {
        let texts = fs::read_dir(gpus).into_iter().flatten().flatten();
        let texts: Vec<String> =
            texts.filter_map(|entry| fs::read_to_string(entry.path().join("information")).ok()).collect();
        let value = |text: &str, key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'));
            line.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let mut names: Vec<String> = texts.iter().filter_map(|text| value(text, "Model")).collect();
        names.dedup();
        // Several kinds of GPU in one machine: which one ran is for a report to say.
        let gpu = if names.len() == 1 { names.pop() } else { None };
        let gpu_uuid = if let [text] = texts.as_slice() { value(text, "GPU UUID") } else { None };
        Self { gpu, gpu_uuid, driver, ..Self::default() }
    }

    /// Reads a file in which a person says it.
    pub fn read(path: &Path) -> Result<Self> {
        let (environment, _): (Self, _) = policy::read("--environment", "the environment", path)?;
        if environment
            .facts()
            .iter()
            .any(|(_, _, value)| value.as_ref().is_some_and(|it| it.trim().is_empty()))
        {
            return Err(CliError::usage("the environment holds an empty value")
                .field(format!("--environment {}", path.display()))
                .help("leave out what is not known"));
        }
        Ok(environment)
    }
}

impl Known {
    /// Adds what somebody says; refused if it contradicts what is known.
    pub fn add(&mut self, environment: &Environment, source: Source) -> Result<()> {
        for (name, _, value) in environment.facts() {
            let Some(value) = value else { continue };
            match self.facts.get(name) {
                Some((known, from)) if known != value => {
                    let words = |source: Source| match source {
                        Source::ThisMachine => "this machine",
                        Source::Report => "a report",
                        Source::Person => "--environment",
                    };
                    return Err(CliError::usage("the evidence speaks about two machines")
                        .field(name)
                        .found(format!("{value} ({})", words(source)))
                        .expected(format!("{known} ({})", words(*from)))
                        .help("gather the evidence of one gate on one machine: the route's runtime target"));
                }
                Some(_) => {}
                None => {
                    self.facts.insert(name, (value.clone(), source));
                }
            }
        }
        Ok(())
    }

    /// A fact.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.facts.get(name).map(|(value, _)| value.as_str())
    }

    /// The pinned facts.
    pub fn pins(&self) -> Pins {
        let fact = |name| self.get(name).map(str::to_owned);
        Environment {
            gpu: fact("gpu"),
            gpu_uuid: fact("gpuUuid"),
            driver: fact("driver"),
            cuda: fact("cuda"),
            tensorrt: fact("tensorrt"),
            model_connect: fact("modelConnect"),
        }
        .pins()
    }

    /// Whether a person alone says which GPU it is.
    pub fn is_only_stated(&self) -> bool {
        self.facts.get("gpu").is_some_and(|(_, source)| *source == Source::Person)
    }

    /// The facts with who says them, for a check's value.
    pub fn to_json(&self) -> serde_json::Value {
        self.facts
            .iter()
            .map(|(name, (value, source))| {
                ((*name).to_owned(), serde_json::json!({ "value": value, "source": source }))
            })
            .collect::<serde_json::Map<_, _>>()
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_says_its_gpu() {
        let folder = tempfile::tempdir().unwrap();
        let read = || Environment::read_from(folder.path(), Some("580.1".to_owned()));
        assert_eq!(read(), Environment { driver: Some("580.1".to_owned()), ..Environment::default() });
        let put = |slot: &str, model: &str| {
            fs::create_dir_all(folder.path().join(slot)).unwrap();
            let text = format!("Model: \t\t {model}\nIRQ:   \t\t 16\nGPU UUID: \t GPU-1\n");
            fs::write(folder.path().join(slot).join("information"), text).unwrap();
        };
        put("0000:01:00.0", "NVIDIA H200");
        assert_eq!((read().gpu.as_deref(), read().gpu_uuid.as_deref()), (Some("NVIDIA H200"), Some("GPU-1")));
        put("0000:02:00.0", "NVIDIA H200");
        assert_eq!((read().gpu.as_deref(), read().gpu_uuid), (Some("NVIDIA H200"), None));
        put("0000:02:00.0", "NVIDIA L40S");
        assert_eq!(read().gpu, None);
    }

    #[test]
    fn two_machines_are_a_contradiction() {
        let of = |gpu: &str| Environment { gpu: Some(gpu.to_owned()), ..Environment::default() };
        let mut known = Known::default();
        known.add(&of("NVIDIA H200"), Source::Report).unwrap();
        known.add(&of("NVIDIA H200"), Source::Person).unwrap();
        known.add(&Environment::default(), Source::Person).unwrap();
        assert!(!known.is_only_stated());
        let error = known.add(&of("NVIDIA L40S"), Source::Person).unwrap_err().to_string();
        assert!(
            error.contains("NVIDIA L40S (--environment)") && error.contains("NVIDIA H200 (a report)"),
            "{error}"
        );
        assert_eq!(known.pins().get(Pin::GpuSku), Some("NVIDIA H200"));
    }
}
