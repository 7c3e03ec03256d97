//! Builds of one kind over time: the picture with its band, and the finding in words.

use acta_ledger::{
    evidence::timing_cache::TimingCacheMode,
    judge::{
        baseline::CacheClass,
        history::{History, Took, history},
    },
    log::digest::Sha256Digest,
};
use leptos::prelude::*;

use super::{axis, figure::figure, moment, words};
use crate::{
    context::PageContext,
    format::seconds,
    i18n::Lang,
    routes,
    view::{
        chart::{Band, Mark, Plot, Point},
        configuration::HistoryRow,
    },
};

/// What builds of one configuration must also have in common: builder, TensorRT, GPU, and the state of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// The builder's code.
    pub builder: String,
    /// The TensorRT version.
    pub tensorrt: String,
    /// The GPU.
    pub gpu: String,
    /// The state of the timing cache.
    pub cache: CacheClass,
}

impl Kind {
    /// The kind of a row; none where its cache mode is not known here.
    pub fn of(row: &HistoryRow) -> Option<Self> {
        let mode: TimingCacheMode = words::parsed(&row.cache_mode)?;
        Some(Self {
            builder: row.builder.clone(),
            tensorrt: row.tensorrt_version.clone(),
            gpu: row.gpu_sku.clone(),
            cache: mode.into(),
        })
    }
}

/// Rows of one kind, judged.
pub struct Judged<'a> {
    /// The rows, oldest first.
    pub rows: Vec<&'a HistoryRow>,
    /// What the ledger says of them.
    pub history: History,
}

/// Judges the rows of a kind.
pub fn judged<'a>(rows: &'a [HistoryRow], kind: &Kind) -> Judged<'a> {
    let rows: Vec<&HistoryRow> = rows.iter().filter(|row| Kind::of(row).as_ref() == Some(kind)).collect();
    let took =
        |row: &&HistoryRow| Took { ms: row.total_ms, counts: row.outcome == "completed" && !row.disturbed };
    let history = history(&rows.iter().map(took).collect::<Vec<_>>());
    Judged { rows, history }
}

/// What the picture shows, in words.
pub fn finding(judged: &Judged<'_>, lang: Lang) -> String {
    let history = &judged.history;
    let stood_out = (0..judged.rows.len()).filter(|&place| history.stood_out(place)).count();
    match history.band {
        Some(band) => lang.tr(
            "history-finding",
            [("p95", seconds(band.to_ms, lang).into()), ("n", history.n.into()), ("out", stood_out.into())],
        ),
        None => lang.tr("history-too-small", [("n", history.n.into()), ("needed", history.needed.into())]),
    }
}

/// The picture. `this` is the run of the page, which is a link nowhere; `id` tells pictures of one page apart.
pub fn picture(
    context: &PageContext,
    judged: &Judged<'_>,
    id: &'static str,
    this: Option<&str>,
    config: &Sha256Digest,
) -> AnyView {
    let lang = context.lang;
    let longest = judged.rows.iter().map(|row| row.total_ms).fold(0.0, f64::max);
    let names: Vec<String> = judged.rows.iter().map(|row| format!("{:04}", row.number)).collect();
    let points = judged.rows.iter().enumerate().map(|(place, row)| {
        let mark = if judged.history.standings[place].is_none() {
            Mark::Unfinished
        } else if judged.history.stood_out(place) {
            Mark::Outlier
        } else {
            Mark::Plain
        };
        // Everything is in the table; in the picture what stands out leads on.
        let leads = mark == Mark::Outlier || this == Some(row.id.as_str());
        let link = leads.then(|| (routes::run(&row.id), title(row, this, lang)));
        Point { mark, at: (place as f64, row.total_ms), link }
    });
    let plot = Plot {
        id,
        title: lang.t("history-title"),
        desc: finding(judged, lang),
        x: axis::ordinals(&names, lang.t("history-x")),
        y: axis::durations(longest, lang.t("history-y"), lang),
        band: judged.history.band.map(|band| Band {
            from: band.from_ms,
            to: band.to_ms,
            name: lang.t("history-band"),
        }),
        curves: Vec::new(),
        points: points.collect(),
    };
    figure(context, &plot, lang.t("history-legend"), &format!("configurations/{config}"), "")
}

fn title(row: &HistoryRow, this: Option<&str>, lang: Lang) -> String {
    let values = [
        ("run", format!("{:04}", row.number).into()),
        ("took", seconds(row.total_ms, lang).into()),
        ("at", moment::words(row.started_at, lang).into()),
    ];
    lang.tr(if this == Some(row.id.as_str()) { "history-this" } else { "history-outlier" }, values)
}
