//! What a person sees: notices on stderr, colours where they are wanted, results on stdout.

use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to speak.
#[derive(Debug, Clone, Copy)]
pub struct Ui {
    quiet: bool,
    color: bool,
    terminal: bool,
}

impl Ui {
    /// Finds out how to speak.
    pub fn new(quiet: bool, color: Color) -> Self {
        let terminal = io::stderr().is_terminal();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let color = match color {
            Color::Auto => terminal && wanted,
            Color::Always => true,
            Color::Never => false,
        };
        Self { quiet, color, terminal }
    }

    /// Whether nothing but errors is to be said.
    pub fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether stderr is a terminal that can show moving bars.
    pub fn terminal(&self) -> bool {
        self.terminal
    }

    /// Says something on the way.
    pub fn notice(&self, text: &str) {
        if !self.quiet {
            writeln!(io::stderr(), "{text}").ok();
        }
    }

    /// Warns.
    pub fn warning(&self, text: &str) {
        writeln!(io::stderr(), "{} {text}", self.paint("warning:", 33)).ok();
    }

    /// Says what is wrong.
    pub fn error(&self, text: &str) {
        writeln!(io::stderr(), "{} {text}", self.paint("error:", 31)).ok();
    }

    /// Prints a result. A reader that has gone away is no error.
    pub fn result(&self, text: &str) {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).ok();
    }

    /// Colours a word by its ANSI number.
    pub fn paint(&self, text: &str, color: u8) -> String {
        if self.color { format!("\u{1b}[1;{color}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Makes foreign text harmless: no control characters that could move the cursor or change colours.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Foreign text on one line, with every control, bidirectional and invisible character written as an escape.
pub fn visible_line(text: &str) -> String {
    acta_ledger::evidence::bundle::visible(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\rc"), "a\u{fffd}[2Jb\u{fffd}c");
        let ui = Ui { quiet: false, color: true, terminal: false };
        assert_eq!(ui.paint("x", 31), "\u{1b}[1;31mx\u{1b}[0m");
    }
}
