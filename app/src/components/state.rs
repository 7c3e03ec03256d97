//! The five states, and the marks beside them: always colour, word and shape together.

use leptos::prelude::*;

/// What a mark means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Good,
    /// Somebody should know.
    Attention,
    /// Not as it should be.
    Bad,
    /// Neither.
    Neutral,
    /// Nothing to say: not applicable, not needed.
    None,
}

impl State {
    /// The class of its colour.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Attention => "attention",
            Self::Bad => "bad",
            Self::Neutral | Self::None => "neutral",
        }
    }

    /// The address of its shape.
    fn mark(self) -> &'static str {
        match self {
            Self::Good => "#m-good",
            Self::Attention => "#m-attention",
            Self::Bad => "#m-bad",
            Self::Neutral => "#m-neutral",
            Self::None => "#m-none",
        }
    }
}

/// A mark with its word.
pub fn state(state: State, word: String) -> impl IntoView {
    view! {
        <span class=format!("st {}", state.class())>
            <svg class="mark" aria-hidden="true"><use_ href=state.mark()></use_></svg>
            {word}
        </span>
    }
}

/// The shapes, once a page.
pub const SPRITE: &str = concat!(
    r#"<symbol id="m-good" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7.5"/>"#,
    r#"<path class="cut" d="M4.2 8.4 7 11.2 11.8 5"/></symbol>"#,
    r#"<symbol id="m-attention" viewBox="0 0 16 16"><path d="M8 .8 15.8 15H.2Z"/>"#,
    r#"<path class="cut" d="M8 5.4v5M8 11.6v1.8"/></symbol>"#,
    r#"<symbol id="m-bad" viewBox="0 0 16 16"><path d="M1 1h14v14H1Z"/>"#,
    r#"<path class="cut" d="m4.6 4.6 6.8 6.8M11.4 4.6l-6.8 6.8"/></symbol>"#,
    r#"<symbol id="m-neutral" viewBox="0 0 16 16"><circle class="line" cx="8" cy="8" r="6.6"/></symbol>"#,
    r#"<symbol id="m-none" viewBox="0 0 16 16"><path class="line" d="M3 8h10"/></symbol>"#,
);
