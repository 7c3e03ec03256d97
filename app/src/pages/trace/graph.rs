//! The picture of a trace: the same steps with the same links. A tie is drawn only where an entry makes it.

use acta_ledger::judge::trace::{Step, StepKind, StepState, Trace};
use leptos::prelude::*;

use super::{
    step_name,
    steps::{anchor, known},
};
use crate::{
    components::{
        layout::{capitalised, full_part},
        svg::{Svg, escaped},
    },
    i18n::Lang,
    view::trace::TraceView,
};

/// A size of the picture: where each step stands, and which way it is read.
struct Canvas {
    name: &'static str,
    size: (f64, f64),
    step: (f64, f64),
    /// Column and row of each step, in the order of [`StepKind::ALL`].
    places: [(f64, f64); 10],
    pitch: (f64, f64),
    across: bool,
}

/// For pages of 60 rem and more: from left to right.
const FULL: Canvas = Canvas {
    name: "full",
    size: (1016.0, 216.0),
    step: (118.0, 52.0),
    places: [
        (0.0, 0.0),
        (1.0, 0.0),
        (1.0, 1.0),
        (1.0, 2.0),
        (2.0, 1.0),
        (3.0, 1.0),
        (4.0, 0.0),
        (4.0, 2.0),
        (5.0, 1.0),
        (6.0, 1.0),
    ],
    pitch: (149.0, 80.0),
    across: true,
};

/// For phones: from top to bottom.
const SLIM: Canvas = Canvas {
    name: "slim",
    size: (356.0, 548.0),
    step: (112.0, 52.0),
    places: [
        (0.0, 0.0),
        (0.0, 1.0),
        (1.0, 1.0),
        (2.0, 1.0),
        (1.0, 2.0),
        (1.0, 3.0),
        (0.0, 4.0),
        (2.0, 4.0),
        (1.0, 5.0),
        (1.0, 6.0),
    ],
    pitch: (121.0, 82.0),
    across: false,
};

/// Shows the picture.
pub fn part(view: &TraceView, lang: Lang) -> AnyView {
    let drawn = view.trace.links.iter().filter(|link| link.known).count();
    let caption = lang.tr("graph-caption", [("n", drawn.into()), ("of", view.trace.links.len().into())]);
    let picture = [&FULL, &SLIM].map(|canvas| draw(&view.trace, canvas, lang)).concat();
    let body = view! { <figure class="ties"><figcaption>{caption}</figcaption><div inner_html=picture></div></figure> };
    full_part("h-graph", lang.t("section-graph"), lang.t("graph-note"), body.into_any())
}

impl Canvas {
    fn place(&self, kind: StepKind) -> (f64, f64) {
        let at = StepKind::ALL.into_iter().position(|it| it == kind).unwrap_or_default();
        let (column, row) = self.places[at];
        (column * self.pitch.0 + 1.0, row * self.pitch.1 + 1.0)
    }
}

fn draw(trace: &Trace, canvas: &Canvas, lang: Lang) -> String {
    let mut svg = Svg::default();
    let (id, (width, height)) = (canvas.name, canvas.size);
    svg.raw(&format!(
        r#"<svg class="chart {id}" viewBox="0 0 {width} {height}" role="group" aria-labelledby="ties-{id}">"#
    ));
    svg.raw(&format!("<title id=\"ties-{id}\">{}</title>", escaped(&lang.t("graph-title"))));
    for link in trace.links.iter().filter(|link| link.known) {
        tie(&mut svg, canvas, canvas.place(link.from), canvas.place(link.to));
    }
    for step in &trace.steps {
        box_of(&mut svg, canvas, step, lang);
    }
    svg.raw("</svg>");
    svg.finish()
}

/// A line from one step to the next, with its head.
fn tie(svg: &mut Svg, canvas: &Canvas, from: (f64, f64), to: (f64, f64)) {
    let (width, height) = canvas.step;
    let (start, end) = if canvas.across {
        ((from.0 + width, from.1 + height / 2.0), (to.0, to.1 + height / 2.0))
    } else {
        ((from.0 + width / 2.0, from.1 + height), (to.0 + width / 2.0, to.1))
    };
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let coordinate = crate::components::svg::coordinate;
    let point = |(x, y): (f64, f64)| format!("{} {}", coordinate(x), coordinate(y));
    svg.path("tie", &format!("M{}L{}", point(start), point(end)));
    let back = (end.0 - ux * 8.0, end.1 - uy * 8.0);
    let (left, right) = ((back.0 - uy * 4.0, back.1 + ux * 4.0), (back.0 + uy * 4.0, back.1 - ux * 4.0));
    svg.path("tie-head", &format!("M{}L{}L{}z", point(end), point(left), point(right)));
}

fn box_of(svg: &mut Svg, canvas: &Canvas, step: &Step, lang: Lang) {
    let (x, y) = canvas.place(step.step);
    let class = match step.state {
        StepState::Known => "step known",
        StepState::Incomplete => "step incomplete",
        StepState::Unknown | StepState::NotYet => "step unknown",
    };
    let (name, word) = (capitalised(&step_name(step.step, lang)), known(step.state, lang).1);
    svg.link(&format!("#{}", anchor(step)), &format!("{name}: {word}"), |svg| {
        svg.rect(class, None, (x, y), canvas.step);
        svg.text("b", (x + 10.0, y + 22.0), &name);
        svg.text("q", (x + 10.0, y + 40.0), &word);
    });
}
