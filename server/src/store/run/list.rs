//! Pages of runs. A page begins behind a run, not after a number of rows: so it costs the same wherever it stands, and
//! what is added meanwhile moves nothing.
//!
//! Two ways lead to a page. The index of the order is walked from the page's beginning until the page is full; the kind
//! and every measure stand in the index, so that a run which is left out costs no look at its row. Where the filter lets
//! few runs through, that walk would be long, and the runs are taken by their kinds instead.

use acta_app::view::RunRow;
use acta_ledger::{
    judge::filter::{Filter, Measure, Order},
    log::timestamp::Timestamp,
};
use sqlx::{SqlitePool, query, query_as, query_scalar};

use super::{Row, kind::Admitted};

/// Whether few runs of all are let through. A walk goes through about `PAGE * total / runs` places of the index until a
/// page is full, the other way takes and sorts `runs`: so neither goes through more than the root of `PAGE * total`, which
/// is 1,600 of 50,000 runs.
fn few(runs: u64, total: u64) -> bool {
    const PAGE: u64 = 51;
    runs.saturating_mul(runs) <= total.saturating_mul(PAGE)
}

/// Where times are bounded, runs are counted up to here.
pub const MAX_COUNTED: u32 = 10_000;

/// What a filter lets through, as a query takes it.
pub struct Wanted {
    kinds: Option<String>,
    few: bool,
    begun: (i64, i64),
    duration: (f64, f64),
    silence: (f64, f64),
    latency: (f64, f64),
    /// The first measure that is bounded.
    bounded: Option<Measure>,
}

impl Wanted {
    /// A filter whose kinds were found.
    pub fn new(filter: &Filter, admitted: &Admitted, now: Timestamp) -> Self {
        let measures = [
            (Measure::Started, filter.age),
            (Measure::Silence, filter.silence),
            (Measure::Latency, filter.latency),
            (Measure::Duration, filter.duration),
        ];
        Self {
            kinds: admitted.ids.clone(),
            few: admitted.ids.is_some() && few(admitted.runs, admitted.total),
            begun: filter.begun(now),
            duration: filter.duration.numbers(),
            silence: filter.silence.numbers(),
            latency: filter.latency.numbers(),
            bounded: measures.iter().find(|(_, bounds)| !bounds.is_open()).map(|(measure, _)| *measure),
        }
    }

    /// Where an order's own measure leaves the bounds: nothing behind it fits.
    fn end(&self, order: Order) -> f64 {
        let (low, high) = match order.by {
            Measure::Started => (self.begun.0 as f64, self.begun.1 as f64),
            Measure::Duration => self.duration,
            Measure::Silence => self.silence,
            Measure::Latency => self.latency,
        };
        if order.descending { low } else { high }
    }
}

/// A run's place in an order: its measure, and its number where that is equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Key {
    measure: f64,
    number: i64,
}

impl Key {
    /// The place of a run in an order.
    pub fn of(row: &RunRow, order: Order) -> Self {
        let measure = match order.by {
            Measure::Started => row.started_at.unix_ms() as f64,
            Measure::Duration => row.total_ms,
            Measure::Silence => row.silence_ms.unwrap_or(-1.0),
            Measure::Latency => row.cancel_latency_ms.or(row.cancel_censored_ms).unwrap_or(-1.0),
        };
        Self { measure, number: row.number as i64 }
    }

    /// Before or behind every run.
    fn end(highest: bool) -> Self {
        if highest { Self { measure: f64::MAX, number: i64::MAX } } else { Self { measure: -2.0, number: 0 } }
    }
}

/// The place of a run in an order; none where there is no run of this number.
pub async fn key(pool: &SqlitePool, order: Order, number: u64) -> sqlx::Result<Option<Key>> {
    let Ok(number) = i64::try_from(number) else { return Ok(None) };
    let row = query!(
        r#"select started_at, total_ms, silence_rank as "silence_rank!: f64", latency_rank as "latency_rank!: f64"
           from run where number = ?"#,
        number
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| {
        let measure = match order.by {
            Measure::Started => row.started_at as f64,
            Measure::Duration => row.total_ms,
            Measure::Silence => row.silence_rank,
            Measure::Latency => row.latency_rank,
        };
        Key { measure, number }
    }))
}

/// The ids behind a place, by literals of SQL: the index, what it says of kinds, what keeps a column out of the choice of an
/// index (a plus before it), the measure, and the way of the order. Nothing that fits lies beyond `?13`.
macro_rules! ids {
    ($index:literal, $kinds:literal, $plus:literal, $by:literal, ($than:literal, $until:literal, $way:literal), $wanted:expr, $order:expr, $from:expr, $limit:expr, $pool:expr) => {{
        let Wanted { kinds, begun, duration, silence, latency, .. } = $wanted;
        let until = $wanted.end($order);
        query_scalar!(
            "select id from run indexed by "
                + $index
                + " where "
                + $kinds
                + " and ("
                + $by
                + ", number) "
                + $than
                + " (?1, ?2) and "
                + $by
                + $until
                + " ?13 and "
                + $plus
                + "started_at between ?4 and ?5 and "
                + $plus
                + "total_ms > ?6 and "
                + $plus
                + "total_ms < ?7 and "
                + $plus
                + "silence_rank > ?8 and "
                + $plus
                + "silence_rank < ?9 and "
                + $plus
                + "latency_rank > ?10 and "
                + $plus
                + "latency_rank < ?11 order by "
                + $by
                + " "
                + $way
                + ", number "
                + $way
                + " limit ?12",
            $from.measure,
            $from.number,
            kinds,
            begun.0,
            begun.1,
            duration.0,
            duration.1,
            silence.0,
            silence.1,
            latency.0,
            latency.1,
            $limit,
            until
        )
        .fetch_all($pool)
        .await
    }};
}

/// The ids by a measure. Where most runs fit, through its own index; where few do, through the index of kinds, and they are
/// sorted.
macro_rules! ids_by {
    ($index:literal, $by:literal, $wanted:expr, $order:expr, $($rest:expr),*) => {
        match ($order.descending, $wanted.few) {
            (true, false) => ids_by!(@many $index, $by, ("<", " >= ", "desc"), $wanted, $order, $($rest),*),
            (false, false) => ids_by!(@many $index, $by, (">", " <= ", "asc"), $wanted, $order, $($rest),*),
            (true, true) => ids_by!(@few $by, ("<", " >= ", "desc"), $wanted, $order, $($rest),*),
            (false, true) => ids_by!(@few $by, (">", " <= ", "asc"), $wanted, $order, $($rest),*),
        }
    };
    (@many $index:literal, $by:literal, $way:tt, $($rest:expr),*) => {
        ids!($index, "(?3 is null or kind in (select value from json_each(?3)))", "+", $by, $way, $($rest),*)
    };
    (@few $by:literal, $way:tt, $($rest:expr),*) => {
        ids!("run_kind_idx", "kind in (select value from json_each(?3))", "", $by, $way, $($rest),*)
    };
}

/// The ids of `limit` runs behind a place in the order (from the first without one).
async fn ids(
    pool: &SqlitePool,
    wanted: &Wanted,
    order: Order,
    from: Option<Key>,
    limit: u32,
) -> sqlx::Result<Vec<String>> {
    let from = from.unwrap_or(Key::end(order.descending));
    match order.by {
        Measure::Started => ids_by!("run_started_idx", "started_at", wanted, order, from, limit, pool),
        Measure::Duration => ids_by!("run_duration_idx", "total_ms", wanted, order, from, limit, pool),
        Measure::Silence => ids_by!("run_silence_idx", "silence_rank", wanted, order, from, limit, pool),
        Measure::Latency => ids_by!("run_latency_idx", "latency_rank", wanted, order, from, limit, pool),
    }
}

/// At most `limit` runs behind a place in the order (from the first without one), in the order.
pub async fn behind(
    pool: &SqlitePool,
    wanted: &Wanted,
    order: Order,
    from: Option<Key>,
    limit: u32,
) -> sqlx::Result<Vec<RunRow>> {
    rows(pool, &ids(pool, wanted, order, from, limit).await?).await
}

/// At most `limit` runs that end before a place in the order, in the order.
pub async fn before(
    pool: &SqlitePool,
    wanted: &Wanted,
    order: Order,
    until: Key,
    limit: u32,
) -> sqlx::Result<Vec<RunRow>> {
    let mut ids = ids(pool, wanted, order.turned(), Some(until), limit).await?;
    ids.reverse();
    rows(pool, &ids).await
}

/// The rows of runs, in the order of their ids.
async fn rows(pool: &SqlitePool, ids: &[String]) -> sqlx::Result<Vec<RunRow>> {
    let ids = serde_json::json!(ids).to_string();
    let rows = query_as!(
        Row,
        r#"select run.id as "id!", number as "number!", entry as "entry!", agent as "agent!", network as "network!", route,
                  attempt as "attempt!", builder as "builder!", outcome as "outcome!", total_ms as "total_ms!",
                  build_ms, silence_ms, cancel_latency_ms, cancel_censored_ms, cleanup as "cleanup!",
                  validation as "validation!", cache_mode as "cache_mode!", gpu_sku as "gpu_sku!",
                  tensorrt_version as "tensorrt_version!", started_at as "started_at!"
           from json_each(?) as wanted cross join run on run.id = wanted.value order by wanted.key"#,
        ids
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Row::view).collect()
}

macro_rules! kinds {
    ($index:literal, $kinds:literal, $wanted:expr, $pool:expr) => {{
        let Wanted { kinds, begun, duration, silence, latency, .. } = $wanted;
        let limit = MAX_COUNTED + 1;
        query!(
            r#"select kind as "kind!: i64", count(*) as "runs!: i64" from (
                   select kind from run indexed by "#
                + $index
                + r#" where started_at between ?1 and ?2 and total_ms > ?3 and total_ms < ?4
                    and silence_rank > ?5 and silence_rank < ?6 and latency_rank > ?7 and latency_rank < ?8
                    and "#
                + $kinds
                + " kind in (select value from json_each(?9))) limit ?10) group by kind",
            begun.0,
            begun.1,
            duration.0,
            duration.1,
            silence.0,
            silence.1,
            latency.0,
            latency.1,
            kinds,
            limit
        )
        .fetch_all($pool)
        .await?
        .into_iter()
        .map(|row| (row.kind, row.runs as u64))
        .collect()
    }};
}

/// How many runs of each kind lie between the bounds; counting ends behind [`MAX_COUNTED`]. None where nothing is bounded:
/// then the kinds know their numbers.
pub async fn counted(pool: &SqlitePool, wanted: &Wanted) -> sqlx::Result<Option<Vec<(i64, u64)>>> {
    Ok(Some(match wanted.bounded {
        None => return Ok(None),
        Some(_) if wanted.few => kinds!("run_kind_idx", "(", wanted, pool),
        Some(Measure::Started) => kinds!("run_started_idx", "(?9 is null or", wanted, pool),
        Some(Measure::Duration) => kinds!("run_duration_idx", "(?9 is null or", wanted, pool),
        Some(Measure::Silence) => kinds!("run_silence_idx", "(?9 is null or", wanted, pool),
        Some(Measure::Latency) => kinds!("run_latency_idx", "(?9 is null or", wanted, pool),
    }))
}
