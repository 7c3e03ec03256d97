//! Whoever opens connections and says nothing holds up nobody else, and takes little.

use std::{fs, net::TcpStream};

use acta_tests::{
    append::Pusher,
    evidence::{TestAgent, summary},
    process::Server,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const CONNECTIONS: u64 = 10_000;

/// File descriptors that this program needs for other things: other tests run beside this one.
const OTHER_FILES: u64 = 1_000;

/// Resident memory of a process in kilobytes.
fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a line of it");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

#[test]
fn ten_thousand_silent_connections_hold_up_nobody() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    setrlimit(Resource::Nofile, raised).expect("as many files as are allowed");
    let room = limit.maximum.map_or(CONNECTIONS, |files| files.saturating_sub(OTHER_FILES)).min(CONNECTIONS);
    assert!(room > 1_000, "a process may open only {:?} files here", limit.maximum);

    let server = Server::start(&["--public-read"]);
    let agent = TestAgent::new(3);
    let pusher = Pusher::enrol(&server, &agent, "builder-3");
    pusher.push(&server.url(), &agent.envelope(&summary(1))).expect("nothing is wrong");
    let before = resident(server.pid());
    let address = server.url().trim_start_matches("http://").to_owned();
    let silent: Vec<TcpStream> = (0..room)
        .map(|number| TcpStream::connect(&address).unwrap_or_else(|error| panic!("{number}: {error}")))
        .collect();

    // A push has a limit of ten seconds, and a connection of its own where it is the first of its client.
    pusher.push(&server.url(), &agent.envelope(&summary(2))).expect("taken beside them");
    let other = Pusher::enrol(&server, &TestAgent::new(4), "builder-4");
    other.push(&server.url(), &TestAgent::new(4).envelope(&summary(3))).expect("taken from a newcomer");
    assert_eq!(server.get("/api/v1/runs")["total"], 3);
    let each = (resident(server.pid()).saturating_sub(before)) as f64 / silent.len() as f64;
    eprintln!("{} connections, {each:.1} KB each", silent.len());
    assert!(each < 64.0, "{each:.1} KB a connection");
}
