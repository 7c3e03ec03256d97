//! Logging: readable lines, or JSON for machines. Secrets are never fields.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

/// Starts logging to standard error. `ACTA_LOG` filters (default `info`), `ACTA_LOG_FORMAT=json` writes JSON.
pub fn start() {
    let filter = EnvFilter::try_from_env("ACTA_LOG").unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    let json = std::env::var("ACTA_LOG_FORMAT").is_ok_and(|format| format == "json");
    let terminal = std::io::stderr().is_terminal();
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(terminal);
    if json {
        builder.json().init();
    } else {
        builder.compact().with_target(false).init();
    }
}
