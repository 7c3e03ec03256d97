//! A small writer of `.bundle` files in both dialects, of every class, and of every way in which they can be broken.
//!
//! It depends on the ledger's digests only, so that the ledger's own tests include this very file by its path.

use acta_ledger::log::digest::Sha256Digest;

/// What a TensorRT-RTX plan begins with, followed by filler: enough for whoever looks but does not run it.
pub const PLAN: &[u8] = b"vtrt\0\0\0\0\x02\0\0\0 a plan of 64 bytes that no runtime executes ever...";

/// A bundle in the making: header values as JSON text, sections as bytes, laid out one behind the other.
#[derive(Clone)]
pub struct BundleWriter {
    /// The length key of its dialect: `size` or `length`.
    length_key: &'static str,
    fields: Vec<(String, String)>,
    sections: Vec<(String, Vec<u8>)>,
}

impl BundleWriter {
    /// A bundle of dialect A with one engine and its configuration.
    pub fn a() -> Self {
        Self { length_key: "size", fields: Vec::new(), sections: Vec::new() }
            .text("model_id", "acme/mini")
            .text("model_type", "mini")
            .text("family", "mini")
            .text("trt_version", "1.7.1.116")
            .text("trt_abi", "1.7")
            .text("gpu_name", "NVIDIA Example")
            .text("created_at", "2026-09-01T08:00:00Z")
            .field("vocab_size", "8")
            .field("hidden_size", "8")
            .field("num_layers", "1")
            .field("num_attention_heads", "1")
            .field("num_key_value_heads", "1")
            .field("max_cache_length", "32")
            .text("precision", "fp32")
            .field("tokenizer_add_special_tokens", "0")
            .with_engine()
    }

    /// A bundle of dialect B with the same sections.
    pub fn b() -> Self {
        Self { length_key: "length", fields: Vec::new(), sections: Vec::new() }
            .field("format", "1")
            .text("family", "mini")
            .text("task", "text_generation")
            .text("backend", "trt_rtx")
            .with_engine()
    }

    fn with_engine(self) -> Self {
        self.section("engine_plan", PLAN)
            .section("config.json", br#"{"model_type":"mini"}"#)
            .section("tokenizer_config.json", b"{}")
    }

    /// A bundle that asks for a kernel from outside.
    pub fn byok() -> Self {
        let slot = format!(
            r#"{{"schema_version":1,"slots":[{{"abi_sha256":"{}","id":"mini.attn"}}]}}"#,
            Sha256Digest::of(b"abi")
        );
        Self::a().section("kernel_slots.json", slot.as_bytes())
    }

    /// A bundle of an optimized runtime: two directories, three files.
    pub fn optimized() -> Self {
        let files: [(&str, &[u8]); 3] = [
            ("engines/config.json", b"{\"max_batch\":1}"),
            ("engines/rank0.engine", PLAN),
            ("libtrtmc_impl_mini.so", b"\x7fELF"),
        ];
        let mut tree = Vec::new();
        for directory in ["empty", "engines"] {
            tree.extend_from_slice(format!("directory\0{directory}\0").as_bytes());
        }
        for (path, content) in files {
            tree.extend_from_slice(format!("file\0{path}\0{}\0", content.len()).as_bytes());
            tree.extend_from_slice(Sha256Digest::of(content).as_bytes());
        }
        let total: usize = files.iter().map(|(_, content)| content.len()).sum();
        let descriptor = format!(
            concat!(
                r#"{{"artifact":{{"directories":["empty","engines"],"file_count":3,"#,
                r#""section_prefix":"optimized_runtime_artifacts","total_size":{},"tree_sha256":"{}"}},"#,
                r#""factory_abi":1,"implementation_id":"mini.runtime","#,
                r#""implementation_metadata_section":"implementation.json","model_id":"acme/mini","#,
                r#""profile_id":"mini-fp32","runtime":{{"commit":"0001","name":"mini","version":"0.1.0"}},"#,
                r#""runtime_library":"libtrtmc_impl_mini.so","schema_version":2}}"#
            ),
            total,
            Sha256Digest::of(&tree)
        );
        let mut bundle = Self { sections: Vec::new(), ..Self::a() }
            .section("optimized_runtime.json", descriptor.as_bytes())
            .section("implementation.json", b"{}");
        for (path, content) in files {
            bundle = bundle.section(&format!("optimized_runtime_artifacts/{path}"), content);
        }
        bundle
    }

    /// Sets a header value to a JSON text, or adds it.
    pub fn field(mut self, key: &str, json: &str) -> Self {
        match self.fields.iter_mut().find(|(known, _)| known == key) {
            Some((_, value)) => json.clone_into(value),
            None => self.fields.push((key.to_owned(), json.to_owned())),
        }
        self
    }

    /// Sets a header value to a text.
    pub fn text(self, key: &str, value: &str) -> Self {
        self.field(key, &serde_json::to_string(value).expect("a text is JSON"))
    }

    /// Removes a header value.
    pub fn without(mut self, key: &str) -> Self {
        self.fields.retain(|(known, _)| known != key);
        self
    }

    /// Sets a section's bytes, or adds it at the end.
    pub fn section(mut self, name: &str, content: &[u8]) -> Self {
        match self.sections.iter_mut().find(|(known, _)| known == name) {
            Some((_, bytes)) => *bytes = content.to_vec(),
            None => self.sections.push((name.to_owned(), content.to_vec())),
        }
        self
    }

    /// The header's text, compact.
    pub fn header(&self) -> String {
        let quoted = |text: &str| serde_json::to_string(text).expect("a text is JSON");
        let mut offset = 0;
        let table: Vec<String> = self
            .sections
            .iter()
            .map(|(name, content)| {
                let (at, length, key) = (offset, content.len(), self.length_key);
                offset += length;
                format!(r#"{}:{{"offset":{at},"{key}":{length}}}"#, quoted(name))
            })
            .collect();
        let mut members: Vec<String> =
            self.fields.iter().map(|(key, json)| format!("{}:{json}", quoted(key))).collect();
        members.push(format!(r#""sections":{{{}}}"#, table.join(",")));
        format!("{{{}}}", members.join(","))
    }

    /// The payload.
    pub fn payload(&self) -> Vec<u8> {
        self.sections.iter().flat_map(|(_, content)| content.clone()).collect()
    }

    /// The whole file.
    pub fn write(&self) -> Vec<u8> {
        assemble(&self.header(), &self.payload())
    }

    /// The whole file with one stretch of its header replaced.
    pub fn write_edited(&self, from: &str, to: &str) -> Vec<u8> {
        let header = self.header();
        assert!(header.contains(from), "{from:?} is not in {header}");
        assemble(&header.replacen(from, to, 1), &self.payload())
    }
}

/// A file of this header and payload.
pub fn assemble(header: &str, payload: &[u8]) -> Vec<u8> {
    let length = header.len() as u64;
    [b"BUNDLE\x01\x00", &length.to_le_bytes()[..], header.as_bytes(), payload].concat()
}

/// The file with another header length written into it.
pub fn with_header_length(mut file: Vec<u8>, length: u64) -> Vec<u8> {
    file[8..16].copy_from_slice(&length.to_le_bytes());
    file
}

/// A file and the one word that a correct validator says about it.
pub struct Sample {
    /// What it shows.
    pub name: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
    /// The rule that it breaks, or the finding that it has; nothing for a clean one.
    pub says: &'static str,
}

fn sample(name: &'static str, says: &'static str, bytes: Vec<u8>) -> Sample {
    Sample { name, bytes, says }
}

/// Bundles that are valid and clean.
pub fn clean() -> Vec<Sample> {
    vec![
        sample("a native", "", BundleWriter::a().write()),
        sample("b native", "", BundleWriter::b().write()),
        sample("byok", "kernel_outside", BundleWriter::byok().write()),
        sample("optimized", "no_engine_section", BundleWriter::optimized().write()),
        sample("no GPU", "header_value_blank", BundleWriter::a().text("gpu_name", "").write()),
        sample(
            "two engines",
            "several_engine_sections",
            BundleWriter::a().section("prefill_engine_plan", b"ftrt").write(),
        ),
        sample(
            "every optional key",
            "",
            BundleWriter::a()
                .text("runtime_strategy", "mini")
                .text("quantization", "fp8")
                .field("io_map", r#"{"input":"x"}"#)
                .field("defaults", r#"{"sampling":{"temperature":0.0}}"#)
                .field("max_batch_size", r#"{"dit":2,"text_encoder":4,"vae":1}"#)
                .write(),
        ),
    ]
}

/// Bundles that are valid, but that somebody should look at.
pub fn unclean() -> Vec<Sample> {
    let a = BundleWriter::a;
    let gap = r#""config.json":{"offset":64,"size":21}"#;
    assert_eq!(PLAN.len(), 64);
    let gap_payload = [PLAN, &[0; 100], br#"{"model_type":"mini"}{}"#].concat();
    let gap_header = a()
        .header()
        .replace(gap, r#""config.json":{"offset":164,"size":21}"#)
        .replace(r#"{"offset":85,"#, r#"{"offset":185,"#);
    vec![
        sample("gap", "gap", assemble(&gap_header, &gap_payload)),
        sample("trailing bytes", "trailing_bytes", [a().write(), vec![0xaa; 64]].concat()),
        sample("not summing up", "non_contiguous", [a().write(), vec![0xaa; 64]].concat()),
        sample("path traversal", "unsafe_section_name", a().section("../../etc/passwd", b"x").write()),
        sample("bidi in a value", "unusual_text", a().text("model_id", "a\u{202e}b\0").write()),
        sample("no plan", "plan_magic", a().section("engine_plan", b"XXXX").write()),
        sample("empty plan", "plan_empty", a().section("engine_plan", b"").write()),
        sample("number as model", "header_value_type", a().field("model_id", "1").write()),
        sample("no model", "header_key_absent", a().without("model_id").write()),
        sample(
            "third key in a section",
            "section_key_unknown",
            a().write_edited(r#""size":21"#, r#""size":21,"x":1"#),
        ),
        sample(
            "values beyond what is kept",
            "header_values_not_kept",
            a().text("defaults", &"x".repeat(2 << 20)).write(),
        ),
        sample(
            "backend in capitals",
            "header_value_unusual",
            BundleWriter::b().text("backend", "TRT").write(),
        ),
        sample(
            "two classes",
            "class_ambiguous",
            BundleWriter::optimized()
                .section(
                    "kernel_slots.json",
                    format!(
                        r#"{{"schema_version":1,"slots":[{{"abi_sha256":"{}","id":"a"}}]}}"#,
                        Sha256Digest::of(b"")
                    )
                    .as_bytes(),
                )
                .write(),
        ),
    ]
}

/// Bundles that break a rule of the outer format.
pub fn malformed() -> Vec<Sample> {
    let (a, b) = (BundleWriter::a, BundleWriter::b);
    let whole = a().write();
    let with = |at: usize, byte: u8| {
        let mut file = whole.clone();
        file[at] = byte;
        file
    };
    let length = |length| with_header_length(whole.clone(), length);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let many: String = (0..65_537).map(|i| format!(r#","k{i}":0"#)).collect();
    let many_sections: String = (0..65_534).map(|i| format!(r#","s{i}":{{"offset":0,"size":0}}"#)).collect();
    let config = r#""config.json":{"offset":64,"size":21}"#;
    let config_b = r#""config.json":{"offset":64,"length":21}"#;
    let edit = |to: &str| a().write_edited(config, to);
    let mut not_utf8 = whole.clone();
    let at = whole.windows(4).position(|it| it == b"mini").expect("the model's name");
    not_utf8[at..at + 2].copy_from_slice(b"\xff\xfe");
    vec![
        sample("empty file", "too_short", Vec::new()),
        sample("magic only", "too_short", whole[..8].to_vec()),
        sample("other magic", "magic", with(0, b'X')),
        sample("other version", "magic", with(6, 2)),
        sample("header length 0", "header_length_too_small", length(0)),
        sample("header length 1", "header_length_too_small", length(1)),
        sample("header length 101 MiB", "header_length_too_large", length(101 << 20)),
        sample("header length 2^63", "header_length_too_large", length(1 << 63)),
        sample("header length 2^64 - 1", "header_length_too_large", length(u64::MAX)),
        sample("header beyond the file", "header_beyond_file", length(2 * whole.len() as u64)),
        sample("header cut short", "header_not_json", length(100)),
        sample("header too long", "header_not_json", length(a().header().len() as u64 + 1)),
        sample("not JSON", "header_not_json", with(16, b'#')),
        sample("not UTF-8", "header_not_utf8", not_utf8),
        sample("array", "header_not_object", assemble(&format!("[{}]", a().header()), &a().payload())),
        sample("text", "header_not_object", assemble("\"sections\"", b"")),
        sample("100,000 levels", "header_too_deep", a().field("defaults", &nested(100_000)).write()),
        sample(
            "a section of 100,000 levels",
            "header_too_deep",
            edit(&format!(r#""config.json":{}"#, nested(100_000))),
        ),
        sample(
            "too many members",
            "header_too_many_members",
            a().write_edited(r#","sections""#, &format!(r#"{many},"sections""#)),
        ),
        sample("key twice", "duplicate_key", a().write_edited(r#""family""#, r#""model_id""#)),
        sample("key twice, escaped", "duplicate_key", a().field("defaults", r#"{"a":1,"\u0061":2}"#).write()),
        sample(
            "sections twice",
            "duplicate_key",
            a().write_edited(r#""sections""#, r#""sections":{},"sections""#),
        ),
        sample("offset twice", "duplicate_key", edit(r#""config.json":{"offset":64,"offset":65,"size":21}"#)),
        sample("no sections", "sections_missing", a().write_edited(r#""sections""#, r#""sektions""#)),
        sample(
            "sections an array",
            "sections_not_object",
            assemble(r#"{"model_id":"a","sections":[]}"#, b""),
        ),
        sample("65,537 sections", "too_many_sections", edit(&format!("{config}{many_sections}"))),
        sample("section twice", "duplicate_section", edit(r#""engine_plan":{"offset":64,"size":21}"#)),
        sample("section a number", "section_not_object", edit(r#""config.json":7"#)),
        sample("empty name", "section_name_empty", edit(r#""":{"offset":64,"size":21}"#)),
        sample("NUL in a name", "section_name_nul", edit(r#""a\u0000b":{"offset":64,"size":21}"#)),
        sample(
            "name of 5000 bytes",
            "section_name_too_long",
            edit(&format!(r#""{}":{{"offset":64,"size":21}}"#, "n".repeat(5000))),
        ),
        sample("no offset", "section_key_missing", edit(r#""config.json":{"size":21}"#)),
        sample("no size", "section_key_missing", edit(r#""config.json":{"offset":64}"#)),
        sample(
            "size and length",
            "section_key_of_other_dialect",
            edit(r#""config.json":{"offset":64,"size":21,"length":21}"#),
        ),
        sample("negative offset", "number_not_unsigned", edit(r#""config.json":{"offset":-16,"size":21}"#)),
        sample(
            "size as a fraction",
            "number_not_unsigned",
            edit(r#""config.json":{"offset":64,"size":21.0}"#),
        ),
        sample("size as a text", "number_not_unsigned", edit(r#""config.json":{"offset":64,"size":"21"}"#)),
        sample("size null", "number_not_unsigned", edit(r#""config.json":{"offset":64,"size":null}"#)),
        sample("size true", "number_not_unsigned", edit(r#""config.json":{"offset":64,"size":true}"#)),
        sample(
            "size an object",
            "number_not_unsigned",
            edit(r#""config.json":{"offset":64,"size":{"a":[1]}}"#),
        ),
        sample(
            "size 2^64",
            "number_too_large",
            edit(r#""config.json":{"offset":64,"size":18446744073709551616}"#),
        ),
        sample(
            "offset + size = 2^64",
            "section_overflow",
            edit(r#""config.json":{"offset":18446744073709551595,"size":21}"#),
        ),
        sample(
            "size 2^60",
            "section_beyond_file",
            edit(r#""config.json":{"offset":64,"size":1152921504606846976}"#),
        ),
        sample("cut off", "section_beyond_file", whole[..whole.len() - 10].to_vec()),
        sample("cut off in the plan", "section_beyond_file", whole[..whole.len() - 60].to_vec()),
        sample("overlap", "section_overlap", edit(r#""config.json":{"offset":11,"size":74}"#)),
        sample("b: no format", "header_key_missing", b().without("format").write()),
        sample("b: no task", "header_key_missing", b().without("task").write()),
        sample("b: sixth key", "header_key_unsupported", b().text("model_id", "acme/mini").write()),
        sample("b: empty family", "header_value_empty", b().text("family", "").write()),
        sample("b: family a number", "header_value_not_text", b().field("family", "7").write()),
        sample("b: format true", "format_not_integer", b().field("format", "true").write()),
        sample("b: format 1.0", "format_not_integer", b().field("format", "1.0").write()),
        sample("b: format 2", "format_unsupported", b().field("format", "2").write()),
        sample("b: size", "section_key_of_other_dialect", b().write_edited(config_b, config)),
        sample(
            "b: third key",
            "section_key_unsupported",
            b().write_edited(config_b, r#""config.json":{"offset":64,"length":21,"x":0}"#),
        ),
        sample(
            "b: beyond the file",
            "section_beyond_file",
            b().write_edited(config_b, r#""config.json":{"offset":64,"length":1000000}"#),
        ),
    ]
}

/// Bundles whose outer format is valid and whose content is not.
pub fn malformed_content() -> Vec<Sample> {
    let descriptor = |from: &str, to: &str| {
        let bundle = BundleWriter::optimized();
        let text = bundle.sections.iter().find(|(name, _)| name == "optimized_runtime.json");
        let text = String::from_utf8(text.expect("it has one").1.clone()).expect("it is JSON");
        assert!(text.contains(from), "{from:?} is not in {text}");
        bundle.section("optimized_runtime.json", text.replacen(from, to, 1).as_bytes()).write()
    };
    let artifact = |path: &str, content: &[u8]| {
        BundleWriter::optimized().section(&format!("optimized_runtime_artifacts/{path}"), content).write()
    };
    let slots = |json: &str| BundleWriter::a().section("kernel_slots.json", json.as_bytes()).write();
    vec![
        sample("descriptor not JSON", "descriptor_malformed", descriptor("{", "#")),
        sample("descriptor with another key", "descriptor_malformed", descriptor("{", r#"{"x":1,"#)),
        sample(
            "descriptor with a key twice",
            "descriptor_malformed",
            descriptor("{", r#"{"factory_abi":1,"#),
        ),
        sample(
            "descriptor over 1 MiB",
            "descriptor_malformed",
            descriptor("{", &format!("{{{}", " ".repeat(1 << 20))),
        ),
        sample("no profile", "descriptor_malformed", descriptor("mini-fp32", "")),
        sample(
            "schema version 3",
            "descriptor_version",
            descriptor(r#""schema_version":2"#, r#""schema_version":3"#),
        ),
        sample(
            "factory interface 2",
            "descriptor_version",
            descriptor(r#""factory_abi":1"#, r#""factory_abi":2"#),
        ),
        sample("another model", "descriptor_model_id", descriptor("acme/mini", "acme/other")),
        sample(
            "library with a path",
            "descriptor_runtime_library",
            descriptor("libtrtmc_impl_mini.so", "../libtrtmc_impl_mini.so"),
        ),
        sample(
            "metadata missing",
            "descriptor_metadata_section",
            descriptor("implementation.json", "implementation2.json"),
        ),
        sample("file_count 4", "artifact_file_count", descriptor(r#""file_count":3"#, r#""file_count":4"#)),
        sample("total_size", "artifact_total_size", descriptor(r#""total_size":"#, r#""total_size":1"#)),
        sample(
            "one directory more",
            "artifact_tree_digest",
            descriptor(r#"["empty","#, r#"["empty","empty2","#),
        ),
        sample("directory twice", "artifact_collision", descriptor(r#"["empty","#, r#"["empty","empty","#)),
        sample("directory above", "artifact_path", descriptor(r#"["empty","#, r#"["../empty","#)),
        sample("file is a directory", "artifact_collision", artifact("empty", b"x")),
        sample("file under a file", "artifact_collision", artifact("libtrtmc_impl_mini.so/x", b"x")),
        sample(
            "file with other bytes",
            "artifact_tree_digest",
            artifact("engines/config.json", b"{\"max_batch\":2}"),
        ),
        sample("no slot", "kernel_slots_malformed", slots(r#"{"schema_version":1,"slots":[]}"#)),
        sample("slots not JSON", "kernel_slots_malformed", slots("{")),
        sample("slots over 1 MiB", "kernel_slots_malformed", slots(&" ".repeat((1 << 20) + 1))),
    ]
}
