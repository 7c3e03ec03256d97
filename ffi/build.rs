//! Compiles the C++ shim once per TensorRT family, and reads its C header with bindgen.
//!
//! The NvInfer headers come from the crate `trtx-sys`, an optional dependency that no build enables: it is pinned in
//! `Cargo.lock`, `cargo metadata --all-features` tells where it lies, and it is neither compiled nor linked.
//! `TENSORRT_INCLUDE_DIR` replaces the headers of the family that they turn out to be.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The variable that names a folder with another set of NvInfer headers.
const INCLUDE_VARIABLE: &str = "TENSORRT_INCLUDE_DIR";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Rtx,
    Enterprise,
}

impl Family {
    const ALL: [Self; 2] = [Self::Rtx, Self::Enterprise];

    /// Suffix of everything that is compiled for this family.
    fn name(self) -> &'static str {
        match self {
            Self::Rtx => "rtx",
            Self::Enterprise => "enterprise",
        }
    }

    /// Folder of this family's headers inside `trtx-sys`.
    fn folder(self) -> &'static str {
        match self {
            Self::Rtx => "TRT-RTX-1.7",
            Self::Enterprise => "TRT-Enterprise-11.4",
        }
    }
}

fn main() {
    for family in Family::ALL {
        println!("cargo:rustc-check-cfg=cfg(acta_{})", family.name());
    }
    for watched in ["build.rs", "shim", "Cargo.toml"] {
        println!("cargo:rerun-if-changed={watched}");
    }
    println!("cargo:rerun-if-env-changed={INCLUDE_VARIABLE}");

    let out = PathBuf::from(variable("OUT_DIR"));
    bind(&out);

    let own = env::var_os(INCLUDE_VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = own.map(|folder| (family_of(&folder), folder));
    let bundled = match bundled_headers() {
        Ok(folder) => Some(folder),
        Err(reason) if own.is_some() => {
            println!("cargo:warning=only the family of {INCLUDE_VARIABLE} is compiled: {reason}");
            None
        }
        Err(reason) => panic!("{reason}; or name a folder of NvInfer headers in {INCLUDE_VARIABLE}"),
    };

    for family in Family::ALL {
        let headers = match (&own, &bundled) {
            (Some((found, folder)), _) if *found == family => folder.clone(),
            (_, Some(bundled)) => bundled.join(family.folder()),
            (_, None) => continue,
        };
        compile(family, &headers, bundled.as_deref(), &out);
        println!("cargo:rustc-cfg=acta_{}", family.name());
    }
}

/// Reads the shim's C header, and nothing of NvInfer.
fn bind(out: &Path) {
    let bindings = bindgen::Builder::default()
        .header("shim/trt_shim.h")
        .allowlist_item("acta_trt_.*")
        .allowlist_item("ACTA_TRT_.*")
        .default_macro_constant_type(bindgen::MacroTypeVariation::Signed)
        .generate_comments(false)
        .layout_tests(false)
        .merge_extern_blocks(true)
        .rust_edition(bindgen::RustEdition::Edition2024)
        .formatter(bindgen::Formatter::None)
        .generate()
        .unwrap_or_else(|error| panic!("bindgen could not read shim/trt_shim.h: {error}"));
    bindings
        .write_to_file(out.join("trt_shim.rs"))
        .unwrap_or_else(|error| panic!("cannot write the bindings: {error}"));
}

/// Compiles the shim against one family's headers, its C++ namespaces renamed so that both families fit in one binary.
fn compile(family: Family, headers: &Path, bundled: Option<&Path>, out: &Path) {
    for header in ["NvInfer.h", "NvInferVersion.h", "NvOnnxParser.h"] {
        let path = headers.join(header);
        assert!(path.is_file(), "{} is missing: the shim needs it", path.display());
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let name = family.name();
    let objects = out.join(name);
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .file("shim/trt_shim.cpp")
        .define("ACTA_TRT_GETTER", Some(format!("acta_trt_{name}").as_str()))
        .define("nvinfer1", Some(format!("nvinfer1_{name}").as_str()))
        .define("nvonnxparser", Some(format!("nvonnxparser_{name}").as_str()))
        .flag("-fvisibility=hidden")
        .flag("-Wno-deprecated-declarations")
        .flag("-isystem")
        .flag(headers)
        .out_dir(objects);
    // The one CUDA header that NvInfer asks for: a real SDK goes before the stand-in that comes with `trtx-sys`.
    for sdk in ["CUDA_HOME", "CUDA_PATH"] {
        println!("cargo:rerun-if-env-changed={sdk}");
        if let Some(root) = env::var_os(sdk).filter(|value| !value.is_empty()) {
            build.flag("-idirafter").flag(Path::new(&root).join("include"));
        }
    }
    if let Some(bundled) = bundled {
        build.flag("-idirafter").flag(bundled);
    }
    build.compile(&format!("acta_trt_shim_{name}"));
}

/// Tells which family a folder of headers is of, from its `NvInferVersion.h`.
fn family_of(folder: &Path) -> Family {
    let path = folder.join("NvInferVersion.h");
    let text = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{INCLUDE_VARIABLE} has no readable {}: {error}", path.display()));
    if text.contains("TRT_MAJOR_RTX") {
        Family::Rtx
    } else if text.contains("NV_TENSORRT_MAJOR") {
        Family::Enterprise
    } else {
        panic!("{} defines no NV_TENSORRT_MAJOR", path.display())
    }
}

/// Finds the folder of headers inside `trtx-sys`; the first try touches neither the network nor `Cargo.lock`.
fn bundled_headers() -> Result<PathBuf, String> {
    let metadata = metadata(&["--locked", "--offline"]).or_else(|_| metadata(&["--locked"]))?;
    let manifest = metadata["packages"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|package| package["name"] == "trtx-sys")
        .and_then(|package| package["manifest_path"].as_str())
        .ok_or("`cargo metadata` does not know the crate trtx-sys")?;
    let headers = Path::new(manifest).with_file_name("TensorRT-Headers");
    if headers.is_dir() { Ok(headers) } else { Err(format!("{} is missing", headers.display())) }
}

/// Runs `cargo metadata`, which takes no lock on the build directory, without what the outer cargo set for its rustc.
fn metadata(network: &[&str]) -> Result<Value, String> {
    let manifest = Path::new(&variable("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let target = variable("TARGET");
    let mut command = Command::new(variable("CARGO"));
    command
        .args(["metadata", "--format-version", "1", "--all-features", "--filter-platform"])
        .arg(target)
        .arg("--manifest-path")
        .arg(manifest)
        .args(network);
    for set_for_rustc in ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(set_for_rustc);
    }
    let output = command.output().map_err(|error| format!("cannot run `cargo metadata`: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`cargo metadata` failed ({}): {}", output.status, said.trim()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("`cargo metadata` wrote no JSON: {error}"))
}

/// A variable that cargo always sets for a build script.
fn variable(name: &str) -> OsString {
    env::var_os(name).unwrap_or_else(|| panic!("cargo did not set {name}"))
}
