//! What a person does in a terminal with runs that are over: lists, shows, compares, opens them.

use std::{fs, process::Command};

use acta_tests::{
    onnx,
    process::{Agent, Ended, Server, program},
};

/// An agent with two builds of one network and one of another.
fn built(server: &Server) -> (Agent, Vec<String>) {
    let agent = Agent::enrolled(server, "builder-7");
    let small = agent.file("small.onnx", &onnx::chain(3, 32));
    let other = agent.file("other.onnx", &onnx::chain(4, 32));
    let plan = agent.home().join("out.plan").to_string_lossy().into_owned();
    let runs = [&small, &small, &other].map(|model| {
        let ended = agent.ok(&["build", model, "-o", &plan, "--route", "team/route", "--json"]);
        ended.json()["predicate"]["run"]["id"].as_str().expect("a run has an id").to_owned()
    });
    (agent, runs.to_vec())
}

fn ids(list: &serde_json::Value) -> Vec<String> {
    let runs = list["runs"].as_array().expect("a list");
    runs.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn runs_are_listed_shown_and_compared_the_same_here_and_on_the_server() {
    let mut server = Server::start(&["--public-read"]);
    let (agent, runs) = built(&server);
    let newest: Vec<String> = runs.iter().rev().cloned().collect();
    for place in [&["--local"][..], &[], &["--server", &server.url()]] {
        let all = agent.ok(&[&["runs", "--json"], place].concat()).json();
        assert_eq!(ids(&all), newest, "{place:?}");
        assert!(all["next"].is_null());
        let page = agent.ok(&[&["runs", "--json", "--limit", "2"], place].concat()).json();
        assert_eq!(ids(&page), newest[..2], "{place:?}");
        let next = page["next"].as_str().expect("there are more");
        let rest = agent.ok(&[&["runs", "--json", "--after", next], place].concat()).json();
        assert_eq!(ids(&rest), newest[2..], "{place:?}");
        let other = agent.ok(&[&["runs", "--json", "--network", "other"], place].concat()).json();
        assert_eq!(ids(&other), newest[..1], "{place:?}");
        let none = agent.ok(&[&["runs", "--json", "--outcome", "cancelled"], place].concat()).json();
        assert!(ids(&none).is_empty());
    }
    // A token that stands in the environment is no wish to ask a server.
    let mut listed = agent.command(&["runs", "--local", "--json"]);
    let listed: Ended = listed.env("ACTA_API_TOKEN", "t").output().expect("acta starts").into();
    assert_eq!((listed.code(), ids(&listed.json())), (0, newest.clone()), "{}", listed.stderr);
    let here = agent.ok(&["show", &runs[1], "--local", "--json"]).json();
    let there = agent.ok(&["show", "2", "--server", &server.url(), "--json"]).json();
    assert_eq!((&here["summary"], &here["headline"]), (&there["summary"], &there["headline"]));
    assert_eq!((here["from"].as_str(), there["from"].as_str()), (Some("here"), Some("log")));
    assert_eq!(here["longestPhases"], there["longestPhases"]);
    let said = agent.ok(&["show", "last"]).stdout;
    for part in [&*runs[2], "completed in", "phases", "files", "out.plan", "Should it be cancelled?"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let here = agent.ok(&["compare", &runs[0], &runs[1], "--json"]).json();
    let there = agent.ok(&["compare", "1", "2", "--server", &server.url(), "--json"]).json();
    assert_eq!(here["comparability"]["comparable"], true);
    for part in ["comparability", "ranking", "sections", "phases", "runs"] {
        assert_eq!(here[part], there[part], "{part}");
    }
    // Where nobody is there to ask, what this agent knows is still shown, and the rest is an error that says so.
    server.kill();
    agent.ok(&["show", "last"]);
    let failed = agent.run(&["runs"]);
    assert_eq!(failed.code(), 1, "{}", failed.stderr);
    assert!(failed.stderr.contains("--local"), "{}", failed.stderr);
}

#[test]
fn a_comparison_that_may_not_be_ranked_says_why_and_fails_only_where_a_limit_is_asked_for() {
    let server = Server::start(&["--public-read"]);
    let (agent, runs) = built(&server);
    let said = agent.ok(&["compare", &runs[0], "last"]).stdout;
    assert!(said.starts_with("not comparable") && said.contains("the networks differ"), "{said}");
    assert!(said.contains("network.digest") && said.contains("equal, hidden"), "{said}");
    let failed = agent.run(&["compare", &runs[0], "last", "--max-longer", "1000"]);
    assert_eq!(failed.code(), 7, "{}{}", failed.stdout, failed.stderr);
    assert!(failed.stderr.contains("may not be ranked"), "{}", failed.stderr);
    for (wrong, named) in [(&["compare", "last"][..], "RUN"), (&["compare", "last", "nothing"], "nothing")] {
        let refused = agent.run(wrong);
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(named), "{}", refused.stderr);
    }
}

#[test]
fn a_page_opens_in_the_browser_that_is_wanted_or_its_address_is_printed() {
    let server = Server::start(&["--public-read"]);
    let (agent, runs) = built(&server);
    let page = format!("{}/runs/{}", server.url(), runs[2]);
    assert_eq!(agent.ok(&["open", "last", "--print"]).stdout.trim(), page);
    assert_eq!(agent.ok(&["open", "last", "--json"]).json()["url"], *page);
    let seen = agent.home().join("seen");
    let browser =
        agent.file("browser", b"#!/bin/sh\nprintf %s \"$2\" > \"$1.new\" && mv \"$1.new\" \"$1\"\n");
    let wanted = format!("sh {browser} {} %s", seen.display());
    let opened = agent.command(&["open", "team/route"]).env("BROWSER", wanted).output().expect("acta starts");
    assert!(opened.status.success() && opened.stdout.is_empty());
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while !seen.exists() {
        assert!(std::time::Instant::now() < until, "the browser was not started");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert_eq!(fs::read_to_string(seen).expect("text"), format!("{}/routes/team%2Froute", server.url()));
}

#[test]
fn completions_know_the_runs_and_manual_pages_know_the_commands() {
    let server = Server::start(&["--public-read"]);
    let (agent, runs) = built(&server);
    let script = agent.ok(&["completions", "bash"]).stdout;
    assert!(script.contains("ACTA_COMPLETE"), "{script}");
    let asked = agent
        .command(&["--", "acta", "show", ""])
        .env("ACTA_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", "2")
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "true")
        .output()
        .expect("acta starts");
    let offered = String::from_utf8_lossy(&asked.stdout).into_owned();
    assert!(offered.contains("last") && runs.iter().all(|run| offered.contains(run)), "{offered}");
    for name in ["acta", "acta-server"] {
        let folder = agent.home().join(name);
        let status = Command::new(program(name)).arg("man").arg(&folder).status().expect("it starts");
        assert!(status.success());
        let pages: Vec<String> = fs::read_dir(&folder)
            .expect("a folder")
            .map(|page| page.expect("a page").file_name().to_string_lossy().into_owned())
            .collect();
        let wanted = if name == "acta" { "acta-gate-plan.1" } else { "acta-server-log-key-rotate.1" };
        assert!(pages.iter().any(|page| page == wanted), "{pages:?}");
        assert!(!pages.iter().any(|page| page.contains("__")), "what is hidden has no page: {pages:?}");
        let page = fs::read_to_string(folder.join(wanted)).expect("text");
        assert!(page.contains(".TH") && page.contains("Example"), "{page}");
    }
}
