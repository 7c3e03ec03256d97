//! From nanoseconds to pixels, and the marks on the axis.

/// A stretch of time drawn over a stretch of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Where it begins, in nanoseconds since the build call.
    pub from: u64,
    /// Where it ends; always later than `from`.
    pub to: u64,
    /// The pixel of `from`.
    pub left: f64,
    /// The pixel of `to`.
    pub right: f64,
}

impl Scale {
    /// A scale over at least one nanosecond.
    pub fn new(from: u64, to: u64, left: f64, right: f64) -> Self {
        let from = from.min(u64::MAX - 1);
        Self { from, to: to.max(from + 1), left, right }
    }

    /// Where a moment stands; never outside.
    pub fn x(&self, at: u64) -> f64 {
        let at = at.clamp(self.from, self.to);
        let share = (at - self.from) as f64 / (self.to - self.from) as f64;
        self.left + share * (self.right - self.left)
    }

    /// How long so many pixels are, in nanoseconds.
    pub fn ns(&self, pixels: f64) -> u64 {
        let per_pixel = (self.to - self.from) as f64 / (self.right - self.left).max(1.0);
        // Saturates: a float beyond u64 becomes its maximum.
        (pixels.max(0.0) * per_pixel) as u64
    }

    /// The pixels between two moments, as far as they are inside; none where nothing of them is.
    pub fn span(&self, from: u64, to: u64) -> Option<(f64, f64)> {
        (from <= self.to && to >= self.from && from <= to).then(|| (self.x(from), self.x(to)))
    }

    /// Round moments for the axis, at least `apart` pixels from each other.
    pub fn ticks(&self, apart: f64) -> Vec<u64> {
        let least = self.ns(apart).max(1);
        let mut step = 1_u64;
        // 1, 2, 5, 10, 20, 50, ...
        for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
            if step >= least || step > u64::MAX / 4 {
                break;
            }
            step = (step as f64 * factor).round() as u64;
        }
        let first = self.from.div_ceil(step).saturating_mul(step);
        (0..)
            .map(|index: u64| first.saturating_add(index.saturating_mul(step)))
            .take_while(|&at| at <= self.to)
            .take(40)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_never_leave_the_scale() {
        for (from, to) in [(0, 0), (0, 1), (5, 3), (0, u64::MAX), (u64::MAX, u64::MAX), (7, 1_000_000_007)] {
            let scale = Scale::new(from, to, 84.0, 1012.0);
            for at in [0, 1, from, to, u64::MAX / 2, u64::MAX] {
                let x = scale.x(at);
                assert!((84.0..=1012.0).contains(&x), "{from}..{to} at {at}: {x}");
            }
            let ticks = scale.ticks(60.0);
            assert!(ticks.len() <= 40 && ticks.iter().all(|&at| from.min(u64::MAX - 1) <= at), "{ticks:?}");
        }
    }

    #[test]
    fn ticks_are_round() {
        let second = 1_000_000_000;
        let ticks = Scale::new(0, 5 * second + 500_000_000, 84.0, 1012.0).ticks(100.0);
        assert_eq!(ticks, (0..=5).map(|n| n * second).collect::<Vec<_>>());
        let ticks = Scale::new(0, 123 * second, 84.0, 1012.0).ticks(100.0);
        assert_eq!(ticks, (0..=6).map(|n| n * 20 * second).collect::<Vec<_>>());
    }
}
