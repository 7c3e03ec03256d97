//! Drawing: rows from top to bottom, each function one row.

use acta_ledger::{
    evidence::{cancel::CancelRecord, number::ms, phase_tree::PhaseTree},
    judge::silence::{Stretch, share, silences},
};

use super::{
    canvas::{ACTIVITY, BAR, Canvas, PITCH},
    lanes::{Bar, Lanes, depths, layout},
    lens,
    names::{Name, Naming, names},
    scale::Scale,
};
use crate::{
    components::svg::{Svg, add_rect, coordinate, escaped, text_width},
    format,
    i18n::Lang,
};

/// Silences that are hatched at most.
const MAX_SILENCES: usize = 12;

/// What is drawn.
pub struct Subject<'a> {
    tree: &'a PhaseTree,
    cancel: Option<&'a CancelRecord>,
    network: &'a str,
    has_row: &'a dyn Fn(u32) -> bool,
    lang: Lang,
    depths: Vec<usize>,
    silences: Vec<Stretch>,
}

impl<'a> Subject<'a> {
    /// Prepares what both sizes share.
    pub fn new(
        tree: &'a PhaseTree,
        cancel: Option<&'a CancelRecord>,
        network: &'a str,
        has_row: &'a dyn Fn(u32) -> bool,
        lang: Lang,
    ) -> Self {
        // What is shorter than a hundredth of the build is not called silence.
        let silences = silences(tree, tree.duration.0 / 100, MAX_SILENCES);
        Self { tree, cancel, network, has_row, lang, depths: depths(tree), silences }
    }

    /// Whether the picture is so short that it counts in milliseconds.
    fn counts_ms(&self) -> bool {
        self.tree.duration.0 < 100_000_000
    }

    fn at(&self, ns: u64) -> String {
        if self.counts_ms() {
            format!("{}\u{a0}ms", format::number(ms(ns), 2, self.lang))
        } else {
            format!("{}\u{a0}s", format::seconds_figure(ms(ns), self.lang))
        }
    }
}

/// Draws the picture in one size.
pub fn draw(subject: &Subject<'_>, canvas: &Canvas) -> String {
    let scale = Scale::new(0, subject.tree.duration.0, canvas.left, canvas.right);
    let lanes = layout(subject.tree, &subject.depths, &scale, &subject.silences, canvas.bounds);
    let mut body = Svg::default();
    let moments = moments(subject);
    let top = cancel_rows(&mut body, subject, canvas, &scale, &moments);
    let lanes_top = top + ACTIVITY + 10.0;
    let axis = lanes_top + lanes.count as f64 * PITCH + 22.0;
    let mut svg = Svg::default();
    grid(&mut svg, subject, canvas, &scale, (top - 4.0, axis));
    svg.raw(&body.finish());
    events(&mut svg, &scale, &moments, (top - 16.0, axis));
    activity(&mut svg, subject, canvas, &scale, top);
    row_name(&mut svg, canvas, lanes_top + 14.0, &subject.lang.t("timeline-phases"));
    let dense = lens::first_dense(subject.tree, &scale);
    let merged = dense.filter(|_| lanes.merged > 0).map(|_| {
        let shown = format::count(lanes.merged as u64, subject.lang);
        subject.lang.tr("timeline-merged", [("n", lanes.merged.into()), ("shown", shown.into())])
    });
    let naming = Naming { canvas, lang: subject.lang, tree: subject.tree, enlarged: false, merged, rows: 0 };
    lanes_at(&mut svg, subject, &lanes, lanes_top, &naming);
    let bottom = magnified(&mut svg, subject, canvas, &scale, axis, dense);
    wrap(subject, canvas, bottom, &svg.finish())
}

fn wrap(subject: &Subject<'_>, canvas: &Canvas, height: f64, inside: &str) -> String {
    let (lang, name) = (subject.lang, canvas.name);
    let title = lang.tr(
        "timeline-title",
        [
            ("network", format::short(subject.network, 80).into()),
            ("duration", format::seconds(ms(subject.tree.duration.0), lang).into()),
        ],
    );
    let (width, height) = (coordinate(canvas.width), coordinate(height));
    format!(
        "<svg class=\"chart {name}\" viewBox=\"0 0 {width} {height}\" role=\"group\" \
         aria-labelledby=\"tl-t-{name} tl-d-{name}\"><title id=\"tl-t-{name}\">{}</title>\
         <desc id=\"tl-d-{name}\">{}</desc><defs><pattern id=\"hush-{name}\" width=\"6\" height=\"6\" \
         patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect class=\"hatch-ground\" width=\"6\" \
         height=\"6\"/><path class=\"hatch-line\" d=\"M0 0V6\"/></pattern></defs>{inside}</svg>",
        escaped(&title),
        escaped(&description(subject))
    )
}

fn description(subject: &Subject<'_>) -> String {
    let lang = subject.lang;
    let mut out = vec![lang.t("timeline-desc-axis")];
    if let Some(silence) = subject.tree.silence {
        let values = [("from", subject.at(silence.from.0).into()), ("to", subject.at(silence.to.0).into())];
        out.push(lang.tr("timeline-desc-silence", values));
    }
    for (at, key) in moments(subject) {
        out.push(
            lang.tr("timeline-desc-moment", [("what", lang.t(key).into()), ("at", subject.at(at).into())]),
        );
    }
    out.push(lang.t("timeline-desc-table"));
    out.join(" ")
}

/// The cancel's moments that lie on the axis.
fn moments(subject: &Subject<'_>) -> Vec<(u64, &'static str)> {
    let Some((cancel, requested)) =
        subject.cancel.and_then(|cancel| Some((cancel, cancel.requested_offset_ns?)))
    else {
        return Vec::new();
    };
    let rest = [
        (cancel.acknowledged_offset_ns, "moment-acknowledged"),
        (cancel.returned_offset_ns, "moment-returned"),
    ];
    let rest = rest.into_iter().filter_map(|(at, key)| Some((at?.0, key)));
    std::iter::once((requested.0, "moment-requested")).chain(rest).collect()
}

/// The names of the cancel's moments and the line of its wait; returns where the callbacks' row begins.
fn cancel_rows(
    svg: &mut Svg,
    subject: &Subject<'_>,
    canvas: &Canvas,
    scale: &Scale,
    moments: &[(u64, &'static str)],
) -> f64 {
    if moments.is_empty() {
        return 8.0;
    }
    let lang = subject.lang;
    let mut rows: Vec<Vec<(f64, f64)>> = Vec::new();
    let mut labels = Vec::new();
    for &(at, key) in moments {
        let x = scale.x(at);
        let text = format!("{} {}", lang.t(key), subject.at(at));
        let width = text_width(&text);
        let ends = x > (canvas.left + canvas.right) / 2.0;
        let left = if ends { x + 5.0 - width } else { x - 5.0 }.clamp(0.0, (canvas.width - width).max(0.0));
        let taken =
            |row: &Vec<(f64, f64)>| row.iter().any(|&(l, r)| left < r + 8.0 && left + width > l - 8.0);
        let row = rows.iter().position(|row| !taken(row)).unwrap_or(rows.len());
        if row == rows.len() {
            rows.push(Vec::new());
        }
        rows[row].push((left, left + width));
        labels.push((row, if ends { ("end", left + width) } else { ("", left) }, text));
    }
    let height = rows.len() as f64 * 16.0;
    for (row, (class, x), text) in labels {
        svg.text(class, (x, height + 2.0 - row as f64 * 16.0), &text);
    }
    let y = height + 14.0;
    row_name(svg, canvas, y + 4.0, &lang.t("timeline-cancel"));
    let cancel = subject.cancel;
    let answered = cancel.and_then(|cancel| cancel.acknowledged_offset_ns);
    let (from, to) = (scale.x(moments[0].0) + 8.0, answered.map_or(canvas.right, |at| scale.x(at.0) - 8.0));
    if to > from {
        svg.path("wait", &format!("M{} {}H{}", coordinate(from), coordinate(y), coordinate(to)));
        let waited =
            match (cancel.and_then(|c| c.request_to_ack_ms), cancel.and_then(|c| c.censored_after_ms)) {
                (Some(ms), _) => {
                    let took = [("duration", format!("{}\u{a0}s", format::seconds_figure(ms, lang)).into())];
                    [lang.tr("timeline-waited-long", took.clone()), lang.tr("timeline-waited", took)]
                }
                (None, Some(ms)) => {
                    let took = [("duration", format!("{}\u{a0}s", format::seconds_figure(ms, lang)).into())];
                    [lang.tr("timeline-censored-long", took.clone()), lang.tr("timeline-censored", took)]
                }
                (None, None) => [String::new(), String::new()],
            };
        if let Some(text) = waited.iter().find(|text| text_width(text) + 20.0 < to - from) {
            plated(svg, "wait-text mid", ((from + to) / 2.0, y + 4.0), text);
        }
    }
    y + 16.0
}

/// A text in the middle of something, with paper behind it.
fn plated(svg: &mut Svg, class: &str, (x, y): (f64, f64), text: &str) {
    if !text.is_empty() {
        let width = text_width(text) + 12.0;
        svg.rect("plate", None, (x - width / 2.0, y - 14.0), (width, 20.0));
        svg.text(class, (x, y), text);
    }
}

fn row_name(svg: &mut Svg, canvas: &Canvas, y: f64, text: &str) {
    if canvas.left > 60.0 {
        svg.text("q", (0.0, y), text);
    }
}

fn grid(svg: &mut Svg, subject: &Subject<'_>, canvas: &Canvas, scale: &Scale, (top, axis): (f64, f64)) {
    let ticks = scale.ticks(canvas.tick);
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).next().unwrap_or(scale.to - scale.from);
    let (unit, power) = if subject.counts_ms() { ("ms", 6) } else { ("s", 9) };
    let decimals = (0..power).find(|&places| step >= 10_u64.pow(power - places)).unwrap_or(power) as usize;
    let mut lines = String::new();
    let mut labels = Svg::default();
    for at in ticks {
        let x = scale.x(at);
        lines.push_str(&format!("M{} {}V{}", coordinate(x), coordinate(top), coordinate(axis)));
        let value = at as f64 / 10_f64.powi(power as i32);
        let text = format!("{}\u{a0}{unit}", format::number(value, decimals, subject.lang));
        if x + 5.0 + text_width(&text) <= canvas.width {
            labels.text("q", (x + 4.0, axis - 5.0), &text);
        }
    }
    svg.path("gridline", &lines);
    svg.raw(&labels.finish());
    svg.path(
        "axis",
        &format!("M{} {}H{}", coordinate(canvas.left), coordinate(axis), coordinate(canvas.right)),
    );
}

fn events(svg: &mut Svg, scale: &Scale, moments: &[(u64, &'static str)], (top, axis): (f64, f64)) {
    for &(at, _) in moments {
        let (x, y) = (scale.x(at), coordinate(top));
        svg.path("event", &format!("M{} {y}V{}", coordinate(x), coordinate(axis)));
        svg.path("event-mark", &format!("M{} {}h10l-5 7z", coordinate(x - 5.0), coordinate(top - 4.0)));
    }
}

/// How many callbacks came when, on a logarithmic height, and what the longest silences measure.
fn activity(svg: &mut Svg, subject: &Subject<'_>, canvas: &Canvas, scale: &Scale, top: f64) {
    let lang = subject.lang;
    row_name(svg, canvas, top + 18.0, &lang.t("timeline-callbacks"));
    let columns = ((scale.right - scale.left) / 4.0) as usize;
    let mut counts = vec![0_u64; columns + 1];
    let bin = subject.tree.activity.bin.0.max(1);
    for (index, &count) in subject.tree.activity.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
        let middle = (index as u64).saturating_mul(bin).saturating_add(bin / 2);
        let column = ((scale.x(middle) - scale.left) / 4.0) as usize;
        counts[column.min(columns)] += u64::from(count);
    }
    let most = counts.iter().copied().max().unwrap_or(0) as f64;
    let mut d = String::new();
    for (column, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
        let height = 3.0 + (ACTIVITY - 3.0) * (count as f64).ln_1p() / most.ln_1p().max(1.0);
        let height = height.min(ACTIVITY).round();
        add_rect(&mut d, (scale.left + column as f64 * 4.0, top + ACTIVITY - height), (3.0, height));
    }
    svg.path("count", &d);
    let total = ms(subject.tree.duration.0);
    let longest = subject.silences.iter().map(Stretch::length).max();
    for silence in &subject.silences {
        let (left, right) = (scale.x(silence.from), scale.x(silence.to));
        let length = ms(silence.length());
        let brief = format::seconds(length, lang);
        // Of the others only what is certain is known.
        let mut texts = vec![format!("≥\u{a0}{brief}")];
        if longest == Some(silence.length()) {
            texts = vec![brief.clone()];
            let values = [
                ("duration", brief.into()),
                ("share", format::percent(share(length, total).unwrap_or(0.0), lang).into()),
            ];
            texts.insert(0, lang.tr("timeline-silence", values));
        }
        if let Some(text) = texts.iter().find(|text| text_width(text) + 16.0 < right - left) {
            let class = if longest == Some(silence.length()) { "b mid" } else { "mid" };
            plated(svg, class, ((left + right) / 2.0, top + 16.0), text);
        }
    }
}

/// Bars and crowds, from `top` on.
fn lanes_at(svg: &mut Svg, subject: &Subject<'_>, lanes: &Lanes, top: f64, naming: &Naming<'_>) {
    let y = |lane: usize| top + lane as f64 * PITCH;
    let canvas = naming.canvas;
    let (named, leaders) = names(lanes, naming);
    let mut plain = String::new();
    for (index, bar) in lanes.bars.iter().enumerate() {
        if bar.hushes.is_empty() && named.iter().all(|name| name.bar != index) {
            add_rect(&mut plain, (bar.left, y(bar.lane)), (bar.right - bar.left, BAR));
        }
    }
    svg.path("bar", &plain);
    for (index, bar) in lanes.bars.iter().enumerate() {
        let name = named.iter().find(|name| name.bar == index);
        if name.is_none() && bar.hushes.is_empty() {
            continue;
        }
        let place = (bar, y(bar.lane), name);
        if (subject.has_row)(bar.phase) && name.is_some() {
            let title = format::short(&subject.tree.phases[bar.phase as usize].name, 120);
            svg.link(&format!("#phase-{}", bar.phase), &title, |svg| named_bar(svg, canvas, place));
        } else {
            named_bar(svg, canvas, place);
        }
    }
    let mut d = String::new();
    for crowd in &lanes.crowds {
        let height = [7.0, 13.0, BAR][usize::from(crowd.level.clamp(1, 3)) - 1];
        add_rect(&mut d, (crowd.left, y(crowd.lane) + BAR - height), (crowd.right - crowd.left, height));
    }
    svg.path("crowd", &d);
    for leader in leaders {
        let (from, to) = (y(leader.from) + BAR, y(leader.to) + BAR / 2.0);
        let (x, end) = (coordinate(leader.x), coordinate(leader.x + if leader.left { -8.0 } else { 8.0 }));
        // Beside, the line has nothing to go down.
        let from = if leader.from == leader.to { to } else { from };
        svg.path("leader", &format!("M{x} {}V{}H{end}", coordinate(from), coordinate(to)));
        svg.text(if leader.left { "end q" } else { "q" }, (leader.text_x, to + 4.0), &leader.text);
    }
}

fn named_bar(svg: &mut Svg, canvas: &Canvas, (bar, y, name): (&Bar, f64, Option<&Name>)) {
    svg.rect("bar", None, (bar.left, y), (bar.right - bar.left, BAR));
    for &(left, right) in &bar.hushes {
        svg.rect("hush", Some(&format!("hush-{}", canvas.name)), (left, y), (right - left, BAR));
    }
    if let Some(name) = name {
        if bar.hushes.iter().any(|&(left, right)| name.x < right && name.x + name.width > left)
            && !name.beside
        {
            svg.rect("plate", None, (name.x - 3.0, y + 2.0), (name.width + 6.0, BAR - 4.0));
        }
        svg.text(if name.beside { "q" } else { "" }, (name.x, y + 14.0), &name.text);
    }
}

/// The first dense stretch, enlarged below the axis; returns the picture's height.
fn magnified(
    svg: &mut Svg,
    subject: &Subject<'_>,
    canvas: &Canvas,
    scale: &Scale,
    axis: f64,
    dense: Option<(u64, u64)>,
) -> f64 {
    let Some((from, to)) = dense else {
        return axis + 4.0;
    };
    let inner = Scale::new(from, to, 8.0, canvas.width - 8.0);
    let lanes = layout(subject.tree, &subject.depths, &inner, &subject.silences, canvas.lens_bounds);
    let (top, width, lang) = (axis + 28.0, canvas.width, subject.lang);
    let merged = (lanes.merged > 0).then(|| {
        let shown = format::count(lanes.merged as u64, lang);
        lang.tr("timeline-merged-lens", [("n", lanes.merged.into()), ("shown", shown.into())])
    });
    // Two rows of their own below the lanes, for names that fit nowhere else.
    let naming = Naming { canvas, lang, tree: subject.tree, enlarged: true, merged, rows: 2 };
    let (_, leaders) = names(&lanes, &naming);
    let rows = leaders.iter().map(|leader| leader.to + 1).fold(lanes.count, usize::max);
    let bottom = top + 30.0 + rows as f64 * PITCH + 6.0;
    let (left, right) = (scale.x(from), scale.x(to).max(scale.x(from) + 1.0));
    let [left, right, axis, shoulder, floor, far] =
        [left, right, axis + 1.0, top, bottom, width - 0.5].map(coordinate);
    svg.path("lens", &format!("M{left} {axis}H{right}L{far} {shoulder}V{floor}H0.5V{shoulder}Z"));
    svg.path(
        "lens-edge",
        &format!("M{left} {axis}L0.5 {shoulder}V{floor}M{right} {axis}L{far} {shoulder}V{floor}"),
    );
    let times = (scale.to - scale.from) as f64 / (inner.to - inner.from) as f64 * (inner.right - inner.left)
        / (scale.right - scale.left);
    let values = [
        ("from", subject.at(from).into()),
        ("to", subject.at(to).into()),
        ("times", format::number(times, if times < 10.0 { 1 } else { 0 }, lang).into()),
    ];
    svg.text("q", (8.0, top + 18.0), &lang.tr("timeline-enlarged", values));
    lanes_at(svg, subject, &lanes, top + 30.0, &naming);
    bottom + 4.0
}
