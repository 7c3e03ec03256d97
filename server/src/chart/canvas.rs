//! The two sizes that a chart comes in; the same widths as the timeline's.

/// A size, in pixels.
#[derive(Debug, Clone, Copy)]
pub struct Canvas {
    /// The class of the picture and the end of its ids.
    pub name: &'static str,
    /// The whole width.
    pub width: u32,
    /// The whole height, without the legend.
    pub height: u32,
    /// What stands left of the plot: the words of the axis up.
    pub left: u32,
    /// What is free at the right.
    pub right: u32,
    /// Words of the axis across are at least so far apart.
    pub apart: i32,
    /// Curves in a line of the legend.
    pub legend_columns: usize,
}

/// For pages of 60 rem and more.
pub const FULL: Canvas =
    Canvas { name: "full", width: 1016, height: 300, left: 84, right: 24, apart: 64, legend_columns: 2 };

/// For phones.
pub const SLIM: Canvas =
    Canvas { name: "slim", width: 356, height: 240, left: 60, right: 12, apart: 56, legend_columns: 1 };

/// Above the plot: the name of the axis up.
pub const TOP: u32 = 26;

/// Below the plot: words and name of the axis across.
pub const BOTTOM: u32 = 44;

/// The height of a line of the legend.
pub const LINE: u32 = 20;
