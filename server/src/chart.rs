//! Charts, drawn by plotters: an SVG for wide and one for narrow pages, of which the style sheet shows one.
//!
//! plotters writes colours as attributes and knows neither names nor links. The colours here are the light theme's; the
//! style sheet maps each of them to its token, so that they follow the theme. Name, description and links are added.

mod canvas;
mod pen;

use acta_app::view::chart::Plot;

pub use pen::DrawError;

/// Draws a chart in both sizes.
pub fn draw(plot: &Plot) -> Result<String, DrawError> {
    let sizes = [&canvas::FULL, &canvas::SLIM].map(|canvas| pen::draw(plot, canvas));
    sizes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use acta_app::view::chart::{Axis, Band, Curve, Mark, Point};

    use super::*;

    fn axis(to: f64) -> Axis {
        let ticks = vec![(0.0, "0".to_owned()), (to, "<to>".to_owned())];
        Axis { label: "time & <b>".to_owned(), from: 0.0, to, ticks }
    }

    fn plot() -> Plot {
        let curve = |name: &str| Curve {
            name: name.to_owned(),
            steps: vec![(2.0, 0.5), (4.0, 1.0)],
            marks: vec![(3.0, 0.5)],
        };
        let link = Some(("/runs/7?a=\"b\"&c".to_owned(), "run <7>".to_owned()));
        Plot {
            id: "test",
            title: "Latencies".to_owned(),
            desc: "Half took 2 s".to_owned(),
            x: axis(10.0),
            y: axis(1.0),
            band: Some(Band { from: 0.2, to: 0.6, name: "usual".to_owned() }),
            curves: vec![curve("one"), curve("two & more")],
            points: vec![
                Point { mark: Mark::Plain, at: (5.0, 0.5), link: None },
                Point { mark: Mark::Outlier, at: (6.0, 0.9), link },
                Point { mark: Mark::Unfinished, at: (7.0, 0.1), link: None },
            ],
        }
    }

    #[test]
    fn a_chart_is_named_follows_the_theme_and_holds_no_style_of_its_own() {
        let svg = draw(&plot()).unwrap();
        assert_eq!(svg.matches("<svg ").count(), 2);
        assert_eq!(svg.matches("</svg>").count(), 2);
        for part in ["class=\"chart plot full\"", "class=\"chart plot slim\"", "Latencies", "Half took 2 s"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        for never in [" style=", "<script", "xmlns", "<b>", "<7>", "rgba("] {
            assert!(!svg.contains(never), "{never}: {svg}");
        }
        // Each colour is one that the style sheet maps to a token.
        let sheet = include_str!("../../style/main.css").to_ascii_uppercase();
        for attribute in ["fill=\"#", "stroke=\"#"] {
            for rest in svg.split(attribute).skip(1) {
                let rule =
                    format!("[{}#{}\"]", attribute.trim_end_matches('#'), rest.split('"').next().unwrap());
                assert!(sheet.contains(&rule.to_ascii_uppercase()), "{rule} has no token");
            }
        }
    }

    #[test]
    fn only_points_that_lead_somewhere_are_links_and_a_picture_without_links_is_one_image() {
        let mut plot = plot();
        let svg = draw(&plot).unwrap();
        assert_eq!(svg.matches("<a href=\"/runs/7?a=&quot;b&quot;&amp;c\">").count(), 2);
        assert_eq!(svg.matches("role=\"group\"").count(), 2);
        plot.points.clear();
        let svg = draw(&plot).unwrap();
        assert!(svg.matches("role=\"img\"").count() == 2 && !svg.contains("<a "));
    }

    #[test]
    fn a_chart_without_anything_in_it_is_drawn_too() {
        let mut plot = plot();
        (plot.band, plot.curves, plot.points) = (None, Vec::new(), Vec::new());
        assert!(draw(&plot).is_ok());
        plot.x.to = plot.x.from;
        assert!(draw(&plot).is_ok(), "an axis of no length does no harm");
        plot.y.to = f64::NAN;
        assert!(draw(&plot).is_ok(), "nor does one that is no number");
    }
}
