//! Axes with round numbers on them, in the reader's language.

use crate::{
    format::{number, seconds},
    i18n::Lang,
    view::chart::Axis,
};

/// The shortest time on a logarithmic axis, in milliseconds: what is shorter stands at its beginning.
const SHORTEST_MS: f64 = 0.1;

/// An axis of durations from 0 on, in milliseconds.
pub fn durations(longest_ms: f64, label: String, lang: Lang) -> Axis {
    let longest = if longest_ms.is_finite() && longest_ms > 0.0 { longest_ms } else { 1.0 };
    let step = step(longest / 4.0);
    let steps = (longest / step).ceil().max(1.0);
    let ticks = (0..=steps as u32).map(|index| {
        let ms = f64::from(index) * step;
        (ms, if index == 0 { "0".to_owned() } else { seconds(ms, lang) })
    });
    Axis { label, from: 0.0, to: steps * step, ticks: ticks.collect() }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below `least`.
fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|&step| step >= least).unwrap_or(power)
}

/// Where a duration stands on [`logarithmic`] axes.
pub fn logarithm(ms: f64) -> f64 {
    ms.max(SHORTEST_MS).log10()
}

/// An axis on which each tenfold takes as much room, over these durations in milliseconds.
pub fn logarithmic(values_ms: impl Iterator<Item = f64>, label: String, lang: Lang) -> Axis {
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for ms in values_ms.filter(|ms| ms.is_finite()) {
        (least, most) = (least.min(logarithm(ms)), most.max(logarithm(ms)));
    }
    if least > most {
        (least, most) = (0.0, 3.0);
    }
    let (from, to) = (least.floor(), (most + 1e-9).ceil().max(least.floor() + 1.0));
    let decades = (from as i32..=to as i32).map(|power| {
        let ms = 10_f64.powi(power);
        (f64::from(power), seconds(ms, lang))
    });
    Axis { label, from, to, ticks: decades.collect() }
}

/// An axis of shares from 0 to all.
pub fn shares(label: String, lang: Lang) -> Axis {
    let tick = |share: f64| (share, format!("{}\u{a0}%", number(share * 100.0, 0, lang)));
    Axis { label, from: 0.0, to: 1.0, ticks: [0.0, 0.25, 0.5, 0.75, 1.0].map(tick).to_vec() }
}

/// An axis of things one after another, the first at 0.
pub fn ordinals(names: &[String], label: String) -> Axis {
    let last = names.len().saturating_sub(1);
    let ticks = names.iter().enumerate().map(|(place, name)| (place as f64, name.clone()));
    // Half a place at either end, so that no point stands on the edge.
    Axis { label, from: -0.5, to: last as f64 + 0.5, ticks: ticks.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_round_and_reach_over_the_longest() {
        for (longest, to, marks) in
            [(4_100.0, 6_000.0, 4), (100.0, 100.0, 3), (0.0, 1.0, 3), (f64::NAN, 1.0, 3), (7.3, 8.0, 5)]
        {
            let axis = durations(longest, String::new(), Lang::En);
            assert!(axis.to >= longest || !longest.is_finite(), "{longest}");
            assert!((axis.to - to).abs() < 1e-9, "{longest}: {}", axis.to);
            assert_eq!(axis.ticks.len(), marks, "{longest}: {:?}", axis.ticks);
        }
    }

    #[test]
    fn decades_reach_over_all_values_and_zero_is_the_shortest() {
        let axis = logarithmic([0.0, 35.0, 6_700.0].into_iter(), String::new(), Lang::Es);
        assert_eq!((axis.from, axis.to), (-1.0, 4.0));
        assert_eq!(axis.ticks.len(), 6);
        let none = logarithmic(std::iter::empty(), String::new(), Lang::En);
        assert!(none.to > none.from);
        let one = logarithmic([10.0].into_iter(), String::new(), Lang::En);
        assert_eq!((one.from, one.to), (1.0, 2.0));
    }
}
