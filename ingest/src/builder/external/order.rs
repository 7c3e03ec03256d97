//! What `acta run` was asked for.

use std::path::Path;

use acta_ledger::log::{digest::Sha256Digest, jcs};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::builder::worker_summary::ModelFiles;

/// A command and what it is run for; paths and patterns as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandOrder {
    /// The command's words.
    pub command: Vec<String>,
    /// The patterns of its artifacts.
    pub artifacts: Vec<String>,
    /// The model, where a person named it.
    pub model: Option<String>,
    /// The digest of that model with its weights, see [`inputs`].
    pub inputs: Option<Sha256Digest>,
    /// The file of build times that it writes.
    pub build_timing: Option<String>,
}

impl CommandOrder {
    /// The digest that is signed: two runs with one digest were given the same command in the same folder, for the same
    /// artifacts, from the same model.
    pub fn digest(&self, folder: &Path) -> Sha256Digest {
        let order = json!({
            "schema": "urn:acta:command-order:v1",
            "folder": folder.to_string_lossy(),
            "order": self,
        });
        Sha256Digest::of(&jcs::to_vec(&order).expect("texts always have a canonical form"))
    }
}

/// The digest of a model with the files that it keeps weights in.
pub fn inputs(model: &ModelFiles) -> Sha256Digest {
    let inputs = json!({ "network": model.digest, "externalWeights": model.weights });
    Sha256Digest::of(&jcs::to_vec(&inputs).expect("texts and small integers always have a canonical form"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_of_everything_that_was_given() {
        let order = CommandOrder {
            command: vec!["make".to_owned(), "plan".to_owned()],
            artifacts: vec!["*.plan".to_owned()],
            model: Some("m.onnx".to_owned()),
            inputs: Some(Sha256Digest::of(b"m")),
            build_timing: None,
        };
        let (folder, digest) = (Path::new("/a"), order.digest(Path::new("/a")));
        assert_eq!(order.clone().digest(folder), digest);
        assert_ne!(order.digest(Path::new("/b")), digest);
        let joined = vec!["make plan".to_owned()];
        for other in [
            CommandOrder { command: joined, ..order.clone() },
            CommandOrder { artifacts: Vec::new(), ..order.clone() },
            CommandOrder { model: None, ..order.clone() },
            CommandOrder { inputs: None, ..order.clone() },
            CommandOrder { build_timing: Some("t.json".to_owned()), ..order.clone() },
        ] {
            assert_ne!(other.digest(folder), digest, "{other:?}");
        }
    }
}
