//! Writing SVG as text. Every text that comes from outside goes through here and is escaped here.

use std::fmt::Write as _;

/// SVG that is being written.
#[derive(Debug, Default)]
pub struct Svg(String);

impl Svg {
    /// What has been written.
    pub fn finish(self) -> String {
        self.0
    }

    /// Writes markup of our own.
    pub fn raw(&mut self, markup: &str) {
        self.0.push_str(markup);
    }

    /// A rectangle; `fill` names a pattern.
    pub fn rect(&mut self, class: &str, fill: Option<&str>, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let fill = fill.map(|id| format!(r#" fill="url(#{id})""#)).unwrap_or_default();
        let _ = write!(
            self.0,
            r#"<rect class="{class}"{fill} x="{}" y="{}" width="{}" height="{}"/>"#,
            coordinate(x),
            coordinate(y),
            coordinate(width),
            coordinate(height)
        );
    }

    /// A path; nothing for an empty one.
    pub fn path(&mut self, class: &str, d: &str) {
        if !d.is_empty() {
            let _ = write!(self.0, r#"<path class="{class}" d="{d}"/>"#);
        }
    }

    /// A line of text.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let class = if class.is_empty() { String::new() } else { format!(r#" class="{class}""#) };
        let _ = write!(
            self.0,
            r#"<text{class} x="{}" y="{}">{}</text>"#,
            coordinate(x),
            coordinate(y),
            escaped(text)
        );
    }

    /// A link around what `inside` writes, with a name that appears on hovering.
    pub fn link(&mut self, href: &str, title: &str, inside: impl FnOnce(&mut Self)) {
        let _ = write!(self.0, r#"<a href="{}"><title>{}</title>"#, escaped(href), escaped(title));
        inside(self);
        self.raw("</a>");
    }
}

/// Adds a rectangle to a path's data: the shortest way to write many alike.
pub fn add_rect(d: &mut String, (x, y): (f64, f64), (width, height): (f64, f64)) {
    let (x, y, width, height) = (coordinate(x), coordinate(y), coordinate(width), coordinate(height));
    let _ = write!(d, "M{x} {y}h{width}v{height}h-{width}z");
}

/// A coordinate to the tenth; whatever is not a number becomes 0.
pub fn coordinate(value: f64) -> String {
    let tenths = if value.is_finite() { (value * 10.0).round() as i64 } else { 0 };
    if tenths % 10 == 0 {
        (tenths / 10).to_string()
    } else {
        format!("{}{}.{}", if tenths < 0 { "-" } else { "" }, tenths.abs() / 10, tenths.abs() % 10)
    }
}

/// A text with what would be markup made harmless.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// How wide a text of 12 px stands, in pixels: measured on the widest of the fonts in the stack, so rather too much.
pub fn text_width(text: &str) -> f64 {
    text.chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | ' ' | '\u{a0}' => 3.9,
            'm' | 'w' | 'M' | 'W' | '%' | '—' | '…' => 10.5,
            'A'..='Z' => 8.2,
            c if (c as u32) < 0x2e80 => 6.9,
            _ => 12.5,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_never_odd() {
        for (value, text) in [
            (84.0, "84"),
            (84.04, "84"),
            (84.05, "84.1"),
            (-0.26, "-0.3"),
            (-0.04, "0"),
            (f64::NAN, "0"),
            (f64::INFINITY, "0"),
        ] {
            assert_eq!(coordinate(value), text);
        }
    }

    #[test]
    fn foreign_text_stays_text() {
        let mut svg = Svg::default();
        svg.text("q", (1.0, 2.0), "<script>\"&'");
        svg.link("#a\"b", "<b>", |svg| svg.rect("bar", Some("hush"), (0.0, 0.0), (1.0, 1.0)));
        assert_eq!(
            svg.finish(),
            "<text class=\"q\" x=\"1\" y=\"2\">&lt;script&gt;&quot;&amp;&#39;</text>\
             <a href=\"#a&quot;b\"><title>&lt;b&gt;</title>\
             <rect class=\"bar\" fill=\"url(#hush)\" x=\"0\" y=\"0\" width=\"1\" height=\"1\"/></a>"
        );
    }
}
