//! Foreign text made visible: what a bundle says of itself may hold anything.

/// Whether a character must not reach a screen as it is: controls, bidirectional controls and invisible characters.
pub fn is_unusual(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text with every unusual character, and the backslash, written as an escape.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            _ if is_unusual(char) => out.extend(char.escape_unicode()),
            _ => out.push(char),
        }
    }
    out
}

/// The first 200 characters, with an ellipsis where some were cut.
pub(super) fn clip(text: &str) -> String {
    const KEPT: usize = 200;
    match text.char_indices().nth(KEPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A name for a message: cut, then made visible.
pub(super) fn name(text: &str) -> String {
    visible(&clip(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_unusual_is_left() {
        let text = "acme/\u{202e}gnp\u{202c}-\u{0}\u{200b}模型😀\\";
        assert_eq!(visible(text), "acme/\\u{202e}gnp\\u{202c}-\\u{0}\\u{200b}模型😀\\\\");
        assert!(!visible(text).chars().any(is_unusual));
        assert_eq!(clip(&"é".repeat(500)).chars().count(), 201);
        assert_eq!(clip("short"), "short");
    }
}
