//! Finding, opening and refusing libraries.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use acta_ffi::{Builder, Error, Family, Library, LibraryError, LibrarySearch, Outcome, Place, Version};
use tempfile::TempDir;

use crate::support::{library, project};

/// Compiles a library that only knows its version.
fn fake(folder: &Path, name: &str, version: [i32; 4]) -> PathBuf {
    let names = ["Major", "Minor", "Patch", "Build"];
    let functions: String = names
        .iter()
        .zip(version)
        .map(|(name, number)| format!("int getInferLib{name}Version(void) {{ return {number}; }}\n"))
        .collect();
    compile(folder, name, &format!("{functions}void *createInferBuilder_INTERNAL(void) {{ return 0; }}\n"))
}

fn compile(folder: &Path, name: &str, source: &str) -> PathBuf {
    let file = folder.join("fake.c");
    fs::write(&file, source).unwrap();
    let library = folder.join(name);
    let status =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&file).status().unwrap();
    assert!(status.success());
    library
}

fn refused(search: LibrarySearch) -> LibraryError {
    Library::open(&search).map(|library| panic!("{library:?} was opened")).unwrap_err()
}

fn at(path: &Path) -> LibrarySearch {
    LibrarySearch::default().explicit(Some(path.to_owned()))
}

#[test]
fn the_wheel_is_found_and_says_what_it_is() {
    let library = library();
    assert_eq!(library.family(), Family::Rtx);
    let version = library.version();
    assert_eq!((version.major, version.minor), (1, 7));
    assert!(version.build > 0);
    assert_eq!(library.header_version(), Version { major: 1, minor: 7, patch: 1, build: 116 });
    assert_eq!(library.parser_version(), 200);
    for path in [library.path(), library.parser_path()] {
        assert_eq!(path, path.canonicalize().unwrap());
        assert!(path.is_file());
    }
    assert_ne!(library.path(), library.parser_path());
}

#[test]
fn a_named_file_and_a_named_folder_lead_to_the_same_library() {
    let file = library().path();
    let folder = file.parent().unwrap();
    for path in [file, folder] {
        let found = Library::open(&at(path)).unwrap();
        assert_eq!((found.path(), found.place()), (file, Place::Explicit));
    }
    let variable = LibrarySearch { lib_dir: Some(folder.into()), ..Default::default() };
    let found = Library::open(&variable).unwrap();
    assert_eq!((found.path(), found.place()), (file, Place::LibDirVariable));
}

#[test]
fn a_library_under_a_link_of_another_name_is_known_by_its_real_name() {
    let folder = TempDir::new().unwrap();
    let link = folder.path().join("engine-maker.so");
    std::os::unix::fs::symlink(library().path(), &link).unwrap();
    assert_eq!(Library::open(&at(&link)).unwrap().path(), library().path());
}

#[test]
fn no_library_names_every_place_and_what_was_expected() {
    let folder = TempDir::new().unwrap();
    let empty = folder.path().display();
    let search = LibrarySearch { loader_path: true, ..Default::default() }.venv(folder.path());
    // The loader may know a TensorRT on a developer's machine: then there is nothing to see here.
    let Err(error) = Library::open(&search) else { return };
    let text = error.to_string();
    for part in [
        "no TensorRT library that fits",
        "expected: TensorRT-RTX 1.7 (compiled with 1.7.1.116), or TensorRT 11 (compiled with 11.",
        &format!("Python environment: {empty}: no lib/python*/site-packages there"),
        "loader's path: libtensorrt_rtx.so.1: ",
        "loader's path: libnvinfer.so.11: ",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }

    let error = refused(at(&folder.path().join("absent")));
    assert!(error.to_string().contains("absent: no such file or folder"), "{error}");
    let variable = LibrarySearch { lib_dir: Some(folder.path().into()), ..Default::default() };
    let text = refused(variable.venv(project().join(".venv"))).to_string();
    assert!(text.contains("ACTA_TENSORRT_LIB_DIR: "), "{text}");
    assert!(text.contains("no libtensorrt_rtx.so* and no libnvinfer.so* there"), "{text}");
    assert!(!text.contains(".venv"), "a named folder is the only one: {text}");
}

#[test]
fn another_major_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let file = fake(folder.path(), "libnvinfer.so.10", [10, 16, 1, 5]);
    for search in [at(&file), at(folder.path())] {
        let error = refused(search);
        let version = Version { major: 10, minor: 16, patch: 1, build: 5 };
        assert_eq!(error.tried[0].outcome, Outcome::Refused { family: Family::Enterprise, version });
        let text = error.to_string();
        assert!(text.contains("libnvinfer.so.10: found TensorRT 10.16.1.5, which does not fit"), "{text}");
        assert!(text.contains("or TensorRT 11 (compiled with 11."), "{text}");
    }
}

#[test]
fn another_minor_of_rtx_is_refused_by_name() {
    let folder = TempDir::new().unwrap();
    let file = fake(folder.path(), "libtensorrt_rtx.so.1", [1, 6, 0, 27]);
    let text = refused(at(&file)).to_string();
    assert!(text.contains("found TensorRT-RTX 1.6.0.27, which does not fit"), "{text}");
}

#[test]
fn a_family_that_was_not_asked_for_is_refused() {
    let folder = library().path().parent().unwrap();
    let error = refused(at(folder).family(Family::Enterprise));
    assert!(error.to_string().contains("no libnvinfer.so* there"), "{error}");
    let error = refused(at(library().path()).family(Family::Enterprise));
    assert!(matches!(error.tried[0].outcome, Outcome::Refused { family: Family::Rtx, .. }), "{error}");
}

#[test]
fn a_library_without_its_parser_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = fake(folder.path(), "libtensorrt_rtx.so.1", [1, 7, 1, 116]);
    let error = refused(at(&file));
    assert!(matches!(error.tried[0].outcome, Outcome::NoParser { .. }), "{error}");
    assert!(
        error.to_string().contains("its ONNX parser libtensorrt_onnxparser_rtx.so.1 is not in"),
        "{error}"
    );
}

#[test]
fn the_other_family_is_chosen_by_what_is_loaded() {
    let folder = TempDir::new().unwrap();
    let headers = Family::Enterprise.header_version().unwrap();
    let file = fake(folder.path(), "libnvinfer.so.11", [headers.major, 2, 0, 1]);
    let parser = "int getNvOnnxParserVersion(void) { return 200; }\nvoid *createNvOnnxParser_INTERNAL(void) { return 0; }";
    compile(folder.path(), "libnvonnxparser.so.11", parser);
    let library = Library::open(&at(&file)).unwrap();
    assert_eq!(library.family(), Family::Enterprise);
    assert_eq!(library.version(), Version { major: 11, minor: 2, patch: 0, build: 1 });
    assert_eq!(library.header_version(), headers);
    assert_eq!(library.parser_path(), folder.path().canonicalize().unwrap().join("libnvonnxparser.so.11"));
    // It makes no builder, which is heard.
    let error = Builder::new(&library, Arc::new(())).map(|_| panic!("a builder")).unwrap_err();
    assert!(matches!(error, Error::Refused { call: "createInferBuilder", .. }), "{error:?}");
}

#[test]
fn what_is_no_tensorrt_library_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = compile(folder.path(), "libnvinfer.so", "int nothing(void) { return 0; }\n");
    assert_eq!(refused(at(&file)).tried[0].outcome, Outcome::NoSymbol("getInferLibMajorVersion"));
    let file = fake(folder.path(), "libother.so", [1, 7, 1, 116]);
    assert!(matches!(refused(at(&file)).tried[0].outcome, Outcome::UnknownFamily { .. }));
    let file = folder.path().join("libtensorrt_rtx.so.1");
    fs::write(&file, "text").unwrap();
    assert!(matches!(refused(at(&file)).tried[0].outcome, Outcome::NotLoaded(_)));
}
