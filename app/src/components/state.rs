//! The states, and the marks beside them: always colour, word and shape together.

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
    /// It was so, and something newer took its place.
    Superseded,
    /// Looking itself failed.
    Error,
}

impl State {
    /// The class of its colour.
    pub fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Attention => "attention",
            Self::Bad | Self::Error => "bad",
            Self::Superseded => "superseded",
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
            Self::Superseded => "#m-superseded",
            Self::Error => "#m-error",
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
    r#"<symbol id="m-superseded" viewBox="0 0 16 16"><path class="line" d="M8 1.4 14.6 8 8 14.6 1.4 8ZM1 8h14"/></symbol>"#,
    r#"<symbol id="m-error" viewBox="0 0 16 16">"#,
    r#"<path class="line" d="M1.8 1.8h12.4v12.4H1.8ZM8 4.4v4.2M8 10v1.8"/></symbol>"#,
);
