use std::process::Command;

use acta_tests::{
    onnx,
    process::{Agent, Server},
};

/// One byte of an entry in the database file: the rebuild, the API's own word and the agent's check all name it.
#[test]
fn a_flipped_byte_in_the_database_is_named_by_everybody() {
    let mut server = Server::start(&["--public-read"]);
    let agent = Agent::enrolled(&server, "builder-7");
    let model = agent.file("net.onnx", &onnx::chain(3, 16));
    let plan = agent.home().join("net.plan");
    agent.ok(&["build", &model, "-o", &plan.to_string_lossy()]);
    assert_eq!(agent.run(&["verify", "--server", &server.url(), "--entry", "1"]).code(), 0);
    server.stop();
    let script = "import sqlite3, sys\n\
        database = sqlite3.connect(sys.argv[1])\n\
        database.execute('drop trigger entry_refuses_update')\n\
        record = bytearray(database.execute('select record from entry where idx = 1').fetchone()[0])\n\
        record[len(record) // 2] ^= 1\n\
        database.execute('update entry set record = ? where idx = 1', (bytes(record),))\n\
        database.commit()\n";
    let edited =
        Command::new("python3").arg("-c").arg(script).arg(server.data_dir().join("acta.db")).status();
    assert!(edited.expect("python3 runs").success());

    let rebuilt = server.run(&["rebuild"], "");
    let said = String::from_utf8_lossy(&rebuilt.stderr).into_owned();
    assert!(!rebuilt.status.success() && said.contains("entry 1 is damaged"), "{said}");

    server.restart();
    let checked = agent.run(&["verify", "--server", &server.url(), "--entry", "1"]);
    assert_eq!(checked.code(), 1, "{}{}", checked.stdout, checked.stderr);
    assert!(format!("{}{}", checked.stdout, checked.stderr).contains("entry 1"));
    let page = ureq::get(format!("{}/entries/1", server.url())).call().expect("the page is there");
    let page = page.into_body().read_to_string().expect("text");
    assert!(page.contains("entry 1: the proof leads to another root"));
}
