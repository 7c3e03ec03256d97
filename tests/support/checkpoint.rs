//! A small writer of checkpoints as they lie in a folder: card, configuration, weights, tokenizer, and every way in which
//! one can be wrong.

use std::{collections::BTreeMap, fs, path::Path};

/// A checkpoint in the making.
#[derive(Clone)]
pub struct CheckpointWriter {
    files: BTreeMap<String, Vec<u8>>,
}

/// The card of a checkpoint that is fine.
pub const CARD: &str = "---\nlicense: apache-2.0\nbase_model: acme/base\nlibrary_name: transformers\n\
                        pipeline_tag: text-generation\n---\n\n# Mini\n\nRandom weights.\n";

/// A pickle that prints a word when it is loaded: it must never appear.
pub const PICKLE: &[u8] = b"\x80\x02cbuiltins\nprint\nX\x0f\0\0\0PICKLE-EXECUTED\x85R.";

impl Default for CheckpointWriter {
    fn default() -> Self {
        Self { files: BTreeMap::new() }
            .file("README.md", CARD.as_bytes())
            .file("config.json", br#"{"model_type":"mini","vocab_size":8,"hidden_size":8}"#)
            .file("model.safetensors", &safetensors(&[("a.weight", 16), ("b.weight", 8)]))
            .file("tokenizer.json", b"{}")
            .file("tokenizer_config.json", br#"{"model_max_length":1000000000000000019884624838656}"#)
    }
}

impl CheckpointWriter {
    /// Sets a file.
    pub fn file(mut self, path: &str, bytes: &[u8]) -> Self {
        self.files.insert(path.to_owned(), bytes.to_vec());
        self
    }

    /// Leaves a file out.
    pub fn without(mut self, path: &str) -> Self {
        self.files.remove(path);
        self
    }

    /// Writes it into a folder, which is made.
    pub fn write(&self, folder: &Path) {
        for (path, bytes) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder is made");
            fs::write(path, bytes).expect("a file is written");
        }
    }
}

/// A safetensors file of tensors of bytes.
pub fn safetensors(tensors: &[(&str, usize)]) -> Vec<u8> {
    let mut end = 0;
    let entries: Vec<String> = tensors
        .iter()
        .map(|(name, bytes)| {
            let from = end;
            end += bytes;
            format!(r#""{name}":{{"dtype":"U8","shape":[{bytes}],"data_offsets":[{from},{end}]}}"#)
        })
        .collect();
    let header = format!("{{{}}}", entries.join(","));
    let length = header.len() as u64;
    [&length.to_le_bytes()[..], header.as_bytes(), &vec![7; end]].concat()
}

/// A checkpoint that cannot pass the first gate, and the check that says so.
pub struct Flawed {
    /// What is wrong with it.
    pub name: &'static str,
    /// The checkpoint.
    pub checkpoint: CheckpointWriter,
    /// The check that does not pass.
    pub check: &'static str,
    /// Words of its reason.
    pub words: &'static str,
}

/// Every way in which a checkpoint fails the first gate.
pub fn flawed() -> Vec<Flawed> {
    let good = CheckpointWriter::default;
    let flawed = |name, check, words, checkpoint| Flawed { name, checkpoint, check, words };
    let index = |shard: &str, tensor: &str| {
        let map = format!(r#"{{"metadata":{{}},"weight_map":{{"{tensor}":"{shard}"}}}}"#);
        good().file("model.safetensors.index.json", map.as_bytes())
    };
    let whole = safetensors(&[("a", 64)]);
    vec![
        flawed("no card", "model_card", "no model card", good().without("README.md")),
        flawed(
            "a card without front matter",
            "model_card",
            "no front matter",
            good().file("README.md", b"# x"),
        ),
        flawed(
            "a broken card",
            "model_card",
            "not YAML",
            good().file("README.md", b"---\na: [b\n\t- {\n---\n"),
        ),
        flawed(
            "a card that is not UTF-8",
            "model_card",
            "UTF-8",
            good().file("README.md", b"---\n\xff\n---\n"),
        ),
        flawed(
            "no licence",
            "licence",
            "neither the card",
            good().file("README.md", b"---\ntags: [a]\n---\n"),
        ),
        flawed(
            "another licence in the file",
            "licence",
            "reads like mit",
            good().file(
                "LICENSE",
                b"Permission is hereby granted, free of charge ... the software is provided \"as is\"",
            ),
        ),
        flawed(
            "a licence that the policy does not list",
            "licence_allows_use",
            "not among those",
            good().file("README.md", b"---\nlicense: cc-by-nc-4.0\n---\n"),
        ),
        flawed("no configuration", "config_files", "neither config.json", good().without("config.json")),
        flawed("a broken configuration", "config_files", "not JSON", good().file("config.json", b"{")),
        flawed("code by auto_map", "remote_code", "auto_map", {
            good().file("config.json", br#"{"vocab_size":8,"auto_map":{"AutoModel":"m.M"}}"#)
        }),
        flawed("code beside it", "remote_code", "m.py", good().file("m.py", b"raise SystemExit('RAN')")),
        flawed("a pickle under another name", "remote_code", "pickles", good().file("weights.dat", PICKLE)),
        flawed(
            "pickles only",
            "weight_files",
            "all weights are pickles",
            good().without("model.safetensors").file("pytorch_model.bin", PICKLE),
        ),
        flawed("no weights", "weight_files", "no weights", good().without("model.safetensors")),
        flawed(
            "weights cut short",
            "weight_files",
            "10 bytes past the end",
            good().file("model.safetensors", &whole[..whole.len() - 10]),
        ),
        flawed(
            "a header beyond the file",
            "weight_files",
            "at most",
            good().file("model.safetensors", &[0xff; 16]),
        ),
        flawed("a shard that is missing", "weight_files", "is not there", index("model-2.safetensors", "a")),
        flawed("a shard outside", "weight_files", "is not there", index("../../etc/passwd", "a")),
        flawed(
            "a tensor that is missing",
            "weight_files",
            "has no tensor",
            index("model.safetensors", "zzz"),
        ),
        flawed("no tokenizer", "tokenizer_files", "takes in text", good().without("tokenizer.json")),
        flawed("no processor", "processor_files", "takes in pictures", {
            good().file("config.json", br#"{"vocab_size":8,"vision_config":{}}"#)
        }),
    ]
}
