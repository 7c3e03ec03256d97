//! Logging: readable lines, or JSON for machines. Secrets are never fields.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// Starts logging to standard error.
pub fn start(config: &LogConfig) {
    let terminal = std::io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&config.log))
        .with_writer(std::io::stderr)
        .with_ansi(terminal);
    match config.log_format {
        // The event's fields beside `level` and `message`, and of the spans the request alone.
        LogFormat::Json => builder.json().flatten_event(true).with_span_list(false).init(),
        LogFormat::Text => builder.compact().with_target(false).init(),
    }
}
