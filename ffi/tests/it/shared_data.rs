//! The collection of ONNX files next to the project, where there is one.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use acta_ffi::{Builder, NetworkFlags, ParseError};

use crate::support::{library, project};

/// Files that TensorRT refuses, with the parser's code; `None` where the parser says yes.
const FAIL: [(&str, Option<&str>); 6] = [
    ("fail-parse-unknown-op.onnx", Some("kINVALID_NODE")),
    ("fail-parse-shape-mismatch.onnx", Some("kINVALID_NODE")),
    ("fail-parse-truncated.onnx", Some("kMODEL_DESERIALIZE_FAILED")),
    ("fail-parse-missing-external-data.onnx", Some("kINVALID_GRAPH")),
    ("nonzero.onnx", Some("kUNSUPPORTED_NODE")),
    ("not-onnx-but-parser-says-ok.onnx", None),
];

/// Files that build in a second or so.
const PASS: [&str; 5] =
    ["small.onnx", "gemm-fp32.onnx", "names-unicode-long.onnx", "residual-24x64.onnx", "double-type.onnx"];

fn folder() -> Option<PathBuf> {
    let shared = env::var_os("ACTA_SHARED").map_or_else(|| project().join("../shared"), PathBuf::from);
    let folder = shared.join("data/onnx");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: there is no {}", folder.display());
    None
}

#[test]
fn files_that_fail_say_why() {
    let Some(folder) = folder() else { return };
    for (name, code) in FAIL {
        let builder = Builder::new(library(), Arc::new(())).unwrap();
        let mut network = builder.create_network(NetworkFlags::default()).unwrap();
        match (network.parse_onnx_file(&folder.join(name)), code) {
            (Ok(()), None) => assert_eq!(network.layer_count().unwrap(), 0, "{name}"),
            (Err(ParseError::Refused { errors, .. }), Some(code)) => {
                assert!(errors.iter().any(|error| error.code_name() == code), "{name}: {errors:#?}");
            }
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn files_that_build_build() {
    let Some(folder) = folder() else { return };
    for name in PASS {
        let builder = Builder::new(library(), Arc::new(())).unwrap();
        let mut network = builder.create_network(NetworkFlags::default()).unwrap();
        network.parse_onnx_file(&folder.join(name)).unwrap();
        let config = builder.create_config().unwrap();
        let output = builder.build_serialized(&network, &config).unwrap();
        println!("{name}: {} bytes", output.plan.as_bytes().len());
    }
}
