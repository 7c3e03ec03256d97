//! From a chart's numbers to SVG.

use std::fmt::Write as _;

use acta_app::{
    components::svg::escaped,
    view::chart::{Axis, Curve, MOST_CURVES, Mark, Plot},
};
use plotters::{
    coord::{Shift, types::RangedCoordf64},
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use super::canvas::{BOTTOM, Canvas, LINE, TOP};

// The light theme's colours; `style/main.css` maps each to its token.
const GRID: RGBColor = RGBColor(0xd5, 0xd7, 0xd3);
const AXIS: RGBColor = RGBColor(0x7d, 0x83, 0x8a);
const INK: RGBColor = RGBColor(0x1a, 0x1d, 0x21);
const BAND: RGBColor = RGBColor(0xe3, 0xea, 0xdf);
const PLAIN: RGBColor = RGBColor(0x58, 0x70, 0x89);
const OUTLIER: RGBColor = RGBColor(0x8a, 0x4b, 0x00);
const UNFINISHED: RGBColor = RGBColor(0x5a, 0x60, 0x68);
/// The palette of Okabe and Ito, which the colour-blind can tell apart; each curve has a shape as well.
const CURVES: [RGBColor; MOST_CURVES] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
];

/// How thick a curve is, in pixels.
const LINE_WIDTH: u32 = 2;

/// How far apart two steps of a curve stand, in pixels, that are drawn as two.
const APART: i32 = 2 * LINE_WIDTH as i32;

/// Steps of a curve that carry its shape at most.
const SHAPES: usize = 12;

/// How far around a point a finger may miss it.
const REACH: i32 = 12;

/// plotters could not draw.
#[derive(Debug, thiserror::Error)]
#[error("plotters: {0}")]
pub struct DrawError(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for DrawError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

type Result<T> = std::result::Result<T, DrawError>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// Draws a chart in one size.
pub fn draw(plot: &Plot, canvas: &Canvas) -> Result<String> {
    let lines = plot.curves.len().min(MOST_CURVES).div_ceil(canvas.legend_columns) as u32;
    let height = canvas.height + lines * LINE;
    let (mut drawn, mut links) = (String::new(), String::new());
    {
        let root = SVGBackend::with_string(&mut drawn, (canvas.width, height)).into_drawing_area();
        let mut chart = ChartBuilder::on(&root)
            .margin_top(TOP)
            .margin_bottom(BOTTOM + lines * LINE)
            .margin_left(canvas.left)
            .margin_right(canvas.right)
            .build_cartesian_2d(range(&plot.x), range(&plot.y))?;
        ground(plot, &mut chart)?;
        axes(plot, canvas, &root, &chart)?;
        for (place, curve) in plot.curves.iter().take(MOST_CURVES).enumerate() {
            draw_curve(curve, place, plot, &mut chart)?;
            legend(curve, place, canvas, &root)?;
        }
        points(plot, &mut chart, &mut links)?;
        root.present()?;
    }
    Ok(dressed(plot, canvas, height, &drawn, &links))
}

/// An axis as numbers; one that has no length, or is none, becomes one of length 1.
fn range(axis: &Axis) -> std::ops::Range<f64> {
    let from = if axis.from.is_finite() { axis.from } else { 0.0 };
    let to = if axis.to.is_finite() && axis.to > from { axis.to } else { from + 1.0 };
    from..to
}

/// What is usual, behind everything else.
fn ground(plot: &Plot, chart: &mut Chart<'_>) -> Result<()> {
    let Some(band) = &plot.band else { return Ok(()) };
    let x = range(&plot.x);
    let corners = [(x.start, band.from), (x.end, band.to)];
    chart.draw_series([Rectangle::new(corners, BAND.filled())])?;
    Ok(())
}

fn words(color: &RGBColor, h: HPos, v: VPos) -> TextStyle<'_> {
    ("sans-serif", 12).into_font().color(color).pos(Pos::new(h, v))
}

fn axes(plot: &Plot, canvas: &Canvas, root: &Area<'_>, chart: &Chart<'_>) -> Result<()> {
    let (x, y) = (range(&plot.x), range(&plot.y));
    let place = |x: f64, y: f64| {
        let area = chart.plotting_area();
        area.map_coordinate(&(x, y))
    };
    let (left, bottom) = place(x.start, y.start);
    let (right, top) = place(x.end, y.end);
    let line =
        |from, to, color: RGBColor| root.draw(&PathElement::new(vec![from, to], color.stroke_width(1)));
    for (at, text) in &plot.y.ticks {
        let (_, height) = place(x.start, *at);
        line((left, height), (right, height), GRID)?;
        root.draw(&Text::new(text.clone(), (left - 8, height), words(&INK, HPos::Right, VPos::Center)))?;
    }
    let mut free_from = i32::MIN;
    for (at, text) in &plot.x.ticks {
        let (across, _) = place(*at, y.start);
        line((across, bottom), (across, bottom + 5), AXIS)?;
        if across >= free_from {
            root.draw(&Text::new(text.clone(), (across, bottom + 8), words(&INK, HPos::Center, VPos::Top)))?;
            free_from = across + canvas.apart;
        }
    }
    line((left, bottom), (right, bottom), AXIS)?;
    root.draw(&Text::new(plot.y.label.clone(), (2, 2), words(&INK, HPos::Left, VPos::Top)))?;
    root.draw(&Text::new(plot.x.label.clone(), (right, bottom + 26), words(&INK, HPos::Right, VPos::Top)))?;
    if let Some(band) = &plot.band {
        let (_, height) = place(x.start, band.to);
        let name =
            Text::new(band.name.clone(), (left + 6, height.max(top) + 3), words(&INK, HPos::Left, VPos::Top));
        root.draw(&name)?;
    }
    Ok(())
}

/// The shape of a curve: what it is known by without its colour. A macro, as the same shape stands on two kinds of
/// coordinates: the chart's, and the picture's in the legend.
macro_rules! shape {
    ($place:expr, $at:expr, $color:expr) => {
        match $place {
            0 => Circle::new($at, 4, $color.filled()).into_dyn(),
            1 => TriangleMarker::new($at, 5, $color.filled()).into_dyn(),
            2 => Cross::new($at, 4, $color.stroke_width(2)).into_dyn(),
            _ => Circle::new($at, 4, $color.stroke_width(2)).into_dyn(),
        }
    };
}

/// A stair from the left end of the axis, with the curve's shape on it.
fn draw_curve(curve: &Curve, place: usize, plot: &Plot, chart: &mut Chart<'_>) -> Result<()> {
    let (x, y) = (range(&plot.x), range(&plot.y));
    let color = CURVES[place];
    let (steps, marks) = (seen(&curve.steps, chart), seen(&curve.marks, chart));
    let mut stair = vec![(x.start, y.start)];
    let mut height = y.start;
    for &(across, up) in &steps {
        stair.extend([(across, height), (across, up)]);
        height = up;
    }
    stair.push((x.end, height));
    chart.draw_series(LineSeries::new(stair, color.stroke_width(LINE_WIDTH)))?;
    let every = steps.len().div_ceil(SHAPES).max(1);
    for &at in steps.iter().rev().step_by(every) {
        chart.draw_series([shape!(place, at, color)])?;
    }
    // Where watching a value ended: the upright stroke that survival curves have.
    for &(across, up) in &marks {
        let stroke =
            EmptyElement::at((across, up)) + PathElement::new(vec![(0, -6), (0, 6)], color.stroke_width(2));
        chart.draw_series([stroke])?;
    }
    Ok(())
}

/// The places that can be told apart: of those that stand closer the last, which is as high as the stair comes there. A
/// thousand values make no larger picture than a hundred.
fn seen(places: &[(f64, f64)], chart: &Chart<'_>) -> Vec<(f64, f64)> {
    let column = |at: &(f64, f64)| chart.plotting_area().map_coordinate(at).0 / APART;
    let places: Vec<_> = places.iter().map(|at| (column(at), *at)).collect();
    let last_of = places.chunk_by(|one, next| one.0 == next.0).filter_map(<[_]>::last);
    last_of.map(|(_, at)| *at).collect()
}

fn legend(curve: &Curve, place: usize, canvas: &Canvas, root: &Area<'_>) -> Result<()> {
    let (columns, width) = (canvas.legend_columns, canvas.width - canvas.left);
    let left = (canvas.left + (place % columns) as u32 * (width / columns as u32)) as i32;
    let top = (canvas.height + (place / columns) as u32 * LINE) as i32 + 8;
    let color = CURVES[place];
    root.draw(&PathElement::new(vec![(left, top), (left + 28, top)], color.stroke_width(2)))?;
    root.draw(&shape!(place, (left + 14, top), color))?;
    root.draw(&Text::new(curve.name.clone(), (left + 36, top), words(&INK, HPos::Left, VPos::Center)))?;
    Ok(())
}

/// Points, and over each that leads somewhere a link.
fn points(plot: &Plot, chart: &mut Chart<'_>, links: &mut String) -> Result<()> {
    for point in &plot.points {
        let at = point.at;
        match point.mark {
            Mark::Plain => chart.draw_series([Circle::new(at, 3, PLAIN.filled())])?,
            Mark::Outlier => chart.draw_series([TriangleMarker::new(at, 7, OUTLIER.filled())])?,
            Mark::Unfinished => chart.draw_series([Cross::new(at, 4, UNFINISHED.stroke_width(1))])?,
        };
        if let Some((href, title)) = &point.link {
            let (x, y) = chart.plotting_area().map_coordinate(&at);
            let (href, title) = (escaped(href), escaped(title));
            let _ = write!(
                links,
                r#"<a href="{href}"><title>{title}</title><circle class="reach" cx="{x}" cy="{y}" r="{REACH}"/></a>"#
            );
        }
    }
    Ok(())
}

/// The picture with a name, a description, links and the classes of the style sheet in place of plotters' outer element.
fn dressed(plot: &Plot, canvas: &Canvas, height: u32, drawn: &str, links: &str) -> String {
    let inside = drawn.find("<svg").and_then(|at| drawn[at..].find('>').map(|end| at + end + 1));
    let inside = inside.map_or("", |from| drawn[from..].trim_end().trim_end_matches("</svg>"));
    let role = if links.is_empty() { "img" } else { "group" };
    let (id, size, width) = (plot.id, canvas.name, canvas.width);
    let (title, desc) = (escaped(&plot.title), escaped(&plot.desc));
    let t = format!("plot-{id}-t-{size}");
    let d = format!("plot-{id}-d-{size}");
    format!(
        "<svg class=\"chart plot {size}\" viewBox=\"0 0 {width} {height}\" role=\"{role}\" \
         aria-labelledby=\"{t}\" aria-describedby=\"{d}\"><title id=\"{t}\">{title}</title>\
         <desc id=\"{d}\">{desc}</desc>{inside}{links}</svg>"
    )
}
