//! The settings through the program itself, for flags and variables are a process's own.

use std::process::Output;

use serde_json::Value;

use crate::process::program;

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn setting<'a>(settings: &'a Value, name: &str) -> (Vec<&'a str>, &'a str) {
    let found = settings.as_array().unwrap().iter().find(|setting| setting["name"] == name).unwrap();
    let values = found["values"].as_array().unwrap().iter().map(|value| value.as_str().unwrap()).collect();
    (values, found["source"].as_str().unwrap())
}

#[test]
fn a_flag_comes_before_the_environment_before_the_file_before_the_default() {
    let folder = tempfile::tempdir().unwrap();
    let file = "origin = \"file.example/log\"\nlisten = \"127.0.0.1:1\"\npublic_read = true\nbase_url = \"https://file\"\n\
                trusted_proxy = [\"10.0.0.1\", \"10.0.0.2\"]\n";
    std::fs::write(folder.path().join("server.toml"), file).unwrap();
    let shown = |json: &[&str]| {
        let mut command = program(folder.path());
        command
            .env("ACTA_CONFIG", "server.toml")
            .env("ACTA_LISTEN", "127.0.0.1:2")
            .env("ACTA_BASE_URL", "https://env");
        command
            .args(["--log=debug", "config", "show", "--base-url=https://flag", "--public-read=false"])
            .args(json);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        text(&output)
    };
    let settings: Value = serde_json::from_str(&shown(&["--json"])).unwrap();
    for (name, values, source) in [
        ("base_url", &["https://flag"][..], "flag --base-url"),
        ("public_read", &["false"], "flag --public-read"),
        ("log", &["debug"], "flag --log"),
        ("listen", &["127.0.0.1:2"], "environment ACTA_LISTEN"),
        ("origin", &["file.example/log"], "file server.toml, line 1"),
        ("trusted_proxy", &["10.0.0.1", "10.0.0.2"], "file server.toml, line 5"),
        ("log_format", &["text"], "default"),
        ("tls_cert", &[], "not set"),
    ] {
        assert_eq!(setting(&settings, name), (values.to_vec(), source), "{name}");
    }
    // What is printed is a settings file that says the same.
    let toml = shown(&[]);
    assert!(toml.contains("public_read = false  # flag --public-read\n"), "{toml}");
    std::fs::write(folder.path().join("again.toml"), &toml).unwrap();
    let again =
        program(folder.path()).args(["--config", "again.toml", "config", "show", "--json"]).output().unwrap();
    let again: Value = serde_json::from_str(&text(&again)).unwrap();
    for setting in settings.as_array().unwrap() {
        let name = setting["name"].as_str().unwrap();
        assert_eq!(self::setting(&again, name).0, self::setting(&settings, name).0, "{name}");
    }
}

#[test]
fn a_file_with_a_mistake_starts_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("server.toml"), "# ours\nlisten_on = \"127.0.0.1:0\"\n").unwrap();
    let output = program(folder.path()).args(["--config", "server.toml", "migrate"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(said.contains("server.toml") && said.contains("line 2"), "{said}");
    assert!(said.contains("\"listen_on\"; do you mean \"listen\"?"), "{said}");
    assert!(!folder.path().join("var").exists());
    let output = program(folder.path()).args(["--config", "nowhere.toml", "migrate"]).output().unwrap();
    assert!(!output.status.success() && text(&output).contains("nowhere.toml"), "{}", text(&output));
}
