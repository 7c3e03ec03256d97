//! A command that goes silent: the terminal, `acta advise` and the journal say how that stands beside earlier runs of it.

use rustix::process::Signal;

use crate::{
    run::{CLIENT, Place},
    setup::Running,
};

/// How many builds a judgement needs.
const NEEDED: usize = 20;

#[test]
fn a_command_that_is_silent_for_longer_than_ever_is_said_to_be() {
    let place = Place::new();
    let script = r#"
hello()
say(type="library", family="tensorrt_rtx", path="/nowhere/libtensorrt_rtx.so",
    version={"major": 1, "minor": 7, "patch": 0, "build": 5})
start("Building engine")
start("Timing", "Building engine")
while os.path.exists("wait"): time.sleep(0.02)
event("finish", "Timing")
event("finish", "Building engine")
"#;
    let client = format!("{CLIENT}{script}");
    let command = ["python3", "-c", &client];
    for run in 0..NEEDED {
        let ended = place.run(&["--no-push"], &command);
        assert_eq!(ended.code(), 0, "run {run}: {}", ended.stderr);
    }
    std::fs::write(place.folder.join("wait"), "").unwrap();
    let mut running = Running::start(place.command(&["--no-push"], &command));
    running.wait_for("building: Timing, last callback");
    let line = running.said().lines().last().unwrap().to_owned();
    assert!(line.contains("longer than ever (longest seen") && line.contains("in 20 builds"), "{line}");

    let advice = place.agent.ok(&["advise", "last", "--json"]).json();
    let silence = &advice["verdict"]["silence"];
    assert_eq!((&silence["standing"], &silence["n"]), (&"beyond_longest".into(), &NEEDED.into()), "{advice}");
    assert_eq!(advice["verdict"]["place"]["path"], serde_json::json!(["Building engine", "Timing"]));
    assert_eq!(advice["verdict"]["isSilent"], true);
    std::fs::remove_file(place.folder.join("wait")).unwrap();
    let ended = running.end();
    assert_eq!(ended.code(), 0, "{}", ended.stderr);

    // Another command is of another kind: nothing is on record of it.
    std::fs::write(place.folder.join("wait"), "").unwrap();
    let other = client.replace("Timing", "Timing otherwise");
    let mut running = Running::start(place.command(&["--no-push"], &["python3", "-c", &other]));
    running.wait_for("building: Timing otherwise");
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    let advice = place.agent.ok(&["advise", "last", "--json"]).json();
    assert_eq!(advice["verdict"]["silence"]["n"], 0, "{advice}");
    running.signal(Signal::KILL);
    running.end();
    std::fs::remove_file(place.folder.join("wait")).unwrap();
    place.agent.ok(&["status"]);
}
