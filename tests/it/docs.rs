//! The guide's commands, run as they stand there: a real server, real TensorRT-RTX, a folder that goes away.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use acta_tests::{
    onnx,
    process::{Ended, Server, free_address, program},
    tensorrt::{libraries, workspace},
};

/// Commands that a test runs stand in boxes that begin with this.
const RUN: &str = "sh run";

/// The longest that a guide's commands may take together, in seconds.
const LIMIT_S: u32 = 400;

/// A box of a guide: what stands behind its opening fence, and its lines.
#[derive(Debug, PartialEq, Eq)]
struct Fenced {
    info: String,
    text: String,
}

fn fenced(guide: &str) -> Vec<Fenced> {
    let mut boxes = Vec::new();
    let mut open: Option<Fenced> = None;
    for line in guide.lines() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(""), Some(_)) => boxes.extend(open.take()),
            (Some(info), None) => open = Some(Fenced { info: info.to_owned(), text: String::new() }),
            (_, Some(it)) => it.text += &format!("{line}\n"),
            (_, None) => {}
        }
    }
    assert!(open.is_none(), "a box is not closed");
    boxes
}

/// The guide in a language, by file name.
fn guides(language: &str) -> BTreeMap<String, String> {
    let folder = workspace().join("docs").join(language);
    let files = fs::read_dir(&folder).expect("the guide is there");
    files
        .map(|file| {
            let path = file.expect("a file").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("text"))
        })
        .collect()
}

/// Runs a guide's commands one after the other, in one shell.
fn run(name: &str) {
    let guide = &guides("en")[name];
    let commands: String =
        fenced(guide).into_iter().filter(|it| it.info == RUN).map(|it| format!("{}\n", it.text)).collect();
    assert!(!commands.is_empty(), "{name} has commands");
    let server = Server::start(&["--public-read"]);
    // The operators' guide starts a server of its own.
    let own = free_address();
    let operators = name == "operators.md";
    let url = if operators { format!("http://{own}") } else { server.url() };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("model.onnx"), onnx::residual(6, 16)).expect("the model is written");
    let script = format!("trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\nset -x\n{commands}");
    let ended: Ended = shell(folder.path())
        .args(["-euo", "pipefail", "-c", &script])
        .env("URL", url)
        .env("LISTEN", own.to_string())
        .env("TOKEN", server.token("builder-7"))
        .output()
        .expect("bash starts")
        .into();
    assert_eq!(ended.code(), 0, "{name}:\n{}\n{}", ended.stdout, ended.stderr);
}

/// A bash whose time is limited, with the programs in its path.
fn shell(folder: &Path) -> Command {
    let programs = program("acta").parent().map(Path::to_owned).expect("a folder");
    assert_eq!(program("acta-server").parent(), Some(&*programs));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths: Vec<PathBuf> = [programs].into_iter().chain(std::env::split_paths(&path)).collect();
    let mut command = Command::new("timeout");
    command
        .args([&LIMIT_S.to_string(), "bash"])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).expect("a path"))
        .env("ACTA_HOME", folder.join("home"))
        .env("ACTA_LOG", "warn")
        .env("ACTA_TENSORRT_LIB_DIR", libraries())
        .env_remove("ACTA_API_TOKEN")
        .stdin(Stdio::null());
    command
}

#[test]
fn both_languages_have_the_same_guides_with_the_same_commands() {
    let (english, spanish) = (guides("en"), guides("es"));
    assert!(english.keys().eq(spanish.keys()), "{:?} {:?}", english.keys(), spanish.keys());
    for (name, guide) in &english {
        let commands =
            |guide: &str| -> Vec<Fenced> { fenced(guide).into_iter().filter(|it| it.info != "sh").collect() };
        assert_eq!(commands(guide), commands(&spanish[name]), "{name}");
        let headings = |guide: &str| guide.lines().filter(|line| line.starts_with('#')).count();
        assert_eq!(headings(guide), headings(&spanish[name]), "{name} has the same parts");
    }
}

#[test]
fn every_file_that_the_guide_links_is_there() {
    for language in ["en", "es"] {
        for (name, guide) in guides(language) {
            let targets = guide.split("](").skip(1).filter_map(|rest| rest.split(')').next());
            for target in targets.filter(|target| !target.contains("://")) {
                let path = workspace().join("docs").join(language).join(target);
                assert!(path.exists(), "{language}/{name} links {target}");
            }
        }
    }
}

#[test]
fn the_commands_for_builders_hold() {
    run("builders.md");
}

#[test]
fn the_commands_of_the_runbook_hold() {
    run("stuck-build.md");
}

#[test]
fn the_commands_for_reviewers_hold() {
    run("reviewers.md");
}

#[test]
fn the_commands_for_auditors_hold() {
    run("auditors.md");
}

#[test]
fn the_commands_for_operators_hold() {
    run("operators.md");
}
