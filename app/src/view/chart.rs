//! Charts as what they show: axes, curves and points, with words in the reader's language. The server draws them.

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it counts, with the unit.
    pub label: String,
    /// Where it begins.
    pub from: f64,
    /// Where it ends; beyond `from`.
    pub to: f64,
    /// Where a line stands, and what is written there.
    pub ticks: Vec<(f64, String)>,
}

/// A stretch of the axis up that is usual.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Where it begins.
    pub from: f64,
    /// Where it ends.
    pub to: f64,
    /// What is written in it.
    pub name: String,
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: String,
    /// Its points, by the axis across; the curve is a stair that begins at the origin of the axis up.
    pub steps: Vec<(f64, f64)>,
    /// Places on it that are marked: where watching a value ended.
    pub marks: Vec<(f64, f64)>,
}

/// What a point looks like: always a shape beside the colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// As usual: a disc.
    Plain,
    /// Unusual: a triangle.
    Outlier,
    /// It did not come to its end: a cross.
    Unfinished,
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it looks like.
    pub mark: Mark,
    /// Where it stands, across and up.
    pub at: (f64, f64),
    /// Where it leads, where it is a link, and what it is in words.
    pub link: Option<(String, String)>,
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// What its parts are called by on the page; one chart a page has it.
    pub id: &'static str,
    /// Its name.
    pub title: String,
    /// The finding in words, for those who do not see it.
    pub desc: String,
    /// The axis across.
    pub x: Axis,
    /// The axis up.
    pub y: Axis,
    /// What is usual, where that is known.
    pub band: Option<Band>,
    /// Curves, at most [`MOST_CURVES`].
    pub curves: Vec<Curve>,
    /// Points.
    pub points: Vec<Point>,
}

/// How many curves can be told apart.
pub const MOST_CURVES: usize = 4;
