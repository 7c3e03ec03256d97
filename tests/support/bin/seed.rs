//! Fills the log of a running server with simulated runs, by real signed statements, and says how fast it went.

use std::time::Instant;

use acta_tests::seed;

const USAGE: &str = "\
usage: acta-seed URL RUNS ENROLMENT_TOKEN...

Enrols an agent for each one-time token (`acta-server agent token --label seed-1 --print-only`), and has them push RUNS
simulated runs together. Example: acta-seed http://127.0.0.1:8780 50000 \"$token1\" \"$token2\"";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((url, runs, tokens)) = parse(&arguments) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let begun = Instant::now();
    seed::push(url, tokens, runs, &|pushed| {
        if pushed.is_multiple_of(256 * 20) {
            eprintln!("{pushed} of {runs}");
        }
    });
    let seconds = begun.elapsed().as_secs_f64();
    println!("{runs} runs in {seconds:.1} s: {:.0} a second", runs as f64 / seconds);
}

fn parse(arguments: &[String]) -> Option<(&str, u64, &[String])> {
    let [url, runs, tokens @ ..] = arguments else { return None };
    let runs = runs.parse().ok()?;
    (!tokens.is_empty()).then_some((url, runs, tokens))
}
