//! What is read when somebody asks: sizes and depths that need no counting.

use prometheus_client::{
    encoding::{
        EncodeLabelSet,
        text::{encode, encode_registry},
    },
    metrics::{
        family::Family,
        gauge::{ConstGauge, Gauge},
    },
    registry::{Registry, Unit},
};

use super::Metrics;
use crate::{
    health,
    startup::AppState,
    store::progress::{Progress, progress},
};

/// How a watched build stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kept {
    standing: &'static str,
}

impl Metrics {
    /// Everything as `OpenMetrics` text, with the state of this moment.
    ///
    /// # Errors
    ///
    /// If the database does not answer.
    pub async fn render(&self, state: &AppState) -> anyhow::Result<String> {
        let mut now = Registry::with_prefix("acta");
        let progress = progress(&state.database.read).await?;
        log_now(&mut now, state, &progress);
        store_now(&mut now, state);
        live_now(&mut now, state);
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        encode(&mut text, &now)?;
        Ok(text)
    }
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: u64) {
    registry.register(name, help, ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)));
}

fn bytes(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let value = ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX));
    registry.register_with_unit(name, help, Unit::Bytes, value);
}

fn log_now(registry: &mut Registry, state: &AppState, progress: &Progress) {
    let head = state.log.head();
    gauge(registry, "log_entries", "Entries under the newest signed tree head", head.head.size);
    let signed_at = ConstGauge::new(head.signed_at as f64 / 1000.0);
    let help = "When the newest tree head was signed, since 1970";
    registry.register_with_unit("log_tree_head_timestamp", help, Unit::Seconds, signed_at);
    let (waiting, room) = state.log.queue();
    gauge(registry, "log_queue_requests", "Requests that wait for the log's writer", waiting as u64);
    gauge(registry, "log_queue_limit", "Requests that may wait before one is turned away", room as u64);
    let help = "1 while the log's writer runs, 0 after it stopped";
    gauge(registry, "log_writer_up", help, u64::from(!state.log.is_stopped()));
    let help = "Entries that the projections do not show yet";
    gauge(registry, "projection_lag_entries", help, progress.lag());
}

fn store_now(registry: &mut Registry, state: &AppState) {
    let database = state.data.database();
    let length = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |file| file.len());
    bytes(registry, "database_size", "The database file", length(&database));
    let wal = database.with_extension("db-wal");
    bytes(registry, "database_wal_size", "The write-ahead log of the database", length(&wal));
    let help = "Connections of the pool that reads, busy and idle";
    gauge(registry, "database_read_connections", help, u64::from(state.database.read.size()));
    let idle = state.database.read.num_idle() as u64;
    gauge(registry, "database_read_connections_idle", "Those of them that wait for work", idle);
    if let Some(disk) = health::disk(&state.data.data_dir) {
        bytes(registry, "disk_free", "Bytes that may still be written where the data folder is", disk.free);
        bytes(registry, "disk_size", "Bytes of the disk with the data folder", disk.size);
    }
}

fn live_now(registry: &mut Registry, state: &AppState) {
    let builds = Family::<Kept, Gauge>::default();
    for (standing, count) in state.live.count() {
        builds.get_or_create(&Kept { standing }).set(i64::try_from(count).unwrap_or(i64::MAX));
    }
    registry.register("live_builds", "Builds that are watched or were just now", builds);
    let (channels, followers) = state.live.connections();
    gauge(registry, "live_channels", "Agents that are connected with a build", channels as u64);
    gauge(registry, "live_followers", "Channels and streams that follow a build", followers as u64);
}
