//! Where TensorRT-RTX is for programs of other languages: the wheel's libraries and NvInfer's headers.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The project's folder.
///
/// # Panics
/// Never: the package lies in it.
#[must_use]
pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace")
}

/// The folder of the wheel's libraries.
///
/// # Panics
/// Panics where the wheel is not installed.
#[must_use]
pub fn libraries() -> PathBuf {
    let lib = workspace().join(".venv/lib");
    let pythons = fs::read_dir(lib).expect("there is no .venv: run scripts/setup").flatten();
    let mut folders = pythons.map(|python| python.path().join("site-packages/tensorrt_rtx_libs"));
    folders.find(|folder| folder.is_dir()).expect("TensorRT-RTX is not in .venv: run scripts/setup")
}

/// The folder of NvInfer's headers, where `ffi/build.rs` finds them.
fn headers() -> PathBuf {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--all-features", "--locked", "--offline"])
        .current_dir(workspace())
        .output()
        .expect("cargo is there");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let package = packages.iter().find(|package| package["name"] == "trtx-sys").expect("trtx-sys is locked");
    Path::new(package["manifest_path"].as_str().unwrap_or_default()).with_file_name("TensorRT-Headers")
}

/// Compiles a C++ program that calls TensorRT-RTX; `options` stand before the headers.
///
/// # Panics
/// Panics with the compiler's messages if it does not compile, without a warning.
pub fn compile(source: &Path, program: &Path, options: &[&str]) {
    let headers = headers();
    let output = Command::new("c++")
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread"])
        .args(options)
        .arg("-o")
        .arg(program)
        .arg(source)
        .arg("-isystem")
        .arg(headers.join("TRT-RTX-1.7"))
        .arg("-idirafter")
        .arg(&headers)
        .arg("-ldl")
        .output()
        .expect("a C++ compiler: run scripts/setup");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
