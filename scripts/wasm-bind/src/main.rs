//! `acta-wasm-bind INPUT.wasm FOLDER NAME`: writes `NAME.js` and `NAME_bg.wasm`, what a browser loads, into FOLDER.
//!
//! wasm-bindgen's own program has to have exactly the version of the crate it serves. As a library in this workspace the
//! two are pinned by one `Cargo.lock`.

use std::path::PathBuf;

use anyhow::{Context, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, folder, name] = arguments.as_slice() else {
        bail!("usage: acta-wasm-bind INPUT.wasm FOLDER NAME");
    };
    let name = name.to_str().context("NAME is not UTF-8")?;

    // What an earlier version wrote (a snippet that is gone now) must not stay beside what this one writes.
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    Bindgen::new()
        .input_path(input)
        .out_name(name)
        .web(true)?
        .typescript(false)
        // The names of functions are nearly half the module and no browser needs them.
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(folder)
        .with_context(|| format!("cannot bind {}", input.display()))
}
