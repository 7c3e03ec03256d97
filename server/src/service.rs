//! What the service manager is told (`sd_notify(3)`); without one, nothing.

use std::time::Duration;

use sd_notify::NotifyState;
use tokio::sync::watch;

use crate::{log::SignedHead, startup::AppState};

/// The server answers.
pub fn ready(state: &AppState) {
    let head = state.log.head().head;
    let status = format!("{} answers; {} entries", head.origin, head.size);
    tell(&[NotifyState::Ready, NotifyState::Status(&status)]);
}

/// The server stops.
pub fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// Says again and again that the server lives, while the log can be written: a server that can take no evidence any
/// more is one to start again.
pub async fn keep_alive(head: watch::Receiver<SignedHead>) {
    let Some(limit) = sd_notify::watchdog_enabled() else { return };
    // The sender is the writer's. A handle to the writer itself would keep it from ending.
    while head.has_changed().is_ok() {
        tell(&[NotifyState::Watchdog]);
        tokio::time::sleep((limit / 3).max(Duration::from_millis(100))).await;
    }
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(cause = %error, "the service manager cannot be told");
    }
}
