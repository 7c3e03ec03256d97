//! The two sizes that the picture comes in.

use super::lanes::Bounds;

/// A size, and how much it can hold.
#[derive(Debug, Clone, Copy)]
pub struct Canvas {
    /// The class of the picture and the end of its ids.
    pub name: &'static str,
    /// The whole width.
    pub width: f64,
    /// Where time begins; to the left stand the names of the rows.
    pub left: f64,
    /// Where time ends.
    pub right: f64,
    /// How much is drawn.
    pub bounds: Bounds,
    /// How much is drawn in a lens.
    pub lens_bounds: Bounds,
    /// Names at most.
    pub names: usize,
    /// The least distance of two marks on the axis.
    pub tick: f64,
}

/// For pages of 60 rem and more.
pub const FULL: Canvas = Canvas {
    name: "full",
    width: 1016.0,
    left: 84.0,
    right: 1012.0,
    bounds: Bounds { bars: 380, column: 4.0 },
    lens_bounds: Bounds { bars: 80, column: 2.0 },
    names: 36,
    tick: 90.0,
};

/// For phones.
pub const SLIM: Canvas = Canvas {
    name: "slim",
    width: 356.0,
    left: 1.0,
    right: 352.0,
    bounds: Bounds { bars: 130, column: 4.0 },
    lens_bounds: Bounds { bars: 60, column: 2.0 },
    names: 20,
    tick: 56.0,
};

/// The height of a lane's bar.
pub const BAR: f64 = 20.0;

/// From one lane to the next.
pub const PITCH: f64 = 25.0;

/// The height of the callbacks' row.
pub const ACTIVITY: f64 = 24.0;
