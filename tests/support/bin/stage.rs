//! Sets the stage for the portal's browser tests in a running server: a route, and the evidence of its bundles.
//!
//! What it pushes is well formed and signed, and no build took part: it is evidence for tests of the portal alone.

use acta_ledger::log::digest::Sha256Digest;
use acta_tests::{
    api::{Push, post},
    evidence::TestAgent,
    onnx, route,
};

const USAGE: &str = "\
usage: acta-stage URL define ADMIN PASSWORD
       acta-stage URL gather ENROLMENT_TOKEN BUNDLE [LEFT_OUT...]
       acta-stage model FILE LAYERS WIDTH

define sets the route up. gather enrols an agent that says everything of a bundle that an approval needs but what is left
out (gate-1 to gate-5, canary, retention, drill), and prints the bundle's digest; BUNDLE is the bundle's own bytes.
model writes a network whose build takes long for its size.";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["model", file, layers, width] => model(file, layers, width),
        [url, "define", admin, password] => define(url, admin, password),
        [url, "gather", token, bundle, left_out @ ..] => gather(url, token, bundle.as_bytes(), left_out),
        _ => {
            eprintln!("{USAGE}");
            std::process::exit(2);
        }
    }
}

fn model(file: &str, layers: &str, width: &str) {
    let (layers, width) = (layers.parse().expect("a number"), width.parse().expect("a number"));
    std::fs::write(file, onnx::chain(layers, width)).expect("the model is written");
}

fn define(url: &str, admin: &str, password: &str) {
    let cookie = sign_in(url, admin, password);
    post(url, "/api/v1/routes", Some(("Cookie", &cookie)), route::definition(1).to_string().as_bytes());
}

fn gather(url: &str, token: &str, bundle: &[u8], left_out: &[&str]) {
    let digest = Sha256Digest::of(bundle);
    let agent = TestAgent::new(digest.as_bytes()[0]);
    let push = Push::enrol(url, token, &agent);
    let config: &[u8] = b"its configuration";
    push.blob(bundle);
    push.blob(config);
    push.append(&route::everything_but(&agent, bundle, config, left_out));
    println!("{digest}");
}

/// Signs in by the form, as a browser does, and returns the cookie.
fn sign_in(url: &str, name: &str, password: &str) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder().max_redirects(0).build().into();
    let answer = agent
        .post(format!("{url}/sign-in"))
        .send_form([("name", name), ("password", password)])
        .expect("the form is answered");
    let cookie = answer.headers().get("set-cookie").and_then(|value| value.to_str().ok()).expect("a cookie");
    cookie.split(';').next().unwrap_or_default().to_owned()
}
