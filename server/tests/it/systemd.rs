//! The units are such as systemd reads them, and shut in; the settings file beside them is one.

use std::{
    os::unix::net::UnixDatagram,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use tempfile::TempDir;

use crate::process::{Server, program};

/// What the units may expose at most, in tenths (`systemd-analyze security`: 0 to 10).
const EXPOSURE: u32 = 20;

fn units() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd")
}

/// The units in a folder of their own, their programs replaced by one that is there.
fn copied() -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for file in std::fs::read_dir(units()).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.ends_with(".service") && !name.ends_with(".timer") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!name.ends_with(".service") || text.contains("ExecStart=/usr/bin/acta"), "{name}");
        let text = text.replace("/usr/bin/acta-server", "/bin/true").replace("/usr/bin/acta", "/bin/true");
        let name = name.replace("@.", "@tiny-qwen2.");
        std::fs::write(folder.path().join(&name), text).unwrap();
        names.push(name);
    }
    let drop_in = folder.path().join("acta-server.service.d");
    std::fs::create_dir(&drop_in).unwrap();
    std::fs::copy(units().join("acta-server-tls.conf"), drop_in.join("tls.conf")).unwrap();
    names.sort();
    (folder, names)
}

fn analyze(folder: &Path, arguments: &[&str]) -> Option<Output> {
    let output = Command::new("systemd-analyze").current_dir(folder).args(arguments).output();
    if output.is_err() {
        eprintln!("systemd is not installed: the units were not looked at");
    }
    output.ok()
}

#[test]
fn systemd_reads_the_units_without_a_word() {
    let (folder, names) = copied();
    assert_eq!(
        names,
        [
            "acta-deploy-agent@tiny-qwen2.service",
            "acta-push.service",
            "acta-push.timer",
            "acta-server.service"
        ]
    );
    for name in &names {
        let Some(output) = analyze(folder.path(), &["verify", &format!("./{name}")]) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        // What concerns other units of the machine is not about these.
        let about: Vec<&str> = said.lines().filter(|line| line.contains("acta")).collect();
        assert!(output.status.success() && about.is_empty(), "{name}: {said}");
    }
}

#[test]
fn the_services_are_shut_in() {
    let (folder, names) = copied();
    for name in names.iter().filter(|name| name.ends_with(".service")) {
        let threshold = format!("--threshold={EXPOSURE}");
        let arguments = ["security", "--offline=true", "--no-pager", &threshold, &format!("./{name}")];
        let Some(output) = analyze(folder.path(), &arguments) else { return };
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn the_settings_file_to_begin_with_is_one() {
    let file = units().join("server.toml");
    let shown =
        program(&units()).args(["--config", file.to_str().unwrap(), "config", "show"]).output().unwrap();
    assert!(shown.status.success(), "{}", String::from_utf8_lossy(&shown.stderr));
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("data_dir = \"/var/lib/acta\"  # file "), "{shown}");
    assert!(shown.contains("trusted_proxy = [\"127.0.0.1\", \"::1\"]"), "{shown}");
}

#[test]
fn the_service_manager_hears_that_the_server_answers_lives_and_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).unwrap();
    manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let variables = [("NOTIFY_SOCKET", path.to_str().unwrap()), ("WATCHDOG_USEC", "600000")];
    let server = Server::start_with(folder.path(), &[], &variables);
    let heard = |word: &str| {
        let mut bytes = [0; 4096];
        loop {
            let length = manager.recv(&mut bytes).unwrap_or_else(|error| panic!("{word}: {error}"));
            let said = String::from_utf8_lossy(&bytes[..length]).into_owned();
            if said.lines().any(|line| line == word) {
                return said;
            }
        }
    };
    let ready = heard("READY=1");
    assert!(ready.contains("STATUS=acta.localhost/log answers; 0 entries"), "{ready}");
    heard("WATCHDOG=1");
    heard("WATCHDOG=1");
    server.signal("-HUP");
    heard("WATCHDOG=1");
    server.signal("-TERM");
    heard("STOPPING=1");
    server.ended();
}
